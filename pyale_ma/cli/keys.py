"""The keys of ``pyale-ma play``, and how a person chooses others.

A key has the name that pygame gives it: "a", "space", "left shift", "f1", "[8]" on the keypad.
What a player does with keys is an input (UP, FIRE, ...); what else the window can do is a command
(pause, save, ...).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pyale_ma._base.files import own_folder, read_file
from pyale_ma._base.text import printable
from pyale_ma.cli.common import Commands, add_command

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_MOST_BYTES = 64 * 1024  # of a file
INPUTS = ("UP", "DOWN", "LEFT", "RIGHT", "FIRE")

# Of players 1 to 4, keys by input.
PLAYERS: tuple[Mapping[str, tuple[str, ...]], ...] = (
    {
        "UP": ("up",),
        "DOWN": ("down",),
        "LEFT": ("left",),
        "RIGHT": ("right",),
        "FIRE": ("space", "right ctrl"),
    },
    {"UP": ("w",), "DOWN": ("s",), "LEFT": ("a",), "RIGHT": ("d",), "FIRE": ("left shift",)},
    {"UP": ("i",), "DOWN": ("k",), "LEFT": ("j",), "RIGHT": ("l",), "FIRE": ("h",)},
    {"UP": ("[8]",), "DOWN": ("[5]",), "LEFT": ("[4]",), "RIGHT": ("[6]",), "FIRE": ("[0]",)},
)

# Keys by command, and what each does.  A key that a player present uses is the player's.
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "help": ("f1", "h"),
    "pause": ("f2", "p"),
    "advance": ("f3", "n"),
    "ram": ("f4", "m"),
    "save": ("f5",),
    "slot": ("f7",),
    "load": ("f8",),
    "rewind": ("f6",),
    "slow": ("f12",),
    "film": ("f9",),
    "picture": ("f10",),
    "fullscreen": ("f11",),
    "restart": ("r",),
    "quit": ("q", "escape"),
}
MEANINGS: Mapping[str, str] = {
    "help": "show or hide this help",
    "pause": "pause and go on",
    "advance": "pause, and advance one frame",
    "ram": "show or hide the RAM",
    "save": "save the state in the slot",
    "slot": "select the next slot",
    "load": "load the state of the slot",
    "rewind": "go back by ten seconds",
    "slow": "slower: half the speed, then a quarter",
    "film": "start or stop a film",
    "picture": "save a picture",
    "fullscreen": "full screen or window",
    "restart": "restart the game",
    "quit": "quit",
}

_TITLES = {"up": "↑", "down": "↓", "left": "←", "right": "→", "escape": "Esc"}


class Keys(NamedTuple):
    """Which keys mean what.

    Attributes:
        players: Of players 1 to 4, keys by input.
        commands: Keys by command.
    """

    players: tuple[Mapping[str, tuple[str, ...]], ...] = PLAYERS
    commands: Mapping[str, tuple[str, ...]] = COMMANDS


def add_parser(commands: Commands) -> None:
    """Declare the command ``pyale-ma keys``."""
    parser = add_command(
        commands,
        "keys",
        "print the keys of play as a file that you can change and pass to play",
        epilog=f"To change the keys permanently, save them as {usual_file()}.",
        example="keys > my-keys.toml",
    )
    parser.add_argument("--keys", metavar="FILE", help="key file to print instead of your own keys")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Print the file."""
    print(to_toml(load(arguments.keys)), end="")


def title_of(key: str) -> str:
    """A key's name for people: "left shift" is "Left Shift", "[8]" is "Keypad 8", "up" an arrow."""
    if re.fullmatch(r"\[.\]", key):
        return f"Keypad {key[1]}"
    return _TITLES.get(key, key.title())


def usual_file() -> Path:
    """Where a person's own keys are looked for (it need not exist)."""
    return own_folder("config") / "keys.toml"


def load(path: str | os.PathLike[str] | None = None) -> Keys:
    """The keys of a file: those it names, and the usual ones for everything else.

    Args:
        path: A file as `to_toml` writes it; None: `usual_file`, where there is one.

    Raises:
        ValueError: It is not TOML, or has an unknown table, input or command, or a key twice.
        OSError: It cannot be read.
    """
    file = usual_file() if path is None else Path(path)
    if path is None and not file.is_file():
        return Keys()
    try:
        tables = tomllib.loads(read_file(file, _MOST_BYTES).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{printable(file)} is no TOML: {error}") from error

    shown = printable(file)
    table_names = {f"player{n}" for n in (1, 2, 3, 4)} | {"commands"}
    for table, value in tables.items():
        if table not in table_names or not isinstance(value, dict):
            raise ValueError(f"{shown}: {table!r} is no table of {', '.join(sorted(table_names))}")
    inputs = {name.lower(): name for name in INPUTS}
    return Keys(
        tuple(
            _changed(usual, tables.get(f"player{n}", {}), inputs, f"{shown}: player{n}")
            for n, usual in enumerate(PLAYERS, 1)
        ),
        _changed(
            COMMANDS,
            tables.get("commands", {}),
            {name: name for name in COMMANDS},
            f"{shown}: commands",
        ),
    )


def _changed(
    usual: Mapping[str, tuple[str, ...]],
    table: dict[str, Any],
    names: dict[str, str],
    where: str,
) -> dict[str, tuple[str, ...]]:
    """The usual keys with those of a table in their place, which nothing else keeps."""
    chosen: dict[str, tuple[str, ...]] = {}
    for name, value in table.items():
        if name not in names:
            raise ValueError(f"{where} has {name!r}, which is not one of {', '.join(names)}")
        keys = [value] if isinstance(value, str) else value
        if not isinstance(keys, list) or not all(isinstance(key, str) and key for key in keys):
            raise ValueError(f"{where}.{name} is {value!r}, which is no key and no list of keys")
        chosen[names[name]] = tuple(key.lower() for key in keys)
    taken: dict[str, str] = {}
    for name, named in chosen.items():
        for key in named:
            if taken.setdefault(key, name) != name:
                raise ValueError(
                    f"{where}: {key!r} is both {taken[key].lower()} and {name.lower()}"
                )
    return {
        name: chosen.get(name, tuple(key for key in keys if key not in taken))
        for name, keys in usual.items()
    }


def to_toml(keys: Keys) -> str:
    """The file from which `load` makes these keys."""
    lines = []
    for n, player in enumerate(keys.players, 1):
        lines += [f"[player{n}]", *(_line(name.lower(), player[name]) for name in INPUTS), ""]
    lines.append("[commands]")
    for name, chosen in keys.commands.items():
        lines.append(f"{_line(name, chosen):30}# {MEANINGS[name]}")
    return "\n".join(lines) + "\n"


def _line(name: str, keys: tuple[str, ...]) -> str:
    quoted = [json.dumps(key, ensure_ascii=False) for key in keys]
    return f"{name} = {quoted[0] if len(quoted) == 1 else '[' + ', '.join(quoted) + ']'}"
