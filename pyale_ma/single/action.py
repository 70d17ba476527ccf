"""Names of the eighteen actions and of the log levels, as in ale-py."""

from __future__ import annotations

import reprlib
from enum import Enum
from typing import Any


class Action(Enum):
    """What a player does with the controller in a frame."""

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


class LoggerMode(Enum):
    """Which messages ale-py prints.  This library prints none."""

    Info = 0
    Warning = 1
    Error = 2

    def __repr__(self) -> str:
        return f"LoggerMode.{self.name}"


def no_action(action: Any, count: int) -> TypeError:
    """What to raise for an action that is no whole number; `count` is how many there are."""
    return TypeError(
        f"action is {reprlib.repr(action)}; it must be a whole number, 0 to {count - 1}"
    )
