"""Helpers that several commands share: choosing a game and playing it at random."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyale_ma import _native
from pyale_ma._base.terminal import progress
from pyale_ma._native import Env, Game, Rules
from pyale_ma.games import rom_files
from pyale_ma.games.cards import Card
from pyale_ma.games.environments import game_named
from pyale_ma.games.modes import players_in_words
from pyale_ma.games.selection import AnyGame, Selection, resolve
from pyale_ma.recording import Console, record
from pyale_ma.screen.film import Film

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = object

PERSON = "person"  # who is no opponent, in line-ups
PLAYERS = "1, or that of the environment"  # if nothing is said
FILE_HELP = (
    "film to write; the suffix chooses the format: .gif, .webp, .mp4 (with sound) or .png (only "
    "the last picture)"
)


def add_command(
    commands: Commands, name: str, text: str, *, example: str = "", **options: Any
) -> argparse.ArgumentParser:
    """Declare a command.

    Args:
        commands: Where.
        name: What it is called.
        text: Its line in the list of commands, which begins its own help.
        example: What one may type behind ``pyale-ma``, which ends its help.
        **options: Of argparse.
    """
    sentence = text[0].upper() + text[1:] + "."
    if example:
        options["epilog"] = f"{options.get('epilog', '')} Example: pyale-ma {example}".lstrip()
    made = commands.add_parser(name, help=text, description=sentence, **options)
    made.set_defaults(parser=made)  # of what is chosen, for messages
    return made


def print_help(arguments: argparse.Namespace) -> None:
    """Run a command that does nothing without another word."""
    arguments.parser.print_help()


def whole_number(name: str, low: int, high: int | None = None) -> Callable[[str], int]:
    """Return the type of an option for argparse: whole numbers in these bounds.

    Args:
        name: What messages call it.
        low: The lowest number.
        high: The highest number; None: there is none.
    """

    def parse(text: str) -> int:
        number = int(text)
        if number < low:
            raise argparse.ArgumentTypeError(f"{text} is below {low}")
        if high is not None and number > high:
            raise argparse.ArgumentTypeError(f"{text} is above {high}")
        return number

    parse.__name__ = name
    return parse


positive = whole_number("positive whole number", 1)
seed = whole_number("seed", 0)
number_from_0 = whole_number("whole number", 0)


def add_game_arguments(parser: argparse.ArgumentParser, *, players: str = PLAYERS) -> None:
    """Which game, with how many players, how hard.

    Args:
        parser: Of the command.
        players: How many there are if nothing is said, in words.
    """
    parser.add_argument(
        "--players", type=int, choices=(1, 2, 3, 4), help=f"number of players; default: {players}"
    )
    parser.add_argument(
        "--mode",
        type=int,
        help="mode of the game; default: the usual one for this number of players",
    )
    parser.add_argument("--difficulty", type=int, help="difficulty of the game; default: 0")
    parser.add_argument("--variation", help="variation of a card")
    parser.add_argument("--rom", metavar="PATH", help="ROM file, or folder to search")


def add_rules_argument(parser: argparse.ArgumentParser) -> None:
    """By which rules is played."""
    parser.add_argument(
        "--corrected-rules",
        action="store_true",
        help="correct rewards and ends that are wrong in ale-py, such as of scores that wrap",
    )


def add_length_arguments(parser: argparse.ArgumentParser, frames: int) -> None:
    """Add the options for how many frames are played, and for the seed of the actions.

    Args:
        parser: Of the command.
        frames: How many if nothing is said.
    """
    parser.add_argument(
        "--frames",
        type=positive,
        default=frames,
        help=f"number of frames; default: {frames}, which are {frames // 60} seconds",
    )
    parser.add_argument("--seed", type=seed, default=0, help="seed of the actions; default: 0")


def add_recording_argument(parser: argparse.ArgumentParser) -> None:
    """Where to keep what is played."""
    parser.add_argument(
        "--record", metavar="FILE", help="record the game in this new file, for pyale-ma replay"
    )


def add_force_argument(parser: argparse.ArgumentParser) -> None:
    """Whether files are replaced."""
    parser.add_argument("--force", action="store_true", help="replace existing files")


def take_environment(arguments: argparse.Namespace) -> None:
    """Where an environment for several agents is named, such as pong_v3, play what it plays.

    Raises:
        ValueError: It is not for this number of players.
    """
    if game_named(arguments.game) is arguments.game:
        return
    played = _resolved(arguments)
    arguments.game, arguments.players, arguments.mode = played.source, played.players, played.mode
    arguments.difficulty = played.difficulty
    arguments.full_action_space = played.full_action_space


def _resolved(arguments: argparse.Namespace, game: AnyGame | None = None) -> Selection:
    return resolve(
        arguments.game if game is None else game,
        arguments.players,
        arguments.mode,
        getattr(arguments, "difficulty", None),
        getattr(arguments, "full_action_space", False),
        getattr(arguments, "variation", None),
        rules=None,
        place=getattr(arguments, "rom", None),
    )


def open_game(arguments: argparse.Namespace, *, sound: bool = False, seed: int = 0) -> Env:
    """The environment that the arguments ask for, reset, and recorded until it is closed.

    Raises:
        ValueError: There is no such game, mode or difficulty for this number of players.
        FileNotFoundError: The ROM file was not found.
    """
    take_environment(arguments)
    game, players = rom_files.game_of(arguments.game), arguments.players or 1
    check_players(game, players)
    played = _resolved(arguments, game)
    rom = played.rom()
    arguments.game, arguments.full_action_space = game.name, played.full_action_space

    corrected = getattr(arguments, "corrected_rules", False)
    env = Env(rom, rules=played.rules, random_seed=seed, sound=sound, corrected_rules=corrected)
    if arguments.mode is not None or played.rules is Rules.MULTI:
        env.set_mode(played.mode)
    if played.difficulty is not None:
        env.set_difficulty(played.difficulty)
    if getattr(arguments, "record", None):
        console = Console(env, game, arguments.variation)
        record(
            console,
            arguments.record,
            metadata={"lineup": chosen_lineup(arguments, env.report.players)},
            overwrite=getattr(arguments, "force", False),
        )
    env.reset()
    return env


def chosen_lineup(arguments: argparse.Namespace, players: int) -> list[str]:
    """Who plays, by seat: "person", or the level of opponents; "random" where nobody can play."""
    if not hasattr(arguments, "against"):
        return ["random"] * players
    people = arguments.seat or [1] if arguments.against else range(1, players + 1)
    return [PERSON if seat in people else arguments.against for seat in range(1, players + 1)]


def found_games() -> dict[str, Path]:
    """The ROM file of each game that has one, by the game's name; Quartet first."""
    found = {}
    for game in sorted(
        rom_files.game_names(), key=lambda name: (name not in rom_files.SHIPPED, name)
    ):
        with contextlib.suppress(FileNotFoundError):
            found[game] = rom_files.find_rom(game)
    return found


def check_players(game: Game | Card, players: int) -> None:
    """Raise a ValueError if a game has no mode for this number of players."""
    counts = player_counts(game)
    if players not in counts:
        can = " or ".join([*map(str, counts[:-1]), players_in_words(counts[-1])])
        raise ValueError(f"{game.name} is for {can}, not for {players}: see --players")


def player_counts(game: Game | Card) -> list[int]:
    """Return the possible numbers of players of a game, ascending."""
    return [n for n in (1, 2, 3, 4) if any(game.modes(rules, n) for rules in game.rules)]


def random_actions(
    env: Env, seed: int, stay: int, *, full_action_space: bool = False
) -> Callable[[int], None]:
    """Return a function that sets random actions before a frame, by the frame's number.

    Args:
        env: The game.
        seed: Of the random numbers.
        stay: Frames for which actions stay.
        full_action_space: Whether to draw from all 18 actions.
    """
    random = np.random.default_rng(seed)
    legal = env.info.legal_actions
    actions = _native.bits(legal if full_action_space else env.info.minimal_actions)
    players = env.report.players

    def choose(frame: int) -> None:
        if frame % stay == 0:
            env.actions[:players] = random.choice(actions, players).tolist()

    return choose


def play_at_random(
    env: Env, frames: int, seed: int, film: Film, *, full_action_space: bool = False
) -> list[int]:
    """Play random actions, each for four frames, with the film running and a progress bar.

    Returns:
        The score of each player.
    """
    choose = random_actions(env, seed, 4, full_action_space=full_action_space)
    return play_on_film(env, frames, film, choose)


def play_on_film(
    env: Env,
    frames: int,
    film: Film,
    choose: Callable[[int], None],
    begin: Callable[[], None] = lambda: None,
) -> list[int]:
    """Play with the film running and a progress bar.

    Args:
        env: The game.
        frames: How many to play.
        film: It takes each of them.
        choose: Called with the number of each frame; sets the actions.
        begin: Called after each reset.

    Returns:
        The score of each player.
    """
    players = env.report.players
    scores = np.zeros(players, int)
    with progress(frames, "frames") as show:
        for frame in range(frames):
            choose(frame)
            env.act(players)
            scores += env.report.rewards[:players]
            film.take(env)
            if env.report.terminated or env.report.truncated:
                env.reset()
                begin()
            if frame % 50 == 49 or frame == frames - 1:
                show(frame + 1, f"score {words(scores.tolist())}")
    return scores.tolist()  # type: ignore[no-any-return]


def words(numbers: list[int]) -> str:
    """Numbers for people."""
    return " : ".join(map(str, numbers))
