"""``pyale-ma record``: make a film of a game that is played at random."""

from __future__ import annotations

import argparse

from pyale_ma.cli.common import (
    FILE_HELP,
    Commands,
    add_command,
    add_force_argument,
    add_game_arguments,
    add_rules_argument,
    open_game,
    play_at_random,
    positive,
    seed,
)
from pyale_ma.film import Film
from pyale_ma.text import printable


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(commands, "record", "make a film of a game, played with random actions")
    parser.add_argument("game", help="also an environment for several agents, such as pong_v3")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help=FILE_HELP)
    parser.add_argument("--frames", type=positive, default=600, help="default: 600, 10 seconds")
    parser.add_argument("--seed", type=seed, default=0, help="of the actions, default: 0")
    add_force_argument(parser)
    add_game_arguments(parser)
    add_rules_argument(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Play and film."""
    film = Film(arguments.output, overwrite=arguments.force)
    env = open_game(arguments, sound=True)
    play_at_random(
        *(env, arguments.frames, arguments.seed, film),
        full_action_space=arguments.full_action_space,
    )
    print(printable(film.save()))
