"""A model that reads plays: it is shown a table and a picture, and answers with an action's name.

    pip install '.[roms]'
    python reading_agent.py --game pong --steps 20
    python reading_agent.py --game pong_v3 --agents --show

`ask` is the only function that knows a model: put a call of yours there.  The one here answers at
random, as a model might: with a sentence that names an action.
"""

from __future__ import annotations

import argparse
import io
import random
import re
from collections.abc import Callable
from typing import Any

from PIL import Image

from pyale_ma.labels import labels_of
from pyale_ma.multi import parallel_env
from pyale_ma.single import AtariEnv

Model = Callable[[str, bytes], str]
FRAMES = 15  # of a step: four decisions a second of the game


def ask(question: str, picture: bytes) -> str:
    """Ask the model.

    Args:
        question: A text.
        picture: A PNG file.

    Returns:
        Its answer, in words.
    """
    names = question.rpartition("Actions: ")[2].rstrip(".").split(", ")
    return f"I have seen {len(picture)} bytes of picture, and choose {random.choice(names)}."


def table(env: Any, game: str) -> str:
    """The labels of the game, and the boxes on the screen, a line for each.

    Args:
        env: The environment.
        game: The game's name.
    """
    known = labels_of(game)
    lines = [
        f"{name}: {value} ({known[name].about}; {known[name].unit})"
        for name, value in env.labels().items()
    ]
    for name, boxes in env.named_boxes().items():
        lines += [
            f"box of {name}: column {box.x}, row {box.y}, {box.width} wide, {box.height} high"
            for box in boxes
        ]
    return "\n".join(lines)


def png(screen: Any, size: tuple[int, int] = (640, 420)) -> bytes:
    """A screen as a PNG file; a pixel of the console is twice as wide as high."""
    file = io.BytesIO()
    Image.fromarray(screen).resize(size, Image.Resampling.NEAREST).save(file, format="PNG")
    return file.getvalue()


def decide(model: Model, env: Any, game: str, who: str) -> int:
    """Ask a model for an action; without the name of one in its answer, it is the first, NOOP."""
    names = env.get_action_meanings()
    question = (
        f"You are {who} in {game}. The screen has 160 columns and {len(env.render())} rows; row 0 "
        "is at the top. Of two players the first is called player, the second enemy.\n"
        f"{table(env, game)}\nAnswer with the name of one action. "
        f"Actions: {', '.join(names)}."
    )
    words = re.findall("[A-Z]+", model(question, png(env.render())))
    return next((names.index(word) for word in reversed(words) if word in names), 0)


def make_env(game: str, *, several: bool) -> Any:
    """Make the environment, which refuses what cannot be played."""
    if several:
        return parallel_env(game=game, render_mode="rgb_array", frame_skip=FRAMES)
    return AtariEnv(game, render_mode="rgb_array", frameskip=FRAMES)


def play_alone(model: Model, env: Any, game: str, steps: int, show: bool = False) -> float:
    """One agent, in `AtariEnv`; returns the sum of its rewards."""
    env.reset(seed=1)
    total = 0.0
    for _ in range(steps):
        action = decide(model, env, game, "the player")
        _, reward, over, cut, _ = env.step(action)
        total += float(reward)
        if show:
            print(env.get_action_meanings()[action], reward)
        if over or cut:
            break
    return total


def play_together(
    model: Model, env: Any, game: str, steps: int, show: bool = False
) -> dict[str, float]:
    """Several agents, each with a question of its own; returns the sums of their rewards."""
    env.reset(seed=1)
    players = {agent: f"player {n + 1}" for n, agent in enumerate(env.possible_agents)}
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for _ in range(steps):
        actions = {agent: decide(model, env, game, players[agent]) for agent in env.agents}
        _, rewards, *_ = env.step(actions)
        for agent, reward in rewards.items():
            totals[agent] += float(reward)
        if show:
            print({agent: env.get_action_meanings()[a] for agent, a in actions.items()})
        if not env.agents:
            break
    return totals


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--game", default="pong")
    parser.add_argument("--agents", action="store_true", help="several, in PettingZoo's interface")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--show", action="store_true", help="print what is played")
    args = parser.parse_args()
    try:
        env = make_env(args.game, several=args.agents)
    except (OSError, ValueError) as problem:  # no such game, ROM file, number of players
        parser.error(str(problem))
    play = play_together if args.agents else play_alone
    print(play(ask, env, args.game, args.steps, args.show))


if __name__ == "__main__":
    main()
