"""`ZipWriter`: writes zip files whose members stay whole after any error or interrupt."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import zlib
from collections.abc import Iterable
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import numpy.typing as npt

from pyale_ma._base.text import printable
from pyale_ma.recording.file import npy

Member: TypeAlias = tuple[str, bytes]  # its name and what is in it

MOST_MEMBER = 2**32 - 1  # bytes, as a local header has no room for more

_VERSION, _VERSION_64 = 20, 45  # of the programs that can read it: with deflate, beyond 4 GiB
_UNIX = 3
_DEFLATED = 8
_DATE = 1 << 5 | 1  # 1980-01-01, so that the same play gives the same file
_MODE = 0o644 << 16
_LOCAL = struct.Struct("<4s5H3I2H")
_ENTRY = struct.Struct("<4s4B4H3I5H2I")
_PLACE_64 = struct.Struct("<2HQ")
_END_64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR_64 = struct.Struct("<4sIQI")
_END = struct.Struct("<4s4H2IH")
_FULL, _FULL_SHORT = 2**32 - 1, 2**16 - 1  # what stands where a number is given elsewhere


class _Packed(NamedTuple):
    """A member as it is in the file, but for its bytes."""

    name: bytes
    offset: int
    packed: int
    size: int
    crc: int

    @property
    def local(self) -> bytes:
        """Its local header."""
        times = (_VERSION, 0, _DEFLATED, 0, _DATE)
        sizes = (self.crc, self.packed, self.size, len(self.name), 0)
        return _LOCAL.pack(b"PK\x03\x04", *times, *sizes) + self.name

    @property
    def entry(self) -> bytes:
        """Its entry in the directory."""
        far = self.offset >= _FULL
        extra = _PLACE_64.pack(1, 8, self.offset) if far else b""
        version = _VERSION_64 if far else _VERSION
        made = (version, _UNIX, version, 0, 0, _DEFLATED, 0, _DATE)
        sizes = (self.crc, self.packed, self.size, len(self.name), len(extra))
        place = (0, 0, 0, _MODE, min(self.offset, _FULL))
        return _ENTRY.pack(b"PK\x01\x02", *made, *sizes, *place) + self.name + extra


# Streams that are open.  The garbage collector calls the finalizers of what it has found in any
# order: a stream among it might be closed before the recorder that has yet to complete its file.
_streams: set[BinaryIO] = set()


class ZipWriter:
    """Adds members to a new file, which is open until `close` is called.

    Members that are added together reach the system in one write, with their sizes and checksums.
    After an exception, such as an interrupt, the file has all of them or none; `count` says which.
    Either way the next call goes on from there, so that what failed can be tried again.

    Args:
        path: The new file.

    Attributes:
        failed: Whether the system refused a write; the file ends with what was added before.

    Raises:
        FileExistsError: There is a file.
        OSError: It cannot be made.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.failed = False
        self._path = path
        self._stream = open(path, "xb", buffering=0)  # noqa: SIM115
        self._members: list[_Packed] = []
        # The file's size, how many members are in it, and how often some were added.  What is
        # beyond these, here and in the file, was interrupted.
        self._state: tuple[int, int, int] = (0, 0, 0)
        _streams.add(self._stream)

    @property
    def count(self) -> int:
        """Number of times that members were added."""
        return self._state[2]

    def add(self, members: Iterable[Member]) -> None:
        """Add members, all or none, and hand them to the system.

        Raises:
            OSError: They cannot be written.
            ValueError: One has more than `MOST_MEMBER` bytes.
        """
        size, data = self._pack(members)
        self._write(data)
        self._state = size + len(data), len(self._members), self.count + 1

    def close(self, members: Iterable[Member] = ()) -> None:
        """Add the last members and the zip's directory, and close the file.

        After an interrupt it is as before, and can be closed again.

        Raises:
            OSError: They cannot be written.
        """
        try:
            if not self.failed and not self._stream.closed:
                size, data = self._pack(members)
                self._write(data + self._directory(size + len(data)))
        except Exception:  # but after an interrupt this can be called again
            self._shut()
            raise
        self._shut()

    def _shut(self) -> None:
        with contextlib.suppress(OSError) if self.failed else contextlib.nullcontext():
            self._stream.close()
        _streams.discard(self._stream)

    def _pack(self, members: Iterable[Member]) -> tuple[int, bytes]:
        """Where members begin, and all their bytes."""
        size, count, _ = self._state
        del self._members[count:]
        parts, at = [], size
        for name, data in members:
            if len(data) > MOST_MEMBER:
                raise ValueError(f"{name} has {len(data)} bytes; it may have {MOST_MEMBER}")
            deflate = zlib.compressobj(wbits=-15)
            packed = deflate.compress(data) + deflate.flush()
            made = _Packed(name.encode("ascii"), at, len(packed), len(data), zlib.crc32(data))
            self._members.append(made)
            parts += [made.local, packed]
            at += len(made.local) + len(packed)
        return size, b"".join(parts)

    def _directory(self, start: int) -> bytes:
        """The directory, from this place on."""
        entries = b"".join(member.entry for member in self._members)
        count, size, end = len(self._members), len(entries), start + len(entries)
        far = b""
        if count >= _FULL_SHORT or size >= _FULL or start >= _FULL:
            versions = (_END_64.size - 12, _VERSION_64, _VERSION_64, 0, 0)
            far = _END_64.pack(b"PK\x06\x06", *versions, count, count, size, start)
            far += _LOCATOR_64.pack(b"PK\x06\x07", 0, end, 1)
        counts = (min(count, _FULL_SHORT),) * 2
        places = (min(size, _FULL), min(start, _FULL))
        return entries + far + _END.pack(b"PK\x05\x06", 0, 0, *counts, *places, 0)

    def _write(self, data: bytes) -> None:
        """Write what comes next, in place of what an interrupt may have left there."""
        try:
            self._stream.seek(self._state[0])
            self._stream.truncate()
            rest = memoryview(data)
            while rest:
                rest = rest[self._stream.write(rest) :]
        except OSError as error:
            if error.errno is not None:  # else a signal's handler raised it, such as TimeoutError
                self.failed = True
                error.filename = error.filename or printable(self._path)
            raise


def json_member(name: str, value: Any) -> Member:
    """A member of JSON."""
    return name, json.dumps(value, allow_nan=False).encode()


def array_member(name: str, array: npt.NDArray[Any]) -> Member:
    """A member of numbers, as a .npy file."""
    return name, npy.pack(array)
