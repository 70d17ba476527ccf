"""Opponents of one agent: who may have the other seats, and the draw for each episode."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import integer, number
from pyale_ma._native import Vector
from pyale_ma.games.selection import Selection
from pyale_ma.opponents.catalogue import check_level, contest_played, fitted
from pyale_ma.opponents.policies import Policy
from pyale_ma.opponents.seat_table import OPEN, SeatTable, seat_generator
from pyale_ma.opponents.trained import TrainedPolicy

__all__ = ["AgentSeats", "Opponent", "Pool"]

Array: TypeAlias = npt.NDArray[Any]


class Pool:
    """Several opponents, of which one is drawn for each seat and each episode.

    Args:
        opponents: Names of levels, or policies.
        weights: How often each is drawn, compared with the others; None: all equally often.  The
            attribute of this name may be changed, and counts from the next episode on.

    Examples:
        ```python
        from pyale_ma.opponents import Pool, VersusEnv

        pool = Pool(["strong", "middle", "sticky"], weights=[2, 1, 1])
        env = VersusEnv("quartet", pool, num_players=2)
        env.reset(seed=42)
        ```

    Raises:
        TypeError: `opponents` or `weights` is no list, an opponent is neither a name nor a policy,
            or a weight is not a number.
        ValueError: There are no opponents, no level has such a name, or the weights are not one
            for each, finite, not negative and some of them positive.
    """

    def __init__(
        self, opponents: Sequence[str | Policy], weights: Sequence[float] | None = None
    ) -> None:
        self.opponents = _listed("opponents", opponents)
        if not self.opponents:
            raise ValueError("opponents is empty: give one at least")
        for entry in self.opponents:
            if isinstance(entry, str):
                check_level(entry)
            elif not callable(entry):
                raise TypeError(f"opponents has {entry!r}; each must be a level's name or a policy")
        self.weights = [1.0] * len(self.opponents) if weights is None else weights

    def __repr__(self) -> str:
        return f"Pool({list(self.opponents)}, weights={list(self.weights)})"

    @property
    def weights(self) -> Sequence[float]:
        """Relative frequency of each in the draw."""
        return self._weights

    @weights.setter
    def weights(self, weights: Sequence[float]) -> None:
        items = _listed("weights", weights)
        if len(items) != len(self.opponents):
            raise ValueError(f"weights has {len(items)} values for {len(self.opponents)} opponents")
        values = np.array(
            [number(f"weights[{k}]", weight, allow_truth=False) for k, weight in enumerate(items)]
        )
        if not (np.isfinite(values).all() and values.min() >= 0 and values.max() > 0):
            raise ValueError(
                f"weights is {weights}; they must be finite, not negative and not all 0"
            )
        self._weights = items
        values = values / values.max()  # whose sum may be more than there are numbers for
        self._shares = values / values.sum()

    def draw(self, generator: np.random.Generator) -> int:
        """The number of an opponent."""
        if len(self.opponents) == 1:
            return 0  # to draw takes long, and resets are many
        return int(generator.choice(len(self.opponents), p=self._shares))


def _listed(name: str, value: Any) -> tuple[Any, ...]:
    """Return the items of a list."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a list, not {value!r}")
    return tuple(value)


Opponent: TypeAlias = str | Policy | Pool | Sequence[str | Policy | Pool]


class AgentSeats:
    """The seats of some games, of which each has one of the agent and opponents on the others.

    Args:
        opponent: The name of a level, a policy or a pool for all other seats, or a list with one
            for each, in the order of the seats.
        played: The game.
        seat: The agent's; None: another one in each episode.
        num_envs: Number of games.
        frameskip: Frames of a step.
        vector: The games, if they are in a vector.
        game: The environment of these games, for opponents that make branches of it.

    Attributes:
        own: int64 (num_envs,): the agent's seat in each game.

    Raises:
        TypeError: An opponent is of a wrong type, or `seat` is not a whole number.
        ValueError: There is no such seat or level, there are too few opponents, or one was trained
            for another game, mode or frameskip.
    """

    def __init__(
        self,
        opponent: Opponent,
        played: Selection,
        seat: int | None,
        *,
        num_envs: int,
        frameskip: int,
        vector: Vector | None = None,
        game: Any = None,
    ) -> None:
        if seat is not None:
            seat = integer("seat", seat, 0, played.players - 1)
        self._seat, self._played = seat, played
        self._frameskip = frameskip
        self._table = SeatTable(num_envs, played.players, len(played.action_set), vector, game)
        self._pools = self._pools_of(opponent)
        self._seeds: list[int | None] = [None] * num_envs
        self._episodes = [-1] * num_envs  # since the seed
        self.own = np.zeros(num_envs, np.int64)
        self._rows = np.arange(num_envs)

    def facts(self) -> dict[str, Any]:
        """Return what is played, and from which seat, for `repr`."""
        played = self._played
        return {
            "game": played.source,
            "num_players": played.players,
            "mode": played.mode,
            "seat": self._seat,
        }

    # ---- Opponents -------------------------------------------------------------------------------

    def _pools_of(self, opponent: Any) -> list[tuple[Pool, list[int]]]:
        """For each other seat a pool, and the numbers in the table of those who are in it."""
        others = self._played.players - 1
        is_list = isinstance(opponent, Sequence) and not isinstance(opponent, (str, bytes))
        entries = list(opponent) if is_list else [opponent]
        if is_list and len(entries) != others:
            raise ValueError(
                f"opponent has {len(entries)} entries; {contest_played(self._played)} has {others} "
                "other seats"
            )
        pools = []
        for entry in entries:
            members = entry.opponents if isinstance(entry, Pool) else (entry,)
            numbers = [self._add(member) for member in members]
            pools.append((entry if isinstance(entry, Pool) else Pool(members), numbers))
        return pools if is_list else pools * others

    def _add(self, opponent: Any) -> int:
        policy = opponent
        if isinstance(opponent, (str, TrainedPolicy)):
            policy = fitted(opponent, self._played, self._frameskip)
        elif not callable(opponent) or isinstance(opponent, type):
            raise TypeError(
                f"opponent is {opponent!r}; it must be the name of a level, a policy (a function "
                "of observations and seats), a Pool, or a list of such"
            )
        is_level = isinstance(opponent, str)
        name = opponent if is_level else getattr(opponent, "__name__", "opponent")
        return self._table.add(name, policy)

    @property
    def needs_observations(self) -> bool:
        """Whether an opponent sees what the agent sees."""
        return self._table.needs_observations

    # ---- Episodes --------------------------------------------------------------------------------

    def begin(self, env: int, seed: int | None = None) -> None:
        """Draw the agent's seat and the opponents of an episode.

        Args:
            env: In which game it begins.
            seed: From here on all depends only on this; None: go on.
        """
        before = self._seeds[env]
        if seed is None:
            seed = secrets.randbits(128) if before is None else before
            episode = self._episodes[env] + 1
        else:
            episode = 0
        self._seeds[env], self._episodes[env] = seed, episode
        players = self._played.players
        own = (seed + episode) % players if self._seat is None else self._seat
        draw = seat_generator((seed, episode), players)
        who = [numbers[pool.draw(draw)] for pool, numbers in self._pools]
        who.insert(own, OPEN)
        self.own[env] = own
        self._table.begin(env, who, episode, (seed, episode))

    def actions(self, own: Array, ram: Array, observations: Array, *, apart: bool) -> Array:
        """All players' actions, but those that a vector's `choose` adds.

        Args:
            own: int (n,): the agent's in each game.
            ram: uint8 (n, 128).
            observations: uint8 (n, ...), or (n, players, ...) where each player has its own.
            apart: Whether they have.

        Returns:
            int32 (n, players).
        """
        actions = np.empty((len(self.own), self._played.players), np.int32)
        actions[self._rows, self.own] = own
        self._table.choose(actions, ram, observations, apart=apart)
        return actions
