"""RLlib's adapter: what RLlib sees is what the vector did, and its learners run on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="the adapter to RLlib needs it")

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.tune import register_env

from integrations.running import returns
from pyale_ma.integrations import rllib
from pyale_ma.multi import pong_v3
from pyale_ma.vector import AtariVectorEnv

RAM: dict[str, Any] = {"obs_type": "ram", "stack_num": 1}


@pytest.mark.parametrize(
    ("options", "axes", "shape"),
    [
        ({}, (0, 2, 3, 1), (84, 84, 4)),
        ({"obs_type": "rgb"}, (0, 2, 3, 1, 4), (84, 84, 12)),
        ({"obs_type": "ram"}, (0, 1, 2), (512,)),
        ({"num_players": 1}, (0, 2, 3, 1), (84, 84, 4)),
    ],
    ids=str,
)
def test_equal_to_the_vector(
    options: dict[str, Any], axes: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    options = {"game": "breakout", "num_envs": 3, "max_num_frames_per_episode": 60, **options}
    envs: Any = rllib.AtariVector(options)
    same: Any = AtariVectorEnv(**options)
    assert envs.single_observation_space.shape == shape
    assert envs.single_action_space.n == 4
    seen, expected = envs.reset(seed=2)[0], same.reset(seed=2)[0]
    ends = 0
    for _ in range(80):
        assert envs.observation_space.contains(np.ascontiguousarray(seen))
        assert np.array_equal(seen, expected.transpose(axes).reshape(3, *shape))
        actions = envs.action_space.sample()
        seen, rewards, terminations, truncations, _ = envs.step(actions)
        expected, *others = same.step(actions.reshape(same.action_space.shape))
        assert np.array_equal(rewards, others[0].reshape(3))
        assert np.array_equal(terminations, others[1].reshape(3))
        assert np.array_equal(truncations, others[2])
        ends += truncations.sum()
    assert ends > 3


def test_infos_are_those_of_the_vector() -> None:
    options: dict[str, Any] = {"game": "breakout", "num_envs": 2, "max_num_frames_per_episode": 400}
    envs = rllib.AtariVector({**options, "extra_infos": ["unclipped_reward", "ram"]})
    same = AtariVectorEnv(**options, extra_infos=["unclipped_reward", "ram", "episode"])
    infos, expected = envs.reset(seed=2)[1], same.reset(seed=2)[1]
    ends = 0
    for _ in range(250):
        assert np.array_equal(infos["ram"], expected["ram"])
        actions = envs.action_space.sample()
        *_, infos = envs.step(actions)
        *_, expected = same.step(actions)
        assert np.array_equal(infos["unclipped_reward"], expected["unclipped_reward"])
        assert ("episode" in infos) == ("episode" in expected)
        if "episode" in infos:
            ends += infos["_episode"].sum()
            for name in ("r", "l"):
                assert np.array_equal(infos["episode"][name], expected["episode"][name])
    assert ends >= 4
    assert rllib.AtariVector(options).reset()[1] == {}


def test_several_agents_are_those_of_the_vector() -> None:
    options: dict[str, Any] = {"game": "warlords", "num_players": 4, **RAM}
    env = rllib.AtariMultiAgentEnv(options)
    same = AtariVectorEnv(**options, autoreset_mode="Disabled", extra_infos=["unclipped_reward"])
    generator = np.random.default_rng(1)
    left = length = 0
    returns = np.zeros(4, int)
    seen, _ = env.reset(seed=1)
    expected, _ = same.reset(seed=1)
    while env.agents:
        playing = list(env.agents)
        actions = generator.integers(0, same.num_actions[0], (1, 4))
        chosen = dict(zip(env.possible_agents, actions[0], strict=True))
        seen, rewards, terminated, truncated, infos = env.step(
            {name: chosen[name] for name in playing}
        )
        expected, their_rewards, out, cut_short, their_infos = same.step(actions)
        returns += their_infos["unclipped_reward"][0]
        length += 1
        assert infos == {
            agent: {"episode": {"r": returns[player], "l": length}}
            for player, agent in enumerate(env.possible_agents)
            if agent in playing and agent not in env.agents
        }
        assert set(seen) == set(rewards) == set(playing)
        for player, agent in enumerate(env.possible_agents):
            if agent in playing:
                assert np.array_equal(seen[agent], expected[0].reshape(-1))
                assert rewards[agent] == their_rewards[0, player]
                assert terminated[agent] == out[0, player]
        assert terminated["__all__"] == out[0].all()
        assert truncated["__all__"] == cut_short[0]
        left += len(playing) - len(env.agents) if env.agents else 0
    assert left > 0


@pytest.fixture(scope="module", autouse=True)
def _ray() -> Iterator[None]:
    # "local": not a cluster that somebody has on this machine.
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def train(config: PPOConfig) -> dict[str, Any]:
    config.env_runners(num_env_runners=0, env_to_module_connector=rllib.scale_bytes)
    config.training(train_batch_size_per_learner=64, minibatch_size=32, num_epochs=1)
    algorithm = config.build_algo()
    result: dict[str, Any] = algorithm.train()
    algorithm.stop()
    assert result["env_runners"]["num_env_steps_sampled"] >= 64
    return result


SMALL = DefaultModelConfig(fcnet_hiddens=[16])


@pytest.mark.parametrize("options", [{}, RAM], ids=str)
def test_the_vector_runs(options: dict[str, Any]) -> None:
    config = PPOConfig().environment(rllib.AtariVector, env_config={"game": "pong", **options})
    config.env_runners(num_envs_per_env_runner=4, gym_env_vectorize_mode="vector_entry_point")
    train(config)


def test_an_id_runs() -> None:
    config = PPOConfig().environment("pyale_ma:pyale_ma/Pong-v5", env_config={"obs_type": "ram"})
    config.env_runners(num_envs_per_env_runner=2).rl_module(model_config=SMALL)
    train(config)


def test_several_agents_run() -> None:
    register_env(
        "pong_of_pettingzoo",
        lambda config: ParallelPettingZooEnv(pong_v3.parallel_env(num_players=2, **config)),
    )
    for env, options in (
        (rllib.AtariMultiAgentEnv, {"game": "pong", "num_players": 2, **RAM}),
        ("pong_of_pettingzoo", {"obs_type": "ram"}),
    ):
        config = PPOConfig().environment(env, env_config=options)
        config.env_runners(num_envs_per_env_runner=2).rl_module(model_config=SMALL)
        config.multi_agent(
            policies={"left", "right"},
            policy_mapping_fn=lambda agent, *_, **__: "left" if agent == "first_0" else "right",
        )
        result = train(config)
        assert {"left", "right"} <= set(result["learners"])


def test_returns_before_clipping_are_logged() -> None:
    options: dict[str, Any] = {"game": "space_invaders", "max_num_frames_per_episode": 1000, **RAM}
    for env, players in ((rllib.AtariVector, {}), (rllib.AtariMultiAgentEnv, {"num_players": 2})):
        config = PPOConfig().environment(env, env_config={**options, **players})
        config.env_runners(
            num_env_runners=0, num_envs_per_env_runner=2, env_to_module_connector=rllib.scale_bytes
        )
        config.callbacks(on_episode_end=rllib.log_games).debugging(seed=0)
        config.rl_module(model_config=SMALL)
        if players:
            config.multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        else:
            config.env_runners(gym_env_vectorize_mode="vector_entry_point")
        algorithm = config.build_algo()
        runner = algorithm.env_runner
        games = [
            list(episode.agent_episodes.values()) if players else [episode]
            for episode in runner.sample(num_episodes=2, random_actions=True)
            if episode.is_done
        ]
        returns = [[part.get_infos(-1)["episode"]["r"] for part in game] for game in games]
        metrics = runner.get_metrics()
        assert metrics["game_return_mean"].peek() == np.mean([sum(game) for game in returns])
        assert metrics["game_return_mean"].peek() > metrics["episode_return_mean"].peek()
        assert metrics["game_len_mean"].peek() == metrics["episode_len_mean"].peek()
        if players:
            first = metrics["agent_game_return_mean"]["first_0"].peek()
            assert first == np.mean([game[0] for game in returns])
        algorithm.stop()


def test_example_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")  # a cluster beside it, which it leaves alone
    before, after = returns("rllib_ppo.py", "--iterations", "14", "--runners", "1")
    assert after > before + 1


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (rllib.AtariVector, {"autoreset_mode": "SameStep"}, "autoreset_mode='NextStep'"),
        (rllib.AtariVector, {"num_players": 2}, "leave num_players out"),
        (rllib.AtariVector, {"num_players": 2, "mirror": True}, "AtariMultiAgentEnv, which know"),
        (rllib.AtariVector, {"copy": False}, "RLlib keeps observations"),
        (rllib.AtariMultiAgentEnv, {"num_players": 2, "copy": False}, "RLlib keeps observations"),
        (rllib.AtariVector, {"game": None, "games": ["pong", "breakout"]}, "full_action_space"),
        (rllib.AtariMultiAgentEnv, {"num_players": 2, "num_envs": 2}, "leave num_envs out"),
        (rllib.AtariMultiAgentEnv, {}, "give num_players"),
        (rllib.AtariMultiAgentEnv, {"autoreset_mode": "NextStep"}, "autoreset_mode='Disabled'"),
    ],
)
def test_arguments_that_do_not_fit(make: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make({"game": "pong", **arguments})
