"""Writes docs/environments/: a page and a picture for each of `pyale_ma.multi`'s environments.

    python docs/tools/generate_environments.py [--all-pictures]

Pictures that exist stay as they are, unless --all-pictures is given.  Everything is taken from the
modules' docstrings, their arguments' types, and the library's tables.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from pyale_ma import _native, multi, opponents
from pyale_ma._native import Action, Pixels, Rules
from pyale_ma.cli.mode_names import choices
from pyale_ma.games.selection import Selection
from pyale_ma.multi.base import AGENTS, ParallelAtariEnv
from pyale_ma.multi.module_functions import choice_of
from pyale_ma.opponents.catalogue import PLANNER, RULED, contest_of, untrained_levels

FOLDER = Path(__file__).parents[1] / "environments"
NOTE = "<!-- Written by docs/tools/generate_environments.py from the modules: change those. -->"
UNTRAINED = {PLANNER: "the planner", RULED: "a player by rules"}
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
        f"```python\nfrom pyale_ma.multi import {name}\n\n"
        f"env = {name}.parallel_env()  # {name}.env(): agents act by turns\n```",
        "How to play it in code: [several agents](../several-agents.md).",
        "## Facts",
        facts(name, module),
        own_arguments(module),
        "## Modes",
        modes(module),
        players(module),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def facts(name: str, module: Any) -> str:
    """Players, actions, observations."""
    game = chosen_by(module)().game
    info = game.describe(Rules.MULTI)
    env = module.parallel_env(obs_type="grayscale_image")
    actions = [f"{i} {Action(code).name}" for i, code in enumerate(env.action_mapping.tolist())]
    common = inspect.signature(ParallelAtariEnv).parameters
    own = [
        f"`{name}={parameter.default!r}`"
        for name, parameter in inspect.signature(module.parallel_env).parameters.items()
        if name in common
        and name not in inspect.signature(chosen_by(module)).parameters
        and parameter.default != common[name].default
    ]
    height, width, _ = env.observation_space("first_0").shape
    counts = [str(n) for n in (2, 4) if any(s.num_players == n for _, s in choices(module))]
    rows = [
        ("Game", f"[{game.title}](../games/{game.name}.md) (`{game.name}`)"),
        ("Players", " or ".join(counts)),
        ("Kind", f"[{KINDS.get(name, 'competitive')}](README.md#kinds)"),
        ("In PettingZoo", "no, only here" if is_new(name) else "yes, and equal to it"),
        ("Agents", ", ".join(f"`{agent}`" for agent in AGENTS[: int(counts[-1])])),
        ("Controllers", "paddles" if info.paddles else "joysticks"),
        ("Actions", ", ".join(actions)),
        ("Observations", f"uint8 ({height}, {width}, 3); gray ({height}, {width}, 1); RAM (128,)"),
        ("Difficulties", ", ".join(map(str, _native.bits(info.difficulties)))),
        ("Arguments", "[those of all environments](README.md#arguments)"),
    ]
    if own:
        rows.append(("Other defaults", ", ".join(own)))
    return table(("", ""), rows)


def is_new(name: str) -> bool:
    """Whether PettingZoo has no such environment."""
    return name.endswith("_v0")


def chosen_by(module: Any) -> Callable[..., Selection]:
    """The function from the module's own arguments to what is played."""
    return choice_of(module.__name__.rpartition(".")[2], getattr(module, "mode", None))


def own_arguments(module: Any) -> str:
    """The section on the module's own arguments, if it has any."""
    choose = chosen_by(module)
    parameters = inspect.signature(choose).parameters
    if not parameters:
        return ""
    described = {"num_players": "2 or 4."}
    if hasattr(module, "mode"):
        described |= described_arguments(module.mode)
    rows = [
        (f"`{name}`", f"`{parameter.default!r}`", described[name])
        for name, parameter in parameters.items()
    ]
    return "## Arguments\n\n" + table(("Argument", "Default", "Meaning"), rows)


def modes(module: Any) -> str:
    """Which of the cartridge's modes the arguments choose."""
    choose = chosen_by(module)
    names, usual = list(inspect.signature(choose).parameters), choose()
    link = (
        f"[{usual.game.title}](../games/{usual.game.name}.md#modes-and-difficulties) lists all "
        "modes and difficulties of the cartridge."
    )
    if not names:
        return f"The environment plays mode {usual.mode}. {link}"
    rows = [
        (*(f"`{value!r}`" for value in values.values()), str(chosen.mode))
        for values, chosen in choices(module)
    ]
    modes_table = table((*(f"`{name}`" for name in names), "Mode"), rows)
    return f"The arguments choose the mode. {link}\n\n{modes_table}"


def trained_of(module: Any) -> list[Any]:
    """Trained players of the module's modes."""
    contests = {contest_of_selection(selection) for _, selection in choices(module)}
    return [each for each in opponents.available() if contest_of(each) in contests]


def contest_of_selection(selection: Selection) -> opponents.Contest:
    """Return the contest, as opponents name it."""
    return opponents.Contest(selection.source, selection.num_players, selection.mode)


def players(module: Any) -> str:
    """Who plays it, and how well."""
    trained = trained_of(module)
    if not trained:
        contest = contest_of_selection(chosen_by(module)())
        others = [UNTRAINED[level] for level in untrained_levels(contest)]
        *there, last = "scripted players", *others
        them = f"{', '.join(there)} and {last}" if there else last
        here = others[-1] if others else "random play"
        about = here[0].upper() + here[1:] + (" plays against itself" if others else "")
        return (
            f"## Opponents\n\nThe [{them}](../opponents.md) play it; none was trained "
            f"for it. Here {here}\nhas all seats:\n\n"
            f'<img src="films/{contest.stem}.webp" width="30%" alt="{about}">'
        )
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
    return f"## Opponents\n\n{table(head, rows)}\n\n{films}"


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
        counts = sorted({it.num_players for _, it in choices(module)})
        players = " or ".join(map(str, counts))
        only = "yes" if is_new(name) else ""
        kind = KINDS.get(name, "competitive")
        rows.append((f"[{heading}]({name}.md)", f"`{name}`", players, kind, only, summary))
    described = described_arguments(ParallelAtariEnv)
    parameters = inspect.signature(module_of("boxing_v2").parallel_env).parameters
    arguments = [
        (f"`{name}`", f"`{parameter.default!r}`", described[name])
        for name, parameter in parameters.items()
    ]
    other = [
        (
            f"[`{name}`](../games/{name}.md)",
            *(str(counts.get(n, "")) for n in (2, 4)),
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
        "By turns (PettingZoo's AEC), each agent acts when it is asked:",
        "```python\n" + inspect.cleandoc(BY_TURNS) + "\n```",
        "## Kinds",
        "*Competitive*: what is good for one is bad for the others. *Cooperative*: all get the "
        "same.\n*Mixed*: agents may help and harm each other. *Separate*: each plays for itself.",
        table(("Environment", "Module", "Players", "Kind", "Only here", "Aim"), rows),
        "## Arguments",
        "`parallel_env`, `env` and `raw_env` of every module take these keyword arguments:",
        table(("Argument", "Default", "Meaning"), arguments),
        "The first arguments are PettingZoo's. If the others keep their defaults, the\n"
        "environments are equal to PettingZoo's.",
        "`vector_options` takes those arguments that choose what is played. It returns the\n"
        "arguments of [a vector that plays the same](../several-agents.md#the-same-game-in-both).",
        "## Opponents",
        opponents_in_words(),
        "## Any game, any mode",
        "`pyale_ma.multi.parallel_env(game=..., num_players=..., mode=...)` plays any game in any\n"
        "of its modes. These games have modes for several players:",
        table(("Game", "Modes for 2 players", "Modes for 4 players"), other),
    ]
    return "\n\n".join(parts) + "\n"


def opponents_in_words() -> str:
    """Explain the tables of opponents."""
    scripted = ", ".join(f'"{level}"' for level in opponents.SCRIPTED)
    return (
        f"The scripted [opponents](../opponents.md) {scripted} play all modes. The page of an\n"
        'environment lists the trained ones. "Minutes" is the time of one processor that their\n'
        "training took, and the other columns were measured\n"
        "([this is how](../opponents.md#how-strong-they-are)). In the films below the table,\n"
        '"strong" is the first player and "middle" has the other seats.'
    )


KINDS = {  # the others are competitive
    "atlantis_v0": "cooperative",
    "blackjack_v0": "separate",
    "bowling_v0": "separate",
    "casino_v0": "separate",
    "demon_attack_v0": "mixed",
    "entombed_cooperative_v3": "cooperative",
    "freeway_v0": "separate",
    "joust_v3": "mixed",
    "mario_bros_v3": "mixed",
    "quartet_v0": "each of them, by mode",
    "space_invaders_v2": "mixed",
    "wizard_of_wor_v3": "mixed",
}
BY_TURNS = """
    env = pong_v3.env(num_players=2)
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample())
"""
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
    """Write all pages, and the pictures that are missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all-pictures", action="store_true", help="make all pictures anew")
    anew = parser.parse_args().all_pictures
    FOLDER.mkdir(exist_ok=True)
    for file, text in pages().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
    for name in multi.ENVIRONMENTS:
        file = FOLDER / f"{name}.png"
        if anew or not file.exists():
            picture(name).save(file, optimize=True)


if __name__ == "__main__":
    main()
