"""Vectors and what goes on around them: threads, forks, the interpreter's exit, interrupts."""

from __future__ import annotations

import gc
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from common import interrupt
from interrupts import interrupt_at
from pyale_ma import _native
from pyale_ma.vector import AtariVectorEnv
from vector.small import play, small


def tasks_of_this_process() -> set[str]:
    """The threads that the system knows, where it tells."""
    return set(os.listdir("/proc/self/task")) if sys.platform == "linux" else set()


def test_made_and_ended_by_the_hundred() -> None:
    threads, tasks = set(threading.enumerate()), tasks_of_this_process()
    for number in range(100):
        env = small(num_threads=2)
        env.reset(seed=0)
        env.send([0, 0])  # ended while playing
        if number % 2:
            env.close()
        del env
    gc.collect()
    # Other threads, of tests before this one or of a library, may end meanwhile.
    assert set(threading.enumerate()) <= threads
    assert len(tasks_of_this_process() - tasks) < 50


def test_interpreter_exit_with_work_in_flight(tmp_path: Path) -> None:
    program = (
        "from pyale_ma.vector import AtariVectorEnv as V\n"
        "a = V('pong', 16, num_threads=2); a.reset(); a.send([0] * 16)\n"
        "b = V('pong', 8, batch_size=2, num_threads=2); b.reset(); b.send([0] * 2); b.recv()\n"
        "c = V('pong', 4); c.reset(seed=1); c.cycle = c"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_exceptions_of_signal_handlers_stay_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Handlers run within the library's calls."""

    class TooLateError(ValueError):
        pass

    def step(*_: object) -> None:
        raise TooLateError("too late")

    env = small("pong", 2)
    env.reset(seed=0)
    with pytest.raises(IndexError, match=r"actions\[1\]"):
        env.step([0, 99])
    monkeypatch.setattr(_native.Vector, "step", step)
    monkeypatch.setattr(_native.Vector, "send", step)
    with pytest.raises(TooLateError):
        env.step([0, 0])
    with pytest.raises(TooLateError):
        env.send([0, 0])


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("threads", [1, 2])
def test_interrupt_during_a_long_reset(threads: int) -> None:
    """A signal does not wait for the end of what it comes in, which here would take minutes."""
    env = small("pong", 200, num_threads=threads, noop_max=100_000)
    interrupt(lambda: env.reset(seed=0), lambda: env._native.info.outstanding > 0)
    with pytest.raises(ResetNeeded, match="interrupted"):
        env.step([0] * 200)
    assert env._native.info.outstanding == 200
    env.close()  # which does not wait either


def test_a_vector_that_was_stopped_can_be_reset() -> None:
    env = small("pong", 3, num_threads=1)
    observations, _ = env.reset(seed=0)
    env._native.limit.stop()
    with pytest.raises(RuntimeError, match=r"environment 0.*after 0"):
        env.step([0] * 3)
    env._native.limit.allow()
    with pytest.raises(ResetNeeded):
        env.step([0] * 3)
    assert np.array_equal(env.reset(seed=0)[0], observations)
    play(env, 2)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_interrupt_while_many_environments_are_made() -> None:
    threads = len(sys._current_frames()) + 1  # with the one that interrupts
    interrupt(lambda: small("pong", 20_000), lambda: len(sys._current_frames()) > threads)


@pytest.mark.parametrize("number", [10**8, 2**31, 2**40])
def test_impossible_numbers_are_refused_at_once(number: int) -> None:
    """Before anything is made of that length."""
    with pytest.raises((MemoryError, ValueError), match=r"environments need|num_envs is"):
        AtariVectorEnv("pong", number)


def test_other_threads_run_during_a_step() -> None:
    env = small("pong", 100, num_threads=1)
    begin, ran = threading.Event(), threading.Event()

    def run() -> None:
        begin.wait()
        ran.set()

    thread = threading.Thread(target=run)
    thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # seconds that a thread may run if it does not let others
    try:
        begin.set()
        for _ in range(1000):
            env.reset(seed=0)
            if ran.is_set():
                break
        else:
            pytest.fail("the other thread did not run")
    finally:
        sys.setswitchinterval(interval)
        thread.join()


@pytest.mark.parametrize("batch_size", [0, 2])
def test_one_thread_sends_and_another_receives(batch_size: int) -> None:
    """As programs for EnvPool do: they take turns."""
    env, twin = small("pong", 4, batch_size=batch_size, num_threads=2), small("pong", 4)
    steps = [twin.reset(seed=0)[0], *(twin.step([2] * 4)[0] for _ in range(40))]
    batches: queue.Queue[Any] = queue.Queue()
    demands: queue.Queue[bool] = queue.Queue()

    def receive() -> None:
        while demands.get():
            observations, *_, infos = env.recv()
            batches.put((infos["env_id"].tolist(), observations))

    thread = threading.Thread(target=receive)
    thread.start()
    observations, infos = env.reset(seed=0)
    ids = infos["env_id"].tolist()
    seen: list[list[Any]] = [[] for _ in range(4)]
    for _ in range(40):
        for number, observation in zip(ids, observations, strict=True):
            seen[number].append(observation)
        env.send([2] * env.batch_size)
        demands.put(True)
        ids, observations = batches.get()
    demands.put(False)
    thread.join()
    for number, own in enumerate(seen):
        assert np.array_equal(own, [step[number] for step in steps[: len(own)]])


# ---- Interrupts ----------------------------------------------------------------------------------


CALLS: dict[str, Callable[[AtariVectorEnv], Any]] = {
    "step": lambda env: env.step([1, 2]),
    "send": lambda env: env.send([1, 2]),
    "recv": lambda env: env.recv(),
    "reset": lambda env: env.reset(seed=5),
    "reset to a mode": lambda env: env.reset(seed=5, options={"mode": 3, "difficulty": [0, 1]}),
    "copy": lambda env: env.copy_envs([0], [1]),
    "restore": lambda env: env.restore_state(STATES["other"]),
}
STATES: dict[str, bytes] = {}
LOOKS: list[Callable[[AtariVectorEnv], Any]] = [
    lambda env: env.step([0, 0]),
    lambda env: env.send([0, 0]),
    lambda env: env.recv(),
    lambda env: env.save_state(),
    lambda env: env.render(),
    lambda env: env.render_grid(),
    lambda env: env.copy_envs([0], [1]),
    lambda env: env.reset(options={"reset_mask": np.array([True, False])}),
]


def one(**options: Any) -> AtariVectorEnv:
    return small("space_invaders", render_mode="rgb_array", num_threads=1, **options)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("anew", ["reset", "restore"])
def test_interrupts_at_every_place(name: str, anew: str) -> None:
    """An interrupted call was not made, was made in whole, or asks for a reset."""
    env, twin = one(), one()
    for each in (env, twin):
        each.reset(seed=1)
        if name == "recv":
            each.send([1, 2])
        STATES["first"] = each.save_state()
    twin.restore_state(STATES["first"])
    twin.reset(seed=2)
    STATES["other"] = twin.save_state()
    states = []
    for calls in range(2):
        twin.restore_state(STATES["first"])
        for _ in range(calls):
            CALLS[name](twin)
        states.append((twin.save_state(), twin._modes.tolist(), twin._difficulties.tolist()))
    demands = place = 0
    there = True
    while there:
        env.restore_state(STATES["first"])
        there = interrupt_at(place, lambda: CALLS[name](env))
        place += 1
        if env._native.interrupted:
            demands += 1
            for look in LOOKS:
                with pytest.raises(ResetNeeded):
                    look(env)
        else:
            after = env.save_state(), env._modes.tolist(), env._difficulties.tolist()
            assert any(
                env._native.saved_equal(after[0], state) and after[1:] == tuple(others)
                for state, *others in states
            )
        if anew == "restore":
            env.restore_state(STATES["other"])
            assert env.save_state() == STATES["other"]
        else:
            env.reset(seed=7, options={"mode": 0})
            twin.reset(seed=7, options={"mode": 0, "difficulty": env._difficulties.tolist()})
            assert play(env, 2) == play(twin, 2)
    assert demands


def test_an_interrupted_reset_keeps_mode_and_difficulty() -> None:
    """Those of before, or those that were asked for, and what is said is what is played."""
    twins = {mode: one(mode=mode) for mode in (2, 3)}
    expected = {mode: twin.reset(seed=5)[0] for mode, twin in twins.items()}
    env, place = one(mode=2), 0
    env.reset(seed=1)
    seen = set()
    while interrupt_at(place, lambda: env.reset(seed=1, options={"mode": 3})):
        observations, _ = env.reset(seed=5)
        mode = int(env._modes[0])
        seen.add(mode)
        assert np.array_equal(observations, expected[mode])
        env.reset(options={"mode": 2})
        place += 1
    assert seen == {2, 3}


def test_a_reset_that_fails_keeps_the_mode() -> None:
    env, twin = one(mode=2), one(mode=2)
    env.reset(seed=1)
    env._native.limit.stop()
    with pytest.raises(RuntimeError, match="stopped"):
        env.reset(seed=1, options={"mode": 3})
    env._native.limit.allow()
    assert np.array_equal(env.reset(seed=5)[0], twin.reset(seed=5)[0])
    assert play(env, 2) == play(twin, 2)


@pytest.mark.parametrize("name", sorted(CALLS.keys() - {"send", "recv"}))
def test_handlers_that_use_the_vector(name: str) -> None:
    """Within a call they are refused; before its begin and after its end they are not."""
    env, twin = one(), one()
    for each in (env, twin):
        each.reset(seed=1)
    STATES["first"] = STATES["other"] = env.save_state()
    expected = set()
    for order in ((CALLS[name],), (CALLS["step"], CALLS[name]), (CALLS[name], CALLS["step"])):
        twin.restore_state(STATES["first"])
        for call in order:
            call(twin)
        expected.add(twin.save_state())
    refusals: list[str] = []
    place = 0

    def use() -> None:
        try:
            CALLS["step"](env)
        except RuntimeError as refusal:
            refusals.append(str(refusal))

    there = True
    while there:
        env.restore_state(STATES["first"])
        there = interrupt_at(place, lambda: CALLS[name](env), use)
        assert env.save_state() in expected
        place += 1
    assert len(refusals) > 5
    assert all("AtariVectorEnv is in use by another call" in each for each in refusals)


def test_a_handler_may_close_the_vector() -> None:
    place, there, closed = 0, True, 0
    while there:
        env = one()
        env.reset(seed=1)
        try:
            there = interrupt_at(place, partial(env.step, [1, 2]), env.close)
        except ClosedEnvironmentError:
            closed += 1
        if there:
            with pytest.raises(ClosedEnvironmentError):
                env.step([1, 2])
        place += 1
    assert closed > 3
