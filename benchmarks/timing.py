"""Timing two implementations against each other on a noisy machine, and the file of results.

Both sides take turns in short blocks; each side's figure is the median of its blocks, so that
neither a neighbour's burst nor a change of the clock rate favours one of them.  The time is that of
the processor.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyale_ma.cli import machine

RESULTS = Path(__file__).with_name("results.json")
PACKAGES = ("ale-py", "envpool", "pettingzoo", "multi-agent-ale-py")

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
    start = time.process_time()
    work(count)
    return time.process_time() - start


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
        return statistics.geometric_mean(reference / ours for _, reference, ours in self.rows)

    def record(self, file: Path, section: str, command: str) -> None:
        """Put the rows into a file of results."""
        rows = {
            label: {
                self.reference: reference,
                "pyale_ma": ours,
                f"over {self.reference}": reference / ours,
            }
            for label, reference, ours in self.rows
        }
        record(file, section, command, "microseconds", rows)

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


def add_record_option(parser: argparse.ArgumentParser) -> None:
    """Let a program take `--record`, the file for `record`."""
    parser.add_argument(
        "--record",
        type=Path,
        nargs="?",
        const=RESULTS,
        metavar="FILE",
        help="write the figures there; default: results.json",
    )


def record(
    file: Path, section: str, command: str, unit: str, rows: Mapping[str, Mapping[str, float]]
) -> None:
    """Write a section of a file of results; all documents take their figures from RESULTS.

    Args:
        file: What it has of other sections stays.
        section: Its name; a section of this name is replaced.
        command: The program that measured it, and its arguments.
        unit: Of what is not a ratio.
        rows: By name, such as a game's, the figures of each side and the ratios.
    """

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["git", "-C", str(RESULTS.parent), *arguments]
        return subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)

    commit = git("rev-parse", "--short=8", "HEAD").stdout.strip() or "unknown"
    changed = git("diff", "--quiet", "HEAD", "--", ":/libale", ":/pyale_ma").returncode
    about = machine.describe()
    system = f"{platform.system()} {platform.machine()}"
    results = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    results[section] = {
        "command": command,
        "unit": unit,
        "machine": f"{about['processor']}, {about['cores']} cores, {system}",
        "python": about["python"],
        "versions": {name: found for name in PACKAGES if (found := machine.version_of(name))},
        "commit": commit + " and changes" * bool(changed),
        "date": datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat(),
        "rows": {
            label: {name: float(f"{figure:.3g}") for name, figure in row.items()}
            for label, row in rows.items()
        },
    }
    text = json.dumps(dict(sorted(results.items())), indent=1, ensure_ascii=False)
    lines = re.sub(r"\{[^{}]*\}", lambda row: re.sub(r"\s+", " ", row[0]), text)
    file.write_text(lines + "\n", encoding="utf-8")
