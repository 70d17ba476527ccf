"""The network of a trained player, in whole numbers: it decides the same on every machine.

All that is added or multiplied is a whole number below 2**53 in a float64.  So every sum is exact,
and is the same in any order, by any library and with any instructions of a processor.  A number
of the network stands for a real one in units of 2**-10 between the layers, of 2**-5 at the end.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Layer", "Network", "choose", "next_random", "next_randoms"]

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

    def matrix(self, power: int) -> Array:
        """Its weights and, as those of one more input, its bias, all times ``2**power``.

        Returns:
            float64 (..., inputs + 1, outputs): as exact as they are.
        """
        bias = np.expand_dims(self.bias, -2)
        return np.concatenate((self.weights, bias), axis=-2) * math.ldexp(1.0, power)


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
        rows, groups = _by_seat(np.asarray(seats, np.int64).tobytes())
        scale, offset, first, between, last = self._numbers
        seen = now[rows]
        inputs = np.concatenate((seen, seen - before[rows], seen[:, :1]), axis=1)
        inputs *= scale
        inputs -= offset
        np.maximum(inputs, -LARGEST_INPUT, out=inputs)
        np.minimum(inputs, LARGEST_INPUT, out=inputs)
        sums = np.empty((len(inputs), first.shape[-1]))
        for seat, group in groups:
            np.matmul(inputs[group], first[seat], out=sums[group])
        sums = _rectified(sums) @ between
        sums = _rectified(sums) @ last
        logits = np.empty(sums.shape, np.int64)
        logits[rows] = np.floor(sums, out=sums)
        return logits

    @functools.cached_property
    def _numbers(self) -> tuple[Array, ...]:
        """Scale, offset and the layers' matrices, whose sums need only be rounded down.

        Each layer has an input more, for the biases, which is always 1: the last one.
        """
        first, between, last = self.first, self.between, self.last
        return (
            np.append(self.scale, 0.0),
            np.append(self.offset, -1.0),
            _with_one(first.matrix(-first.shift)),
            _with_one(between.matrix(-between.shift)),
            last.matrix(LOGIT_BITS - UNIT_BITS - last.shift),
        )


@functools.lru_cache(64)
def _by_seat(seats: bytes) -> tuple[Array, list[tuple[int, slice]]]:
    """The order of some rows by their seats, and where in it those of each seat are."""
    each = np.frombuffer(seats, np.int64)
    bounds = [0, *np.bincount(each).cumsum().tolist()]
    groups = [(seat, slice(*ends)) for seat, ends in enumerate(itertools.pairwise(bounds))]
    return np.argsort(each, kind="stable"), groups


def _with_one(matrix: Array) -> Array:
    """A layer's matrix with one more output, which is 1 because the last input is."""
    one = np.zeros((*matrix.shape[:-1], 1))
    one[..., -1, :] = 1
    return np.concatenate((matrix, one), axis=-1)


def _rectified(sums: Array) -> Array:
    """A layer's sums as the next one's inputs."""
    np.floor(sums, out=sums)
    np.maximum(sums, 0, out=sums)
    return np.minimum(sums, LARGEST_HIDDEN, out=sums)


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


_STEP = 0x9E3779B9
_STEPS = np.array([[_STEP * turn % 2**32] for turn in reversed(range(8))], np.uint32)


def next_randoms(states: Array) -> list[tuple[Array, Array]]:
    """What `next_random` gives in the turns to come, the next one last."""
    return list(zip(*next_random(states + _STEPS), strict=True))


def next_random(states: Array) -> tuple[Array, Array]:
    """The next state of random generators, and a number from each: uint32 (n,) both."""
    states = states + np.uint32(_STEP)
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
    less = np.maximum.reduce(logits, axis=1, keepdims=True) - logits
    shares = _EXPONENTIALS.take(less, mode="clip").cumsum(axis=1)
    picked = (drawn * shares[:, -1]) >> 32
    chosen: Array = (shares > picked[:, None]).argmax(axis=1)
    return chosen
