"""`TrainedPolicy`: a trained player, as a policy for any number of games at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.text import printable
from pyale_ma._native import ACTION_COUNT, RAM_SIZE, NativePolicy
from pyale_ma.opponents.policies import Player, Turn, needed
from pyale_ma.opponents.weights import Level, Trained, check_network, numbers, shape

__all__ = ["TrainedPolicy"]

Array: TypeAlias = npt.NDArray[Any]


def _remembered(turn: Turn, rams: Array) -> tuple[Array, Array]:
    """Return what each saw last, or sees at the beginning, and the state of its random numbers."""
    states = [
        (ram, generator.integers(2**32)) if state is None else state
        for state, ram, generator in zip(turn.states, rams, turn.generators, strict=True)
    ]
    before = np.array([ram for ram, _ in states], np.uint8).reshape(rams.shape)
    return before, np.array([random for _, random in states], np.uint32)


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
        check_network(trained.networks[level], trained.players, len(trained.actions))
        available = list(trained.actions if action_set is None else action_set)
        if missing := set(trained.actions).difference(available):
            raise ValueError(
                f"action_set is {available}; it lacks {sorted(missing)}, which the {level} player "
                f"of {printable(trained.game)} needs"
            )
        self.action_set = tuple(available)
        self._prepare()

    def _prepare(self) -> None:
        """Make all that is not pickled."""
        trained, network = self.trained, self.trained.networks[self.level]
        self._native = NativePolicy(
            trained.players, actions=trained.actions, numbers=numbers(network), **shape(network)
        )
        self._indices = np.zeros(ACTION_COUNT, np.int64)  # into the action set, by ale-py's numbers
        for action in trained.actions:
            self._indices[action] = self.action_set.index(action)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_native"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare()

    def __repr__(self) -> str:
        it = self.trained
        contest = f"{it.game!r}, players={it.players}, mode={it.mode}"
        return f"TrainedPolicy({contest}, level={self.level!r})"

    @property
    def strength(self) -> Level:
        """Origin and strength of the player."""
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
            ValueError: It is given something else than RAM, there is no such seat, or there are not
                as many seats, generators and states as observations.
            TypeError: It is given no turn.
        """
        turn, seats = needed(turn), np.asarray(seats)
        seen = np.asarray(observations)
        steps = seen.shape[1] if seen.ndim == 3 else 1
        has_ram = seen.ndim in (2, 3) and seen.shape[-1] == RAM_SIZE
        if seen.dtype != np.uint8 or not has_ram or not steps:
            raise ValueError(
                f"a trained player sees RAM, uint8 (n, {RAM_SIZE}) or (n, steps, {RAM_SIZE}), and "
                f"was given {seen.dtype} {seen.shape}"
            )
        if seats.ndim != 1 or (seats.size and seats.dtype.kind not in "iu"):
            raise ValueError(f"seats is {seats.dtype} {seats.shape}; it must be whole numbers (n,)")
        states, generators = len(turn.states), len(turn.generators)
        counts = {"seats": len(seats), "turn.states": states, "turn.generators": generators}
        for name, count in counts.items():
            if count != len(seen):
                raise ValueError(f"{name} has {count} elements for {len(seen)} observations")
        players = self.trained.players
        if len(seats) and (seats.min() < 0 or seats.max() >= players):
            raise ValueError(
                f"seats has {seats.min()} to {seats.max()}; this player of "
                f"{printable(self.trained.game)} has 0 to {players - 1}"
            )
        if seen.ndim == 3:
            seen = seen[:, -1]
        rams = np.array(seen, order="C")  # what is given may change before the next turn
        before, randoms = _remembered(turn, rams)
        chosen, randoms = self._choose(rams, before, seats, randoms)
        turn.states[:] = zip(rams, randoms, strict=True)
        return chosen

    def _choose(
        self, rams: Array, before: Array, seats: Array, randoms: Array
    ) -> tuple[Array, Array]:
        """Choose as `NativePolicy.act` does, but indices into the action set, int64 (n,)."""
        actions, randoms = self._native.act(rams, before, seats, randoms)
        return self._indices.take(actions), randoms
