"""The spaces of an `AtariVectorEnv`."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from pyale_ma.console.observations import ObservationType


def observation_space(
    kind: ObservationType,
    size: tuple[int, int],
    stack_num: int,
    *,
    players: int | None,
    agent_indicator: bool,
) -> spaces.Box:
    """Return the observation space of one environment.

    Args:
        kind: The type of observation.
        size: Height and width of pictures.
        stack_num: Frames.
        players: How many have an observation of their own; None: all have the same.
        agent_indicator: Whether their own has a plane for each player after the frames.
    """
    planes = stack_num + players if players and agent_indicator else stack_num
    each = (planes,) if players is None else (players, planes)
    return kind.stacked_space((*each, *kind.preprocessed_shape(*size)), stack_num)


def batch_of_observations(single: spaces.Box, batch_size: int) -> spaces.Box:
    """The space of a batch of what single environments observe.

    It is what `batch_space` makes, but its bounds, four arrays as large as a batch, are views of
    those of one environment: they would take more memory than the environments.
    """
    batch = copy.copy(single)
    shape = (batch_size, *single.shape)
    spaces.Space.__init__(batch, shape, single.dtype, copy.deepcopy(single.np_random))
    for bounds in ("low", "high", "bounded_below", "bounded_above"):
        setattr(batch, bounds, np.broadcast_to(getattr(single, bounds), shape))
    return batch


def action_spaces(
    num_actions: Sequence[int], rows: int, num_players: int | None, *, continuous: bool
) -> tuple[spaces.Space[Any] | None, spaces.Space[Any]]:
    """The space of one environment, None where they differ, and that of many.

    Args:
        num_actions: Of each environment.
        rows: Of the space of many: those of a batch, or of all environments if they differ.
        num_players: How many have an action; None: one, without an axis of players.
        continuous: Whether actions are positions of the joystick.
    """
    players = () if num_players is None else (num_players,)
    if continuous:
        low, high = np.array([0, -math.pi, 0]), np.array([1, math.pi, 1])
        shape = (*players, 3)
        single: spaces.Space[Any] = spaces.Box(
            np.broadcast_to(low, shape).astype(np.float32),
            np.broadcast_to(high, shape).astype(np.float32),
        )
        return single, batch_space(single, rows)
    counts = np.array(num_actions)
    if counts.min() == counts.max():
        count = num_actions[0]
        single = spaces.MultiDiscrete([count] * players[0]) if players else spaces.Discrete(count)
        return single, batch_space(single, rows)
    if players:
        counts = np.broadcast_to(counts[:, None], (rows, *players)).copy()
    return None, spaces.MultiDiscrete(counts)
