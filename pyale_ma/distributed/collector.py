"""`Collector`: one vector per worker on all nodes, and batches as they become ready."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

import numpy as np
import ray

from pyale_ma.distributed.crew import Crew, Progress, Seat
from pyale_ma.distributed.worker import Array, Results, make_recipe
from pyale_ma.vector.workers import at_least

Game: TypeAlias = str | os.PathLike[str]
Games: TypeAlias = Sequence[Game] | Mapping[Game, float]
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


class BaseCollector:
    """What collectors have in common.

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
        options: Mapping[str, Any],
    ) -> None:
        self.num_envs = at_least(1, "num_envs", num_envs)
        self.games = spread_games(game, games, self.num_envs)
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1)[0] >> 1)
        self.seed = at_least(0, "seed", seed)
        cpus = at_least(1, "cpus", cpus)
        self._snapshot_every = at_least(1, "snapshot_every", snapshot_every)
        retries = at_least(0, "retries", retries)
        recipe = make_recipe(self.games, self.seed, options)
        if workers is None and ray.is_initialized():
            workers = max(1, int(ray.cluster_resources().get("CPU", 0)) // cpus)
        self.num_workers = at_least(1, "workers", 1 if workers is None else workers)
        self._crew = Crew(
            recipe, self.num_workers, cpus=cpus, ray_options=ray_options or {}, retries=retries
        )
        described = self._crew.description
        self.single_observation_space = described.single_observation_space
        self.single_action_space = described.single_action_space
        self.action_space = described.action_space
        self.num_actions = described.num_actions
        self.action_sets = described.action_sets

    @property
    def progress(self) -> Progress:
        """How far the collector is; to be printed."""
        return self._crew.progress()

    @property
    def places(self) -> list[dict[str, Any] | None]:
        """Of each worker ``host``, ``node`` and ``pid``; None while it is on its way."""
        return [seat.facts for seat in self._crew.seats]

    def close(self) -> None:
        """End all workers, and wait until they have ended."""
        self._crew.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        **options: Arguments of `AtariVectorEnv`, except `batch_size`, `copy` and `render_mode`;
            `autoreset_mode` is "NextStep" or "SameStep".

    Raises:
        RuntimeError: Ray is not running.
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
            options=options,
        )
        self._ordered = ordered
        self._turn = 0
        counts = np.array(self.num_actions)
        self._limits = counts.reshape(-1, *[1] * (len(self.action_space.shape or ()) - 1))
        self._numbers = [0] * self.num_workers
        self._sent: list[Array | None] = [None] * self.num_workers
        self._early: dict[int, Any] = {}  # answers that came before their workers' turns
        self._received = [False] * self.num_workers
        for seat in self._crew.seats:
            self._crew.give(seat, "look")

    def recv(self, timeout: float | None = None) -> Batch:
        """Wait for a batch: the first that is ready, or with `ordered` that of the next worker.

        Args:
            timeout: Seconds after which to give up; None: never.

        Raises:
            TimeoutError: Nothing came in time; nothing is lost, and another call may wait on.
            RuntimeError: All batches were received: send actions first.  With `ordered`, that of
                the next worker.
            NodeError: A node that took a worker over cannot play.
            WorkerError: A worker was lost too often.
        """
        seat, value = self._in_turn(timeout) if self._ordered else self._first(timeout)
        self._received[seat.number] = True
        sent = self._sent[seat.number]
        if sent is None:
            return self._batch(seat, value)
        results, snapshot = value
        self._crew.remember(seat, sent[None], snapshot)
        self._numbers[seat.number] += 1
        return self._batch(seat, results)

    def _first(self, timeout: float | None) -> tuple[Seat, Any]:
        return self._crew.answer(self._crew.seats, timeout)

    def _in_turn(self, timeout: float | None) -> tuple[Seat, Any]:
        """The next worker's answer; others that are lost meanwhile are on their way, too."""
        turn = self._turn
        if self._received[turn]:
            raise RuntimeError(f"it is the turn of worker {turn}: send it actions first")
        end = None if timeout is None else time.monotonic() + timeout
        while turn not in self._early:
            left = None if end is None else max(0.0, end - time.monotonic())
            seat, value = self._first(left)
            self._early[seat.number] = value
        self._turn = (turn + 1) % self.num_workers
        return self._crew.seats[turn], self._early.pop(turn)

    def send(self, worker: int, actions: Any) -> None:
        """Have a worker play one action of each of its environments.

        Args:
            worker: The worker whose batch was received.
            actions: As for `AtariVectorEnv.step`, of this worker's environments.

        Raises:
            IndexError: There is no such worker, or an action is outside the action set.
            ValueError: `actions` has another shape.
            TypeError: `actions` is of another type.
            RuntimeError: The worker's last batch was not received yet.

        Nothing was sent then.
        """
        self._crew.check_open()
        if not 0 <= worker < self.num_workers:
            raise IndexError(f"worker is {worker}; they are numbered 0 to {self.num_workers - 1}")
        if not self._received[worker]:
            raise RuntimeError(f"worker {worker} has a batch to give: receive it first")
        seat = self._crew.seats[worker]
        taken = self._checked(actions)
        wanted = (seat.given + worker) % self._snapshot_every == 0
        self._sent[worker] = taken
        self._received[worker] = False
        self._crew.give(seat, "step", taken, wanted)

    def _batch(self, seat: Seat, results: Results) -> Batch:
        observations, *rest = results
        rewards, terminations, truncations, infos = own(rest)
        number = self._numbers[seat.number]
        return Batch(seat.number, number, observations, rewards, terminations, truncations, infos)

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


def own(tree: Any) -> Any:
    """Copies of all arrays but the large ones, which alone are to be in Ray's memory."""
    if isinstance(tree, dict):
        return {name: part if name in _LARGE else own(part) for name, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [own(part) for part in tree]
    return tree.copy() if isinstance(tree, np.ndarray) else tree


def spread_games(game: Game | None, games: Games | None, num_envs: int) -> list[Game]:
    """What each of so many environments plays; copies of a game are adjacent.

    Each game gets one environment, and of the others as many as are nearest to its weight.

    Raises:
        ValueError: Neither or both of `game` and `games` are given, there are more games than
            environments, or a weight is not positive.
        TypeError: `games` is a name.
    """
    if (game is None) == (games is None):
        raise ValueError("give either a game or several games")
    if isinstance(games, (str, os.PathLike)):
        raise TypeError(f"games must be a list of names or a dict of weights, not {games!r}")
    if games is None:
        assert game is not None
        return [game] * num_envs
    weights = dict(games) if isinstance(games, Mapping) else {}
    if not isinstance(games, Mapping):
        for name in games:
            weights[name] = weights.get(name, 0) + 1
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
