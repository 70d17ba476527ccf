"""Writes docs/environments/films: a match of the package's trained players in each game they play.

    python docs/tools/film_matches.py [--all]

Films that exist stay as they are, unless --all is given.  A film is ten seconds of the
strong player against the middle one, who has the other seats.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pyale_ma import opponents
from pyale_ma.evaluation.rating import arena_of
from pyale_ma.opponents.catalogue import contest_of

FOLDER = Path(__file__).parents[1] / "environments" / "films"
STEPS = 150


def main() -> None:
    """Write the films that are missing, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="film all matches anew")
    anew = parser.parse_args().all
    FOLDER.mkdir(exist_ok=True)
    for trained in opponents.available():
        contest = contest_of(trained)
        file = FOLDER / f"{contest.stem}.webp"
        if file.exists() and not anew:
            continue
        frames = STEPS * trained.frameskip
        arena = arena_of(contest, trained.frameskip, frames, obs_type="ram", stack_num=1)
        lineup = ["strong", *["middle"] * (contest.players - 1)]
        (match,) = arena.play({"strong": "strong", "middle": "middle"}, lineups=[lineup]).matches
        print(arena.film(match, file))


if __name__ == "__main__":
    main()
