"""``pyale-ma demo``: play a game at random and show what came of it."""

from __future__ import annotations

import argparse
import time

from pyale_ma.cli.common import (
    Commands,
    Film,
    add_game_arguments,
    open_game,
    play_at_random,
    positive,
    words,
)


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    text = "play a game with random actions and make a film of it"
    parser = commands.add_parser("demo", help=text, description=text.capitalize() + ".")
    parser.add_argument("game", nargs="?", default="breakout", help="default: breakout")
    parser.add_argument("--frames", type=positive, default=900, help="default: 900, 15 seconds")
    parser.add_argument("--seed", type=int, default=0, help="of the actions, default: 0")
    parser.add_argument("-o", "--output", metavar="FILE", help=".gif or .png, default: GAME.gif")
    add_game_arguments(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Play, film, tell."""
    env = open_game(arguments)
    film = Film(arguments.output or f"{arguments.game}.gif")
    start = time.perf_counter()
    scores = play_at_random(env, arguments.frames, arguments.seed, film)
    seconds = time.perf_counter() - start
    path = film.save()
    print(
        f"{arguments.game}: {arguments.frames} frames in {seconds:.2f} s, "
        f"score {words(scores)}; the film is in {path}"
    )
