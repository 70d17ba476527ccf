"""Memory that is used again or freed stays what callers see of it."""

from __future__ import annotations

import contextlib
import gc
from typing import Any

import numpy as np
import pytest

from common import load, rom_path
from pyale_ma import _native
from pyale_ma.single import ALEInterface
from pyale_ma.vector import AtariVectorEnv


def test_vectors_refuse_too_few_seeds() -> None:
    rom = _native.shared_rom(rom_path("pong").read_bytes())
    with pytest.raises(ValueError, match="1 seeds for 2"):
        _native.Vector([rom, rom], np.zeros(1, np.uint32))


@pytest.mark.parametrize("index", [-1, 2, 2**32])
def test_indices_that_c_would_cut(index: int) -> None:
    with contextlib.closing(AtariVectorEnv("quartet", 2, num_threads=1)) as env:
        env.reset(seed=0)
        with pytest.raises(IndexError, match=rf"index is {index}"):
            env._native.save_env(index)


# ---- Memory ------------------------------------------------------------------------------------


def test_states_that_replace_each_other_share_their_memory() -> None:
    ale = load(ALEInterface(), "pong")
    window: list[Any] = []
    memories = set()
    for _ in range(400):
        ale.act(0)
        window.append((ale.cloneState(), ale.getFrameNumber()))
        memories.add(id(window[-1][0]._handle))
        del window[:-100]
        assert all(state.getFrameNumber() == frame for state, frame in window)
    assert len(memories) <= 256  # of 400 states


def test_memory_that_a_call_still_uses_is_not_used_again() -> None:
    ale = load(ALEInterface(), "pong")
    argument = ale.cloneState()._handle
    assert ale.cloneState()._handle is not argument


@pytest.fixture
def freed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The addresses of environments that were freed."""
    gc.collect()  # those of other tests are not meant
    addresses: list[int] = []
    destroy = _native.lib.ale_env_destroy

    def note(address: int) -> None:
        addresses.append(address)
        destroy(address)

    monkeypatch.setattr(_native.lib, "ale_env_destroy", note)
    return addresses


def test_what_is_in_cycles_is_freed(freed: list[int]) -> None:
    env = _native.Env(_native.shared_rom(rom_path("pong").read_bytes()))
    cycle: list[Any] = [env, env.ram, env.report]
    cycle.append(cycle)
    del env, cycle
    gc.collect()
    assert len(freed) == 1


def test_vectors_in_cycles_end_before_the_memory_that_they_write_to() -> None:
    for _ in range(20):
        env: Any = AtariVectorEnv("pong", 8, num_threads=2)
        env.cycle = env
        env.reset(seed=0)
        env.send([0] * 8)
        del env
        gc.collect()
