"""Matches between policies: line-ups, what was played, and tables and ratings of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import NormalDist
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import fraction, integer, known_names
from pyale_ma._base.text import Markdown
from pyale_ma.evaluation.crossplay import CrossPlay

Array: TypeAlias = npt.NDArray[Any]
Lineup: TypeAlias = tuple[str, ...]


def lineups(names: Sequence[str], num_players: int) -> list[Lineup]:
    """All combinations of `num_players` policies, each in every rotation of the seats.

    So in two-player games each pair plays with both seatings, and in four-player games every policy
    of a combination has each seat once.

    Args:
        names: The names of the policies.
        num_players: The number of seats.

    Examples:
        ```python
        from pyale_ma.evaluation import lineups

        print(lineups(["a", "b", "c"], 2))
        ```

    Raises:
        TypeError: `num_players` is not a whole number.
        ValueError: It is below 1, or there are fewer policies than seats.
    """
    num_players = integer("num_players", num_players, 1)
    if len(names) < num_players:
        raise ValueError(
            f"{num_players} players need as many policies, and there are {len(names)} "
            f"({', '.join(names) or 'none'}): add some, or give `lineups`, in which a policy may "
            "sit on several seats"
        )
    return [
        (*chosen[turn:], *chosen[:turn])
        for chosen in combinations(names, num_players)
        for turn in range(num_players)
    ]


def duels(one: str, other: str, num_players: int) -> list[Lineup]:
    """All line-ups in which one policy has one seat and another policy the rest, both ways round.

    For two players these are both seatings, for four players eight.

    Args:
        one: The name of a policy.
        other: The name of another one.
        num_players: The number of seats, from 2.

    Examples:
        ```python
        from pyale_ma.evaluation import duels

        for lineup in duels("one", "other", 4):
            print(lineup)
        ```

    Raises:
        TypeError: `num_players` is not a whole number.
        ValueError: It is below 2.
    """
    num_players = integer("num_players", num_players, 2)
    seatings = [
        tuple(alone if seat == place else rest for seat in range(num_players))
        for alone, rest in ((one, other), (other, one))
        for place in range(num_players)
    ]
    return list(dict.fromkeys(seatings))


@dataclass(frozen=True, eq=False)
class Match:
    """One game from its beginning to its end; equal to another in which all is equal.

    Attributes:
        lineup: The policy of each seat.
        seed: The seed of the environment.
        returns: The return of each seat, before reward clipping.
        truncated: Whether the frame limit ended it.
        actions: uint8 (steps, players): all actions.
        ending: A checksum of the last observation.
    """

    lineup: Lineup
    seed: int
    returns: tuple[int, ...]
    truncated: bool
    actions: npt.NDArray[np.uint8] = field(repr=False)
    ending: int = 0

    def _all(self) -> tuple[Any, ...]:
        fields = (self.lineup, self.seed, self.returns, self.truncated, self.ending)
        return (*fields, self.actions.shape, self.actions.tobytes())

    def __eq__(self, other: object) -> bool:
        return self._all() == other._all() if isinstance(other, Match) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._all())

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Seats of different policies, each before each."""
        for seat, name in enumerate(self.lineup):
            for other, opponent in enumerate(self.lineup):
                if name != opponent:
                    yield seat, other


class Standing(NamedTuple):
    """The result of a policy.

    Attributes:
        name: The name of the policy.
        matches: Number of matches in which it played.
        won: Opponents that had a lower return in the same match, over all matches.
        drawn: Opponents that had the same return.
        lost: Opponents that had a higher one.
        score: The share of opponents that it beat, where a draw counts half; the mean over matches.
            NaN if it had no opponents.
        low: Lower end of the score's confidence interval (Wilson's).
        high: Its upper end.
        mean_return: The mean over its matches and seats.
        return_error: Half the width of the mean return's confidence interval.
    """

    name: str
    matches: int
    won: int
    drawn: int
    lost: int
    score: float
    low: float
    high: float
    mean_return: float
    return_error: float


class Results(Markdown):
    """Matches, and the tables and ratings computed from them.

    Args:
        matches: Matches of one game.

    Attributes:
        matches: The matches.
        names: The policies, in the order of their first match.

    Examples:
        ```python
        from pyale_ma.evaluation import Arena

        arena = Arena("quartet", 2, mode=2, obs_type="ram", stack_num=1)
        results = arena.play({"sticky": "sticky", "random": "random"}, games=2)
        for standing in results.table():
            print(standing.name, standing.score)
        print(results.matrix().elo({"random": 0}))
        ```
    """

    def __init__(self, matches: Iterable[Match]) -> None:
        self.matches = list(matches)
        self.names = list(dict.fromkeys(name for match in self.matches for name in match.lineup))

    @property
    def distinct(self) -> int:
        """Number of matches that differ from all before in line-up, actions, returns or ending.

        Where neither the game nor the policies draw random numbers, matches repeat one another, and
        confidence intervals, which take them for independent, are too narrow.
        """
        return len(
            {(it.lineup, it.returns, it.ending, it.actions.tobytes()) for it in self.matches}
        )

    @known_names
    def table(
        self, *, confidence: float = 0.95, against: str | None = None, seat: int | None = None
    ) -> list[Standing]:
        """The result of each policy, best first: by score, then by mean return.

        Args:
            confidence: Confidence of the intervals, 0 to 1.
            against: Count only this opponent.
            seat: Count only results on this seat.

        Raises:
            TypeError: `confidence` is not a number, or `seat` no whole number.
            ValueError: There is no such opponent or seat, or `confidence` is out of range.
        """
        confidence = fraction("confidence", confidence)
        if against is not None and against not in self.names:
            raise ValueError(f"against is {against!r}; there are {', '.join(self.names)}")
        players = len(self.matches[0].lineup) if self.matches else 0
        if seat is not None:
            seat = integer("seat", seat, 0, players - 1)
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        standings = [
            _standing(name, self.matches, z, against, seat)
            for name in self.names
            if name != against
        ]
        standings = [standing for standing in standings if standing.matches]
        return sorted(standings, key=lambda s: (-np.nan_to_num(s.score), -s.mean_return))

    def matrix(self, names: Sequence[str] | None = None) -> CrossPlay:
        """The scores of each policy against each other, and ratings on Elo's scale.

        Args:
            names: The policies, in the order of rows and columns; None: all, best first as in
                `table`.

        Raises:
            ValueError: There is no such policy, or one is named twice.
        """
        if names is None:
            names = [standing.name for standing in self.table()]
        for name in names:
            if name not in self.names:
                raise ValueError(f"names has {name!r}; there are {', '.join(self.names)}")
        if len(set(names)) < len(names):
            raise ValueError(f"names has a policy twice: {', '.join(names)}")
        return CrossPlay.of(names, ((it.lineup, it.returns) for it in self.matches))

    def __str__(self) -> str:
        """The table for people, in Markdown."""
        rows = [
            "| policy | matches | won | drawn | lost | score | 95 % | mean return |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        for it in self.table():
            has_score = not math.isnan(it.score)
            score = f"{it.score:.3f} | {it.low:.3f}-{it.high:.3f}" if has_score else "- | -"
            error = f" ± {it.return_error:.2f}" if math.isfinite(it.return_error) else ""
            rows.append(
                f"| {it.name} | {it.matches} | {it.won} | {it.drawn} | {it.lost} | {score} | "
                f"{it.mean_return:.2f}{error} |"
            )
        return "\n".join(rows)


def _standing(
    name: str, matches: Iterable[Match], z: float, against: str | None, seat: int | None
) -> Standing:
    won = drawn = lost = 0
    scores, returns = [], []
    for match in matches:
        if against is not None and against not in match.lineup:
            continue
        seats = [
            mine
            for mine, player in enumerate(match.lineup)
            if player == name and seat in (None, mine)
        ]
        if not seats:
            continue
        differences = [
            match.returns[mine] - match.returns[other]
            for mine, other in match.pairs()
            if mine in seats and against in (None, match.lineup[other])
        ]
        more, same = sum(d > 0 for d in differences), sum(d == 0 for d in differences)
        won, drawn, lost = won + more, drawn + same, lost + len(differences) - more - same
        returns.append(float(np.mean([match.returns[mine] for mine in seats])))
        if differences:
            scores.append((more + same / 2) / len(differences))
    score = float(np.mean(scores)) if scores else math.nan
    low, high = wilson(score, len(scores), z) if scores else (math.nan, math.nan)
    mean, half = _mean(returns, z)
    return Standing(name, len(returns), won, drawn, lost, score, low, high, mean, half)


def wilson(mean: float, count: int, z: float) -> tuple[float, float]:
    """The interval of the mean of numbers from 0 to 1: for shares exact enough, for others wide."""
    middle = (mean + z * z / (2 * count)) / (1 + z * z / count)
    spread = mean * (1 - mean) / count + z * z / (4 * count * count)
    half = z * math.sqrt(spread) / (1 + z * z / count)
    return max(0.0, middle - half), min(1.0, middle + half)


def _mean(values: Sequence[float], z: float) -> tuple[float, float]:
    if not values:
        return math.nan, math.nan
    if len(values) == 1:
        return values[0], math.inf
    return float(np.mean(values)), z * float(np.std(values, ddof=1)) / math.sqrt(len(values))
