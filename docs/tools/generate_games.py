"""Writes docs/games/: a page for each game, and the gallery of all.

python docs/tools/generate_games.py

What a page says comes from the library, from the rules in libale/src/games, from the keys of
`pyale-ma play`, and from three files in docs/games: games.toml (descriptions), measured.json (by
measure_games.py) and speed.json (by speed_games.py).  film_games.py makes the films.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generate_environments import module_of, table

from pyale_ma import _native, multi, registration
from pyale_ma._native import Action, Game, Rules
from pyale_ma.cli.common import player_counts
from pyale_ma.cli.keys import keys_of_action, title_of
from pyale_ma.games.modes import ranges

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "games"
SOURCES = DOCS.parent / "libale" / "src" / "games"
NOTE = "<!-- Written by docs/tools/generate_games.py: change what it reads. -->"
FRAME_SKIP = 4
MAX_STEPS = 108_000 // FRAME_SKIP
LIVES = {
    "LIVES_COUNTED": "the lives left, {start} at the start; 0 when the game is over",
    "LIVES_RAW": "the lives left, {start} at the start",
    "LIVES_FLAG": "1 while the game runs, 0 when it is over",
    "LIVES_ONE": "always 1",
    "LIVES_ZERO": "always 0",
}


class Data:
    """Inputs of the generator, read once."""

    def __init__(self) -> None:
        with (FOLDER / "games.toml").open("rb") as file:
            self.texts: dict[str, dict[str, Any]] = tomllib.load(file)
        self.measured = json.loads((FOLDER / "measured.json").read_text(encoding="utf-8"))
        self.speed = json.loads((FOLDER / "speed.json").read_text(encoding="utf-8"))
        text = (DOCS / "several-players.md").read_text(encoding="utf-8")
        self.several = {
            row[1]: row[2] for row in re.finditer(r"^\| `(\w+)` \| ([^|]+?) \|", text, re.MULTILINE)
        }
        self.modules: dict[str, list[str]] = {}
        for module in multi.ENVIRONMENTS:
            self.modules.setdefault(module_of(module).setup().game, []).append(module)


# ---- What the rules say --------------------------------------------------------------------------


def source(name: str) -> str:
    """The file with a game's rules."""
    return (SOURCES / f"{name}.c").read_text(encoding="utf-8")


def rules_in_words(name: str) -> list[str]:
    """The paragraphs at the head of the rules, without the title."""
    comment = source(name).split("/*", 1)[1].split("*/", 1)[0]
    lines = [line.removeprefix(" *").strip() for line in comment.split("\n")]
    _, _, text = "\n".join(lines).strip().partition(".")
    return [" ".join(part.split()) for part in text.strip().split("\n\n") if part.strip()]


def shared_constants() -> dict[str, int]:
    """The plain numbers among the enumerators of game.h, which all rules see."""
    header = (SOURCES / "game.h").read_text(encoding="utf-8")
    return {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)(?= ?[,}])", header)}


def constants(code: str) -> dict[str, int]:
    """The enumerators of a file without comments."""
    shared = shared_constants()
    values: dict[str, int] = {}
    for body in re.findall(r"enum \{(.*?)\}", code, re.DOTALL):
        number = 0
        for entry in filter(None, (entry.strip() for entry in body.split(","))):
            name, _, value = (part.strip() for part in entry.partition("="))
            if value:
                known = {**shared, **values}
                number = known[value] if value in known else int(value, 0)
            values[name] = number
            number += 1
    return values


def numbers(listed: str) -> list[int]:
    """``"1-3, 5"`` as [1, 2, 3, 5]."""
    ends = [[int(end) for end in part.split("-")] for part in listed.split(",")]
    return [number for run in ends for number in range(run[0], run[-1] + 1)]


def cells(name: str, text: dict[str, Any]) -> dict[str, list[int]]:
    """The cells of RAM that the rules look at, by the names that they have there.

    Those of the few games that go through whole rows of cells are in games.toml.
    """
    if "cells" in text:
        return {word: numbers(listed) for word, listed in text["cells"].items()}
    code = re.sub(r"/\*.*?\*/", "", source(name), flags=re.DOTALL)
    values = constants(code)
    found: dict[str, list[int]] = {}
    for index in re.findall(r"\bram\[([^\]]+)\]", code):
        for word in re.findall(r"[A-Z]\w*", index):
            several = 4 if name == "quartet" else 2  # one for each player
            found.setdefault(
                word, [values[word] + i for i in range(several if "+" in index else 1)]
            )
    for word in re.findall(r"control_select_until\(control, (\w+)", code):
        found.setdefault(word, [values[word]])
    return dict(sorted(found.items(), key=lambda item: item[1]))


def lives_in_words(name: str, game: Game, start: int) -> str:
    """Describe the number that is reported as lives."""
    rules = "solo" if Rules.SOLO in game.rules else "multi"
    table_text = re.search(rf"game_rules {rules} = \{{(.*?)^\}};", source(name), re.DOTALL | re.M)
    kind = re.search(r"\.lives = (\w+)", table_text[1] if table_text else "")
    return LIVES[kind[1] if kind else "LIVES_COUNTED"].format(start=start)


# ---- A page --------------------------------------------------------------------------------------


def page(name: str, data: Data) -> str:
    """The page of one game, in Markdown."""
    game, text, measured = _native.games()[name], data.texts[name], data.measured[name]
    parts = [
        f"# {game.title}",
        NOTE,
        film(game),
        text["about"],
        facts(name, data),
        "## Actions",
        actions(game, text),
        "## Rewards, lives and the end",
        rewards(name, data),
        "## Modes and difficulties",
        *choices(game, text, measured),
        "## RAM",
        ram(name, text),
        "## Random play",
        random_play(measured),
        "## Speed",
        speed(name, data),
        "## Ids",
        ids(game),
        "## In code",
        *code(game, data),
    ]
    return "\n\n".join(parts) + "\n"


def film(game: Game) -> str:
    """The film, or a picture for those who do not want things to move."""
    return (
        '<picture><source media="(prefers-reduced-motion: reduce)" '
        f'srcset="stills/{game.name}.webp">'
        f'<img src="films/{game.name}.webp" width="480" '
        f'alt="Five seconds of {game.title}, played at random"></picture>'
    )


def primary(game: Game) -> Rules:
    """The rules that the page is about: for one player, where there are such."""
    return Rules.SOLO if Rules.SOLO in game.rules else Rules.MULTI


def controller(game: Game) -> str:
    """Name the game's controller."""
    return "paddle" if game.describe(primary(game)).paddles else "joystick"


def facts(name: str, data: Data) -> str:
    """The table at the top."""
    game, measured = _native.games()[name], data.measured[name]
    play = f"{mean(measured['returns'])} points in {mean(measured['lengths'])} steps"
    rows = [
        ("Name", f"`{name}`"),
        ("Players", " or ".join(map(str, player_counts(game)))),
        ("Several players", f"[{data.several[name]}](../several-players.md)"),
        ("Controller", controller(game)),
        ("Random play", play),
        ("MD5 of the image", f"`{game.md5}`"),
    ]
    links = [f"[`{m}`](../environments/{m}.md)" for m in data.modules.get(name, ())]
    if links:
        rows.insert(3, ("Environments for several agents", ", ".join(links)))
    return table(("", ""), rows)


def actions(game: Game, text: dict[str, Any]) -> str:
    """The minimal actions with their keys."""
    rows = []
    for index, bit in enumerate(_native.bits(game.describe(primary(game)).minimal_actions)):
        keys = " ".join(f"`{title_of(key)}`" for key in keys_of_action(Action(bit).name))
        rows.append((str(index), Action(bit).name, keys or "none"))
    held = "knob" if controller(game) == "paddle" else "joystick"
    count = len(_native.bits(game.describe(primary(game)).legal_actions))
    legal = "all 18" if count == len(Action) else f"the {count} that are legal"
    button = (
        f"The button {text['button']}." if text["button"] else "The button does nothing in play."
    )
    return (
        f"The {held} {text['stick']}. {button}\n\n"
        f"{table(('Number', 'Action', f'Keys of `pyale-ma play {game.name}`'), rows)}\n\n"
        f"These are the minimal actions; `full_action_space=True` has {legal}."
    )


def rewards(name: str, data: Data) -> str:
    """Describe rewards, lives and the end of an episode."""
    game, text, measured = _native.games()[name], data.texts[name], data.measured[name]
    first, *rest = rules_in_words(name)
    if first.startswith(("The score", "The lead", "The chips", "The cash")):
        first = f"the change of {first[0].lower()}{first[1:]}"
    start = measured["modes"][next(iter(measured["modes"]))][0]
    rows = [
        f"**Rewards:** {first}",
        *rest,
        f"**Lives:** {lives_in_words(name, game, start)}.",
        f"**End:** {text['end']}",
        f"The rules are in [games/{name}.c](../../libale/src/games/{name}.c).",
    ]
    return "\n\n".join(rows)


def choices(game: Game, text: dict[str, Any], measured: dict[str, Any]) -> Iterator[str]:
    """Yield the section on modes and difficulties: choices, documentation, measurements."""
    names = {"modes": "mode", "difficulties": "difficulty"}
    if len(measured["difficulties"]) > 1:
        yield (
            "A difficulty is a sum: 1 if the left difficulty switch is at A, and 2 if the right "
            "one is; at 0 both are at B."
        )
    for kind, name in names.items():
        found = measured[kind]
        if known := text.get(kind):
            yield f"**{kind.capitalize()}:** {known}"
        if len(found) == 1:
            yield f"There is one {name}, {next(iter(found))}."
            continue
        default = next(iter(found))
        groups: dict[tuple[int, str], list[int]] = {}
        for number, (lives, differs) in found.items():
            seen = {
                "start": "from the start",
                "play": "in play",
                None: "the default" if number == default else "not seen",
            }[differs]
            groups.setdefault((lives, seen), []).append(int(number))
        yield table(
            (name.capitalize(), "Lives", f"Differs from {name} {default}"),
            [(ranges(numbers), str(lives), seen) for (lives, seen), numbers in groups.items()],
        )
    if any(len(measured[kind]) > 1 for kind in names):
        yield (
            "These differences were measured: all were played twice with the same random actions, "
            "for at most 900 steps, and their pictures compared. What was not seen in this time "
            "may differ all the same."
        )
    if counts := [n for n in (2, 4) if Rules.MULTI in game.rules and game.modes(Rules.MULTI, n)]:
        yield table(
            ("Players", "Modes of the rules for several players"),
            [(str(n), ranges(game.modes(Rules.MULTI, n))) for n in counts],
        )


def ram(name: str, text: dict[str, Any]) -> str:
    """The cells that the rules read."""
    rows = [
        (
            word.lower().replace("_", " "),
            ranges(found),
            f"`{0x80 + found[0]:02X}`" + (f" to `{0x80 + found[-1]:02X}`" if found[1:] else ""),
        )
        for word, found in cells(name, text).items()
    ]
    extra = (
        " The score and the waves are in the RAM of the cartridge, which is not among them."
        if name == "klax"
        else ""
    )
    return (
        'The rules read these of the 128 bytes that `getRAM()` and `obs_type="ram"` return; '
        f"byte 0 is at address 80 of the console, in hexadecimal.{extra}\n\n"
        + table(("Cell", "Bytes", "Address"), rows)
    )


def mean(numbers: list[int]) -> str:
    """A mean for people."""
    value = statistics.fmean(numbers)
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}"


def random_play(measured: dict[str, Any]) -> str:
    """Describe the scores of random play."""
    rows = []
    for label, key in (("Return", "returns"), ("Length in steps", "lengths")):
        numbers = sorted(measured[key])
        spread = statistics.stdev(numbers)
        rows.append(
            (
                label,
                mean(numbers),
                f"{spread:,.0f}" if spread >= 100 else f"{spread:.1f}",
                f"{numbers[0]:,}",
                f"{statistics.median(numbers):,.0f}",
                f"{numbers[-1]:,}",
            )
        )
    episodes = len(measured["lengths"])
    cut = sum(length >= MAX_STEPS for length in measured["lengths"])
    count = "All" if cut == episodes else str(cut)
    note = f" {count} of the {episodes} episodes were cut off there." if cut else ""
    head = (f"{episodes} episodes", "Mean", "Standard deviation", "Least", "Median", "Most")
    return (
        "The minimal actions at random, as in `ALE/...-v5`: four frames per step, actions repeated "
        f"with probability 0.25, at most {MAX_STEPS:,} steps.{note}\n\n" + table(head, rows)
    )


def speed(name: str, data: Data) -> str:
    """Steps a second."""
    if name not in data.speed:
        return "Not measured, as ale-py does not have this game."
    steps, ratio, machine = data.speed[name]
    beside = (
        f", {ratio:.1f} times as many as ale-py" if ratio else "; ale-py does not have this game"
    )
    return (
        f"{steps:,.0f} steps of four frames per second of processor time{beside}: 8 "
        "environments in a vector on one thread, 84 by 84 gray pixels in stacks of four, on a "
        f"shared virtual machine ({machine}). [More about speed](../performance.md)"
    )


def ids(game: Game) -> str:
    """Its names in Gymnasium."""
    specs = [spec for spec in registration._specs() if spec.kwargs["game"] == game.name]
    own = [spec for spec in registration._own_specs() if spec.kwargs["game"] == game.name]
    if not own:
        return "None in Gymnasium: it has rules for several players only."
    rows = []
    for spec in specs or own:
        skip = spec.kwargs["frameskip"]
        frames = f"{skip[0]} to {skip[1] - 1}" if isinstance(skip, tuple) else str(skip)
        rows.append((f"`{spec.id}`", frames, f"{spec.kwargs['repeat_action_probability']:g}"))
    text = table(("Id", "Frames per step", "Probability that an action repeats"), rows)
    if specs:
        text += (
            "\n\nEach id also exists in the namespace `pyale_ma`, where it is always this "
            f"package's: `{own[0].id}`."
        )
    return text


def code(game: Game, data: Data) -> Iterator[str]:
    """Yield the example code for each layer."""
    name = game.name
    alone = Rules.SOLO in game.rules
    if alone:
        env_id = next(spec.id for spec in registration._own_specs() if spec.kwargs["game"] == name)
        yield (
            "```python\nimport gymnasium\nimport pyale_ma\n"
            "from pyale_ma.vector import AtariVectorEnv\n\n"
            f'env = gymnasium.make("{env_id}")  # one agent\n'
            f'envs = AtariVectorEnv("{name}", num_envs=8)  # many environments\n```'
        )
        yield (
            "```python\nfrom pyale_ma import roms\nfrom pyale_ma.single import ALEInterface\n\n"
            f'ale = ALEInterface()\nale.loadROM(roms.find_rom("{name}"))\n```'
        )
    for module in data.modules.get(name, ()):
        yield (
            f"```python\nfrom pyale_ma.multi import {module}\n\n"
            f"env = {module}.parallel_env()  # several agents\n```"
        )
    if counts := [n for n in player_counts(game) if n > 1]:
        yield (
            "```python\nfrom pyale_ma.vector import AtariVectorEnv\n\n"
            f'envs = AtariVectorEnv("{name}", num_envs=8, num_players={counts[-1]})\n```'
        )
    players = "" if alone else f" --players {player_counts(game)[-1]}"
    yield (
        f"```sh\npyale-ma play {name}{players}\npyale-ma record {name}{players} -o {name}.gif\n```"
    )
    yield "In C, the bytes of the image decide which game it is: [the C interface](../c-api.md)."


# ---- The gallery ---------------------------------------------------------------------------------


def gallery(data: Data) -> str:
    """The page of all games; docs/assets/games.js adds filters to its table where scripts run."""
    rows = []
    for name, game in _native.games().items():
        size = f'width="160" height="105" alt="{game.title}" loading="lazy"'
        picture = f'<img src="stills/{name}.webp" {size}>'
        counts = player_counts(game)
        rows.append(
            (
                f"[{picture}]({name}.md)",
                f"[{game.title}]({name}.md)",
                " or ".join(map(str, counts)),
                controller(game),
                mean(data.measured[name]["returns"]),
            )
        )
    parts = [
        "# All games",
        NOTE,
        f"{len(rows)} games, each with a page: a film, how it is played, its actions, rewards, "
        "modes, RAM, and the results of random play. The table has the mean return of random play; "
        "in the four games that are only for several players, that of the first player.",
        '<div class="gallery" markdown>',
        table(("Picture", "Game", "Players", "Controller", "Random play"), rows),
        "</div>",
    ]
    return "\n\n".join(parts) + "\n"


def pages() -> dict[str, str]:
    """All pages by file name."""
    data = Data()
    return {
        "index.md": gallery(data),
        **{f"{name}.md": page(name, data) for name in _native.games()},
    }


def main() -> None:
    """Write all pages."""
    for file, text in pages().items():
        (FOLDER / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
