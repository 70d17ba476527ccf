"""The network of a trained player, in whole numbers: it decides the same on every machine.

These are its numbers.  ``ale_policy_act`` of ``libale/include/ale/ale.h`` computes with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy.typing as npt

__all__ = ["DenseLayer", "Network"]

Array: TypeAlias = npt.NDArray[Any]

UNIT_BITS = 10  # of what goes into a layer
LARGEST_INPUT = 5 << UNIT_BITS
MOST_INPUTS = 256  # of a layer
MOST_SHIFT = 15


@dataclass(frozen=True)
class DenseLayer:
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
    """Numbers of a player's network.

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
    first: DenseLayer
    between: DenseLayer
    last: DenseLayer
