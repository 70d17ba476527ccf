"""Vectors and what goes on around them: threads, forks, signals, the interpreter's exit."""

from __future__ import annotations

import gc
import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import interrupt
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


def _use_in_child(env: AtariVectorEnv, results: Any) -> None:
    try:
        env.step([0, 0])
        results.put("stepped")
    except RuntimeError as error:
        results.put(str(error))
    del env


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("threads", [1, 2])
def test_fork(threads: int) -> None:
    env = small(num_threads=threads)
    env.reset(seed=0)
    env.send([0, 0])
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=_use_in_child, args=(env, results))
    child.start()
    assert "after the fork" in results.get(timeout=300)
    child.join(300)
    assert child.exitcode == 0
    env.recv()
    play(env, 3)


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
    with pytest.raises(RuntimeError, match="sent already"):
        env.step([0] * 200)
    assert env._native.info.outstanding == 200
    env.close()  # which does not wait either


def test_a_vector_that_was_stopped_can_be_reset() -> None:
    env = small("pong", 3, num_threads=1)
    observations, _ = env.reset(seed=0)
    env._native.limit.stop()
    with pytest.raises(RuntimeError, match="environment 0: the call was stopped after 0 frames"):
        env.step([0] * 3)
    env._native.limit.allow()
    with pytest.raises(RuntimeError, match="reset all of them first"):
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


def test_two_threads_at_once() -> None:
    """Of two calls at the same time one is refused; nothing is lost."""
    env, untouched = small("pong", 20, num_threads=1), small("pong", 20, num_threads=1)
    env.reset(seed=0)
    refusals = []

    def step() -> None:
        for _ in range(20):
            try:
                env.step([0] * 20)
            except RuntimeError as refused:
                refusals.append(str(refused))

    threads = [threading.Thread(target=step) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refusals) < 40
    assert np.array_equal(env.reset(seed=1)[0], untouched.reset(seed=1)[0])
    assert play(env, 3) == play(untouched, 3)
