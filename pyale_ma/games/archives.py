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

from pyale_ma import _native
from pyale_ma._base.files import read_file
from pyale_ma.games.rom_files import SUFFIXES

_MOST_PACKED = 64 * 2**20  # bytes of an archive
_MOST_UNPACKED = 256 * 2**20  # bytes of all that is read from one, with those in it
_MOST_ENTRIES = 50_000  # of an archive, with those stored in it
_MOST_SHOWN = 100  # characters of a name
_DEEPEST = 3  # an archive in an archive in an archive
# What zipfile raises for bytes that are no archive's, or not as it says.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, OSError, OverflowError, RuntimeError, ValueError),
)

Refuse = Callable[[str, str], None]


def images_in(path: str | os.PathLike[str], refuse: Refuse) -> Iterator[tuple[str, bytes]]:
    """The entries of an archive, and of archives in it, that may be ROM files.

    Args:
        path: The zip file.
        refuse: Told, with its name and why, of every entry that is passed over for what it is;
            large files without the suffix of a ROM file or an archive are not mentioned.

    Yields:
        The entry's name, after those of the archives it is in, and its bytes.

    Raises:
        OSError: The file cannot be read.
    """
    shown = os.fspath(path)
    try:
        data = read_file(path, _MOST_PACKED)
    except ValueError as error:
        refuse(shown, str(error))
        return
    yield from _Unpacker(refuse).images(data, shown, 1)


class _Unpacker:
    """Reads an archive, and counts what may still be unpacked of it."""

    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse
        self._left = _MOST_UNPACKED

    def images(self, data: bytes, shown: str, depth: int) -> Iterator[tuple[str, bytes]]:
        """Yield what `images_in` does, from the bytes of an archive."""
        try:
            if data.count(b"PK\x01\x02") > _MOST_ENTRIES:
                raise ValueError(f"more than {_MOST_ENTRIES} entries are in it")
            archive = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGE as error:
            self._refuse(shown, f"it is no zip file that can be read: {error}")
            return
        for entry in archive.infolist():
            suffix = os.path.splitext(entry.filename)[1].lower()
            nested, base = suffix == ".zip", os.path.basename(entry.filename)
            if not base or base.startswith("._"):  # a folder; what macOS adds to a file
                continue
            if suffix not in (*SUFFIXES, ".zip") and entry.file_size > _native.MAX_ROM_SIZE:
                continue
            name = f"{shown}: {_shortened(entry.filename)}"
            try:
                if nested and depth == _DEEPEST:
                    raise ValueError("it lies too deep in other archives")
                image = self._read(archive, entry, _MOST_PACKED if nested else _native.MAX_ROM_SIZE)
            except ValueError as error:
                self._refuse(name, str(error))
                if self._left < 0:
                    return
                continue
            if nested:
                yield from self.images(image, name, depth + 1)
            else:
                yield name, image

    def _read(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
        """Return an entry's bytes: at most `most`, and at most the size that it states."""
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError("it is packed by a method other than deflate")
        if entry.file_size > most:
            raise ValueError(f"it has more than {most} bytes")
        # Before, for what is damaged or unpacks to nothing takes its time as well.
        self._left -= max(entry.file_size, min(entry.compress_size, _MOST_PACKED))
        if self._left < 0:
            raise ValueError(f"more than {_MOST_UNPACKED} bytes are in this archive")
        try:
            with archive.open(entry) as stream:
                return stream.read(entry.file_size)
        except _DAMAGE as error:
            raise ValueError(f"it is damaged or encrypted: {error}") from error


def _shortened(name: str) -> str:
    """A name to be shown, which in an archive may have 65,535 bytes."""
    half = _MOST_SHOWN // 2
    return name if len(name) <= _MOST_SHOWN else f"{name[:half]}…{name[-half:]}"
