"""`ZipWriter`: writes the zip file of a recording so that it can be cut off anywhere."""

from __future__ import annotations

import contextlib
import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, TypeAlias

import numpy.typing as npt

from pyale_ma._base.text import printable
from pyale_ma.recording.file import npy
from pyale_ma.recording.file.format import RecordingError

Member: TypeAlias = tuple[str, bytes]  # its name and what is in it

MOST_MEMBER = 2 * 10**9  # bytes; of larger ones the local header would not say how many

# Streams that are open.  The garbage collector calls the finalizers of what it has found in any
# order: a stream among it might be closed before the recorder that has yet to complete its file.
_streams: set[BinaryIO] = set()


class _Zip(zipfile.ZipFile):
    def __del__(self) -> None:
        """Write nothing: the file is as it should be, or another process's."""


class ZipWriter:
    """Adds members to a new file, which is open until `close` is called.

    Each member's header says its size once all of it is there.  So whenever the process ends, the
    file has all members that were added before.

    Args:
        path: The new file.

    Attributes:
        failed: Whether members were not written whole, because of an error or an interrupt.  None
            can follow then.

    Raises:
        FileExistsError: There is a file.
        OSError: It cannot be made.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.failed = False
        self._path = path
        self._stream = open(path, "xb")  # noqa: SIM115
        _streams.add(self._stream)
        self._zip = _Zip(self._stream, "w", zipfile.ZIP_DEFLATED)

    @property
    def closed(self) -> bool:
        """Whether nothing more is written."""
        return self._zip.fp is None or self._stream.closed

    def is_at(self, path: str | os.PathLike[str]) -> bool:
        """Whether the file is still found there."""
        try:
            return os.path.samestat(os.fstat(self._stream.fileno()), os.stat(path))
        except (OSError, ValueError):
            return False

    @contextlib.contextmanager
    def whole(self) -> Iterator[None]:
        """Have done all that is done within, or nothing more can be added.

        Raises:
            OSError: The system refused to write.
            RecordingError: Earlier members were not written whole.
        """
        if self.failed:
            raise RecordingError(
                f"{printable(self._path)} was not written whole, so the recording has ended"
            )
        self.failed = True
        try:
            yield
        except OSError as error:
            error.filename = error.filename or printable(self._path)
            raise
        self.failed = False

    def add(self, members: Iterable[Member]) -> None:
        """Add members, within `whole`, and hand them to the system.

        Raises:
            ValueError: One has more than `MOST_MEMBER` bytes.
        """
        for name, data in members:
            if len(data) > MOST_MEMBER:
                raise ValueError(f"{name} has {len(data)} bytes; it may have {MOST_MEMBER}")
            info = zipfile.ZipInfo(name)  # of 1980, so that the same play gives the same file
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            self._zip.writestr(info, data)
        self._stream.flush()

    def close(self) -> None:
        """Add the zip's directory, unless something failed, and close the file.

        Raises:
            OSError: It cannot be written.
        """
        try:
            if not (self.failed or self.closed):
                with self.whole():
                    self._zip.close()
                    self._stream.flush()
        finally:
            with contextlib.suppress(OSError):
                self._stream.close()
            _streams.discard(self._stream)


def _leave_to_parent() -> None:
    """Write nothing more, in a forked process: the files are its parent's."""
    for stream in _streams:
        stream.raw.close()  # type: ignore[attr-defined]
    _streams.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


def json_member(name: str, value: Any) -> Member:
    """A member of JSON."""
    return name, json.dumps(value, allow_nan=False).encode()


def array_member(name: str, array: npt.NDArray[Any]) -> Member:
    """A member of numbers, as a .npy file."""
    return name, npy.pack(array)
