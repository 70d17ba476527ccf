"""IW(1) plays by looking ahead: no learning, only branching.

    pip install '.[roms]'
    python planner.py --game ms_pacman --seconds 60

Iterated width search (Lipovetzky, Ramirez and Geffner, 2015) keeps a state only if it is new: if it
has a byte of RAM with a value that no state of this search had in that byte before.  A search goes
breadth first, a layer at a time, in one `AtariVectorEnv`: `copy_envs` spreads the states that were
kept, one copy for each action, and `step` plays them all.  The actions that led to the best leaf
are what the planner plays, and where it goes on from.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pyale_ma.vector import AtariVectorEnv

Array = npt.NDArray[Any]


@dataclass
class Settings:
    """Parameters that determine the result, except for the speed of the machine."""

    game: str = "ms_pacman"
    seconds: float = 60.0
    envs: int = 256  # states of a layer, kept ones and others
    depth: int = 15  # layers of a search: how far ahead it looks
    frameskip: int = 5
    discount: float = 0.98  # of rewards, for each layer: those that come sooner are worth more
    life: float = 1000.0  # what losing a life costs
    seed: int = 1


class Planner:
    """Plays one game; every environment of the vector is a state that the search looks at."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.envs = AtariVectorEnv(
            settings.game,
            settings.envs,
            obs_type="ram",
            stack_num=1,
            frameskip=settings.frameskip,
            reward_clipping=False,
            noop_max=0,
        )
        self.actions = self.envs.num_actions[0]
        if settings.envs < self.actions:
            raise ValueError(f"envs is {settings.envs}; {settings.game} needs {self.actions}")
        self.random = np.random.default_rng(settings.seed)
        _, infos = self.envs.reset(seed=settings.seed)
        self.envs.copy_envs([0] * (settings.envs - 1), range(1, settings.envs))
        self.lives = int(infos["lives"][0])
        self.score = 0
        self.frames = 0  # emulated in all searches

    def plan(self) -> tuple[list[int], bool]:
        """Search from where the game stands, and go on at the best leaf.

        Returns:
            The actions that lead there, and whether the game is over then.
        """
        count, settings = self.settings.envs, self.settings
        seen = np.zeros((128, 256), np.bool_)
        value = np.zeros(count)  # of each environment: discounted rewards, less lost lives
        score = np.zeros(count, np.int64)
        lives = np.full(count, self.lives)
        path = np.zeros((count, settings.depth), np.int64)
        kept = np.array([0])  # environments that stand for states to go on from
        depth = 0
        while depth < settings.depth:
            # A copy of each kept state for each action; where there is room left, for random ones.
            parent = kept[(np.arange(count) // self.actions) % len(kept)]
            action = np.arange(count) % self.actions
            spare = len(kept) * self.actions
            action[spare:] = self.random.integers(0, self.actions, max(count - spare, 0))
            self.envs.copy_envs(parent, np.arange(count))
            ram, rewards, terminations, truncations, infos = self.envs.step(action)
            self.frames += count * settings.frameskip

            value, score, path = value[parent], score[parent] + rewards, path[parent]
            path[:, depth] = action
            lost = np.maximum(lives[parent] - infos["lives"], 0)
            lives = infos["lives"].copy()
            value += (rewards - settings.life * lost) * settings.discount**depth
            over = terminations | truncations
            depth += 1
            if over.all():
                break
            kept = self._novel(seen, ram[:, 0], np.flatnonzero(~over), value)

        # Of equal leaves one at random: the first one would always be that of the first action.
        best = int(np.lexsort((self.random.random(count), np.where(over, -np.inf, value)))[-1])
        self.envs.copy_envs([best] * count, np.arange(count))
        self.score += int(score[best])
        self.lives = int(lives[best])
        return path[best, :depth].tolist(), bool(over[best])

    def _novel(self, seen: Array, ram: Array, alive: Array, value: Array) -> Array:
        """Those of the living states that are new, the best first; the best alone if none is."""
        order = alive[np.argsort(-value[alive], kind="stable")]
        facts = np.arange(128) * 256 + ram[order]  # numbers of (byte, value)
        fresh = ~seen.ravel()[facts]
        states, _ = np.nonzero(fresh)
        _, first = np.unique(facts[fresh], return_index=True)
        seen.ravel()[facts[fresh]] = True
        new = np.unique(states[first])  # who shows a new fact before all others
        most = max(1, self.settings.envs // self.actions)
        kept: Array = order[new[:most]] if len(new) else order[:1]
        return kept


def play_at_random(settings: Settings, frames: int) -> float:
    """The score of random actions in as many frames of play, the mean of 20 games."""
    games = 20
    envs = AtariVectorEnv(
        settings.game,
        games,
        obs_type="ram",
        stack_num=1,
        frameskip=settings.frameskip,
        reward_clipping=False,
        noop_max=0,
        autoreset_mode="SameStep",
        extra_infos=["episode"],
    )
    envs.reset(seed=settings.seed)
    random = np.random.default_rng(settings.seed)
    first, scores = np.ones(games, np.bool_), np.zeros(games)
    for _ in range(max(1, frames // settings.frameskip)):
        _, rewards, terminations, truncations, _ = envs.step(
            random.integers(0, envs.num_actions[0], games)
        )
        scores += rewards * first
        first &= ~(terminations | truncations)
    envs.close()
    return float(scores.mean())


def main() -> None:
    """Plan for some time, and say what came of it."""
    parser = argparse.ArgumentParser(description="IW(1) search plays a game.")
    for name, default in vars(Settings()).items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    settings = Settings(**vars(parser.parse_args()))
    try:
        planner = Planner(settings)
    except (OSError, ValueError) as problem:  # no such game, ROM file, too few environments
        parser.error(str(problem))
    start = time.perf_counter()
    played, over = 0, False
    while not over and (not played or time.perf_counter() - start < settings.seconds):
        actions, over = planner.plan()
        played += len(actions) * settings.frameskip
        passed = time.perf_counter() - start
        print(
            f"{passed:5.1f} s  frame {played:6d}  score {planner.score:6d}  lives {planner.lives}  "
            f"{planner.frames / passed:8.0f} frames/s searched",
            flush=True,
        )
    print(f"IW(1): {planner.score} points in {played} frames; game over: {over}")
    print(f"random actions: {play_at_random(settings, played):.0f} points in as many frames")


if __name__ == "__main__":
    main()
