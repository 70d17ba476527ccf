"""The driver's side of workers: orders, snapshots, and what to do when one is gone.

The pool gives each worker orders, one after the other, and keeps what makes another worker of it:
its last snapshot and the actions since.  A worker that is gone, with its process or its node, is
started anew wherever Ray has room, brought to where the lost one was and given the orders that are
open.  A worker's results depend on these alone, so nobody can tell.
"""

from __future__ import annotations

import copy
import math
import pickle
import socket
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import ray
from ray import exceptions

from pyale_ma.distributed import host
from pyale_ma.distributed.host import NodeError
from pyale_ma.distributed.worker import Array, Description, VectorSpec, Wanted

__all__ = ["NodeError", "Progress", "WorkerError", "WorkerHandle", "WorkerPool"]

# What Ray says when a process or a node is gone, with what was there.
_LOSSES: Final = (
    exceptions.RayActorError,
    exceptions.ObjectLostError,
    exceptions.NodeDiedError,
    exceptions.WorkerCrashedError,
    exceptions.OutOfMemoryError,
)
_END_SECONDS = 30.0  # in which actors that were told to end should have; Ray kills after 5
_ARRIVAL_SECONDS = 1.0  # in which Ray should know of an answer that was given long ago


class WorkerError(RuntimeError):
    """A worker was lost, and those in its place too, again and again."""


class _LostError(Exception):
    """A worker was lost, and another is on its way."""


@dataclass(frozen=True)
class Progress:
    """Progress of a collector.

    Attributes:
        steps: Steps of environments that were received, of all workers.
        batches: Batches, or rollouts, that were received.
        seconds: Since the collector was made, with those of a run that it goes on from.
        workers: How many there are.
        playing: How many of these have something to do, or have done it.
        restarts: How often one was lost and replaced.
        snapshot_bytes: Memory that the driver holds for the workers that may be lost.
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


@dataclass
class Order:
    """A method of a worker, to be called."""

    method: str
    arguments: tuple[Any, ...]
    ref: Any = None

    @property
    def wanted(self) -> Wanted | None:
        """Data requested in addition to the results of its steps; None: it has no steps."""
        last = self.arguments[-1] if self.arguments else None
        return last if isinstance(last, Wanted) else None


@dataclass(frozen=True)
class Answer:
    """Result of a worker's oldest order.

    Attributes:
        worker: The worker.
        order: What was asked for.
        value: What the method returned.
        problem: What it raised, or None.  The worker is then where it was before, without orders.
    """

    worker: WorkerHandle
    order: Order
    value: Any = None
    problem: Exception | None = None


@dataclass(frozen=True)
class WorkerState:
    """Where a worker is to go on: see `WorkerHandle`."""

    snapshot: bytes | None
    played: list[Array]
    given: int


@dataclass(eq=False)
class WorkerHandle:
    """One worker, whichever actor it is at the moment.

    Attributes:
        number: The worker's.
        actor: The actor's handle.
        arriving: Ray's references to what a new actor is to say first: where it is, and that it is
            where the worker is.  Those that it has said are gone.
        facts: Where the actor is; None as long as it has not said so.
        since: When something came from it, or it was told to begin, whichever was last.
        orders: Given and not answered yet, the oldest first.
        given: Orders so far, without those that failed.
        snapshot: The worker's last, None before the first.
        played: The actions since, each with a leading axis of steps.
        losses: Since something was received.
    """

    number: int
    actor: Any = None
    arriving: deque[Any] = field(default_factory=deque)
    facts: dict[str, Any] | None = None
    since: float = 0.0
    orders: deque[Order] = field(default_factory=deque)
    given: int = 0
    snapshot: bytes | None = None
    played: list[Array] = field(default_factory=list)
    losses: int = 0

    @property
    def next_ref(self) -> Any:
        """The reference to its next result; None: there is none."""
        if self.arriving:
            return self.arriving[0]
        return self.orders[0].ref if self.orders else None

    @property
    def name(self) -> str:
        """The worker and its place, for texts."""
        if self.facts is None:
            return f"worker {self.number}"
        return f"worker {self.number} (host {self.facts['host']}, pid {self.facts['pid']})"


class WorkerPool:
    """Workers with vectors of one spec.

    Args:
        spec: What they play.
        count: How many there are.
        cpus: Of each: reserved with Ray, and threads of its vector.
        ray_options: Further options of Ray's for the actors.
        retries: How often in succession a worker may be lost before that is an error.
        start_timeout: Seconds for which to wait for workers that have no place; None: forever.
        worker_timeout: Seconds after which a worker that does not answer is replaced; None: never.

    Attributes:
        workers: The workers.
        description: What their vectors are like.

    Raises:
        RuntimeError: Ray is not running.
        TimeoutError: No node has room.
        NodeError: A node cannot play.
        Exception: What `AtariVectorEnv` says of wrong arguments.
    """

    def __init__(
        self,
        spec: VectorSpec,
        count: int,
        *,
        cpus: int,
        ray_options: Mapping[str, Any],
        retries: int,
        start_timeout: float | None,
        worker_timeout: float | None,
    ) -> None:
        self.workers: list[WorkerHandle] = []
        self.start_timeout = start_timeout
        self.worker_timeout = worker_timeout
        self._closed = False
        if not ray.is_initialized():
            raise RuntimeError(
                "Ray is not running: call ray.init(), or ray.init(address=...) for a cluster"
            )
        self._connection = ray.get_runtime_context().get_worker_id()
        self._cpus = cpus
        self._retries = retries
        self._spec = ray.put(pickle.dumps(spec))
        options = {"num_cpus": cpus, "scheduling_strategy": "SPREAD", **ray_options}
        # Ray is to restart and repeat nothing: it does not know where workers were.
        options |= {"max_restarts": 0, "max_task_retries": 0}
        self._resources = _wanted_resources(options)
        self._host = ray.remote(host.make_host()).options(**options)
        self._began = time.monotonic()
        self._steps = self._batches = self._restarts = 0
        # Who has something to give, and what.
        self._ready: deque[tuple[WorkerHandle, Any]] = deque()
        self.workers = [WorkerHandle(number) for number in range(count)]
        try:
            for worker in self.workers:
                self._start(worker)
            self.description = self._wait_for_one()
        except BaseException:
            self.close()
            raise

    # ---- Orders ----------------------------------------------------------------------------------

    def give(self, worker: WorkerHandle, method: str, *arguments: Any) -> None:
        """Have a worker call a method, after those that it was told before."""
        self.check_open()
        order = Order(method, arguments)
        order.ref = worker.actor.call.remote(method, *arguments)
        if worker.next_ref is None:
            worker.since = time.monotonic()
        worker.given += 1
        worker.orders.append(order)

    def answer(self, workers: Sequence[WorkerHandle], end: float | None = None) -> Answer:
        """Wait for one of some workers that has carried out its oldest order.

        Of several, it is the worker that has waited longest, so that none waits forever.

        Args:
            workers: The workers.
            end: When to give up, as `time.monotonic` counts; None: never.

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
            if worker.arriving:
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
                worker.given -= len(worker.orders)
                worker.orders.clear()
                self._start(worker)
                return Answer(worker, order, problem=problem)
            worker.orders.popleft()
            worker.losses = 0
            return Answer(worker, order, value)

    def note(self, worker: WorkerHandle, actions: Array, snapshot: bytes | None) -> None:
        """Note what a worker has played, and its snapshot thereafter, if it made one.

        Args:
            worker: The worker.
            actions: With a leading axis of steps; nobody may change them.
            snapshot: None for none.
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
        """Have all workers go on elsewhere, without orders; returns when they are there.

        Args:
            states: One for each worker.

        Raises:
            ValueError: A worker cannot go on from there.
            Exception: See `answer`.

        After any error, the workers are where they were.
        """
        self.check_open()
        before = [copy.copy(worker) for worker in self.workers]
        try:
            for worker, state in zip(self.workers, states, strict=True):
                worker.snapshot, worker.given = state.snapshot, state.given
                worker.played, worker.orders = list(state.played), deque()
                self._begin(worker)
            while absent := [worker for worker in self.workers if worker.arriving]:
                worker = self._wait(absent, None)
                try:
                    self._arrive(worker)
                except (ValueError, IndexError, TypeError) as problem:
                    raise ValueError(
                        f"worker {worker.number} cannot go on from the state: {problem}"
                    ) from problem
        except BaseException:
            for worker, old in zip(self.workers, before, strict=True):
                worker.snapshot, worker.given = old.snapshot, old.given
                worker.played, worker.orders = old.played, old.orders
                self._start(worker)
            raise

    def counts(self) -> dict[str, Any]:
        """Counters of `progress` that continue in another collector: see `recount`."""
        seconds = time.monotonic() - self._began
        return {"steps": self._steps, "batches": self._batches, "seconds": seconds}

    def recount(self, steps: int, batches: int, seconds: float) -> None:
        """Count on from what another collector has counted."""
        self._steps, self._batches = steps, batches
        self._began = time.monotonic() - seconds

    def close(self) -> None:
        """End all actors, and wait until they have ended."""
        if self._closed:
            return
        self._closed = True
        if not self._connected():
            return
        endings = []
        for worker in self.workers:
            worker.arriving.clear()
            worker.orders.clear()
            if worker.actor is not None:
                ray.kill(worker.actor)
                endings.append(worker.actor.facts.remote())  # fails once the actor is gone
        ray.wait(endings, num_returns=len(endings), timeout=_END_SECONDS)
        # To Ray an actor is gone before its process is, above all one that is stopped.
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
        """Whether this is still the connection to Ray that the actors belong to."""
        if not ray.is_initialized():
            return False
        return bool(ray.get_runtime_context().get_worker_id() == self._connection)

    # ---- Actors ----------------------------------------------------------------------------------

    def _start(self, worker: WorkerHandle) -> None:
        """Give a worker a new actor, and bring it to where the worker is."""
        if worker.actor is not None:
            ray.kill(worker.actor)
        worker.actor = self._host.remote()
        worker.facts = None
        self._begin(worker)

    def _begin(self, worker: WorkerHandle) -> None:
        """Bring an actor to where the worker is, and give it the open orders."""
        begun = worker.actor.begin.remote(
            host.own_versions(),
            self._spec,
            worker.number,
            self._cpus,
            worker.snapshot,
            worker.played,
        )
        worker.arriving = deque([begun])
        if worker.facts is None:
            worker.arriving.appendleft(worker.actor.facts.remote())
        for order in worker.orders:
            order.ref = worker.actor.call.remote(order.method, *order.arguments)
        worker.since = time.monotonic()

    def _arrive(self, worker: WorkerHandle) -> Description | None:
        """Take what a new actor says next; None if it was lost, or has more to say.

        Whatever is wrong with it, another one is on its way thereafter, which may fare better.
        """
        try:
            said = self._get(worker, worker.arriving[0])
            if worker.facts is None:
                host.check_facts(said)
        except _LostError:
            return None
        except Exception:
            self._start(worker)
            raise
        worker.arriving.popleft()
        if worker.facts is None:
            worker.facts = said
            return None
        known: Description = said
        return known

    def _wait_for_one(self) -> Description:
        while True:
            description = self._arrive(self._wait(self.workers, None))
            if description is not None:
                return description

    def _wait(self, workers: Sequence[WorkerHandle], end: float | None) -> WorkerHandle:
        """One of some workers of which something came: that which has waited longest.

        All that are found ready have their turn before Ray is asked again: it would name the same
        ones first each time.

        Raises:
            TimeoutError: Nothing came before `end`, or none of them has a place for too long.
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
            found = sorted((waiting[ref] for ref in ready), key=lambda worker: worker.since)
            self._ready.extend((worker, worker.next_ref) for worker in found)
            if self._replace_silent([waiting[ref] for ref in others]) or ready:
                continue
            now = time.monotonic()
            if end is not None and now >= end:
                raise TimeoutError(f"nothing was ready in time; {self._who_is_late(workers)}")
            until = math.inf if end is None else end
            placed = [worker.since for worker in workers if worker.facts is not None]
            if placed and self.worker_timeout is not None:
                silent = min(placed) + self.worker_timeout
                until = min(until, max(silent, now + _ARRIVAL_SECONDS))
            elif not placed and self.start_timeout is not None:
                until = min(until, began + self.start_timeout)
                if now >= began + self.start_timeout:
                    raise TimeoutError(
                        f"no node had room for {self.start_timeout:g} seconds (start_timeout); "
                        + self._who_is_late(workers)
                    )
            left = None if until == math.inf else max(0.0, until - now)
            ray.wait(refs, num_returns=1, timeout=left)

    def _replace_silent(self, workers: Iterable[WorkerHandle]) -> bool:
        """Replace those of some workers that should have answered by now; whether there were any.

        Raises:
            WorkerError: One was lost too often.
        """
        if self.worker_timeout is None:
            return False
        now = time.monotonic()
        late = {
            worker.next_ref: worker
            for worker in workers
            if worker.facts is not None and now - worker.since > self.worker_timeout
        }
        if not late:
            return False
        # Answers of other nodes, or of the time when the driver was busy, may not be here yet.
        _, missing = ray.wait(
            list(late), num_returns=len(late), timeout=_ARRIVAL_SECONDS, fetch_local=False
        )
        for ref in missing:
            self._lose(
                late[ref],
                TimeoutError(
                    f"{late[ref].name} did not answer for {self.worker_timeout:g} seconds "
                    "(worker_timeout)"
                ),
            )
        return bool(missing)

    def _who_is_late(self, workers: Sequence[WorkerHandle]) -> str:
        """Why some workers have nothing to give, for the text of an error."""
        parts = []
        absent = [worker.number for worker in workers if worker.facts is None]
        silent = [worker for worker in workers if worker.facts is not None]
        if silent:
            now = time.monotonic()
            named = ", ".join(f"{worker.name} for {now - worker.since:.0f} s" for worker in silent)
            parts.append(f"these have not answered: {named}")
        if absent:
            wanted = self._resources
            nodes = Counter(
                str({name: node["Resources"].get(name, 0) for name in wanted})
                for node in ray.nodes()
                if node["Alive"]
            )
            there = ", ".join(f"{count} nodes with {had}" for had, count in nodes.items())
            available = ray.available_resources()
            free = {name: available.get(name, 0) for name in wanted}
            parts.append(
                f"workers {absent} have no place yet: each asks for {wanted}; there are {there}, "
                f"of which {free} are free"
            )
        return "; ".join(parts)

    def _get(self, worker: WorkerHandle, ref: Any) -> Any:
        """Return a result that is ready.

        Raises:
            _LostError: The worker was lost; another is on its way.
            WorkerError: It was lost too often.
            Exception: What its method raised.
        """
        try:
            value = ray.get(ref)
            worker.since = time.monotonic()
            return value
        except _LOSSES as loss:
            reason: Exception = loss
        except exceptions.RayTaskError as failure:
            cause = failure.cause
            if not isinstance(cause, _LOSSES):
                if isinstance(cause, exceptions.RayError):
                    raise RuntimeError(
                        f"worker {worker.number} could not read what it was sent (a policy must be "
                        f"importable on all nodes, or be defined where the driver begins): {cause}"
                    ) from failure
                raise cause from failure
            reason = cause  # what the method was to be given is lost
        self._lose(worker, reason)
        raise _LostError

    def _lose(self, worker: WorkerHandle, reason: Exception) -> None:
        """Replace a worker that was lost.

        Raises:
            WorkerError: It was lost too often.
        """
        worker.losses += 1
        if worker.losses > self._retries:
            raise WorkerError(
                f"worker {worker.number} was lost {worker.losses} times in succession: {reason}"
            ) from reason
        self._restarts += 1
        self._start(worker)


def _wanted_resources(options: Mapping[str, Any]) -> dict[str, float]:
    """Return the resources that a node must have free to start an actor, by Ray's names."""
    names = {"num_cpus": "CPU", "num_gpus": "GPU", "memory": "memory"}
    wanted = {name: options[option] for option, name in names.items() if options.get(option)}
    return {**wanted, **(options.get("resources") or {})}


def _plays_here(worker: WorkerHandle) -> bool:
    """Whether a worker's process is on this machine, where one can see it; not yet ended."""
    facts = worker.facts
    return (
        facts is not None
        and facts["host"] == socket.gethostname()
        and Path("/proc", str(facts["pid"])).exists()
    )
