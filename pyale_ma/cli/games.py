"""``pyale-ma list``: what there is to play."""

from __future__ import annotations

import argparse
import sys
from typing import NamedTuple

from pyale_ma import _native
from pyale_ma._base.terminal import print_json, print_table
from pyale_ma._native import Game, Rules
from pyale_ma.cli.common import Commands, add_command, check_players, player_counts
from pyale_ma.cli.mode_names import mode_names
from pyale_ma.games.actions import action_names
from pyale_ma.games.cards import Card
from pyale_ma.games.environments import game_named
from pyale_ma.games.modes import ranges
from pyale_ma.games.rom_files import SHIPPED, env_name, game_of
from pyale_ma.games.selection import resolve

_NUMBERS = """\
Modes for several players have the numbers of multi-agent-ale-py, as modules and vectors take them;
pyale_ma.translate_mode returns those of pyale_ma.ALEInterface."""


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "list",
        "list the games with their players, modes and difficulties",
        example="list pong --players 2",
    )
    parser.add_argument(
        "game",
        nargs="*",
        help="games to list, such as pong or pong_v3, or cards; default: all",
    )
    parser.add_argument(
        "--players", type=int, choices=(1, 2, 4), help="list only games for this number"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, with titles and actions")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Print a line for each game and number of players; of chosen games what modes are called."""
    chosen = {game_of(game_named(name)): None for name in arguments.game}  # each once
    all_games = list(_native.games().values())
    games: list[Game | Card] = [game for game in all_games if not chosen or game in chosen]
    games += [game for game in chosen if isinstance(game, Card)]
    described = [(game, _ways(game, arguments.players)) for game in games]
    if chosen and not any(ways for _, ways in described):
        check_players(games[0], arguments.players)
    if arguments.json:
        print_json([_for_programs(game, ways) for game, ways in described if ways])
        return
    print_table(
        ("game", "players", "difficulties", "modes"),  # the longest last: nothing is padded to it
        [
            (game.name, str(way.players), ranges(way.difficulties), ranges(way.modes))
            for game, ways in described
            for way in ways
        ],
    )
    if named := [
        (game.name, str(way.players), str(mode), called)
        for game, ways in described
        for way in ways
        for mode, called in (_names(game, way) if chosen else {}).items()
    ]:
        print()
        print_table(("game", "players", "mode", "what it is"), named)
    if any(way.rules == Rules.MULTI for _, ways in described for way in ways):
        sys.stdout.flush()  # or the note may come in the middle of a row
        print(f"\n{_NUMBERS}", file=sys.stderr)  # not among what programs read


class _Way(NamedTuple):
    """One way to play a game: number of players, rules, modes and difficulties."""

    players: int
    rules: Rules
    modes: list[int]
    difficulties: list[int]


def _ways(game: Game | Card, num_players: int | None) -> list[_Way]:
    ways = []
    for players in player_counts(game):
        if num_players in (None, players):
            rules = resolve(game, players, rules=None).rules
            difficulties = _native.bits(game.describe(rules).difficulties)
            ways.append(_Way(players, rules, game.modes(rules, players), difficulties))
    return ways


def _names(game: Game | Card, way: _Way) -> dict[int, str]:
    """List the names of modes; those for one player and of cards have numbers only."""
    named = way.rules == Rules.MULTI and not isinstance(game, Card)
    return mode_names(game.name, way.players) if named else {}


def _id_of(game: Game | Card) -> str | None:
    """The game's id in Gymnasium, if it has one."""
    if isinstance(game, Card):
        return None
    if game.name in SHIPPED:
        return f"pyale_ma/{env_name(game.name)}-v0"
    return f"ALE/{env_name(game.name)}-v5" if Rules.SOLO in game.rules else None


def _for_programs(game: Game | Card, ways: list[_Way]) -> dict[str, object]:
    return {
        "name": game.name,
        "title": game.title,
        "id": _id_of(game),
        "md5": game.md5,
        "ways": [
            {
                "players": way.players,
                "modes": way.modes,
                "mode_names": {str(mode): name for mode, name in _names(game, way).items()},
                "difficulties": way.difficulties,
                "actions": action_names(_native.bits(game.describe(way.rules).minimal_actions)),
            }
            for way in ways
        ],
    }
