"""BenchMARL's adapter: exact specs, the vector's results, experiments of several algorithms."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("benchmarl", reason="the adapter is to BenchMARL", exc_type=ModuleNotFoundError)

import torch
from benchmarl.algorithms import IppoConfig, MappoConfig, QmixConfig
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from torchrl.envs import Compose, MarlGroupMapType, TransformedEnv
from torchrl.envs.utils import check_env_specs

from pyale_ma.integrations.benchmarl import AtariClass, AtariTask, make_task
from pyale_ma.vector import AtariVectorEnv

TEAMS = {"left": ["first_0", "third_0"], "right": ["second_0", "fourth_0"]}


def transformed(task: AtariClass, num_envs: int = 3, seed: int = 0) -> Any:
    """A task's environments as an experiment has them."""
    continuous = task.supports_continuous_actions()
    env = task.get_env_fun(num_envs, continuous, seed, "cpu")()
    transforms = [*task.get_env_transforms(env), task.get_reward_sum_transform(env)]
    return TransformedEnv(env, Compose(*transforms))


class Batches(Callback):  # type: ignore[misc]
    """Keeps what an experiment collects and evaluates."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[Any] = []
        self.rollouts: list[Any] = []

    def on_batch_collected(self, batch: Any) -> None:
        self.batches.append(batch.clone())

    def on_evaluation_end(self, rollouts: list[Any]) -> None:
        self.rollouts.append(rollouts)


def experiment(
    task: AtariClass, algorithm: Any, folder: Path, model: Any = None, **options: Any
) -> tuple[Any, Batches]:
    """Two iterations of two environments, 20 steps each, and evaluations of two episodes."""
    if model is None:
        model = MlpConfig.get_from_yaml()
        model.num_cells = [16]
    config = ExperimentConfig.get_from_yaml()
    changes: dict[str, Any] = {
        "max_n_iters": 2,
        "max_n_frames": None,
        "loggers": [],
        "save_folder": str(folder),
        "evaluation_interval": 40,
        "evaluation_episodes": 2,
        "on_policy_n_minibatch_iters": 1,
        "on_policy_minibatch_size": 20,
        "off_policy_n_optimizer_steps": 2,
        "off_policy_train_batch_size": 10,
        "off_policy_memory_size": 100,
    }
    for policy in ("on_policy", "off_policy"):
        changes[f"{policy}_collected_frames_per_batch"] = 40
        changes[f"{policy}_n_envs_per_worker"] = 2
    for name, value in {**changes, **options}.items():
        assert hasattr(config, name)
        setattr(config, name, value)
    kept = Batches()
    made = Experiment(
        task=task,
        algorithm_config=algorithm.get_from_yaml(),
        model_config=model,
        seed=0,
        config=config,
        callbacks=[kept],
    )
    made.run()
    assert (made.n_iters_performed, made.total_frames) == (2, 80)
    return made, kept


# ---- Environments --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "observation", "state"),
    [
        ({}, [2, 3 * 128], [128]),
        ({"num_players": 4, "stack_num": 2, "agent_indicator": False}, [4, 2 * 128], [128]),
        ({"obs_type": "grayscale", "img_height": 42, "stack_num": 4}, [2, 42, 84, 6], None),
        ({"obs_type": "rgb", "stack_num": 2, "agent_indicator": False}, [2, 84, 84, 6], None),
        ({"continuous": True, "extra_infos": ["unclipped_reward"]}, [2, 384], [128]),
        ({"group_map": MarlGroupMapType.ONE_GROUP_PER_AGENT}, [1, 384], [128]),
    ],
    ids=str,
)
def test_specs(options: dict[str, Any], observation: list[int], state: list[int] | None) -> None:
    task = make_task("quartet", **options)
    env = transformed(task)
    check_env_specs(env, seed=0)
    groups = task.group_map(env)
    assert list(groups) == (["first_0", "second_0"] if "group_map" in options else ["agents"])
    seen, actions = task.observation_spec(env), task.action_spec(env)
    for group in groups:
        assert list(seen[group].keys()) == ["observation"]
        assert list(seen[group, "observation"].shape) == observation
        assert seen[group, "observation"].dtype == torch.float32
        assert list(actions[group].keys()) == ["action"]
    of_all = task.state_spec(env)
    assert (of_all and list(of_all["state"].shape)) == state
    assert task.info_spec(env) is task.action_mask_spec(env) is None
    assert task.supports_continuous_actions() == ("continuous" in options)
    assert task.supports_discrete_actions() == ("continuous" not in options)
    env.close()


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 4},
        {"stack_num": 2, "agent_indicator": False},
        {"obs_type": "grayscale", "stack_num": 2, "img_width": 42},
        {"obs_type": "rgb", "stack_num": 3, "agent_indicator": False, "reward_clipping": False},
    ],
    ids=str,
)
def test_equal_to_the_vector(options: dict[str, Any]) -> None:
    env = transformed(make_task("quartet", max_steps=30, **options), seed=7)
    arguments = {"num_players": 2, "obs_type": "ram", "stack_num": 1, "agent_indicator": True}
    same = AtariVectorEnv(
        "quartet",
        3,
        autoreset_mode="Disabled",
        max_num_frames_per_episode=120,
        extra_infos=["ram"],
        **{**arguments, **options},
    )
    players, planes = same.num_players or 0, options.get("stack_num", 1)
    seen = env.reset()
    observations, infos = same.reset(seed=7)
    ends = 0
    for _ in range(65):
        each = observations
        if not same.agent_indicator:
            each = np.repeat(observations[:, None], players, axis=1)
        if same.obs_type == "ram":
            expected = each.reshape(3, players, -1)
        elif same.obs_type == "rgb":
            expected = np.concatenate([each[:, :, plane] for plane in range(planes)], axis=-1)
        else:
            expected = np.moveaxis(each, 2, -1)
        assert np.array_equal(seen["agents", "observation"], expected / np.float32(255))
        if same.obs_type == "ram":
            assert np.array_equal(seen["state"], infos["ram"] / np.float32(255))
        stepped, seen = env.step_and_maybe_reset(env.rand_action(seen))
        actions = stepped["agents", "action"].numpy()
        observations, rewards, terminations, truncations, infos = same.step(actions)
        assert np.array_equal(stepped["next", "agents", "reward"][..., 0], rewards)
        assert np.array_equal(stepped["next", "truncated"][:, 0], truncations)
        ended = terminations.all(axis=1) | truncations
        assert np.array_equal(stepped["next", "done"][:, 0], ended)
        if ended.any():
            ends += 1
            observations, infos = same.reset(options={"reset_mask": ended})
    assert ends >= 2
    env.close()


# ---- Experiments ---------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [MappoConfig, IppoConfig, QmixConfig])
def test_algorithms(algorithm: Any, tmp_path: Path) -> None:
    """Both iterations collect whole episodes, and evaluations last as long as one."""
    task = make_task("quartet", num_players=4, max_steps=20)
    made, kept = experiment(task, algorithm, tmp_path)
    assert list(made.group_map) == ["agents"]
    assert not made.continuous_actions
    assert np.isfinite(made.mean_return)
    for batch in kept.batches:
        assert batch.batch_size == torch.Size([2, 20])
        assert batch["agents", "observation"].shape == (2, 20, 4, 5 * 128)
        assert batch["next", "done"][:, -1].all()
        returns = batch["next", "agents", "reward"].sum(dim=1)
        assert torch.equal(batch["next", "agents", "episode_reward"][:, -1], returns)
    assert [len(episode) for episode in kept.rollouts[-1]] == [20, 20]


def test_teams(tmp_path: Path) -> None:
    """A policy for each group of agents, each with two."""
    task = make_task("quartet", num_players=4, max_steps=20, group_map=TEAMS)
    made, kept = experiment(task, MappoConfig, tmp_path)
    assert made.group_map == TEAMS
    assert set(made.losses) == set(TEAMS)
    assert kept.batches[0]["left", "observation"].shape == (2, 20, 2, 5 * 128)
    left, right = (
        kept.batches[1].get((team, "observation"))[..., 128:].unique(dim=-2) for team in TEAMS
    )
    assert left.shape == right.shape
    assert not torch.equal(left, right)  # who observes differs


def test_returns_before_clipping_are_logged() -> None:
    """Space Invaders gives more than a point for each."""
    options = {"num_players": 2, "max_steps": 200, "group_map": {"one": ["first_0", "second_0"]}}
    env = transformed(make_task("space_invaders", **options), num_envs=2)
    torch.manual_seed(0)
    batch = env.rollout(200, break_when_any_done=False)
    after = batch["next", "one"]
    mean = after["episode_return"][:, -1].mean().item()
    assert mean > after["episode_reward"][:, -1].mean().item() > 0
    assert AtariClass.log_info(batch) == {"collection/one/game_return_mean": mean}
    assert AtariClass.log_info(batch[:, :100]) == {}
    env.close()


# ---- Tasks ---------------------------------------------------------------------------------------


def test_tasks(tmp_path: Path) -> None:
    assert len(AtariTask) >= 30
    assert {"PONG", "QUARTET", "WARLORDS"} <= set(AtariTask.__members__)
    assert "BREAKOUT" not in AtariTask.__members__
    assert AtariTask.env_name() == "pyale_ma"
    task = AtariTask.PONG.get_task({"num_players": 4})
    assert isinstance(task, AtariClass)
    assert task == AtariClass("PONG", {"num_players": 4}) == pickle.loads(pickle.dumps(task))
    assert task != AtariTask.PONG.get_task()
    assert AtariTask.PONG.get_from_yaml() == AtariTask.PONG.get_task()
    file = tmp_path / "pong.yaml"
    file.write_text("num_players: 4\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="without type checks"):
        assert AtariTask.PONG.get_from_yaml(str(file)) == task
    env = transformed(task)
    assert task.group_map(env)["agents"] == ["first_0", "second_0", "third_0", "fourth_0"]
    assert task.max_steps(env) == 1000
    env.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 3}, "config has num_envs=3; leave it out: BenchMARL's ExperimentConfig"),
        ({"max_num_frames_per_episode": 9}, "leave it out: max_steps ends episodes"),
        ({"max_steps": 0}, "max_steps is 0; it must be 1 to"),
        ({"num_players": 5}, "num_players is 5; it must be 1 to 4"),
        ({"num_players": None}, "num_players is None; it must be 1 to 4"),
    ],
    ids=str,
)
def test_bad_configurations(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_task("pong", **options)
