"""TorchRL's adapter: exact specs, the vector's results, collectors across episodes' ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torchrl", reason="the adapter to TorchRL needs it")

import torch
from torchrl.collectors import Collector
from torchrl.envs import MarlGroupMapType, PettingZooWrapper, RewardSum, TransformedEnv
from torchrl.envs.utils import check_env_specs, step_mdp

from common import run_python
from integrations.running import returns
from pyale_ma.integrations.torchrl import AtariEnv, make_env
from pyale_ma.multi import pong_v3
from pyale_ma.vector import AtariVectorEnv

ALL_IN_ONE = MarlGroupMapType.ALL_IN_ONE_GROUP


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"obs_type": "ram", "stack_num": 1},
        {"obs_type": "rgb", "continuous": True},
        {"num_players": 1},
        {"num_players": 2},
        {"num_players": 2, "group_map": ALL_IN_ONE},
        {
            "num_players": 4,
            "group_map": {"left": ["first_0", "third_0"], "right": ["second_0", "fourth_0"]},
        },
        {"num_players": 2, "continuous": True},
        {"extra_infos": ["unclipped_reward", "ram", "sound"]},
        {"num_players": 2, "extra_infos": ["unclipped_reward", "ram", "episode"]},
        {"num_players": 2, "agent_indicator": True, "mirror": True, "group_map": ALL_IN_ONE},
    ],
    ids=str,
)
def test_specs(options: dict[str, Any]) -> None:
    env = make_env("pong", 3, **options)
    check_env_specs(env, seed=0)
    env.close()
    assert env.envs.closed


@pytest.mark.parametrize("options", [{}, {"obs_type": "ram"}], ids=str)
def test_equal_to_the_vector(options: dict[str, Any]) -> None:
    short = {"max_num_frames_per_episode": 100, **options}
    env = make_env("breakout", 4, **short)
    same = AtariVectorEnv("breakout", 4, autoreset_mode="Disabled", **short)
    env.set_seed(7)
    seen = env.reset()
    observations, _ = same.reset(seed=7)
    ends = 0
    for _ in range(120):
        assert np.array_equal(seen["observation"], observations)
        seen = env.rand_action(seen)
        stepped, seen = env.step_and_maybe_reset(seen)
        observations, rewards, terminations, truncations, _ = same.step(stepped["action"].numpy())
        assert np.array_equal(stepped["next", "observation"], observations)
        assert np.array_equal(stepped["next", "reward"][:, 0], rewards)
        assert np.array_equal(stepped["next", "terminated"][:, 0], terminations)
        assert np.array_equal(stepped["next", "truncated"][:, 0], truncations)
        ended = terminations | truncations
        assert np.array_equal(stepped["next", "done"][:, 0], ended)
        if ended.any():
            ends += 1
            observations, _ = same.reset(options={"reset_mask": ended})
    assert ends > 3


@pytest.mark.parametrize("num_players", [None, 2])
def test_infos_are_those_of_the_vector(num_players: int | None) -> None:
    options: dict[str, Any] = {
        "num_players": num_players,
        "max_num_frames_per_episode": 400,
        "extra_infos": ["unclipped_reward", "ram", "episode"],
    }
    env = make_env("space_invaders", 3, group_map=num_players and ALL_IN_ONE, **options)
    same = AtariVectorEnv("space_invaders", 3, autoreset_mode="Disabled", **options)
    env.set_seed(7)
    seen = env.reset()
    _, infos = same.reset(seed=7)
    place: Any = "agents" if num_players else ()
    ends = 0
    rewards = 0.0
    for _ in range(220):
        of_players = seen[place] if num_players else seen
        assert np.array_equal(of_players["lives"][..., 0], infos["lives"])
        assert np.array_equal(seen["ram"], infos["ram"])
        assert not of_players["episode_return"].any()
        seen = env.rand_action(seen)
        stepped, seen = env.step_and_maybe_reset(seen)
        actions = (stepped[place] if num_players else stepped)["action"].numpy()
        _, _, terminations, truncations, infos = same.step(actions)
        after = stepped["next"]
        of_players = after[place] if num_players else after
        assert np.array_equal(of_players["lives"][..., 0], infos["lives"])
        assert np.array_equal(of_players["unclipped_reward"][..., 0], infos["unclipped_reward"])
        assert np.array_equal(after["ram"], infos["ram"])
        rewards = max(rewards, float(of_players["unclipped_reward"].max()))
        ended = terminations.reshape(3, -1).all(axis=1) | truncations
        assert after["episode_length"].any() == of_players["episode_return"].any() == ended.any()
        if ended.any():
            ends += 1
            assert np.array_equal(of_players["episode_return"][..., 0], infos["episode"]["r"])
            assert np.array_equal(after["episode_length"][:, 0], infos["episode"]["l"])
            _, infos = same.reset(options={"reset_mask": ended})
    assert ends >= 2
    assert rewards > 1


def test_groups_are_those_of_pettingzoo() -> None:
    for group_map in (MarlGroupMapType.ONE_GROUP_PER_AGENT, ALL_IN_ONE):
        env = make_env("pong", 2, num_players=2, group_map=group_map)
        theirs = PettingZooWrapper(
            pong_v3.parallel_env(num_players=2), use_mask=False, group_map=group_map
        )
        assert env.group_map == theirs.group_map
        ours, their = env.rand_step(env.reset()), theirs.rand_step(theirs.reset())
        assert set(ours.keys(True, True)) >= set(their.keys(True, True))
        for key in their.keys(True, True):
            assert ours[key].dtype == their[key].dtype, key
            if "observation" not in key:
                assert ours[key].shape == (2, *their[key].shape), key
    theirs = PettingZooWrapper(pong_v3.parallel_env(num_players=2), use_mask=False)
    assert make_env("pong", 2, num_players=2).group_map == theirs.group_map


def test_a_module_of_pettingzoo_itself_runs() -> None:
    code = """
import pyale_ma
pyale_ma.install_as_multi_agent_ale_py()
from pettingzoo.atari import pong_v3
from torchrl.envs import PettingZooWrapper
env = PettingZooWrapper(pong_v3.parallel_env(num_players=2))
print(env.rollout(5).batch_size, type(env._env.unwrapped.ale).__module__)
env.close()
"""
    assert run_python(code).splitlines()[-1] == "torch.Size([5]) pyale_ma.multi.multi_interface"


@pytest.mark.parametrize("options", [{}, {"agent_indicator": True, "mirror": True}], ids=str)
def test_each_group_plays_for_its_agents(options: dict[str, Any]) -> None:
    """And sees what they see."""
    options = {"num_players": 2, "noop_max": 0, **options}
    groups = {"right": ["second_0"], "left": ["first_0"]}
    env = make_env("pong", 3, group_map=groups, **options)
    same = AtariVectorEnv("pong", 3, autoreset_mode="Disabled", **options)
    env.set_seed(0)
    seen = env.reset()
    observations, _ = same.reset(seed=0)
    for _ in range(200):
        for player, group in enumerate(("left", "right")):
            expected = observations[:, player] if same.agent_indicator else observations
            assert np.array_equal(seen[group, "observation"][:, 0], expected)
        seen = env.rand_step(seen)
        actions = np.stack([seen[group, "action"][:, 0].numpy() for group in ("left", "right")], 1)
        observations, rewards, *_ = same.step(actions)
        for player, group in enumerate(("left", "right")):
            assert np.array_equal(seen["next", group, "reward"][:, 0, 0], rewards[:, player])
        seen = step_mdp(seen)


def test_environments_that_are_not_reset_stay_as_they_are() -> None:
    env = make_env("warlords", 2, num_players=4, obs_type="ram", group_map=ALL_IN_ONE)
    env.set_seed(0)
    seen = step_mdp(env.rand_step(env.reset()))
    before = seen.clone()
    seen["agents", "done"][1, 2] = True
    seen["_reset"] = torch.tensor([[True], [False]])
    seen = env.reset(seen)
    assert seen["agents", "done"][..., 0].tolist() == [[False] * 4, [False, False, True, False]]
    observations = seen["agents", "observation"]
    assert torch.equal(observations[1], before["agents", "observation"][1])
    assert not torch.equal(observations[0], before["agents", "observation"][0])


def test_agents_who_are_out_stay_done_until_the_game_is() -> None:
    env = make_env("warlords", 8, num_players=4, obs_type="ram", group_map=ALL_IN_ONE)
    env.set_seed(0)
    torch.manual_seed(0)
    seen = env.reset()
    waited = 0
    for _ in range(4000):
        stepped, seen = env.step_and_maybe_reset(env.rand_action(seen))
        of_agents = stepped["next", "agents", "done"][..., 0]
        of_game = stepped["next", "done"][:, 0]
        assert torch.equal(of_agents.all(dim=1), of_game)
        waited += int((of_agents.any(dim=1) & ~of_game).sum())
        if waited and of_game.any():
            return
    pytest.fail("nobody waited, or no game ended")


def test_collector() -> None:
    env = TransformedEnv(
        make_env("breakout", 4, max_num_frames_per_episode=80), RewardSum(in_keys=["reward"])
    )
    collector = Collector(env, None, frames_per_batch=4 * 30, total_frames=4 * 60)
    collector.set_seed(0)
    batches = list(collector)
    assert [batch.batch_size for batch in batches] == [torch.Size([4, 30])] * 2
    assert all(int(batch["next", "done"].sum()) >= 4 for batch in batches)
    assert batches[0]["observation"].shape == (4, 30, 4, 84, 84)
    # Where no episode ends, what follows a step is where the next one begins.
    for batch in batches:
        goes_on = ~batch["next", "done"][:, :-1, 0]
        after, before = batch["next", "observation"][:, :-1], batch["observation"][:, 1:]
        assert torch.equal(after[goes_on], before[goes_on])
    collector.shutdown()


def test_example_learns() -> None:
    before, after = returns("torchrl_ppo.py", "--steps", "8192")
    assert after > before + 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"autoreset_mode": "SameStep"}, "autoreset_mode='Disabled'"),
        ({"games": ["pong", "breakout"], "game": None}, "full_action_space=True"),
        ({"copy": False}, "without copy=False"),
    ],
)
def test_vectors_that_do_not_fit(arguments: dict[str, Any], message: str) -> None:
    envs = AtariVectorEnv(**{"game": "pong", "autoreset_mode": "Disabled", **arguments})
    with pytest.raises(ValueError, match=message):
        AtariEnv(envs)


def test_a_reset_that_fails_keeps_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    env = make_env("breakout", 2, obs_type="ram")
    same = AtariVectorEnv("breakout", 2, obs_type="ram", autoreset_mode="Disabled")
    env.set_seed(7)
    with monkeypatch.context() as patch:
        patch.setattr(env._adapter, "reset", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            env.reset()
    assert np.array_equal(env.reset()["observation"], same.reset(seed=7)[0])
    env.close()
