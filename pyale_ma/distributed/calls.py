"""Calls of a collector: one at a time, and none after an interrupted one until a reset."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gymnasium.error import ResetNeeded

if TYPE_CHECKING:
    from pyale_ma.distributed.core import BaseCollector

__all__ = ["one_call", "renewing_call"]

_Method = TypeVar("_Method", bound=Callable[..., Any])


def one_call(method: _Method) -> _Method:
    """Decorate a collector's method so that it refuses to begin while another one runs.

    Raises:
        RuntimeError: Another call runs, or the collector was closed, or Ray shut down.
        gymnasium.error.ResetNeeded: A call was interrupted while it changed the collector.
    """
    return _decorated(method, False)


def renewing_call(method: _Method) -> _Method:
    """Decorate a method as `one_call` does that is allowed after an interrupted call."""
    return _decorated(method, True)


def _decorated(method: _Method, renews: bool) -> _Method:
    @functools.wraps(method)
    def call(self: BaseCollector, *args: Any, **kwargs: Any) -> Any:
        name = type(self).__name__
        if self._is_in_use:
            raise RuntimeError(
                f"the {name} is used by another call: of another thread, a signal handler or a "
                "callback; only one call may run at a time"
            )
        self._is_in_use = True
        try:
            self._pool.check_open()
            if self._pool.is_changing and not renews:
                raise ResetNeeded(
                    f"the last call of the {name} was interrupted; call reset(), or restore a state"
                )
            result = method(self, *args, **kwargs)
            return result  # noqa: RET504 - so that an interrupt after the call is within the block
        finally:
            self._is_in_use = False

    return cast(_Method, call)
