"""Train the players of a game for several players.

    pip install '.[roms,torch]'
    python -m league pong_v3
    python -m league rate pong_v3 (league/rate.py)

A training goes on where it was interrupted.  At its end, or at that of the steps of ``--until``,
its three levels play matches against random play and against each other, and are written to a file
that `pyale_ma.opponents.load_file` reads.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

from league import rate
from league.export import SHARES, good_enough, measured
from league.learner import Settings
from league.training import Training
from pyale_ma import opponents
from pyale_ma.opponents.weights import write


def main() -> None:
    """The command line."""
    if sys.argv[1:2] == ["rate"]:
        rate.main(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(
        prog="python -m league",
        description="Train the players of a game for several players; or rate them, by `rate`.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    rate.add_arguments(parser)
    parser.add_argument("--folder", type=Path, default=Path("runs"), help="for checkpoints")
    parser.add_argument("--output", type=Path, help="the file of players; beside the checkpoint")
    parser.add_argument("--until", type=int, help="stop after so many steps, and measure")
    parser.add_argument(
        "--shares",
        type=float,
        nargs=3,
        default=SHARES,
        help="of the training, after which the network is the weak, middle and strong player",
    )
    for name, default in vars(Settings()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    given = parser.parse_args()
    torch.set_num_threads(1)
    settings = Settings(**{name: getattr(given, name) for name in vars(Settings())})
    contest = opponents.contest(given.game, given.players, given.mode)
    folder = given.folder / contest.stem
    print(f"{contest}: {settings.steps:,} steps in {folder}", flush=True)
    training = Training(contest, settings, folder)
    training.run(lambda line: print(line, flush=True), until=given.until)
    trained = measured(
        training,
        given.matches,
        given.match_frames,
        lambda line: print(line, flush=True),
        given.shares,
    )
    output = given.output or folder / f"{contest.stem}.players"
    write(output, trained)
    print(f"written: {output}, {output.stat().st_size:,} bytes")
    if not good_enough(trained):
        print("these players do not clearly beat random play, or each other")


if __name__ == "__main__":
    main()
