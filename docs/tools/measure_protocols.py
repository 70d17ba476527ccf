"""Writes the table of random play under each protocol into docs/benchmarks.md.

    python docs/tools/measure_protocols.py [--workers N]

All is computed from the numbers of the episodes: it comes out the same anywhere.  Some minutes of
two processors.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from pyale_ma import benchmarks
from pyale_ma.benchmarks import SUITES, Report
from pyale_ma.benchmarks.scores import random_score
from pyale_ma.evaluation import RandomPolicy

PAGE = Path(__file__).parents[1] / "benchmarks.md"
HEAD = (
    "| game | published | `atari_100k` | `dopamine` | `machado` |\n"
    "| --- | ---: | ---: | ---: | ---: |\n"
)
PROTOCOLS = ("atari_100k", "dopamine", "machado")  # for random play the others equal one of these
EPISODES = 30


def random_policy(game: str, num_actions: int) -> RandomPolicy:
    """For `evaluate`."""
    return RandomPolicy(num_actions)


def measure(games: Iterable[str], workers: int = 1) -> list[str]:
    """The table's lines of some games."""
    games = list(games)
    reports = [
        benchmarks.evaluate(
            random_policy,
            suite=games,
            protocol=protocol,
            episodes=EPISODES,
            workers=workers,
            num_envs=EPISODES,
            obs_type="ram",
            stack_num=1,
        )
        for protocol in PROTOCOLS
    ]
    return [_line(game, reports) for game in games]


def _line(game: str, reports: list[Report]) -> str:
    cells = []
    for report in reports:
        scores = [episode.score for episode in report.episodes[game]]
        cells.append(f"{np.mean(scores):.1f} ± {np.std(scores, ddof=1) / len(scores) ** 0.5:.1f}")
    return f"| {game} | {random_score(game)} | {' | '.join(cells)} |\n"


def main() -> None:
    """Measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=0, help="processes, 0 for each CPU one")
    lines = measure(SUITES["atari_57"], parser.parse_args().workers)
    before, head, after = PAGE.read_text("utf-8").partition(HEAD)
    if not head:
        raise SystemExit(f"{PAGE} has no table that begins with {HEAD!r}")
    rest = after[after.index("\n\n") + 1 :] if "\n\n" in after else ""
    PAGE.write_text(before + head + "".join(lines) + rest, encoding="utf-8")


if __name__ == "__main__":
    main()
