"""Calls of a collector: one at a time, and none after an interrupted one until a reset."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pyale_ma._base.callers import one_caller
from pyale_ma._native import interrupted

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

    @functools.wraps(method)
    def call(self: BaseCollector, *args: Any, **kwargs: Any) -> Any:
        if self._pool.is_changing:
            raise interrupted()
        return method(self, *args, **kwargs)

    return renewing_call(cast(_Method, call))


def renewing_call(method: _Method) -> _Method:
    """Decorate a method as `one_call` does that is allowed after an interrupted call."""

    @functools.wraps(method)
    def call(self: BaseCollector, *args: Any, **kwargs: Any) -> Any:
        self._pool.check_open()
        return method(self, *args, **kwargs)

    return one_caller(cast(_Method, call))
