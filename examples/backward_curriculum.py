"""A backward curriculum: Montezuma's Revenge's first key, learned from the end of a demonstration.

    pip install '.[roms,torch]' matplotlib
    python backward_curriculum.py -o curves.png

Nobody finds the key by chance: it is a hundred steps away, and most mistakes cost the life.  So
episodes begin at states of one demonstration, first just before the key.  When enough of them reach
it, they begin a little earlier (Salimans and Chen, 2018), until they begin where the game does.
The same learner without the demonstration plays as many steps, and is drawn beside it.

The demonstration is `montezuma_key.zip`, a recording of 400 frames.  A search found it, which
played on from saved states at places where it had seldom been.  You can play one, up to the key:

    pyale-ma play montezuma_revenge --record key.zip
    python backward_curriculum.py --demonstration key.zip

The learner is that of `ppo_pong.py`; it sees the bits of the RAM.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from ppo_pong import RamAgent, Settings, advantages_of, improve
from torch import Tensor

from pyale_ma.recording import Recording
from pyale_ma.single import ALEState
from pyale_ma.vector import AtariVectorEnv

FRAMESKIP = 4
MOST_STEPS = 200  # of an episode
WINDOW = 8  # states of the demonstration at which episodes begin at a time
EARLIER = 4  # states by which the window moves back
ENOUGH = 0.3  # the share of episodes from the window that must reach the key before it does
Curve = list[tuple[int, float, float]]


@dataclass
class Run(Settings):
    """Parameters, beside those of `ppo_pong.py`."""

    steps: int = 1_800_000
    sticky: float = 0.25  # the probability that an action is repeated, in each frame


def demonstrated(file: Path) -> list[ALEState]:
    """Return the states before each step of a demonstration, up to the key."""
    recording = Recording.open(file)
    (rewarded,) = np.nonzero(recording.array("rewards")[:, 0, 0] > 0)
    if not rewarded.size:
        raise ValueError(f"{file}: nobody reaches the key")
    return recording.starts(every=FRAMESKIP)[: int(rewarded[0]) // FRAMESKIP + 1]


class Curriculum:
    """The choice of where episodes begin: at the game's own start, or in a window of states.

    Args:
        envs: The vector whose episodes begin there.
        states: Those of the demonstration; none: all episodes begin at the game's own start.
    """

    def __init__(self, envs: AtariVectorEnv, states: list[ALEState]) -> None:
        self.envs, self.states = envs, states
        self.place = len(states) - WINDOW if states else -WINDOW  # in the end, the window is empty
        self.latest: deque[bool] = deque(maxlen=200)
        self.apply()

    def apply(self) -> None:
        """Let episodes begin at the game's own start, number 0, or in the window."""
        window = self.states[max(0, self.place) : max(0, self.place + WINDOW)]
        self.envs.set_starts([None, *window])

    def note(self, reached: list[bool]) -> None:
        """Move the window back if enough of the latest episodes from it have reached the key."""
        self.latest.extend(reached)
        if len(self.latest) >= 50 and np.mean(self.latest) > ENOUGH and self.place > -WINDOW:
            self.place -= EARLIER
            self.latest.clear()
            self.apply()


def bits(observations: npt.NDArray[np.uint8]) -> Tensor:
    """Return the bits of the RAM, (envs, 1024)."""
    return torch.from_numpy(np.unpackbits(observations[:, -1], axis=1)).float()


def make_envs(run: Run) -> AtariVectorEnv:
    """Make the vector, which refuses what cannot be played."""
    return AtariVectorEnv(
        "montezuma_revenge",
        run.envs,
        obs_type="ram",
        stack_num=1,
        frameskip=FRAMESKIP,
        use_fire_reset=False,
        repeat_action_probability=run.sticky,
        max_num_frames_per_episode=MOST_STEPS * FRAMESKIP,
        terminal_on={"lives": "falls", "score": "rises"},
        autoreset_mode="SameStep",
    )


def train(envs: AtariVectorEnv, run: Run, states: list[ALEState]) -> Curve:
    """Learn with the states of a demonstration, or with none, and print how it goes.

    The vector is closed.

    Returns:
        Steps so far, the share of the latest 100 episodes from the game's own start that reached
        the key, and the place of the window in the demonstration, 0 to 1; after each update.
    """
    torch.manual_seed(run.seed)
    curriculum = Curriculum(envs, states)
    agent = RamAgent(1024, envs.num_actions[0])
    optimizer = torch.optim.Adam(agent.parameters(), run.learning_rate, eps=1e-5)
    own: deque[bool] = deque(maxlen=100)  # whether episodes from the game's own start reached it
    curve: Curve = []
    updates = max(1, run.steps // (run.envs * run.rollout))
    began = time.perf_counter()

    ram, infos = envs.reset(seed=run.seed)
    for update in range(updates):
        steps, from_window = [], []
        with torch.no_grad():
            for _ in range(run.rollout):
                seen, starts = bits(ram), infos["start"]
                policy, values = agent(seen)
                actions = policy.sample()
                ram, rewards, terminated, truncated, infos = envs.step(actions.numpy())
                ends = terminated | truncated
                numbers = torch.tensor(rewards).float(), torch.tensor(ends).float()
                steps.append((seen, actions, policy.log_prob(actions), values, *numbers))
                own.extend((rewards > 0)[ends & (starts == 0)].tolist())
                from_window += (rewards > 0)[ends & (starts > 0)].tolist()
            last = agent(bits(ram))[1]
        seen, actions, log_probs, values, gains, overs = map(torch.stack, zip(*steps, strict=True))
        advantages = advantages_of(gains, values, overs, last, run)
        improve(agent, optimizer, (seen, actions, log_probs, advantages, advantages + values), run)
        curriculum.note(from_window)

        done, seconds = (update + 1) * run.envs * run.rollout, time.perf_counter() - began
        place = max(0, curriculum.place) / max(1, len(states))
        curve.append((done, float(np.mean(own or [0])), place))
        if update % 10 == 0 or update + 1 == updates:
            told = f"{done:>9,} steps  {seconds:5.0f} s  from {place:4.0%}  key {curve[-1][1]:4.0%}"
            print(told, flush=True)
    envs.close()
    return curve


def draw(curves: dict[str, Curve], file: Path) -> None:
    """The curves as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for name, curve in curves.items():
        axes.plot([point[0] for point in curve], [point[1] for point in curve], label=name)
    steps, _, places = zip(*curves["with the demonstration"], strict=True)
    axes.plot(steps, places, "--", color="gray", label="where episodes begin (0: the start)")
    axes.set_xlabel("steps")
    axes.set_ylabel("share of episodes that reach the key")
    axes.set_title("PPO on Montezuma's Revenge: the first key, from the game's own start")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(file, dpi=120)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="A backward curriculum.", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    for name in ("steps", "envs", "rollout", "sticky", "seed"):
        default = getattr(Run, name)
        parser.add_argument(f"--{name}", type=type(default), default=default, help=" ")
    shipped = Path(__file__).with_name("montezuma_key.zip")
    parser.add_argument("--demonstration", type=Path, default=shipped, help="a recording")
    parser.add_argument("-o", "--output", type=Path, help="where to draw the curves")
    arguments = vars(parser.parse_args())
    output, file = arguments.pop("output"), arguments.pop("demonstration")
    try:
        run = Run(**arguments)
        states = demonstrated(file)
        vectors = make_envs(run), make_envs(run)
    except (OSError, ValueError) as problem:  # no such ROM file or recording, no environments
        parser.error(str(problem))
    if output:
        importlib.import_module("matplotlib")  # should it be missing, say so now, not in the end
    torch.set_num_threads(1)
    curves: dict[str, Curve] = {}
    whose = (("with the demonstration", states), ("without it", []))
    for envs, (name, given) in zip(vectors, whose, strict=True):
        print(name, flush=True)
        curves[name] = train(envs, run, given)
    if output:
        draw(curves, output)


if __name__ == "__main__":
    main()
