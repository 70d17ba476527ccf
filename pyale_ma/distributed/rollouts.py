"""`RolloutCollector`: workers that hold the policy, too, and send rollouts of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import ray

from pyale_ma._base.arguments import integer
from pyale_ma._base.callers import one_caller
from pyale_ma._base.fields import Fields
from pyale_ma.distributed.core import BaseCollector, end_of, own
from pyale_ma.distributed.handles import Answer, Order, WorkerHandle
from pyale_ma.distributed.recorder import Columns
from pyale_ma.distributed.spec import Game, Games
from pyale_ma.distributed.worker import Array, Policy
from pyale_ma.distributed.worker_pool import PoolOptions


@dataclass(frozen=True)
class Rollout:
    """Some steps of one worker's vector; arrays begin with axes of steps and environments.

    Attributes:
        worker: The number of the worker.
        number: The number of the rollout among the worker's.
        version: The version of the policy that played: what `set_policy` returned.
        observations: The observations of the policy, read-only: a view of Ray's memory, which lasts
            as long as the array does.
        actions: The actions of the policy.
        rewards: The rewards, as in `AtariVectorEnv`.
        terminations: See `rewards`.
        truncations: See `rewards`.
        last_observations: The observations after the last step, read-only.
        extras: The further arrays that the policy returned, by name.
        infos: "lives", "frame_number", "episode_frame_number" and those of "unclipped_reward",
            "ram", "sound" and "labels" that `extra_infos` asks for.
        episodes: Those that ended: arrays "env_id", numbered through all workers, "r" (returns
            before clipping) and "l" (lengths); empty if none did.
    """

    worker: int
    number: int
    version: int
    observations: Array
    actions: Array
    rewards: Array
    terminations: Array
    truncations: Array
    last_observations: Array
    extras: dict[str, Array]
    infos: dict[str, Array]
    episodes: dict[str, Array]


class RolloutCollector(BaseCollector):
    """Vectors on all nodes of a Ray cluster, stepped by copies of a policy beside them.

    This scales further than `Collector`: the driver is involved once per rollout, not per step.

    A policy is a function ``policy(observations, random)`` that can be pickled.  `observations` are
    those of a worker, valid during the call; `random` is a `numpy.random.Generator`, from which it
    must draw all random numbers, so that a rollout depends only on the seed and the policy.  It
    returns the actions of all environments, or a tuple of these and a dict of further arrays, whose
    names, dtypes and shapes are the same at each step of a rollout.

    Args:
        policy: The first policy.
        game: See `Collector`; so are the others that are not here.
        num_envs: See `Collector`.
        steps: Steps per rollout.
        ahead: How many rollouts each worker may play in advance of `recv`: with more, workers wait
            less for the driver, but policies are older.
        games: See `Collector`.
        workers: See `Collector`.
        seed: See `Collector`.
        cpus: See `Collector`.
        snapshot_every: See `Collector`; rounded up to whole rollouts.
        ray_options: See `Collector`.
        retries: See `Collector`.
        start_timeout: See `Collector`.
        worker_timeout: See `Collector`; what it may take for a rollout.
        **options: See `Collector`.

    Raises:
        TypeError: The policy cannot be called or pickled.
        Exception: See `Collector`.

    Examples:
        ```python
        import ray

        from pyale_ma.distributed import RolloutCollector


        def policy(observations, random):
            return random.integers(4, size=len(observations))


        ray.init("local", num_cpus=2, include_dashboard=False)  # a cluster: ray.init("auto")
        with RolloutCollector(policy, "quartet", 8, steps=32, workers=2, seed=1) as collector:
            for rollout in collector.gather():  # one of each worker
                assert rollout.observations.shape == (32, 8, 4, 84, 84)
            collector.set_policy(policy)  # the policy after learning
        ray.shutdown()
        ```
    """

    def __init__(
        self,
        policy: Policy,
        game: Game | None = None,
        num_envs: int = 64,
        *,
        steps: int = 32,
        ahead: int = 2,
        games: Games | None = None,
        workers: int | None = None,
        seed: int | None = None,
        cpus: int = 1,
        snapshot_every: int = 64,
        ray_options: Mapping[str, Any] | None = None,
        retries: int = 5,
        start_timeout: float | None = 300.0,
        worker_timeout: float | None = 600.0,
        **options: Any,
    ) -> None:
        self.steps = self._stride = integer("steps", steps, 1)
        self._ahead = integer("ahead", ahead, 1)
        self.version = -1
        self._policy: Any = None  # Ray's reference to it
        _check_policy(policy)
        options["extra_infos"] = sorted({*options.get("extra_infos", ()), "episode"})
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
        self._identity |= {"kind": "RolloutCollector", "steps": self.steps, "ahead": self._ahead}
        self._raised: set[int] = set()  # versions of policies of which an error was raised
        try:
            self.set_policy(policy)
        except BaseException:
            self.close()
            raise

    @one_caller
    def set_policy(self, policy: Policy) -> int:
        """Use another policy for all rollouts that are requested from now on.

        Returns:
            Its version: 0 for the first policy, and one more each time.

        Raises:
            TypeError: It cannot be called or pickled.
            RuntimeError: See `recv`.
            gymnasium.error.ResetNeeded: See `recv`.
        """
        self._pool.check_whole()
        _check_policy(policy)
        try:
            reference = ray.put(policy)
        except TypeError as problem:
            raise TypeError(f"the policy cannot be sent to workers: {problem}") from None
        self._policy, self.version = reference, self.version + 1
        return self.version

    @one_caller
    def recv(self, timeout: float | None = None) -> Rollout:
        """Wait for the rollout that is ready first, of whichever worker.

        Each worker has `ahead` rollouts that it plays or that were not received yet; each is played
        with the policy that was set when the rollout was requested.  If several are ready, that of
        the worker comes first that has waited longest.

        Args:
            timeout: Seconds after which to give up; None: never.

        Raises:
            TimeoutError: Nothing came in time, or no node has room for those that are to answer;
                nothing is lost, and another call may wait on.
            RuntimeError: Another call runs, or the collector was closed, or Ray shut down.
            gymnasium.error.ResetNeeded: A call was interrupted while it changed the collector.
            NodeError: A node that took a worker over cannot play.
            WorkerError: A worker was lost too often.
            Exception: What the policy raised, or `AtariVectorEnv` of its actions.  Nothing is lost:
                the next call has the worker play the same rollout, of the same number with the same
                random numbers, by the policy that is set then.  After `set_policy`, errors of a
                policy of which one was raised are not raised again.
        """
        self._pool.check_whole()
        end = end_of(timeout)
        while not any(self._kept):
            for worker in self._pool.workers:
                self._ask(worker, self._ahead)
            self._receive(self._pool.workers, end)
        rollout: Rollout = next(filter(None, self._kept)).popleft()
        return rollout

    @one_caller
    def gather(self, timeout: float | None = None) -> list[Rollout]:
        """One rollout of each worker, in the order of workers: the same in every run.

        They use the current policy, except those that `recv`, or a `gather` that raised an error,
        requested before.

        Args:
            timeout: Seconds after which to give up; None: never.

        Raises:
            Exception: See `recv`; the rollouts that have come are those of the next call.
        """
        self._pool.check_whole()
        end = end_of(timeout)
        while missing := [worker for worker in self._pool.workers if not self._kept[worker.number]]:
            for worker in missing:
                self._ask(worker, 1)
            self._receive(missing, end)
        self._pool.is_changing = True
        rollouts = [kept.popleft() for kept in self._kept]
        self._pool.is_changing = False
        return rollouts

    @one_caller
    def save_state(self, path: str | os.PathLike[str], timeout: float | None = None) -> None:
        """Save the state of all workers in a file, for `restore_state` of another collector.

        The policy is not saved.  Make the other collector with the one that is current now: it
        plays the rollouts that are under way again.  This method waits for rollouts of older
        policies and saves them; `recv` or `gather` still returns them here.

        Args:
            path: See `Collector.save_state`.
            timeout: Seconds to wait for rollouts of older policies; None: forever.

        Raises:
            TypeError: A rollout to save has `extras` that are not numbers.
            OSError: The file cannot be written; one that was there is as it was.
            Exception: See `recv`.
        """
        self._pool.check_whole()
        end = end_of(timeout)
        while older := [
            worker
            for worker in self._pool.workers
            if worker.orders and _version(worker.orders[0]) < self.version
        ]:
            self._receive(older, end)
        self._save(path)

    def _ask(self, worker: WorkerHandle, count: int) -> None:
        """Have a worker play until this number of rollouts are under way, or kept."""
        for _ in range(count - len(self._kept[worker.number]) - len(worker.orders)):
            self._pool.order(worker, "rollout", *self._arguments(worker, self.version))

    def _arguments(self, worker: WorkerHandle, version: int) -> tuple[Any, ...]:
        """Return the arguments of a worker's next order."""
        every = -(-self._snapshot_every // self.steps)
        number = worker.order_count
        request = self._request(worker, (number + worker.number) % every == 0)
        stamp = {"worker": worker.number, "number": number, "version": version}
        return self._policy, self.steps, stamp, request

    def _result(self, answer: Answer) -> Rollout:
        parts, _ = answer.value
        return Rollout(**own(parts))

    def _columns(self, answer: Answer) -> Columns:
        parts, _ = answer.value
        return parts["actions"], parts["rewards"], parts["terminations"], parts["truncations"]

    def _fail(self, answer: Answer, problem: Exception) -> None:
        version = _version(answer.order)
        if version in self._raised and version < self.version:
            return  # the caller knows it, and has set another policy, which is to play instead
        self._raised.add(version)
        raise problem

    def _pending_of(self, worker: WorkerHandle) -> dict[str, Any]:
        return {"requested": len(worker.orders)}

    def _common_state(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "kept": [vars(rollout) for kept in self._kept for rollout in kept],
        }

    def _first_state(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "kept": [],
            "workers": [{"requested": 0}] * self.num_workers,
        }

    def _check_pending(self, fields: Fields, workers: Sequence[Fields]) -> None:
        version = fields.integer("version", 0, 2**62)
        numbers: list[list[int]] = [[] for _ in workers]
        for rollout in fields.each("kept"):
            self._check_rollout(rollout, version)
            numbers[rollout.values["worker"]].append(rollout.values["number"])
        for worker, kept in zip(workers, numbers, strict=True):
            worker.integer("requested", 0, self._ahead - len(kept))
            count = worker.values["order_count"]
            if kept != list(range(count - len(kept), count)):
                raise ValueError(f"it has rollouts {kept}, but {count} were played")

    def _check_rollout(self, rollout: Fields, version: int) -> None:
        """See whether these are the fields of a `Rollout`."""
        names = {field.name for field in fields(Rollout)}
        rollout.only(names)
        rollout.integer("worker", 0, self.num_workers - 1)
        rollout.integer("number", 0, 2**62)
        rollout.integer("version", 0, version)
        several = (self.num_envs, *(self.single_observation_space.shape or ()))
        kind = np.dtype(self.single_observation_space.dtype)
        rollout.array("last_observations", kind, several)
        rollout.array("observations", kind, (self.steps, *several))
        self._check_array(rollout, "actions", "f" if self._no_actions.dtype.kind == "f" else "iu")
        self._check_played(rollout.values["actions"])
        self._check_array(rollout, "rewards", "if")
        rollout.array("terminations", np.bool_, (self.steps, *self._row))
        rollout.array("truncations", np.bool_, (self.steps, self.num_envs))
        _check_arrays(rollout, "extras", (self.steps,), "biufc")
        _check_arrays(rollout, "infos", (self.steps, self.num_envs), "biuf")
        _check_arrays(rollout, "episodes", (), "if")

    def _check_array(self, rollout: Fields, name: str, kinds: str) -> None:
        """See that a field is an array of numbers for all steps."""
        shape = (self.steps, *(self._no_actions.shape[1:] if name == "actions" else self._row))
        array = rollout.values.get(name)
        if not (
            isinstance(array, np.ndarray) and array.dtype.kind in kinds and array.shape == shape
        ):
            rollout.refuse(name, f"an array of numbers of shape {shape}")

    def _add_orders(self, states: Sequence[WorkerHandle], tree: Mapping[str, Any]) -> None:
        for state, part in zip(states, tree["workers"], strict=True):
            for _ in range(part["requested"]):
                arguments = self._arguments(state, tree["version"])
                state.orders.append(Order("rollout", arguments))

    def _take_over(self, tree: Mapping[str, Any]) -> None:
        self.version, self._raised = tree["version"], set()
        for parts in tree["kept"]:
            for name in ("observations", "last_observations"):
                parts[name].flags.writeable = False
            self._kept[parts["worker"]].append(Rollout(**parts))


def _version(order: Order) -> int:
    """The version of the policy that is to play a rollout."""
    version: int = order.arguments[2]["version"]
    return version


def _check_policy(policy: Any) -> None:
    if not callable(policy):
        raise TypeError(f"policy must be a function of observations and random, not {policy!r}")


def _check_arrays(rollout: Fields, name: str, shape: tuple[int, ...], kinds: str) -> None:
    """See that a field is an object of arrays of numbers, whose shapes begin alike."""
    for array in rollout.object(name).values():
        if not (
            isinstance(array, np.ndarray)
            and array.dtype.kind in kinds
            and array.shape[: len(shape)] == shape
        ):
            rollout.refuse(name, f"an object of arrays of numbers whose shapes begin with {shape}")
