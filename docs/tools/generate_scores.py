"""Writes the table of all contests into docs/opponents.md, from league/scores.json.

    python docs/tools/generate_scores.py

Scores are those that `python -m league score` has measured.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from league import score  # noqa: E402
from pyale_ma.evaluation.matches import wilson  # noqa: E402
from pyale_ma.games.environments import ENVIRONMENTS  # noqa: E402
from pyale_ma.opponents.catalogue import RULED  # noqa: E402

PAGE = ROOT / "docs" / "opponents.md"
BLOCK = re.compile(r"(<!-- scores (\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)
Z = NormalDist().inv_cdf(0.975)  # of intervals of 95 %
LEVELS = (score.PLANNER, RULED, "strong", "middle", "weak")

# Why no player beats random play, by contest.  Scores of trained
# players are those of docs/development/players.md.
WHY = {
    "backgammon-2-4": "the only reward is for bearing off all men, 167 points of dice; random play "
    "makes 8 of them in 5,000 frames, and at most 45 in 20,000 (12 matches each), while its "
    "opponent waits for its turn; trained players score 0.500; a planner would know the dice",
}


class Scored(NamedTuple):
    """A player's score against random play: in all, with its interval, and by seat."""

    matches: int
    mean: float
    low: float
    high: float
    seats: list[float]

    @property
    def wins(self) -> bool:
        """Whether it clearly beats random play."""
        return self.low > 0.5

    def __str__(self) -> str:
        seats = ", ".join(f"{it:.2f}" for it in self.seats)
        return f"{self.mean:.3f} ({self.low:.3f}-{self.high:.3f})" + (f": {seats}" if seats else "")


def scored(played: score.Played, level: str, scores: score.Scores) -> Scored | None:
    """Return a player's score against its opponents; None: it has not been measured."""
    entry = scores.get(played.contest.stem, {}).get(level)
    if entry is None:
        return None
    matches = score.matches_of(played, entry)
    mean = share(entry["seats"])
    # Where all players have the same reward, they were counted together.
    seats = [share([seat]) for seat in entry["seats"]] if len(entry["seats"]) > 1 else []
    return Scored(matches, mean, *wilson(mean, matches, Z), seats)


def share(seats: list[list[int]]) -> float:
    """Return the share of opponents won against; `seats` has wins, draws and losses."""
    return sum(won + drawn / 2 for won, drawn, _ in seats) / sum(map(sum, seats))


def contests() -> Iterator[tuple[score.Played, dict[str, Scored]]]:
    """Yield the contests, each with the scores that were measured."""
    scores = score.read_scores()
    for played in score.contests():
        each = {level: scored(played, level, scores) for level in LEVELS}
        yield played, {level: it for level, it in each.items() if it is not None}


def table(head: list[str], lines: list[list[Any]]) -> str:
    """Return a table of Markdown."""
    rows = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)


def name_of(played: score.Played) -> str:
    """Return the contest's name, with a link to its page."""
    page = played.name if played.name in ENVIRONMENTS else f"{played.name}_v0"
    return f"[{played.name}](environments/{page}.md)"


def all_contests() -> str:
    """Return the table of all contests."""
    lines = [
        [
            name_of(played),
            played.contest.players,
            played.contest.mode,
            *(found.get(level, "") for level in LEVELS),
        ]
        for played, found in contests()
    ]
    return table(["contest", "players", "mode", *LEVELS], lines)


def planner() -> str:
    """Return the planner's settings and times, where they were measured."""
    lines, scores = [], score.read_scores()
    for played, found in contests():
        if score.PLANNER in found:
            entry = scores[played.contest.stem][score.PLANNER]
            settings = entry["player"]
            lines.append(
                [
                    played.name,
                    played.contest.players,
                    found[score.PLANNER].matches,
                    settings["plans"],
                    settings["depth"],
                    f"{1000 * entry['seconds'] / entry['decisions']:.0f}",
                ]
            )
    head = ["contest", "players", "matches", "plans", "depth", "ms a decision"]
    return table(head, lines)


def missing() -> str:
    """Return the contests without a player that beats random play, and why."""
    lines = []
    for played, found in contests():
        if not any(each.wins for each in found.values()):
            it = found.get(score.PLANNER)
            tried = "not measured" if score.PLANNER in played.levels else "refused"
            lines.append(
                [
                    played.name,
                    played.contest.players,
                    tried if it is None else f"{it}; {it.matches} matches",
                    WHY.get(played.contest.stem, ""),
                ]
            )
    return table(["contest", "players", "planner", "why"], lines)


def page(text: str) -> str:
    """Return a page with its blocks written anew."""
    blocks = {it.__name__: it for it in (all_contests, planner, missing)}
    return BLOCK.sub(lambda it: f"{it[1]}{blocks[it[2]]()}{it[3]}", text)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), encoding="utf-8")
