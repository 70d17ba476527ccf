"""Write the ratings of a game's players.

    pip install '.[roms]'
    python -m league rate pong_v3

All players of the package and the scripted ones play each against each.  The same arguments make
the same file.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

from pyale_ma import opponents
from pyale_ma.evaluation import duels
from pyale_ma.evaluation.rating import arena_of
from pyale_ma.evaluation.rating_table import SUFFIX, trained_digest, write_table
from pyale_ma.opponents import Contest, RatingTable
from pyale_ma.opponents.catalogue import contest_of

FRAMESKIP = 4


def played(contest: Contest, matches: int, frames: int, seed: int) -> RatingTable:
    """The table of a contest, of matches that are played now.

    Args:
        contest: What is played.
        matches: Of each pair, rounded up to as many on each seat.
        frames: After how many a match is ended.
        seed: Of the first match.
    """
    trained = [
        level for it in opponents.available() if contest_of(it) == contest for level in it.levels
    ]
    names = [*opponents.SCRIPTED, *trained]
    seated = [duels(*pair, contest.players) for pair in combinations(names, 2)]
    games = -(-matches // len(seated[0]))
    arena = arena_of(contest, FRAMESKIP, frames, obs_type="ram", stack_num=1, num_envs=256)
    results = arena.play(
        {name: name for name in names},
        lineups=[lineup for pair in seated for lineup in pair],
        games=games,
        seed=seed,
    )
    return RatingTable(
        contest,
        FRAMESKIP,
        frames,
        games * len(seated[0]),
        seed,
        trained_digest(contest),
        results.matrix(names),
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments for the game, the opponents and the number of matches."""
    parser.add_argument("game", help="a game, or an environment such as pong_v3")
    parser.add_argument("--players", type=int, help="for how many")
    parser.add_argument("--mode", type=int, help="the game's mode")
    add_match_arguments(parser)


def add_match_arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments for the number and the length of matches."""
    parser.add_argument("--matches", type=whole(1, 100_000), default=200, help="of each pair")
    parser.add_argument(
        "--match-frames", type=whole(1, 2**31 - 1), default=5000, help="that a match may take"
    )


def whole(low: int, high: int) -> Callable[[str], int]:
    """Whole numbers in these bounds, for argparse."""

    def number(text: str) -> int:
        if not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text} is not between {low:,} and {high:,}")
        return int(text)

    number.__name__ = "whole number"
    return number


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m league rate",
        description="Write the ratings of a game's players.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add_arguments(parser)
    parser.add_argument("--seed", type=whole(0, 2**31 - 1), default=0, help="of the first match")
    parser.add_argument("--output", type=Path, help="the file; in the present folder")
    given = parser.parse_args(arguments)
    contest = opponents.contest(given.game, given.players, given.mode)
    table = played(contest, given.matches, given.match_frames, given.seed)
    output = given.output or Path(f"{contest.stem}{SUFFIX}")
    write_table(output, table)
    print(f"{contest}: {table.matches} matches of each pair, of at most {table.frames} frames\n")
    print(f"{table}\n\n{table.crossplay}\n\nwritten: {output}")


if __name__ == "__main__":
    main()
