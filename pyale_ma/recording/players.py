"""Plays windows again: vectors in the sub-environments of a vector, other recordings one by one."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pyale_ma.arguments import integer
from pyale_ma.processors import cores
from pyale_ma.recording.courses import Course, Reset
from pyale_ma.recording.format import Header, RecordingError
from pyale_ma.recording.layers import REFUSALS, Layer, layer_for
from pyale_ma.recording.windows import Array, Numbers
from pyale_ma.text import printable

_SUB_ENVS_PER_THREAD = 16
_MOST_SUB_ENVS = 1024


def threads_of(given: Any) -> int:
    """How many threads play; 0: as many as there are CPUs."""
    return integer("num_threads", given, 0, 2**31 - 1)


class Job(NamedTuple):
    """A window to be played.

    Attributes:
        course: Of what.
        env: Of which environment.
        times: int64 (L,): when its steps were.
        row: Where its observations go.
    """

    course: Course
    env: int
    times: Numbers
    row: int


class Player:
    """Plays windows of courses with the same header and game.

    Args:
        header: Of the courses.
        game: The number of the game in it.
        observe: Arguments that change what is observed.
        num_threads: Threads that play; 0: as many as there are CPUs.
    """

    def __init__(
        self, header: Header, game: int, observe: dict[str, Any], num_threads: int
    ) -> None:
        self._header, self._game, self._observe = header, game, observe
        self._threads = num_threads or cores()
        self._layers: dict[int, Layer] = {}  # by number of environments
        self._process = os.getpid()
        self._lock = threading.Lock()

    @property
    def shape(self) -> tuple[int, ...]:
        """Of an observation."""
        raise NotImplementedError

    def play(self, jobs: Sequence[Job], observations: Array) -> None:
        """Write the observations of windows, each to its row."""
        with self._lock:
            if self._process != os.getpid():  # a forked process cannot use its parent's threads
                self._layers, self._process = {}, os.getpid()
            try:
                self._play(jobs, observations)
            except BaseException as problem:
                self._forget()  # they may have been interrupted anywhere
                if isinstance(problem, REFUSALS) and not isinstance(problem, RecordingError):
                    raise RecordingError(
                        f"{jobs[0].course.name} cannot be played: {printable(problem)}"
                    ) from problem
                raise

    def _play(self, jobs: Sequence[Job], observations: Array) -> None:
        raise NotImplementedError

    def _layer(self, count: int) -> Layer:
        """So many environments."""
        if count not in self._layers:
            self._layers[count] = self._make(count)
        return self._layers[count]

    def _make(self, count: int) -> Layer:
        return layer_for(self._header, self._observe)

    def _forget(self) -> None:
        layers, self._layers = self._layers, {}
        if self._process == os.getpid():
            for layer in layers.values():
                layer.close()

    def close(self) -> None:
        """Free its environments; others are made when they are needed."""
        with self._lock:
            self._forget()

    def __getstate__(self) -> tuple[Any, ...]:
        return self._header, self._game, self._observe, self._threads

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        Player.__init__(self, *state)


def _diverges(job: Job, time: int) -> RecordingError:
    return RecordingError(
        f"{job.course.name}: step {time} of environment {job.env} leads to another reward or end "
        "than recorded; `pyale-ma replay` tells what differs"
    )


class VectorPlayer(Player):
    """Plays windows of vectors: each sub-environment one after the other, all of them together."""

    def _make(self, count: int) -> Layer:
        options = self._header.options
        mode = options["mode"]
        chosen = {"mode": mode[0] if isinstance(mode, list) else mode, "difficulty": None}
        header = replace(
            self._header, game_of_env=[self._game] * count, options={**options, **chosen}
        )
        more = {"copy": False, "num_threads": self._threads}
        layer = layer_for(header, {**self._observe, **more})
        layer.env.reset(seed=0)
        return layer

    @property
    def shape(self) -> tuple[int, ...]:
        """Of an observation."""
        shape: tuple[int, ...] = self._layer(1).env.single_observation_space.shape
        return shape

    def _play(self, jobs: Sequence[Job], observations: Array) -> None:
        most = min(len(jobs), _SUB_ENVS_PER_THREAD * self._threads, _MOST_SUB_ENVS)
        layer = self._layer(1 << most.bit_length() - 1)
        _Run(layer, jobs, observations).play()


class _Run:
    """The playing of windows in the sub-environments of a vector.

    A sub-environment that has played its window takes the next; those that take longest come
    first, so that all end at about the same time.
    """

    def __init__(self, layer: Layer, jobs: Sequence[Job], observations: Array) -> None:
        env = layer.env
        self._env, self._native, self._stepper = env, env._native, env._stepper
        self._observations = observations
        header = jobs[0].course.header
        self._row = (header.players,) if env.num_players is not None else ()
        count = env.num_envs
        self._firsts = []
        for job in jobs:
            first = job.course.anchor(job.env, int(job.times[0]))
            assert first is not None
            self._firsts.append(first)
        lengths = [int(job.times[-1]) + 1 - at for job, at in zip(jobs, self._firsts, strict=True)]
        self._jobs = jobs
        self._waiting = deque(sorted(range(len(jobs)), key=lambda number: -lengths[number]))
        most = max(lengths) + 1
        # For each sub-environment what it plays, by how far it has come.
        position = (3,) * header.continuous
        dtype = np.float32 if header.continuous else np.int32
        self._actions = np.zeros((count, most, *self._row, *position), dtype)
        self._rewards = np.zeros((count, most, *self._row), np.int32)
        self._ends = np.zeros((count, most, *self._row), np.bool_)
        self._slots = np.full((count, most), -1)  # where an observation goes
        self._resets = np.zeros((count, most), np.bool_)
        self._at = np.zeros(count, np.int64)
        self._stop = np.zeros(count, np.int64)
        self._rows = np.zeros(count, np.int64)
        self._busy = np.zeros(count, np.bool_)
        self._job = np.zeros(count, np.int64)
        self._begin = np.zeros(count, np.int64)  # the time at which it began
        self._indices = np.arange(count)
        self._default = env._modes[0], env._difficulties[0]

    def play(self) -> None:
        """Play all of them."""
        env, indices = self._env, self._indices
        over = np.zeros(len(indices), np.bool_)
        keeps = env.autoreset_mode.value == "Disabled"
        for index in indices.tolist():
            self._take(index)
        seen = None
        while self._busy.any():
            at = self._at
            pending = self._resets[indices, at] & self._busy
            if pending.any():
                seen = self._reset(pending)
                over &= ~pending
            if keeps and (over & ~self._busy).any():
                seen = self._stepper.reset(over & ~self._busy, None)[0]
            if seen is not None:
                self._keep(seen)
            seen, rewards, ends, cuts, infos = env.step(self._actions[indices, at])
            wrong = (rewards != self._rewards[indices, at]) | (ends != self._ends[indices, at])
            wrong = (wrong.any(1) if self._row else wrong) & self._busy
            if wrong.any():
                index = int(np.flatnonzero(wrong)[0])
                raise _diverges(self._jobs[self._job[index]], int(self._begin[index] + at[index]))
            over = (ends.any(1) if self._row else ends) | cuts
            self._at = at + self._busy
            done = self._busy & (self._at == self._stop)
            if done.any():
                last = seen
                if "final_obs" in infos:
                    last = seen.copy()
                    flagged = infos["_final_obs"]
                    last[flagged] = infos["final_obs"][flagged]
                self._observations[self._rows[done], -1] = last[done]
                for index in np.flatnonzero(done).tolist():
                    self._take(index)

    def _keep(self, seen: Array) -> None:
        slots = self._slots[self._indices, self._at]
        wanted = np.flatnonzero(slots >= 0)
        if wanted.size:
            self._observations[self._rows[wanted], slots[wanted]] = seen[wanted]

    def _take(self, index: int) -> None:
        """Let a sub-environment begin with the next window."""
        self._busy[index] = bool(self._waiting)
        self._slots[index], self._resets[index] = -1, False
        self._actions[index], self._at[index] = 0, 0
        if not self._waiting:
            return
        number = self._waiting.popleft()
        job, first = self._jobs[number], self._firsts[number]
        course, env, stop = job.course, job.env, int(job.times[-1]) + 1
        count = stop - first
        rows = course.rows(np.arange(first, stop))
        columns = course.columns
        for name, to in (
            ("actions", self._actions),
            ("rewards", self._rewards),
            ("terminations", self._ends),
        ):
            given = columns[name][rows, env]
            to[index, :count] = given.reshape(count, *to.shape[2:])
        self._slots[index, job.times - first] = np.arange(len(job.times))
        resets = course.resets[env]
        for time in resets.keys() & range(first, stop):
            self._resets[index, time - first] = True
        self._stop[index], self._rows[index] = count, job.row
        self._job[index], self._begin[index] = number, first
        state = course.keyframe(env, first).state
        if state is not None:
            self._native.restore_env(index, state)

    def _reset(self, pending: Array) -> Array:
        """The resets before a step, for an environment one after the other."""
        todo: dict[int, list[Reset]] = {}
        for index in np.flatnonzero(pending).tolist():
            job, time = self._jobs[self._job[index]], int(self._begin[index] + self._at[index])
            todo[index] = list(job.course.resets[job.env][time])
        seen: Array | None = None
        while todo:
            mask = np.zeros(len(self._indices), np.bool_)
            seeds = np.full(len(self._indices), -1, np.int64)
            for index, resets in list(todo.items()):
                reset = resets.pop(0)
                mask[index] = True
                seeds[index] = -1 if reset.seed is None else reset.seed
                mode, difficulty = reset.mode, reset.difficulty
                self._native.select(
                    index,
                    int(self._default[0] if mode is None else mode),
                    int(self._default[1] if difficulty is None else difficulty),
                )
                if not resets:
                    del todo[index]
            seen = self._stepper.reset(mask, seeds)[0]
        assert seen is not None
        return seen


class LayerPlayer(Player):
    """Plays windows of environments that are not vectors, one after the other."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of an observation."""
        layer = self._layer(1)
        layer.reset({"seed": None})
        return self._seen(layer).shape

    @staticmethod
    def _seen(layer: Layer) -> Array:
        if layer.name == "multi":
            return np.stack(layer.env._observe(layer.players))
        return np.asarray(layer.observation())

    def _play(self, jobs: Sequence[Job], observations: Array) -> None:
        for job in jobs:
            self._play_window(job, observations[job.row])

    def _play_window(self, job: Job, to: Array) -> None:
        layer = self._layer(1)
        course, (time, stop) = job.course, (int(job.times[0]), int(job.times[-1]) + 1)
        first = course.anchor(0, time)
        assert first is not None
        keyframe = course.keyframe(0, first)
        if keyframe.state is None and layer.name == "console":  # which begins as new
            self._forget()
            layer = self._layer(1)
        elif keyframe.state is not None:
            layer.load(keyframe.state, keyframe.extra)
        columns, place = course.columns, 0
        for now in range(first, stop):
            for reset in course.resets[0].get(now, ()):
                layer.reset({"seed": reset.seed})
            if now >= time:
                to[place] = self._seen(layer)
                place += 1
            row = course.rows(now)
            if course.strengths is not None:
                layer.set_strengths(course.strengths[row])
            result = layer.step(layer.actions(columns["actions"][row]))
            rewards, ends, _ = layer.numbers(result)
            if (
                np.reshape(rewards, -1).tolist() != columns["rewards"][row, 0].tolist()
                or np.reshape(ends, -1).tolist() != columns["terminations"][row, 0].tolist()
            ):
                raise _diverges(job, now)
        to[place] = self._seen(layer)
