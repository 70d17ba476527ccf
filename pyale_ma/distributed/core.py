"""Core of both collectors: workers, saved states and recordings."""

from __future__ import annotations

import math
import os
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import ray

from pyale_ma._base.arguments import integer, number
from pyale_ma._base.callers import one_caller
from pyale_ma._base.container import Container
from pyale_ma._base.fields import Fields, short
from pyale_ma._base.text import printable
from pyale_ma.distributed.handles import Answer, WorkerHandle
from pyale_ma.distributed.recorder import CollectorRecorder, Columns
from pyale_ma.distributed.spec import Game, Games, identity, make_vector_spec, spread_games
from pyale_ma.distributed.worker import Array, Request, check_finite
from pyale_ma.distributed.worker_pool import PoolOptions, Progress, WorkerPool
from pyale_ma.recording.file.chunk_writer import FileOptions
from pyale_ma.recording.file.format import RecordingError

STATE_FILE = Container("a state of a collector", "pyale_ma collector state 2")

_Self = TypeVar("_Self", bound="BaseCollector")

# Arrays so large that they stay where Ray has them.
_LARGE = ("observations", "last_observations", "final_obs")


class BaseCollector(ABC):
    """Base class of collectors.

    Attributes:
        num_workers: How many workers there are.
        num_envs: Environments of each.
        games: What each environment of a worker plays.
        seed: Of the first worker's first environment.
        single_observation_space: Of one environment.
        single_action_space: Of one environment; None where games differ.
        action_space: Of one worker.
        num_actions: Of each environment of a worker.
        action_sets: Of each environment of a worker, as in `AtariVectorEnv`.
    """

    _stride = 1  # steps that come of a worker at a time
    _recorder: CollectorRecorder | None = None

    def __init__(
        self,
        *,
        game: Game | None,
        num_envs: int,
        games: Games | None,
        workers: int | None,
        seed: int | None,
        snapshot_every: int,
        pool: PoolOptions,
        options: Mapping[str, Any],
    ) -> None:
        self._is_busy = False
        self.num_envs = integer("num_envs", num_envs, 1)
        self.games = spread_games(game, games, self.num_envs)
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1)[0] >> 1)
        self.seed = integer("seed", seed, 0)
        self._snapshot_every = integer("snapshot_every", snapshot_every, 1)
        spec = make_vector_spec(self.games, self.seed, options)
        if workers is None and ray.is_initialized():
            workers = max(1, int(ray.cluster_resources().get("CPU", 0)) // pool.cpus)
        self.num_workers = integer("workers", 1 if workers is None else workers, 1)
        # Settings that a saved state must share.
        self._identity = {
            "seed": self.seed,
            "workers": self.num_workers,
            "num_envs": self.num_envs,
            **identity(spec),
        }
        # Results of each worker that were not handed out yet.
        self._kept: list[deque[Any]] = [deque() for _ in range(self.num_workers)]
        self._pool = WorkerPool(spec, self.num_workers, pool)
        description = self._pool.description
        self.single_observation_space = description.single_observation_space
        self.single_action_space = description.single_action_space
        self.action_space = description.action_space
        self.num_actions = description.num_actions
        self.action_sets = description.action_sets
        self._no_actions = np.empty((0, *(self.action_space.shape or ())), self.action_space.dtype)
        players = description.header.options["num_players"]
        # The shape of a step's rewards.
        self._row = (self.num_envs, *([] if players is None else [players]))
        counts = np.array(self.num_actions)
        self._limits = counts.reshape(-1, *[1] * (len(self.action_space.shape or ()) - 1))

    @property
    def progress(self) -> Progress:
        """Progress of the collector, to be printed."""
        return self._pool.progress()

    @property
    def places(self) -> list[dict[str, Any] | None]:
        """Of each worker ``host``, ``node`` and ``pid``; None while it is on its way."""
        return [worker.facts for worker in self._pool.workers]

    @one_caller
    def reset(self) -> None:
        """Have all workers begin again, as those of a new collector with the same arguments.

        Results that were not received are discarded.  A recording goes on with the reset, and
        `progress` counts on.

        Raises:
            RuntimeError: Another call runs, or the collector was closed, or Ray shut down.
            Exception: See `recv`; the collector is as it was.
        """
        self._pool.check_open()
        states = [WorkerHandle(number) for number in range(self.num_workers)]
        self._go_on_from(states, self._first_state())

    @one_caller
    def save_state(self, path: str | os.PathLike[str]) -> None:
        """Save the state of all workers in a file, for `restore_state` of another collector.

        The driver has this state, so workers play on.  The files of a recording then have all
        results that were received until now, whatever becomes of the driver.

        Args:
            path: The file.  One that is there is replaced; none is left half-written, even after a
                crash.

        Raises:
            RuntimeError: Another call runs, or the collector was closed.
            gymnasium.error.ResetNeeded: See `recv`.
            OSError: The file cannot be written; one that was there is as it was.
        """
        self._pool.check_whole()
        self._save(path)

    def _save(self, path: str | os.PathLike[str]) -> None:
        if recorder := self._open_recorder:
            recorder.flush()
        workers = [
            {**self._state_of(worker), **self._pending_of(worker)} for worker in self._pool.workers
        ]
        tree = {"collector": self._identity, "counts": self._pool.counts(), "workers": workers}
        STATE_FILE.write(path, {**tree, **self._common_state()})

    @one_caller
    def restore_state(self, path: str | os.PathLike[str]) -> None:
        """Go on from a file of `save_state`, of a collector with the same arguments, seed included.

        So a run goes on, bit by bit, after the death of the driver or of Ray's head.  Returns when
        all workers are there.  A recording goes on in its files, from saved states.

        Args:
            path: The file.

        Raises:
            ValueError: The file is damaged, or of a collector with other arguments.
            OSError: It cannot be read.
            Exception: See `recv`.

        After an error, the collector is as it was.
        """
        self._pool.check_open()
        fields = STATE_FILE.read(path)
        try:
            self._check_identity(fields.object("collector"))
            counts, workers = fields.inside("counts"), fields.each("workers")
            steps, batches = (counts.integer(name, 0, 2**62) for name in ("steps", "batches"))
            seconds = counts.number("seconds", 0, 1e15)
            if len(workers) != self.num_workers:
                raise ValueError("its number of workers is not that of its list")
            states = [self._checked_state(k, worker) for k, worker in enumerate(workers)]
            self._check_pending(fields, workers)
        except (ValueError, TypeError, IndexError) as problem:
            raise ValueError(
                f"{printable(path)} is not a state for this collector: {problem}"
            ) from problem
        self._go_on_from(states, fields.values)
        self._pool.recount(steps, batches, seconds)

    def _go_on_from(self, states: Sequence[WorkerHandle], tree: Mapping[str, Any]) -> None:
        """Bring the workers to other states, and the collector to what is kept of them."""
        recorder = self._open_recorder
        if recorder:
            recorder.flush()
        self._add_orders(states, tree)

        def go_on() -> None:
            for kept in self._kept:
                kept.clear()
            self._take_over(tree)
            if recorder:
                recorder.move()

        self._pool.restore(states, go_on)

    @one_caller
    def _record_collector(
        self, folder: str | os.PathLike[str], options: FileOptions
    ) -> CollectorRecorder:
        """See `pyale_ma.recording.record`."""
        self._pool.check_whole()
        if self._open_recorder:
            raise RecordingError("the collector is being recorded already: close that recorder")
        header = self._pool.description.header
        self._recorder = CollectorRecorder(
            folder, header, options, workers=self.num_workers, row=self._row, stride=self._stride
        )
        return self._recorder

    @property
    def _open_recorder(self) -> CollectorRecorder | None:
        """The collector's open recorder, or None if nothing is recorded."""
        recorder = self._recorder
        return recorder if recorder is not None and recorder.is_open else None

    def _request(self, worker: WorkerHandle, snapshot: bool) -> Request:
        """Return the data that a worker must send in addition to the results of its next steps.

        Args:
            worker: The worker, or the state from a file that it is to continue from.
            snapshot: Whether to request a snapshot.
        """
        recorder = self._open_recorder
        if recorder is None:
            return Request(snapshot)
        restores = worker is not self._pool.workers[worker.number]
        return recorder.request(worker, snapshot, restores=restores)

    def _state_of(self, worker: WorkerHandle) -> dict[str, Any]:
        """Return a worker's state without its open orders, for a file."""
        none = self._no_actions
        return {
            "snapshot": worker.snapshot and np.frombuffer(worker.snapshot, np.uint8),
            "played": np.concatenate([none, *worker.played]).astype(none.dtype),
            "order_count": worker.done,
        }

    def _checked_state(self, number: int, worker: Fields) -> WorkerHandle:
        """Check the result of `_state_of`; the library checks the snapshots themselves."""
        none = self._no_actions
        played = worker.array("played", none.dtype, (None, *none.shape[1:]))
        self._check_played(played)
        snapshot = None
        if worker.values.get("snapshot") is not None:
            snapshot = worker.array("snapshot", np.uint8, (None,)).tobytes()
        done = worker.integer("order_count", 0, 2**62)
        return WorkerHandle(number, snapshot=snapshot, played=[played], done=done)

    def _check_played(self, actions: Array) -> None:
        """Raise ValueError if actions cannot have been played: they have an axis of steps."""
        check_finite(actions)
        if actions.dtype.kind != "f" and ((actions < 0) | (actions >= self._limits)).any():
            raise ValueError("actions that were played are outside the action set")

    def _check_identity(self, saved: Mapping[str, Any]) -> None:
        for name, value in self._identity.items():
            if saved.get(name) != value:
                theirs = short(repr(saved.get(name)))
                raise ValueError(f"its {name} is {theirs}, but this collector's {value!r}")

    @abstractmethod
    def _pending_of(self, worker: WorkerHandle) -> dict[str, Any]:
        """Return the open orders of a worker, for a file."""

    @abstractmethod
    def _common_state(self) -> dict[str, Any]:
        """Return what a file has in addition to the workers."""

    @abstractmethod
    def _first_state(self) -> dict[str, Any]:
        """Return what a file has of a collector that has just begun, for `_go_on_from`."""

    @abstractmethod
    def _check_pending(self, fields: Fields, workers: Sequence[Fields]) -> None:
        """Check the open orders of a file before `_add_orders`; errors as of `_checked_state`."""

    @abstractmethod
    def _add_orders(self, states: Sequence[WorkerHandle], tree: Mapping[str, Any]) -> None:
        """Add the open orders of a checked file to its workers."""

    @abstractmethod
    def _take_over(self, tree: Mapping[str, Any]) -> None:
        """Take over the rest of a checked file, once the workers have their states."""

    def _receive(self, workers: Sequence[WorkerHandle], end: float | None) -> None:
        """Wait for something of some workers, and keep it until it is handed out.

        Args:
            workers: The workers.
            end: When to give up, as `time.monotonic` counts; None: never.

        Raises:
            Exception: See `recv`; what came before is kept.
        """
        answer = self._pool.answer(workers, end)
        if answer.problem is not None:
            self._fail(answer, answer.problem)
            return
        worker, request = answer.worker, answer.order.request
        result = self._result(answer)
        problem = None
        self._pool.is_changing = True
        if request is None:  # it has no steps
            self._pool.take(worker, None, None)
        else:
            columns, additions = self._columns(answer), answer.value[1]
            self._pool.take(worker, columns[0].copy(), additions.snapshot)
            recorder = self._open_recorder
            if recorder and recorder.has(answer.order):
                try:
                    recorder.add(worker, additions, columns)
                except OSError as error:  # the recording has ended; the result is kept
                    problem = error
        self._keep(worker, result)
        self._pool.is_changing = False
        if problem is not None:
            raise problem

    def _keep(self, worker: WorkerHandle, result: Any) -> None:
        """Keep a result until it is handed out."""
        self._kept[worker.number].append(result)

    @abstractmethod
    def _result(self, answer: Answer) -> Any:
        """Return the result to hand out."""

    @abstractmethod
    def _columns(self, answer: Answer) -> Columns:
        """Return the played steps as columns of a recording."""

    def _fail(self, answer: Answer, problem: Exception) -> None:
        """Raise what a worker raised; it is where it was before, with nothing to do."""
        raise problem

    def close(self) -> None:
        """End all workers, and wait until they have ended.  Completes a recording.

        Ray ends processes that are stopped, too, after some seconds; those of other machines may
        outlast this call by as much.

        Raises:
            OSError: A recording cannot be completed; the workers have ended.
        """
        try:
            if self._recorder is not None:
                self._recorder.close()
        finally:
            self._pool.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def end_of(timeout: float | None) -> float | None:
    """Return the time these seconds from now, as `time.monotonic` counts; None: never.

    Raises:
        TypeError: `timeout` is not a number.
        ValueError: It is NaN.
    """
    if timeout is None:
        return None
    seconds = number("timeout", timeout, allow_truth=False)
    if math.isnan(seconds):
        raise ValueError("timeout is nan; it must be a number of seconds, or None")
    return time.monotonic() + seconds


def own(tree: Any) -> Any:
    """Copy all arrays except the large ones, which stay in Ray's memory."""
    if isinstance(tree, dict):
        return {name: part if name in _LARGE else own(part) for name, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [own(part) for part in tree]
    return tree.copy() if isinstance(tree, np.ndarray) else tree
