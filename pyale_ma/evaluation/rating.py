"""Rate a policy by matches against the players of a rating table."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyale_ma._base.arguments import fraction, integer, known_names
from pyale_ma._base.text import Markdown
from pyale_ma.evaluation.arena import MOST_MATCHES, Arena
from pyale_ma.evaluation.crossplay import CrossPlay
from pyale_ma.evaluation.elo import Elo, expected_score
from pyale_ma.evaluation.matches import Results, Standing, duels
from pyale_ma.evaluation.rating_table import RatingTable, rating_table
from pyale_ma.opponents import catalogue
from pyale_ma.opponents.catalogue import Contest
from pyale_ma.opponents.policies import Policy
from pyale_ma.opponents.trained import TrainedPolicy
from pyale_ma.recording.file.format import OBSERVATION

__all__ = ["Rated", "RatingTable", "arena_of", "rate", "rating_of", "rating_table"]

# Of the arena: what a policy sees, and how fast it goes.  Others would make it another contest.
OPTIONS = (*OBSERVATION["vector"], "grayscale", "num_envs", "num_threads")
_RATED = "policy"  # its name in line-ups


@dataclass(frozen=True)
class Rated(Markdown):
    """A policy's rating, and what it comes of.

    Attributes:
        rating: On the table's scale.  The interval is that of these matches; the table's ratings
            are taken as exact, for they make the scale.  Players whose own rating has no bound,
            such as one that lost all its matches, do not count; but where the policy wins all
            matches against the others, those of whom only a lower bound is known give it a
            rating, which is a lower bound, too.
        against: The result against each player of the table, the best first.
        expected: The score that the rating promises against each.  Where one is far out of the
            interval of what was found, one number does not say how well this policy plays.
        table: Whom it met.
        results: All matches; the policy is called "policy" there.
    """

    rating: Elo
    against: Mapping[str, Standing]
    expected: Mapping[str, float]
    table: RatingTable
    results: Results

    def __str__(self) -> str:
        """The rating and the results for people, in Markdown."""
        rows = [
            f"Rating in {self.table.contest}: {self.rating}; random play has 0",
            "",
            "| opponent | rating | matches | score | interval | expected |",
            "| --- | ---: | ---: | ---: | ---: | ---: |",
        ]
        ratings = self.table.elo()
        for name, it in self.against.items():
            rows.append(
                f"| {name} | {ratings[name].value:.0f} | {it.matches} | {it.score:.3f} | "
                f"{it.low:.3f}-{it.high:.3f} | {self.expected[name]:.3f} |"
            )
        return "\n".join(rows)


@known_names
def rate(
    policy: Policy | str,
    name: str | os.PathLike[str] | Contest,
    *,
    num_players: int | None = None,
    mode: int | None = None,
    matches: int = 100,
    seed: int = 0,
    confidence: float = 0.95,
    **options: Any,
) -> Rated:
    """Rate a policy by matches against all players of the package's table.

    With the same arguments it plays the same matches, if the policy draws its random numbers from
    `Turn`.

    Args:
        policy: The policy; or a level, such as "weak", or a `TrainedPolicy`.
        name: A game, such as "pong", an environment, such as "pong_v3", or a contest.
        num_players: For how many players the game is; None as in `contest`.
        mode: The game's mode; None as in `contest`.
        matches: Against each player, rounded up to as many on each seat: to a multiple of 2 in
            games of two players, of 6 of three, of 8 of four.  All together are at most 2**32.
        seed: Of the first match.
        confidence: Of the intervals, between 0 and 1.
        **options: What the policy sees, as of `Arena`: `obs_type`, `stack_num` and others; also
            `num_envs` and `num_threads`.

    Examples:
        ```python
        from pyale_ma import opponents

        rated = opponents.rate("sticky", "quartet", num_players=2, matches=2)
        print(rated.rating)
        ```

    Raises:
        ValueError: There is no such game, there are no ratings of this contest, the policy is a
            player of another one, or an argument is out of range.
        TypeError: The policy cannot be called, `matches`, `seed` or `confidence` is no number, or
            an option would change what is played.

    Warns:
        UserWarning: Some matches are equal, step by step.
    """
    table = rating_table(name, num_players=num_players, mode=mode)
    if refused := sorted(options.keys() - set(OPTIONS)):
        raise TypeError(
            f"{', '.join(refused)} cannot be chosen: all ratings are of the same game; there are "
            f"{', '.join(OPTIONS)}"
        )
    names = table.crossplay.names
    lineups = [lineup for other in names for lineup in duels(_RATED, other, table.contest.players)]
    each = len(lineups) // len(names)  # line-ups against one player
    matches = integer("matches", matches, 1, MOST_MATCHES // len(lineups) * each)
    confidence = fraction("confidence", confidence)  # before an hour of matches
    if isinstance(policy, (str, TrainedPolicy)):
        try:
            policy = catalogue.fitted(policy, catalogue.select(table.contest), table.frameskip)
        except ValueError as problem:
            raise ValueError(f"policy: {problem}") from None
    arena = arena_of(table.contest, table.frameskip, table.frames, **options)
    games = -(-matches // each)
    policies: dict[str, Policy | str] = {_RATED: policy, **{other: other for other in names}}
    results = arena.play(policies, lineups=lineups, games=games, seed=seed)
    rating = rating_of(_RATED, results.matrix(), table, confidence)
    ratings = {other: elo.value for other, elo in table.elo().items()}
    against = {
        other: standing
        for other in ratings
        for standing in results.table(confidence=confidence, against=other)
    }
    expected = {other: expected_score(rating.value - value) for other, value in ratings.items()}
    return Rated(rating, against, expected, table, results)


def rating_of(name: str, scores: CrossPlay, table: RatingTable, confidence: float) -> Elo:
    """Rate a policy that played the players of a table, whose ratings are taken as exact.

    Players who won or lost everything have ratings without a bound.  They are not marks of the
    scale, because a match against them says nothing certain about the other.  A policy above all
    marks is also compared with the players above them.

    Args:
        name: The policy.
        scores: The matches.
        table: The table.
        confidence: Of the interval.
    """
    bounded_below = {other: elo for other, elo in table.elo().items() if math.isfinite(elo.low)}
    marks = {other: elo.value for other, elo in bounded_below.items() if math.isfinite(elo.high)}
    above = {other: elo for other, elo in bounded_below.items() if other not in marks}

    def rated(more: dict[str, float]) -> Elo:
        return scores.elo(marks | more, confidence=confidence)[name]

    rating = rated({})
    if math.isfinite(rating.high) or not above:
        return rating
    value = rated({other: elo.value for other, elo in above.items()}).value
    low = rated({other: elo.low for other, elo in above.items()}).low
    return Elo(value, max(low, rating.low), math.inf)


def arena_of(played: Contest, frameskip: int, frames: int, **options: Any) -> Arena:
    """Make the arena in which the matches of a table are played.

    Args:
        played: The contest.
        frameskip: Frames of a step.
        frames: Frames after which a match is ended.
        **options: Further ones of the arena.
    """
    return Arena(
        played.game,
        played.players,
        mode=played.mode,
        frameskip=frameskip,
        max_num_frames_per_episode=frames,
        **options,
    )
