"""Ratings on one scale: the package's tables, their files, and policies that are rated by them."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opponents.trained_players import trained
from pyale_ma import opponents
from pyale_ma.evaluation import duels
from pyale_ma.evaluation.crossplay import CrossPlay
from pyale_ma.evaluation.elo import Elo
from pyale_ma.evaluation.rating import arena_of, rating_of
from pyale_ma.evaluation.rating_table import _tables, read_table, trained_digest, write_table
from pyale_ma.opponents import SCRIPTED, Contest, TrainedPolicy, rate, rating_table
from pyale_ma.opponents.catalogue import contest_of

DUEL: dict[str, Any] = {"num_players": 2, "mode": 2}
QUICK: dict[str, Any] = {"obs_type": "ram", "stack_num": 1}


# ---- Tables --------------------------------------------------------------------------------------


def test_each_player_has_a_rating() -> None:
    tables = _tables()
    assert Contest("quartet", 4, 6) in tables
    together = {Contest("entombed", 2, 3), Contest("quartet", 4, 14)}  # where nobody wins
    assert {contest_of(each) for each in opponents.available()} == together | {*tables}
    for contest, table in tables.items():
        remedy = f"python -m league rate {contest.game} --players {contest.players}"
        assert table.trained == trained_digest(contest), f"{contest} has other players: {remedy}"
        assert (table.matches, table.frames, table.frameskip, table.seed) == (200, 5000, 4, 0)
        elos = table.elo()
        assert elos["random"] == (0, 0, 0)
        assert {*SCRIPTED} <= {*elos}
        assert all(math.isfinite(elo.value) for elo in elos.values())
        levels = [elos[level].value for level in opponents.LEVELS if level in elos]
        assert levels[-1] == max(levels)  # those below may be equally strong


# ---- Files ---------------------------------------------------------------------------------------


def test_files_keep_everything(tmp_path: Path) -> None:
    table = rating_table("quartet_v0")
    file = tmp_path / "one.ratings"
    write_table(file, table)
    found = read_table(file)
    for name in ("contest", "frameskip", "frames", "matches", "seed", "trained"):
        assert getattr(found, name) == getattr(table, name)
    assert found.crossplay.names == table.crossplay.names
    np.testing.assert_array_equal(found.crossplay.matches, table.crossplay.matches)
    np.testing.assert_allclose(found.crossplay.scores, table.crossplay.scores, atol=1e-8)
    assert str(found) == str(table)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "x"}, "format is .*; it must be 'pyale_ma ratings'"),
        ({"version": 2}, "version is 2; it must be 1"),
        ({"game": "golf"}, "there is no game 'golf'"),
        ({"game": ["quartet"]}, "game is .* it must be a text"),
        ({"md5": "0" * 32}, "md5 is .0000"),
        ({"mode": 99}, "mode is 99; it must be 6 or"),
        ({"mode": True}, "mode is true"),
        ({"players": 1}, "players is 1; it must be a whole number, 2 to"),
        ({"matches": 0}, "matches is 0"),
        ({"matches": 20.5}, "matches is 20.5"),
        ({"seed": None}, "seed is null"),
        ({"trained": 3}, "trained is 3"),
        ({"names": ["random", "best", "still"]}, "names is "),
        ({"names": ["still", "random", "sticky"]}, "in this order"),
        ({"names": ["still", "sticky"]}, "lack random"),
        ({"names": ["random"]}, "or others"),
        ({"names": 3}, "names is 3"),
        ({"points": None}, "its points are not 3 lists of 3"),
        ({"points": [[0, 1], [2, 3]]}, "its points are not 3 lists of 3"),
        ({"points": [[0, "1", 2]] * 3}, "its points are not 3 lists of 3 numbers"),
        ({"points": [[0, True, 2]] * 3}, "its points are not 3 lists of 3 numbers"),
        ({"points": [[0, 1, 2]] * 3}, "do not add up to 200"),
        ({"points": [[0, math.nan, 2]] * 3}, "not all between 0 and 200"),
        ({"points": [[0, 10**400, 2]] * 3}, "not all between 0 and 200"),
        ({"points": [[0, 201, 100], [-1, 0, 100], [100, 100, 0]]}, "not all between 0 and 200"),
        ({"points": [[1, 100, 100], [100, 0, 100], [100, 100, 0]]}, "do not add up to 200"),
        ({"frameskip": 10001}, "frameskip is 10001; it must be a whole number, 1 to 10000"),
    ],
)
def test_hostile_files(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    file = tmp_path / "one"
    write_table(file, rating_table("quartet_v0"))
    table = json.loads(file.read_text("utf-8"))
    few = {"names": table["names"][:3], "points": [row[:3] for row in table["points"][:3]]}
    file.write_text(json.dumps(table | few), encoding="utf-8")
    assert read_table(file).crossplay.names == SCRIPTED
    file.write_text(json.dumps(table | few | changes), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"one.*file.*ratings: .*{message}"):
        read_table(file)


def test_files_that_are_none(tmp_path: Path) -> None:
    file = tmp_path / "one"
    for content in (b"", b"[]", b"\xff", b"[" * 60_000):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"one.*file.*ratings"):
            read_table(file)
    file.write_bytes(b" " * 70_000)
    with pytest.raises(ValueError, match=r"one.*65536 bytes"):
        read_table(file)


# ---- Policies ------------------------------------------------------------------------------------


def idle(observations: Any, seats: Any) -> Any:
    return np.zeros(len(seats), int)


def test_a_player_that_is_known_is_rated_as_known() -> None:
    rated = rate("still", "quartet", **DUEL, matches=9, seed=7, **QUICK)
    table = rating_table("quartet", **DUEL)
    known = table.elo()
    assert rated.table is table
    assert len(rated.results.matches) == len(known) * 10  # rounded up: as many on each seat
    assert rated.rating.low < known["still"].value < rated.rating.high
    assert list(rated.against) == list(rated.expected) == list(known)
    for name, standing in rated.against.items():
        difference = rated.rating.value - known[name].value
        assert rated.expected[name] == pytest.approx(1 / (1 + 10 ** (-difference / 400)))
        assert (standing.name, standing.matches) == ("policy", 10)
    text = str(rated)
    assert text.startswith(f"Rating in quartet for 2 players in mode 2: {rated.rating}; random")
    assert f"| sticky | {known['sticky'].value:.0f} | 10 |" in text


def test_ratings_are_of_the_seed() -> None:
    """Whatever the policy sees, and however many games are played at a time."""
    first = rate(idle, "quartet", **DUEL, matches=2, **QUICK)
    again = rate(idle, "quartet", **DUEL, matches=2, num_envs=3, img_height=8)
    other = rate(idle, "quartet", **DUEL, matches=2, seed=100, **QUICK)
    moves = [[m.actions.tolist() for m in each.results.matches] for each in (first, again, other)]
    assert moves[0] == moves[1] != moves[2]
    assert first.rating == again.rating


def test_four_players() -> None:
    rated = rate(idle, "quartet_v0", matches=1, **QUICK)
    assert len(rated.results.matches) == len(rating_table("quartet_v0").elo()) * 8
    lineups = {match.lineup for match in rated.results.matches}
    assert ("policy", "random", "random", "random") in lineups
    assert ("policy", "policy", "random", "policy") in lineups
    assert math.isfinite(rated.rating.value)


def test_players_without_a_bound_do_not_count() -> None:
    """Pong's still player lost everything: how low it is rated, and so what beats it, is open."""
    table = rating_table("pong_v3")
    elos = table.elo()
    assert elos["still"].low == -math.inf
    outcomes = [(("new", name), (1, 0)) for name in ("random", "weak")] * 3
    outcomes += [(("new", name), (0, 1)) for name in ("random", "weak", "middle")]
    others = ("new", *(name for name in elos if name != "still"))
    without = rating_of("new", CrossPlay.of(others, outcomes), table, 0.95)
    outcomes += [(("new", "still"), (0, 1))] * 5
    rating = rating_of("new", CrossPlay.of(("new", *elos), outcomes), table, 0.95)
    assert rating == pytest.approx(without, abs=0.01)
    assert elos["random"].value < rating.value < elos["middle"].value


def test_who_wins_all_is_rated_by_those_who_do() -> None:
    """Tennis' trained players won all matches against the scripted ones."""
    table = rating_table("tennis_v3")
    known = table.elo()
    trained = [name for name in known if known[name].high == math.inf]
    assert trained == ["strong", "middle", "weak"]

    def rating(**points: int) -> Elo:
        outcomes = [(("new", name), (1, 0)) for name in known for _ in range(points.get(name, 10))]
        outcomes += [
            (("new", name), (0, 1)) for name, won in points.items() for _ in range(10 - won)
        ]
        return rating_of("new", CrossPlay.of(("new", *known), outcomes), table, 0.95)

    weak, strong = rating(weak=5, middle=0, strong=0), rating(middle=7, strong=5)
    assert weak.value == pytest.approx(known["weak"].value, abs=60)
    assert strong.value == pytest.approx(known["strong"].value, abs=60)
    for each, name in ((weak, "weak"), (strong, "strong")):
        assert each.low < known[name].low < each.value
        assert each.high == math.inf
    best = rating()
    assert best.value > strong.value
    assert best.low > strong.low
    # Who lost to a scripted one is on the scale, whatever the others did.
    assert math.isfinite(rating(random=9).high)


def test_what_cannot_be_rated() -> None:
    with pytest.raises(ValueError, match="game 'pnog'"):
        rate(idle, "pnog")
    with pytest.raises(ValueError, match=r"ratings.*4 players.*mode 14"):
        rate(idle, "quartet", mode=14)
    for matches in (0, 10**30):
        with pytest.raises(ValueError, match=f"matches is {matches}"):
            rate(idle, "quartet", matches=matches)
    with pytest.raises(TypeError, match=r"matches.*1\.5"):
        rate(idle, "quartet", matches=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="confidence is 95"):
        rate(idle, "quartet", confidence=95)
    with pytest.raises(TypeError, match=r"confidence.*'x'"):
        rate(idle, "quartet", confidence="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"policy.*'best'"):
        rate("best", "quartet")
    player = TrainedPolicy(trained(), "strong")
    message = "policy: this player was trained for quartet for 2 players in mode 2, not for quartet"
    with pytest.raises(ValueError, match=message):
        rate(player, "quartet_v0")
    with pytest.raises(TypeError, match=r"mirror, noop_max .*img_height, .*obs_type"):
        rate(idle, "quartet", mirror=True, noop_max=3)
    with pytest.raises(TypeError, match="policy 'policy'"):
        rate(3, "quartet")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed is -1"):
        rate(idle, "quartet", seed=-1)


@pytest.mark.slow
@pytest.mark.parametrize("pair", [("still", "middle"), ("weak", "strong")])
def test_the_package_has_these_ratings(pair: tuple[str, str]) -> None:
    """The packaged table of Quartet for two agrees with a pair's matches."""
    shipped = rating_table("quartet", num_players=2)
    names = shipped.crossplay.names
    before = list(itertools.combinations(names, 2)).index(pair)  # pairs that were played
    arena = arena_of(shipped.contest, shipped.frameskip, shipped.frames, **QUICK, num_envs=200)
    played = arena.play(
        {name: name for name in pair},
        lineups=duels(*pair, 2),
        games=shipped.matches // 2,
        seed=shipped.seed + before * shipped.matches,
    )
    score = played.matrix(pair).scores[0, 1]
    told = shipped.crossplay.scores[tuple(map(names.index, pair))]
    np.testing.assert_allclose(score, told, atol=1e-8)


def test_what_all_callers_share_cannot_be_changed() -> None:
    """Neither the package's ratings nor its players."""
    cross = rating_table("pong_v3").crossplay
    network = opponents.available()[0].networks["strong"]
    layers = (network.first, network.between, network.last)
    shared = [cross.scores, cross.matches, cross.trials, network.used, network.scale]
    shared += [network.offset, *(layer.weights for layer in layers), *(it.bias for it in layers)]
    for array in shared:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
