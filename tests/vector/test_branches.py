"""Branches: copies of games that play on exactly as the games would."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np
import pytest

from pyale_ma.multi import joust_v3
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv

GAMES = ["joust_v3", "quartet_v0", "space_war_v2", "mario_bros_v3"]


def vector(game: str = "joust_v3", rows: int = 3, **options: Any) -> AtariVectorEnv:
    options = {"obs_type": "ram", "stack_num": 1, "reward_clipping": False, **options}
    envs = AtariVectorEnv(game, rows, num_threads=1, autoreset_mode="Disabled", **options)
    envs.reset(seed=5)
    random = np.random.default_rng(0)
    for _ in range(20):
        envs.step(drawn(envs, random, rows))
    return envs


def drawn(envs: AtariVectorEnv, random: np.random.Generator, *shape: int) -> np.ndarray:
    return random.integers(envs.num_actions[0], size=(*shape, envs.num_players or 1))


@pytest.mark.parametrize("sticky", [0.0, 0.25])
@pytest.mark.parametrize("game", GAMES)
def test_rollout_equals_the_steps_of_the_game(game: str, sticky: float) -> None:
    envs = vector(game, repeat_action_probability=sticky)
    branches = envs.branches(6)
    branches.copy([0, 1, 2, 2, 1, 0])
    assert np.array_equal(branches.ram[:3], envs._native.rams())
    assert np.array_equal(branches.ram[5], branches.ram[0])
    actions = drawn(envs, np.random.default_rng(1), 150, 3)
    before = envs.save_state()
    returns, ended = branches.rollout(actions, discount=0.9)
    assert envs.save_state() == before  # the games stand still
    expected = np.zeros(returns.shape)
    for step, each in enumerate(actions):
        ram, rewards, *_ = envs.step(each)
        expected += 0.9**step * rewards
    assert np.array_equal(branches.ram[:3], ram[:, 0])
    np.testing.assert_allclose(returns, expected, rtol=1e-12)
    assert not ended.any()
    assert (branches.ram[3:] != ram[::-1, 0]).any()  # those stood still


def test_branches_stand_still_after_their_end() -> None:
    envs = vector(max_num_frames_per_episode=120)
    branches = envs.branches(3)
    branches.copy([0, 1, 2])
    actions = drawn(envs, np.random.default_rng(1), 40, 3)
    returns, ended = branches.rollout(actions)
    assert ended.all()
    expected = sum(envs.step(each)[1] for each in actions[:10])
    assert np.array_equal(branches.ram, envs._native.rams())
    np.testing.assert_array_equal(returns, expected)
    again, ended = branches.step(actions[0])
    assert ended.all()
    assert not again.any()
    branches.copy([0, 0, 0])  # games that are over
    assert branches.step(actions[0])[1].all()


def test_seeds_give_copies_other_sticky_actions_and_open_seats() -> None:
    envs = vector(repeat_action_probability=0.25)
    branches = envs.branches(8)
    actions = np.broadcast_to(drawn(envs, np.random.default_rng(1), 40, 1), (40, 8, 2))
    branches.copy(0)
    branches.rollout(actions)
    assert len(np.unique(branches.ram, axis=0)) == 1
    branches.copy(0, seeds=7)
    branches.rollout(actions)
    seeded = branches.ram
    assert len(np.unique(seeded, axis=0)) > 4
    branches.copy(0, seeds=[14, 13, 12, 11, 10, 9, 8, 7])
    branches.rollout(actions)
    assert np.array_equal(branches.ram, seeded[::-1])


def test_open_seats_depend_on_seeds_alone() -> None:
    envs = vector()
    branches = envs.branches(4)
    own = np.full((60, 4, 2), -1)
    results = []
    for _ in range(2):
        branches.copy(0, seeds=[3, 4, 3, 4])
        branches.rollout(own)
        results.append(branches.ram)
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0][:2], results[0][2:])
    assert not np.array_equal(results[0][0], results[0][1])


def test_open_seats_of_a_trained_player() -> None:
    envs = vector("pong_v3")
    leads = []
    for others in ("random", "strong"):
        branches = envs.branches(16, others=others)
        branches.copy(0, seeds=0)
        actions = drawn(envs, np.random.default_rng(1), 400, 16)
        actions[..., 1] = -1
        leads.append(branches.rollout(actions)[0][:, 1])
    assert leads[1].mean() > leads[0].mean() + 4


def test_fewer_branches_than_there_are() -> None:
    envs = vector()
    branches = envs.branches(5)
    branches.copy(1)
    actions = drawn(envs, np.random.default_rng(1), 9, 2)
    returns, ended = branches.rollout(actions)
    assert returns.shape == (2, 2)
    assert ended.shape == (2,)
    assert np.array_equal(branches.ram[2], branches.ram[4])
    assert not np.array_equal(branches.ram[0], branches.ram[2])


def test_labels() -> None:
    envs = vector("pong_v3", extra_infos=["labels"])
    branches = envs.branches(2)
    branches.copy([0, 2])
    *_, infos = envs.step(np.zeros((3, 2), int))
    branches.step(np.zeros((2, 2), int))
    assert np.array_equal(branches.labels, infos["labels"][[0, 2]])


def test_branches_of_one_environment() -> None:
    env = joust_v3.parallel_env(obs_type="ram", frame_skip=4, repeat_action_probability=0.25)
    env.reset(seed=1)
    branches = env.branches(2)
    branches.copy()
    state = env.save_state()
    actions = np.random.default_rng(0).integers(18, size=(80, 2, 2))
    returns, _ = branches.rollout(actions)
    expected = np.zeros(2)
    for each in actions[:, 1].tolist():
        rewards = env.step(dict(zip(env.agents, each, strict=True)))[1]
        expected += list(rewards.values())
    assert np.array_equal(branches.ram[1], env.state())
    assert np.array_equal(returns[1], expected)
    branches.copy([state, 0])  # back, and where it is now
    assert np.array_equal(branches.ram[1], env.state())
    branches.rollout(actions[:, 1:])
    assert np.array_equal(branches.ram[0], env.state())


@pytest.mark.parametrize("full", [False, True])
def test_branches_of_a_single_player(full: bool) -> None:
    env = AtariEnv("breakout", obs_type="ram", frameskip=4, full_action_space=full)
    env.reset(seed=1)
    branches = env.branches(1)
    branches.copy()
    for action in np.random.default_rng(0).integers(4, size=100):
        ram, reward, *_ = env.step(action)
        returns, _ = branches.step([[action]])
        assert returns[0, 0] == reward
        assert np.array_equal(branches.ram[0], ram)


def test_refusals() -> None:
    envs = vector()
    branches = envs.branches(3)
    actions = np.zeros((4, 3, 2), int)
    with pytest.raises(IndexError, match=r"sources\[0\] is 3"):
        branches.copy(3)
    with pytest.raises(ValueError, match="2 sources, but 3 targets"):
        branches.copy([0, 0])
    with pytest.raises(ValueError, match="targets has a number twice"):
        branches.copy(0, [1, 1])
    with pytest.raises(IndexError, match="an action is 18"):
        branches.rollout(actions + 18)
    with pytest.raises(ValueError, match="shape"):
        branches.rollout(actions[0])
    with pytest.raises(ValueError, match="of 4 branches"):
        branches.rollout(np.zeros((1, 4, 2), int))
    with pytest.raises(TypeError, match="whole numbers"):
        branches.rollout(actions * 0.5)
    with pytest.raises(ValueError, match="discount is 2"):
        branches.rollout(actions, discount=2)
    with pytest.raises(ValueError, match="n is 0"):
        envs.branches(0)
    with pytest.raises(ValueError, match=r"strong player.*joust"):
        envs.branches(1, others="strong")
    with pytest.raises(ValueError, match="others is 3"):
        envs.branches(1, others=3)
    with pytest.raises(ValueError, match="several"):
        AtariVectorEnv(games=["pong", "breakout"]).branches(1)
    with pytest.raises(ValueError, match="random frame skips"):
        AtariEnv("breakout", frameskip=(2, 5)).branches(1)
    with pytest.raises(ValueError, match="breakout"):
        branches.copy(AtariEnv("breakout").save_state())


def test_closed_and_forked() -> None:
    envs = vector()
    branches = envs.branches(2)
    child = os.fork()
    if not child:
        try:
            branches.step(np.zeros((2, 2), int))
        except RuntimeError:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    envs.close()  # branches have games of their own
    branches.step(np.zeros((2, 2), int))
    branches.close()
    for call in (lambda: branches.step(np.zeros((2, 2), int)), lambda: branches.copy(0)):
        with pytest.raises(Exception, match="closed"):
            call()


def test_an_interrupt_ends_a_rollout() -> None:
    envs = AtariVectorEnv("breakout", 1, autoreset_mode="Disabled")
    envs.reset(seed=5)
    branches = envs.branches(2)  # where nobody presses FIRE, nothing ends
    branches.copy()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    began = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            branches.rollout(np.zeros((1_000_000, 2, 1), int))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - began < 5
    with pytest.raises(Exception, match="interrupted"):
        branches.step(np.zeros((2, 1), int))
    branches.copy()
    branches.step(np.zeros((2, 1), int))
