"""``pyale-ma demo``: play a game at random and show what came of it.

Without a game it shows what this package is for: four agents, through PettingZoo's API, in Quartet,
which needs no ROM file of the user's.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from pyale_ma import multi
from pyale_ma._base.terminal import progress
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
from pyale_ma.recording import record
from pyale_ma.screen.film import Film

_FRAMES_PER_ACTION = 4


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
    if arguments.game in multi.ENVIRONMENTS:
        run_agents(arguments)
        return
    film = open_film(arguments, rom_files.game_of(arguments.game).name)
    env = open_game(arguments)
    start = time.perf_counter()
    scores = play_at_random(env, arguments.frames, arguments.seed, film)
    seconds = time.perf_counter() - start
    env.close()
    path = film.save()
    print(
        f"{arguments.game}: {arguments.frames} frames in {seconds:.2f} s, "
        f"score {words(scores)}; the film is in {printable(path)}"
    )


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


def run_agents(arguments: argparse.Namespace) -> None:
    """A PettingZoo environment with its agents; each gets rewards of its own."""
    name = arguments.game
    film = open_film(arguments, name)
    env = multi.parallel_env(
        game=name,
        num_players=arguments.players,
        mode=arguments.mode,
        seed=arguments.seed,
        difficulty=arguments.difficulty,
        variation=arguments.variation,
        auto_rom_install_path=arguments.rom,
    )
    if arguments.record:
        metadata = {"lineup": ["random"] * env.num_players}
        record(env, arguments.record, metadata=metadata, overwrite=arguments.force)
    for player, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(arguments.seed + player)
    totals = dict.fromkeys(env.possible_agents, 0)
    start = time.perf_counter()
    with progress(arguments.frames, "frames") as show:
        for frame in range(arguments.frames):
            begins = not env.agents
            if begins:
                env.reset(seed=None if frame else arguments.seed)
            if begins or frame % _FRAMES_PER_ACTION == 0:
                actions = {agent: env.action_space(agent).sample() for agent in env.agents}
            _, rewards, _, _, _ = env.step(actions)
            for agent, reward in rewards.items():
                totals[agent] += int(reward)
            film.take(env.ale.env)
            if frame % 50 == 49 or frame == arguments.frames - 1:
                show(frame + 1, words(list(totals.values())))
    seconds = time.perf_counter() - start
    env.close()
    path = film.save()
    print(f"{name}, {len(totals)} agents: {arguments.frames} frames in {seconds:.2f} s; rewards")
    for agent, total in totals.items():
        print(f"  {agent:10} {total:+d}")
    print(f"The film is in {printable(path)}")
