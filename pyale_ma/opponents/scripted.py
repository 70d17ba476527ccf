"""Players that need no learning: they play any game, and look at nothing."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import integer, probability
from pyale_ma.opponents.policies import Player, Turn, needed

__all__ = ["StickyPolicy", "StillPolicy"]

Array: TypeAlias = npt.NDArray[Any]


class StillPolicy(Player):
    """A policy that always chooses the same action.

    Args:
        action: The action, such as the one that does nothing.

    Raises:
        TypeError: `action` is not a whole number.
        ValueError: It is below 0.
    """

    def __init__(self, action: int = 0) -> None:
        self._action = integer("action", action, 0)

    def __call__(self, observations: Array, seats: Array, /) -> Array:
        """Actions, int64 (n,)."""
        return np.full(len(seats), self._action, np.int64)


class StickyPolicy(Player):
    """A policy that chooses at random, and mostly stays with what it chose: it goes further so.

    Args:
        num_actions: Number of the game's actions.
        stay: The probability of the action before.

    Raises:
        TypeError: `num_actions` is not a whole number, or `stay` no number.
        ValueError: `num_actions` is below 1, or `stay` not from 0 to 1.
    """

    def __init__(self, num_actions: int, stay: float = 0.9) -> None:
        self._num_actions = integer("num_actions", num_actions, 1)
        self._stay = probability("stay", stay)

    def __call__(self, observations: Array, seats: Array, /, turn: Turn | None = None) -> Array:
        """Actions, int64 (n,).  TypeError: there is no `turn` with what it did before."""
        turn = needed(turn)
        for row, generator in enumerate(turn.generators):
            if turn.states[row] is None or generator.random() >= self._stay:
                turn.states[row] = int(generator.integers(self._num_actions))
        return np.array(turn.states, np.int64)
