"""Base of objects that own a C object; helpers for options, modes and memory."""

from __future__ import annotations

import ctypes
import math
import mmap
import sys
from collections.abc import Iterator
from ctypes import byref, c_float, c_int32, c_size_t, c_uint8, c_void_p
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from pyale_ma._base.tap import Tap
from pyale_ma._native.library import check

_Info = TypeVar("_Info", bound=ctypes.Structure)


_hide: Any = None  # from the garbage collector
if sys.implementation.name == "cpython":
    _hide = ctypes.pythonapi.PyObject_GC_UnTrack
    _hide.argtypes, _hide.restype = [ctypes.py_object], None


class Address(bytearray):
    """The address of an object that the library makes, which is freed with this.

    It must not be freed earlier.  When the garbage collector finds a cycle, it calls all
    finalizers, and one of them may keep the others' objects.  So this is hidden from the collector,
    and ends with its last reference.

    Args:
        free: Frees the object; kept, so that it is still there while the interpreter shuts down.

    Attributes:
        limit: At which the library looks while the object plays; None: it does not play.
        lent: What else the library's threads write to, and read, until they have ended; None: there
            are none.
    """

    __slots__ = ("_free", "lent", "limit")
    limit: Any
    lent: Any

    def __init__(self, free: Any) -> None:
        super().__init__(ctypes.sizeof(c_void_p))
        self._free, self.limit, self.lent = free, None, None
        if _hide:
            _hide(self)

    def __del__(self) -> None:
        if getattr(self, "lent", None) is not None:  # an exception may end `__init__`
            self.limit.stop()  # nobody waits for what the threads play
        address = int.from_bytes(self, sys.byteorder)
        if address:
            self._free(address)


class Handle(c_void_p):
    """An object of the library, made by ``Handle.from_buffer`` of its `Address`.

    Who uses the object holds this: owners, views of its memory, and calls while they last, whatever
    another thread may do to the owner.
    """

    def as_argument(self) -> Any:
        """Return a ctypes argument for calls: quick to pass, and keeps the object alive."""
        return argument_at(self.value or 0, self)


def argument_at(address: int, owner: Any) -> Any:
    """Return an address as a ctypes argument: quick to pass, and keeps its owner alive."""
    place: Any = (c_uint8 * 0).from_address(address)
    place.owner = owner
    return byref(place)


def argument_of(struct: ctypes.Structure) -> Any:
    """Return a struct's address as a ctypes argument: quick to pass, but keeps nothing alive."""
    return argument_at(ctypes.addressof(struct), None)


def memory_argument(array: npt.NDArray[Any]) -> Any:
    """Return an array's address as a ctypes argument: quick to pass, and keeps the array alive."""
    return argument_at(array.ctypes.data, array)


class Owner:
    """Owns one object of the library, until `close` or the garbage collector ends it."""

    __slots__ = ("__weakref__", "_handle")
    _handle: Any  # a `Handle`, or one `as_argument`; None when closed

    def close(self) -> None:
        """Free it.  Closing twice does nothing; everything else then raises ValueError."""
        self._handle = None

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled or copied")


class Tapped(Owner):
    """One that plays.

    Attributes:
        tap: Told that it plays or changes, before it does; None: nobody is.
    """

    tap: Tap | None

    def _say_changed(self) -> None:
        tap = self.tap
        if tap is not None:
            tap.changed()


def set_field(struct: ctypes.Structure, name: str, value: float | tuple[int, ...]) -> None:
    """Assign, but refuse what ctypes would silently cut off."""
    kinds = dict(_plain_fields(struct))
    if name not in kinds:
        raise ValueError(f"unknown option {name!r}; there are {', '.join(kinds)}")
    setattr(struct, name, value)
    kept = getattr(struct, name)
    if isinstance(kept, ctypes.Array):
        kept = tuple(kept)
    if kinds[name] is not c_float and kept != value:
        raise ValueError(f"{name} is {value}, which does not fit into 32 bits")


def _plain_fields(struct: ctypes.Structure) -> Iterator[tuple[str, Any]]:
    for name, kind, *_ in struct._fields_:
        if name not in ("struct_size", "frame_limit"):
            yield name, kind


def exact(data: bytes) -> bytes:
    """The bytes of a bytes-like object, whatever a class of the user's says of itself."""
    return data if type(data) is bytes else memoryview(data).tobytes()


def described(kind: type[_Info], function: Any, *arguments: Any) -> _Info:
    """The struct that one of the library's functions named ``..._describe`` fills."""
    info = kind()
    check(function(*arguments, byref(info)))
    return info


def modes_of(function: Any, *arguments: Any) -> list[int]:
    """The modes that one of the library's functions tells."""
    count = c_size_t()
    modes = (c_int32 * 256)()
    check(function(*arguments, modes, len(modes), byref(count)))
    return list(modes[: count.value])


_LARGE_PAGE = 2 << 20


def _large_pages(size: int) -> Any:
    """Return memory in large pages; None: the system does not give them on request."""
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return None
    try:
        memory = mmap.mmap(-1, size + _LARGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        memory.madvise(mmap.MADV_HUGEPAGE)
    except OSError:
        return None
    start = -ctypes.addressof(c_uint8.from_buffer(memory)) % _LARGE_PAGE
    return (c_uint8 * size).from_buffer(memory, start)


def fixed_array(shape: tuple[int, ...], dtype: npt.DTypeLike = np.uint8) -> npt.NDArray[Any]:
    """Return a new array of zeros whose address stays: NumPy cannot resize foreign memory."""
    kind = np.dtype(dtype)
    size = math.prod(shape) * kind.itemsize
    memory: Any = _large_pages(size) if size > _LARGE_PAGE // 2 else None
    if memory is None:
        memory = (c_uint8 * size)()
    array: npt.NDArray[Any] = np.ndarray(shape, kind, memory)
    return array


def view(address: int, shape: tuple[int, ...], owner: Any = None) -> npt.NDArray[np.uint8]:
    """An array over memory of `owner`, which it keeps alive, and which may not be written to then.

    None: of somebody else, who keeps it alive; it may be written to.
    """
    buffer = (c_uint8 * math.prod(shape)).from_address(address)
    buffer.owner = owner  # type: ignore[attr-defined]
    array = np.ctypeslib.as_array(buffer)
    array.flags.writeable = owner is None
    return array.reshape(shape)
