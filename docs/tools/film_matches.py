"""Writes docs/environments/films: a match for each trained contest, and for each environment.

    python docs/tools/film_matches.py [--all]

Films that exist stay as they are, unless --all is given.  A film is ten seconds of the
strong player against the middle one, who has the other seats.  In environments that no player was
trained for, a player by rules has all seats of the default mode, or the planner, or random play.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from generate_environments import chosen_by, contest_of_selection, module_of, trained_of

from pyale_ma import multi, opponents
from pyale_ma.evaluation.rating import arena_of
from pyale_ma.opponents import Contest
from pyale_ma.opponents.catalogue import RULED, contest_of, untrained_levels

FOLDER = Path(__file__).parents[1] / "environments" / "films"
STEPS = 150
FRAMESKIP = 4


def films() -> dict[Contest, list[str]]:
    """Who sits where in each film."""
    found = {}
    for trained in opponents.available():
        contest = contest_of(trained)
        found[contest] = ["strong", *["middle"] * (contest.players - 1)]
    for module in map(module_of, multi.ENVIRONMENTS):
        if not trained_of(module):
            contest = contest_of_selection(chosen_by(module)())
            level = ["random", *untrained_levels(contest)][-1]
            found[contest] = [level] * contest.players
    return found


def main() -> None:
    """Write the films that are missing, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="film all matches anew")
    anew = parser.parse_args().all
    FOLDER.mkdir(exist_ok=True)
    for contest, lineup in films().items():
        file = FOLDER / f"{contest.stem}.webp"
        if file.exists() and not anew:
            continue
        arena = arena_of(
            contest,
            FRAMESKIP,
            STEPS * FRAMESKIP,
            obs_type="ram",
            stack_num=1,
            full_action_space=RULED in lineup,
        )
        (match,) = arena.play({level: level for level in lineup}, lineups=[lineup]).matches
        print(arena.film(match, file, overwrite=anew))


if __name__ == "__main__":
    main()
