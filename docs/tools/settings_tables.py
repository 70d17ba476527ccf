"""The tables of modes and difficulties on the pages of docs/games.

Their columns come from three sources: the library (numbers and players), games.toml (what a mode or
difficulty changes; its head describes the rows) and measured.json (lives, and whether a difference
was seen).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from pyale_ma.games.modes import ranges

CHANGES = "changes"  # the column whose sentences are joined
LIVES = "lives"  # the column that is described or measured
PLACES = {"alone": (1,), "several": (2, 4), "at": (1,)}  # keys that name numbers, and for how many
SEEN = {"start": "from the start", "play": "in play", None: "not seen"}
SWITCHES = {0: "none", 1: "left", 2: "right", 3: "both"}


class Setting(NamedTuple):
    """A mode or difficulty.

    Attributes:
        players: For how many players; 1 for difficulties.
        number: Its number.
    """

    players: int
    number: int


Described = dict[Setting, dict[str, str]]


def numbers(listed: str) -> list[int]:
    """``"1-3, 5, 10-14/2"`` as [1, 2, 3, 5, 10, 12, 14].

    Raises:
        ValueError: It is no such list, or a range does not end at its last number.
    """
    found = []
    for part in listed.split(","):
        run, _, step = part.partition("/")
        ends = [int(end) for end in run.split("-")]
        found += range(ends[0], ends[-1] + 1, int(step or 1))
        if not found or found[-1] != ends[-1]:
            raise ValueError(f"{part.strip()!r} does not end at {ends[-1]}")
    return found


def described(rows: Sequence[Mapping[str, Any]], settings: Sequence[Setting]) -> Described:
    """Collect the columns of each setting.

    Args:
        rows: Those of games.toml.
        settings: The settings that the game has, in the order of the table.

    Raises:
        ValueError: A row names a number that the game does not have, or two rows contradict each
            other.
    """
    found: Described = {setting: {} for setting in settings}
    for row in rows:
        columns = {key: value for key, value in row.items() if key not in PLACES}
        for setting in _named(row, settings):
            for key, value in columns.items():
                text = "yes" if value is True else str(value)
                before = found[setting].get(key)
                if before is not None and key == CHANGES:
                    text = f"{before} {text}"
                elif before is not None:
                    raise ValueError(f"{setting} has {key} = {before!r} and {text!r}")
                found[setting][key] = text
    for key in {key for row in rows for key, value in row.items() if value is True}:
        counts = {setting.players for setting, columns in found.items() if key in columns}
        for setting, columns in found.items():
            if setting.players in counts:
                columns.setdefault(key, "no")
    return found


def _named(row: Mapping[str, Any], settings: Sequence[Setting]) -> list[Setting]:
    """The settings that a row is about."""
    found = []
    for place, counts in PLACES.items():
        if place in row:
            for number in numbers(row[place]):
                named = [
                    each for each in settings if each.number == number and each.players in counts
                ]
                if not named:
                    raise ValueError(f"there is no {number} among {place!r} in {dict(row)}")
                found += named
    return found


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns in the order in which the rows name them, `changes` last, without `lives`."""
    keys = dict.fromkeys(key for row in rows for key in row if key not in (*PLACES, LIVES))
    return sorted(keys, key=lambda key: key == CHANGES)


def title(column: str) -> str:
    """The heading of a column."""
    return "What changes" if column == CHANGES else column.replace("_", " ").capitalize()


def settings_table(
    name: str,
    texts: Described,
    columns: Sequence[str],
    measured: Mapping[str, Sequence[Any]],
    defaults: Collection[Setting],
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Make a table with a row for all settings that are alike.

    Args:
        name: "mode" or "difficulty".
        texts: The settings of the table and what is described of each.
        columns: Those of `columns_of`; the table leaves out the ones that are empty.
        measured: The lives and the first difference of each number that was measured; the others
            were compared with the first of them.
        defaults: The settings that are played unless others are chosen.

    Returns:
        The heading and the rows.

    Raises:
        ValueError: The described lives are not those that were measured.
    """
    cells: dict[str, list[str]] = {}  # of each setting, by the heading of the column
    cells["Players"] = [str(setting.players) for setting in texts]
    if len(set(cells["Players"])) == 1:
        del cells["Players"]
    if name == "difficulty":
        cells["Switches at A"] = [SWITCHES[setting.number] for setting in texts]
        texts = _short_sum(texts)
    for column in columns:
        cells[title(column)] = [each.get(column, "") for each in texts.values()]
    seen = [measured.get(str(setting.number)) for setting in texts]
    lives = [each.get(LIVES, "") for each in texts.values()]
    for index, found in enumerate(seen):
        if found and lives[index] not in ("", str(found[0])):
            raise ValueError(
                f"games.toml has {LIVES} = {lives[index]}, but {found[0]} were measured"
            )
        lives[index] = str(found[0]) if found else lives[index]
    if len({text for text in lives if text}) > 1:
        cells["Lives"] = lives
    if len(measured) > 1:
        first, *_ = measured
        cells[f"Differs from {name} {first}"] = [
            _difference(found, str(setting.number) == first, setting in defaults)
            for setting, found in zip(texts, seen, strict=True)
        ]
    cells = {heading: column for heading, column in cells.items() if any(column)}

    groups: dict[tuple[str, ...], list[int]] = {}
    for index, setting in enumerate(texts):
        row = tuple(column[index] for column in cells.values())
        groups.setdefault(row, []).append(setting.number)
    return (name.capitalize(), *cells), [(ranges(found), *row) for row, found in groups.items()]


def _difference(found: Sequence[Any] | None, is_first: bool, is_default: bool) -> str:
    """Return the words of a setting's difference from the first, and whether it is a default."""
    seen = SEEN[found[1]] if found and not is_first else ""
    return "; ".join(filter(None, ("the default" if is_default else "", seen)))


def _short_sum(texts: Described) -> Described:
    """Do not repeat for both switches what either of them changes."""
    left, right, both = (texts.get(Setting(1, number), {}).get(CHANGES) for number in (1, 2, 3))
    if left and right and both == f"{left} {right}":
        return {**texts, Setting(1, 3): {**texts[Setting(1, 3)], CHANGES: "Both of these."}}
    return texts
