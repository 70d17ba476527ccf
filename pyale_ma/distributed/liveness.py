"""Liveness of workers: which have a place, which are late, and why."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import ray
from ray.core.generated.gcs_pb2 import ActorTableData

from pyale_ma.distributed.handles import WorkerHandle

CHECK_SECONDS: Final = 1.0  # between two checks of the actors' places
_ARRIVAL_SECONDS = 1.0  # in which Ray should know of an answer that was given long ago


class Liveness:
    """Watches over workers that have not answered yet.

    Args:
        worker_timeout: Seconds after which a worker that has a place is late; None: never.
        ray_options: Ray's options of the actors.

    Attributes:
        worker_timeout: See above.
    """

    def __init__(self, worker_timeout: float | None, ray_options: Mapping[str, Any]) -> None:
        self.worker_timeout = worker_timeout
        self._resources = _resources_of(ray_options)
        self._next_check = 0.0

    def is_due(self, now: float) -> bool:
        """Whether it is time for the next `check`."""
        return now >= self._next_check

    def check(self, workers: Sequence[WorkerHandle]) -> list[WorkerHandle]:
        """Note which workers have a place, and return those that are late."""
        now = time.monotonic()
        self._next_check = now + CHECK_SECONDS
        for worker in workers:
            if worker.actor._get_local_state() != ActorTableData.ALIVE:
                worker.since = None
            elif worker.since is None:
                worker.since = now
        limit = math.inf if self.worker_timeout is None else self.worker_timeout
        late = {
            worker.next_ref: worker
            for worker in workers
            if worker.since is not None and now - worker.since > limit
        }
        if not late:
            return []
        # Answers may be on their way from other nodes, or have arrived while the driver was busy.
        _, missing = ray.wait(
            list(late), num_returns=len(late), timeout=_ARRIVAL_SECONDS, fetch_local=False
        )
        return [late[ref] for ref in missing]

    def explain(self, workers: Sequence[WorkerHandle]) -> str:
        """Explain why some workers have no results, for an error's message."""
        parts = []
        now = time.monotonic()
        late = [f"{it.name} for {now - it.since:.0f} s" for it in workers if it.since is not None]
        if late:
            parts.append(f"these have not answered: {', '.join(late)}")
        if absent := [worker.number for worker in workers if worker.since is None]:
            parts.append(f"workers {absent} have no place yet: {self._explain_room()}")
        return "; ".join(parts)

    def _explain_room(self) -> str:
        """Compare what a worker asks for with what the nodes have."""
        names = self._resources
        nodes = Counter(
            str({name: node["Resources"].get(name, 0) for name in names})
            for node in ray.nodes()
            if node["Alive"]
        )
        there = ", ".join(f"{count} nodes with {each}" for each, count in nodes.items())
        available = ray.available_resources()
        free = {name: available.get(name, 0) for name in names}
        return f"each asks for {names}; there are {there}, of which {free} are free"


def _resources_of(options: Mapping[str, Any]) -> dict[str, float]:
    """Return the resources that a node must have free to start an actor, by Ray's names."""
    names = {"num_cpus": "CPU", "num_gpus": "GPU", "memory": "memory"}
    resources = {name: options[option] for option, name in names.items() if options.get(option)}
    return {**resources, **(options.get("resources") or {})}
