"""Cross-play: how policies score against one another, and ratings computed from that.

Ratings are those of Bradley and Terry (1952, Biometrika 39), on Elo's scale: who is rated d points
higher is expected to score 1 / (1 + 10^(-d / 400)), so 200 points are 0.76.  Draws count half.

They are the maximum of the likelihood times Jeffreys' prior, which is Firth's method (1993,
Biometrika 80).  Without a prior, who won all matches would be rated infinitely high.  With this one
a score of n out of n counts as n + 1/2 out of n + 1.  It depends neither on whose rating is known
nor on the order of the policies.

Intervals are those of the profile of the same function (Heinze and Schemper 2002, Statistics in
Medicine 21).  Where no matches bound a rating from above, as after n wins of n, its interval has no
upper end, only "at least"; likewise below.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import error

from pyale_ma._base import install_hints
from pyale_ma._base.arguments import fraction, known_names
from pyale_ma._base.files import written_aside
from pyale_ma._base.text import Markdown, printable

__all__ = ["CrossPlay", "Elo", "Share"]

Array: TypeAlias = npt.NDArray[np.float64]

POINTS = 400 / math.log(10)  # of Elo's scale for a unit of log-odds
MOST = 10_000  # points; beyond, probabilities are too near to 0 and 1 for sums of floats
_PICTURES = (".png", ".svg", ".pdf")
_MOST_DRAWN = 100  # policies
_LONGEST_STEP = 2.0  # of log-odds: where scores are all or nothing, Newton's step is far too long


class Elo(NamedTuple):
    """A rating on Elo's scale, and its confidence interval.

    Attributes:
        value: The rating, in points.
        low: Lower end of the interval; minus infinity where no match bounds it.
        high: Upper end; infinity where no match bounds it, which means "at least `low`".
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """As in tables."""
        value = f"{self.value:.0f}"
        if self.low == self.high:
            return value
        if math.isinf(self.low) and math.isinf(self.high):
            return f"{value} (unbounded)"
        if math.isinf(self.high):
            return f"{value} (at least {self.low:.0f})"
        if math.isinf(self.low):
            return f"{value} (at most {self.high:.0f})"
        return f"{value} ({self.low:.0f} to {self.high:.0f})"


class Share(NamedTuple):
    """A policy's part in Nash averaging.

    Attributes:
        weight: Its share of the mixture, 0 to 1.
        score: Its score against the mixture: 0.5 if it is part of it, else at most that.
    """

    weight: float
    score: float


@dataclass(frozen=True, eq=False)
class CrossPlay(Markdown):
    """Scores of each of n policies against each other.

    Attributes:
        names: The policies.
        scores: float64 (n, n): the mean score of row against column, over the matches that both
            played: 1 for a win, 0.5 for a draw.  Where one has several seats in a match, the mean
            over pairs of seats.  NaN where they never met, and on the diagonal.
        matches: int64 (n, n): in how many matches both played.
        trials: float64 (n, n): how many independent comparisons these count for.  A match of k
            different policies has k(k - 1) / 2 pairs, but orders only k policies: each pair counts
            2 / k, for two policies 1.
    """

    names: tuple[str, ...]
    scores: Array
    matches: npt.NDArray[np.int64]
    trials: Array

    @staticmethod
    def of(
        names: Sequence[str],
        outcomes: Iterable[tuple[Sequence[str], Sequence[float] | npt.NDArray[Any]]],
    ) -> CrossPlay:
        """Count matches.

        Args:
            names: The policies, in the order of rows and columns; what others did is left out.
            outcomes: Of each match the policy of each seat, and the return of each seat.

        Raises:
            ValueError: A name is there twice, or a return is not finite or has no seat.
            TypeError: A return is no number.
        """
        count = len(names)
        if twice := [name for number, name in enumerate(names) if name in names[:number]]:
            raise ValueError(f"names has {twice[0]!r} twice")
        numbers = {name: number for number, name in enumerate(names)}
        points, trials = np.zeros((count, count)), np.zeros((count, count))
        matches = np.zeros((count, count), np.int64)
        for lineup, returns in outcomes:
            seats: dict[str, list[float]] = {}
            for name, value in zip(lineup, map(float, returns), strict=True):
                if not math.isfinite(value):
                    raise ValueError(f"a return of {name!r} is {value}; it must be finite")
                seats.setdefault(name, []).append(value)
            for one, other in permutations(seats.keys() & numbers.keys(), 2):
                differences = np.subtract.outer(seats[one], seats[other])
                pair = numbers[one], numbers[other]
                points[pair] += np.mean((np.sign(differences) + 1) / 2)
                matches[pair] += 1
                trials[pair] += 2 / len(seats)
        with np.errstate(invalid="ignore"):
            return CrossPlay(tuple(names), points / matches, matches, trials)

    @known_names
    def elo(
        self, known: Mapping[str, float] | None = None, *, confidence: float = 0.95
    ) -> dict[str, Elo]:
        """The rating of each policy, the best first.

        One number for each policy supposes that who beats a strong one beats a weak one all the
        more.  Where scores go round in circles, look at the scores.

        Args:
            known: Ratings that are taken as given and fix the scale, in points; None: "random" is
                0, or the first policy if none has this name.
            confidence: Of the intervals, between 0 and 1.

        Raises:
            TypeError: `confidence` is no number.
            ValueError: There is no policy, no such one, an argument is out of range, or a policy
                met nobody who is known, not even through others.
        """
        confidence = fraction("confidence", confidence)
        if not self.names:
            raise ValueError("there are no matches to rate policies by")
        if known is None:
            known = {"random" if "random" in self.names else self.names[0]: 0.0}
        for name, points in known.items():
            if name not in self.names:
                raise ValueError(f"known has {name!r}; there are {', '.join(self.names)}")
            if not -MOST <= points <= MOST:  # nor is NaN
                raise ValueError(f"known[{name!r}] is {points}; it must be {-MOST} to {MOST}")
        if not known:
            raise ValueError("known is empty: name a policy and its rating, or leave it out")
        fixed = np.array([name in known for name in self.names])
        given = np.array([known.get(name, math.nan) for name in self.names]) / POINTS
        points_won = np.where(self.matches > 0, self.scores, 0) * self.trials
        self._check_met(fixed)
        values, ends = _fitted(points_won, self.trials, fixed, given, confidence)
        found = {
            name: Elo(float(known[name]), float(known[name]), float(known[name]))
            if name in known
            else Elo(*(float(POINTS * x) for x in (values[number], *ends[number])))
            for number, name in enumerate(self.names)
        }
        return dict(sorted(found.items(), key=lambda item: -item[1].value))

    def _check_met(self, fixed: npt.NDArray[np.bool_]) -> None:
        met = _reached(self.matches > 0, fixed)
        if not met.all():
            alone = self.names[int(np.argmin(met))]
            known = ", ".join(np.array(self.names)[fixed])
            raise ValueError(
                f"{alone!r} met none of those whose rating is known ({known}), not even through "
                "others: let it play against them, or name it in `known`"
            )

    def nash(self) -> dict[str, Share]:
        """Nash averaging: policies weighed by the mixture of them that none beats, best first.

        Other averages change with who happens to play: a policy gains by weak opponents that it
        beats, and by copies of them.  Here copies share one weight, and those who are beaten have
        none.  Scores less 1/2 make a symmetric zero-sum game; of its equilibria the one with the
        most entropy is taken (Balduzzi et al. 2018, arXiv 1806.02643).

        Scores are taken as exact: where few matches decide who beats whom, weights mean little.

        Raises:
            gymnasium.error.DependencyNotInstalled: SciPy is not installed.
            ValueError: There is no policy, or two policies never met.
        """
        try:
            from pyale_ma.evaluation.nash import equilibrium
        except ModuleNotFoundError as missing:
            raise error.DependencyNotInstalled(
                f"{missing.name} is missing, which nash() needs; "
                f"run `{install_hints.install('nash')}`"
            ) from missing
        if not self.names:
            raise ValueError("there are no matches to weigh policies by")
        apart = ~np.eye(len(self.names), dtype=bool)
        for row, column in np.argwhere((self.matches == 0) & apart).tolist():
            raise ValueError(
                f"{self.names[row]!r} and {self.names[column]!r} never met: let them play, or "
                "leave one out by `names` of matrix()"
            )
        payoffs = np.where(apart, self.scores, 0.5) - 0.5
        payoffs = (payoffs - payoffs.T) / 2  # what rounding leaves of it
        weights = equilibrium(payoffs)
        scores = 0.5 + payoffs @ weights
        shares = {
            name: Share(float(weight), float(score))
            for name, weight, score in zip(self.names, weights, scores, strict=True)
        }
        # Members of the mixture all score 1/2, but for the last digits.
        best_first = sorted(shares.items(), key=lambda it: (-round(it[1].score, 6), -it[1].weight))
        return dict(best_first)

    def __str__(self) -> str:
        """The scores for people, in Markdown: of the row against the column, and the matches."""
        rows = [
            f"| score against | {' | '.join(self.names)} |",
            f"| --- |{' ---: |' * len(self.names)}",
        ]
        for name, scores, matches in zip(self.names, self.scores, self.matches, strict=True):
            cells = [
                f"{score:.3f} ({count})" if count else "-"
                for score, count in zip(scores, matches, strict=True)
            ]
            rows.append(f"| {name} | {' | '.join(cells)} |")
        return "\n".join(rows)

    @known_names
    def picture(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path:
        """Draw the scores to a PNG, SVG or PDF file, with the number of matches below each.

        Args:
            path: The file, ".png", ".svg" or ".pdf".
            title: What stands above; None: nothing.

        Returns:
            The path.

        Raises:
            gymnasium.error.DependencyNotInstalled: matplotlib is missing.
            OSError: The file cannot be written.  The one that was there is as it was.
            ValueError: The suffix is another, or there are no policies, or more than can be read.
        """
        if Path(path).suffix.lower() not in _PICTURES:
            raise ValueError(f"path is {printable(path)}; it must end in {', '.join(_PICTURES)}")
        if not 0 < len(self.names) <= _MOST_DRAWN:
            raise ValueError(
                f"there are {len(self.names)} policies; a picture has 1 to {_MOST_DRAWN}"
            )
        try:
            from matplotlib.figure import Figure
        except ModuleNotFoundError as missing:
            raise error.DependencyNotInstalled(
                f"{missing.name} is missing, which picture() needs; run `pip install matplotlib`"
            ) from missing

        count = len(self.names)
        side = 2.2 + 0.75 * count
        figure = Figure(figsize=(side + 0.8, side), layout="constrained")
        axes = figure.subplots()
        image = axes.imshow(self.scores, cmap="RdBu", vmin=0, vmax=1)
        axes.set_facecolor("0.9")  # where there is no score
        for row, column in np.argwhere(self.matches > 0).tolist():
            score = float(self.scores[row, column])
            color = "white" if abs(score - 0.5) > 0.35 else "black"
            for text, align, size in (
                (f"{score:.3f}", "bottom", 9),
                (f"{self.matches[row, column]}", "top", 7),
            ):
                axes.text(column, row, text, ha="center", va=align, color=color, fontsize=size)
        names = [printable(name) for name in self.names]
        axes.set_xticks(range(count), names, rotation=30, ha="right", parse_math=False)
        axes.set_yticks(range(count), names, parse_math=False)
        axes.set_xlabel("opponent")
        axes.set_ylabel("policy")
        if title is not None:
            axes.set_title(printable(title), fontsize=10, parse_math=False)
        bar = figure.colorbar(image, shrink=0.8)
        bar.set_label("score of the policy against the opponent; below: matches", fontsize=8)
        with written_aside(path) as aside:
            figure.savefig(aside, dpi=120)
        return Path(path)


# ---- The fit, in units of log-odds ---------------------------------------------------------------


def _reached(steps: npt.NDArray[np.bool_], begin: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whom one comes to from `begin`, (n,), when steps[a, b] lead from a to b."""
    found = begin
    while True:
        more = found | (steps & found[:, None]).any(axis=0)
        if (more == found).all():
            return more
        found = more


def _fitted(
    won: Array,
    trials: Array,
    fixed: npt.NDArray[np.bool_],
    given: Array,
    confidence: float,
) -> tuple[Array, list[tuple[float, float]]]:
    """All ratings, and the ends of the intervals of those that are not fixed.

    Args:
        won: float64 (n, n): points of row against column.
        trials: float64 (n, n): of how many.
        fixed: bool (n,): whose rating is given.
        given: float64 (n,): ratings, NaN where they are not given.
        confidence: Of the intervals.
    """
    fit = _Fit(won, trials, fixed)
    begin = np.where(fixed, given, np.mean(given[fixed]))
    best, top = fit.maximum(begin, ~fixed)
    drop = NormalDist().inv_cdf((1 - confidence) / 2) ** 2 / 2
    # A rating has an upper bound if one who is known won points against one who won points against
    # one ... who won points against it (Ford 1957, American Mathematical Monthly 64).
    bounded = {1: _reached(won > 0, fixed), -1: _reached(won.T > 0, fixed)}
    ends = []
    for one in range(len(best)):
        low, high = (
            fit.end(best, one, side, top - drop)
            if not fixed[one] and bounded[side][one]
            else side * math.inf
            for side in (-1, 1)
        )
        ends.append((low, high))
    return best, ends


class _Fit:
    """The log-likelihood of ratings, with the logarithm of Jeffreys' prior, and its maximum."""

    def __init__(self, won: Array, trials: Array, fixed: npt.NDArray[np.bool_]) -> None:
        self._one, self._other = np.nonzero(np.triu(trials) > 0)
        self._won = won[self._one, self._other]
        self._trials = trials[self._one, self._other]
        self._fixed = fixed
        # Of each pair the difference of its ratings, as a matrix.
        self._pairs = np.zeros((len(self._one), len(fixed)))
        rows = np.arange(len(self._one))
        self._pairs[rows, self._one], self._pairs[rows, self._other] = 1, -1

    def _information(self, ratings: Array) -> tuple[Array, Array, Array]:
        """Each pair's expected score, its variance, and Fisher's information of free ratings."""
        odds = np.exp(self._pairs @ ratings)
        expected, variance = odds / (1 + odds), odds / (1 + odds) ** 2
        free = self._pairs[:, ~self._fixed]
        return expected, variance, free.T @ ((self._trials * variance)[:, None] * free)

    def value(self, ratings: Array) -> float:
        """The function at some ratings."""
        differences = self._pairs @ ratings
        likelihood = -self._won @ np.logaddexp(0, -differences)
        likelihood -= (self._trials - self._won) @ np.logaddexp(0, differences)
        sign, prior = np.linalg.slogdet(self._information(ratings)[2])
        return float(likelihood + prior / 2) if sign > 0 else -math.inf

    def maximum(self, ratings: Array, moving: npt.NDArray[np.bool_]) -> tuple[Array, float]:
        """The best ratings where only some may move, by Fisher scoring, and the value there."""
        value = self.value(ratings)
        free = self._pairs[:, ~self._fixed]
        pairs = self._pairs[:, moving]
        for _ in range(500 if moving.any() else 0):
            expected, variance, information = self._information(ratings)
            weights = self._trials * variance
            # The prior acts as if each pair had half a win and half a loss, times its leverage.
            leverage = weights * np.sum(free.T * np.linalg.solve(information, free.T), axis=0)
            slope = self._won - self._trials * expected + leverage * (0.5 - expected)
            curve = pairs.T @ ((weights + leverage * variance)[:, None] * pairs)
            step = np.zeros_like(ratings)
            step[moving] = np.linalg.solve(curve, pairs.T @ slope)
            longest = np.abs(step).max()
            step *= min(1.0, _LONGEST_STEP / max(longest, 1e-300))
            for _ in range(30):
                if (there := self.value(ratings + step)) >= value:
                    break
                step /= 2
            else:
                break  # nothing near is better
            ratings, value = ratings + step, there
            if longest < 1e-9:
                break
        return ratings, value

    def end(self, best: Array, one: int, side: int, least: float) -> float:
        """The rating of one, above or below the best, at which the function falls to `least`."""
        moving = ~self._fixed
        moving[one] = False
        at = best

        def excess(rating: float) -> float:
            nonlocal at
            at = at.copy()
            at[one] = rating
            at, value = self.maximum(at, moving)
            return value - least

        return _root(excess, float(best[one]), side)


def _root(excess: Callable[[float], float], inside: float, side: int) -> float:
    """Where a function that is positive inside, and falls to that side, is 0.

    By the Illinois algorithm (Dowell and Jarratt 1971, BIT 11).
    """
    above, stride = excess(inside), 0.25
    while (below := excess(outside := inside + side * stride)) > 0:
        inside, above, stride = outside, below, 2 * stride
    kept = 0  # which end has stayed, 1 for the inner one
    while abs(outside - inside) > 1e-6:  # 0.0002 points
        between = (outside * above - inside * below) / (above - below)
        value = excess(between)
        if abs(value) < 1e-9:
            return between
        if value > 0:
            inside, above = between, value
            below, kept = below / (2 if kept == -1 else 1), -1
        else:
            outside, below = between, value
            above, kept = above / (2 if kept == 1 else 1), 1
    return outside
