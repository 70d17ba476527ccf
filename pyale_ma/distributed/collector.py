"""`Collector`: one vector per worker on all nodes, and batches as they become ready."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyale_ma._base.arguments import flag, integer, whole_numbers
from pyale_ma._base.callers import one_caller
from pyale_ma._base.fields import Fields
from pyale_ma.distributed.core import BaseCollector, end_of, own
from pyale_ma.distributed.handles import Answer, Order, WorkerHandle
from pyale_ma.distributed.recorder import Columns
from pyale_ma.distributed.spec import Game, Games
from pyale_ma.distributed.worker import Array, Request, check_finite
from pyale_ma.distributed.worker_pool import PoolOptions


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


class Collector(BaseCollector):
    """Vectors on all nodes of a Ray cluster, stepped by a policy in the driver.

    Each worker is a Ray actor with one `AtariVectorEnv`.  `recv` returns the batch that is ready
    first, from any worker; `send` lets that worker play on.

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

    Examples:
        ```python
        import ray

        from pyale_ma.distributed import Collector

        ray.init("local", num_cpus=2, include_dashboard=False)  # a cluster: ray.init("auto")
        with Collector("quartet", 8, workers=2, seed=1) as collector:
            for _ in range(10):
                batch = collector.recv()
                collector.send(batch.worker, [0] * 8)  # your policy of batch.observations
        ray.shutdown()
        ```
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
        self._ordered = flag("ordered", ordered)
        pool = PoolOptions(cpus, ray_options, retries, start_timeout, worker_timeout)
        super().__init__(
            game=game,
            num_envs=num_envs,
            games=games,
            workers=workers,
            seed=seed,
            snapshot_every=snapshot_every,
            pool=pool,
            options=options,
        )
        self._identity |= {"kind": "Collector", "ordered": self._ordered}
        self._turn = 0
        self._numbers = [0] * self.num_workers
        for worker in self._pool.workers:
            self._pool.order(worker, "results")

    @one_caller
    def recv(self, timeout: float | None = None) -> Batch:
        """Wait for a batch: the first that is ready, or with `ordered` that of the next worker.

        If several are ready, that of the worker comes first that has waited longest.

        Args:
            timeout: Seconds after which to give up; None: never.

        Raises:
            TimeoutError: Nothing came in time, or no node has room for those that are to answer;
                nothing is lost, and another call may wait on.
            RuntimeError: All batches were received: send actions first.  With `ordered`, that of
                the next worker.  Or another call runs, or the collector was closed, or Ray shut
                down.
            gymnasium.error.ResetNeeded: A call was interrupted while it changed the collector.
            NodeError: A node that took a worker over cannot play.
            WorkerError: A worker was lost too often.
        """
        self._pool.check_whole()
        turn = self._turn
        if self._ordered and self._is_received(turn):
            raise RuntimeError(f"it is the turn of worker {turn}: send it actions first")
        end = end_of(timeout)
        candidates = [self._kept[turn]] if self._ordered else self._kept
        while not any(candidates):
            self._receive(self._pool.workers, end)
        self._pool.is_changing = True
        batch: Batch = next(filter(None, candidates)).popleft()
        if self._ordered:
            self._turn = (turn + 1) % self.num_workers
        self._pool.is_changing = False
        return batch

    @one_caller
    def send(self, worker: int, actions: Any) -> None:
        """Have a worker play one action of each of its environments.

        Args:
            worker: The worker whose batch was received.
            actions: As for `AtariVectorEnv.step`, of this worker's environments.

        Raises:
            IndexError: There is no such worker, or an action is outside the action set.
            ValueError: `actions` has another shape, or a number that is not finite.
            TypeError: `actions`, or `worker`, is of another type.
            RuntimeError: The worker's last batch was not received yet, another call runs, or the
                collector was closed, or Ray shut down.
            gymnasium.error.ResetNeeded: See `recv`.

        Nothing was sent then.
        """
        self._pool.check_whole()
        worker = integer("worker", worker, None)
        if not 0 <= worker < self.num_workers:
            raise IndexError(f"worker is {worker}; they are numbered 0 to {self.num_workers - 1}")
        if not self._is_received(worker):
            raise RuntimeError(f"worker {worker} has a batch to give: receive it first")
        handle, taken = self._pool.workers[worker], self._checked(actions)
        self._pool.order(handle, "step", taken, self._step_request(handle))

    def _is_received(self, worker: int) -> bool:
        """Whether a worker's last batch was received, and no actions were sent since."""
        return not (self._pool.workers[worker].orders or self._kept[worker])

    def _step_request(self, worker: WorkerHandle) -> Request:
        snapshot = (worker.order_count + worker.number) % self._snapshot_every == 0
        return self._request(worker, snapshot)

    def _result(self, answer: Answer) -> Batch:
        worker, results = answer.worker.number, answer.value
        number = self._numbers[worker]
        if answer.order.method == "step":
            results, number = results[0], number + 1
        observations, *rest = results
        rewards, terminations, truncations, infos = own(rest)
        return Batch(worker, number, observations, rewards, terminations, truncations, infos)

    def _keep(self, worker: WorkerHandle, result: Batch) -> None:
        super()._keep(worker, result)
        self._numbers[worker.number] = result.number

    def _columns(self, answer: Answer) -> Columns:
        (_, rewards, terminations, truncations, _), _ = answer.value
        actions: Array = answer.order.arguments[0]
        return actions[None], rewards[None], terminations[None], truncations[None]

    def _pending_of(self, worker: WorkerHandle) -> dict[str, Any]:
        steps = [order.arguments[0] for order in worker.orders if order.method == "step"]
        return {"number": self._numbers[worker.number], "sent": steps[0] if steps else None}

    def _common_state(self) -> dict[str, Any]:
        again = 0  # as batches come again for which no actions were sent
        while (
            self._ordered
            and again < self.num_workers
            and self._is_received((self._turn - again - 1) % self.num_workers)
        ):
            again += 1
        return {"turn": (self._turn - again) % self.num_workers}

    def _first_state(self) -> dict[str, Any]:
        return {"turn": 0, "workers": [{"number": 0}] * self.num_workers}

    def _check_pending(self, fields: Fields, workers: Sequence[Fields]) -> None:
        fields.integer("turn", 0, self.num_workers - 1)
        for worker in workers:
            worker.integer("number", 0, 2**62)
            if worker.values.get("sent") is not None:
                self._checked(worker.values["sent"])

    def _add_orders(self, states: Sequence[WorkerHandle], tree: Mapping[str, Any]) -> None:
        for state, part in zip(states, tree["workers"], strict=True):
            order = Order("results", ())
            if part.get("sent") is not None:
                request = self._step_request(state)
                order = Order("step", (self._checked(part["sent"]), request))
            state.orders.append(order)

    def _take_over(self, tree: Mapping[str, Any]) -> None:
        self._turn = tree["turn"]
        self._numbers = [part["number"] for part in tree["workers"]]

    def _checked(self, actions: Any) -> Array:
        """Return a copy of actions, if they are valid."""
        continuous = self.action_space.dtype == np.float32
        array = np.asarray(actions) if continuous else whole_numbers("actions", actions)
        shape = self.action_space.shape
        if array.shape != shape:
            raise ValueError(f"actions must have shape {shape}, not {array.shape}")
        if continuous:
            if array.dtype != np.float32:
                raise TypeError(f"continuous actions are float32, not {array.dtype}")
            check_finite(array)
            return array.copy()  # type: ignore[no-any-return]
        wrong = np.argwhere((array < 0) | (array >= self._limits))
        if len(wrong):
            place = tuple(int(i) for i in wrong[0])
            count = self.num_actions[place[0]]
            raise IndexError(f"actions{list(place)} is {array[place]}; there are 0 to {count - 1}")
        return array.astype(np.int32)
