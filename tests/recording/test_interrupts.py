"""Interrupts and kills, wherever they come: no file loses more than what was not written yet."""

from __future__ import annotations

import io
import itertools
import os
import random
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from gymnasium import error

from interrupts import PACKAGE, interrupt_at
from pyale_ma.recording import Console, Recording, RecordingError, record
from pyale_ma.recording.file import zip_writer
from recording.playing import agents, console, quartet, vector

FOLDER = str(Path(PACKAGE, "recording"))

# ---- At any place --------------------------------------------------------------------------------

Play = Iterator[Callable[[], Any]]


def play_console(played: Any) -> Play:
    def act(code: int) -> None:
        played.env.actions[:2] = [code, 0]
        played.env.act(2)

    yield played.env.reset
    for code in (1, 2, 3, 4, 5):
        yield partial(act, code)
    yield played.env.reset
    yield partial(act, 6)


def play_single(env: Any) -> Play:
    yield lambda: env.reset(seed=1)
    yield from (partial(env.step, action) for action in (1, 2))
    yield env.reset
    yield partial(env.step, 3)
    yield lambda: env.ale.setRAM(1, 7)
    yield from (partial(env.step, action) for action in (4, 5, 1))
    yield lambda: env.reset(seed=2)
    yield lambda: env.reset(seed=3)
    yield partial(env.step, 2)


def play_agents(env: Any) -> Play:
    def step(action: int) -> None:
        env.step(dict.fromkeys(env.agents, action))

    yield lambda: env.reset(seed=1)
    yield from (partial(step, action) for action in (1, 2, 3, 4, 1, 2))
    yield lambda: env.reset(seed=2)
    yield partial(step, 3)


def play_vector(envs: Any) -> Play:
    def all_do(action: int) -> Any:
        return np.full(envs.num_envs, action)

    yield lambda: envs.reset(seed=1)
    state = envs.save_state() if envs._native.was_reset else b""
    yield from (partial(envs.step, all_do(action)) for action in (1, 2))
    yield partial(envs.send, all_do(3))
    yield envs.recv
    yield lambda: envs.copy_envs([0], [1])
    yield partial(envs.step, all_do(4))
    yield lambda: envs.reset(options={"reset_mask": np.arange(envs.num_envs) == 1})
    yield partial(envs.step, all_do(1))
    yield lambda: envs.restore_state(state)
    yield partial(envs.send, all_do(5))
    yield lambda: envs.reset(seed=3)
    yield partial(envs.step, all_do(2))


GAMES: dict[str, tuple[Callable[[], Any], Callable[[Any], Play]]] = {
    "single": (quartet, play_single),
    "random": (lambda: quartet(frameskip=(2, 4)), play_single),
    "multi": (agents, play_agents),
    "vector": (lambda: vector(2), play_vector),
    "console": (console, play_console),
}


@pytest.mark.parametrize("step", [37, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", GAMES)
def test_an_interrupt_at_any_place(tmp_path: Path, name: str, step: int) -> None:
    """The recording goes on without the interrupted step, or ends with its last whole chunk."""
    make, moves = GAMES[name]
    kept, ended = [], 0
    for number in itertools.count(0, step):
        path = tmp_path / f"{number}.zip"
        env, missed = make(), 0
        recorder = record(env, path, check_every=2, steps_per_chunk=3, keyframes=True)

        def play() -> None:
            nonlocal missed
            for move in itertools.chain(moves(env), [recorder.close]):  # noqa: B023
                try:
                    move()
                except KeyboardInterrupt:
                    missed += 1
                except (RuntimeError, ValueError, error.Error):  # such as one that expects a reset
                    assert missed
                    missed += 1

        came = interrupt_at(number, play, within=FOLDER)
        recorder.close()
        recording = Recording.open(path)
        verdict = recording.verify()
        assert not verdict.difference, (number, str(verdict))
        assert (env.env if isinstance(env, Console) else env).tap is None
        ended += not recording.complete
        if recording.complete:
            kept.append(len(recording) + missed)
        if not came:
            break
    assert min(kept) >= len(recording)  # nothing else is lost
    assert len(kept) > 2
    assert ended


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timers")
@pytest.mark.parametrize("times", [150, pytest.param(5000, marks=pytest.mark.slow)])
def test_interrupts_by_a_timer(tmp_path: Path, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any number of them, and in `close` too: what the file says was played."""
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)  # of finalizers
    drawn = random.Random(times)
    armed, came = False, 0

    def interrupt(_: int, frame: FrameType | None) -> None:
        """Raise within the call alone: `call` itself must get through, however many come."""
        while frame and frame.f_code is interrupt.__code__:
            frame = frame.f_back
        if armed and frame and frame.f_code is not call.__code__:
            raise KeyboardInterrupt

    def call(move: Callable[[], Any]) -> None:
        nonlocal armed, came
        armed = True
        try:
            move()
        except KeyboardInterrupt:
            came += 1
        except error.ResetNeeded:
            armed = False
            env.reset()
        armed = False

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for number in itertools.count():
            path = tmp_path / "a.zip"
            env = quartet()
            recorder = record(env, path, check_every=1, steps_per_chunk=4, overwrite=True)
            signal.setitimer(signal.ITIMER_REAL, drawn.uniform(2e-5, 2e-3), 3e-4)
            moves: list[Callable[[], Any]] = [partial(env.reset, seed=number)]
            moves += [partial(env.step, 1)] * 40
            for move in moves:
                call(move)
            call(recorder.close)
            signal.setitimer(signal.ITIMER_REAL, 0)
            recorder.close()
            assert not Recording.open(path).verify().difference
            if came >= times:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# ---- Kills ---------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", GAMES)
def test_a_kill_before_any_write(
    tmp_path: Path, name: str, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or in the middle of it."""
    make, moves = GAMES[name]
    writes = itertools.count(1)
    killed_at = 0

    class Disk(io.FileIO):
        """A disk that takes a part at first, then the rest."""

        def write(self, data: Any) -> int:
            number = next(writes)
            if number == killed_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().write(data[: len(data) // 2] if number % 2 else data)

    def open_disk(path: Path, mode: str) -> Any:
        return io.BufferedWriter(Disk(path, mode))

    monkeypatch.setattr(zip_writer, "open", open_disk, raising=False)
    chunks, is_begun = 0, False
    for number in itertools.count(1, step):
        path = tmp_path / f"{number}.zip"
        child = os.fork()
        if not child:
            try:
                killed_at = number
                with record(env := make(), path, steps_per_chunk=2, keyframes=True):
                    for move in moves(env):
                        move()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        try:
            recording = Recording.open(path)
        except RecordingError:  # before the header was whole, and anything played
            assert not is_begun
            with pytest.raises(RecordingError, match=r"entry.*writer.*killed"):
                Recording.open(path)
            continue
        is_begun = True
        assert not recording.verify().difference
        assert len(recording._reader.chunks) >= chunks
        chunks = len(recording._reader.chunks)
        if not status:
            assert recording.complete
            break
    assert chunks > 2
