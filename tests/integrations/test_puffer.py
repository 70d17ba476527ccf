"""PufferLib's adapter: PufferLib sees what the vector did, in one process and in several."""

from __future__ import annotations

import functools
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("pufferlib", reason="the adapter is to PufferLib", exc_type=ImportError)

import pufferlib.emulation
import pufferlib.vector

from pyale_ma.integrations.puffer import AtariPufferEnv, make_env
from pyale_ma.multi import warlords_v3
from pyale_ma.vector import AtariVectorEnv

SHORT: dict[str, Any] = {"max_num_frames_per_episode": 40, "noop_max": 0}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"obs_type": "ram", "episodic_life": True},
        {"obs_type": "rgb", "stack_num": 1, "num_players": 1},
        {"num_players": 2, "mirror": True},
    ],
    ids=str,
)
def test_equal_to_the_vector(options: dict[str, Any]) -> None:
    game = "pong" if "num_players" in options else "breakout"
    env: Any = make_env(game, 3, **SHORT, **options)
    same = AtariVectorEnv(
        game, 3, autoreset_mode="SameStep", extra_infos=["episode"], **SHORT, **options
    )
    expected, _ = same.reset(seed=6)
    seen, _ = env.reset(seed=2)
    generator, ends = np.random.default_rng(0), 0
    for _ in range(60):
        assert env.single_observation_space.shape == seen.shape[1:]
        assert np.array_equal(seen, expected.reshape(seen.shape))
        actions = generator.integers(0, env.single_action_space.n, env.num_agents)
        seen, rewards, terminals, truncations, infos = env.step(actions)
        expected, *theirs, their_infos = same.step(actions.reshape(same.action_space.shape))
        assert np.array_equal(rewards, theirs[0].reshape(-1))
        assert np.array_equal(terminals, theirs[1].reshape(-1))
        players = env.num_agents // 3
        cut_short = np.repeat(theirs[2], players) & ~theirs[1].reshape(-1)
        assert np.array_equal(truncations, cut_short)
        assert env.masks.all()
        ended = their_infos.get("_episode", np.zeros(3, bool))
        assert len(infos) == ended.sum() * players
        if infos:
            ends += 1
            returns = their_infos["episode"]["r"][ended].reshape(-1)
            assert [info["episode_return"] for info in infos] == returns.tolist()
            lengths = np.repeat(their_infos["episode"]["l"][ended], players)
            assert [info["episode_length"] for info in infos] == lengths.tolist()
    assert ends > 3


def test_players_who_are_out_are_masked_until_the_game_is_over() -> None:
    env: Any = make_env("warlords", 4, num_players=4, obs_type="ram", stack_num=1)
    same = AtariVectorEnv(
        "warlords", 4, num_players=4, obs_type="ram", stack_num=1, autoreset_mode="SameStep"
    )
    env.reset(seed=0)
    same.reset(seed=0)
    generator, waited, over = np.random.default_rng(0), 0, 0
    before = np.zeros((4, 4), bool)
    for _ in range(4000):
        actions = generator.integers(0, env.single_action_space.n, 16)
        _, rewards, terminals, _, _ = env.step(actions)
        *_, out, _, _ = same.step(actions.reshape(4, 4))
        ended = out.all(axis=1, keepdims=True)
        assert np.array_equal(terminals, (out & ~before).reshape(-1))
        assert np.array_equal(env.masks, (~before | ended).reshape(-1))
        assert not rewards[~env.masks].any()
        waited += int((~env.masks).sum())
        over += int(ended.sum())
        before = out & ~ended
        if waited and over > 1:
            return
    pytest.fail(f"nobody waited, or games went on: {waited}, {over}")


@pytest.mark.parametrize(
    ("backend", "options"),
    [("Serial", {}), ("Multiprocessing", {"num_workers": 2, "batch_size": 2})],
)
def test_vectors_of_vectors(backend: str, options: dict[str, Any]) -> None:
    """PufferLib puts vectors together; each plays as it does alone, and no two play the same."""
    arguments: dict[str, Any] = {"obs_type": "ram", "stack_num": 1, "num_threads": 1}
    vector = pufferlib.vector.make(
        make_env, ["breakout", 3], arguments, backend, num_envs=2, **options
    )
    parts = [make_env("breakout", 3, **arguments) for _ in range(2)]
    seen, _ = vector.reset(seed=5)
    expected = [part.reset(seed=seed)[0] for part, seed in zip(parts, (5, 6), strict=True)]
    assert len(np.unique(seen, axis=0)) == 6
    generator = np.random.default_rng(0)
    for _ in range(12):
        assert np.array_equal(seen, np.concatenate(expected))
        actions = generator.integers(0, 4, 6, np.int32)
        seen, *_ = vector.step(actions)
        expected = [
            part.step(chosen)[0] for part, chosen in zip(parts, actions.reshape(2, 3), strict=True)
        ]
    vector.close()


def test_the_native_backend_and_the_first_seed() -> None:
    vector = pufferlib.vector.make(make_env, env_args=["pong", 2], env_kwargs={"seed": 3})
    assert isinstance(vector, AtariPufferEnv)
    first = vector.reset()[0].copy()
    assert np.array_equal(first, make_env("pong", 2).reset(seed=3)[0])
    vector.async_reset(3)
    assert np.array_equal(vector.recv()[0], first)
    vector.close()
    assert vector.envs.closed


def make_single(buf: Any = None, seed: int = 0) -> Any:
    make = functools.partial(gymnasium.make, "pyale_ma:pyale_ma/Pong-v5", obs_type="ram")
    return pufferlib.emulation.GymnasiumPufferEnv(env_creator=make, buf=buf, seed=seed)


def make_parallel(buf: Any = None, seed: int = 0) -> Any:
    make = functools.partial(warlords_v3.parallel_env, obs_type="ram")
    return pufferlib.emulation.PettingZooPufferEnv(env_creator=make, buf=buf, seed=seed)


@pytest.mark.parametrize(("make", "agents"), [(make_single, 1), (make_parallel, 4)])
def test_emulated_environments(make: Any, agents: int) -> None:
    """Without the vector: environments of Gymnasium and PettingZoo."""
    vector = pufferlib.vector.make(make, num_envs=2, backend="Serial")
    observations, _ = vector.reset(seed=1)
    assert observations.shape == (2 * agents, 128)
    first = observations.copy()
    for _ in range(5):
        observations, *_ = vector.step(vector.action_space.sample())
    assert not np.array_equal(observations, first)
    vector.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"autoreset_mode": "NextStep"}, "autoreset_mode='SameStep'"),
        ({"games": ["pong", "breakout"], "game": None}, "full_action_space=True"),
        ({"num_envs": 4, "batch_size": 2}, "leave batch_size out"),
    ],
)
def test_vectors_that_do_not_fit(arguments: dict[str, Any], message: str) -> None:
    envs = AtariVectorEnv(**{"game": "pong", "autoreset_mode": "SameStep", **arguments})
    with pytest.raises(ValueError, match=message):
        AtariPufferEnv(envs)
    envs.close()


def test_bad_actions() -> None:
    env = make_env("pong", 2)
    env.reset(seed=0)
    with pytest.raises(IndexError, match="actions"):
        env.step(np.array([0, 6]))
    with pytest.raises(ValueError, match=r"actions.*\(2,\).*\(3,\)"):
        env.step(np.zeros(3, int))
