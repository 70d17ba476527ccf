"""Open untrusted files, write files so that there is never a part of one, and lock files.

While a file is written, its path holds either the earlier file or the new one.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, TypeVar

from pyale_ma._base.text import printable

__all__ = ["NameTakenError", "NotAFileError", "check_free", "locked", "open_file", "written_aside"]


_Read = TypeVar("_Read")


class NotAFileError(OSError):
    """A path names a pipe or a device, which may never begin or end."""


class NameTakenError(FileExistsError):
    """There is a file, which is only replaced on request.

    Args:
        path: The file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        super().__init__(self.advice("overwrite=True"))

    def advice(self, way: str | None) -> str:
        """Say what to do, and how a file is replaced; None: nothing can be done."""
        text = f"there is a file {printable(self.path)} already: choose another name"
        return text if way is None else f"{text}, or replace it by {way}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path,)


class _NoWaiting(io.FileIO):
    """A file that is read without waiting, as files of a system's own kernel may ask for."""

    def readinto(self, buffer: Any, /) -> int:
        count: int | None = super().readinto(buffer)
        return self._there(count)

    def readall(self) -> bytes:
        return self._there(super().readall())

    def _there(self, read: _Read | None) -> _Read:
        if read is None:
            raise NotAFileError(f"{printable(os.fspath(self.name))} has nothing to read yet")
        return read


@contextlib.contextmanager
def open_file(path: str | os.PathLike[str]) -> Iterator[BufferedReader[Any]]:
    """A regular file, opened to be read.

    Raises:
        NotAFileError: It is something else, which was not waited for; also while it is read.
        OSError: It cannot be read.
    """
    with BufferedReader(_NoWaiting(path, opener=_open_at_once)) as stream:
        _check_regular(path, stream)
        yield stream


def _open_at_once(path: str, flags: int) -> int:
    """Open a file, but do not wait until somebody has its other end, should it be a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)


def _check_regular(path: str | os.PathLike[str], stream: IO[bytes]) -> None:
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        raise NotAFileError(f"{printable(os.fspath(path))} is no regular file")


def check_free(path: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Refuse a name that a file has, unless it may be replaced; a pipe or a device is written to.

    Raises:
        NameTakenError: There is a file (a FileExistsError).
    """
    if not overwrite and Path(path).is_file():
        raise NameTakenError(path)


@contextlib.contextmanager
def written_aside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file to write, which then takes the place of `path`; after an exception all is as before.

    It has the same name, in a folder of its own beside `path`, for this user alone.  What is
    no regular file, such as a pipe, is written to itself.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        yield target
        return
    with tempfile.TemporaryDirectory(prefix=".writing-", dir=target.parent) as folder:
        aside = Path(folder, target.name)
        yield aside
        os.replace(aside, target)


@contextlib.contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Hold the lock of a file, which is made if there is none, and is given back with the process.

    Raises:
        BlockingIOError: Another process has it, or another part of this one.
        NotAFileError: It is a pipe or a device.
    """
    with open(path, "ab", opener=_open_at_once) as stream:
        _check_regular(path, stream)
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
                release = partial(msvcrt.locking, stream.fileno(), msvcrt.LK_UNLCK, 1)
            else:
                import fcntl

                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                release = partial(fcntl.flock, stream, fcntl.LOCK_UN)
        except (BlockingIOError, PermissionError):
            raise BlockingIOError(
                f"{printable(os.fspath(path))} is in use by another process"
            ) from None
        try:
            yield
        finally:
            release()  # a forked process that has the file open would keep it
