"""dm_env's adapter for one environment, by dm_env's own test of environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("dm_env", reason="the adapter is to dm_env")
pytest.importorskip("absl", reason="dm_env's own test needs absl and dm-tree")

import dm_env
from absl.testing import absltest
from dm_env import specs, test_utils

from pyale_ma.integrations.dm import DMEnv, make_env

SHORT = {"max_num_frames_per_episode": 60}


class TestByDMEnv(test_utils.EnvironmentTestMixin, absltest.TestCase):  # type: ignore[misc]
    """dm_env's own tests, through the ends of some episodes."""

    def make_object_under_test(self) -> DMEnv:
        return make_env("pyale_ma/Pong-v5", seed=1, **SHORT)

    def make_action_sequence(self) -> Any:
        return np.random.default_rng(0).integers(6, size=50).astype(np.int64)


class TestContinuousByDMEnv(test_utils.EnvironmentTestMixin, absltest.TestCase):  # type: ignore[misc]
    """The same with actions of three numbers, and memory."""

    def make_object_under_test(self) -> DMEnv:
        return make_env("pyale_ma/Pong-v5", seed=1, continuous=True, obs_type="ram", **SHORT)


@pytest.mark.parametrize("obs_type", ["rgb", "grayscale", "ram"])
def test_equal_to_the_environment(obs_type: str) -> None:
    env = make_env("pyale_ma/Breakout-v5", seed=7, obs_type=obs_type, max_episode_steps=40)
    same = gymnasium.make("pyale_ma/Breakout-v5", obs_type=obs_type, max_episode_steps=40)
    space = same.observation_space
    spec = env.observation_spec()
    assert (spec.shape, spec.dtype) == (space.shape, space.dtype)
    assert (spec.minimum.min(), spec.maximum.max()) == (0, 255)
    assert env.action_spec() == specs.DiscreteArray(4, np.int64, "action")
    rng = np.random.default_rng(0)
    ends = 0
    step, expected = env.reset(), same.reset(seed=7)[0]
    for _ in range(130):
        assert np.array_equal(step.observation, expected)
        env.observation_spec().validate(step.observation)
        action = rng.integers(4)
        if step.last():
            ends += 1
            step, expected = env.step(action), same.reset()[0]
            assert step.first()
            continue
        step = env.step(action)
        expected, reward, terminated, truncated, _ = same.step(action)
        assert step.reward == reward
        assert step.last() == (terminated or truncated)
        assert step.discount == (0 if terminated else 1)
    assert ends == 3


def test_the_end_of_a_game_has_no_future() -> None:
    env = make_env("pyale_ma/Quartet-v0", seed=1, mode=1, obs_type="ram")
    step = env.reset()
    while not step.last():
        step = env.step(0)
    assert step == dm_env.termination(step.reward, step.observation)
    assert step.discount == 0


def test_what_does_not_fit_is_refused() -> None:
    class Two(gymnasium.Env[Any, Any]):
        observation_space = gymnasium.spaces.Dict()
        action_space = gymnasium.spaces.Discrete(2)

    with pytest.raises(TypeError, match="observations in a Box"):
        DMEnv(Two())
    Two.observation_space = gymnasium.spaces.Box(0, 1)  # type: ignore[assignment]
    Two.action_space = gymnasium.spaces.MultiBinary(2)  # type: ignore[assignment]
    with pytest.raises(TypeError, match=r"actions.*Discrete.*Box"):
        DMEnv(Two())
    with pytest.raises(TypeError, match=r"takes.*'pong'"):
        DMEnv("pong")  # type: ignore[arg-type]


def test_a_reset_that_fails_keeps_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    env = make_env("pyale_ma/Breakout-v5", seed=7, obs_type="ram")
    same = gymnasium.make("pyale_ma/Breakout-v5", obs_type="ram")
    with monkeypatch.context() as patch:
        patch.setattr(env.env, "reset", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            env.reset()
    assert np.array_equal(env.reset().observation, same.reset(seed=7)[0])
    assert np.array_equal(env.reset().observation, same.reset()[0])
