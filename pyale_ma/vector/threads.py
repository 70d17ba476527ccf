"""Methods of a vector environment that threads call one at a time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

_Method = TypeVar("_Method", bound=Callable[..., Any])


def one_at_a_time(method: _Method) -> _Method:
    """Have a call wait until those of other threads are over, `close` among them."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._stepper.in_use:
            return method(self, *args, **kwargs)

    return cast(_Method, call)
