"""Read `plan.toml`, by which the players of the package were trained, and follow it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import torch

from league.export import apart, good_enough, measured
from league.learner import Settings
from league.training import Training, going_on
from pyale_ma import opponents
from pyale_ma.opponents import Contest
from pyale_ma.opponents.weights import write

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PLAN = Path(__file__).with_name("plan.toml")


@dataclass(frozen=True)
class Course:
    """A contest, and how its players learn.

    Raises:
        ValueError: `shares` or `until` cannot be.
    """

    contest: Contest
    settings: Settings = field(default_factory=Settings)
    shares: Sequence[float] | None = None
    until: int | None = None

    def __post_init__(self) -> None:
        if self.until is not None and (type(self.until) is not int or self.until < 1):
            raise ValueError(f"until is {self.until!r}; it must be a whole number, 1 or more")
        if self.shares is None:
            return
        try:
            weak, middle, strong = self.shares
            rising = 0 < weak < middle < strong <= 1
        except (TypeError, ValueError):
            rising = False
        if not rising:
            raise ValueError(
                f"shares is {self.shares!r}; it must be three rising numbers, above 0 to 1"
            )


def courses(file: Path = PLAN) -> Iterator[Course]:
    """The plan's, in its order.

    Raises:
        ValueError: A table has a name that means nothing, or a value that cannot be.
    """
    known = {each.name for each in fields(Settings)}
    for table in tomllib.loads(file.read_text(encoding="utf-8"))["contest"]:
        contest = opponents.contest(
            table.pop("game"), table.pop("players", None), table.pop("mode", None)
        )
        shares, until = table.pop("shares", None), table.pop("until", None)
        if unknown := set(table) - known:
            raise ValueError(
                f"{file}: {contest} has {sorted(unknown)}, which are unknown; there are game, "
                f"players, mode, shares, until and the settings {sorted(known)}"
            )
        try:
            taken = Course(contest, Settings(**table), shares, until)
        except ValueError as error:
            raise ValueError(f"{file}: {contest}: {error}") from None
        yield taken


def course(contest: Contest) -> Course:
    """The plan's of this contest, or one with the defaults."""
    return next((it for it in courses() if it.contest == contest), Course(contest))


def players_file(taken: Course, folder: Path) -> Path:
    """The file of a training's players, beside its checkpoint."""
    stem = taken.contest.stem
    return folder / stem / f"{stem}.players"


def train(
    taken: Course,
    folder: Path,
    matches: int,
    frames: int,
    output: Path | None = None,
) -> str:
    """Train what is not trained yet, measure it, and write the file of players.

    Args:
        taken: What is trained, and how.
        folder: For checkpoints; each contest has a folder in it.
        matches: Of each pair of players.
        frames: That a match may take.
        output: The file; None: beside the checkpoint.

    Returns:
        A line that says what was written.
    """
    contest = taken.contest

    def tell(line: str) -> None:
        print(f"{contest.stem:<20} {line}", flush=True)

    torch.set_num_threads(1)
    output = output or players_file(taken, folder)
    folder = folder / contest.stem
    tell(f"{contest}: {taken.settings.steps:,} steps in {folder}")
    with going_on(folder):
        training = Training(contest, taken.settings, folder)
        training.run(tell, until=taken.until)
        tell(f"plays {matches} matches of each pair, of at most {frames:,} frames")
        trained = measured(training, matches, frames, tell, taken.shares)
    write(output, trained)
    line = f"written: {output}, {output.stat().st_size:,} bytes"
    if not good_enough(trained):
        line += "; the strong player does not clearly beat random play"
    if not apart(trained):
        line += "; the levels are not clearly apart"
    return line


# ---- Command lines -------------------------------------------------------------------------------


def add_settings(parser: argparse.ArgumentParser, but: Collection[str] = ()) -> None:
    """An argument for each setting, but for some."""
    for each in fields(Settings):
        if each.name not in but:
            low, high = each.metadata["range"]
            parser.add_argument(
                f"--{each.name.replace('_', '-')}",
                type=type(each.default),
                help=f"{each.metadata['help']}; {low:,} to {high:,}; as planned, or {each.default}",
            )


def chosen_settings(planned: Settings, given: argparse.Namespace) -> Settings:
    """The plan's, and what was given instead."""
    asked = {name: getattr(given, name, None) for name in vars(planned)}
    return replace(planned, **{name: it for name, it in asked.items() if it is not None})
