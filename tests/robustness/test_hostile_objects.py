"""Objects of the user's that say something else than they are, or that a finalizer keeps."""

from __future__ import annotations

import concurrent.futures
import contextlib
import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from common import load, rom_path
from pyale_ma import _native, multi
from pyale_ma._native.env import _EnvAddress
from pyale_ma.recording import SequenceMemory
from pyale_ma.single import ALEInterface, ALEState, AtariEnv
from pyale_ma.vector import AtariVectorEnv
from vector.small import play, small


class LyingBytes(bytes):
    """Claims to be longer than it is, or than what it turns into."""

    def __bytes__(self) -> bytes:
        return b"\x01"

    def __len__(self) -> int:
        return 2**19


class LyingArray(np.ndarray):
    """Claims to have all the elements that it is asked for."""

    claim: tuple[int, ...] = ()

    @property  # type: ignore[misc]
    def shape(self) -> tuple[int, ...]:
        return self.claim

    @property
    def size(self) -> int:
        return int(np.prod(self.claim))

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.claim))


def lying(claim: tuple[int, ...], dtype: Any = np.uint8) -> tuple[np.ndarray, LyingArray]:
    """Memory, and what says that an array of this shape begins at its middle, and is one byte."""
    memory = np.zeros(2 * int(np.prod(claim)), np.uint8)
    middle = len(memory) // 2
    array = memory[middle : middle + 1].view(dtype).view(LyingArray)
    array.claim = claim
    return memory, array


# ---- Bytes ---------------------------------------------------------------------------------------


def test_roms_are_made_of_the_bytes_there_are() -> None:
    data = rom_path("pong").read_bytes()
    assert _native.Rom(LyingBytes(data)).info.md5 == _native.Rom(data).info.md5
    assert _native.Rom(bytearray(data)).info.md5 == _native.Rom(data).info.md5  # type: ignore[arg-type]


def test_cards_are_made_of_the_bytes_there_are() -> None:
    with pytest.raises(ValueError, match="line 1"):
        _native.Card(LyingBytes(b"?"))


def test_states_are_made_of_the_bytes_there_are() -> None:
    state = load(ALEInterface(), "pong").cloneState()
    assert ALEState(LyingBytes(state.serialize())) == state
    with pytest.raises(ValueError, match="state"):
        ALEState(LyingBytes(b"?"))


def test_vectors_are_restored_from_the_bytes_there_are() -> None:
    env = small()
    env.reset(seed=0)
    state = env.save_state()
    expected = play(env, 2)
    env.restore_state(LyingBytes(state))
    assert play(env, 2) == expected
    with pytest.raises(ValueError, match="size is 1 bytes"):
        env.restore_state(LyingBytes(b"?"))


# ---- Arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["getScreenRGB", "getScreen", "getRAM", "getAudio"])
@pytest.mark.parametrize("make", [ALEInterface, multi.ALEInterface])
def test_nothing_is_written_beyond_an_array(make: Callable[[], Any], name: str) -> None:
    ale = load(make(), "pong")
    method = getattr(ale, name)
    memory, array = lying(method().shape)
    with pytest.raises((TypeError, ValueError, RuntimeError), match=r"buffer"):
        method(array)
    assert not memory.any()
    usual = method().view(LyingArray)  # one that has what it claims
    usual.claim = method().shape
    usual[...] = 0
    method(usual)
    assert np.array_equal(np.asarray(usual), method())


def test_environments_write_nothing_beyond_an_array() -> None:
    env = _native.Env(_native.shared_rom(rom_path("pong").read_bytes()))
    memory, array = lying(env.shapes[_native.Pixels.RGB])
    with pytest.raises(ValueError, match="size is 1 "):
        env.screen(_native.Pixels.RGB, array)
    assert not memory.any()


def test_windows_write_nothing_beyond_an_array() -> None:
    with contextlib.closing(AtariVectorEnv("quartet", 2, obs_type="ram", num_threads=1)) as env:
        memory = SequenceMemory(env, 256)
        env.reset(seed=1)
        for _ in range(20):
            env.step([0, 1])
        bytes_there, array = lying((2, 5, 4, 128))
        with pytest.raises(ValueError, match=r"not uint8 \(1,\)"):
            memory.windows([0, 1], 4, out=array)
        assert not bytes_there.any()
        usual = np.zeros(array.claim, np.uint8).view(LyingArray)
        usual.claim = array.claim
        memory.windows([0, 1], 4, out=usual)
        assert np.array_equal(np.asarray(usual), memory.windows([0, 1], 4).observations)


def test_masks_are_not_read_beyond_an_array() -> None:
    env = small("pong", 3)
    env.reset(seed=0)
    _, mask = lying((3,), np.bool_)
    with pytest.raises(ValueError, match=r"shape \(3,\), got \(1,\)"):
        env.reset(options={"reset_mask": mask})


def test_vectors_refuse_too_few_seeds() -> None:
    rom = _native.shared_rom(rom_path("pong").read_bytes())
    with pytest.raises(ValueError, match="1 seeds for 2"):
        _native.Vector([rom, rom], np.zeros(1, np.uint32))


@pytest.mark.parametrize("index", [-1, 2, 2**32])
def test_indices_that_c_would_cut(index: int) -> None:
    with contextlib.closing(AtariVectorEnv("quartet", 2, num_threads=1)) as env:
        env.reset(seed=0)
        with pytest.raises(IndexError, match=rf"index is {index}; it must be 0 to 1"):
            env._native.save_env(index)


# ---- Finalizers ----------------------------------------------------------------------------------


class Keeper:
    """Is found by the garbage collector, and keeps what it has."""

    kept: list[Any]

    def __init__(self, kept: list[Any], thing: Any) -> None:
        self.kept, self.thing, self.me = kept, thing, self

    def __del__(self) -> None:
        self.kept.append(self.thing)


def keep(things: list[Any]) -> list[Any]:
    """The same things, kept by finalizers."""
    kept: list[Any] = []
    while things:
        Keeper(kept, things.pop())
    gc.collect()
    return kept


def test_states_that_a_finalizer_keeps_stay_what_they_are() -> None:
    ale = load(ALEInterface(), "pong")
    states = []
    for _ in range(20):
        ale.act(0)
        states.append(ale.cloneState())
    kept = keep(states)
    frames = [state.getFrameNumber() for state in kept]
    for _ in range(40):
        ale.act(0)
        ale.cloneState()
    assert len(kept) == 20
    assert [state.getFrameNumber() for state in kept] == frames


def test_memory_of_states_is_used_again() -> None:
    ale = load(ALEInterface(), "pong")
    memory = id(ale.cloneState()._handle)
    assert id(ale.cloneState()._handle) == memory


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


def test_states_of_a_console_that_another_thread_uses() -> None:
    ale = load(ALEInterface(), "pong")
    before, start = ale.getFrameNumber(), ale.cloneState()
    frames = set()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        playing = pool.submit(ale._env.act_alone, 0, 3000)
        while not playing.done():
            frames.add(ale.cloneState().getFrameNumber())
    assert frames <= {before, before + 3000}
    assert ale.getFrameNumber() == before + 3000
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        playing = pool.submit(ale._env.act_alone, 0, 3000)
        ale.restoreState(start)
        playing.result()
    assert ale.getFrameNumber() in {before, before + 3000}


@pytest.fixture
def freed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The addresses of environments that were freed."""
    gc.collect()  # those of other tests are not meant
    addresses: list[int] = []
    destroy = _EnvAddress._destroy

    def note(address: int) -> None:
        addresses.append(address)
        destroy(address)

    monkeypatch.setattr(_EnvAddress, "_destroy", staticmethod(note))
    return addresses


def test_environments_that_a_finalizer_keeps_can_be_played(freed: list[int]) -> None:
    rom = _native.shared_rom(rom_path("pong").read_bytes())
    (env,) = keep([_native.Env(rom)])
    assert not freed
    other = _native.Env(rom)
    for _ in range(3):
        env.act_alone(0)
        other.act_alone(0)
    assert env.report.frame_number == 3 + _native.Env(rom).report.frame_number
    assert np.array_equal(env.ram, other.ram)


def test_vectors_that_a_finalizer_keeps_can_be_played() -> None:
    kept: list[Any] = []
    Keeper(kept, small(num_threads=2))
    gc.collect()
    kept[0].reset(seed=0)
    other = small(num_threads=2)
    other.reset(seed=0)
    assert play(kept[0], 3) == play(other, 3)


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


def test_arrays_that_are_resized_or_given_another_shape() -> None:
    """The library writes to the memory of arrays that are used again: it stays where it is."""
    env = AtariEnv("quartet")
    env.reset(seed=0)
    shape = env.observation_space.shape
    for _ in range(6):
        observation = env.step(0)[0]
        while isinstance(observation.base, np.ndarray):
            observation = observation.base
        with pytest.raises(ValueError, match="own"):
            observation.resize(1, refcheck=False)
        del observation
        assert env.step(0)[0].shape == shape
    vector = AtariVectorEnv("quartet", 2)
    vector.reset(seed=0)
    for _ in range(6):
        for array in (*vector.step([0, 0])[:4], *vector.step([0, 0])[4].values()):
            root = array
            while isinstance(root.base, np.ndarray):
                root = root.base
            with pytest.raises(ValueError, match="own"):
                root.resize(1, refcheck=False)
            array.shape = (-1,)
            array.flags.writeable = False
        del array, root
        observations, rewards, _, _, infos = vector.step([0, 0])
        assert observations.shape == vector.observation_space.shape
        assert rewards.shape == infos["lives"].shape == (2,)
        rewards[:] = observations[:] = 0
