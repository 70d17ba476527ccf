"""Timing two implementations against each other on a noisy machine, and the table of results.

Both sides take turns in short blocks; each side's figure is the median of its blocks, so that
neither a neighbour's burst nor a change of the clock rate favours one of them.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

GAMES = (
    "pong",
    "breakout",
    "seaquest",
    "ms_pacman",
    "qbert",
    "enduro",
    "space_invaders",
    "montezuma_revenge",
)

Work = Callable[[int], None]  # does its operation so many times


def microseconds(sides: Sequence[Work], *, block: float = 0.02, blocks: int = 15) -> list[float]:
    """Microseconds per operation of each side: medians of interleaved blocks of `block` seconds."""
    counts = []
    for work in sides:
        count, elapsed = 1, 0.0
        while elapsed < block / 4:
            count *= 2
            elapsed = _seconds(work, count)
        counts.append(max(1, round(count * block / elapsed)))
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(blocks):
        for work, count, results in zip(sides, counts, times, strict=True):
            results.append(_seconds(work, count) / count * 1e6)
    return [statistics.median(results) for results in times]


def _seconds(work: Work, count: int) -> float:
    start = time.perf_counter()
    work(count)
    return time.perf_counter() - start


@dataclass
class Table:
    """Rows of (label, reference, ours) in microseconds; their ratios and the geometric mean."""

    title: str
    reference: str = "ale-py"
    rows: list[tuple[str, float, float]] = field(default_factory=list)

    def add(self, label: str, reference: float, ours: float) -> None:
        self.rows.append((label, reference, ours))

    @property
    def ratio(self) -> float:
        logarithms = [math.log(reference / ours) for _, reference, ours in self.rows]
        return math.exp(statistics.fmean(logarithms))

    def __str__(self) -> str:
        width = max(len(label) for label, _, _ in self.rows)
        lines = [self.title, f"{'':{width}} {self.reference + ' us':>10}  ours us   ratio"]
        for label, reference, ours in self.rows:
            lines.append(f"{label:{width}} {reference:10.2f} {ours:8.2f} {reference / ours:6.2f}x")
        lines.append(f"{'geometric mean':{width + 20}} {self.ratio:6.2f}x")
        return "\n".join(lines)


def progress(done: int, total: int, label: str) -> None:
    """A bar on stderr, where that is a terminal."""
    if sys.stderr.isatty():
        bar = "#" * (30 * done // total)
        end = "\r" if done < total else "\r" + " " * 60 + "\r"
        print(f"\r[{bar:30}] {label:24}", end=end, file=sys.stderr, flush=True)


def compare(title: str, sides_of: Callable[[str], Sequence[Work]], games: Sequence[str]) -> Table:
    """A table with one row a game; `sides_of(game)` gives the reference's work and ours."""
    table = Table(title)
    for done, game in enumerate(games):
        progress(done, len(games), game)
        reference, ours = microseconds(sides_of(game))
        table.add(game, reference, ours)
    progress(len(games), len(games), "")
    return table
