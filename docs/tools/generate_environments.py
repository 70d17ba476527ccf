"""Writes docs/environments/: a page and a picture for each of `pyale_ma.multi`'s environments.

python docs/tools/generate_environments.py [--no-pictures]

Everything is taken from the modules' docstrings, their arguments' types, and the library's tables.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import itertools
import re
import typing
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from pyale_ma import _native, multi, opponents
from pyale_ma._native import Action, Pixels, Rules
from pyale_ma.multi.base import AGENTS, ArgumentError, ParallelAtariEnv
from pyale_ma.opponents.catalogue import contest_of

FOLDER = Path(__file__).parents[1] / "environments"
NOTE = "<!-- Written by docs/tools/generate_environments.py from the modules: change those. -->"
PICTURE_FRAMES = range(300, 420)  # of random play; the picture with most in it is taken


def module_of(name: str) -> Any:
    """An environment's module."""
    return importlib.import_module(f"pyale_ma.multi.{name}")


def page(name: str) -> str:
    """The page of one environment, in Markdown."""
    module = module_of(name)
    title, text = inspect.getdoc(module).split("\n", 1)  # type: ignore[union-attr]
    heading, summary = title.split(": ", 1)
    body = re.sub(r"^(Rewards|End):", r"\n**\1:**", text.strip(), flags=re.MULTILINE)
    body = re.sub(r"\n\n+", "\n\n", body).strip()
    parts = [
        f"# {heading}",
        NOTE,
        f"`{name}`: {summary}",
        f"![A picture of {heading}]({name}.png)",
        body,
        f"```python\nfrom pyale_ma.multi import {name}\n\nenv = {name}.parallel_env()\n```",
        "## Facts",
        facts(module),
        "## Arguments",
        own_arguments(module) + "Those that [all environments](README.md#arguments) have.",
        "## Modes",
        modes(module),
        "## Opponents",
        players(module),
    ]
    return "\n\n".join(parts) + "\n"


def facts(module: Any) -> str:
    """Players, actions, observations."""
    setup = module.setup()
    game = _native.games()[setup.game]
    info = game.describe(Rules.MULTI)
    actions = [
        f"{i} {Action(bit).name}" for i, bit in enumerate(_native.bits(info.minimal_actions))
    ]
    env = module.parallel_env(obs_type="grayscale_image")
    height, width, _ = env.observation_space("first_0").shape
    counts = [str(n) for n in (2, 4) if any(s.num_players == n for _, s in setups(module))]
    rows = [
        ("Game", f"[{game.title}](../games/{game.name}.md) (`{game.name}`)"),
        ("Players", " or ".join(counts)),
        ("Agents", ", ".join(f"`{agent}`" for agent in AGENTS[: int(counts[-1])])),
        ("Controllers", "paddles" if info.paddles else "joysticks"),
        ("Actions", ", ".join(actions)),
        ("Observations", f"uint8 ({height}, {width}, 3); gray ({height}, {width}, 1); RAM (128,)"),
        ("Difficulties", ", ".join(map(str, _native.bits(info.difficulties)))),
    ]
    return table(("", ""), rows)


def own_arguments(module: Any) -> str:
    """The module's own arguments with their defaults."""
    parameters = inspect.signature(module.setup).parameters
    if not parameters:
        return ""
    described = described_arguments(module.setup)
    rows = [
        (f"`{name}`", f"`{parameter.default!r}`", described[name])
        for name, parameter in parameters.items()
    ]
    return table(("Argument", "Default", "What"), rows) + "\n\n"


def modes(module: Any) -> str:
    """Which of the cartridge's modes the arguments choose."""
    names = list(inspect.signature(module.setup).parameters)
    if not names:
        return f"Mode {module.setup().mode} of the cartridge."
    rows = [
        (*(f"`{value!r}`" for value in values), str(setup.mode)) for values, setup in setups(module)
    ]
    return table((*(f"`{name}`" for name in names), "Mode"), rows)


def players(module: Any) -> str:
    """Who plays it, and how well."""
    scripted = ", ".join(f'"{level}"' for level in opponents.SCRIPTED)
    contests = {opponents.Contest(s.game, s.num_players, s.mode) for _, s in setups(module)}
    trained = [each for each in opponents.available() if contest_of(each) in contests]
    text = f"{scripted} play it in all modes ([opponents](../opponents.md))."
    if not trained:
        return text
    rows = []
    for each in trained:
        try:
            known = opponents.rating_table(each.game, num_players=each.players, mode=each.mode)
            ratings = known.elo()
        except ValueError:  # there is no table for it
            ratings = {}
        rows += [
            (
                str(each.players),
                str(each.mode),
                f'"{level}"',
                f"{it.minutes:.1f}",
                f"{it.score:.3f} ({it.low:.3f} to {it.high:.3f})",
                "" if it.below is None else f"{it.below:.3f}",
                str(ratings.get(level, "")),
            )
            for level, it in each.levels.items()
        ]
    head = (
        "Players",
        "Mode",
        "Level",
        "Minutes",
        "Against random play",
        "Against the next",
        "Rating",
    )
    films = "\n".join(
        f'<img src="films/{contest_of(each).stem}.webp" width="30%" '
        f'alt="{each.players} players: the first is strong, the others middle">'
        for each in trained
    )
    guide = "[how](../opponents.md#how-strong-they-are)"
    return (
        f"{text} These were trained, in so many minutes of one processor, and measured "
        f"({guide}):\n\n{table(head, rows)}\n\n"
        f"Matches of strong, who is the first player, against middle:\n\n{films}"
    )


def setups(module: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """All combinations of a module's own arguments, and what they choose."""
    hints = typing.get_type_hints(module.setup)
    names = inspect.signature(module.setup).parameters
    values = [choices(hints[name]) for name in names]
    found = []
    for combination in itertools.product(*values):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # against arguments that are too easy to learn
                setup = module.setup(**dict(zip(names, combination, strict=True)))
        except ArgumentError:
            continue  # not for so many players
        found.append((combination, setup))
    return found


def choices(hint: Any) -> tuple[Any, ...]:
    """The values of a type: True and False, or those of a Literal, which may be optional."""
    if hint is bool:
        return (False, True)
    literal, *none = typing.get_args(hint)
    return typing.get_args(literal) if type(None) in none else typing.get_args(hint)


def described_arguments(function: Any) -> dict[str, str]:
    """The section Args of a docstring in Google's style."""
    lines = inspect.getdoc(function).split("Args:\n", 1)[1].split("\n\n", 1)[0]  # type: ignore[union-attr]
    entries = re.split(r"^    (?=\w)", lines, flags=re.MULTILINE)[1:]
    pairs = (" ".join(entry.split()).split(": ", 1) for entry in entries)
    return dict(pairs)


def index() -> str:
    """The page of all environments, and of the arguments that all of them have."""
    rows = []
    for name in multi.ENVIRONMENTS:
        module = module_of(name)
        heading, summary = inspect.getdoc(module).split("\n", 1)[0].split(": ", 1)  # type: ignore[union-attr]
        counts = sorted({setup.num_players for _, setup in setups(module)})
        players = " or ".join(map(str, counts))
        rows.append((f"[{heading}]({name}.md)", f"`{name}`", players, summary))
    described = described_arguments(ParallelAtariEnv)
    parameters = inspect.signature(module_of("boxing_v2").parallel_env).parameters
    arguments = [
        (f"`{name}`", f"`{parameter.default!r}`", described[name])
        for name, parameter in parameters.items()
    ]
    other = [
        (
            f"[`{name}`](../games/{name}.md)",
            ", ".join(f"{n}: {count}" for n, count in counts.items()),
        )
        for name, game in _native.games().items()
        if Rules.MULTI in game.rules
        and (counts := {n: len(m) for n in (2, 4) if (m := game.modes(Rules.MULTI, n))})
    ]
    parts = [
        "# Environments for several agents",
        NOTE,
        inspect.getdoc(multi).split("\n\n", 1)[0],  # type: ignore[union-attr]
        "```python\n" + inspect.cleandoc(EXAMPLE) + "\n```",
        table(("Environment", "Module", "Players", "What"), rows),
        "## Arguments",
        "`parallel_env`, `env` and `raw_env` of every module take these, as keywords:",
        table(("Argument", "Default", "What"), arguments),
        "The first of them are PettingZoo's; with the others as they are by default, the\n"
        "environments are equal to PettingZoo's.",
        "`vector_options` takes those of them that say what is played, and returns the arguments\n"
        "of [a vector that plays the same](../several-agents.md#the-same-game-in-both).",
        "## Any game, any mode",
        "`pyale_ma.multi.parallel_env(game=..., num_players=..., mode=...)` plays any game in any\n"
        "of its modes.  Games for several players, and how many modes they have for how many:",
        table(("Game", "Players: modes"), other),
    ]
    return "\n\n".join(parts) + "\n"


EXAMPLE = """
    from pyale_ma.multi import pong_v3

    env = pong_v3.parallel_env(num_players=4)
    observations, infos = env.reset(seed=42)
    while env.agents:
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        observations, rewards, terminations, truncations, infos = env.step(actions)
"""


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def picture(name: str) -> Image.Image:
    """A moment of random play."""
    env = module_of(name).parallel_env(obs_type="ram")
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    console, best, most = env.ale.env, np.zeros((1, 1), np.uint8), -1
    for t in range(PICTURE_FRAMES.stop):
        if t % 8 == 0:
            held = rng.integers(len(env.action_mapping), size=env.num_players).tolist()
        if not env.agents:
            break
        env.step({agent: held[AGENTS.index(agent)] for agent in env.agents})
        if t in PICTURE_FRAMES:
            screen = console.screen(Pixels.INDEXED)
            edges = np.count_nonzero(screen[:, 1:] != screen[:, :-1])
            if edges > most:
                best, most = screen, edges
    image = Image.fromarray(best.repeat(2, axis=1))
    image.putpalette(console.palette(Pixels.RGB).tobytes())
    return image


def pages() -> dict[str, str]:
    """All pages by file name."""
    return {"README.md": index(), **{f"{name}.md": page(name) for name in multi.ENVIRONMENTS}}


def main() -> None:
    """Write all files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-pictures", action="store_true", help="write the pages only")
    arguments = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for file, text in pages().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
    if not arguments.no_pictures:
        for name in multi.ENVIRONMENTS:
            picture(name).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
