"""`Collector`: one vector per worker on all nodes, and batches as they become ready."""

from __future__ import annotations

import hashlib
import math
import os
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
import ray

from pyale_ma._base.arguments import integer
from pyale_ma.distributed import state
from pyale_ma.distributed.recorder import CollectorRecorder, Columns
from pyale_ma.distributed.worker import Array, Found, VectorSpec, Wanted, make_vector_spec
from pyale_ma.distributed.worker_pool import Answer, Progress, WorkerHandle, WorkerPool, WorkerState
from pyale_ma.recording.file.format import RecordingError

Game: TypeAlias = str | os.PathLike[str]
Games: TypeAlias = Sequence[Game] | Mapping[Game, float] | Mapping[str, float]
_Self = TypeVar("_Self", bound="BaseCollector")

# Arrays so large that they stay where Ray has them.
_LARGE = ("observations", "last_observations", "final_obs")


@dataclass(frozen=True)
class Batch:
    """The results of one step of one worker's vector.

    Attributes:
        worker: The number of the worker.
        number: The number of the worker's batch; 0 is that of the reset, with rewards of 0.
        observations: As `AtariVectorEnv` returns them, but read-only: a view of Ray's memory, which
            lasts as long as the array does.  So is ``final_obs`` in `infos`.
        rewards: See `AtariVectorEnv`; these and all other arrays are the caller's.
        terminations: See `rewards`.
        truncations: See `rewards`.
        infos: See `rewards`; ``env_id`` numbers the environments of all workers.
    """

    worker: int
    number: int
    observations: Array
    rewards: Array
    terminations: Array
    truncations: Array
    infos: dict[str, Any]


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
        game: Game | None,
        num_envs: int,
        *,
        games: Games | None,
        workers: int | None,
        seed: int | None,
        cpus: int,
        snapshot_every: int,
        ray_options: Mapping[str, Any] | None,
        retries: int,
        start_timeout: float | None,
        worker_timeout: float | None,
        options: Mapping[str, Any],
    ) -> None:
        self.num_envs = integer("num_envs", num_envs, 1)
        self.games = spread_games(game, games, self.num_envs)
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1)[0] >> 1)
        self.seed = integer("seed", seed, 0)
        cpus = integer("cpus", cpus, 1)
        self._snapshot_every = integer("snapshot_every", snapshot_every, 1)
        retries = integer("retries", retries, 0)
        spec = make_vector_spec(self.games, self.seed, options)
        if workers is None and ray.is_initialized():
            workers = max(1, int(ray.cluster_resources().get("CPU", 0)) // cpus)
        self.num_workers = integer("workers", 1 if workers is None else workers, 1)
        self._identity = {
            "seed": self.seed,
            "workers": self.num_workers,
            "num_envs": self.num_envs,
            **_identity(spec),
        }
        # What came of each worker and was not handed out yet.
        self._kept: list[deque[Any]] = [deque() for _ in range(self.num_workers)]
        self._pool = WorkerPool(
            spec,
            self.num_workers,
            cpus=cpus,
            ray_options=ray_options or {},
            retries=retries,
            start_timeout=_seconds("start_timeout", start_timeout),
            worker_timeout=_seconds("worker_timeout", worker_timeout),
        )
        described = self._pool.description
        self.single_observation_space = described.single_observation_space
        self.single_action_space = described.single_action_space
        self.action_space = described.action_space
        self.num_actions = described.num_actions
        self.action_sets = described.action_sets
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

    def save_state(self, path: str | os.PathLike[str]) -> None:
        """Save in a file where all workers are, for `restore_state` of another collector.

        The driver knows it: workers are not asked, and play on.  A recording's files have then all
        that was received until now, whatever becomes of the driver.

        Args:
            path: The file.  One that is there is replaced; none is left half-written, even after a
                crash.

        Raises:
            RuntimeError: The collector was closed.
            OSError: The file cannot be written; one that was there is as it was.
        """
        self._pool.check_open()
        if recorder := self._open_recorder:
            recorder.flush()
        workers = [
            {**self._state_of(worker), **self._pending_of(worker)} for worker in self._pool.workers
        ]
        tree = {"collector": self._identity, "counts": self._pool.counts(), "workers": workers}
        state.write(path, {**tree, **self._common_state()})

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

        After any error, the collector is as it was.
        """
        self._pool.check_open()
        tree = state.read(path)
        try:
            self._check_identity(tree["collector"])
            counts = tree["counts"]
            steps, batches = (
                state.stored_integer(counts[name], name) for name in ("steps", "batches")
            )
            seconds = state.real(counts["seconds"], "seconds")
            if len(tree["workers"]) != self.num_workers:
                raise ValueError("it has another number of workers than it says")
            states = [self._checked_state(part) for part in tree["workers"]]
            self._check_pending(tree)
        except (ValueError, TypeError, LookupError, AttributeError) as problem:
            raise ValueError(
                f"{os.fspath(path)} is not a state for this collector: {problem}"
            ) from problem
        if recorder := self._open_recorder:
            recorder.flush()
        self._pool.restore(states)
        if recorder:
            recorder.move()
        self._pool.recount(steps, batches, seconds)
        for kept in self._kept:
            kept.clear()
        self._resume(tree)

    def _record_collector(
        self,
        folder: str | os.PathLike[str],
        check_every: int,
        steps_per_chunk: int | None,
        keyframes: bool,
        metadata: dict[str, Any] | None,
        overwrite: bool,
    ) -> CollectorRecorder:
        """See `pyale_ma.recording.record`."""
        self._pool.check_open()
        if self._open_recorder:
            raise RecordingError("the collector is being recorded already: close that recorder")
        header = self._pool.description.header
        players = header.options["num_players"]
        self._recorder = CollectorRecorder(
            folder,
            header,
            workers=self.num_workers,
            row=(self.num_envs, *([] if players is None else [players])),
            stride=self._stride,
            check_every=check_every,
            steps_per_chunk=steps_per_chunk,
            keyframes=keyframes,
            metadata=metadata,
            overwrite=overwrite,
        )
        return self._recorder

    @property
    def _open_recorder(self) -> CollectorRecorder | None:
        """The collector's open recorder, or None if nothing is recorded."""
        recorder = self._recorder
        return recorder if recorder is not None and recorder.is_open else None

    def _wanted(self, worker: WorkerHandle, snapshot: bool) -> Wanted:
        """Return what a worker must send in addition to the results of its next steps."""
        recorder = self._open_recorder
        return recorder.wanted(worker, snapshot) if recorder else Wanted(snapshot)

    def _state_of(self, worker: WorkerHandle) -> dict[str, Any]:
        """Where a worker is without its open orders, for a file."""
        none = np.empty((0, *(self.action_space.shape or ())), self.action_space.dtype)
        played = np.concatenate([none, *worker.played]).astype(none.dtype)
        snapshot = None if worker.snapshot is None else np.frombuffer(worker.snapshot, np.uint8)
        return {"snapshot": snapshot, "played": played, "given": worker.given - len(worker.orders)}

    def _checked_state(self, part: Mapping[str, Any]) -> WorkerState:
        """Check the result of `_state_of`; the library checks the snapshots themselves."""
        shape = self.action_space.shape or ()
        played = state.array(part["played"], "played", self.action_space.dtype, (None, *shape))
        if played.dtype.kind == "i" and ((played < 0) | (played >= self._limits)).any():
            raise ValueError("actions that were played are outside the action set")
        snapshot = part["snapshot"]
        if snapshot is not None:
            snapshot = state.array(snapshot, "snapshot", np.dtype(np.uint8), (None,)).tobytes()
        return WorkerState(snapshot, [played], state.stored_integer(part["given"], "given"))

    def _check_identity(self, found: Mapping[str, Any]) -> None:
        for name, value in self._identity.items():
            if found[name] != value:
                raise ValueError(f"its {name} is {found[name]!r}, but this collector's {value!r}")

    @abstractmethod
    def _pending_of(self, worker: WorkerHandle) -> dict[str, Any]:
        """For a file: what a worker is to do."""

    @abstractmethod
    def _common_state(self) -> dict[str, Any]:
        """For a file: what is not of one worker."""

    @abstractmethod
    def _check_pending(self, tree: Mapping[str, Any]) -> None:
        """See whether `_resume` can do what a file says."""

    @abstractmethod
    def _resume(self, tree: Mapping[str, Any]) -> None:
        """Give workers what they are to do by a file that is checked."""

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
        taken = self._taken(answer)
        try:
            recorder = self._open_recorder
            if recorder and recorder.has(answer.order):
                found: Found = answer.value[1]
                recorder.add(answer.worker, found, self._columns(answer))
        finally:
            self._kept[answer.worker.number].append(taken)

    @abstractmethod
    def _taken(self, answer: Answer) -> Any:
        """Return the result to hand out, which the worker has played."""

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


class Collector(BaseCollector):
    """Vectors on all nodes of a Ray cluster, stepped by a policy in the driver.

    Each worker is a Ray actor with one `AtariVectorEnv`.  `recv` returns the batch that is ready
    first, from any worker; `send` lets that worker play on::

        with Collector("breakout", 64, workers=16, seed=1) as collector:
            for _ in range(1000):
                batch = collector.recv()
                collector.send(batch.worker, policy(batch.observations))

    A worker plays only the actions it was sent, so it is never more than one batch ahead, and its
    batches depend only on the seed and the actions, not on the number of nodes, the placement of
    the worker, or failures.  Environment i of worker w has the seed
    ``seed + w * num_envs + i``: all workers together play what one vector would.

    Args:
        game: What is played, as for `AtariVectorEnv`.
        num_envs: Environments of each worker.
        games: Several games instead of one, the same mix in each worker: a list, or a dict of
            weights.  The environments are spread by weight, at least one for each game.
        workers: Number of workers; None: as many as the cluster has CPUs for.
        seed: The seed of the first environment; None: a random one.
        cpus: CPUs per worker: reserved with Ray, and the number of threads of its vector.
        ordered: Receive from the workers in turn instead of as they are ready, so that the order
            of batches is the same in every run, too.
        snapshot_every: Steps between two snapshots of a worker, which the driver keeps.
        ray_options: Further Ray options of the actors, such as ``{"resources": ...}``.
        retries: How many times in succession a worker may be lost before that is an error.
        start_timeout: Seconds to wait for Ray to find room for workers, if none has any yet; None:
            forever.
        worker_timeout: Seconds that a worker may take for what it was sent (or for its start, once
            it has a place); one that hangs for longer is replaced.  None: forever.
        **options: Arguments of `AtariVectorEnv`, except `batch_size`, `copy` and `render_mode`;
            `autoreset_mode` is "NextStep" or "SameStep".

    Raises:
        RuntimeError: Ray is not running.
        TimeoutError: No node has room for a worker.
        NodeError: A node lacks this package, or has another version of it.
        FileNotFoundError: A ROM is neither here nor on a node.
        ValueError: An argument is out of range, or not allowed for collectors.
        TypeError: An argument is of the wrong type, or not known.
    """

    def __init__(
        self,
        game: Game | None = None,
        num_envs: int = 64,
        *,
        games: Games | None = None,
        workers: int | None = None,
        seed: int | None = None,
        cpus: int = 1,
        ordered: bool = False,
        snapshot_every: int = 64,
        ray_options: Mapping[str, Any] | None = None,
        retries: int = 5,
        start_timeout: float | None = 300.0,
        worker_timeout: float | None = 600.0,
        **options: Any,
    ) -> None:
        super().__init__(
            game,
            num_envs,
            games=games,
            workers=workers,
            seed=seed,
            cpus=cpus,
            snapshot_every=snapshot_every,
            ray_options=ray_options,
            retries=retries,
            start_timeout=start_timeout,
            worker_timeout=worker_timeout,
            options=options,
        )
        self._identity |= {"kind": "Collector", "ordered": bool(ordered)}
        self._ordered = ordered
        self._turn = 0
        self._numbers = [0] * self.num_workers
        self._received = [False] * self.num_workers
        for worker in self._pool.workers:
            self._pool.give(worker, "look")

    def recv(self, timeout: float | None = None) -> Batch:
        """Wait for a batch: the first that is ready, or with `ordered` that of the next worker.

        If several are ready, that of the worker comes first that has waited longest.

        Args:
            timeout: Seconds after which to give up; None: never.

        Raises:
            TimeoutError: Nothing came in time, or no node has room for those that are to answer;
                nothing is lost, and another call may wait on.
            RuntimeError: All batches were received: send actions first.  With `ordered`, that of
                the next worker.  Or the collector was closed, or Ray shut down.
            NodeError: A node that took a worker over cannot play.
            WorkerError: A worker was lost too often.
        """
        self._pool.check_open()
        turn = self._turn
        if self._ordered and self._received[turn]:
            raise RuntimeError(f"it is the turn of worker {turn}: send it actions first")
        end = end_of(timeout)
        wanted = [self._kept[turn]] if self._ordered else self._kept
        while not any(wanted):
            self._receive(self._pool.workers, end)
        batch: Batch = next(filter(None, wanted)).popleft()
        self._received[batch.worker] = True
        if self._ordered:
            self._turn = (turn + 1) % self.num_workers
        return batch

    def send(self, worker: int, actions: Any) -> None:
        """Have a worker play one action of each of its environments.

        Args:
            worker: The worker whose batch was received.
            actions: As for `AtariVectorEnv.step`, of this worker's environments.

        Raises:
            IndexError: There is no such worker, or an action is outside the action set.
            ValueError: `actions` has another shape.
            TypeError: `actions` is of another type.
            RuntimeError: The worker's last batch was not received yet, or the collector was closed,
                or Ray shut down.

        Nothing was sent then.
        """
        self._pool.check_open()
        if not 0 <= worker < self.num_workers:
            raise IndexError(f"worker is {worker}; they are numbered 0 to {self.num_workers - 1}")
        if not self._received[worker]:
            raise RuntimeError(f"worker {worker} has a batch to give: receive it first")
        self._step(self._pool.workers[worker], self._checked(actions))
        self._received[worker] = False

    def _step(self, worker: WorkerHandle, actions: Array) -> None:
        snapshot = (worker.given + worker.number) % self._snapshot_every == 0
        self._pool.give(worker, "step", actions, self._wanted(worker, snapshot))

    def _taken(self, answer: Answer) -> Batch:
        worker, order, results = answer.worker, answer.order, answer.value
        if order.method == "step":
            results, found = results
            self._pool.note(worker, order.arguments[0][None], found.snapshot)
            self._numbers[worker.number] += 1
        observations, *rest = results
        rewards, terminations, truncations, infos = own(rest)
        number = self._numbers[worker.number]
        return Batch(worker.number, number, observations, rewards, terminations, truncations, infos)

    def _columns(self, answer: Answer) -> Columns:
        (_, rewards, terminations, truncations, _), _ = answer.value
        actions: Array = answer.order.arguments[0]
        return actions[None], rewards[None], terminations[None], truncations[None]

    def _fail(self, answer: Answer, problem: Exception) -> None:
        self._received[answer.worker.number] = True  # other actions may do
        raise problem

    def _pending_of(self, worker: WorkerHandle) -> dict[str, Any]:
        steps = [order.arguments[0] for order in worker.orders if order.method == "step"]
        return {"number": self._numbers[worker.number], "sent": steps[0] if steps else None}

    def _common_state(self) -> dict[str, Any]:
        again = 0  # as batches come again for which no actions were sent
        while self._ordered and again < self.num_workers and self._received[self._turn - again - 1]:
            again += 1
        return {"turn": (self._turn - again) % self.num_workers}

    def _check_pending(self, tree: Mapping[str, Any]) -> None:
        state.stored_integer(tree["turn"], "turn", self.num_workers - 1)
        for part in tree["workers"]:
            state.stored_integer(part["number"], "number")
            if part["sent"] is not None:
                self._checked(part["sent"])

    def _resume(self, tree: Mapping[str, Any]) -> None:
        self._turn = tree["turn"]
        self._received = [False] * self.num_workers
        self._numbers = [part["number"] for part in tree["workers"]]
        for worker, part in zip(self._pool.workers, tree["workers"], strict=True):
            if part["sent"] is None:
                self._pool.give(worker, "look")
            else:
                self._step(worker, self._checked(part["sent"]))

    def _checked(self, actions: Any) -> Array:
        """A copy of actions, if they are some."""
        given = np.asarray(actions)
        shape = self.action_space.shape
        if given.shape != shape:
            raise ValueError(f"actions must have shape {shape}, not {given.shape}")
        if self.action_space.dtype == np.float32:
            if given.dtype != np.float32:
                raise TypeError(f"continuous actions are float32, not {given.dtype}")
            return given.copy()  # type: ignore[no-any-return]
        if given.dtype.kind not in "iu":
            raise TypeError(f"actions must be whole numbers, not {given.dtype}")
        wrong = np.argwhere((given < 0) | (given >= self._limits))
        if len(wrong):
            place = tuple(int(i) for i in wrong[0])
            count = self.num_actions[place[0]]
            raise IndexError(f"actions{list(place)} is {given[place]}; there are 0 to {count - 1}")
        return given.astype(np.int32)


def end_of(timeout: float | None) -> float | None:
    """Return the time these seconds from now, as `time.monotonic` counts; None: never."""
    return None if timeout is None else time.monotonic() + timeout


def _seconds(name: str, value: Any) -> float | None:
    """An argument that must be a positive number, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"{name} must be a number of seconds or None, not {value!r}")
    if not 0 < value < math.inf:
        raise ValueError(f"{name} is {value!r}; it must be a positive number of seconds, or None")
    return float(value)


def _identity(spec: VectorSpec) -> dict[str, Any]:
    """Return a spec's games and options, as JSON has them; states fit only equal ones."""

    def plain(value: Any) -> Any:
        if isinstance(value, (np.generic, np.ndarray)):
            return value.tolist()
        if isinstance(value, Mapping):
            return {str(name): plain(part) for name, part in value.items()}
        if isinstance(value, (set, frozenset)):
            value = sorted(value, key=repr)
        if isinstance(value, (list, tuple)):
            return [plain(part) for part in value]
        return value if isinstance(value, (str, int, float, type(None))) else repr(value)

    cards = {name: text for name, text in spec.files.items() if name.endswith(".toml")}
    return {
        "games": list(spec.games),
        "cards": {name: hashlib.sha256(text).hexdigest() for name, text in cards.items()},
        "options": {n: plain(v) for n, v in sorted(spec.options.items()) if n != "num_threads"},
    }


def own(tree: Any) -> Any:
    """Copy all arrays except the large ones, which stay in Ray's memory."""
    if isinstance(tree, dict):
        return {name: part if name in _LARGE else own(part) for name, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [own(part) for part in tree]
    return tree.copy() if isinstance(tree, np.ndarray) else tree


def spread_games(game: Game | None, games: Games | None, num_envs: int) -> list[Game]:
    """Return the game of each of `num_envs` environments; copies of a game are adjacent.

    Each game gets one environment, and of the others as many as are nearest to its weight.

    Raises:
        ValueError: Neither or both of `game` and `games` are given, there are more games than
            environments, or a weight is not positive.
    """
    if (game is None) == (games is None):
        raise ValueError("give either a game or several games")
    if isinstance(games, (str, os.PathLike)):
        game, games = games, None
    if games is None:
        assert game is not None
        return [game] * num_envs
    weights: Mapping[Any, float] = games if isinstance(games, Mapping) else Counter(games)
    for name, weight in weights.items():
        if not 0 < weight < float("inf"):
            raise ValueError(f"the weight of {name!r} is {weight!r}; it must be a positive number")
    if not 0 < len(weights) <= num_envs:
        raise ValueError(
            f"games has {len(weights)} games for the {num_envs} environments of a worker; "
            "each worker plays all of them: make num_envs larger"
        )
    rows = dict.fromkeys(weights, 1)
    for _ in range(num_envs - len(rows)):  # by Sainte-Lague: who is most in want gets the next
        neediest = max(rows, key=lambda name: weights[name] / (2 * rows[name] + 1))
        rows[neediest] += 1
    return [name for name, count in rows.items() for _ in range(count)]
