"""The table of seats: who plays which player of which environment, and what they remember there."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import whole_numbers
from pyale_ma._native import NativePolicy, Vector
from pyale_ma.opponents.policies import (
    NO_GAME,
    Policy,
    Turn,
    needs_game,
    observes_ram,
    takes_turn,
)
from pyale_ma.opponents.trained import TrainedPolicy

__all__ = ["OPEN", "SeatTable", "seat_generator"]

Array: TypeAlias = npt.NDArray[Any]

OPEN = -1  # in place of a policy's number: the seat of an agent, of a person or of nobody


@dataclass(frozen=True)
class _Entry:
    """A policy in the table.

    Attributes:
        name: What errors call it.
        policy: The policy.
        takes_turn: Whether it has a parameter `turn`.
        observes_ram: Whether it must be given RAM.
        native: What chooses its actions in the vector; None: it chooses them itself.
    """

    name: str
    policy: Policy
    takes_turn: bool
    observes_ram: bool
    native: NativePolicy | None


@dataclass
class _Memory:
    """Memory of the player on a seat from one turn to the next."""

    generator: np.random.Generator
    state: Any = None


@dataclass
class _Group:
    """All seats of a policy, for which it chooses actions together.

    Attributes:
        entry: The policy.
        envs: int64 (n,): the environment of each seat.
        seats: int64 (n,): the seats.
        is_whole: Whether these are one seat of each environment, and nobody else looks.
        memories: What is remembered on each, if the policy takes turns.
        starts: bool (n,): whose match begins.
    """

    entry: _Entry
    envs: Array
    seats: Array
    is_whole: bool
    memories: list[_Memory]
    starts: npt.NDArray[np.bool_]


def seat_generator(entropy: Sequence[int], seat: int) -> np.random.Generator:
    """Make the random generator of a seat in a match.

    Args:
        entropy: Whole numbers from 0, which the match's random numbers come of.
        seat: The seat; the number of players gives what is drawn before the match begins.
    """
    return np.random.default_rng([*entropy, seat])


class SeatTable:
    """The policy of each seat in each environment, and what it remembers there.

    Environments against opponents, arenas and consoles that people play all seat their players
    here.  In a vector, trained players choose their actions on its threads, as `TrainedPolicy`
    would.

    Args:
        num_envs: Number of environments.
        num_players: Seats of each.
        num_actions: Number of the game's actions.
        vector: The environments, where `Vector.choose` is to add the actions of trained players.
        game: What policies that need the game make branches of; None: they are refused.

    Attributes:
        num_players: Seats of each environment.
    """

    def __init__(
        self,
        num_envs: int,
        num_players: int,
        num_actions: int,
        vector: Vector | None = None,
        game: Any = None,
    ) -> None:
        self.num_players = num_players
        self._num_actions = num_actions
        self._vector, self._game = vector, game
        self._entries: list[_Entry] = []
        self._who = np.full((num_envs, num_players), OPEN)
        self._matches = np.full(num_envs, -1, np.int64)
        self._entropy: list[tuple[int, ...]] = [()] * num_envs
        self._memory: list[dict[int, _Memory]] = [{} for _ in range(num_envs)]  # by seat
        self._groups: list[_Group] | None = None  # None: they must be looked up

    def add(self, name: str, policy: Policy) -> int:
        """Add a policy that may have seats; its number.

        Args:
            name: What errors call it.
            policy: The policy.

        Raises:
            ValueError: It needs the game, and there is none.
        """
        native = None
        if needs_game(policy) and self._game is None:
            raise ValueError(NO_GAME.format(f"policy {name!r}"))
        if self._vector is not None and type(policy) is TrainedPolicy:
            native = policy._native
        self._entries.append(_Entry(name, policy, takes_turn(policy), observes_ram(policy), native))
        return len(self._entries) - 1

    @property
    def needs_observations(self) -> bool:
        """Whether a policy looks at more than RAM."""
        return not all(entry.observes_ram for entry in self._entries)

    def begin(self, env: int, who: Sequence[int], match: int, entropy: Sequence[int]) -> None:
        """Seat players for a match, which remember nothing of earlier ones.

        Args:
            env: Where it is played.
            who: The number of the policy on each seat, or `OPEN`.
            match: The number of the match, for `Turn`.
            entropy: As of `seat_generator`.
        """
        self._groups = None
        self._memory[env].clear()
        self._who[env] = who
        self._matches[env] = match
        self._entropy[env] = tuple(entropy)
        if self._vector is not None:
            self._seat_in_vector(self._vector, env)

    def _seat_in_vector(self, vector: Vector, env: int) -> None:
        for seat, number in enumerate(self._who[env].tolist()):
            native = None if number == OPEN else self._entries[number].native
            random = 0
            if native is not None:
                random = int(seat_generator(self._entropy[env], seat).integers(2**32))
            vector.seat(env, seat, native, random)

    def clear(self, env: int) -> None:
        """Leave all seats of an environment open: no match is played there."""
        self.begin(env, [OPEN] * self.num_players, -1, ())

    def open_seats(self, env: int) -> list[int]:
        """Return the seats of an environment that no policy has."""
        seats: list[int] = np.flatnonzero(self._who[env] == OPEN).tolist()
        return seats

    def choose(
        self,
        actions: Array,
        ram: Array | None,
        observations: Array,
        *,
        apart: bool = False,
    ) -> None:
        """Write the actions of all policies, but those that a vector's `choose` adds.

        Args:
            actions: int (num_envs, num_players): where they are written; open seats stay.
            ram: uint8 (num_envs, 128); None: nobody observes RAM.
            observations: uint8 (num_envs, ...), or (num_envs, num_players, ...) where each player
                has its own.
            apart: Whether they have.

        Raises:
            TypeError: A policy's actions are not whole numbers.
            ValueError: They are out of range, or not one for each player.
        """
        if self._groups is None:
            self._groups = self._find_groups()
        for group in self._groups:
            envs, seats = group.envs, group.seats
            if group.entry.observes_ram:
                assert ram is not None, "somebody observes RAM"
                seen = ram[envs]
            elif apart:
                seen = observations[envs, seats]
            else:
                seen = observations if group.is_whole else observations[envs]  # pictures are large
            actions[envs, seats] = self._act(group, seen)

    def _find_groups(self) -> list[_Group]:
        groups = []
        for number, entry in enumerate(self._entries):
            if entry.native is not None:
                continue
            envs, seats = np.nonzero(self._who == number)
            if not len(envs):
                continue
            memories: list[_Memory] = []
            starts = np.zeros(len(envs), np.bool_)
            if entry.takes_turn:
                for row, (env, seat) in enumerate(zip(envs.tolist(), seats.tolist(), strict=True)):
                    memory = self._memory[env]
                    if seat not in memory:
                        memory[seat] = _Memory(seat_generator(self._entropy[env], seat))
                        starts[row] = True
                    memories.append(memory[seat])
            is_whole = len(self._entries) == 1 and np.array_equal(envs, np.arange(len(self._who)))
            groups.append(_Group(entry, envs, seats, is_whole, memories, starts))
        return groups

    def _act(self, group: _Group, observations: Array) -> Array:
        """Actions of a policy on all its seats."""
        entry, seats = group.entry, group.seats.copy()  # the policy may change what it is given
        if not entry.takes_turn:
            actions = entry.policy(observations, seats)
            return _checked(actions, entry.name, observations, group.seats, self._num_actions)
        memories = group.memories
        turn = Turn(
            self._matches[group.envs],
            group.starts.copy(),
            [memory.generator for memory in memories],
            [memory.state for memory in memories],
            self._game if needs_game(entry.policy) else None,
            group.envs.copy(),
        )
        actions = entry.policy(observations, seats, turn=turn)
        actions = _checked(actions, entry.name, observations, group.seats, self._num_actions)
        for memory, state in zip(memories, turn.states, strict=True):
            memory.state = state
        group.starts[:] = False
        return actions


def _checked(actions: Any, name: str, observations: Array, seats: Array, num_actions: int) -> Array:
    """Check a policy's actions, and return them as an array."""
    if hasattr(actions, "detach"):  # a tensor
        actions = actions.detach().cpu()
    try:
        chosen: Array = np.asarray(actions)
    except ValueError:  # lists of different lengths
        raise ValueError(
            f"policy {name!r} returned {reprlib.repr(actions)}: it must return one action for "
            f"each observation, shape {seats.shape}"
        ) from None
    if chosen.shape != seats.shape:
        raise ValueError(
            f"policy {name!r} returned actions of shape {chosen.shape} for observations of shape "
            f"{observations.shape}: it must return one action for each, shape {seats.shape}"
        )
    try:
        chosen = whole_numbers("actions", actions)
    except TypeError as problem:
        raise TypeError(
            f"policy {name!r}: {problem}; take, for example, the argmax of a network's output"
        ) from None
    if chosen.size and (chosen.min() < 0 or chosen.max() >= num_actions):
        wrong = chosen[(chosen < 0) | (chosen >= num_actions)][0]
        raise ValueError(
            f"policy {name!r} chose action {wrong}; this game's are 0 to {num_actions - 1}: "
            "was it made for another game, or with full_action_space?"
        )
    return chosen
