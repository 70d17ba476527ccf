"""How the players of the package were trained: `plan.toml`, as contests and their settings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path

from league.export import SHARES
from league.learner import Settings
from pyale_ma import opponents
from pyale_ma.opponents import Contest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PLAN = Path(__file__).with_name("plan.toml")


@dataclass(frozen=True)
class Course:
    """A contest, and how its players learn."""

    contest: Contest
    settings: Settings = field(default_factory=Settings)
    shares: tuple[float, float, float] = SHARES
    until: int | None = None


def courses(file: Path = PLAN) -> Iterator[Course]:
    """The plan's, in its order.

    Raises:
        ValueError: A table has a name that means nothing.
    """
    known = {each.name for each in fields(Settings)}
    for table in tomllib.loads(file.read_text(encoding="utf-8"))["contest"]:
        contest = opponents.contest(
            table.pop("game"), table.pop("players", None), table.pop("mode", None)
        )
        shares, until = tuple(table.pop("shares", SHARES)), table.pop("until", None)
        if unknown := set(table) - known:
            raise ValueError(
                f"{file}: {contest} has {sorted(unknown)}; settings are {sorted(known)}"
            )
        yield Course(contest, Settings(**table), shares, until)


def course(contest: Contest) -> Course:
    """The plan's of this contest, or one with the defaults."""
    return next((it for it in courses() if it.contest == contest), Course(contest))
