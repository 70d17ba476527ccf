"""Continuous actions: where a joystick is pushed to, as one of the eighteen actions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyale_ma.single.env import AtariEnv


def map_action_idx() -> npt.NDArray[np.int32]:
    """The action by horizontal (-1..1), vertical and fire; int32 (3, 3, 2), the first two + 1."""
    actions = np.zeros((3, 3, 2), np.int32)
    for horizontal in (-1, 0, 1):
        for vertical in (-1, 0, 1):
            for fire in (False, True):
                action = AtariEnv.map_action_idx(horizontal, vertical, fire)
                actions[horizontal + 1, vertical + 1, int(fire)] = action.value
    return actions


def joystick_actions(
    positions: npt.NDArray[np.float32], threshold: np.float32, table: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """What float32 positions (..., 3) of radius, angle and fire press; all in single precision."""
    radius, angle, fire = positions[..., 0], positions[..., 1], positions[..., 2]
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    horizontal = (x > threshold).astype(np.int32) - (x < -threshold)
    vertical = (y > threshold).astype(np.int32) - (y < -threshold)
    pressed: npt.NDArray[np.int32] = table[
        horizontal + 1, vertical + 1, (fire > threshold).astype(np.int32)
    ]
    return pressed
