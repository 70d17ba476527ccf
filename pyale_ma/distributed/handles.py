"""The driver's data of workers: what each was ordered, and what another one in its place needs."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from pyale_ma.distributed.worker import Array, Request


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


@dataclass(eq=False)
class WorkerHandle:
    """One worker, in whichever process it runs at the moment.

    Attributes:
        number: The worker's number.
        actor: The actor's handle.
        call: The number of the next call.  Each `follow` begins with one that no call had before,
            so that none is played from another state.
        arrival: Ray's reference to the answer of `follow`; None once it was received.
        facts: The actor's place; None before its arrival.
        since: Time of the worker's last answer, or of its placement if that is later; None while
            Ray has no process for the actor.
        orders: Orders whose answers were not taken yet, the oldest first.
        done: Number of orders whose answers were taken.
        snapshot: The worker's last snapshot; None before the first.
        played: The actions since the snapshot, each with a leading axis of steps.
        losses: Number of losses since the last answer.
    """

    number: int
    actor: Any = None
    call: int = 0
    arrival: Any = None
    facts: dict[str, Any] | None = None
    since: float | None = None
    orders: deque[Order] = field(default_factory=deque)
    done: int = 0
    snapshot: bytes | None = None
    played: list[Array] = field(default_factory=list)
    losses: int = 0

    @property
    def order_count(self) -> int:
        """Orders so far, without those that failed."""
        return self.done + len(self.orders)

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

    def take(self, actions: Array | None, snapshot: bytes | None) -> None:
        """Count the answer of the oldest order as received.

        Args:
            actions: The played actions, with a leading axis of steps, which nobody may change; None
                if the order has no steps.
            snapshot: The snapshot after them; None if none was made.
        """
        self.orders.popleft()
        self.done += 1
        self.losses = 0
        if snapshot is not None:
            self.snapshot, self.played = snapshot, []
        elif actions is not None:
            self.played.append(actions)


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
