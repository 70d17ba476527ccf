"""`WindowPlayer`: makes the observations of windows by playing them again.

`VectorPlayer` has the library play the windows of vectors, all of a batch in one call.
`LayerPlayer` has a `Replayer` play those of other environments, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pyale_ma._base.arguments import integer
from pyale_ma._base.processors import cores
from pyale_ma._base.text import printable
from pyale_ma._native import StretchResults
from pyale_ma.recording.file.format import Header, RecordingError
from pyale_ma.recording.replay.layers import REFUSALS, LazyLayer
from pyale_ma.recording.replay.replayer import Replayer
from pyale_ma.recording.replay.timelines import Timeline
from pyale_ma.recording.replay.windows import Array, Numbers
from pyale_ma.vector import AtariVectorEnv

_MOST_SUB_ENVS = 1024


def threads_of(num_threads: Any) -> int:
    """Return the number of threads that play; 0: as many as there are CPUs."""
    return integer("num_threads", num_threads, 0, 2**31 - 1)


class Job(NamedTuple):
    """A window to be played.

    Attributes:
        timeline: The timeline that the window is taken from.
        env: The number of the environment.
        times: int64 (L,): when its steps were.
        row: Where its observations go.
        first: The time of the keyframe from which they are played.
    """

    timeline: Timeline
    env: int
    times: Numbers
    row: int
    first: int

    @property
    def length(self) -> int:
        """The number of steps that are played."""
        return int(self.times[-1]) + 1 - self.first

    def columns(self, name: str) -> Array:
        """Return what is kept of these steps, with a row for each."""
        rows = self.timeline.rows(np.arange(self.first, self.first + self.length))
        column: Array = self.timeline.columns[name][rows, self.env]
        return column

    def resets(self, default: tuple[int, int]) -> Iterator[tuple[int, int, int, int]]:
        """Resets before a step: its number, the seed or -1, mode, difficulty."""
        resets = self.timeline.resets[self.env]
        for time in sorted(resets.keys() & range(self.first, self.first + self.length)):
            for seed, mode, difficulty in resets[time]:
                yield (
                    time - self.first,
                    -1 if seed is None else seed,
                    default[0] if mode is None else mode,
                    default[1] if difficulty is None else difficulty,
                )


class WindowPlayer:
    """Plays windows of timelines with the same header and game.

    Args:
        header: What makes the environment that plays.
        observe: Arguments that change what is observed.
    """

    def __init__(self, header: Header, observe: dict[str, Any]) -> None:
        self._header = header
        self._layer = LazyLayer(header, observe)

    @property
    def kind(self) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Shape and type of an observation."""
        raise NotImplementedError

    def play(self, jobs: Sequence[Job], observations: Array) -> None:
        """Write the observations of windows, each to its row."""
        try:
            self._play(jobs, observations)
        except BaseException as problem:
            self.close()  # they may have been interrupted anywhere
            if isinstance(problem, REFUSALS) and not isinstance(problem, RecordingError):
                raise RecordingError(
                    f"{jobs[0].timeline.name} cannot be played: {printable(problem)}"
                ) from problem
            raise

    def _play(self, jobs: Sequence[Job], observations: Array) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Free its environments; others are made when they are needed."""
        self._layer.close()


def _diverges(job: Job, time: int) -> RecordingError:
    return RecordingError(
        f"{job.timeline.name}: step {time} of environment {job.env} leads to another reward or end "
        "than recorded; `pyale-ma replay` tells what differs"
    )


class VectorPlayer(WindowPlayer):
    """Plays windows of vectors: the library plays all of them in one call.

    Args:
        header: Of the timelines.
        game: The number of the game in it.
        observe: Arguments that change what is observed.
        num_threads: Threads that play; 0: as many as there are CPUs.
    """

    def __init__(
        self, header: Header, game: int, observe: dict[str, Any], num_threads: int
    ) -> None:
        threads = num_threads or cores()
        mode = header.options["mode"]
        chosen = {"mode": mode[0] if isinstance(mode, list) else mode, "difficulty": None}
        super().__init__(
            replace(
                header,
                game_of_env=[game] * min(threads, _MOST_SUB_ENVS),  # each thread plays with one
                options={**header.options, **chosen},
            ),
            {**observe, "num_threads": threads},
        )

    @property
    def kind(self) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Shape and type of an observation."""
        space = self._layer.get().env.single_observation_space
        return space.shape, space.dtype

    def _play(self, jobs: Sequence[Job], observations: Array) -> None:
        # Those that take longest come first, so that all threads end at about the same time.
        jobs = sorted(jobs, key=lambda job: job.length, reverse=True)
        _play_together(self._layer.get().env, jobs, observations)


def _play_together(env: AtariVectorEnv, jobs: Sequence[Job], observations: Array) -> None:
    """Play all of them, and compare what they led to."""
    states = [job.timeline.keyframe(job.env, job.first).state for job in jobs]
    lengths = np.array([job.length for job in jobs], np.uint32)
    begins = np.cumsum(lengths, dtype=np.int64) - lengths
    count = int(lengths.sum())
    actions, rewards, terminations, truncations = (
        np.concatenate([job.columns(name) for job in jobs])
        for name in ("actions", "rewards", "terminations", "truncations")
    )
    strengths = {}
    if env.continuous:
        strengths["strengths"] = actions[..., 0]
        actions = env._joystick()(actions)
    observed = np.zeros(count, np.bool_)
    for job, begin in zip(jobs, begins, strict=True):
        observed[begin + job.times - job.first] = True
    default = int(env._modes[0]), int(env._difficulties[0])
    resets = [
        (begin + step, *reset)
        for job, begin in zip(jobs, begins.tolist(), strict=True)
        for step, *reset in job.resets(default)
    ]
    at, seeds, modes, difficulties = np.array(resets, np.int64).reshape(-1, 4).T
    results = StretchResults.of(len(jobs), count, env.num_players or 1)
    failure = None
    try:
        env._native.play(
            states,
            [observations[job.row] for job in jobs],
            results,
            steps=lengths,
            actions=actions,
            observed=observed,
            reset_steps=at,
            seeds=seeds,
            modes=modes,
            difficulties=difficulties,
            **strengths,
        )
    except REFUSALS as problem:
        failure = problem  # if nothing differs before, to which it may be due
    wrong = (results.rewards != rewards) | (results.terminations != terminations)
    wrong = wrong.any(1) | (results.truncations != truncations)
    for job, begin, steps in zip(jobs, begins, results.played, strict=True):
        differs = np.flatnonzero(wrong[begin : begin + steps])
        if differs.size:
            raise _diverges(job, job.first + int(differs[0])) from failure
    if failure:
        raise failure


class LayerPlayer(WindowPlayer):
    """Plays windows of environments that are not vectors, one after the other."""

    @property
    def kind(self) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Shape and type of an observation."""
        layer = self._layer.get()
        layer.reset({"seed": None})
        seen = layer.observation_array()
        return seen.shape, seen.dtype

    def _play(self, jobs: Sequence[Job], observations: Array) -> None:
        for job in jobs:
            self._play_window(job, observations[job.row])

    def _play_window(self, job: Job, observations: Array) -> None:
        timeline, start = job.timeline, int(job.times[0])
        if self._header.layer == "console" and timeline.keyframe(0, job.first).state is None:
            self.close()  # it begins as new
        layer = self._layer.get()
        replayer = Replayer(layer, self._header, timeline.name)
        for event in replayer.play(timeline.events(job.first, job.first + job.length)):
            if replayer.difference(event):
                raise _diverges(job, event.number)
            if event.next_step >= start:
                observations[event.next_step - start] = layer.observation_array()
