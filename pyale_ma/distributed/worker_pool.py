"""The driver's side of workers: orders, snapshots, and what to do after a loss.

Ray starts the actors.  When a process or node is lost, Ray restarts its actors on any node that has
room, and holds calls until then.  It cannot restore an actor's state.  So the pool keeps the data
that another worker needs: the last snapshot, the actions since, and the open orders.  When an order
fails because the actor was lost, the pool sends all of these again.  A worker's results depend on
nothing else, so they are the same as without the loss.
"""

from __future__ import annotations

import itertools
import math
import os
import pickle
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import ray
from ray import exceptions

from pyale_ma._base.arguments import integer
from pyale_ma._native import interrupted
from pyale_ma.distributed import host
from pyale_ma.distributed.handles import Answer, Order, WorkerHandle
from pyale_ma.distributed.host import NodeError
from pyale_ma.distributed.liveness import CHECK_SECONDS, Liveness
from pyale_ma.distributed.spec import VectorSpec
from pyale_ma.distributed.worker import Array, Description

__all__ = ["NodeError", "PoolOptions", "Progress", "WorkerError", "WorkerPool"]

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


class WorkerError(RuntimeError):
    """A worker was lost, and those in its place too, again and again."""


class _LostError(Exception):
    """A worker was lost and is being replaced."""


class _MethodError(Exception):
    """A worker's method raised an exception.

    Attributes:
        problem: The exception.
    """

    def __init__(self, problem: Exception) -> None:
        super().__init__(str(problem))
        self.problem = problem


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


class WorkerPool:
    """Workers with vectors of one spec.

    Args:
        spec: The vectors' specification.
        count: Number of workers.
        options: See `PoolOptions`.

    Attributes:
        workers: The workers.
        description: Properties of their vectors.
        liveness: Which workers have a place, and which are late.
        is_changing: Whether a call is changing the workers, or what is kept of them.  It stays True
            when an exception interrupts the change: nothing but `restore` makes sense then.

    Raises:
        RuntimeError: Ray is not running.
        TimeoutError: No node has room.
        NodeError: A node cannot play.
        Exception: See `AtariVectorEnv`, for wrong arguments.
    """

    def __init__(self, spec: VectorSpec, count: int, options: PoolOptions) -> None:
        self.workers: list[WorkerHandle] = []
        self.is_changing = False
        self.start_timeout = options.start_timeout
        self._closed = self._ended = False
        self._process = os.getpid()
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
        self.liveness = Liveness(options.worker_timeout, actors)
        self._host = ray.remote(host.make_host()).options(**actors)
        self._began = time.monotonic()
        self._steps = self._batches = self._restarts = 0
        self._first_calls = itertools.count(0, 2**32)  # a worker makes fewer until its next loss
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
        order = Order(method, arguments)
        self.is_changing = True
        if worker.next_ref is None:
            worker.since = time.monotonic()
        worker.orders.append(order)
        self._send(worker, order)
        self.is_changing = False

    def answer(self, workers: Sequence[WorkerHandle], end: float | None = None) -> Answer:
        """Wait until one of some workers has carried out its oldest order.

        If several have, the one that has waited longest is chosen, so that none waits forever.  The
        answer comes again until `take` counts it as received.

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
            except _MethodError as failure:
                self.is_changing = True
                worker.orders.clear()
                self._begin(worker)
                self.is_changing = False
                return Answer(worker, order, problem=failure.problem)
            return Answer(worker, order, value)

    def take(self, worker: WorkerHandle, actions: Array | None, snapshot: bytes | None) -> None:
        """Count the answer of a worker's oldest order as received: see `WorkerHandle.take`."""
        worker.take(actions, snapshot)
        if actions is not None:
            self._batches += 1
            self._steps += actions.shape[0] * actions.shape[1]

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

    def restore(self, states: Sequence[WorkerHandle], then: Callable[[], None]) -> None:
        """Bring all workers to other states; return when they have them.

        Args:
            states: One for each worker, with its orders, without an actor.
            then: Called when the workers have their states, as a part of the change.

        Raises:
            ValueError: A worker cannot continue from its state.
            Exception: See `answer`.

        After an error of this method, the workers go back to their former states and orders.
        """
        self.is_changing = True
        try:
            for worker, state in zip(self.workers, states, strict=True):
                state.actor = worker.actor
                self._begin(state)
            while absent := [state for state in states if state.arrival is not None]:
                state = self._wait(absent, None)
                try:
                    self._arrive(state)
                except _STATE_ERRORS as problem:
                    raise ValueError(
                        f"worker {state.number} cannot go on from the state: {problem}"
                    ) from problem
        except Exception:
            for worker, state in zip(self.workers, states, strict=True):
                worker.actor = state.actor or worker.actor
                self._begin(worker)
            self.is_changing = False
            raise
        self.workers = list(states)
        then()
        self.is_changing = False

    def counts(self) -> dict[str, Any]:
        """Counters of `progress` that continue in another collector: see `recount`."""
        seconds = time.monotonic() - self._began
        return {"steps": self._steps, "batches": self._batches, "seconds": seconds}

    def recount(self, steps: int, batches: int, seconds: float) -> None:
        """Count on from the counters of another collector."""
        self._steps, self._batches = steps, batches
        self._began = time.monotonic() - seconds

    def close(self) -> None:
        """End all actors, and wait for their processes to end; repeat it after an interrupt."""
        if self._ended or os.getpid() != self._process:
            return
        self._closed = True
        if not self._connected():
            return
        endings = []
        for worker in self.workers:
            if worker.actor is not None:
                ray.kill(worker.actor)
                endings.append(worker.actor.call.remote(0, ""))  # fails once the actor is gone
        ray.wait(endings, num_returns=len(endings), timeout=_END_SECONDS)
        # Ray reports an actor's end before its process has ended, above all of a stopped process.
        end = time.monotonic() + _END_SECONDS
        while any(map(_plays_here, self.workers)) and time.monotonic() < end:
            time.sleep(0.01)
        for worker in self.workers:
            worker.orders.clear()
        self._ended = True

    def check_whole(self) -> None:
        """Do as `check_open`; raise ResetNeeded if a call was interrupted in a change."""
        self.check_open()
        if self.is_changing:
            raise interrupted()

    def check_open(self) -> None:
        """Raise RuntimeError after `close`, after Ray's shutdown, and in a forked process."""
        if os.getpid() != self._process:
            raise RuntimeError(
                f"the collector was made in process {self._process}, whose connection to Ray a "
                "forked process lacks; make it after the fork"
            )
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
        was_changing, self.is_changing = self.is_changing, True
        worker.call = next(self._first_calls)
        worker.facts = worker.since = None
        worker.arrival = worker.actor.follow.remote(
            worker.call, self._spec, worker.snapshot, worker.played
        )
        for order in worker.orders:
            self._send(worker, order)
        self.is_changing = was_changing

    def _send(self, worker: WorkerHandle, order: Order) -> None:
        order.ref = worker.actor.call.remote(worker.call, order.method, *order.arguments)
        worker.call += 1

    def _arrive(self, worker: WorkerHandle) -> Description | None:
        """Receive the answer of `follow`; return None if the actor was lost."""
        try:
            facts, description = self._get(worker, worker.arrival)
            host.check_facts(facts)
        except _LostError:
            return None
        except (NodeError, _MethodError) as failure:
            problem = failure.problem if isinstance(failure, _MethodError) else failure
            if not isinstance(problem, _STATE_ERRORS):
                ray.kill(worker.actor, no_restart=False)  # another node may do better
            self._begin(worker)
            raise problem from problem.__cause__
        worker.facts = facts
        worker.arrival = None
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
            self.check_open()  # another thread may have closed it
            while self._ready:
                worker, ref = self._ready.popleft()
                if ref == worker.next_ref and worker in workers:
                    return worker
            waiting = {worker.next_ref: worker for worker in workers}
            refs = list(waiting)
            ready, others = ray.wait(refs, num_returns=len(refs), timeout=0)
            first = sorted((waiting[ref] for ref in ready), key=lambda worker: worker.since or 0.0)
            self._ready.extend((worker, worker.next_ref) for worker in first)
            now = time.monotonic()
            if self.liveness.is_due(now) or (end is not None and now >= end):
                for worker in self.liveness.check([waiting[ref] for ref in others]):
                    self._replace(worker)
            if ready:
                continue
            left = self._seconds_left(workers, began, now, end)
            ray.wait(refs, num_returns=1, timeout=min(left, CHECK_SECONDS))

    def _seconds_left(
        self, workers: Sequence[WorkerHandle], began: float, now: float, end: float | None
    ) -> float:
        """Return how much longer `_wait` may wait.

        Raises:
            TimeoutError: No longer.
        """
        limit = None
        if self.start_timeout and all(worker.since is None for worker in workers):
            limit = began + self.start_timeout
        left = min((each - now for each in (end, limit) if each is not None), default=math.inf)
        if left <= 0:
            problem = f"no node had room for {self.start_timeout:g} seconds (start_timeout)"
            if end is not None and now >= end:
                problem = "nothing was ready in time"
            raise TimeoutError(f"{problem}; {self.liveness.explain(workers)}")
        return left

    def _replace(self, worker: WorkerHandle) -> None:
        """Have Ray end and restart the process of a worker that is late.

        Raises:
            WorkerError: The worker was lost too often.
        """
        problem = (
            f"{worker.name} did not answer for {self.liveness.worker_timeout:g} seconds "
            "(worker_timeout)"
        )
        ray.kill(worker.actor, no_restart=False)
        self._lose(worker, TimeoutError(problem))

    def _get(self, worker: WorkerHandle, ref: Any) -> Any:
        """Return a result that is ready.

        Raises:
            _LostError: The worker was lost and is being replaced.
            WorkerError: The worker was lost too often.
            _MethodError: The method raised an exception.
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
                    text = (
                        f"worker {worker.number} could not read what it was sent (a policy must be "
                        f"importable on all nodes, or be defined where the driver begins): {cause}"
                    )
                    cause = RuntimeError(text)
                cause.__cause__ = failure
                raise _MethodError(cause) from failure
            reason = cause  # an argument of the method is lost
        self._lose(worker, reason)
        raise _LostError

    def _lose(self, worker: WorkerHandle, reason: Exception) -> None:
        """Count the loss of a worker, and bring its next process to the worker's state.

        Raises:
            WorkerError: The worker was lost too often.
        """
        self.check_open()  # another thread may have closed it, which ended the worker
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


def _plays_here(worker: WorkerHandle) -> bool:
    """Whether a worker's process is on this machine and has not ended."""
    facts = worker.facts
    return (
        facts is not None
        and facts["host"] == socket.gethostname()
        and Path("/proc", str(facts["pid"])).exists()
    )
