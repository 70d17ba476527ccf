"""Matches between policies: who sits where, what the tables say, and that films show the match."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pyale_ma.evaluation import Arena, Match, RandomPolicy, Results, Turn, duels, lineups
from pyale_ma.recording import Recording
from pyale_ma.vector import AtariVectorEnv
from quartet_ram import RAM

NOOP, UP, DOWN = 0, 2, 3
DUEL, MELEE = 2, 6


def follower(observations: Any, seats: Any) -> Any:
    """In a duel of Quartet: keep the paddle's middle at the ball."""
    memory = observations[:, -1].astype(int)
    paddles = memory[range(len(memory)), RAM["PADDLE"].start + seats]
    away = memory[:, RAM["BALL"].start + 1] + 2 - (paddles + 12)
    return np.where(abs(away) < 8, NOOP, np.where(away < 0, UP, DOWN))


def idle(observations: Any, seats: Any) -> Any:
    return np.zeros(len(seats), int)


def arena(num_players: int | None = 2, **options: Any) -> Arena:
    options = {
        "num_envs": 4,
        "mode": {None: 3, 1: 3, 2: DUEL, 4: MELEE}[num_players],
        "obs_type": "ram",
        "stack_num": 1,
        "max_num_frames_per_episode": 2400,
        **options,
    }
    return Arena("quartet", num_players, **options)


def match(lineup: str, *returns: int, truncated: bool = False) -> Match:
    return Match(tuple(lineup), 0, returns, truncated, np.zeros((1, len(lineup)), np.uint8))


# ---- Who plays whom ------------------------------------------------------------------------------


def test_lineups_swap_sides() -> None:
    assert lineups(["a", "b"], 2) == [("a", "b"), ("b", "a")]
    assert len(lineups("abc", 2)) == 6
    four = lineups("abcde", 4)
    assert len(four) == len(set(four)) == 5 * 4
    for seat in range(4):
        assert sorted(lineup[seat] for lineup in four) == sorted("abcde" * 4)
    assert lineups(["a"], 1) == [("a",)]


def test_every_policy_is_asked_for_its_own_seats() -> None:
    """A match shows in its actions who sat where."""
    asked: dict[str, set[int]] = {}

    def plays(name: str, action: int) -> Any:
        def policy(observations: Any, seats: Any) -> Any:
            assert observations.shape == (len(seats), 1, 128)
            asked.setdefault(name, set()).update(seats.tolist())
            return np.full(len(seats), action)

        return policy

    policies = {name: plays(name, action) for action, name in enumerate("abcde")}
    lineup = [("a", "b", "a", "c"), ("c", "d", "b", "b")]
    results = arena(4).play(policies, lineups=lineup)
    assert asked == {"a": {0, 2}, "b": {1, 2, 3}, "c": {0, 3}, "d": {1}}
    assert [match.lineup for match in results.matches] == lineup
    for played in results.matches:
        expected = ["abcde".index(name) for name in played.lineup]
        assert (played.actions == expected).all()


def test_the_better_policy_wins_on_both_sides() -> None:
    results = arena().play({"idle": idle, "follower": follower}, games=2)
    assert len(results.matches) == 4
    for seat in (0, 1):
        first, second = results.table(seat=seat)
        assert (first.name, first.won, first.matches) == ("follower", 2, 2)
        assert (second.name, second.lost, second.score) == ("idle", 2, 0.0)
    for played in results.matches:
        assert sum(played.returns) == 0
        assert played.truncated or max(map(abs, played.returns)) <= 11


def as_plain(results: Results) -> list[Any]:
    return [(m.lineup, m.seed, m.returns, m.truncated, m.actions.tolist()) for m in results.matches]


def test_a_match_depends_on_its_seed_alone() -> None:
    policies = {"idle": idle, "follower": follower}
    together = as_plain(arena(num_envs=64, repeat_action_probability=0.25).play(policies, games=3))
    one_by_one = as_plain(arena(num_envs=1, repeat_action_probability=0.25).play(policies, games=3))
    assert together == one_by_one
    seed = together[4][1]
    again = arena(repeat_action_probability=0.25).play(
        policies, lineups=[together[4][0]], seed=seed
    )
    assert as_plain(again) == [together[4]]
    assert len({str(match) for match in together}) == 6


class Dice:
    """Draws actions, and counts its turns in each match."""

    def __init__(self) -> None:
        self.turns: dict[tuple[int, int], int] = {}

    def __call__(self, observations: Any, seats: Any, turn: Turn) -> Any:
        assert len(turn.matches) == len(turn.starts) == len(seats) == len(observations)
        for row, (match, seat) in enumerate(zip(turn.matches, seats, strict=True)):
            before = turn.states[row]
            assert (before is None) == turn.starts[row]
            count = (before or 0) + 1
            assert count == self.turns.get((match, seat), 0) + 1  # its own, in order
            turn.states[row] = self.turns[match, seat] = count
        return [generator.integers(6) for generator in turn.generators]


def test_policies_that_draw_and_remember() -> None:
    """They play the same matches however many are played at a time."""
    played = []
    for num_envs in (1, 3, 64):
        policies: dict[str, Any] = {"dice": Dice(), "random": RandomPolicy(6), "follower": follower}
        where = arena(num_envs=num_envs, max_num_frames_per_episode=800)
        results = where.play(policies, games=2)
        played.append(as_plain(results))
        for number, match in enumerate(results.matches):
            for seat, name in enumerate(match.lineup):
                if name == "dice":
                    assert policies["dice"].turns[number, seat] == len(match.actions)
    assert played[0] == played[1] == played[2]
    dice: dict[str, Any] = {"dice": Dice()}
    [both] = arena().play(dice, lineups=[("dice", "dice")]).matches
    assert (both.actions[:, 0] != both.actions[:, 1]).any()  # each seat has its own generator


def test_environments_for_several_agents_choose_the_mode() -> None:
    options: dict[str, Any] = {"obs_type": "ram", "stack_num": 1, "max_num_frames_per_episode": 80}
    policies = {name: RandomPolicy(6) for name in "abcd"}
    named, same, other = (
        Arena(game, players, mode=mode, **options).play(policies, seed=5)
        for game, players, mode in (
            ("quartet_v0", None, None),
            ("quartet", 4, 6),
            ("quartet_v0", None, 18),
        )
    )
    actions = [[m.actions.tolist() for m in each.matches] for each in (named, same, other)]
    returns = [[m.returns for m in each.matches] for each in (named, same, other)]
    assert len(named.matches[0].lineup) == 4
    assert actions[0] == actions[1]
    assert np.array_equal(returns[0], returns[1])
    with pytest.raises(ValueError, match="num_players"):
        Arena("pong_v3", 3)


def test_matches_that_repeat_are_told() -> None:
    short: dict[str, Any] = {
        "obs_type": "grayscale",
        "noop_max": 0,
        "max_num_frames_per_episode": 8,
    }
    policies = {"idle": idle, "also idle": lambda observations, seats: idle(observations, seats)}
    with pytest.warns(UserWarning, match=r"2.*6 matches.*distinct.*repeat_action_prob"):
        results = arena(**short).play(policies, games=3)
    assert results.distinct == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = arena().play(policies, games=3)  # seeds differ in RAM
    assert results.distinct == 6


def test_the_rules_for_one_player() -> None:
    options: dict[str, Any] = {"obs_type": "ram", "stack_num": 1}
    options |= {"max_num_frames_per_episode": 2400, "repeat_action_probability": 0.25}
    where = Arena("quartet", None, num_envs=2, **options)
    assert where.num_players == 1
    results = where.play({"random": RandomPolicy(where.num_actions)}, games=3)
    envs = AtariVectorEnv("quartet", 1, extra_infos=["unclipped_reward", "episode"], **options)
    for match in results.matches:
        envs.reset(seed=match.seed)
        total, over = 0, False
        for [action] in match.actions:
            assert not over
            *_, terminated, truncated, infos = envs.step([action])
            total += infos["unclipped_reward"][0]
            over = terminated[0] or truncated[0]
        assert over
        assert match.returns == (total,) == (infos["episode"]["r"][0],)


def test_one_player_has_returns_only() -> None:
    where = arena(1, max_num_frames_per_episode=20_000)
    results = where.play({"idle": idle, "random": RandomPolicy(6)}, games=2)
    for it in results.table():
        assert it.matches == 2
        assert it.won == it.drawn == it.lost == 0
        assert math.isnan(it.score)
        assert it.mean_return == -5
    assert "nan" not in str(results)


# ---- Tables --------------------------------------------------------------------------------------


def test_table() -> None:
    results = Results([match("ab", 1, -1), match("ba", 3, 3), match("ab", 0, 4), match("ba", 0, 9)])
    first, second = results.table()
    assert first[:6] == ("a", 4, 2, 1, 1, 0.625)
    assert second[:6] == ("b", 4, 1, 1, 2, 0.375)
    assert first.mean_return == (1 + 3 + 0 + 9) / 4
    assert first.return_error == pytest.approx(1.96 * np.std([1, 3, 0, 9], ddof=1) / 2, rel=1e-3)
    assert first.high == pytest.approx(1 - second.low)
    assert results.table(seat=1)[0][:6] == ("a", 2, 1, 1, 0, 0.75)


def test_intervals() -> None:
    """Known values of Wilson's interval; never of no width."""
    even = Results([match("ab", 1, 0), match("ab", 0, 1)] * 50).table()
    for it in even:
        assert (it.low, it.high) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    [best, _] = Results([match("ab", 1, 0)] * 10).table()
    assert best.low == pytest.approx(0.7225, abs=1e-4)
    assert best.high == 1
    [wide, _] = Results([match("ab", 1, 0)] * 10).table(confidence=0.99)
    assert wide.low < best.low


def test_several_seats_of_one_policy() -> None:
    results = Results([match("aabb", 4, 0, 2, 2)])
    [a, b] = results.table()
    assert (a.name, a.won, a.lost, a.score) == ("a", 2, 2, 0.5)  # not against itself
    assert (b.matches, b.mean_return) == (1, 2)
    assert a.return_error == math.inf


def test_against_one() -> None:
    results = Results([match("ab", 1, 0), match("ca", 1, 0), match("bc", 0, 0)])
    assert [it[:6] for it in results.table(against="a")] == [
        ("c", 1, 1, 0, 0, 1.0),
        ("b", 1, 0, 0, 1, 0.0),
    ]


def test_matrix() -> None:
    """Best first, or as asked for; what it holds is `against` of the table."""
    results = Results([match("ab", 1, 0), match("ca", 3, 0), match("bc", 0, 0), match("ba", 0, 2)])
    matrix = results.matrix()
    assert matrix.names == ("c", "a", "b")
    assert matrix.scores[1].tolist()[::2] == [0, 1]
    assert matrix.matches.tolist() == [[0, 1, 1], [1, 0, 2], [1, 2, 0]]
    for column, name in enumerate(matrix.names):
        for it in results.table(against=name):
            assert matrix.scores[matrix.names.index(it.name), column] == it.score
    assert results.matrix("ab").scores[0, 1] == 1
    assert list(matrix.elo({"b": 0})) == ["c", "a", "b"]
    with pytest.raises(ValueError, match="names has 'd'"):
        results.matrix("ad")
    with pytest.raises(ValueError, match="names has a policy twice: a, b, a"):
        results.matrix("aba")


def test_duels() -> None:
    assert duels("a", "b", 2) == [("a", "b"), ("b", "a")]
    assert duels("a", "b", 3)[:4] == [tuple(each) for each in ("abb", "bab", "bba", "baa")]
    four = duels("a", "b", 4)
    assert len(four) == 8
    for seat in range(4):
        assert [lineup[seat] for lineup in four].count("a") == 4


# ---- Films ---------------------------------------------------------------------------------------


def test_film_shows_the_match(tmp_path: Path) -> None:
    where = arena(repeat_action_probability=0.25)
    policies: dict[str, Any] = {"idle": idle, "random": RandomPolicy(6, seed=3)}
    played = where.play(policies, games=2).matches[3]
    path = where.film(played, tmp_path / "match.gif")
    with Image.open(path) as film:
        assert film.size == (320, 210)
        seconds, pictures = 0.0, set()
        for number in range(film.n_frames):
            film.seek(number)
            seconds += film.info["duration"] / 1000
            pictures.add(film.convert("RGB").tobytes())
    assert seconds == pytest.approx((len(played.actions) + 1) * 4 / 60, abs=0.01)
    assert len(pictures) > 20
    end = where.film(played, tmp_path / "end.png")
    with Image.open(end) as picture, Image.open(path) as film:
        film.seek(film.n_frames - 1)
        assert picture.convert("RGB").tobytes() == film.convert("RGB").tobytes()


def test_a_match_is_recorded(tmp_path: Path) -> None:
    where = arena()
    played = where.play({"idle": idle, "random": RandomPolicy(6, seed=3)}, games=1).matches[0]
    recording = Recording.open(where.record(played, tmp_path / "match.zip"))
    assert recording.verify()
    assert recording.metadata == {"lineup": list(played.lineup), "returns": list(played.returns)}
    assert (recording.array("actions")[:, 0] == played.actions).all()
    with pytest.raises(ValueError, match=r"played.*arena.*options"):
        arena(frameskip=3).record(played, tmp_path / "other.zip")
    assert not (tmp_path / "other.zip").exists()
    with pytest.raises(FileExistsError, match=r"match\.zip already"):
        where.record(played, tmp_path / "match.zip")


def test_film_of_another_arena_is_refused(tmp_path: Path) -> None:
    played = arena().play({"idle": idle, "follower": follower}).matches[0]
    with pytest.raises(ValueError, match="other options"):
        arena(frameskip=3).film(played, tmp_path / "match.gif")
    assert not list(tmp_path.iterdir())
    arena(frameskip=3).film(played, tmp_path / "match.gif", steps=3)  # too early to know
    with pytest.raises(ValueError, match=r"\.gif, \.webp, \.mp4.*\.png"):
        arena().film(played, tmp_path / "match.avi")


def test_what_is_no_match_of_this_arena(tmp_path: Path) -> None:
    where = arena()
    for replay in (where.film, where.record):
        with pytest.raises(TypeError, match=r"match.*None"):
            replay(None, tmp_path / "match.gif")  # type: ignore[arg-type]
        for names, players in (("a", 2), ("ab", 3), ("abcd", 4)):
            actions = np.zeros((5, players), np.uint8)
            other = Match((*names,), 0, (0,) * len(names), False, actions)
            with pytest.raises(ValueError, match=r"match.*2 players"):
                replay(other, tmp_path / "match.gif")
    assert not list(tmp_path.iterdir())


# ---- Bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "problem", "text"),
    [
        (lambda n: np.zeros((n, 6)), ValueError, r"'bad'.*shape \(1, 6\).*one action for each"),
        (lambda n: 0, ValueError, r"shape \(\)"),
        (lambda n: [[1], [2, 3]], ValueError, r"'bad' returned \[\[1\], \[2, 3\]\]: .*\(1,\)"),
        (lambda n: np.zeros(n), TypeError, "whole numbers.*float64"),
        (lambda n: np.full(n, 6), ValueError, "action 6; this game's are 0 to 5"),
        (lambda n: np.full(n, -1), ValueError, "action -1"),
    ],
)
def test_bad_policies(actions: Any, problem: type[Exception], text: str) -> None:
    policies = {"idle": idle, "bad": lambda observations, seats: actions(len(seats))}
    with pytest.raises(problem, match=text):
        arena().play(policies, lineups=[("idle", "bad")])


def test_tensors_are_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="a policy of tensors")
    policies = {"idle": idle, "tensors": lambda _, seats: torch.ones(len(seats), dtype=torch.int64)}
    [played] = arena().play(policies, lineups=[("idle", "tensors")]).matches
    assert (played.actions == (0, 1)).all()


def test_bad_matches() -> None:
    policies: dict[str, Any] = {"idle": idle, "follower": follower}
    with pytest.raises(ValueError, match=r"4 players.*2 \(idle, follower\).*lineups"):
        arena(4).play(policies)
    with pytest.raises(ValueError, match="there are 0"):
        arena().play({})
    with pytest.raises(ValueError, match="'idel'"):
        arena().play(policies, lineups=[("idle", "idel")])
    with pytest.raises(ValueError, match="3 names for 2 players"):
        arena().play(policies, lineups=[("idle", "idle", "follower")])
    with pytest.raises(ValueError, match="empty"):
        arena().play(policies, lineups=[])
    with pytest.raises(ValueError, match="games is 0"):
        arena().play(policies, games=0)
    with pytest.raises(ValueError, match="seed is -3"):
        arena().play(policies, seed=-3)
    with pytest.raises(TypeError, match=r"seed.*'a'"):
        arena().play(policies, seed="a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="policy 'network'"):
        arena().play({"network": 3, "idle": idle})  # type: ignore[dict-item]
    for nothing in (None, ["idle"]):
        with pytest.raises(TypeError, match=r"policies.*dict"):
            arena().play(nothing)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"lineups.*3"):
        arena().play(policies, lineups=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"lineups.*3"):
        arena().play(policies, lineups=[3])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="games is 2147483649"):
        arena().play(policies, games=2**31 + 1)
    with pytest.raises(ValueError, match="seed is 4294967293"):
        arena().play(policies, games=2, seed=2**32 - 3)
    with pytest.raises(ValueError, match=r"'file\.pt'.*quartet for 2"):
        arena().play({"network": "file.pt", "idle": idle})


def test_bad_arenas() -> None:
    with pytest.raises(TypeError, match="autoreset_mode, copy"):
        arena(autoreset_mode="SameStep", copy=False)
    for infos in (("ram",), 5):
        with pytest.raises(TypeError, match=r"extra_infos.*chosen"):
            arena(extra_infos=infos)
    with pytest.raises(ValueError, match="num_players"):
        Arena("quartet", 5)
    with pytest.raises(ValueError, match="num_envs"):
        arena(num_envs=0)
