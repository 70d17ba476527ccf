"""Ratings on Elo's scale, fitted to scores.

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
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["MOST", "POINTS", "Elo", "expected_score", "fitted", "reached"]

Array: TypeAlias = npt.NDArray[np.float64]

POINTS = 400 / math.log(10)  # of Elo's scale for a unit of log-odds
MOST = 5_000  # points; beyond, probabilities are too near to 0 and 1 for matrices of floats
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
        """Return the strength as tables show it."""
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


def expected_score(difference: float) -> float:
    """Return the expected score of a player whose rating is higher by `difference`."""
    return 1 / (1 + 10 ** (-difference / 400))


def fitted(won: Array, trials: Array, known: Array, confidence: float) -> list[Elo]:
    """Fit the ratings that are not known to the others and to the scores.

    Args:
        won: float64 (n, n): points of row against column.
        trials: float64 (n, n): of how many.
        known: float64 (n,): known ratings, in points; NaN for the others.
        confidence: Of the intervals.
    """
    is_known, log_odds = ~np.isnan(known), known / POINTS
    fit = _Fit(won, trials, is_known)
    begin = np.where(is_known, log_odds, np.mean(log_odds[is_known]))
    best, top = fit.maximum(begin, ~is_known)
    drop = NormalDist().inv_cdf((1 - confidence) / 2) ** 2 / 2
    # A rating has an upper bound if one who is known won points against one who won points against
    # one ... who won points against it (Ford 1957, American Mathematical Monthly 64).
    is_bounded = {1: reached(won > 0, is_known), -1: reached(won.T > 0, is_known)}
    ratings = []
    for one, value in enumerate(best):
        if is_known[one]:
            ratings.append(Elo(*[float(known[one])] * 3))
            continue
        low, high = (
            fit.end(best, one, side, top - drop) if is_bounded[side][one] else side * math.inf
            for side in (-1, 1)
        )
        ratings.append(Elo(*(float(POINTS * log_odds) for log_odds in (value, low, high))))
    return ratings


def reached(steps: npt.NDArray[np.bool_], begin: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Find all that can be reached from `begin`, (n,), where steps[a, b] lead from a to b."""
    there = begin
    while True:
        next_there = there | (steps & there[:, None]).any(axis=0)
        if (next_there == there).all():
            return next_there
        there = next_there


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
            gain = there - value
            ratings, value = ratings + step, there
            # Rounding hides what shorter steps gain, and halves them: they need not end below 1e-9.
            if longest < 1e-9 or (longest < 1e-6 and not gain):
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
    """Return the root of a function that is positive inside and falls to that side.

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
