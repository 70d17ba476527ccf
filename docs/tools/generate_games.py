"""Writes docs/games/, a page for each game and the gallery, and tables of docs/several-players.md.

    python docs/tools/generate_games.py

The pages' sources are the library, the rules in libale/src/games, the keys of `pyale-ma play`, and
three files in docs/games: games.toml (descriptions), measured.json (by measure_games.py) and
audit.json (what was found when rewards and ends were audited).
film_games.py makes the films.  generate.py runs all of them.  A page has what differs from game to
game; what is equal on all of them is in reading.txt, and so on the page of all games.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from generate_environments import chosen_by, module_of, table
from measure_games import REWARD_EPISODES
from settings_tables import Setting, columns_of, described, numbers, settings_table

from pyale_ma import _native, registration
from pyale_ma._native import Action, Game, Rules
from pyale_ma.benchmarks import SUITES, human_score, random_score
from pyale_ma.cli.common import player_counts
from pyale_ma.cli.keys import PLAYERS, title_of
from pyale_ma.games.environments import ENVIRONMENTS
from pyale_ma.games.modes import players_in_words, ranges
from pyale_ma.labels import GAMES, Label, labels_of
from pyale_ma.single import AtariEnv

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "games"
SEVERAL_PLAYERS = DOCS / "several-players.md"
SOURCES = DOCS.parent / "libale" / "src" / "games"
NOTE = "<!-- Written by docs/tools/generate_games.py: change what it reads. -->"
FRAME_SKIP = 4
MAX_STEPS = 108_000 // FRAME_SKIP
REWARDS_SHOWN = 8  # the most frequent ones
KINDS = {  # of what a second player can do
    "together": "both play at the same time",
    "by turns": "they share one board, alley, word or ship, by turns",
    "alternating": "each plays a game of its own while the other waits",
    "one figure": "both joysticks move the same figure",
    "none": "no effect of the second joystick was seen",
}
USUAL = {"ends": "ends", "start": "0"}  # what the audit found in nearly all games
LIVES = {
    "LIVES_COUNTED": "the lives left, {start}; 0 when the game is over",
    "LIVES_RAW": "the lives left, {start}",
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
        self.audit = json.loads((FOLDER / "audit.json").read_text(encoding="utf-8"))
        self.modules: dict[str, list[str]] = {}
        for name, each in ENVIRONMENTS.items():
            self.modules.setdefault(each.game, []).append(name)


# ---- What the rules say --------------------------------------------------------------------------


def source(name: str) -> str:
    """The file with a game's rules."""
    return (SOURCES / f"{name}.c").read_text(encoding="utf-8")


def rules_in_words(name: str) -> list[str]:
    """The paragraphs at the head of the rules, without the title."""
    comment = source(name).split("/*", 1)[1].split("*/", 1)[0]
    lines = [line.removeprefix(" *").strip() for line in comment.split("\n")]
    _, *paragraphs = "\n".join(lines).strip().split("\n\n")
    return [" ".join(part.split()) for part in paragraphs]


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
    for word in re.findall(r"(?:control_select_until\(control, |\.select = \{)(\w+)", code):
        found.setdefault(word, [values[word]])
    return dict(sorted(found.items(), key=lambda item: item[1]))


def lives_in_words(name: str, game: Game, measured: dict[str, Any]) -> str:
    """Return the sentence on lives."""
    rules = "solo" if Rules.SOLO in game.rules else "multi"
    table_text = re.search(rf"game_rules {rules} = \{{(.*?)^\}};", source(name), re.DOTALL | re.M)
    kind = re.search(r"\.lives = (\w+)", table_text[1] if table_text else "")
    lives, _ = next(iter(measured["modes"].values()))
    start = f"{lives} at the start"
    for setting, found in (("in mode", "modes"), ("at difficulty", "difficulties")):
        if len({count for count, _ in measured[found].values()}) > 1:
            start += f" {setting} {next(iter(measured[found]))}"
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
        *settings(game, text, measured),
        "## RAM",
        ram(name, text),
        *labels(game),
        "## Random play",
        random_play(measured),
        *audit(name, data),
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
        ("Ids", ids(game)),
        ("Players", " or ".join(map(str, player_counts(game)))),
        *second_player(data.texts[name]),
        *modules(name, data),
        ("Controller", controller(game)),
        *spaces(game),
        ("Random play", play),
        *published(name),
        ("MD5 of the image", f"`{game.md5}`"),
    ]
    return f"{table(('', ''), rows)}\n\n[How to read this page, and code](index.md#reading-a-page)"


def modules(name: str, data: Data) -> Iterator[tuple[str, str]]:
    """Yield the links to the environments for several agents, if there are any."""
    if links := [f"[`{m}`](../environments/{m}.md)" for m in data.modules.get(name, ())]:
        yield "Environments for several agents", ", ".join(links)


def spaces(game: Game) -> list[tuple[str, str]]:
    """The spaces of `AtariEnv`, as Gymnasium writes them."""
    if Rules.SOLO not in game.rules:
        return []
    count = len(_native.bits(game.describe(Rules.SOLO).minimal_actions))
    env = AtariEnv(game.name)
    try:
        return [
            ("Action space", f"`Discrete({count})`"),
            ("Observation space", f"`{env.observation_space}`"),
        ]
    finally:
        env.close()


def published(name: str) -> list[tuple[str, str]]:
    """The scores that papers measure by."""
    if name not in SUITES["atari_57"]:
        return []
    human, chance = human_score(name), random_score(name)
    return [("Published scores", f"[human {human:,g}, random {chance:,g}](../benchmarks.md)")]


def labels(game: Game) -> Iterator[str]:
    """The labels of the game's bytes."""
    if game.name in GAMES:
        known = labels_of(game.name)
        series: dict[tuple[str, ...], list[Label]] = {}  # labels that differ in their number only
        for label in map(known.__getitem__, known.names):
            alike = (re.sub(r"\d+", "0", label.name), label.about, label.unit)
            series.setdefault(alike, []).append(label)
        yield "## Labels"
        yield "What bytes mean, as [observations, infos and ends](../labels.md)."
        rows = []
        for (_, about, unit), several in series.items():
            names, places = names_and_bytes(several)
            rows.append((names, about, unit, places))
        yield table(("Label", "Thing", "Unit", "Bytes"), rows)


def number_of(label: Label) -> int:
    """The number in a label's name, or 0."""
    found = re.search(r"\d+", label.name)
    return int(found[0]) if found else 0


def names_and_bytes(series: list[Label]) -> tuple[str, str]:
    """The names of labels that differ in their number only, and their bytes in the same order."""
    series = sorted(series, key=number_of)
    runs: list[list[Label]] = []
    for label in series:
        if runs and number_of(label) == number_of(runs[-1][-1]) + 1:
            runs[-1].append(label)
        else:
            runs.append([label])
    names = []
    for run in runs:
        ends = [f"`{label.name}`" for label in (run[0], run[-1])[: len(run)]]
        names.append((" to " if len(run) > 2 else ", ").join(ends))
    places = [byte for label in series for byte in label.bytes]
    return ", ".join(names), ranges(places[:1] if len(set(places)) == 1 else places)


def second_player(text: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the part of a second player, if there is something to say of it."""
    kind, details = text["second_player"], text.get("second_player_details")
    if kind != "none" or details:
        link = f"[{kind}](../several-players.md)"
        yield "Second player", f"{link} ({details})" if details else link


def actions(game: Game, text: dict[str, Any]) -> str:
    """The minimal actions with their numbers."""
    described = game.describe(primary(game))
    minimal = ", ".join(
        f"{index} {Action(bit).name}"
        for index, bit in enumerate(_native.bits(described.minimal_actions))
    )
    held = "knob" if controller(game) == "paddle" else "joystick"
    count = len(_native.bits(described.legal_actions))
    legal = (
        "" if count == len(Action) else f" `full_action_space=True` offers the {count} legal ones."
    )
    button = (
        f"The button {text['button']}." if text["button"] else "The button does nothing in play."
    )
    return (
        f"The {held} {text['stick']}. {button}\n\nThe [minimal actions](index.md#actions): "
        f"{minimal}.{legal}"
    )


def rewards(name: str, data: Data) -> str:
    """Describe rewards, lives and the end of an episode."""
    game, text, measured = _native.games()[name], data.texts[name], data.measured[name]
    first, *rest = rules_in_words(name)
    if first.startswith(("The score", "The lead", "The chips", "The cash")):
        first = f"the change of {first[0].lower()}{first[1:]}"
    rows = [
        f"**Rewards:** {first}",
        *rest,
        *([f"**What earns points:** {text['earns']}"] if "earns" in text else []),
        seen(measured["rewards"]),
        f"**Lives:** {lives_in_words(name, game, measured)}.",
        f"**End:** {text['end']}",
        *corrections(name, data),
        f"The rules are in [games/{name}.c](../../libale/src/games/{name}.c).",
    ]
    return "\n\n".join(rows)


def seen(rewards: dict[str, int]) -> str:
    """Return the sentence on the rewards that random play met, the most frequent first."""
    where = f"In {REWARD_EPISODES} episodes of random play,"
    if not rewards:
        return f"{where} no step had a reward."
    often = sorted(rewards, key=lambda reward: -rewards[reward])
    first, *rest = (f"{int(reward):,} ({rewards[reward]:,})" for reward in often[:REWARDS_SHOWN])
    first = first.replace(")", " times)")
    if not rest:
        return f"{where} the only reward of a step was {first}."
    if (others := len(often) - REWARDS_SHOWN) > 0:
        numbers = [*map(int, rewards)]
        ends = f" from {min(numbers):,} to {max(numbers):,}"
        rest.append(f"and {others} others{ends}" if others > 1 else f"and {int(often[-1]):,}")
    return f"{where} a step's rewards were {', '.join([first, *rest])}."


def corrections(name: str, data: Data) -> Iterator[str]:
    """Yield the paragraph on the option `corrected_rules`."""
    text = data.texts[name]
    if "corrected" in text:
        fault = text.get("fault", f"the highest score {data.audit[name][0]}")
        yield (
            f"**With `corrected_rules=True`:** {text['corrected']}. Without it, as in ale-py: "
            f"{fault} ([audit](../rules-audit.md))."
        )


def several_modes(game: Game) -> dict[int, list[int]]:
    """The modes of the rules for several players, by the number of players."""
    counts = (2, 4) if Rules.MULTI in game.rules else ()
    return {n: modes for n in counts if (modes := game.modes(Rules.MULTI, n))}


def settings(game: Game, text: dict[str, Any], measured: dict[str, Any]) -> Iterator[str]:
    """The modes and difficulties; a sentence where there is one of each."""
    several = Rules.SOLO not in game.rules or several_modes(game)
    if several or len(measured["modes"]) > 1 or len(measured["difficulties"]) > 1:
        yield from modes(game, text, measured["modes"])
        yield from difficulties(text, measured["difficulties"])
        return
    yield from filter(None, (text.get("about_modes"), text.get("about_difficulties")))
    yield "There is one mode, 0, and one difficulty, 0."


def modes(game: Game, text: dict[str, Any], measured: dict[str, Any]) -> Iterator[str]:
    """The modes: what is true of all, then a table for one player and one for several."""
    yield "### Modes"
    if about := text.get("about_modes"):
        yield about
    several = several_modes(game)
    alone = [Setting(1, int(mode)) for mode in measured] if Rules.SOLO in game.rules else []
    together = [Setting(n, mode) for n, listed in several.items() for mode in listed]
    rows = text.get("modes", ())
    texts = described(rows, [*alone, *sorted(together, key=lambda setting: setting.number)])
    for settings in filter(None, (alone, together)):
        part = {setting: words for setting, words in texts.items() if setting in settings}
        seen = measured if settings is alone or not alone else {}
        head, body = settings_table(
            "mode", part, columns_of(rows), seen, default_settings(game, part)
        )
        sentences = [f"**{players_of(settings)}.**"] if alone and together else []
        if len(part) > 1:
            sentences.append(f"The default is {default_modes(game, settings)}.")
        if len(head) == 1:
            listed = body[0][0]
            sentences.append(
                f"The modes are {listed}." if len(part) > 1 else f"There is one mode, {listed}."
            )
        if settings is together:
            sentences += [*module_defaults(game)]
            sentences.append(
                "The numbers are those of `pyale_ma.multi` and of vectors with `num_players`."
            )
        yield " ".join(sentences)
        if len(head) > 1:
            yield table(head, body)


def default_settings(game: Game, settings: Iterable[Setting]) -> list[Setting]:
    """The mode that is played unless another is chosen, for each number of players."""
    counts = sorted({setting.players for setting in settings})
    rules = Rules.SOLO if counts == [1] else Rules.MULTI
    return [Setting(n, game.default_mode(rules, n)) for n in counts]


def default_modes(game: Game, settings: Iterable[Setting]) -> str:
    """`default_settings` in words."""
    defaults = default_settings(game, settings)
    if len(defaults) == 1:
        return f"mode {defaults[0].number}"
    return " and ".join(f"mode {mode} for {players_in_words(n)}" for n, mode in defaults)


def module_defaults(game: Game) -> Iterator[str]:
    """Yield a sentence on the modules for several agents that have a default of their own."""
    found = []
    for name, each in ENVIRONMENTS.items():
        if each.game == game.name:
            played = chosen_by(module_of(name))()
            if played.mode != game.default_mode(Rules.MULTI, played.num_players):
                found.append(f"[`{name}`](../environments/{name}.md) mode {played.mode}")
    if found:
        yield f"Other defaults: {', '.join(found)}."


def players_of(settings: Iterable[Setting]) -> str:
    """``[2, 4]`` players as "Two or four players"."""
    counts = sorted({setting.players for setting in settings})
    words = " or ".join({1: "one", 2: "two", 4: "four"}[count] for count in counts)
    return f"{words.capitalize()} player{'' if counts == [1] else 's'}"


def difficulties(text: dict[str, Any], measured: dict[str, Any]) -> Iterator[str]:
    """The difficulties: what is true of all, then a table."""
    yield "### Difficulties"
    if about := text.get("about_difficulties"):
        yield about
    if len(measured) == 1:
        yield f"There is one difficulty, {next(iter(measured))}."
        return
    rows = text.get("difficulties", ())
    texts = described(rows, [Setting(1, int(number)) for number in measured])
    yield table(*settings_table("difficulty", texts, columns_of(rows), measured, [Setting(1, 0)]))


def ram(name: str, text: dict[str, Any]) -> str:
    """The cells that the rules read."""
    listed = "; ".join(
        f"{word.lower().replace('_', ' ')} {ranges(found)}"
        for word, found in cells(name, text).items()
    )
    extra = (
        " The score and the waves are in the RAM of the cartridge, not in these bytes."
        if name == "klax"
        else ""
    )
    return f"The rules read these [bytes](index.md#ram): {listed}.{extra}"


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
    note = f"\n\n{count} of the {episodes} episodes were cut off at the limit." if cut else ""
    head = (f"{episodes} episodes", "Mean", "Standard deviation", "Least", "Median", "Most")
    return table(head, rows) + note


def audit(name: str, data: Data) -> Iterator[str]:
    """Yield what was found when rewards and ends were audited, of games for one player."""
    if name in data.audit:
        yield "## Audit"
        yield "[How to read it](../rules-audit.md#how-to-read-the-audit-of-a-game)"
        rows = zip(data.audit[""], data.audit[name], strict=True)
        found = [row for row in rows if row[1] not in ("-", "not checked", USUAL.get(row[0]))]
        text = data.texts[name]
        if "corrected" in text and "fault" not in text:  # then `corrections` says it
            found = [row for row in found if row[0] != "highest score"]
        yield table(("What", "Found"), found)


def ids(game: Game) -> str:
    """Its names in Gymnasium; those of ale-py are explained where they are listed."""
    specs = [spec.id for spec in registration._specs() if spec.kwargs["game"] == game.name]
    if specs:
        others = f" and [{len(specs) - 1} others](index.md#ids)" if len(specs) > 1 else ""
        return f"`{specs[0]}`{others}"
    own_specs = registration._own_specs([*registration._specs()])
    own = [f"`{spec.id}`" for spec in own_specs if spec.kwargs["game"] == game.name]
    return ", ".join(own) or "none, because it has rules for several players only"


# ---- The gallery ---------------------------------------------------------------------------------


def gallery(data: Data) -> str:
    """The page of all games; docs/assets/games.js adds filters to its table where scripts run."""
    rows = []
    games = _native.games()
    only_several = sum(Rules.SOLO not in game.rules for game in games.values())
    for name, game in games.items():
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
        f"There are {len(rows)} games, and each has a page: a film, how it is played, its actions, "
        "rewards, modes and RAM, and the results of random play. The table shows the mean return "
        f"of random play. In the {only_several} games that are only for several players, it is the "
        "return of the first player.",
        '<div class="gallery" markdown>',
        table(("Picture", "Game", "Players", "Controller", "Random play"), rows),
        "</div>",
        reading(),
    ]
    return "\n\n".join(parts)


def reading() -> str:
    """Return the text that is equal on all pages, with the table of actions."""
    text = (FOLDER / "reading.txt").read_text(encoding="utf-8")
    rows = []
    for action in Action:
        inputs = re.findall("UP|DOWN|RIGHT|LEFT|FIRE", action.name)
        keys = " ".join(f"`{title_of(PLAYERS[0][it][0])}`" for it in inputs)
        rows.append((str(action.value), action.name, keys or "none"))
    return text.replace("TABLE OF ACTIONS", table(("Number", "Action", "Keys"), rows))


# ---- The page about several players --------------------------------------------------------------


def several_players(data: Data, page: str) -> str:
    """The page with its two tables, of kinds and of games, written anew."""
    present = [text["second_player"] for text in data.texts.values()]
    kinds = [(kind, meaning, str(present.count(kind))) for kind, meaning in KINDS.items()]
    games = [
        (
            f"[`{name}`](games/{name}.md)",
            ", ".join(map(str, player_counts(_native.games()[name]))),
            text["second_player"],
            text.get("second_player_details", ""),
            ", ".join(f"[`{m}`](environments/{m}.md)" for m in data.modules.get(name, ())),
        )
        for name, text in data.texts.items()
    ]
    tables = {
        "kinds": table(("Kind", "What players do", "Games"), kinds),
        "games": table(("Game", "Players", "Several players", "Details", "Modules"), games),
    }
    block = re.compile(r"(<!-- table of (\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)
    return block.sub(lambda found: f"{found[1]}\n{tables[found[2]]}\n\n{found[3]}", page)


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
    page = SEVERAL_PLAYERS.read_text(encoding="utf-8")
    SEVERAL_PLAYERS.write_text(several_players(Data(), page), encoding="utf-8")


if __name__ == "__main__":
    main()
