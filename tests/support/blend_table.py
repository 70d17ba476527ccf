"""The originals' loads without a table that only averaged colours need.

A load takes ale-py and multi-agent-ale-py 0.1 s, and nine tenths of that go into a table of blended
colours, one for every two colours.  `color_averaging` alone looks into it, but it is made anew in
every load, of which the tests make thousands.  Here the function that makes it returns at once.

Nothing can pass for that reason: if an original looked into a table that is not made, it would show
other colours than ours.  `PYALE_MA_TEST_BLEND_TABLE=1` has it made in every load.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import platform
import sys
from pathlib import Path

_MAKER = "_ZN3ale13PhosphorBlend18makeAveragePaletteEv"
_RETURN = b"\xc3"  # of x86-64
# The library of each original, in its package's folder.
_LIBRARIES = {"ale_py": "_ale_py.*.so", "multi_agent_ale_py": "libale_c.so"}
_READ_AND_RUN, _WRITE = 1 | 4, 2


class _Maker:
    """The function in a library, which does its work or returns at once."""

    def __init__(self, library: Path) -> None:
        function = getattr(ctypes.CDLL(str(library)), _MAKER)
        self._address = ctypes.cast(function, ctypes.c_void_p).value or 0
        self._begins_with = ctypes.string_at(self._address, 1)
        self.works = True

    def work(self, works: bool) -> None:
        if works != self.works:
            self._protect(_READ_AND_RUN | _WRITE)
            ctypes.memmove(self._address, self._begins_with if works else _RETURN, 1)
            self._protect(_READ_AND_RUN)
            self.works = works

    def _protect(self, protection: int) -> None:
        page = self._address & -mmap.PAGESIZE
        change = ctypes.CDLL(None, use_errno=True).mprotect
        change.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        if change(page, mmap.PAGESIZE, protection):
            raise OSError(ctypes.get_errno(), "mprotect")


@functools.cache
def _maker(package: str) -> _Maker | None:
    """The function in an imported package; None if it has none, as ours by that name."""
    try:
        (folder,) = sys.modules[package].__path__
        (library,) = Path(folder).glob(_LIBRARIES[package])
        maker = _Maker(library)
        maker.work(False)
    except (AttributeError, OSError, ValueError):
        return None
    return maker


def make_blend_table(makes: bool) -> None:
    """Have the originals that are imported make the table in their next loads, or not."""
    always = os.environ.get("PYALE_MA_TEST_BLEND_TABLE", "0") != "0"
    if sys.platform != "linux" or platform.machine() != "x86_64" or always:
        return
    for package in _LIBRARIES.keys() & sys.modules.keys():
        maker = _maker(package)
        if maker:
            maker.work(makes)
