"""Train the players of games for several players.

    pip install '.[roms,torch]'
    python -m league pong_v3
    python -m league all --workers 4
    python -m league rate pong_v3 (league/rate.py)
    python -m league exploit pong_v3 (league/exploit.py)
    python -m league score (league/score.py)

A training goes on where it was interrupted.  At its end, or at that of the steps of ``--until``,
its three levels play matches against random play and against each other, and are written to a file
that `pyale_ma.opponents.load_file` reads.  What is not said is as in `plan.toml`, by which the
players of the package were trained.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from league import exploit, rate, score
from league.plan import (
    PLAN,
    add_settings,
    chosen_settings,
    course,
    courses,
    players_file,
    train,
)
from league.training import CHECKPOINT, FOLDER, going_on
from pyale_ma import opponents
from pyale_ma._base import install_hints, processes
from pyale_ma.cli.signals import cleaned_up


def _one(arguments: Sequence[str]) -> None:
    """`python -m league GAME`."""
    parser = argparse.ArgumentParser(
        prog="python -m league",
        description="Train the players of a game for several players; or of all games of the "
        "plan, by `all`; or rate them, by `rate`; or find out how exploitable they are, by "
        "`exploit`.",
    )
    rate.add_arguments(parser)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for checkpoints; runs")
    parser.add_argument("--output", type=Path, help="the file of players; beside the checkpoint")
    parser.add_argument("--until", type=int, help="stop after so many steps, and measure")
    parser.add_argument(
        "--shares",
        type=float,
        nargs=3,
        help="of the training, after which the network is the weak, middle and strong player; "
        "as planned, or as matches show",
    )
    add_settings(parser)
    given = parser.parse_args(arguments)
    taken = course(opponents.contest(given.game, given.players, given.mode))
    settings = chosen_settings(taken.settings, given)
    until = given.until
    if until is None and settings == taken.settings:
        until = taken.until
    taken = replace(taken, settings=settings, until=until, shares=given.shares or taken.shares)
    print(train(taken, given.folder, given.matches, given.match_frames, given.output))


def _all(arguments: Sequence[str]) -> None:
    """`python -m league all`."""
    parser = argparse.ArgumentParser(
        prog="python -m league all",
        description="Train the players of all contests of the plan whose files are not there yet.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--plan", type=Path, default=PLAN, help="contests and their settings")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for checkpoints and players")
    parser.add_argument(
        "--workers", type=rate.whole(1, 1000), default=os.cpu_count(), help="trainings at a time"
    )
    parser.add_argument(
        "--ray", action="store_true", help="on a Ray cluster instead, which sees the folder"
    )
    rate.add_match_arguments(parser)
    given = parser.parse_args(arguments)
    folder = given.folder.resolve()
    missing = [it for it in courses(given.plan) if not players_file(it, folder).exists()]
    work = partial(train, folder=folder, matches=given.matches, frames=given.match_frames)
    if given.ray:
        try:
            import ray
        except ModuleNotFoundError:
            parser.error(f"--ray: Ray is missing; run `{install_hints.install('ray')}`")
        ray.init(ignore_reinit_error=True)
        done = processes.over_ray(work, missing)
    else:
        done = processes.over(work, missing, given.workers)
    with going_on(folder, f"*/{CHECKPOINT}"):
        for count, (number, line) in enumerate(done, 1):
            print(f"{count} of {len(missing)}: {missing[number].contest}: {line}", flush=True)


def main() -> None:
    """The command line."""
    command, *rest = sys.argv[1:] or [""]
    if command == "rate":
        rate.main(rest)
    elif command == "exploit":
        exploit.main(rest)
    elif command == "score":
        score.main(rest)
    elif command == "all":
        _all(rest)
    else:
        _one(sys.argv[1:])


if __name__ == "__main__":
    try:
        with cleaned_up():
            main()
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt as error:
        print("; ".join(["interrupted", *error.args]), file=sys.stderr)
        sys.exit(130)
