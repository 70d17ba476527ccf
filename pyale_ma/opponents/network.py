"""The network of a trained player, in whole numbers: it decides the same on every machine.

All that is added or multiplied is a whole number below 2**53 in a float64.  So every sum is exact,
and is the same in any order, by any library and with any instructions of a processor.  A number
of the network stands for a real one in units of 2**-10 between the layers, of 2**-5 at the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Layer", "Network", "choose", "next_random"]

Array: TypeAlias = npt.NDArray[Any]

UNIT_BITS = 10  # of what goes into a layer
LOGIT_BITS = 5  # of what the last one says
LARGEST_INPUT = 5 << UNIT_BITS
LARGEST_HIDDEN = 2**20
MOST_INPUTS = 256  # of a layer
MOST_SHIFT = 15


@dataclass(frozen=True)
class Layer:
    """Sums of a layer's inputs, with weights.

    Attributes:
        weights: float64 (..., inputs, outputs): numbers of 16 bits, in units of ``2**-shift``.
        bias: float64 (..., outputs): of 32 bits, in units of ``2**-(shift + UNIT_BITS)``.
        shift: 0 to `MOST_SHIFT`.
    """

    weights: Array
    bias: Array
    shift: int


@dataclass(frozen=True)
class Network:
    """What a player knows.

    Attributes:
        used: int64 (b,): the bytes of RAM that it sees.
        scale: float64 (2b,): what these bytes, and their changes, are multiplied by.
        offset: float64 (2b,): what is subtracted then.
        first: One layer for each seat: weights (seats, 2b, n).
        between: The layer from there.
        last: The layer to the actions.
    """

    used: Array
    scale: Array
    offset: Array
    first: Layer
    between: Layer
    last: Layer

    def logits(self, now: Array, before: Array, seats: Array) -> Array:
        """What speaks for each action.

        Args:
            now: float64 (n, b): the bytes that it sees.
            before: float64 (n, b): the same at the turn before; where there was none, as now.
            seats: int64 (n,): for which seat it decides.

        Returns:
            int64 (n, actions), in units of ``2**-LOGIT_BITS``.
        """
        inputs = np.concatenate((now, now - before), axis=1)
        inputs *= self.scale
        inputs -= self.offset
        np.clip(inputs, -LARGEST_INPUT, LARGEST_INPUT, out=inputs)
        first = self.first
        sums = np.empty((len(inputs), first.bias.shape[-1]))
        for seat in range(len(first.bias)):
            rows = seats == seat
            if rows.any():
                sums[rows] = inputs[rows] @ first.weights[seat] + first.bias[seat]
        hidden = _rectified(sums, first.shift)
        sums = hidden @ self.between.weights + self.between.bias
        hidden = _rectified(sums, self.between.shift)
        sums = hidden @ self.last.weights + self.last.bias
        sums *= math.ldexp(1.0, LOGIT_BITS - UNIT_BITS - self.last.shift)
        return np.floor(sums).astype(np.int64)


def _rectified(sums: Array, shift: int) -> Array:
    """A layer's sums as the next one's inputs."""
    sums *= math.ldexp(1.0, -shift)
    np.floor(sums, out=sums)
    return np.clip(sums, 0, LARGEST_HIDDEN, out=sums)


# ---- Chance --------------------------------------------------------------------------------------


def _exponentials() -> Array:
    """int64: 2**16 times e to the power of 0, -1, -2... in units of a logit, as far as it counts.

    Computed in whole numbers, from 2**64 times e to the power of ``-2**-LOGIT_BITS``.
    """
    factor = 17879197424118840458
    value, values = 2**80, []
    while value >= 2**63:
        values.append((value + 2**63) >> 64)
        value = value * factor >> 64
    return np.array([*values, 0], np.int64)


_EXPONENTIALS = _exponentials()


def next_random(states: Array) -> tuple[Array, Array]:
    """The next state of random generators, and a number from each: uint32 (n,) both."""
    states = states + np.uint32(0x9E3779B9)
    mixed = states ^ (states >> np.uint32(16))
    mixed = mixed * np.uint32(0x21F0AAAD)
    mixed ^= mixed >> np.uint32(15)
    mixed = mixed * np.uint32(0x735A2D97)
    return states, mixed ^ (mixed >> np.uint32(15))


def choose(logits: Array, drawn: Array) -> Array:
    """An action for each row: more likely by a factor of e for each unit of what speaks for it.

    Args:
        logits: int64 (n, actions), in units of ``2**-LOGIT_BITS``.
        drawn: uint32 (n,): random numbers.

    Returns:
        int64 (n,).
    """
    less = logits.max(axis=1, keepdims=True) - logits
    shares = _EXPONENTIALS[np.minimum(less, len(_EXPONENTIALS) - 1)].cumsum(axis=1)
    picked = (drawn.astype(np.int64) * shares[:, -1]) >> 32
    chosen: Array = (shares <= picked[:, None]).sum(axis=1)
    return chosen
