"""Decisions of trained players, computed by NumPy: the oracle for libale's.

All that is added or multiplied is a whole number below 2**53 in a float64.  So every sum is exact,
and is the same in any order, by any library and with any instructions of a processor.  A number
of the network stands for a real one in units of 2**-10 between the layers, of 2**-5 at the end.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pyale_ma.opponents.network import LARGEST_INPUT, UNIT_BITS, DenseLayer, Network

LOGIT_BITS = 5  # of what the last layer says
LARGEST_HIDDEN = 2**20


def logits(network: Network, rams: Any, before: Any, seats: Any) -> Any:
    """Return the action logits.

    Args:
        network: The network.
        rams: uint8 (n, 128): what each player sees.
        before: uint8 (n, 128): what it saw at its last action; at its first, as `rams`.
        seats: int (n,): for which seat it decides.

    Returns:
        int64 (n, actions), in units of ``2**-LOGIT_BITS``.
    """
    now, earlier = (
        np.asarray(array)[:, network.used].astype(np.float64) for array in (rams, before)
    )
    inputs = np.concatenate((now, now - earlier), axis=1) * network.scale - network.offset
    inputs = np.clip(inputs, -LARGEST_INPUT, LARGEST_INPUT)
    first = network.first
    sums = np.empty((len(inputs), first.bias.shape[-1]))
    for seat in range(len(first.bias)):
        rows = np.asarray(seats) == seat
        sums[rows] = inputs[rows] @ first.weights[seat] + first.bias[seat]
    sums = _hidden(sums, first) @ network.between.weights + network.between.bias
    sums = _hidden(sums, network.between) @ network.last.weights + network.last.bias
    power = LOGIT_BITS - UNIT_BITS - network.last.shift
    return np.floor(sums * math.ldexp(1.0, power)).astype(np.int64)


def _hidden(sums: Any, layer: DenseLayer) -> Any:
    """A layer's sums as the next one's inputs."""
    return np.clip(np.floor(sums * math.ldexp(1.0, -layer.shift)), 0, LARGEST_HIDDEN)


def _exponentials() -> Any:
    """int64: 2**16 times e to the power of 0, -1, -2... in units of a logit, as far as it counts.

    Computed in whole numbers, from 2**64 times e to the power of ``-2**-LOGIT_BITS``.
    """
    factor = 17879197424118840458
    value, values = 2**80, []
    while value >= 2**63:
        values.append((value + 2**63) >> 64)
        value = value * factor >> 64
    return np.array([*values, 0], np.int64)


EXPONENTIALS = _exponentials()


def next_random(states: Any) -> tuple[Any, Any]:
    """The next state of random generators, and a number from each: uint32 (n,) both."""
    states = states + np.uint32(0x9E3779B9)
    mixed = states ^ (states >> np.uint32(16))
    mixed = mixed * np.uint32(0x21F0AAAD)
    mixed ^= mixed >> np.uint32(15)
    mixed = mixed * np.uint32(0x735A2D97)
    return states, mixed ^ (mixed >> np.uint32(15))


def choose(said: Any, drawn: Any) -> Any:
    """An action for each row: more likely by a factor of e for each unit of what speaks for it.

    Args:
        said: int64 (n, actions): logits.
        drawn: uint32 (n,): random numbers.

    Returns:
        int64 (n,).
    """
    less = np.maximum.reduce(said, axis=1, keepdims=True) - said
    shares = EXPONENTIALS.take(less, mode="clip").cumsum(axis=1)
    picked = (drawn * shares[:, -1]) >> 32
    return (shares > picked[:, None]).argmax(axis=1)
