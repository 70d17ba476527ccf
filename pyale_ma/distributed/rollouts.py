"""`RolloutCollector`: workers that hold the policy, too, and send rollouts of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ray

from pyale_ma.distributed.collector import BaseCollector, Game, Games, own
from pyale_ma.distributed.crew import Seat
from pyale_ma.distributed.worker import Array, Policy
from pyale_ma.vector.workers import at_least


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
            "ram" and "sound" that `extra_infos` asks for.
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

    This scales further than `Collector`: the driver is involved once per rollout, not per step::

        with RolloutCollector(policy, "breakout", 64, steps=32, workers=100) as collector:
            while learning:
                for rollout in collector.gather():
                    ...
                collector.set_policy(policy)

    A policy is a function ``policy(observations, random)`` that can be pickled.  `observations` are
    those of a worker, valid during the call; `random` is a `numpy.random.Generator`, from which it
    must draw all random numbers, so that a rollout depends only on the seed and the policy.  It
    returns the actions of all environments, or a tuple of these and a dict of further arrays.

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
        **options: See `Collector`.

    Raises:
        TypeError: The policy cannot be called or pickled.
        Exception: See `Collector`.
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
        **options: Any,
    ) -> None:
        self.steps = at_least(1, "steps", steps)
        self._ahead = at_least(1, "ahead", ahead)
        self.version = -1
        _check_policy(policy)
        options["extra_infos"] = sorted({*options.get("extra_infos", ()), "episode"})
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
            options=options,
        )
        try:
            self.set_policy(policy)
        except BaseException:
            self.close()
            raise

    def set_policy(self, policy: Policy) -> int:
        """Use another policy for all rollouts that are requested from now on.

        Returns:
            Its version: 0 for the first policy, and one more each time.

        Raises:
            TypeError: It cannot be called or pickled.
        """
        _check_policy(policy)
        self._crew.check_open()
        try:
            self._policy = ray.put(policy)
        except TypeError as problem:
            raise TypeError(f"the policy cannot be sent to workers: {problem}") from None
        self.version += 1
        return self.version

    def recv(self, timeout: float | None = None) -> Rollout:
        """Wait for the rollout that is ready first, of whichever worker.

        Each worker has `ahead` rollouts that it plays or that were not received yet; each is played
        with the policy that was set when the rollout was requested.

        Args:
            timeout: Seconds after which to give up; None: never.

        Raises:
            TimeoutError: Nothing came in time; nothing is lost, and another call may wait on.
            NodeError: A node that took a worker over cannot play.
            WorkerError: A worker was lost too often.
            Exception: What the policy raised, or `AtariVectorEnv` of its actions.
        """
        for seat in self._crew.seats:
            self._ask(seat, self._ahead)
        return self._rollout(*self._crew.answer(self._crew.seats, timeout))

    def gather(self) -> list[Rollout]:
        """One rollout of each worker, in the order of workers: the same in every run.

        They use the current policy, except those that `recv` requested before.
        Errors are those of `recv`.
        """
        for seat in self._crew.seats:
            self._ask(seat, 1)
        asked = list(self._crew.seats)
        rollouts = []
        while asked:
            seat, value = self._crew.answer(asked)
            asked.remove(seat)
            rollouts.append(self._rollout(seat, value))
        return sorted(rollouts, key=lambda rollout: rollout.worker)

    def _ask(self, seat: Seat, count: int) -> None:
        """Have a worker play until so many rollouts are under way."""
        every = -(-self._snapshot_every // self.steps)
        while len(seat.orders) < count:
            wanted = (seat.given + seat.number) % every == 0
            stamp = {"worker": seat.number, "number": seat.given, "version": self.version}
            self._crew.give(seat, "rollout", self._policy, self.steps, stamp, wanted)

    def _rollout(self, seat: Seat, value: Any) -> Rollout:
        fields, snapshot = value
        rollout = Rollout(**own(fields))
        self._crew.remember(seat, rollout.actions, snapshot)
        return rollout


def _check_policy(policy: Any) -> None:
    if not callable(policy):
        raise TypeError(f"policy must be a function of observations and random, not {policy!r}")
