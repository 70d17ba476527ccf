"""Training libraries learn to play the package's opponents by what they have for one agent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

import pyale_ma  # noqa: F401 (its ids)

DUEL: dict[str, Any] = {"game": "quartet", "mode": 2, "opponent": "weak", "obs_type": "ram"}


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="the learners need PyTorch")


def updated(network: Any, loss: Any, optimizer: Any) -> bool:
    """Whether a step of the optimiser changes the network, and to finite numbers."""
    before = [parameter.detach().clone() for parameter in network.parameters()]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    after = list(network.parameters())
    assert all(parameter.isfinite().all() for parameter in after)
    return any(not one.equal(other) for one, other in zip(before, after, strict=True))


def test_a_loop_as_cleanrl_has(torch: Any) -> None:
    """PPO's rollout and update over `gymnasium.make_vec`, with Gymnasium's own statistics."""
    envs = gymnasium.make_vec(
        "pyale_ma/Versus-v0",
        num_envs=4,
        vectorization_mode="vector_entry_point",
        max_num_frames_per_episode=60,
        **DUEL,
    )
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    assert isinstance(envs.single_action_space, gymnasium.spaces.Discrete)
    size = int(np.prod(envs.single_observation_space.shape))  # type: ignore[arg-type]
    actor = torch.nn.Linear(size, int(envs.single_action_space.n))
    optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
    observations, _ = envs.reset(seed=1)
    log_probs, gained, episodes = [], [], 0
    for _ in range(40):
        seen = torch.from_numpy(observations).flatten(1) / 255
        policy = torch.distributions.Categorical(logits=actor(seen))
        actions = policy.sample()
        observations, rewards, _, _, infos = envs.step(actions.numpy())
        assert rewards.shape == (4,)
        log_probs.append(policy.log_prob(actions))
        gained.append(torch.from_numpy(np.asarray(rewards, np.float32)))
        episodes += int(infos["_episode"].sum()) if "episode" in infos else 0
    returns = torch.stack(gained).flip(0).cumsum(0).flip(0) + 1
    assert updated(actor, -(torch.stack(log_probs) * returns).mean(), optimizer)
    assert episodes
    envs.close()


def test_torchrl(torch: Any) -> None:
    pytest.importorskip("torchrl", reason="its wrapper and collector are used")
    from tensordict.nn import (
        ProbabilisticTensorDictModule as Sampler,
        ProbabilisticTensorDictSequential as Chain,
        TensorDictModule,
    )
    from torchrl.collectors import Collector
    from torchrl.envs import GymWrapper

    env = GymWrapper(gymnasium.make("pyale_ma/Versus-v0", **DUEL), categorical_action_encoding=True)

    class Logits(torch.nn.Linear):  # type: ignore[misc]
        def forward(self, observation: Any) -> Any:
            return super().forward(observation.float().flatten(-1) / 255)

    actor = Logits(128, env.action_spec.n)
    policy = Chain(
        TensorDictModule(actor, ["observation"], ["logits"]),
        Sampler(
            in_keys=["logits"],
            out_keys=["action"],
            distribution_class=torch.distributions.Categorical,
            return_log_prob=True,
        ),
    )
    collector = Collector(env, policy, frames_per_batch=64, total_frames=128)
    optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
    for batch in collector:
        log_probs = policy.get_dist(batch).log_prob(batch["action"])
        rewards = batch["next", "reward"].squeeze(-1).float() + 1
        assert updated(actor, -(log_probs * rewards).mean(), optimizer)
    collector.shutdown()


@pytest.fixture(scope="module")
def rllib() -> Iterator[Any]:
    """RLlib's adapter; "local" is not a cluster that somebody has on this machine."""
    pytest.importorskip("ray.rllib", reason="its PPO is used")
    import ray

    from pyale_ma.integrations import rllib

    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield rllib
    ray.shutdown()


def test_rllib(rllib: Any) -> None:
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

    config = PPOConfig().environment("pyale_ma:pyale_ma/Versus-v0", env_config=DUEL)
    config.env_runners(
        num_env_runners=0,
        num_envs_per_env_runner=2,
        env_to_module_connector=rllib.scale_bytes,  # observations are bytes
    )
    config.rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[16]))
    config.training(train_batch_size_per_learner=64, minibatch_size=32, num_epochs=1)
    algorithm = config.build_algo()
    result = algorithm.train()
    algorithm.stop()
    assert result["env_runners"]["num_env_steps_sampled"] >= 64
