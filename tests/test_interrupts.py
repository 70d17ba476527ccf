"""Ctrl-C during calls of the library that would take minutes, or for ever."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from common import interrupt, load
from pyale_ma import _native, roms
from pyale_ma._native import Pixels
from pyale_ma._native.abi import EnvOptions
from pyale_ma._native.interrupts import ANY, THREAD_NAME, FrameLimit
from pyale_ma.single.interface import ALEInterface

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

YEARS = 2**32 - 1  # acts


def quartet(**options: float) -> _native.Env:
    return _native.Env(_native.Rom(roms.find_rom("quartet").read_bytes()), **options)


def in_a_thread() -> bool:
    return any(thread.name == THREAD_NAME for thread in threading.enumerate())


def moment(env: _native.Env) -> tuple[bytes, bytes, bytes]:
    state = _native.State()
    env.save(state, include_random=True)
    return state.serialize(), bytes(env.report), env.screen(Pixels.INDEXED).tobytes()


CALLS: list[Callable[[_native.Env], Any]] = [
    lambda env: env.act(env.report.players, YEARS),
    lambda env: env.act_alone(1, YEARS),
    lambda env: env.step(Pixels.RGB, env.report.players, YEARS),
    lambda env: env.step_alone(Pixels.RGB, 1, YEARS),
]


@pytest.mark.parametrize("call", CALLS)
def test_an_interrupted_call_changed_nothing(call: Callable[[_native.Env], Any]) -> None:
    env = quartet()
    env.act_alone(3, 20)
    before = moment(env)
    for _ in range(2):
        interrupt(lambda: call(env), in_a_thread)
        assert moment(env) == before
    env.act_alone(1)
    assert moment(env) != before


def test_long_calls_do_what_short_ones_do() -> None:
    """Beyond the frames that are played at first."""
    at_once, by_parts = quartet(frame_skip=2), quartet(frame_skip=2)
    at_once.act_alone(1, 700)
    rewards: Any = np.zeros(4, np.int64)
    for _ in range(14):
        by_parts.act_alone(1, 50)
        rewards += by_parts.report.rewards
    assert list(at_once.report.rewards) == list(rewards)
    assert at_once.outcome() == by_parts.outcome()
    assert at_once.ram.tobytes() == by_parts.ram.tobytes()
    other = quartet(frame_skip=2)  # in another thread, which no signal reaches
    thread = threading.Thread(target=other.act_alone, args=(1, 700))
    thread.start()
    thread.join()
    assert other.ram.tobytes() == at_once.ram.tobytes()


def test_an_error_in_a_long_call_is_told() -> None:
    env = quartet()
    with pytest.raises(ValueError, match="count is 3; mode"):
        env.limit.run(_native.lib.ale_env_act, env._handle, env.actions, None, 3, 5)


def test_a_program_that_draws_nothing_plays() -> None:
    """84 bytes that count down and never end a frame, for which no environment came to be."""
    image = (b"\xca\xd0\xfd" * 28).ljust(0xFFC, b"\xea") + b"\x00\xf0\x00\xf0"
    rom = _native.Rom(image, "", scheme="4K")
    played = set()
    for fast_paths in (0, 15, 31):
        env = _native.Env(rom, fast_paths=fast_paths)
        env.act_alone(0, 5)
        played.add((env.ram.tobytes(), env.outcome()))
    assert len(played) == 1


def test_interface_answers_in_long_acts() -> None:
    ale = load(ALEInterface(), "pong", frame_skip=10_000)
    assert ale.act(0) == load(ALEInterface(), "pong", frame_skip=10_000).act(0)


def test_limits_are_lifted_for_one_call_at_a_time() -> None:
    """Or the end of one would set the limit for the other."""
    limit = FrameLimit(EnvOptions())
    first_plays, second_played = threading.Event(), threading.Event()
    seen: list[int] = []

    def first() -> int:
        first_plays.set()
        if second_played.wait(0.2):  # not while this one plays
            second.join()
        seen.append(limit._frames.value)
        return 0

    def play_second() -> None:
        first_plays.wait()
        limit.run(lambda: second_played.set() or 0)  # type: ignore[func-returns-value]

    second = threading.Thread(target=play_second)
    second.start()
    limit.run(first)
    second.join()
    assert seen == [ANY]


def test_long_calls_of_several_threads() -> None:
    """Each lifts the limit on frames for itself: no other thread's call ends by it."""
    ale = load(ALEInterface(), "pong", frame_skip=1500)
    problems: list[BaseException] = []

    def act() -> None:
        try:
            for _ in range(12):
                ale.act(0)
                if ale.game_over():
                    ale.reset_game()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=act) for _ in range(3)]
    for thread in threads:
        thread.start()
    act()
    for thread in threads:
        thread.join()
    assert problems == []
