"""Finds libale, checks that it is of this release, and declares its functions to ctypes."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from pyale_ma._base.install_hints import REINSTALL
from pyale_ma._base.text import printable
from pyale_ma._native import abi
from pyale_ma._native.abi import ABI_VERSION, DECLARATIONS, Status

_PACKAGE = Path(__file__).parents[1]
_IN_CLONE = (_PACKAGE / "meson.build").exists()
_VARIABLE = "PYALE_MA_LIBRARY"
if os.environ.get(_VARIABLE):
    _ADVICE = f"Correct or unset {_VARIABLE}, which names this file"
elif _IN_CLONE:
    _ADVICE = (
        f"In {_PACKAGE.parent}, run again: pip install . (or pip install -e . for an editable "
        "install)"
    )
else:
    _ADVICE = f"Install the package again: {REINSTALL}"


def library_path() -> str:
    """Where libale is: beside the sources, or (to debug) where ``PYALE_MA_LIBRARY`` says.

    A clone has no library beside its sources.  When they run there, since Python was started in the
    clone or the install is editable, they take the library that is installed.
    """
    chosen = os.environ.get(_VARIABLE)
    if chosen:
        return chosen
    name = {"darwin": "libale.dylib", "win32": "ale.dll"}.get(sys.platform, "libale.so")
    places = [_PACKAGE / name]
    if _IN_CLONE:
        places += [Path(folder, "pyale_ma", name) for folder in sys.path]
    return str(next((place for place in places if place.is_file()), places[0]))


def _load() -> ctypes.CDLL:
    """The library.

    Raises:
        ImportError: It cannot be used: in the first line of the text why, in the second what to do.
    """
    path = library_path()
    shown = printable(path)
    if not os.path.isfile(path):
        raise ImportError(f"pyale_ma's library is missing: {shown}\n{_ADVICE}", path=path)
    try:
        library = ctypes.CDLL(path)
        library.ale_abi_version.restype = ctypes.c_uint32
        version = library.ale_abi_version()
        library.ale_version.restype = ctypes.c_char_p
        release = library.ale_version().decode()
    except (OSError, AttributeError) as error:
        why = printable(" ".join(str(error).split()))
        raise ImportError(f"pyale_ma's library cannot be loaded: {why}\n{_ADVICE}") from error
    if version != ABI_VERSION:
        raise ImportError(
            f"{shown} has version {version} of the ABI, this pyale_ma needs {ABI_VERSION}: "
            f"the two are of different releases\n{_ADVICE}"
        )
    same = release == abi.VERSION and all(hasattr(library, name) for name in DECLARATIONS)
    if not same or not _declared_as_here(Path(path).with_name("_native") / "abi.py"):
        raise ImportError(
            f"{shown} (version {release}) was not built from these sources: {_PACKAGE} "
            f"(version {abi.VERSION})\n{_ADVICE}"
        )
    for name, (result, arguments) in DECLARATIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


def _declared_as_here(declarations: Path) -> bool:
    """Whether the declarations installed with a library, if any, are those of this package."""
    ours = Path(abi.__file__)
    if declarations == ours or not declarations.is_file():
        return True
    return declarations.read_text(encoding="utf-8") == ours.read_text(encoding="utf-8")


lib = _load()


def quick(name: str) -> Any:
    """A function that returns a number, and passes on what it is given without a look at it.

    Its arguments must be ctypes objects as declared, or None; where 32 bits are declared, small
    ints will do.
    """
    function = lib[name]
    function.restype = DECLARATIONS[name][0]
    return function


def brief(name: str) -> Any:
    """A function like those of `quick` that keeps Python's lock.

    It must return soon, and must not wait for a thread that may wait for that lock.
    """
    function = ctypes.PyDLL(lib._name, handle=lib._handle)[name]
    function.restype = DECLARATIONS[name][0]
    return function


class OrderError(RuntimeError):
    """A call was refused before it began: another one runs, or one must come first."""


EXCEPTIONS: dict[int, type[Exception]] = {
    Status.INVALID_ARGUMENT: ValueError,
    Status.OUT_OF_MEMORY: MemoryError,
    Status.BAD_ROM: ValueError,
    Status.UNSUPPORTED: ValueError,
    Status.MODE_NOT_REACHED: RuntimeError,
    Status.BAD_STATE: ValueError,
    Status.OUT_OF_ORDER: OrderError,
    Status.BAD_CARD: ValueError,
    Status.BAD_ACTION: IndexError,
}


def check(status: int) -> None:
    """Raise what the library refused, if it did.  Calls of every step look for themselves."""
    if status:
        fail(status)


def fail(status: int) -> NoReturn:
    """Raise what the library refused, in its own words."""
    fail_with(status, lib.ale_last_error())


def fail_with(status: int, words: bytes) -> NoReturn:
    """The same with words that another thread was told."""
    if status == Status.INTERRUPTED:
        raise interrupted()
    raise EXCEPTIONS.get(status, RuntimeError)(words.decode())


def interrupted() -> Exception:
    """Return the error of calls after one that was interrupted in the middle."""
    from gymnasium.error import ResetNeeded  # not before: `pyale-ma doctor` may say it is missing

    return ResetNeeded(
        "the last step was interrupted, or another thread is in it; call reset(), or "
        "reset_game() of an ALEInterface, or restore a state"
    )


def bits(mask: int) -> list[int]:
    """The numbers of the bits that are set, ascending."""
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
