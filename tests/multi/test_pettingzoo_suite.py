"""PettingZoo's own tests on every module, its modules on our interface, SuperSuit's wrappers."""

from __future__ import annotations

import importlib
import inspect
import pickle
import sys
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import (  # type: ignore[import-untyped]
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)

import pyale_ma.multi
from multi.reference import MODULES, compare_steps, our_module, rom_folder
from pyale_ma import multi

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")


@pytest.mark.parametrize("module", multi.ENVIRONMENTS)
class TestModule:
    def test_parallel_api(self, module: str) -> None:
        env = our_module(module).parallel_env(max_cycles=30)
        parallel_api_test(env, num_cycles=40)

    def test_parallel_api_of_the_converted(self, module: str) -> None:
        """To turns and back, as PettingZoo's own parallel environments are."""
        from pettingzoo.utils import aec_to_parallel  # type: ignore[import-untyped]

        env = aec_to_parallel(our_module(module).env(max_cycles=30, obs_type="ram"))
        parallel_api_test(env, num_cycles=40)

    def test_api(self, module: str, capsys: pytest.CaptureFixture[str]) -> None:
        for obs_type in ("rgb_image", "ram"):
            api_test(our_module(module).env(max_cycles=20, obs_type=obs_type), num_cycles=15)

    def test_seeds(self, module: str) -> None:
        functions = our_module(module)
        # Older versions take no number and play ten.
        takes_number = "num_cycles" in inspect.signature(parallel_seed_test).parameters
        cycles = {"num_cycles": 30} if takes_number else {}
        parallel_seed_test(lambda: functions.parallel_env(obs_type="ram"), **cycles)
        seed_test(lambda: functions.env(obs_type="ram"), num_cycles=30)

    def test_max_cycles(self, module: str) -> None:
        max_cycles_test(our_module(module))

    def test_pickle(self, module: str) -> None:
        env = our_module(module).parallel_env(obs_type="ram", seed=5)
        copy = pickle.loads(pickle.dumps(env))
        compare_steps((module,), env.reset(seed=7), copy.reset(seed=7))
        actions = dict.fromkeys(env.agents, 1)
        compare_steps((module,), env.step(actions), copy.step(actions))
        assert str(copy) == module
        turns = pickle.loads(pickle.dumps(our_module(module).env(obs_type="ram")))
        turns.reset(seed=7)
        turns.step(1)


@pytest.mark.parametrize("module", ["pong_v3", "combat_plane_v2"])
def test_render(module: str) -> None:
    pytest.importorskip("pygame")
    render_test(our_module(module).env)


@pytest.fixture
def _substituted() -> Iterator[None]:
    """PettingZoo's Atari modules are imported anew with our interface in the original's place."""

    def atari() -> dict[str, ModuleType]:
        names = [name for name in sys.modules if name.startswith("pettingzoo.atari")]
        return {name: sys.modules.pop(name) for name in [*names, "multi_agent_ale_py"]
                if name in sys.modules}  # fmt: skip

    before = atari()
    sys.modules["multi_agent_ale_py"] = pyale_ma.multi
    yield
    atari()
    sys.modules.update(before)


@pytest.mark.usefixtures("_substituted")
@pytest.mark.parametrize("name", MODULES)
def test_pettingzoo_on_our_interface(name: str) -> None:
    pytest.importorskip("pygame", reason="PettingZoo's Atari modules import it")
    pytest.importorskip("pettingzoo", minversion="1.27", reason="we are equal to PettingZoo 1.27")
    module = importlib.import_module(f"pettingzoo.atari.{name}")
    theirs = module.parallel_env(
        max_cycles=25, obs_type="grayscale_image", auto_rom_install_path=rom_folder()
    )
    assert type(theirs.unwrapped.ale) is pyale_ma.multi.ALEInterface
    ours = our_module(name).parallel_env(max_cycles=25, obs_type="grayscale_image")
    compare_steps((name,), theirs.reset(seed=3), ours.reset(seed=3))
    kept = theirs.unwrapped.clone_full_state()
    our_state = ours.clone_full_state()
    for turn in range(2):
        for t in range(12):
            actions = {
                agent: (t + p) % int(ours.action_space(agent).n)
                for p, agent in enumerate(ours.agents)
            }
            compare_steps((name, turn, t), theirs.step(actions), ours.step(actions))
        theirs.unwrapped.restore_full_state(kept)
        ours.restore_full_state(our_state)
    theirs.unwrapped.restore_state(theirs.unwrapped.clone_state())


def test_supersuit() -> None:
    """The usual chain, down to a vector environment in which every agent is a row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        supersuit: Any = pytest.importorskip("supersuit", exc_type=ImportError)
    env: Any = our_module("pong_v3").parallel_env(num_players=4)
    env = supersuit.max_observation_v0(env, 2)
    env = supersuit.sticky_actions_v0(env, repeat_action_probability=0.25)
    env = supersuit.frame_skip_v0(env, 4)
    env = supersuit.color_reduction_v0(env, mode="full")
    env = supersuit.resize_v1(env, 84, 84)
    env = supersuit.frame_stack_v1(env, 4)
    env.reset(seed=1)
    observations, *_ = env.step(dict.fromkeys(env.agents, 2))
    assert observations["first_0"].shape == (84, 84, 4)
    vector = supersuit.pettingzoo_env_to_vec_env_v1(env)
    vector = supersuit.concat_vec_envs_v1(vector, 2, num_cpus=0, base_class="gymnasium")
    rows, _ = vector.reset(seed=1)
    assert rows.shape == (8, 84, 84, 4)
    for t in range(20):
        rows, rewards, _, _, _ = vector.step(np.full(8, t % 6))
    assert rows.any()
    assert rewards.shape == (8,)


def test_supersuit_black_death() -> None:
    """It steps on, with no actions, when everybody is out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        supersuit: Any = pytest.importorskip("supersuit", exc_type=ImportError)
    env = supersuit.black_death_v3(our_module("joust_v3").parallel_env(obs_type="ram"))
    env.reset(seed=1)
    ale = env.unwrapped.ale
    for index in (1, 2):
        for _ in range(2):
            ale.setRAM(index, 0xFF)
            observations, *_ = env.step({"first_0": 0, "second_0": 0})
    env.step({"first_0": 0, "second_0": 0})
    assert not observations["first_0"].any()
