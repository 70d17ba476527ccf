"""Finds libale, checks that it is of this release, and declares its functions to ctypes."""

from __future__ import annotations

import ctypes
import os
import sys
from importlib import resources
from typing import Any, NoReturn

from pyale_ma._native.abi import ABI_VERSION, DECLARATIONS, Status
from pyale_ma.remedies import REINSTALL

_ADVICE = (
    "Do not start Python in a clone of pyale_ma, whose source folder has no built library.  If you "
    f"did not, install the package again: {REINSTALL}"
)


def library_path() -> str:
    """Where libale is: in the installed package, or (to debug) where ``PYALE_MA_LIBRARY`` says."""
    chosen = os.environ.get("PYALE_MA_LIBRARY")
    if chosen:
        return chosen
    name = {"darwin": "libale.dylib", "win32": "ale.dll"}.get(sys.platform, "libale.so")
    # In an editable install the sources are in one folder, the library in another; this knows both.
    return str(resources.files("pyale_ma") / name)


def _load() -> ctypes.CDLL:
    path = library_path()
    if not os.path.isfile(path):
        raise ImportError(f"pyale_ma's library is missing: {path}\n{_ADVICE}", path=path)
    try:
        library = ctypes.CDLL(path)
        library.ale_abi_version.restype = ctypes.c_uint32
        version = library.ale_abi_version()
    except (OSError, AttributeError) as error:
        raise ImportError(f"pyale_ma's library cannot be loaded: {error}\n{_ADVICE}") from error
    if version != ABI_VERSION:
        raise ImportError(
            f"{path} has version {version} of the ABI, this pyale_ma needs {ABI_VERSION}: "
            f"the two are of different releases.  Install the package again: {REINSTALL}"
        )
    for name, (result, arguments) in DECLARATIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()
VERSION: str = lib.ale_version().decode()


def quick(name: str) -> Any:
    """A function that returns a status, and passes on what it is given without a look at it.

    Its arguments must be ctypes objects as declared, or None; where 32 bits are declared, small
    ints will do.
    """
    return lib[name]


EXCEPTIONS: dict[int, type[Exception]] = {
    Status.INVALID_ARGUMENT: ValueError,
    Status.OUT_OF_MEMORY: MemoryError,
    Status.BAD_ROM: ValueError,
    Status.UNSUPPORTED: ValueError,
    Status.MODE_NOT_REACHED: RuntimeError,
    Status.BAD_STATE: ValueError,
    Status.OUT_OF_ORDER: RuntimeError,
    Status.BAD_CARD: ValueError,
}


def fail(status: int) -> NoReturn:
    """Raise what the library refused, in its own words."""
    raise EXCEPTIONS.get(status, RuntimeError)(lib.ale_last_error().decode())


def is_refusal(problem: Exception) -> bool:
    """Whether it is what the library refused last, and no exception of a signal handler."""
    words: bytes = lib.ale_last_error()
    return str(problem) == words.decode()


def bits(mask: int) -> list[int]:
    """The numbers of the bits that are set, ascending."""
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
