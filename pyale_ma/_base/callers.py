"""Objects that serve one caller at a time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

_Method = TypeVar("_Method", bound=Callable[..., Any])


def one_caller(method: _Method) -> _Method:
    """Decorate a method so that a call is refused while another one of its object runs.

    The object has a flag ``_is_busy``, False at first.  Neither other threads nor signal handlers
    run between looking at it and setting it, nor between clearing it and the end of the call.
    """

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._is_busy:
            raise in_use(self)
        self._is_busy = True
        try:
            result = method(self, *args, **kwargs)
        finally:
            self._is_busy = False
        return result

    return cast(_Method, call)


def in_use(thing: object) -> RuntimeError:
    """Return the error of a call that comes while another one runs."""
    return RuntimeError(
        f"{type(thing).__name__} is in use by another call: it serves one at a time. Let threads "
        "take turns, let callbacks and signal handlers set a flag for later, and make another one "
        "in a forked process"
    )
