"""`TrainedPolicy`: a trained player, as a policy for any number of games at once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.text import printable
from pyale_ma._native import RAM_SIZE, NativePolicy
from pyale_ma.opponents.network import choose, next_randoms
from pyale_ma.opponents.policies import Player, Turn, needed
from pyale_ma.opponents.weights import Level, Trained, check_network, numbers, shape

__all__ = ["TrainedPolicy"]

Array: TypeAlias = npt.NDArray[Any]


def native(policy: TrainedPolicy) -> NativePolicy:
    """The same player, as the library seats it in vectors."""
    trained, network = policy.trained, policy._network
    return NativePolicy(
        trained.players, actions=trained.actions, numbers=numbers(network), **shape(network)
    )


@dataclass(frozen=True, eq=False)
class _Batch:
    """What players remember who decided together; of each, its row.

    Attributes:
        now: float64 (n, b): the bytes that they saw.
        random: uint32 (n,): the states of their random generators.
        coming: What these give in some turns to come, as `next_randoms` says it.
    """

    now: Array
    random: Array
    coming: list[tuple[Array, Array]]


def _remembered(turn: Turn, now: Array) -> _Batch:
    """What each remembers, in the order of the turn; at the beginning what it sees now."""
    states = turn.states
    if states and all(states):
        batches, rows = zip(*states, strict=True)
        batch = batches[0]
        if batches.count(batch) == len(batches):
            if rows == tuple(range(len(batch.now))):  # as nearly always
                return batch  # type: ignore[no-any-return]
            return _Batch(batch.now[list(rows)], batch.random[list(rows)], [])
    before, random = now.copy(), np.empty(len(now), np.uint32)
    for place, state in enumerate(states):
        if state is None:
            random[place] = turn.generators[place].integers(2**32)
        else:
            batch, row = state
            before[place], random[place] = batch.now[row], batch.random[row]
    return _Batch(before, random, [])


class TrainedPolicy(Player):
    """A trained player: a `pyale_ma.evaluation.Policy` that sees the console's RAM.

    `Arena` and the environments against opponents give it RAM, whatever is observed in them.  It
    plays for any seat, and for any number of games at a time.  What it does depends only on what it
    has seen in a game, and on its random generator there; it is the same on every machine.

    Args:
        trained: What a file of players says.
        level: One of its levels.
        action_set: The actions of the game that is played, by ale-py's numbers; None: those that
            it learned with.

    Attributes:
        observes: "ram".
        trained: As given.
        level: As given.
        action_set: What the numbers of actions mean.

    Raises:
        ValueError: There is no such level, its network is none that a file could have, or
            `action_set` lacks actions that it learned with.
    """

    observes = "ram"

    def __init__(
        self, trained: Trained, level: str, action_set: Sequence[int] | None = None
    ) -> None:
        if level not in tuple(trained.networks):
            raise ValueError(f"level is {level!r}; there are {', '.join(trained.networks)}")
        self.trained, self.level = trained, level
        self._players = trained.players
        self._network = trained.networks[level]
        check_network(self._network, trained.players, len(trained.actions))
        known = list(trained.actions if action_set is None else action_set)
        if missing := set(trained.actions).difference(known):
            raise ValueError(
                f"action_set is {known}; it lacks {sorted(missing)}, which the {level} player of "
                f"{printable(trained.game)} needs"
            )
        self.action_set = tuple(known)
        self._indices = np.array([known.index(action) for action in trained.actions])

    def __repr__(self) -> str:
        it = self.trained
        contest = f"{it.game!r}, players={it.players}, mode={it.mode}"
        return f"TrainedPolicy({contest}, level={self.level!r})"

    @property
    def strength(self) -> Level:
        """How it came about, and how well it plays."""
        return self.trained.levels[self.level]

    def __call__(self, observations: Array, seats: Array, /, turn: Turn | None = None) -> Array:
        """Choose actions.

        Args:
            observations: uint8 (n, 128): the RAM that each sees, or (n, k, 128): of the last k
                steps, the present one last.
            seats: int64 (n,): which player each is, 0 for the first.
            turn: Its generators and states.

        Returns:
            int64 (n,): indices into the action set.

        Raises:
            ValueError: It is given something else than RAM, or there is no such seat.
            TypeError: It is given no turn.
        """
        turn = needed(turn)
        seen = np.asarray(observations)
        if seen.dtype != np.uint8 or seen.ndim not in (2, 3) or seen.shape[-1] != RAM_SIZE:
            raise ValueError(
                f"a trained player sees RAM, uint8 (n, {RAM_SIZE}) or (n, steps, {RAM_SIZE}), and "
                f"was given {seen.dtype} {seen.shape}"
            )
        players = self.trained.players
        if len(seats) and (seats.min() < 0 or seats.max() >= players):
            raise ValueError(
                f"seats has {seats.min()} to {seats.max()}; this player of "
                f"{printable(self.trained.game)} has 0 to {players - 1}"
            )
        if seen.ndim == 3:
            seen = seen[:, -1]
        now = seen.take(self._network.used, axis=1).astype(np.float64)
        last = _remembered(turn, now)
        logits = self._network.logits(now, last.now, seats)
        *coming, (random, drawn) = last.coming or next_randoms(last.random)
        batch = _Batch(now, random, coming)
        turn.states[:] = zip(itertools.repeat(batch), range(len(now)))
        return self._indices.take(choose(logits, drawn))
