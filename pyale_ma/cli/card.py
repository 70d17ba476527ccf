"""``pyale-ma card``: check cards, and begin new ones."""

from __future__ import annotations

import argparse
import hashlib
import re
from pathlib import Path

from pyale_ma import _native
from pyale_ma._base.files import written_aside
from pyale_ma._base.text import printable
from pyale_ma._native import Rules
from pyale_ma.cli.common import Commands, add_command, print_help
from pyale_ma.games import cards, rom_files
from pyale_ma.games.actions import action_names
from pyale_ma.games.modes import modes_by_players, ranges
from pyale_ma.vector import AtariVectorEnv

_NEW = """\
# The rules of this image, to be filled in: docs/cards.md describes what can stand here.
name = "{name}"
title = "{title}"
md5 = "{md5}"
rom = "{rom}"

# The controllers, if they are no joysticks:
# controllers = "paddles"

# The actions that have an effect; all 18 if this is left out:
# minimal_actions = ["NOOP", "FIRE", "UP", "RIGHT", "LEFT", "DOWN"]

# The score; the reward is its change.  Most cartridges keep two decimal digits per byte:
# score = "bcd(score_high, score_low)"

# The lives left, and when the game is over:
# lives = "lives_left"
# over = "lives_left == 0"

# Names for bytes of RAM, 0 to 127.  Without a name, write ram[17].
[ram]
# score_high = 0
# score_low = 1
# lives_left = 2
"""


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands, "card", "check or create a card, which states the rules of a game of your own"
    )
    parser.set_defaults(run=print_help)
    actions = parser.add_subparsers(metavar="ACTION")
    check = add_command(
        actions,
        "check",
        "print what a card contains, or where it has an error",
        example="card check my_game.toml",
    )
    check.add_argument("file", nargs="+", help="card to check")
    check.set_defaults(run=run_check)
    new = add_command(
        actions, "new", "write an empty card for a ROM file", example="card new my_game.bin"
    )
    new.add_argument("rom", help="ROM file of the game")
    new.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="card to write; default: the ROM file's name with .toml, in the current folder",
    )
    new.set_defaults(run=run_new)


def run_check(arguments: argparse.Namespace) -> None:
    """Read cards and describe them.

    Raises:
        ValueError: Some have a mistake, or do not exist, or their images; the others are described.
    """
    mistakes = []
    for path in arguments.file:
        try:
            _describe(path)
        except (ValueError, FileNotFoundError) as mistake:
            mistakes.append(str(mistake))
    if mistakes:
        raise ValueError("\n".join(mistakes))


def _describe(path: str) -> None:
    card = cards.load_card(path)
    rom = rom_files.find_rom(Path(path))
    by_players = modes_by_players(card)
    try:
        for number, modes in by_players.items():
            envs = AtariVectorEnv(path, num_players=number, obs_type="ram")
            for mode in modes:
                envs.reset(seed=0, options={"mode": mode})
            envs.close()
    except RuntimeError as mistake:  # such as a mode that SELECT does not lead to
        raise ValueError(printable(f"{path}: {mistake}")) from None
    players = "; ".join(f"{n}: {ranges(modes)}" for n, modes in by_players.items())
    print(printable(f"{path}: {card.title}"))
    print(printable(f"    image       {rom}"))
    print(f"    modes by number of players  {players}")
    actions = action_names(_native.bits(card.describe(Rules.MULTI).minimal_actions))
    print(f"    actions     {', '.join(actions)}")
    if card.variations:
        print(printable(f"    variations  {', '.join(card.variations)}"))


def run_new(arguments: argparse.Namespace) -> None:
    """Write an empty card.

    Raises:
        ValueError: The file is not a cartridge.
        FileExistsError: There is such a file already.
    """
    rom = Path(arguments.rom)
    data = rom_files.read(rom)
    _native.Rom(data, "")
    name = re.sub(r"[^a-z0-9_]+", "_", rom.stem.lower()).strip("_")[:30] or "game"
    file = Path(arguments.output or f"{rom.stem}.toml")
    text = _NEW.format(
        name=f"g_{name}"[:31] if name[0].isdigit() else name,
        title=re.sub(r"[^ -~]|[\"\\]", "?", rom.stem)[:100],
        md5=hashlib.md5(data, usedforsecurity=False).hexdigest(),
        rom=rom.name,
    )
    if rom.name.startswith(".") or re.search(r"[^ -~]|[\"\\:]", rom.name):
        text = re.sub(r"(?m)^rom = .*\n", "", text)  # it is found by its MD5
    try:
        with written_aside(file, overwrite=False) as aside:
            aside.write_text(text, encoding="utf-8")
    except FileExistsError:
        shown = printable(file)
        raise FileExistsError(f"{shown} exists already; -o FILE writes another file") from None
    print(printable(f"{file} was written; edit it, then run: pyale-ma card check {file}"))
    try:
        rom_files.find_rom(file)
    except FileNotFoundError:
        folder = "name the folder in PYALE_MA_ROMS"
        print(printable(f"It needs its ROM file: copy {rom} beside it, or {folder}"))
