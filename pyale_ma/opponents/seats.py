"""Who has which seat where one agent plays against opponents, and what these do.

In a vector, trained players choose their actions on its threads, as `TrainedPolicy` would.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import integer, number
from pyale_ma._native import NativePolicy, Vector
from pyale_ma.opponents.catalogue import Contest, check_level, fitted
from pyale_ma.opponents.policies import Policy, PolicyRunner
from pyale_ma.opponents.trained import TrainedPolicy

__all__ = ["Opponent", "Pool", "Seats"]

Array: TypeAlias = npt.NDArray[Any]
_Turn: TypeAlias = tuple[PolicyRunner, Array, Array]  # who plays in which games on which seats

OWN = -1  # who has the agent's seat


class Pool:
    """Several opponents, of which one is drawn for each seat and each episode.

    Args:
        opponents: Names of levels, or policies.
        weights: How often each is drawn, compared with the others; None: all equally often.  The
            attribute of this name may be changed, and counts from the next episode on.

    Raises:
        TypeError: `opponents` or `weights` is no list, an opponent is neither a name nor a policy,
            or a weight is no number.
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
        given = _listed("weights", weights)
        if len(given) != len(self.opponents):
            raise ValueError(f"weights has {len(given)} values for {len(self.opponents)} opponents")
        values = np.array([number(f"weights[{k}]", weight) for k, weight in enumerate(given)])
        if not (np.isfinite(values).all() and values.min() >= 0 and values.max() > 0):
            raise ValueError(
                f"weights is {weights}; they must be finite, not negative and not all 0"
            )
        self._weights = given
        values = values / values.max()  # whose sum may be more than there are numbers for
        self._shares = values / values.sum()

    def draw(self, generator: np.random.Generator) -> int:
        """The number of an opponent."""
        if len(self.opponents) == 1:
            return 0  # to draw takes long, and resets are many
        return int(generator.choice(len(self.opponents), p=self._shares))


def _listed(name: str, given: Any) -> tuple[Any, ...]:
    """Return the items of a list."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise TypeError(f"{name} must be a list, not {given!r}")
    return tuple(given)


Opponent: TypeAlias = str | Policy | Pool | Sequence[str | Policy | Pool]


class Seats:
    """Who has which seat in some games, of which each has one seat of the agent.

    Args:
        opponent: The name of a level, a policy or a pool for all other seats, or a list with one
            for each, in the order of the seats.
        played: The game.
        seat: The agent's; None: another one in each episode.
        num_envs: Number of games.
        frameskip: Frames of a step.
        actions: The actions, by ale-py's numbers.
        full_action_space: Whether these are all 18.
        vector: The games, if they are in a vector.

    Attributes:
        own: int64 (num_envs,): the agent's seat in each game.

    Raises:
        TypeError: An opponent is of a wrong type, or `seat` is no whole number.
        ValueError: There is no such seat or level, there are too few opponents, or one was trained
            for another game, mode or frameskip.
    """

    def __init__(
        self,
        opponent: Opponent,
        played: Contest,
        seat: int | None,
        *,
        num_envs: int,
        frameskip: int,
        actions: Sequence[int],
        full_action_space: bool,
        vector: Vector | None = None,
    ) -> None:
        if seat is not None:
            seat = integer("seat", seat, 0, played.players - 1)
        self._seat, self._players = seat, played.players
        self._full_action_space, self._num_actions = full_action_space, len(actions)
        self._frameskip, self._played = frameskip, played
        self._asked: list[PolicyRunner] = []
        self._vector = vector
        self._natives: list[NativePolicy | None] = []  # of those asked who play in the vector
        self._pools = self._pools_of(opponent)
        self._entropy: list[Any] = [None] * num_envs
        self._episodes = np.full(num_envs, -1, np.int64)
        self._who = np.full((num_envs, played.players), OWN)
        self.own = np.zeros(num_envs, np.int64)
        self._rows = np.arange(num_envs)
        self._turns: list[_Turn] | None = None  # None: they must be looked up

    def facts(self) -> dict[str, Any]:
        """Return what is played, and from which seat, for `repr`."""
        played = self._played
        return {
            "game": played.game,
            "num_players": played.players,
            "mode": played.mode,
            "seat": self._seat,
        }

    # ---- Opponents -------------------------------------------------------------------------------

    def _pools_of(self, opponent: Any) -> list[tuple[Pool, list[int]]]:
        """For each other seat a pool, and the numbers of those who are in it."""
        others = self._players - 1
        several = isinstance(opponent, Sequence) and not isinstance(opponent, (str, bytes))
        given = list(opponent) if several else [opponent]
        if several and len(given) != others:
            raise ValueError(
                f"opponent has {len(given)} entries; {self._played} has {others} other seats"
            )
        pools = []
        for each in given:
            entries = each.opponents if isinstance(each, Pool) else (each,)
            numbers = [self._number(entry) for entry in entries]
            pools.append((each if isinstance(each, Pool) else Pool(entries), numbers))
        return pools if several else pools * others

    def _number(self, entry: Any) -> int:
        policy = entry
        if isinstance(entry, (str, TrainedPolicy)):
            policy = fitted(entry, self._played, self._frameskip, self._full_action_space)
        elif not callable(entry) or isinstance(entry, type):
            raise TypeError(
                f"opponent is {entry!r}; it must be the name of a level, a policy (a function of "
                "observations and seats), a Pool, or a list of such"
            )
        name = entry if isinstance(entry, str) else getattr(entry, "__name__", "opponent")
        self._asked.append(PolicyRunner(name, policy, self._num_actions, self._generator))
        plays_there = self._vector is not None and type(policy) is TrainedPolicy
        self._natives.append(policy._native if plays_there else None)
        return len(self._asked) - 1

    def _generator(self, env: int, seat: int) -> np.random.Generator:
        return np.random.default_rng([self._entropy[env], self._episodes[env], seat])

    @property
    def look(self) -> bool:
        """Whether an opponent sees what the agent sees."""
        return not all(asked.observes_ram for asked in self._asked)

    # ---- Episodes --------------------------------------------------------------------------------

    def begin(self, env: int, seed: int | None = None) -> None:
        """An episode begins.

        Args:
            env: In which game.
            seed: From here on all depends only on this; None: go on.
        """
        for asked in self._asked:
            asked.forget(env, range(self._players))
        if seed is not None or self._entropy[env] is None:
            self._entropy[env] = np.random.SeedSequence().entropy if seed is None else seed
            self._episodes[env] = 0
        else:
            self._episodes[env] += 1
        turn = int((self._entropy[env] + int(self._episodes[env])) % self._players)
        own = turn if self._seat is None else self._seat
        self.own[env] = own
        others = [seat for seat in range(self._players) if seat != own]
        draw = self._generator(env, self._players)
        for seat, (pool, numbers) in zip(others, self._pools, strict=True):
            self._who[env, seat] = numbers[pool.draw(draw)]
        self._who[env, own] = OWN
        self._turns = None
        if self._vector is not None:
            self._sit(self._vector, env)

    def _sit(self, vector: Vector, env: int) -> None:
        """Say in the vector who plays there."""
        for seat, who in enumerate(self._who[env].tolist()):
            player = None if who == OWN else self._natives[who]
            random = 0 if player is None else int(self._generator(env, seat).integers(2**32))
            vector.seat(env, seat, player, random)

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
        actions = np.empty(self._who.shape, np.int32)
        actions[self._rows, self.own] = own
        if self._turns is None:
            self._turns = self._whose_turns()
        for asked, rows, seats in self._turns:
            if asked.observes_ram:
                seen = ram[rows]
            elif apart:
                seen = observations[rows, seats]
            elif len(self._asked) == 1 and np.array_equal(rows, self._rows):
                seen = observations  # pictures are large, and nobody else looks
            else:
                seen = observations[rows]
            actions[rows, seats] = asked.act(seen, rows, seats, self._episodes[rows])
        return actions

    def _whose_turns(self) -> list[_Turn]:
        """Who plays where."""
        turns = []
        for who, (asked, player) in enumerate(zip(self._asked, self._natives, strict=True)):
            rows, seats = np.nonzero(self._who == who)
            if player is None and len(rows):
                turns.append((asked, rows, seats))
        return turns
