"""Scores of policies against one another, and ratings: known values, exact coverage, no luck."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from pyale_ma.evaluation import CrossPlay

INF = math.inf


def league(names: str, won: Mapping[str, float], matches: int) -> CrossPlay:
    """Of each pair that is named, the points of the first in so many matches."""
    outcomes = []
    for pair, points in won.items():
        one, other = tuple(pair)
        whole, half = int(points), int(points % 1 * 2)
        lost = matches - whole - half
        outcomes += [((one, other), (1, 0))] * whole + [((one, other), (0, 0))] * half
        outcomes += [((one, other), (0, 1))] * lost
    return CrossPlay.of(names, outcomes)


def promised(difference: float) -> float:
    return 1 / (1 + 10 ** (-difference / 400))


# ---- Scores --------------------------------------------------------------------------------------


def test_scores() -> None:
    cross = CrossPlay.of(
        "abc",
        [
            ("ab", (1, 0)),
            ("ba", (2, 2)),
            ("aabb", (4, 0, 2, 2)),  # 1, 1, 0 and 0 over pairs of seats
            ("cabc", (3, 2, 1, 0)),
            ("ad", (0, 9)),  # d is not asked for
        ],
    )
    assert cross.names == ("a", "b", "c")
    assert cross.matches.tolist() == [[0, 4, 1], [4, 0, 1], [1, 1, 0]]
    assert cross.scores[0, 1] == (1 + 0.5 + 0.5 + 1) / 4
    assert cross.scores[2, 0] == cross.scores[2, 1] == 0.5
    assert np.isnan(np.diagonal(cross.scores)).all()
    np.testing.assert_allclose((cross.scores + cross.scores.T)[~np.eye(3, dtype=bool)], 1)
    assert cross.trials[0, 1] == pytest.approx(3 + 2 / 3)
    assert cross.trials[0, 2] == pytest.approx(2 / 3)


def test_those_who_never_met() -> None:
    cross = league("abc", {"ab": 1.5}, 2)
    assert np.isnan(cross.scores[0, 2])
    assert cross.matches[0, 2] == cross.trials[0, 2] == 0
    assert str(cross).splitlines() == [
        "| score against | a | b | c |",
        "| --- | ---: | ---: | ---: |",
        "| a | - | 0.750 (2) | - |",
        "| b | 0.250 (2) | - | - |",
        "| c | - | - | - |",
    ]


# ---- Ratings -------------------------------------------------------------------------------------


@pytest.mark.parametrize("matches", [1, 7, 200])
def test_a_pair_has_the_rating_of_the_formula(matches: int) -> None:
    """The prior counts half a win and half a loss; who lost nothing is rated "at least"."""
    for points in {0.0, 0.5, matches / 2, matches - 1.0, float(matches)}:
        elo = league("ab", {"ab": points}, matches).elo({"b": 1000})["a"]
        expected = 1000 + 400 / math.log(10) * math.log((points + 0.5) / (matches - points + 0.5))
        assert elo.value == pytest.approx(expected, abs=1e-3)
        assert (elo.low == -INF) == (points == 0)
        assert (elo.high == INF) == (points == matches)
        top = height(points, matches, elo.value - 1000)
        for end in {elo.low, elo.high} - {INF, -INF}:
            assert top - height(points, matches, end - 1000) == pytest.approx(1.9207, abs=1e-3)


def height(points: float, matches: float, rating: float) -> float:
    """The function whose profile makes the intervals."""
    chance = promised(rating)
    return (points + 0.5) * math.log(chance) + (matches - points + 0.5) * math.log(1 - chance)


@pytest.mark.parametrize("truth", [0, 150, 400, 800])
def test_intervals_cover(truth: float) -> None:
    """In the sum over all outcomes of 40 matches, each with its probability: no number is drawn."""
    covered = 0.0
    for won in range(41):
        elo = league("ab", {"ab": won}, 40).elo({"b": 0})["a"]
        if elo.low <= truth <= elo.high:
            chance = promised(truth)
            covered += math.comb(40, won) * chance**won * (1 - chance) ** (40 - won)
    assert 0.92 < covered <= 1


def test_known_ratings_are_found() -> None:
    """Of scores that are as ratings promise."""
    truth = np.array([0.0, -120.0, 250.0, 700.0])
    scores = promised_by(truth)
    matches = 100_000 * (1 - np.eye(4, dtype=np.int64))
    names = ("random", "b", "c", "d")
    elos = CrossPlay(names, scores, matches, matches.astype(float)).elo()
    assert list(elos) == ["d", "c", "random", "b"]
    assert elos["random"] == (0, 0, 0)
    for name, rating in zip(names[1:], truth[1:], strict=True):
        assert elos[name].value == pytest.approx(rating, abs=0.2)
        assert rating - 6 < elos[name].low < rating < elos[name].high < rating + 6


def promised_by(ratings: np.ndarray) -> np.ndarray:
    scores: np.ndarray = 1 / (1 + 10 ** (np.subtract.outer(ratings, ratings).T / 400))
    np.fill_diagonal(scores, np.nan)
    return scores


def test_ratings_depend_neither_on_order_nor_on_who_is_known() -> None:
    won = {"ab": 30, "ac": 39, "ad": 40, "bc": 28, "bd": 35.5, "cd": 22}
    first = league("abcd", won, 40).elo({"a": 0})
    second = league("dbca", won, 40).elo({"c": 500})
    shift = second["a"].value
    for name in "abcd":
        assert second[name].value - shift == pytest.approx(first[name].value, abs=1e-3)
    # The interval of a difference of two is the same from either side.
    assert second["a"].high - 500 == pytest.approx(-first["c"].low, abs=0.01)
    several = league("abcd", won, 40).elo({"a": first["a"].value, "d": first["d"].value})
    # Others cannot be surer than they are with fewer known.
    for name in "bc":
        assert several[name].high - several[name].low < first[name].high - first[name].low


def test_only_matches_bound_a_rating() -> None:
    """Ends are infinite where nobody who is known won points, even through others."""
    won = {"ar": 10, "ba": 6, "rz": 10, "cb": 10}
    elos = league("rabcz", won, 10).elo({"r": 0})
    assert [elos[name].high for name in "abc"] == [INF] * 3  # r never won against a
    assert elos["z"].low == -INF
    assert math.isfinite(elos["z"].high)
    assert elos["c"].low > elos["b"].low > 0
    assert all(math.isfinite(elo.value) for elo in elos.values())
    once = league("rabcz", {**won, "ar": 9}, 10).elo({"r": 0})
    assert math.isfinite(once["a"].high)
    assert math.isfinite(once["b"].high)
    assert once["c"].high == INF  # nobody won against c
    assert elos["a"].low > once["a"].low


def test_three_equals() -> None:
    elos = league("abc", {"ab": 5, "bc": 5, "ca": 5}, 10).elo({"a": 100})
    for name in "bc":
        assert elos[name].value == pytest.approx(100)
        assert elos[name].high - 100 == pytest.approx(100 - elos[name].low, abs=0.01)


def test_ratings_far_from_those_that_are_known() -> None:
    """Two who draw against each other, and always win against one who is known to be strong."""
    points = {"ab": 0, "ac": 0, "bc": 10}
    for known in (-5_000.0, 5_000.0):
        ratings = league("abc", points, 20).elo({"a": known})
        assert ratings["b"].value == pytest.approx(ratings["c"].value)
        assert ratings["b"].value > known + 400


# ---- Nash averaging ------------------------------------------------------------------------------


def game(names: str, **scores: float) -> CrossPlay:
    """Named pairs have these scores, all others 1/2."""
    count = len(names)
    table = np.full((count, count), 0.5)
    for pair, score in scores.items():
        row, column = map(names.index, pair)
        table[row, column], table[column, row] = score, 1 - score
    np.fill_diagonal(table, np.nan)
    matches = 100 * (1 - np.eye(count, dtype=np.int64))
    return CrossPlay(tuple(names), table, matches, matches.astype(float))


CIRCLE = {"rs": 1.0, "sp": 1.0, "pr": 1.0}


@pytest.mark.parametrize(
    ("cross", "weights"),
    [
        (game("a"), {"a": 1}),
        (game("abc"), {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}),
        (game("abc", ab=0.6, bc=0.7, ac=0.9), {"a": 1, "b": 0, "c": 0}),
        (game("rps", **CIRCLE), {"r": 1 / 3, "p": 1 / 3, "s": 1 / 3}),
        # A second rock shares the weight of the first; who loses to all has none.
        (
            game("rpsqz", **CIRCLE, qs=1, pq=1, rz=0.9, pz=0.9, sz=0.9, qz=0.9),
            {"r": 1 / 6, "q": 1 / 6, "p": 1 / 3, "s": 1 / 3, "z": 0},
        ),
        # Rock that wins twice as surely is played less: a share is what the other two differ by.
        (game("rps", rs=1.0, sp=0.75, pr=0.75), {"r": 0.25, "p": 0.5, "s": 0.25}),
        # a and b are equal; c keeps a's share at 1/5, below which it gains nothing.
        (game("abc", ca=0.9, bc=0.6), {"a": 0.2, "b": 0.8, "c": 0}),
    ],
)
def test_mixtures(cross: CrossPlay, weights: dict[str, float]) -> None:
    pytest.importorskip("scipy")
    shares = cross.nash()
    assert {name: share.weight for name, share in shares.items()} == pytest.approx(
        weights, abs=1e-6
    )
    for share in shares.values():
        assert share.score <= 0.5 + 1e-9
        assert share.weight < 1e-9 or share.score == pytest.approx(0.5)


def test_nothing_beats_the_mixture() -> None:
    """Of scores at random; and a copy of each policy changes no score."""
    pytest.importorskip("scipy")
    random = np.random.default_rng(0)
    for count in (5, 12):
        upper = np.triu(random.integers(0, 101, (count, count)) / 100, 1)
        scores = upper + np.tril(1 - upper.T, -1) + np.eye(count) / 2
        names = "abcdefghijkl"[:count]
        shares = crossed(names, scores).nash()
        assert max(share.score for share in shares.values()) <= 0.5 + 1e-9
        assert sum(share.weight for share in shares.values()) == pytest.approx(1)
        twice = crossed(names + names.upper(), np.tile(scores, (2, 2))).nash()
        for name, share in shares.items():
            for each in (name, name.upper()):
                assert twice[each].score == pytest.approx(share.score, abs=1e-6)
                assert twice[each].weight == pytest.approx(share.weight / 2, abs=1e-5)


def crossed(names: str, scores: np.ndarray) -> CrossPlay:
    matches = 100 * (1 - np.eye(len(names), dtype=np.int64))
    return CrossPlay(tuple(names), scores, matches, matches.astype(float))


# ---- Pictures ------------------------------------------------------------------------------------


def test_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    cross = league("abc", {"ab": 1.5}, 2)
    path = cross.picture(tmp_path / "scores.png", title="Scores")
    assert path.read_bytes()[:4] == b"\x89PNG"
    text = cross.picture(tmp_path / "scores.svg").read_text(encoding="utf-8")
    assert "0.750" in text
    with pytest.raises(OSError, match="absent"):
        cross.picture(tmp_path / "absent" / "scores.png")


# ---- What is refused -----------------------------------------------------------------------------


def test_returns_are_compared_as_numbers() -> None:
    returns = np.array([1, 2], np.uint8)  # whose differences wrap around
    scores = CrossPlay.of(["a", "b"], [(("a", "b"), returns)]).scores
    assert (scores[0, 1], scores[1, 0]) == (0, 1)
    for wrong in (math.nan, math.inf):
        with pytest.raises(ValueError, match=rf"return.*'a' is {wrong}"):
            CrossPlay.of(["a", "b"], [(("a", "b"), (wrong, 0))])
    with pytest.raises(ValueError, match=r"names.*'a'"):
        CrossPlay.of(["a", "b", "a"], [])
