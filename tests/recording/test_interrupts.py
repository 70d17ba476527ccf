"""Interrupts and kills, wherever they come: no file loses more than what was not written yet."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from gymnasium import error

import pyale_ma.recording
from pyale_ma.recording import Recording, record
from recording.playing import agents, console, quartet, vector

FOLDER = os.path.dirname(pyale_ma.recording.__file__)

# ---- At every line -------------------------------------------------------------------------------


LAST = ("self._thread = 0", "self._thread = before")  # of `finally`
_sources: dict[str, list[str]] = {}


def lines_of(file: str) -> list[str]:
    if file not in _sources:
        _sources[file] = Path(file).read_text().splitlines()
    return _sources[file]


class Interrupt:
    """Raises KeyboardInterrupt at the n-th line that the recorder's code comes to.

    Lines that only leave a `with` or `try` block are no such places: CPython handles no signal
    there.
    """

    def __init__(self, at: int) -> None:
        self.left = at
        self.came = False

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        if os.path.dirname(frame.f_code.co_filename) != FOLDER:
            return None
        return self._lines(frame)

    def _lines(self, frame: FrameType) -> Any:
        seen: set[int] = set()
        source = lines_of(frame.f_code.co_filename)

        def line(frame: FrameType, event: str, arg: Any) -> Any:
            if event == "line":
                number = frame.f_lineno
                again, text = number in seen, source[number - 1].strip()
                seen.add(number)
                if (again and text.startswith("with ")) or text in LAST:
                    return line
                self.left -= 1
                if self.left == 0:
                    self.came = True
                    raise KeyboardInterrupt
            return line

        return line

    def __enter__(self) -> Interrupt:
        sys.settrace(self)
        return self

    def __exit__(self, kind: Any, *_: object) -> bool:
        sys.settrace(None)
        return kind is KeyboardInterrupt


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
    state = envs.save_state() if envs._stepper.was_reset else b""
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


def play(moves: Play, interrupt: Interrupt) -> int:
    """Play all moves, whichever of them is interrupted.  How many others failed for its sake."""
    failed = 0
    for move in moves:
        with interrupt:
            try:
                move()
            except (RuntimeError, ValueError, error.Error):  # such as one that expects a reset
                assert interrupt.came
                failed += 1
    return failed


@pytest.mark.parametrize("step", [37, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", GAMES)
def test_an_interrupt_at_any_line(tmp_path: Path, name: str, step: int) -> None:
    """The environment goes on being recorded; of its steps only the interrupted one is missing."""
    make, moves = GAMES[name]
    usual = None
    for number in itertools.count(0, step):
        path = tmp_path / f"{number}.zip"
        env = make()
        recorder = record(env, path, check_every=2, steps_per_chunk=3, keyframes=True)
        interrupt = Interrupt(number)
        failed = play(moves(env), interrupt)
        with interrupt:
            recorder.close()
        recorder.close()
        recording = Recording.open(path)
        verdict = recording.verify()
        if usual is None:
            usual = len(recording)
        assert recording.complete
        assert not verdict.difference, (number, str(verdict))
        assert len(recording) >= usual - 1 - failed, number
        if number and not interrupt.came:
            break
    assert number > 2 * 37
