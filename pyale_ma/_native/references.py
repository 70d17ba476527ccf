"""Whether anybody else refers to an object: what nobody looks at may be used again.

Fresh memory costs a page fault for every 4 KiB; counting references spares it.  By this `env.py`
uses the pictures of steps and the memory of states again, and `vector/results.py` the arrays of
batches.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable, Collection, Sequence
from typing import Any

# Without a global lock reference counts of other threads' objects are not to be trusted.
COUNTED = hasattr(sys, "getrefcount") and not sysconfig.get_config_var("Py_GIL_DISABLED")
"""Whether references are counted.  If not, nothing is used again."""

references: Callable[[Any], int] = sys.getrefcount if COUNTED else lambda _: 0
"""Count the references to an object, with those of the call; 0 where they are not counted."""

# So many refer to what is in one collection and nowhere else, as `is_free` and `are_free` count.
_ALONE = [object()]
_INDEXED = references(_ALONE[0]) if COUNTED else 1
_MAPPED = sum(map(references, _ALONE)) if COUNTED else 1


def is_free(objects: Sequence[Any], index: int) -> bool:
    """Whether only `objects` refers to the one with this index: no view of it is left, either."""
    return references(objects[index]) == _INDEXED


def are_free(objects: Collection[Any]) -> bool:
    """Whether only `objects` refers to each of these, which are at least one."""
    return sum(map(references, objects)) == len(objects) * _MAPPED


class _Ending:
    def __del__(self) -> None:
        global ENDING
        ENDING = references(self)


ENDING = 0
"""So many refer to what is finalized because its last reference is gone."""
_Ending()
