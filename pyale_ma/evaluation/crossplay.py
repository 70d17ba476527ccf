"""Cross-play: scores of policies against one another, their table and its picture."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base import install_hints
from pyale_ma._base.arguments import fraction, known_names
from pyale_ma._base.files import written_aside
from pyale_ma._base.text import Markdown, printable
from pyale_ma.evaluation.elo import MOST, Elo, fitted, reached

__all__ = ["CrossPlay", "Elo", "Share"]

Array: TypeAlias = npt.NDArray[np.float64]

_PICTURES = (".png", ".svg", ".pdf")
_MOST_DRAWN = 100  # policies


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
            TypeError: A return is not a number.
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
            TypeError: `confidence` is not a number.
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
        fixed = np.array([known.get(name, math.nan) for name in self.names], np.float64)
        self._check_met(~np.isnan(fixed))
        won = np.where(self.matches > 0, self.scores, 0) * self.trials
        ratings = zip(self.names, fitted(won, self.trials, fixed, confidence), strict=True)
        return dict(sorted(ratings, key=lambda item: -item[1].value))

    def _check_met(self, is_known: npt.NDArray[np.bool_]) -> None:
        """See that each met, at least through others, somebody whose rating is known."""
        met = reached(self.matches > 0, is_known)
        if not met.all():
            alone = self.names[int(np.argmin(met))]
            known = ", ".join(np.array(self.names)[is_known])
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
        except ModuleNotFoundError as problem:
            command = install_hints.install("nash")
            raise install_hints.missing(problem, command, "nash()") from problem
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
        except ModuleNotFoundError as problem:
            command = "pip install matplotlib"
            raise install_hints.missing(problem, command, "picture()") from problem

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
