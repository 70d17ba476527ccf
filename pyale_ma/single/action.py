"""``ale_py``'s enumerations: the eighteen actions, and the log levels."""

from __future__ import annotations

import operator
import reprlib
from enum import Enum
from typing import Any

from pyale_ma.games.actions import Action

__all__ = ["Action", "LoggerMode", "index_of", "no_action"]


class LoggerMode(Enum):
    """Which messages ale-py prints.  This library prints none."""

    Info = 0
    Warning = 1
    Error = 2

    def __repr__(self) -> str:
        return f"LoggerMode.{self.name}"


def index_of(action: Any) -> int:
    """The index that an action is, of any type that has one.

    Raises:
        TypeError: It is none.  An `Action` is none either: its numbers mean other actions.
    """
    if isinstance(action, Action):
        raise TypeError
    return operator.index(action)


def no_action(action: Any, count: int) -> TypeError:
    """Return the error for an action that is not a whole number; `count` is how many there are."""
    return TypeError(
        f"action is {reprlib.repr(action)}; it must be a whole number, 0 to {count - 1}"
        + (
            f", as get_action_meanings().index({action.name!r}) is"
            if isinstance(action, Action)
            else ""
        )
    )
