"""Players with networks of random numbers, and what they decide, in Python's whole numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from opponents.oracle import LOGIT_BITS
from pyale_ma import _native
from pyale_ma.opponents import Level, Trained
from pyale_ma.opponents.network import UNIT_BITS, DenseLayer, Network

DUEL = 2  # Quartet's
ACTIONS = (0, 1, 3, 4, 11, 12)
LEVEL = Level(steps=1000, minutes=0.5, matches=200, frames=5000, score=0.75, low=0.69, high=0.8)


def network(
    seed: int,
    *,
    seats: int = 2,
    largest: int = 2**15 - 1,
    sizes: tuple[int, int, int, int] = (11, 9, 7, len(ACTIONS)),
) -> Network:
    """A network whose weights are as large as they may be, with layers of unusual sizes."""
    random = np.random.default_rng(seed)
    bytes_, first, second, actions = sizes
    used = np.sort(random.choice(128, bytes_, replace=False))

    def layer(*shape: int) -> DenseLayer:
        weights = random.integers(-largest, largest, shape, endpoint=True)
        most = min(2**31 - 1, largest * 5000)
        bias = random.integers(-most, most, (*shape[:-2], shape[-1]))
        return DenseLayer(
            weights.astype(float), bias.astype(float), int(random.integers(largest.bit_length()))
        )

    inputs = 2 * bytes_
    scale = random.integers(-20, 20, inputs).astype(float)
    scale[:2] = -(2**15), 2**15 - 1
    offset = random.integers(-2000, 2000, inputs).astype(float)
    layers = layer(seats, inputs, first), layer(first, second), layer(second, actions)
    return Network(used, scale, offset, *layers)


def trained(seed: int = 0, *, game: str = "quartet", mode: int = DUEL, **changes: Any) -> Trained:
    """Two levels of a game for two."""
    facts: dict[str, Any] = {
        "game": game,
        "md5": _native.games()[game].md5,
        "players": 2,
        "mode": mode,
        "frameskip": 4,
        "actions": ACTIONS,
        "levels": {"weak": LEVEL, "strong": LEVEL},
        "networks": {"weak": network(seed), "strong": network(seed + 1)},
    }
    return Trained(**(facts | changes))


def logits(net: Network, now: Sequence[int], before: Sequence[int], seat: int) -> list[int]:
    """Return a network's logits, computed by its definition."""
    seen = [now[byte] for byte in net.used]
    seen += [now[byte] - before[byte] for byte in net.used]
    most = 5 << UNIT_BITS
    values = [
        max(-most, min(most, value * int(scale) - int(offset)))
        for value, scale, offset in zip(seen, net.scale, net.offset, strict=True)
    ]
    first = DenseLayer(net.first.weights[seat], net.first.bias[seat], net.first.shift)
    for layer in (first, net.between, net.last):
        sums = [
            sum(value * int(weight) for value, weight in zip(values, column, strict=True))
            + int(bias)
            for column, bias in zip(layer.weights.T, layer.bias, strict=True)
        ]
        values = [max(0, min(2**20, total >> layer.shift)) for total in sums]
    shift = net.last.shift + UNIT_BITS - LOGIT_BITS
    return [math.floor(total / 2**shift) for total in sums]
