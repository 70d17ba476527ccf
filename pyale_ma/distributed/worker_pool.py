"""The driver's side of workers: orders, snapshots, and what to do after a loss.

Ray starts the actors.  When a process or node is lost, Ray restarts its actors on any node that has
room, and holds calls until then.  It cannot restore an actor's state.  So the pool keeps the data
that another worker needs: the last snapshot, the actions since, and the open orders.  When an order
fails because the actor was lost, the pool sends all of these again.  A worker's results depend on
nothing else, so they are the same as without the loss.
"""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import socket
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import ray
from ray import exceptions
from ray.core.generated.gcs_pb2 import ActorTableData

from pyale_ma._base.arguments import integer
from pyale_ma.distributed import host
from pyale_ma.distributed.host import NodeError
from pyale_ma.distributed.spec import VectorSpec
from pyale_ma.distributed.worker import Array, Description, Request

__all__ = ["NodeError", "PoolOptions", "Progress", "WorkerError", "WorkerHandle", "WorkerPool"]

# Ray's exceptions after the loss of a process or a node, with the results that were there.
_LOSSES: Final = (
    exceptions.RayActorError,
    exceptions.ObjectLostError,
    exceptions.NodeDiedError,
    exceptions.WorkerCrashedError,
    exceptions.OutOfMemoryError,
)
_STATE_ERRORS: Final = (ValueError, IndexError, TypeError)  # of a state that no worker can have
_END_SECONDS = 30.0  # in which actors should end after they were told to; Ray kills after 5
_ARRIVAL_SECONDS = 1.0  # in which Ray should know of an answer that was given long ago
_CHECK_SECONDS = 1.0  # between two checks of the actors' places


class WorkerError(RuntimeError):
    """A worker was lost, and those in its place too, again and again."""


class _LostError(Exception):
    """A worker was lost and is being replaced."""


@dataclass(frozen=True)
class Progress:
    """Progress of a collector.

    Attributes:
        steps: Environment steps received from all workers.
        batches: Batches, or rollouts, received.
        seconds: Seconds since the collector was made, plus those of the run that it continues.
        workers: Number of workers.
        playing: Number of workers with orders whose results were not received yet.
        restarts: Number of workers that were lost and replaced.
        snapshot_bytes: Bytes that the driver holds to replace lost workers.
    """

    steps: int
    batches: int
    seconds: float
    workers: int
    playing: int
    restarts: int
    snapshot_bytes: int

    @property
    def steps_per_second(self) -> float:
        """Steps per second."""
        return self.steps / self.seconds

    def __str__(self) -> str:
        return (
            f"{self.steps:,} steps, {self.steps_per_second:,.0f} a second; "
            f"{self.playing} of {self.workers} workers play; {self.restarts} restarts"
        )


@dataclass(frozen=True)
class PoolOptions:
    """Checked options of a `WorkerPool`.

    Attributes:
        cpus: CPUs of each worker: reserved with Ray, and threads of its vector.
        ray_options: Further Ray options of the actors.
        retries: How often in succession a worker may be lost before that is an error.
        start_timeout: Seconds to wait for workers that have no place; None: forever.
        worker_timeout: Seconds after which a worker that does not answer is replaced; None: never.

    Raises:
        TypeError: An option that must be a number is none.
        ValueError: A number is out of range.
    """

    cpus: int
    ray_options: Mapping[str, Any] | None
    retries: int
    start_timeout: float | None
    worker_timeout: float | None

    def __post_init__(self) -> None:
        integer("cpus", self.cpus, 1)
        integer("retries", self.retries, 0)
        for name in ("start_timeout", "worker_timeout"):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
                raise TypeError(f"{name} must be a number of seconds or None, not {value!r}")
            if not 0 < value < math.inf:
                raise ValueError(
                    f"{name} is {value!r}; it must be a positive number of seconds, or None"
                )


@dataclass
class Order:
    """A call of a worker's method."""

    method: str
    arguments: tuple[Any, ...]
    ref: Any = None

    @property
    def request(self) -> Request | None:
        """Data requested in addition to the results; None for an order without steps."""
        last = self.arguments[-1] if self.arguments else None
        return last if isinstance(last, Request) else None


@dataclass(frozen=True)
class Answer:
    """Result of a worker's oldest order.

    Attributes:
        worker: The worker.
        order: The order.
        value: The result of the method.
        problem: The exception that the method raised, or None.  After an exception, the worker is
            in the state before the order, without orders.
    """

    worker: WorkerHandle
    order: Order
    value: Any = None
    problem: Exception | None = None


@dataclass(frozen=True)
class WorkerState:
    """A state from which a worker continues: see `WorkerHandle`."""

    snapshot: bytes | None
    played: list[Array]
    order_count: int


@dataclass(eq=False)
class WorkerHandle:
    """One worker, in whichever process it runs at the moment.

    Attributes:
        number: The worker's number.
        actor: The actor's handle.
        life: A number that is new for each `follow`; calls name it, so that none is played from
            another state.
        calls: Number of calls sent in this life.
        arrival: Ray's reference to the answer of `follow`; None once it was received.
        is_placed: Whether Ray had a process for the actor at the last check.
        facts: The actor's place; None before its arrival.
        since: Time of the worker's last answer, or of its placement if that is later.
        orders: Orders without an answer, the oldest first.
        order_count: Number of orders so far, without those that failed.
        snapshot: The worker's last snapshot; None before the first.
        played: The actions since the snapshot, each with a leading axis of steps.
        losses: Number of losses since the last answer.
    """

    number: int
    actor: Any = None
    life: int = 0
    calls: int = 0
    arrival: Any = None
    is_placed: bool = False
    facts: dict[str, Any] | None = None
    since: float = 0.0
    orders: deque[Order] = field(default_factory=deque)
    order_count: int = 0
    snapshot: bytes | None = None
    played: list[Array] = field(default_factory=list)
    losses: int = 0

    @property
    def next_ref(self) -> Any:
        """The reference to the next result; None without one."""
        if self.arrival is not None:
            return self.arrival
        return self.orders[0].ref if self.orders else None

    @property
    def name(self) -> str:
        """The worker and its place, for messages."""
        if self.facts is None:
            return f"worker {self.number}"
        return f"worker {self.number} (host {self.facts['host']}, pid {self.facts['pid']})"


class WorkerPool:
    """Workers with vectors of one spec.

    Args:
        spec: The vectors' specification.
        count: Number of workers.
        options: See `PoolOptions`.

    Attributes:
        workers: The workers.
        description: Properties of their vectors.

    Raises:
        RuntimeError: Ray is not running.
        TimeoutError: No node has room.
        NodeError: A node cannot play.
        Exception: See `AtariVectorEnv`, for wrong arguments.
    """

    def __init__(self, spec: VectorSpec, count: int, options: PoolOptions) -> None:
        self.workers: list[WorkerHandle] = []
        self.start_timeout = options.start_timeout
        self.worker_timeout = options.worker_timeout
        self._closed = False
        if not ray.is_initialized():
            raise RuntimeError(
                "Ray is not running: call ray.init(), or ray.init(address=...) for a cluster"
            )
        self._connection = ray.get_runtime_context().get_worker_id()
        self._cpus = options.cpus
        self._retries = options.retries
        self._spec = ray.put(pickle.dumps(spec))
        actors = {
            "num_cpus": options.cpus,
            "scheduling_strategy": "SPREAD",
            **(options.ray_options or {}),
            "max_restarts": -1,
            "max_task_retries": max(1, options.retries),  # with 0, calls fail during a restart
        }
        self._resources = _resources_of(actors)
        self._host = ray.remote(host.make_host()).options(**actors)
        self._began = time.monotonic()
        self._steps = self._batches = self._restarts = 0
        self._lives = itertools.count(1)
        self._next_check = 0.0
        # Workers with a result that is ready, and the reference to it.
        self._ready: deque[tuple[WorkerHandle, Any]] = deque()
        self.workers = [WorkerHandle(number) for number in range(count)]
        try:
            for worker in self.workers:
                self._start(worker)
            description = None
            while description is None:
                description = self._arrive(self._wait(self.workers, None))
            self.description = description
        except BaseException:
            self.close()
            raise

    # ---- Orders ----------------------------------------------------------------------------------

    def order(self, worker: WorkerHandle, method: str, *arguments: Any) -> None:
        """Send an order to a worker; it is carried out after the worker's other orders."""
        self.check_open()
        order = Order(method, arguments)
        if worker.next_ref is None:
            worker.since = time.monotonic()
        self._send(worker, order)
        worker.order_count += 1
        worker.orders.append(order)

    def answer(self, workers: Sequence[WorkerHandle], end: float | None = None) -> Answer:
        """Wait until one of some workers has carried out its oldest order.

        If several have, the one that has waited longest is chosen, so that none waits forever.

        Args:
            workers: The workers.
            end: Time of `time.monotonic` at which to give up; None: never.

        Raises:
            TimeoutError: Nothing came in time, or no node has room; nothing is lost.
            RuntimeError: None of these workers has an order.
            NodeError: A node cannot play.
            WorkerError: A worker was lost too often.
        """
        while True:
            self.check_open()
            busy = [worker for worker in workers if worker.orders]
            if not busy:
                raise RuntimeError("there is nothing to receive: send actions first")
            worker = self._wait(busy, end)
            if worker.arrival is not None:
                self._arrive(worker)
                continue
            order = worker.orders[0]
            try:
                value = self._get(worker, order.ref)
            except _LostError:
                continue
            except WorkerError:
                raise
            except Exception as problem:
                worker.order_count -= len(worker.orders)
                worker.orders.clear()
                self._begin(worker)
                return Answer(worker, order, problem=problem)
            worker.orders.popleft()
            worker.losses = 0
            return Answer(worker, order, value)

    def note(self, worker: WorkerHandle, actions: Array, snapshot: bytes | None) -> None:
        """Keep the actions that a worker played, or its snapshot after them.

        Args:
            worker: The worker.
            actions: With a leading axis of steps; nobody may change them.
            snapshot: The snapshot; None if none was made.
        """
        self._batches += 1
        self._steps += actions.shape[0] * actions.shape[1]
        if snapshot is None:
            worker.played.append(actions)
        else:
            worker.snapshot = snapshot
            worker.played.clear()

    def progress(self) -> Progress:
        """Progress of the workers."""
        kept = sum(
            len(worker.snapshot or b"") + sum(actions.nbytes for actions in worker.played)
            for worker in self.workers
        )
        return Progress(
            self._steps,
            self._batches,
            time.monotonic() - self._began,
            len(self.workers),
            sum(bool(worker.orders) for worker in self.workers),
            self._restarts,
            kept,
        )

    def restore(self, states: Sequence[WorkerState]) -> None:
        """Bring all workers to other states, without orders; return when they have them.

        Args:
            states: One state for each worker.

        Raises:
            ValueError: A worker cannot continue from its state.
            Exception: See `answer`.

        After any error, the workers have their former states and orders.
        """
        self.check_open()
        before = [copy.copy(worker) for worker in self.workers]
        try:
            for worker, state in zip(self.workers, states, strict=True):
                worker.snapshot, worker.order_count = state.snapshot, state.order_count
                worker.played, worker.orders = list(state.played), deque()
                self._begin(worker)
            while absent := [worker for worker in self.workers if worker.arrival is not None]:
                worker = self._wait(absent, None)
                try:
                    self._arrive(worker)
                except _STATE_ERRORS as problem:
                    raise ValueError(
                        f"worker {worker.number} cannot go on from the state: {problem}"
                    ) from problem
        except BaseException:
            for worker, old in zip(self.workers, before, strict=True):
                worker.snapshot, worker.order_count = old.snapshot, old.order_count
                worker.played, worker.orders = old.played, old.orders
                self._begin(worker)
            raise

    def counts(self) -> dict[str, Any]:
        """Counters of `progress` that continue in another collector: see `recount`."""
        seconds = time.monotonic() - self._began
        return {"steps": self._steps, "batches": self._batches, "seconds": seconds}

    def recount(self, steps: int, batches: int, seconds: float) -> None:
        """Count on from the counters of another collector."""
        self._steps, self._batches = steps, batches
        self._began = time.monotonic() - seconds

    def close(self) -> None:
        """End all actors, and wait for their processes to end."""
        if self._closed:
            return
        self._closed = True
        if not self._connected():
            return
        endings = []
        for worker in self.workers:
            worker.arrival = None
            worker.orders.clear()
            if worker.actor is not None:
                ray.kill(worker.actor)
                endings.append(worker.actor.call.remote(0, 0, ""))  # fails once the actor is gone
        ray.wait(endings, num_returns=len(endings), timeout=_END_SECONDS)
        # Ray reports an actor's end before its process has ended, above all of a stopped process.
        end = time.monotonic() + _END_SECONDS
        while any(map(_plays_here, self.workers)) and time.monotonic() < end:
            time.sleep(0.01)

    def check_open(self) -> None:
        """Raise RuntimeError after `close`, and after Ray's shutdown."""
        if self._closed:
            raise RuntimeError("the collector was closed")
        if not self._connected():
            raise RuntimeError(
                "Ray was shut down after the collector was made, which ended its workers: "
                "make another collector"
            )

    def _connected(self) -> bool:
        """Whether the actors belong to the present connection to Ray."""
        if not ray.is_initialized():
            return False
        return bool(ray.get_runtime_context().get_worker_id() == self._connection)

    # ---- Actors ----------------------------------------------------------------------------------

    def _start(self, worker: WorkerHandle) -> None:
        """Make a worker's actor, and bring it to the worker's state."""
        worker.actor = self._host.remote(host.own_versions(), worker.number, self._cpus)
        self._begin(worker)

    def _begin(self, worker: WorkerHandle) -> None:
        """Bring the actor to the worker's state, and send the open orders again."""
        worker.life, worker.calls = next(self._lives), 0
        worker.facts, worker.is_placed = None, False
        worker.arrival = worker.actor.follow.remote(
            worker.life, self._spec, worker.snapshot, worker.played
        )
        for order in worker.orders:
            self._send(worker, order)
        worker.since = time.monotonic()

    def _send(self, worker: WorkerHandle, order: Order) -> None:
        order.ref = worker.actor.call.remote(
            worker.life, worker.calls, order.method, *order.arguments
        )
        worker.calls += 1

    def _arrive(self, worker: WorkerHandle) -> Description | None:
        """Receive the answer of `follow`; return None if the actor was lost."""
        try:
            facts, description = self._get(worker, worker.arrival)
            host.check_facts(facts)
        except _LostError:
            return None
        except Exception as problem:
            if not isinstance(problem, _STATE_ERRORS):
                ray.kill(worker.actor, no_restart=False)  # another node may do better
            self._begin(worker)
            raise
        worker.arrival = None
        worker.facts, worker.is_placed = facts, True
        arrived: Description = description
        return arrived

    def _wait(self, workers: Sequence[WorkerHandle], end: float | None) -> WorkerHandle:
        """Return the one of some workers whose result has waited longest.

        All results that are ready are taken before Ray is asked again, as Ray would name the same
        ones first each time.

        Raises:
            TimeoutError: Nothing came before `end`, or no worker had a place for too long.
            WorkerError: A worker was lost too often.
        """
        began = time.monotonic()
        while True:
            while self._ready:
                worker, ref = self._ready.popleft()
                if ref == worker.next_ref and worker in workers:
                    return worker
            waiting = {worker.next_ref: worker for worker in workers}
            refs = list(waiting)
            ready, others = ray.wait(refs, num_returns=len(refs), timeout=0)
            first = sorted((waiting[ref] for ref in ready), key=lambda worker: worker.since)
            self._ready.extend((worker, worker.next_ref) for worker in first)
            now = time.monotonic()
            if now >= self._next_check or (end is not None and now >= end):
                self._next_check = now + _CHECK_SECONDS
                self._check_places([waiting[ref] for ref in others], now)
            if ready:
                continue
            no_room = not any(worker.is_placed for worker in workers)
            limit = began + self.start_timeout if no_room and self.start_timeout else None
            left = min((each - now for each in (end, limit) if each is not None), default=math.inf)
            if left <= 0:
                problem = f"no node had room for {self.start_timeout:g} seconds (start_timeout)"
                if end is not None and now >= end:
                    problem = "nothing was ready in time"
                raise TimeoutError(f"{problem}; {self._who_is_late(workers)}")
            ray.wait(refs, num_returns=1, timeout=min(left, _CHECK_SECONDS))

    def _check_places(self, workers: Sequence[WorkerHandle], now: float) -> None:
        """Check which of some workers have a place, and replace those that are late.

        Raises:
            WorkerError: A worker was lost too often.
        """
        for worker in workers:
            state = worker.actor._get_local_state()
            if state == ActorTableData.ALIVE and not worker.is_placed:
                worker.since = now
            worker.is_placed = state == ActorTableData.ALIVE
        limit = math.inf if self.worker_timeout is None else self.worker_timeout
        late = {
            worker.next_ref: worker
            for worker in workers
            if worker.is_placed and now - worker.since > limit
        }
        if not late:
            return
        # Answers may be on their way from other nodes, or have arrived while the driver was busy.
        _, missing = ray.wait(
            list(late), num_returns=len(late), timeout=_ARRIVAL_SECONDS, fetch_local=False
        )
        for ref in missing:
            worker = late[ref]
            problem = f"{worker.name} did not answer for {limit:g} seconds (worker_timeout)"
            ray.kill(worker.actor, no_restart=False)
            self._lose(worker, TimeoutError(problem))

    def _who_is_late(self, workers: Sequence[WorkerHandle]) -> str:
        """Explain why some workers have no results, for an error's message."""
        parts = []
        absent = [worker.number for worker in workers if not worker.is_placed]
        placed = [worker for worker in workers if worker.is_placed]
        if placed:
            now = time.monotonic()
            late = ", ".join(f"{worker.name} for {now - worker.since:.0f} s" for worker in placed)
            parts.append(f"these have not answered: {late}")
        if absent:
            names = self._resources
            nodes = Counter(
                str({name: node["Resources"].get(name, 0) for name in names})
                for node in ray.nodes()
                if node["Alive"]
            )
            there = ", ".join(f"{count} nodes with {each}" for each, count in nodes.items())
            available = ray.available_resources()
            free = {name: available.get(name, 0) for name in names}
            parts.append(
                f"workers {absent} have no place yet: each asks for {names}; there are {there}, "
                f"of which {free} are free"
            )
        return "; ".join(parts)

    def _get(self, worker: WorkerHandle, ref: Any) -> Any:
        """Return a result that is ready.

        Raises:
            _LostError: The worker was lost and is being replaced.
            WorkerError: The worker was lost too often.
            Exception: The exception that the method raised.
        """
        try:
            value = ray.get(ref)
            if value is not None:
                worker.since = time.monotonic()
                return value if worker.arrival is not None else value[0]
            reason = Exception("its process was restarted")
        except _LOSSES as loss:
            reason = loss
        except exceptions.RayTaskError as failure:
            cause = failure.cause
            if not isinstance(cause, _LOSSES):
                if isinstance(cause, exceptions.RayError):
                    raise RuntimeError(
                        f"worker {worker.number} could not read what it was sent (a policy must be "
                        f"importable on all nodes, or be defined where the driver begins): {cause}"
                    ) from failure
                raise cause from failure
            reason = cause  # an argument of the method is lost
        self._lose(worker, reason)
        raise _LostError

    def _lose(self, worker: WorkerHandle, reason: Exception) -> None:
        """Count the loss of a worker, and bring its next process to the worker's state.

        Raises:
            WorkerError: The worker was lost too often.
        """
        worker.losses += 1
        if worker.arrival is not None and isinstance(reason, exceptions.ActorUnavailableError):
            worker.losses += self._retries  # Ray has tried again as often
        if worker.losses > self._retries:
            raise WorkerError(
                f"worker {worker.number} was lost {worker.losses} times in succession: {reason}"
            ) from reason
        self._restarts += 1
        if isinstance(reason, exceptions.ActorDiedError):  # Ray does not restart it
            self._start(worker)
        else:
            self._begin(worker)


def _resources_of(options: Mapping[str, Any]) -> dict[str, float]:
    """Return the resources that a node must have free to start an actor, by Ray's names."""
    names = {"num_cpus": "CPU", "num_gpus": "GPU", "memory": "memory"}
    resources = {name: options[option] for option, name in names.items() if options.get(option)}
    return {**resources, **(options.get("resources") or {})}


def _plays_here(worker: WorkerHandle) -> bool:
    """Whether a worker's process is on this machine and has not ended."""
    facts = worker.facts
    return (
        facts is not None
        and facts["host"] == socket.gethostname()
        and Path("/proc", str(facts["pid"])).exists()
    )
