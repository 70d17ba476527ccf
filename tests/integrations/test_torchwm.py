"""TorchWM's vectors: the same results as TorchWM's own, and what goes wrong is said."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import Error

from common import run_python
from pyale_ma.compat.torchwm import TorchVectorizedEnv, make_atari_vector_env
from pyale_ma.vector import AtariVectorEnv
from vector.small import SMALL

torch = pytest.importorskip("torch", reason="the results are PyTorch's tensors")
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import this module


class Old:
    """An environment as TorchWM's: dicts with images, four results, a method for the seed."""

    observation_space = spaces.Dict(image=spaces.Box(0, 255, (3, 2, 2), np.uint8))
    action_space = spaces.Discrete(3)

    def __init__(self) -> None:
        self.log: list[Any] = []
        self.start = self.time = 0

    def seed(self, seed: int) -> None:
        self.start = seed

    def reset(self) -> Any:
        self.log.append("reset")
        self.time = 0
        return self.observe()

    def step(self, action: Any) -> Any:
        self.time += 1
        told = (type(action).__name__, str(action.dtype), action.shape)
        info = {"action": told, "log": [*self.log], "time": self.time}
        return self.observe(), float(np.sum(action)), self.time == 2 + self.start % 3, info

    def observe(self) -> Any:
        return {"image": np.full((3, 2, 2), 10 * self.start + self.time, np.uint8), "more": 3}

    def render(self) -> Any:
        self.log.append("render")
        return np.full((4, 4, 3), self.time, np.uint8)

    def close(self) -> None:
        pass


class Failing(Old):
    """It fails, or ends its process, when it is told to."""

    def step(self, action: Any) -> Any:
        if action == 2:
            raise ArithmeticError("asked for it")
        if action == 3:
            os._exit(9)
        return super().step(action)


class New(gymnasium.Env[Any, Any]):
    """An environment of Gymnasium, which is over or truncated after two steps."""

    observation_space = spaces.Box(0, 255, (2,), np.float32)
    action_space = spaces.Discrete(3)
    first = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.first, self.time = self.first if seed is None else seed, 0
        return np.array([self.first, 0], np.float32), {}

    def step(self, action: Any) -> Any:
        self.time += 1
        observation = np.array([self.first, self.time], np.float32)
        return observation, 1, action == 1, self.time == 2, {"time": self.time}


@pytest.fixture
def made() -> Iterator[Callable[..., TorchVectorizedEnv]]:
    envs = []

    def make(*arguments: Any, **options: Any) -> TorchVectorizedEnv:
        envs.append(TorchVectorizedEnv(*arguments, **options))
        return envs[-1]

    yield make
    for env in envs:
        env.close()


def plain(tree: Any) -> Any:
    """Tensors and arrays as their types, shapes and bytes."""
    if isinstance(tree, dict):
        return {name: plain(value) for name, value in tree.items()}
    if isinstance(tree, list):
        return [plain(value) for value in tree]
    if isinstance(tree, torch.Tensor):
        return "tensor", str(tree.dtype), tuple(tree.shape), tree.numpy().tobytes()
    if isinstance(tree, np.ndarray):
        return "array", str(tree.dtype), tree.shape, tree.tobytes()
    return tree


ACTIONS = [
    torch.ones(6, 1),
    torch.arange(6),
    torch.ones(6, 2, dtype=torch.float64),
    torch.zeros(6),
    torch.ones(6, 1),
]


def compare(options: dict[str, Any]) -> None:
    """Play both packages' vectors alike, and assert that their results are equal."""
    theirs = importlib.import_module("world_models.envs.vector_env")
    told = []
    for make in (TorchVectorizedEnv, theirs.TorchVectorizedEnv):
        env = make(Old, num_workers=2, envs_per_worker=3, **options)
        part = [env.total_envs, env.num_workers, env.envs_per_worker, env.seed]
        part += [env.observation_space, env.action_space]
        for _ in range(2):
            part.append(plain(env.reset_batch()))
            part += [plain(env.step_batch(actions)) for actions in ACTIONS]
            part.append(plain(env.render_batch()))
        told.append(part)
        env.close()
    assert told[0] == told[1]


@pytest.mark.parametrize("options", [{"seed": 3}, {"seed": None}], ids=str)
def test_results_are_those_of_torchwm(options: dict[str, Any]) -> None:
    """In a process of its own: TorchWM hangs after a library has made "spawn" the start method."""
    pytest.importorskip("world_models.envs.vector_env", exc_type=ImportError)
    code = f"from integrations import test_torchwm; test_torchwm.compare({options})"
    tests = Path(__file__).parents[1]
    run_python(code, PYTHONPATH=os.pathsep.join(map(str, (tests, tests / "support"))))


def test_environments_of_gymnasium(made: Callable[..., TorchVectorizedEnv]) -> None:
    env = made(New, 1, 2, seed=20)
    assert env.reset()["image"].tolist() == [[20, 0], [21, 0]]
    *_, dones, _ = env.step(torch.tensor([0, 1]))
    assert dones.tolist() == [False, True]
    observations, rewards, dones, _ = env.step(torch.tensor([0, 0]))
    assert observations["image"].tolist() == [[20, 2], [21, 1]]
    assert (rewards.tolist(), dones.tolist()) == ([1, 0], [True, True])
    assert env.reset()["image"].tolist() == [[20, 0], [21, 0]]


def test_a_dead_worker_ends_the_others(made: Callable[..., TorchVectorizedEnv]) -> None:
    env = made(Failing, 2, 1)
    env.reset_batch()
    with pytest.raises(RuntimeError, match=r"worker 1.*code 9"):
        env.step_batch(torch.tensor([0, 3]))
    assert not any(process.is_alive() for process in env._workers.processes)
    with pytest.raises(gymnasium.error.ClosedEnvironmentError, match="make new"):
        env.reset_batch()


def test_an_interrupted_step_needs_a_reset(
    made: Callable[..., TorchVectorizedEnv], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workers have played, and nobody has seen it."""

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    env = made(New, 1, 2, seed=20)
    env.reset_batch()
    with monkeypatch.context() as patch:
        patch.setattr(torch, "from_numpy", interrupt)
        with pytest.raises(KeyboardInterrupt):
            env.step_batch(torch.tensor([0, 1]))
    with pytest.raises(RuntimeError, match="reset_batch"):
        env.step_batch(torch.tensor([0, 1]))
    assert env.reset()["image"].tolist() == [[20, 0], [21, 0]]
    env.step_batch(torch.tensor([0, 0]))


# ---- Atari games ---------------------------------------------------------------------------------


def same_start(one: AtariVectorEnv, other: AtariVectorEnv, seed: int | None = None) -> bool:
    """Whether both, reset for the first time, show the same; `seed` is the other's."""
    observations, infos = one.reset()
    expected, expected_infos = other.reset(seed=seed)
    frames = infos["frame_number"].tolist() == expected_infos["frame_number"].tolist()
    return frames and np.array_equal(observations, expected)


def test_factory() -> None:
    env = make_atari_vector_env("pong", 3, "grayscale", 3, 0.5, True, None, 7)
    other = AtariVectorEnv(
        "pong", 3, frameskip=3, repeat_action_probability=0.5, full_action_space=True
    )
    assert type(env) is AtariVectorEnv
    assert env.single_observation_space == other.single_observation_space
    assert env.single_action_space == other.single_action_space
    assert same_start(env, other, 7)
    for action in range(18):
        results, expected = env.step([action] * 3), other.step([action] * 3)
        assert np.array_equal(results[0], expected[0])


def test_defaults_of_the_factory() -> None:
    assert make_atari_vector_env("pong", **SMALL).num_envs == 1
    env = make_atari_vector_env("pong", 16, **SMALL)
    assert env.single_observation_space.shape == (2, 21, 16, 3)
    other = AtariVectorEnv("pong", 16, obs_type="rgb", repeat_action_probability=0.25, **SMALL)
    other.reset(seed=1)
    env.reset(seed=1)
    for action in range(30):
        results, expected = env.step([action % 6] * 16), other.step([action % 6] * 16)
        assert np.array_equal(results[0], expected[0])


def test_seed_of_the_first_reset() -> None:
    """A reset's own seed goes before; later resets go on with the random numbers."""
    env, other = (make_atari_vector_env("pong", 2, seed=5, **SMALL) for _ in range(2))
    assert same_start(env, other, 5)
    assert same_start(env, other)
    env.reset(seed=8)
    fresh = make_atari_vector_env("pong", 2, seed=5, **SMALL)
    fresh.reset(seed=8)
    assert same_start(env, fresh)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"game": "pongg"}, ValueError, "did you mean 'pong'"),
        ({"obs_type": "RGB"}, ValueError, "obs_type is 'RGB'"),
        ({"num_envs": 0}, ValueError, "num_envs"),
        ({"frameskip": 0}, Error, "Invalid frameskip"),
        ({"repeat_action_probability": 2}, ValueError, "repeat_action_probability"),
        ({"full_action_space": "yes"}, TypeError, "full_action_space"),
        ({"seed": -1}, ValueError, "must not be negative"),
        ({"seed": 0.5}, TypeError, "Unsupported seed type"),
        ({"frame_skip": 4}, TypeError, "frame_skip"),
    ],
)
def test_factory_refuses(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make_atari_vector_env(**{"game": "pong", "num_envs": 2, **arguments})
