"""Tianshou: its collectors over EnvPool's interface to the native vector, and over its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("tianshou", reason="the collectors are tianshou's")
pytest.importorskip("torch", reason="tianshou's policies are networks of PyTorch")

import torch
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.data import Collector, VectorReplayBuffer

import pyale_ma.envpool

OPTIONS: dict[str, Any] = {"num_envs": 3, "seed": 1, "stack_num": 2, "max_episode_steps": 30}


class Network(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, size: int, actions: int) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(size, actions))

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Any, Any]:
        return self.layers(torch.as_tensor(obs).float() / 255), state


def collector(envs: Any, space: Any, size: int, rows: int) -> Any:
    """A collector with a policy that plays mostly at random, and a buffer."""
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002 - tianshou draws from it
    policy = DiscreteQLearningPolicy(
        model=Network(size, int(space.n)),
        action_space=space,
        eps_training=0.9,
        eps_inference=0.9,
    )
    return Collector(policy, envs, VectorReplayBuffer(300, rows), exploration_noise=True)


def test_collector_over_the_vector() -> None:
    """The collector's data follows from its actions."""
    envs = pyale_ma.envpool.make("Pong-v5", env_type="gymnasium", **OPTIONS)
    collects = collector(envs, envs.action_space, 2 * 84 * 84, 3)
    collects.reset()
    stats = collects.collect(n_step=90)
    assert stats.n_collected_steps == 90
    assert stats.n_collected_episodes == 3
    assert stats.lens.tolist() == [30, 30, 30]

    again = pyale_ma.envpool.make("Pong-v5", env_type="gymnasium", **OPTIONS)
    observations, _ = again.reset()
    buffers = collects.buffer.buffers
    assert len({tuple(buffer.act[:30].tolist()) for buffer in buffers}) == 3
    for step in range(30):
        for env_id, buffer in enumerate(buffers):
            assert np.array_equal(buffer.obs[step], observations[env_id])
        actions = np.array([buffer.act[step] for buffer in buffers])
        observations, rewards, terminated, truncated, _ = again.step(actions)
        for env_id, buffer in enumerate(buffers):
            assert buffer.rew[step] == rewards[env_id]
            assert buffer.terminated[step] == terminated[env_id]
            assert buffer.truncated[step] == truncated[env_id]


def test_whole_episodes_over_the_vector() -> None:
    envs = pyale_ma.envpool.make("Pong-v5", env_type="gymnasium", **OPTIONS)
    collects = collector(envs, envs.action_space, 2 * 84 * 84, 3)
    collects.reset()
    stats = collects.collect(n_episode=4)
    assert stats.n_collected_episodes == 4
    assert stats.lens.tolist() == [30] * 4
