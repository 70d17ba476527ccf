"""The eighteen actions, and which of them a joystick's position presses."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np
import numpy.typing as npt


class Action(Enum):
    """Input of a player's controller in a frame."""

    NOOP = 0
    FIRE = 1
    UP = 2
    RIGHT = 3
    LEFT = 4
    DOWN = 5
    UPRIGHT = 6
    UPLEFT = 7
    DOWNRIGHT = 8
    DOWNLEFT = 9
    UPFIRE = 10
    RIGHTFIRE = 11
    LEFTFIRE = 12
    DOWNFIRE = 13
    UPRIGHTFIRE = 14
    UPLEFTFIRE = 15
    DOWNRIGHTFIRE = 16
    DOWNLEFTFIRE = 17

    def __repr__(self) -> str:
        return f"Action.{self.name}"

    def __index__(self) -> int:
        return self.value

    def __int__(self) -> int:
        return self.value


Action.__module__ = "pyale_ma.single.action"  # where pickles have always looked for it


def action_names(actions: Sequence[int]) -> list[str]:
    """The names of actions by ale-py's numbers."""
    return [Action(action).name for action in actions]


def joystick_action(horizontal: int, vertical: int, fire: bool) -> Action:
    """The action of a joystick's position: -1, 0 or 1 from left to right and from down to up.

    Raises:
        LookupError: A joystick has no such position.
        TypeError: The same, of something that is not a number.
    """
    name = {-1: "DOWN", 0: "", 1: "UP"}[vertical] + {-1: "LEFT", 0: "", 1: "RIGHT"}[horizontal]
    return Action[name + ("", "FIRE")[fire] or "NOOP"]


def joystick_table() -> npt.NDArray[np.int32]:
    """The action by horizontal (-1..1), vertical and fire; int32 (3, 3, 2), the first two + 1."""
    actions = np.zeros((3, 3, 2), np.int32)
    for horizontal in (-1, 0, 1):
        for vertical in (-1, 0, 1):
            for fire in (False, True):
                action = joystick_action(horizontal, vertical, fire)
                actions[horizontal + 1, vertical + 1, int(fire)] = action.value
    return actions


def joystick_actions(
    positions: npt.NDArray[np.float32], threshold: np.float32, table: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """Return the actions of float32 positions (..., 3): radius, angle, fire."""
    radius, angle, fire = positions[..., 0], positions[..., 1], positions[..., 2]
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    horizontal = (x > threshold).astype(np.int32) - (x < -threshold)
    vertical = (y > threshold).astype(np.int32) - (y < -threshold)
    pressed: npt.NDArray[np.int32] = table[
        horizontal + 1, vertical + 1, (fire > threshold).astype(np.int32)
    ]
    return pressed
