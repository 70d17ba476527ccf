"""``pyale-ma list``: what there is to play."""

from __future__ import annotations

import argparse

from pyale_ma import _native
from pyale_ma._native import Rules
from pyale_ma.cli.common import Commands, ranges
from pyale_ma.roms import known_game


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    text = "list the games with their players, modes and difficulties"
    parser = commands.add_parser("list", help=text, description=text.capitalize() + ".")
    parser.add_argument("game", nargs="*", help="only these")
    parser.add_argument("--players", type=int, choices=(1, 2, 4), help="only games for so many")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Print one line for each game and number of players."""
    wanted = [known_game(name) for name in arguments.game]
    rows = [("game", "players", "modes", "difficulties")]
    for game in _native.games().values():
        if wanted and game.name not in wanted:
            continue
        for players in (1, 2, 4):
            if arguments.players not in (None, players):
                continue
            solo = players == 1 and Rules.SOLO in game.rules
            rules = Rules.SOLO if solo else Rules.MULTI
            if rules not in game.rules or not (modes := game.modes(rules, players)):
                continue
            difficulties = _native.bits(game.describe(rules).difficulties)
            rows.append((game.name, str(players), ranges(modes), ranges(difficulties)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
