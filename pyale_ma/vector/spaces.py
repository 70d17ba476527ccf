"""The spaces of an `AtariVectorEnv`."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from pyale_ma import _native
from pyale_ma.objects import Object


def observation_shape(
    obs_type: str,
    size: tuple[int, int],
    stack_num: int,
    *,
    players: int | None,
    agent_indicator: bool,
) -> tuple[int, ...]:
    """The shape of what one environment observes.

    Args:
        obs_type: What is observed.
        size: Height and width of pictures.
        stack_num: Frames.
        players: How many have an observation of their own; None: all have the same.
        agent_indicator: Whether their own has a plane for each player after the frames.
    """
    frame = {
        "grayscale": size,
        "rgb": (*size, 3),
        "ram": (_native.RAM_SIZE,),
        "objects": (*size, len(Object)),
    }[obs_type]
    if players is None:
        return (stack_num, *frame)
    return (players, stack_num + players if agent_indicator else stack_num, *frame)


def observation_spaces(shape: tuple[int, ...], batch_size: int) -> tuple[spaces.Box, spaces.Box]:
    """The space of one environment, bytes, and that of a batch.

    The latter is what `batch_space` makes, but its bounds, four arrays as large as a batch, are
    views of one number each: they would take more memory than the environments.
    """
    single = spaces.Box(0, 255, shape, np.uint8)
    batch = copy.copy(single)
    shape = (batch_size, *shape)
    spaces.Space.__init__(batch, shape, np.uint8, copy.deepcopy(single.np_random))
    for bounds in ("low", "high", "bounded_below", "bounded_above"):
        setattr(batch, bounds, np.broadcast_to(getattr(single, bounds).flat[0], shape))
    return single, batch


def action_spaces(
    num_actions: Sequence[int], batch_size: int, num_players: int | None, *, continuous: bool
) -> tuple[spaces.Space[Any] | None, spaces.Space[Any]]:
    """The space of one environment, None where they differ, and that of a batch."""
    players = () if num_players is None else (num_players,)
    if continuous:
        low, high = np.array([0, -math.pi, 0]), np.array([1, math.pi, 1])
        shape = (*players, 3)
        single: spaces.Space[Any] = spaces.Box(
            np.broadcast_to(low, shape).astype(np.float32),
            np.broadcast_to(high, shape).astype(np.float32),
        )
        return single, batch_space(single, batch_size)
    counts = np.array(num_actions)
    if counts.min() == counts.max():
        count = num_actions[0]
        single = spaces.MultiDiscrete([count] * players[0]) if players else spaces.Discrete(count)
        return single, batch_space(single, batch_size)
    # Of a smaller batch it is not known beforehand which environments it has.
    if batch_size < len(counts):
        counts = np.full(batch_size, counts.min())
    if players:
        counts = np.broadcast_to(counts[:, None], (batch_size, *players)).copy()
    return None, spaces.MultiDiscrete(counts)
