"""Changes of several objects that an exception from outside, as Ctrl-C raises it, cannot divide.

Python runs signal handlers between the instructions of Python code, but not within a function that
is written in C.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

__all__ = ["Changes", "all_or_nothing", "call", "give_own_dict", "kept", "update"]

# Dicts, such as those of objects, each with what is to be in it.
Changes: TypeAlias = "list[tuple[dict[str, Any], dict[str, Any]]]"

_Method = TypeVar("_Method", bound=Callable[..., Any])


def update(changes: Changes) -> None:
    """Update several dicts.  No signal handler runs while it does."""
    deque(map(dict.update, *zip(*changes, strict=True)), maxlen=0)


def call(*calls: functools.partial[Any]) -> None:
    """Call several functions that are written in C.  No signal handler runs in between."""
    deque(map(functools.partial.__call__, calls), maxlen=0)


def kept(*dicts: dict[str, Any]) -> Changes:
    """Return the changes that restore dicts as they are now; entries added later would stay."""
    return [(each, dict(each)) for each in dicts]


def give_own_dict(thing: object) -> None:
    """Give an object a `__dict__` that shares no keys with those of other objects.

    Once `vars` was called, CPython 3.11 and 3.12 look attributes up slowly in a dict that does.
    """
    object.__setattr__(thing, "__dict__", {**vars(thing)})


def all_or_nothing(method: _Method) -> _Method:
    """Have a method that raises an exception, or is interrupted by one, change nothing.

    The object's method ``_undo`` returns what takes back all that is done afterwards.  Its
    attribute ``_alone`` is a `pyale_ma._base.locks.Alone`: such a method within another one is
    refused.
    """

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        def whole() -> Any:
            undo = self._undo()
            try:
                return method(self, *args, **kwargs)
            except BaseException:
                undo()
                raise

        return self._alone(whole)

    return cast(_Method, call)
