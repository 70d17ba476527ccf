"""Makes what is generated about games: recorded lines, measurements, films and all pages.

    python docs/tools/generate.py [GAME ...]

Recorded lines, measurements, films and pictures are only made if they are missing; all pages are
written.  If no game is new, this takes twenty seconds.  A new game needs its ROM image and some
minutes.  Games that are named are measured and filmed anew.  Recorded lines do not change, because
a line that no longer matches is a bug.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from pyale_ma import roms

ROOT = Path(__file__).parents[2]
RECORDED = ("tests/checksums/record.py", "tests/differential/long_play.py")  # lines for the tests
MEASURED = ("measure_games.py", "film_games.py")  # these take names of games
WRITTEN = (
    "film_matches.py",
    "generate_environments.py",
    "generate_games.py",
    "generate_command_line.py",
    "generate_results.py",
    "generate_scores.py",
)


def commands(games: list[str]) -> list[list[str]]:
    """The scripts with their arguments, in the order in which they need each other."""
    tools = ROOT / "docs" / "tools"
    return [
        *([str(ROOT / script), "--missing"] for script in RECORDED),
        *([str(tools / script), *games] for script in MEASURED),
        *([str(tools / script)] for script in WRITTEN),
    ]


def main() -> None:
    """Run all scripts; stop at the first that fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", nargs="*", help="measure and film these anew")
    games = [roms.known_game(name) for name in parser.parse_args().game]
    for command in commands(games):
        print("python", *command, flush=True)
        subprocess.run([sys.executable, *command], check=True)


if __name__ == "__main__":
    main()
