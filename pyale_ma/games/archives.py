"""ROM files in zip files, of whatever origin.

Nothing is unpacked to a path that an archive names; what is read from one, and how deep archives
within archives are followed, has bounds.
"""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO

from pyale_ma import _native
from pyale_ma.games.roms import SUFFIXES

__all__ = ["images_in"]

_MOST_PACKED = 64 * 2**20  # bytes of an archive
_MOST_UNPACKED = 256 * 2**20  # bytes of all that is read from one, with those in it
_MOST_DIRECTORY = 4 * 2**20  # bytes that list what is in it: some 50,000 entries
_MOST_ENTRIES = 50_000  # of all archives that are in it
_MOST_SHOWN = 100  # characters of a name
_DEEPEST = 3  # an archive in an archive in an archive
# What zipfile raises for bytes that are no archive's, or not as it says.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    struct.error,
)

Refuse = Callable[[str, str], None]


class _Budget:
    """Limits on bytes still to be unpacked and on entries still to be read."""

    def __init__(self) -> None:
        self._left = _MOST_UNPACKED
        self._entries_left = _MOST_ENTRIES

    def count(self) -> None:
        """Look at one more entry."""
        self._entries_left -= 1
        if self._entries_left < 0:
            raise _TooMuchError(f"more than {_MOST_ENTRIES} entries are in this archive")

    def read(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
        """Return an entry's bytes: at most `most`, and at most the size that it states.

        Raises:
            ValueError: It is too large, encrypted, damaged, or packed as few are.
        """
        if entry.flag_bits & 1:
            raise ValueError("it is encrypted")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError("it is packed by a method other than deflate")
        if entry.file_size > most:
            raise ValueError(f"it has more than {most} bytes")
        # Before, for what is damaged takes its time as well; and so does what unpacks to nothing.
        self._left -= max(entry.file_size, min(entry.compress_size, _MOST_PACKED))
        if self._left < 0:
            raise _TooMuchError(f"more than {_MOST_UNPACKED} bytes are in this archive")
        try:
            with archive.open(entry) as stream:
                return stream.read(entry.file_size)
        except _DAMAGE as error:
            raise ValueError(f"it is damaged: {error}") from error


class _TooMuchError(ValueError):
    """The archive is left alone from here on."""


def images_in(path: str | os.PathLike[str], refuse: Refuse) -> Iterator[tuple[str, bytes]]:
    """The entries of an archive, and of archives in it, that may be ROM files.

    Args:
        path: The zip file.
        refuse: Told, with its name and why, of every entry that is passed over for what it is;
            files with other suffixes than those of ROM files and archives are not mentioned.

    Yields:
        The entry's name, after those of the archives it is in, and its bytes.

    Raises:
        OSError: The file cannot be read.
    """
    shown = os.fspath(path)
    try:
        with open(path, "rb") as stream:
            yield from _images(stream, shown, refuse, _Budget(), 1)
    except _TooMuchError as error:
        refuse(shown, str(error))


def _images(
    stream: IO[bytes], shown: str, refuse: Refuse, budget: _Budget, depth: int
) -> Iterator[tuple[str, bytes]]:
    try:
        _check_directory(stream)
        archive = zipfile.ZipFile(stream)
    except (*_DAMAGE, ValueError) as error:
        refuse(shown, f"it is no zip file that can be read: {error}")
        return
    with archive:
        for entry in archive.infolist():
            budget.count()
            name = f"{shown}: {_shortened(entry.filename)}"
            suffix = os.path.splitext(entry.filename)[1].lower()
            if suffix not in (*SUFFIXES, ".zip"):
                continue  # folders too, whose names end in a slash
            if os.path.basename(entry.filename).startswith("._"):
                continue  # what macOS adds to a file of that name
            nested = suffix == ".zip"
            if nested and depth == _DEEPEST:
                refuse(name, "it lies too deep in other archives")
                continue
            most = _MOST_PACKED if nested else _native.MAX_ROM_SIZE
            try:
                data = budget.read(archive, entry, most)
            except _TooMuchError:
                raise
            except ValueError as error:
                refuse(name, str(error))
                continue
            if nested:
                yield from _images(io.BytesIO(data), name, refuse, budget, depth + 1)
            else:
                yield name, data


def _shortened(name: str) -> str:
    """A name to be shown, which in an archive may have 65,535 bytes."""
    half = _MOST_SHOWN // 2
    return name if len(name) <= _MOST_SHOWN else f"{name[:half]}…{name[-half:]}"


def _check_directory(stream: IO[bytes]) -> None:
    """Refuse an archive whose list of entries alone would fill the memory.

    Every place that may be the end record is looked at: which one is read is left to zipfile.
    """
    size = stream.seek(0, os.SEEK_END)
    if size > _MOST_PACKED:
        raise ValueError(f"it has more than {_MOST_PACKED} bytes")
    stream.seek(max(0, size - 22 - 65536 - 20))
    tail = stream.read()
    if b"PK\x06\x07" in tail:
        raise ValueError("it is of the 64-bit kind, for archives larger than ROM files need")
    at = tail.find(b"PK\x05\x06")
    while at >= 0:
        if int.from_bytes(tail[at + 12 : at + 16], "little") > _MOST_DIRECTORY:
            raise ValueError("it lists too many entries")
        at = tail.find(b"PK\x05\x06", at + 1)
    stream.seek(0)
