"""Memory that runs out at any line of the package: it says so, and what was there works as before.

A trace function raises MemoryError at one line of those that are run, and then at the next.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import pyale_ma
from pyale_ma.games import rom_files
from pyale_ma.multi import ALEInterface as MultiInterface
from pyale_ma.multi import pong_v3
from pyale_ma.single import ALEInterface, ALEState, AtariEnv
from pyale_ma.vector import AtariVectorEnv

PACKAGE = str(Path(pyale_ma.__file__).parent)

Work = Callable[[], Any]
Place = tuple[str, int]


class Trace:
    """Notes the lines of the package that are run, or has memory run out at one of them.

    Args:
        failing: File and line, the first visit of which raises MemoryError.
    """

    def __init__(self, failing: Place | None = None) -> None:
        self.places: dict[Place, None] = {}  # in order
        self.failed = False
        self._failing = failing

    def __enter__(self) -> Trace:
        self._before = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(PACKAGE) or _is_ending(frame):
            return None
        if event == "line" and not _takes_no_memory(frame):
            place = frame.f_code.co_filename, frame.f_lineno
            self.places[place] = None
            if place == self._failing:
                sys.settrace(None)
                self.failed = True
                raise MemoryError
        return self._trace


def _takes_no_memory(frame: FrameType) -> bool:
    """Whether a line only begins a block, or changes a flag that an object has already."""
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return line in ("try:", "self._is_busy = True", "self._is_busy = False")


def _is_ending(frame: FrameType | None) -> bool:
    """Whether an object goes: what is raised then cannot reach anybody."""
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        if frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False


def fail_everywhere(play: Work, check: Work) -> None:
    """Play with memory that runs out at each line in turn; `check` must always say the same."""
    play()
    expected = check()
    with Trace() as trace:
        play()
    failures = 0
    for place in trace.places:
        try:
            with Trace(place) as failing:
                play()
        except MemoryError:
            failures += 1
        else:
            assert not failing.failed, f"nothing was said of {place}"
        assert check() == expected, place
    assert failures > 0.8 * len(trace.places)


def test_console() -> None:
    ale = ALEInterface()
    ale.setInt("random_seed", 1)
    ale.loadROM(rom_files.find_rom("pong"))
    start = ale.cloneState(include_rng=True)
    out = np.empty(128, np.uint8)

    def play() -> None:
        ale.act(2)
        ale.getScreenRGB(), ale.getScreen(), ale.getRAM(out), ale.getAudio()
        state = ale.cloneState(include_rng=True)
        ale.restoreState(ALEState(state.serialize()))
        ale.setMode(ale.getAvailableModes()[0])
        ale.setDifficulty(1)
        ale.setRAM(3, 4)
        ale.reset_game()

    def check() -> bytes:
        ale.restoreState(start)
        ale.setDifficulty(0)
        for action in (1, 3, 4):
            ale.act(action)
        return ale.getScreenRGB().tobytes() + ale.getRAM().tobytes()

    fail_everywhere(play, check)


@pytest.mark.parametrize("interface", [ALEInterface, MultiInterface])
def test_loading(interface: Any) -> None:
    ale = interface()
    ale.setInt("random_seed", 1)
    files = [str(rom_files.find_rom(game)) for game in ("pong", "boxing")]

    def play() -> None:
        ale.setFloat("repeat_action_probability", 0.5)
        for file in files:
            ale.loadROM(file)
        ale.setFloat("repeat_action_probability", 0.25)

    def check() -> bytes:
        ale.setFloat("repeat_action_probability", 0.25)
        ale.loadROM(files[0])
        ale.act(1 if interface is ALEInterface else np.array([1]))
        return bytes(ale.getScreenRGB())

    fail_everywhere(play, check)


def test_single() -> None:
    env = AtariEnv("pong", sound_obs=True)

    def play() -> None:
        env.reset(seed=1)
        env.step(2)
        AtariEnv("pong", obs_type="ram", continuous=True).reset(seed=2)

    def check() -> bytes:
        env.reset(seed=3)
        return bytes(env.step(1)[0]["image"])

    fail_everywhere(play, check)


def test_several() -> None:
    env = pong_v3.parallel_env(noop_max=3)

    def play() -> None:
        env.reset(seed=1)
        env.step({"first_0": 1, "second_0": 2})
        env.restore_state(env.clone_state())
        pong_v3.parallel_env(obs_type="ram").reset(seed=2)

    def check() -> bytes:
        env.reset(seed=3)
        return bytes(env.step({"first_0": 1, "second_0": 2})[0]["first_0"])

    fail_everywhere(play, check)


@pytest.mark.parametrize("batch_size", [0, 1])
def test_vector(batch_size: int) -> None:
    env = AtariVectorEnv(
        "pong",
        2,
        batch_size=batch_size,
        num_threads=2,
        max_num_frames_per_episode=8,
        autoreset_mode="SameStep",
        extra_infos=["episode", "ram"],
        img_height=21,
        img_width=16,
    )
    actions = np.zeros(env.batch_size, int)

    def play() -> None:
        env.reset(seed=1)
        if batch_size:
            env.recv()
        else:
            env.step(actions)
        env.send(actions)
        env.recv()
        env.restore_state(env.save_state())

    def check() -> list[bytes]:
        rows: dict[int, bytes] = {}
        observations, infos = env.reset(seed=3)
        while True:
            rows.update(zip(infos["env_id"].tolist(), map(bytes, observations), strict=True))
            if len(rows) == env.num_envs:
                return [rows[row] for row in sorted(rows)]
            observations, *_, infos = env.recv()

    fail_everywhere(play, check)


def test_making_a_vector() -> None:
    def play() -> None:
        env = AtariVectorEnv(
            "pong", 1, games=None, num_threads=1, mode=1, num_players=1, noop_max=0
        )
        env.reset(seed=1)
        env.close()

    fail_everywhere(play, lambda: None)


@pytest.fixture
def _forgetful() -> Iterator[None]:
    yield
    rom_files._md5_of_file.cache_clear()


@pytest.mark.usefixtures("_forgetful")
def test_finding_a_rom() -> None:
    def play() -> None:
        rom_files._package_folders.cache_clear()
        rom_files._md5_of_file.cache_clear()
        rom_files.find_rom("pong")

    fail_everywhere(play, lambda: rom_files.find_rom("pong"))
