"""Actions: their names, and which of the eighteen a joystick's position presses.

`pyale_ma.single` knows both.  It also has ale-py's name for vectors, so it is imported late.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def action_names(actions: Sequence[int]) -> list[str]:
    """The names of actions by ale-py's numbers."""
    from pyale_ma.single import Action

    return [Action(action).name for action in actions]


def map_action_idx() -> npt.NDArray[np.int32]:
    """The action by horizontal (-1..1), vertical and fire; int32 (3, 3, 2), the first two + 1."""
    from pyale_ma.single import AtariEnv

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
