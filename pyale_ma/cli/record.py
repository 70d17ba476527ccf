"""``pyale-ma record``: make a film of a game, played at random or by opponents."""

from __future__ import annotations

import argparse

from pyale_ma._base.text import printable
from pyale_ma.cli.common import (
    FILE_HELP,
    Commands,
    add_command,
    add_force_argument,
    add_game_arguments,
    add_length_arguments,
    add_rules_argument,
    open_game,
    play_at_random,
    play_on_film,
)
from pyale_ma.cli.seating import ALL, Seating, choose_contest
from pyale_ma.opponents import Contest
from pyale_ma.screen.film import Film


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "record",
        "make a film of a game with random actions, or of opponents",
        example="record pong_v3 --by strong middle -o pong.mp4",
    )
    parser.add_argument("game", help="game, or environment for several agents such as pong_v3")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help=FILE_HELP)
    add_length_arguments(parser, 600)
    parser.add_argument(
        "--by",
        nargs="+",
        choices=ALL,
        metavar="LEVEL",
        help=f"who plays, instead of random actions: a level for all seats, or one for each: "
        f"{', '.join(ALL)}",
    )
    add_force_argument(parser)
    add_game_arguments(parser)
    add_rules_argument(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Play and film."""
    film = Film(arguments.output, overwrite=arguments.force)
    contest = choose_contest(arguments, arguments.by[0]) if arguments.by else None
    env = open_game(arguments, sound=True)
    if contest:
        played = Contest(contest.game, env.report.players, env.report.mode)
        levels = arguments.by * (played.players if len(arguments.by) == 1 else 1)
        if len(levels) != played.players:
            raise ValueError(
                f"--by has {len(levels)} levels; {played} needs one, or {played.players}"
            )
        seating = Seating(played, levels, env, arguments.seed)
        play_on_film(env, arguments.frames, film, lambda _: seating.choose(env), seating.begin)
    else:
        play_at_random(
            *(env, arguments.frames, arguments.seed, film),
            full_action_space=arguments.full_action_space,
        )
    print(printable(film.save()))
