"""``pyale-ma demo``: play a game at random and show what came of it.

Without a game it shows what this package is for: four agents in Quartet, which needs no ROM file of
the user's.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from pyale_ma._base.text import printable
from pyale_ma.cli.common import (
    FILE_HELP,
    Commands,
    add_command,
    add_force_argument,
    add_game_arguments,
    add_length_arguments,
    add_recording_argument,
    open_game,
    play_at_random,
    words,
)
from pyale_ma.games import rom_files
from pyale_ma.games.environments import ENVIRONMENTS
from pyale_ma.multi.base import AGENTS
from pyale_ma.screen.film import Film


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "demo",
        "play a game with random actions, and make a film of it",
        example="demo warlords_v3 -o warlords.webp",
    )
    parser.add_argument(
        "game",
        nargs="?",
        default="quartet_v0",
        help="game, or environment for several agents such as warlords_v3; default: quartet_v0",
    )
    add_length_arguments(parser, 900)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"{FILE_HELP}; default: GAME.gif, GAME-1.gif, ..."
    )
    add_recording_argument(parser)
    add_force_argument(parser)
    add_game_arguments(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Play, film, tell."""
    has_agents = arguments.game in ENVIRONMENTS
    name = arguments.game if has_agents else rom_files.game_of(arguments.game).name
    film = open_film(arguments, name)
    env = open_game(arguments)
    full = arguments.full_action_space
    start = time.perf_counter()
    scores = play_at_random(env, arguments.frames, arguments.seed, film, full_action_space=full)
    took = f"{arguments.frames} frames in {time.perf_counter() - start:.2f} s"
    env.close()
    path = printable(film.save())
    if not has_agents:
        print(f"{name}: {took}, score {words(scores)}; the film is in {path}")
        return
    print(f"{name}, {len(scores)} agents: {took}; rewards")
    for agent, score in zip(AGENTS, scores):  # noqa: B905 (there may be fewer scores)
        print(f"  {agent:10} {score:+d}")
    print(f"The film is in {path}")


def open_film(arguments: argparse.Namespace, name: str) -> Film:
    """The film, before anything is played or recorded: a mistake leaves no file."""
    output = arguments.output or f"{name}.gif"
    count = 1
    while not arguments.output and not arguments.force and Path(output).exists():
        output = f"{name}-{count}.gif"
        count += 1
    film = Film(output, overwrite=arguments.force)
    if arguments.record and Path(arguments.record).resolve() == Path(output).resolve():
        raise ValueError(f"{printable(output)} cannot be both the film and the recording")
    return film
