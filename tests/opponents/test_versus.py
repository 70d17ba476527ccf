"""One agent against opponents: what it is given is what the game of all players does."""

from __future__ import annotations

import copy
import functools
import importlib.util
import pickle
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from interrupts import interrupt_at
from opponents.trained_players import DUEL, trained
from pyale_ma import opponents
from pyale_ma.multi import quartet_v0
from pyale_ma.opponents import Pool, TrainedPolicy, VersusEnv, VersusVectorEnv
from pyale_ma.recording import Recording, RecordingError, record
from pyale_ma.vector import AtariVectorEnv

MELEE, RALLY = 6, 12
SMALL: dict[str, Any] = {"img_height": 8, "img_width": 8, "stack_num": 1}
PLAYER = TrainedPolicy(trained(), "strong")


def up(observations: Any, seats: Any) -> Any:
    return np.full(len(seats), 2)


def down(observations: Any, seats: Any) -> Any:
    return np.full(len(seats), 3)


def play(env: gymnasium.Env[Any, Any], steps: int, seed: int | None) -> list[Any]:
    """Everything that random actions lead to."""
    random = np.random.default_rng(0)
    seen, info = env.reset(seed=seed)
    story: list[Any] = [(seen.tobytes(), info)]
    for _ in range(steps):
        seen, reward, over, cut, info = env.step(int(random.integers(6)))
        story.append((seen.tobytes(), reward, over, cut, info))
        if over or cut:
            seen, info = env.reset()
            story.append((seen.tobytes(), info))
    return story


# ---- One game ------------------------------------------------------------------------------------


@pytest.mark.parametrize("obs_type", ["rgb", "grayscale", "ram", "objects"])
def test_checker(obs_type: Any) -> None:
    env = gymnasium.make("pyale_ma/Versus-v0", game="quartet", opponent="random", obs_type=obs_type)
    check_env(env.unwrapped, skip_render_check=True)
    env.close()


def test_equal_to_the_environment_for_several_agents() -> None:
    """The opponent is the second agent, who does what its policy says."""
    versus = VersusEnv("quartet", up, 0, mode=DUEL, frameskip=3, noop_max=0)
    several = quartet_v0.parallel_env(kind="duel", num_players=2, frame_skip=3, detailed_infos=True)
    random = np.random.default_rng(0)
    seen, info = versus.reset(seed=4)
    observations, infos = several.reset(seed=4)
    assert info == {"seat": 0, **infos["first_0"]}
    for _ in range(300):
        assert np.array_equal(seen, observations["first_0"])
        action = int(random.integers(6))
        seen, reward, over, cut, info = versus.step(action)
        observations, rewards, ends, _, infos = several.step({"first_0": action, "second_0": 2})
        assert (reward, over, cut) == (rewards["first_0"], ends["first_0"], False)  # type: ignore[comparison-overlap]
        assert info == {"seat": 0, **infos["first_0"]}


def test_a_seed_decides_everything() -> None:
    pool = Pool(["random", "sticky", PLAYER], [1, 1, 2])
    options: dict[str, Any] = {"mode": DUEL, "obs_type": "ram", "max_num_frames_per_episode": 200}
    env = VersusEnv("quartet", pool, **options)
    first = play(env, 170, 5)
    assert first == play(env, 170, 5)
    assert first == play(pickle.loads(pickle.dumps(env)), 170, 5)
    assert first != play(copy.deepcopy(env), 170, 6)
    seats = [step[1]["seat"] for step in first if len(step) == 2]
    assert seats == [1, 0, 1, 0]


def test_an_agent_who_is_out() -> None:
    """In a melee, its episode is over when it is out, though others play on."""
    env = VersusEnv("quartet", "still", 1, mode=MELEE, obs_type="ram")
    env.reset(seed=0)
    over, returns = False, 0.0
    while not over:
        _, reward, over, cut, _ = env.step(0)
        returns += reward
        assert not cut
    assert env.env.agents or returns > -5
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)
    env.reset()
    env.step(0)


def test_time_is_up() -> None:
    env = VersusEnv("quartet", "still", mode=DUEL, max_num_frames_per_episode=41, noop_max=0)
    env.reset(seed=0)
    cuts = [env.step(0)[2:4] for _ in range(11)]
    assert cuts == [(False, False)] * 10 + [(False, True)]


# ---- Many games ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("mirror", [False, True])
def test_equal_to_the_vector_of_all_players(mode: str, mirror: bool) -> None:
    """Each agent is given what its seat is given; the game goes on as the vector says."""
    options: dict[str, Any] = {
        "autoreset_mode": mode,
        "max_num_frames_per_episode": 60,
        "extra_infos": ["ram", "unclipped_reward"],
        "mirror": mirror,
        **SMALL,
    }
    versus = VersusVectorEnv("quartet", 5, up, mode=DUEL, **options)
    same = AtariVectorEnv("quartet", 5, num_players=2, mode=DUEL, **options)
    assert versus.single_observation_space.shape == (1, 8, 8)
    assert versus.observation_space.shape == (5, 1, 8, 8)
    random, rows = np.random.default_rng(0), np.arange(5)
    seen, info = versus.reset(seed=2)
    all_seen, infos = same.reset(seed=2)
    seats = np.arange(2, 7) % 2
    ends, over = 0, np.zeros(5, bool)
    for _ in range(60):
        assert info["seat"].tolist() == seats.tolist()
        assert np.array_equal(seen, all_seen[rows, seats] if mirror else all_seen)
        for name in ("frame_number", "episode_frame_number", "env_id", "ram"):
            assert np.array_equal(info[name], infos[name])
        assert np.array_equal(info["lives"], infos["lives"][rows, seats])
        own = random.integers(6, size=5)
        actions = np.full((5, 2), 2)
        actions[rows, seats] = own
        seen, rewards, terminations, truncations, info = versus.step(own)
        all_seen, all_rewards, all_terminations, cut, infos = same.step(actions)
        assert np.array_equal(rewards, all_rewards[rows, seats])
        assert np.array_equal(terminations, all_terminations[rows, seats])
        assert np.array_equal(truncations, cut)
        assert np.array_equal(info["unclipped_reward"], infos["unclipped_reward"][rows, seats])
        before, over = over, terminations | truncations
        ends += int(over.sum())
        if mode == "SameStep" and over.any():
            last = infos["final_obs"]
            assert np.array_equal(info["_final_obs"], over)
            assert np.array_equal(
                info["final_obs"][over], (last[rows, seats] if mirror else last)[over]
            )
            assert np.array_equal(info["final_info"]["seat"], np.where(over, seats, 0))
            for name in ("frame_number", "episode_frame_number"):
                assert np.array_equal(info["final_info"][name], infos["final_info"][name])
            seats = np.where(over, 1 - seats, seats)
        elif mode == "NextStep":
            seats = np.where(before, 1 - seats, seats)
        elif mode == "Disabled" and over.any():
            with pytest.raises(RuntimeError, match=r"over.*reset"):
                versus.step(own)
            seen, info = versus.reset(options={"reset_mask": over})
            all_seen, infos = same.reset(options={"reset_mask": over})
            seats = np.where(over, 1 - seats, seats)
    assert ends >= 10
    versus.close()
    same.close()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_agents_who_are_out_begin_anew(mode: str) -> None:
    """In a melee each game is played anew as soon as its agent is out."""
    envs = VersusVectorEnv(
        "quartet", 6, ["still", "random", "sticky"], mode=MELEE, autoreset_mode=mode, **SMALL
    )
    _, info = envs.reset(seed=0)
    seats = info["seat"].copy()
    assert seats.tolist() == [0, 1, 2, 3, 0, 1]
    over, ends = np.zeros(6, bool), 0
    for _ in range(900):
        before, over_before = info["episode_frame_number"], over
        _, rewards, terminations, truncations, info = envs.step(np.zeros(6, int))
        over = terminations | truncations
        anew = over if mode == "SameStep" else over_before
        assert (info["episode_frame_number"][anew] < 40).all()
        seats = np.where(anew, (seats + 1) % 4, seats)
        assert info["seat"].tolist() == seats.tolist()
        goes_on = ~anew & ~over
        assert ((info["episode_frame_number"] - before)[goes_on] == 4).all()
        if mode == "NextStep":
            assert not rewards[anew].any()
            assert not over[anew].any()
        elif over.any():
            final = info["final_info"]
            frames = (final["episode_frame_number"] - before)[over]
            assert ((frames > 0) & (frames <= 4)).all()  # a game may end in the middle of a step
            assert info["final_obs"][over].any()
            assert not info["final_obs"][~over].any()
        ends += int(over.sum())
    assert ends >= 6
    envs.close()


class InPython(TrainedPolicy):
    """A player that does not choose its actions in the vector."""


def assert_same_play(game: str, player: TrainedPolicy, steps: int, **options: Any) -> None:
    """Trained players do the same in the vector and in Python, also among others."""
    known = InPython(player.trained, player.level, player.action_set)
    given = {"num_players": player.trained.players, "mode": player.trained.mode, **options}
    native, python = (
        VersusVectorEnv(game, 6, Pool([each, "sticky"], [3, 1]), **given)
        for each in (player, known)
    )
    random = np.random.default_rng(0)
    assert np.array_equal(native.reset(seed=4)[0], python.reset(seed=4)[0])
    for _ in range(steps):
        own = random.integers(native.num_actions, size=6)
        for ours, theirs in zip(native.step(own)[:4], python.step(own)[:4], strict=True):
            assert np.array_equal(ours, theirs)
    native.close()
    python.close()


@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep"])
@pytest.mark.parametrize("level", ["weak", "strong"])
@pytest.mark.parametrize("mirror", [False, True])
def test_trained_players_in_the_vector(autoreset: str, level: str, mirror: bool) -> None:
    """Those with the largest weights; in short games, so that they begin often."""
    options = {"autoreset_mode": autoreset, "max_num_frames_per_episode": 90, "mirror": mirror}
    assert_same_play("quartet", TrainedPolicy(trained(), level), 120, **options, **SMALL)


@pytest.mark.parametrize("player", opponents.available(), ids=lambda it: f"{it.game}-{it.mode}")
def test_shipped_players_in_the_vector(player: Any) -> None:
    if player.game != "quartet":
        pytest.importorskip("ale_py", reason="carries the ROM files")
    policy = opponents.load(player.game, "strong", num_players=player.players, mode=player.mode)
    assert isinstance(policy, TrainedPolicy)
    assert_same_play(player.game, policy, 60, obs_type="ram", stack_num=1)


def test_games_do_not_depend_on_each_other() -> None:
    """One of many, and alone: the opponents draw their own random numbers in each game."""
    pool = Pool(["random", "sticky", PLAYER])
    options: dict[str, Any] = {
        "mode": DUEL,
        "max_num_frames_per_episode": 160,
        "obs_type": "ram",
        "stack_num": 1,
    }
    random = np.random.default_rng(1)
    actions = random.integers(6, size=(90, 4))
    many = VersusVectorEnv("quartet", 4, pool, **options)
    stories = [[many.reset(seed=[7, 8, 9, 7])[0]], *([many.step(own)[0]] for own in actions)]
    for env, seed in enumerate([7, 8, 9]):
        one = VersusVectorEnv("quartet", 1, pool, **options)
        assert np.array_equal(one.reset(seed=seed)[0][0], stories[0][0][env])
        for step, own in enumerate(actions):
            assert np.array_equal(one.step(own[env : env + 1])[0][0], stories[step + 1][0][env])
        one.close()
    many.close()


def test_make_vec() -> None:
    envs = gymnasium.make_vec(
        "pyale_ma/Versus-v0",
        num_envs=3,
        vectorization_mode="vector_entry_point",
        game="quartet",
        mode=DUEL,
        opponent="random",
        max_num_frames_per_episode=100,
        copy=False,
        **SMALL,
    )
    assert isinstance(envs.unwrapped, VersusVectorEnv)
    envs = RecordEpisodeStatistics(envs)
    envs.action_space.seed(0)
    seen, _ = envs.reset(seed=0)
    assert seen in envs.observation_space
    ended = 0
    for _ in range(60):
        seen, rewards, *_, info = envs.step(envs.action_space.sample())
        ended += int(info.get("_episode", np.zeros(3)).sum())
        assert rewards.shape == (3,)
    assert ended >= 3
    envs.close()


def test_a_function_of_c_as_an_opponent() -> None:
    """Nobody can tell its parameters: it gets no turn.  This one chooses the number of its seat."""
    stories = []
    for opponent in (functools.partial(min, key=np.ndim), lambda seen, seats: seats):
        env = VersusEnv("quartet", opponent, 0, mode=DUEL, obs_type="ram")
        stories.append(play(env, 20, 0))
    assert stories[0] == stories[1]


def test_agents_may_change_what_they_are_given() -> None:
    """So may opponents: the others still see the game."""

    def careless(observations: Any, seats: Any) -> Any:
        observations[:] = 0
        seats += 9
        return np.full(len(seats), 2)

    def looks(observations: Any, seats: Any) -> Any:
        noticed.append(observations.max(axis=tuple(range(1, observations.ndim))))
        return np.full(len(seats), 2)

    make: Any
    noticed: list[Any] = []
    for make, options in zip(MAKERS, ({"obs_type": "ram"}, SMALL), strict=True):
        stories = []
        for first in (careless, looks):
            env: Any = make("quartet", [first, looks, "still"], 0, num_players=4, **options)
            seen, _ = env.reset(seed=3)
            stories.append([seen.tobytes()])
            for _ in range(20):
                seen[:] = 0
                seen = env.step(1 if isinstance(env, VersusEnv) else [1, 1])[0]
                stories[-1].append(seen.tobytes())
            env.close()
        assert stories[0] == stories[1]
    assert min(it.min() for it in noticed) > 0


def test_policies_remember() -> None:
    """A policy's state is its own in each game, and is gone when that is over."""

    def counts(observations: Any, seats: Any, turn: Any) -> Any:
        for row, state in enumerate(turn.states):
            assert (state is None) == turn.starts[row]
            turn.states[row] = (state or 0) + 1
        told.append(list(turn.states))
        return np.zeros(len(seats), int)

    told: list[Any] = []
    envs = VersusVectorEnv(
        "quartet",
        2,
        counts,
        mode=DUEL,
        max_num_frames_per_episode=40,
        noop_max=0,
        autoreset_mode="SameStep",
        **SMALL,
    )
    envs.reset(seed=0)
    for _ in range(22):
        envs.step([0, 0])
    assert {tuple(states) for states in told} == {(k, k) for k in range(1, max(told)[0] + 1)}
    assert 8 <= max(told)[0] <= 10
    envs.close()


# ---- Opponents -----------------------------------------------------------------------------------


def test_pools() -> None:
    """Each opponent is drawn as often as its weight says, which may change."""
    pool = Pool([up, down], [1, 3])
    envs = VersusVectorEnv("quartet", 80, pool, 0, mode=DUEL, autoreset_mode="SameStep", **SMALL)
    envs.reset(seed=0)
    drawn = envs._seats._table._who[:, 1].copy()
    assert 0.6 < drawn.mean() < 0.9
    pool.weights = [1, 0]
    envs.reset()
    assert not envs._seats._table._who[:, 1].any()
    for weights, message in (
        ([1], "weights has 1 values for 2 opponents"),
        ([1, -1], "not negative"),
        ([0, 0], "not all 0"),
        ([1, float("inf")], "finite"),
        ([1, 10**400], "finite"),
        ([1, "a"], r"weights\[1\] must be a number, not 'a'"),
        ([1, True], r"weights\[1\] must be a number, not True"),
        ([np.False_, 1], r"weights\[0\] must be a number, not (np\.False_|False)"),
        ([[1], [2, 3]], r"weights\[0\] must be a number, not \[1\]"),
        ({up: 1, down: 2}, "weights must be a list, not {"),
        (None, "weights must be a list, not None"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            pool.weights = weights  # type: ignore[assignment]
    assert pool.weights == (1, 0)
    assert Pool(["weak", "still"], [1e308, 1e308]).draw(np.random.default_rng(0)) in (0, 1)
    with pytest.raises(ValueError, match="opponents is empty"):
        Pool([])
    with pytest.raises(ValueError, match="level is 'wek'"):
        Pool(["wek"])
    for wrong in ("weak", 3, None):
        with pytest.raises(TypeError, match=rf"opponents.*list.*{wrong!r}"):
            Pool(wrong)  # type: ignore[arg-type]
    for entry in (None, 3, ["still"], Pool(["still"])):
        with pytest.raises(TypeError, match=r"opponents has"):
            Pool(["still", entry])  # type: ignore[list-item]
    envs.close()


MAKERS: list[Any] = [VersusEnv, lambda *a, **k: VersusVectorEnv(a[0], 2, *a[1:], **k)]


@pytest.mark.parametrize("make", MAKERS)
def test_opponents_that_cannot_play(make: Any) -> None:
    with pytest.raises(ValueError, match=r"'best'.*quartet for 4"):
        make("quartet", "best")
    wrong: Any
    for wrong in (3, b"strong", TrainedPolicy):
        with pytest.raises(TypeError, match=f"opponent is {wrong!r}"):
            make("quartet", wrong)
    with pytest.raises(ValueError, match=r"opponent.*2 entries.*4 .*3"):
        make("quartet", ["still", "still"])
    for seat in (2, -1):
        with pytest.raises(ValueError, match=r"seat is"):
            make("quartet", "still", seat, mode=DUEL)
    for wrong in (True, "0", 0.5):
        with pytest.raises(TypeError, match=rf"seat.*{wrong!r}"):
            make("quartet", "still", wrong, mode=DUEL)
    _, info = make("quartet", "still", np.int64(1), mode=DUEL).reset(seed=0)
    assert np.all(info["seat"] == 1)
    with pytest.raises(ValueError, match=r"quartet.*2 .* mode 2.*4"):
        make("quartet", PLAYER)
    with pytest.raises(ValueError, match=r"2 players.*mode 2.*mode 12"):
        make("quartet", PLAYER, mode=RALLY)
    with pytest.raises(ValueError, match=r"trained.*frameskip=4.*2"):
        make("quartet", PLAYER, mode=DUEL, frameskip=2)
    with pytest.raises(ValueError, match="no mode 3 for 2"):
        make("quartet", "still", num_players=2, mode=3)
    env = make("quartet", bad, mode=DUEL)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"policy 'bad'.*action 9.*game's.*0.*5"):
        env.step(0 if isinstance(env, VersusEnv) else [0, 0])


def bad(observations: Any, seats: Any) -> Any:
    return np.full(len(seats), 9)


def test_what_the_vector_refuses() -> None:
    for name in ("games", "batch_size", "continuous", "episodic_life", "life_loss_info"):
        with pytest.raises(TypeError, match=f"{name} cannot be chosen: "):
            VersusVectorEnv("quartet", 2, "still", **{name: 1})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="RecordEpisodeStatistics"):
        VersusVectorEnv("quartet", 2, "still", extra_infos=["episode"])
    with pytest.raises(ValueError, match="autoreset_mode"):
        VersusVectorEnv("quartet", 2, "still", autoreset_mode="Never")
    envs = VersusVectorEnv("quartet", 2, "still", **SMALL)
    with pytest.raises(ResetNeeded, match="no reset"):
        envs.step([0, 0])
    with pytest.raises(ValueError, match=r"reset.*all"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ValueError, match=r"options has 'mode'"):
        envs.reset(options={"mode": 3})
    with pytest.raises(TypeError, match=r"options.*3"):
        envs.reset(options=3)  # type: ignore[arg-type]
    envs.reset(seed=0)
    before = envs.envs.save_state()
    with pytest.raises(IndexError, match=r"actions\[1\] is 6"):
        envs.step([0, 6])
    with pytest.raises(ValueError, match=r"shape \(2,\).*\(1,\)"):
        envs.step([0])
    with pytest.raises(TypeError, match="float64"):
        envs.step([0.0, 1.0])
    with pytest.raises(ValueError, match="must be an array of whole numbers, not "):
        envs.step([[0], [1, 2]])
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"VersusVectorEnv.*pickled.*copied"):
            copied(envs)
    assert envs.envs.save_state() == before
    envs.step([0, 5])
    envs.close()
    with pytest.raises(ClosedEnvironmentError, match=r"vector environment.*closed"):
        envs.step([0, 0])
    with pytest.raises(ValueError, match="max_num_frames_per_episode is 0"):
        VersusVectorEnv("quartet", 2, "still", max_num_frames_per_episode=0)
    with pytest.raises(ValueError, match=rf"num_envs is {2**40}"):
        VersusVectorEnv("quartet", 2**40, "still")


class _Moody:
    """An opponent that at some turn does something else than play."""

    def __init__(self, turn: int, other: Callable[[], Any]) -> None:
        self.left, self.other = turn, other

    def __call__(self, observations: Any, seats: Any) -> Any:
        self.left -= 1
        if self.left == 0:
            self.other()
        return np.zeros(len(seats), int)


def _interrupt() -> None:
    raise KeyboardInterrupt


def test_a_step_that_breaks_off() -> None:
    """After a step that broke off nobody knows what opponents did: a reset of all comes next."""
    moody = _Moody(8, _interrupt)
    envs = VersusVectorEnv("quartet", 2, ["sticky", "random", moody], seat=0, **SMALL)
    envs.reset(seed=1)
    for _ in range(7):
        envs.step([0, 0])
    with pytest.raises(KeyboardInterrupt):
        envs.step([0, 0])
    with pytest.raises(ResetNeeded, match="step broke off"):
        envs.step([0, 0])
    with pytest.raises(ValueError, match=r"after a step.*broke"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    same = VersusVectorEnv("quartet", 2, ["sticky", "random", "still"], seat=0, **SMALL)
    assert np.array_equal(envs.reset(seed=1)[0], same.reset(seed=1)[0])
    for _ in range(20):
        one, other = envs.step([1, 2]), same.step([1, 2])
        assert np.array_equal(one[0], other[0])
        assert np.array_equal(one[1], other[1])


def _looks(observations: Any, seats: Any) -> Any:
    """Choose by all that is seen."""
    return observations.reshape(len(seats), -1).sum(axis=1) % 6


class _LooksAtRam:
    """A policy that chooses by RAM, but not in the vector."""

    observes = "ram"

    def __call__(self, observations: Any, seats: Any) -> Any:
        return _looks(observations, seats)


def _outcome(env: Any, steps: int, *more: int) -> Any:
    """Result of the last of some steps: action 0 as often as is said, then the others."""
    env.reset(seed=1)
    is_one = isinstance(env, VersusEnv)
    for action in [0] * steps + list(more):
        result = env.step(action if is_one else [action, action])
    return str(result)


@pytest.mark.parametrize("steps", [3, 9], ids=["middle", "end"])
@pytest.mark.parametrize("make", MAKERS, ids=["one", "vector"])
def test_interrupts_within_a_step(make: Any, steps: int) -> None:
    """Wherever one comes, a step was not played, was played in whole, or asks for a reset."""
    opponent = ["sticky", _looks, _LooksAtRam()]
    options = {"num_players": 4, "obs_type": "ram", "max_num_frames_per_episode": 40}
    more: dict[str, Any] = {} if make is VersusEnv else {"extra_infos": ["ram"]}
    env = make("quartet", opponent, 0, noop_max=0, **options, **more)
    expected = {_outcome(env, steps, 2)}
    if steps < 9 or isinstance(env, VersusVectorEnv):  # which then resets itself
        expected.add(_outcome(env, steps, 1, 2))
    action, other = (1, 2) if isinstance(env, VersusEnv) else ([1, 1], [2, 2])
    place, is_interrupted, refusals = 0, True, set()
    while is_interrupted:
        _outcome(env, steps)
        is_interrupted = interrupt_at(place, lambda: env.step(action))
        place += 1
        try:
            result = str(env.step(other))
        except ResetNeeded as problem:
            refusals.add(str(problem))
        else:
            assert result in expected, place
    assert len(refusals) == 1
    assert refusals.pop().endswith("a step broke off: call reset first")
    env.close()


def test_opponents_that_close_the_vector() -> None:
    close = _Moody(3, lambda: envs.close())
    envs = VersusVectorEnv("quartet", 2, close, mode=DUEL, num_players=2, **SMALL)
    envs.reset(seed=1)
    envs.step([0, 0])
    envs.step([0, 0])
    with pytest.raises(ClosedEnvironmentError, match="was closed"):
        envs.step([0, 0])


USES: dict[str, Callable[[Any], Any]] = {
    "step": lambda env: env.step(0 if isinstance(env, VersusEnv) else [0, 0]),
    "reset": lambda env: env.reset(),
    "seeded reset": lambda env: env.reset(seed=1),
    "masked reset": lambda env: env.reset(options={"reset_mask": np.array([True, False])}),
    "inner step": lambda env: (
        env.env.step(dict.fromkeys(env.env.agents, 0))
        if isinstance(env, VersusEnv)
        else env.envs.step(np.zeros((2, 2), int))
    ),
    "inner reset": lambda env: (env.env if isinstance(env, VersusEnv) else env.envs).reset(seed=1),
    "inner copy": lambda env: env.envs.copy_envs([0], [1]),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("make", MAKERS, ids=["one", "vector"])
@pytest.mark.parametrize("catches", [False, True], ids=["raises", "catches"])
def test_opponents_that_use_their_environment(make: Any, use: str, catches: bool) -> None:
    """An opponent that plays or resets while it chooses gets an error, and changes nothing."""
    is_one = make is VersusEnv
    if is_one and use in ("masked reset", "inner copy"):
        pytest.skip("for vectors")
    refusals: list[str] = []

    def act() -> None:
        try:
            USES[use](env)
        except RuntimeError as problem:
            refusals.append(str(problem))
            if not catches:
                raise

    env = make("quartet", _Moody(3, act), 0, mode=DUEL, noop_max=0)
    twin = make("quartet", "still", 0, mode=DUEL, noop_max=0)
    expected = _outcome(twin, 2, 1)
    _outcome(env, 2)
    action = 1 if is_one else [1, 1]
    told = r"is in use by another call|an opponent played or reset the `env` of"
    if is_one and use.startswith("inner"):  # which is found out afterwards
        with pytest.raises(RuntimeError, match=told):
            env.step(action)
    elif catches:
        assert str(env.step(action)) == expected
        assert re.search(told, refusals[0])
    else:
        with pytest.raises(RuntimeError, match=told):
            env.step(action)
        with pytest.raises(ResetNeeded, match="step broke off"):
            env.step(action)
    assert _outcome(env, 2, 1) == expected
    env.close()


def test_a_second_thread_is_refused() -> None:
    begun, ends = Event(), Event()

    def wait() -> None:
        begun.set()
        ends.wait()

    envs = VersusVectorEnv("quartet", 2, _Moody(1, wait), mode=DUEL, num_players=2, **SMALL)
    envs.reset(seed=1)
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(envs.step, [0, 1])
        begun.wait()
        with pytest.raises(RuntimeError, match="VersusVectorEnv is in use"):
            envs.step([0, 1])
        with pytest.raises(RuntimeError, match="AtariVectorEnv is in use"):
            envs.envs.reset()
        ends.set()
        playing.result()
    envs.step([0, 1])


@pytest.mark.skipif(
    not importlib.util.find_spec("stable_baselines3"), reason="needs stable-baselines3"
)
def test_stable_baselines3() -> None:
    from stable_baselines3 import PPO

    env = gymnasium.make(
        "pyale_ma/Versus-v0", game="quartet", mode=DUEL, opponent="random", obs_type="ram"
    )
    PPO("MlpPolicy", env, n_steps=32, batch_size=16, n_epochs=1, seed=0).learn(64)
    env.close()
    assert opponents.SCRIPTED


# ---- Learners ------------------------------------------------------------------------------------


def test_the_vector_within_can_be_recorded(tmp_path: Path) -> None:
    envs = VersusVectorEnv("quartet", 2, opponent="sticky", num_players=2, obs_type="ram")
    with pytest.raises(RecordingError, match=r"VersusVectorEnv .*`envs`"):
        record(envs, tmp_path / "one.zip")
    with record(envs.envs, tmp_path / "one.zip"):
        envs.reset(seed=1)
        for _ in range(50):
            envs.step(np.zeros(2, np.int64))
    assert Recording.open(tmp_path / "one.zip").verify().steps == 50
