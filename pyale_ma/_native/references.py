"""Check whether anybody else refers to an object: unreferenced memory is reused.

Fresh memory costs a page fault for every 4 KiB; counting references avoids that.  `env.py` thus
reuses the pictures of steps and the memory of states, and `vector/results.py` the arrays of
batches.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def _is_free_threaded() -> bool:
    """Whether this Python was built without a global lock, which may be off then."""
    if sys.version_info < (3, 13):
        return False
    import sysconfig  # 1 ms

    return bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


# Without a global lock, reference counts of other threads' objects cannot be trusted.
COUNTED = hasattr(sys, "getrefcount") and not _is_free_threaded()
"""Whether references are counted.  If not, nothing is reused."""

references: Callable[[Any], int] = sys.getrefcount if COUNTED else lambda _: 0
"""Count the references to an object, with those of the call; 0 where they are not counted."""


def _count_of_held() -> int:
    held = object()
    return references(held)


HELD = _count_of_held()
"""The count of ``references(variable)`` if only that local variable refers to the object."""
