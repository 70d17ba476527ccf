"""The driver's side of workers: orders, snapshots, and what to do when one is gone.

The crew gives each worker orders, one after the other, and keeps what makes another worker of it:
its last snapshot and the actions since.  A worker that is gone, with its process or its node, is
started anew wherever Ray has room, brought to where the lost one was and given the orders that are
open.  A worker's results depend on these alone, so nobody can tell.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import ray
from ray import exceptions

from pyale_ma.distributed import host
from pyale_ma.distributed.host import NodeError
from pyale_ma.distributed.worker import Array, Description, Recipe

__all__ = ["Crew", "NodeError", "Progress", "Seat", "WorkerError"]

# What Ray says when a process or a node is gone, with what was there.
_LOSSES: Final = (
    exceptions.RayActorError,
    exceptions.ObjectLostError,
    exceptions.NodeDiedError,
    exceptions.WorkerCrashedError,
    exceptions.OutOfMemoryError,
)
_END_SECONDS = 30.0  # in which actors that were told to end should have


class WorkerError(RuntimeError):
    """A worker was lost, and those in its place too, again and again."""


class _LostError(Exception):
    """A worker was lost, and another is on its way."""


@dataclass(frozen=True)
class Progress:
    """How far a collector is.

    Attributes:
        steps: Steps of environments that were received, of all workers.
        batches: Batches, or rollouts, that were received.
        seconds: Since the collector was made.
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
        """Steps per second since the collector was made."""
        return self.steps / self.seconds

    def __str__(self) -> str:
        return (
            f"{self.steps:,} steps, {self.steps_per_second:,.0f} a second; "
            f"{self.playing} of {self.workers} workers play; {self.restarts} restarts"
        )


@dataclass
class Order:
    """A method of a worker that is to be called."""

    method: str
    arguments: tuple[Any, ...]
    ref: Any = None


@dataclass
class Seat:
    """One worker, whichever actor it is at the moment.

    Attributes:
        number: The worker's.
        actor: The actor's handle.
        arrival: Ray's reference to what the actor says first; None once it has said it.
        facts: Where the actor is; None as long as it has not said so.
        orders: Given and not answered yet, the oldest first.
        given: Orders so far.
        snapshot: The worker's last, None before the first.
        played: The actions since, each with a leading axis of steps.
        losses: Since something was received.
    """

    number: int
    actor: Any = None
    arrival: Any = None
    facts: dict[str, Any] | None = None
    orders: deque[Order] = field(default_factory=deque)
    given: int = 0
    snapshot: bytes | None = None
    played: list[Array] = field(default_factory=list)
    losses: int = 0

    @property
    def next_ref(self) -> Any:
        """What is to come from it next; None: nothing."""
        if self.arrival is not None:
            return self.arrival
        return self.orders[0].ref if self.orders else None


class Crew:
    """Workers of one recipe.

    Args:
        recipe: What they play.
        workers: How many there are.
        cpus: Of each: reserved with Ray, and threads of its vector.
        ray_options: Further options of Ray's for the actors.
        retries: How often in succession a worker may be lost before that is an error.

    Attributes:
        seats: The workers.
        description: What their vectors are like.

    Raises:
        RuntimeError: Ray is not running.
        NodeError: A node cannot play.
        Exception: What `AtariVectorEnv` says of wrong arguments.
    """

    def __init__(
        self,
        recipe: Recipe,
        workers: int,
        *,
        cpus: int,
        ray_options: Mapping[str, Any],
        retries: int,
    ) -> None:
        self.seats: list[Seat] = []
        self._closed = False
        if not ray.is_initialized():
            raise RuntimeError(
                "Ray is not running: call ray.init(), or ray.init(address=...) for a cluster"
            )
        self._cpus = cpus
        self._retries = retries
        self._recipe = ray.put(pickle.dumps(recipe))
        options = {"num_cpus": cpus, "scheduling_strategy": "SPREAD", **ray_options}
        # Ray is to restart and repeat nothing: it does not know where workers were.
        options |= {"max_restarts": 0, "max_task_retries": 0}
        self._host = ray.remote(host.make_host()).options(**options)
        self._began = time.monotonic()
        self._steps = self._batches = self._restarts = 0
        self.seats = [Seat(number) for number in range(workers)]
        for seat in self.seats:
            self._start(seat)
        try:
            self.description = self._wait_for_one()
        except BaseException:
            self.close()
            raise

    # ---- Orders ----------------------------------------------------------------------------------

    def give(self, seat: Seat, method: str, *arguments: Any) -> None:
        """Have a worker call a method, after those that it was told before."""
        self.check_open()
        order = Order(method, arguments)
        order.ref = seat.actor.call.remote(method, *arguments)
        seat.given += 1
        seat.orders.append(order)

    def answer(self, seats: Sequence[Seat], timeout: float | None = None) -> tuple[Seat, Any]:
        """Wait for the first of some workers that has carried out its oldest order.

        Args:
            seats: The workers.
            timeout: Seconds after which to give up; None: never.

        Returns:
            The worker, and what the method returned.

        Raises:
            TimeoutError: Nothing came in time; nothing is lost.
            RuntimeError: None of these workers has an order.
            NodeError: A node cannot play.
            WorkerError: A worker was lost too often.
            Exception: What the method raised; the worker is where it was before the order.
        """
        self.check_open()
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            busy = [seat for seat in seats if seat.orders]
            if not busy:
                raise RuntimeError("there is nothing to receive: send actions first")
            seat = self._wait(busy, end)
            if seat.arrival is not None:
                self._welcome(seat)
                continue
            try:
                value = self._get(seat, seat.orders[0].ref)
            except _LostError:
                continue
            except Exception:
                seat.orders.popleft()
                self._start(seat)
                raise
            seat.orders.popleft()
            seat.losses = 0
            return seat, value

    def remember(self, seat: Seat, actions: Array, snapshot: bytes | None) -> None:
        """Note what a worker has played, and its snapshot thereafter, if it made one.

        Args:
            seat: The worker.
            actions: With a leading axis of steps.
            snapshot: None for none.
        """
        self._batches += 1
        self._steps += actions.shape[0] * actions.shape[1]
        if snapshot is None:
            seat.played.append(actions)
        else:
            seat.snapshot = snapshot
            seat.played.clear()

    def progress(self) -> Progress:
        """How far they are."""
        kept = sum(
            len(seat.snapshot or b"") + sum(actions.nbytes for actions in seat.played)
            for seat in self.seats
        )
        return Progress(
            self._steps,
            self._batches,
            time.monotonic() - self._began,
            len(self.seats),
            sum(bool(seat.orders) for seat in self.seats),
            self._restarts,
            kept,
        )

    def close(self) -> None:
        """End all actors, and wait until they have ended."""
        if self._closed:
            return
        self._closed = True
        if not ray.is_initialized():
            return
        last_words = []
        for seat in self.seats:
            ray.kill(seat.actor)
            last_words.append(seat.actor.facts.remote())  # fails once the actor is gone
            seat.arrival = None
            seat.orders.clear()
        ray.wait(last_words, num_returns=len(last_words), timeout=_END_SECONDS)

    def check_open(self) -> None:
        """Raise RuntimeError after `close`."""
        if self._closed:
            raise RuntimeError("the collector was closed")

    # ---- Actors ----------------------------------------------------------------------------------

    def _start(self, seat: Seat) -> None:
        """Put a new actor in a worker's seat, and bring it to where the worker is."""
        if seat.actor is not None:
            ray.kill(seat.actor)
        seat.actor = self._host.remote()
        seat.facts = None
        seat.arrival = seat.actor.begin.remote(
            host.own_versions(), self._recipe, seat.number, self._cpus, seat.snapshot, seat.played
        )
        for order in seat.orders:
            order.ref = seat.actor.call.remote(order.method, *order.arguments)

    def _welcome(self, seat: Seat) -> Description | None:
        """Hear what a new actor says first; None if it was lost.

        Whatever is wrong with it, another one is on its way thereafter, which may fare better.
        """
        try:
            facts, description = self._get(seat, seat.arrival)
            host.check_facts(facts)
        except _LostError:
            return None
        except Exception:
            self._start(seat)
            raise
        seat.arrival = None
        seat.facts = facts
        known: Description = description
        return known

    def _wait_for_one(self) -> Description:
        while True:
            description = self._welcome(self._wait(self.seats, None))
            if description is not None:
                return description

    def _wait(self, seats: Sequence[Seat], end: float | None) -> Seat:
        """The first of some workers of which something came."""
        waiting = {seat.next_ref: seat for seat in seats}
        left = None if end is None else max(0.0, end - time.monotonic())
        ready, _ = ray.wait(list(waiting), num_returns=1, timeout=left)
        if ready:
            return waiting[ready[0]]
        absent = [seat.number for seat in seats if seat.facts is None]
        text = "nothing was ready in time"
        if absent:
            text += (
                f"; workers {absent} have no place yet: has the cluster {self._cpus} free CPUs "
                "for each?  `ray status` tells"
            )
        raise TimeoutError(text)

    def _get(self, seat: Seat, ref: Any) -> Any:
        """What is ready.

        Raises:
            _LostError: The worker was lost; another is on its way.
            WorkerError: It was lost too often.
            Exception: What its method raised.
        """
        try:
            return ray.get(ref)
        except _LOSSES as loss:
            reason: Exception = loss
        except exceptions.RayTaskError as failure:
            cause = failure.cause
            if not isinstance(cause, _LOSSES):
                if isinstance(cause, exceptions.RayError):
                    raise RuntimeError(
                        f"worker {seat.number} could not read what it was sent (a policy must be "
                        f"importable on all nodes, or be defined where the driver begins): {cause}"
                    ) from failure
                raise cause from failure
            reason = cause  # what the method was to be given is lost
        seat.losses += 1
        if seat.losses > self._retries:
            raise WorkerError(
                f"worker {seat.number} was lost {seat.losses} times in succession: {reason}"
            ) from reason
        self._restarts += 1
        self._start(seat)
        raise _LostError
