"""Read the files of strangers, write files so that there is never a part of one, and lock files.

While a file is written, its path holds either the earlier file or the new one.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

from pyale_ma._base.text import printable


class NotAFileError(OSError):
    """A path names a pipe or a device, which may never begin or end."""


class NameTakenError(FileExistsError):
    """There is a file, which is only replaced on request.

    Args:
        path: The file.
        kept: Where the file is that was written meanwhile; None: none was.
    """

    def __init__(
        self, path: str | os.PathLike[str], kept: str | os.PathLike[str] | None = None
    ) -> None:
        self.path, self.kept = os.fspath(path), None if kept is None else os.fspath(kept)
        super().__init__(self.advice("overwrite=True"))

    def advice(self, way: str | None) -> str:
        """Say what to do, and how a file is replaced; None: nothing can be done."""
        if self.kept is not None:
            return (
                f"another program wrote {printable(self.path)} meanwhile: what was to be written "
                f"there is in {printable(self.kept)}"
            )
        text = f"there is a file {printable(self.path)} already: choose another name"
        return text if way is None else f"{text}, or replace it by {way}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.kept)


@contextlib.contextmanager
def open_file(path: str | os.PathLike[str]) -> Iterator[BufferedReader[Any]]:
    """A regular file, opened to be read.

    Raises:
        NotAFileError: It is something else, which was not waited for.
        OSError: It cannot be read.
    """
    with open(path, "rb", opener=_open_at_once) as stream:
        _check_regular(path, stream)
        yield stream


def read_file(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes of a regular file.

    Raises:
        ValueError: It has more than `most` bytes.
        NotAFileError: It is something else.
        OSError: It cannot be read.
    """
    with open_file(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        whole = stream.read(min(size, most) + 1)
    if len(whole) > most:
        raise ValueError(f"{printable(os.fspath(path))} has more than {most} bytes")
    return whole


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
def written_aside(path: str | os.PathLike[str], *, overwrite: bool = True) -> Iterator[Path]:
    """A file to write, which then takes the place of `path`; after an exception all is as before.

    It has the same name, in a folder of its own beside `path`, for this user alone.  What is
    no regular file, such as a pipe, is written to itself.

    Args:
        path: The file.
        overwrite: Whether to replace a file that is there, at the beginning or at the end.

    Raises:
        NameTakenError: There is a file, and `overwrite` is False.  If it came while this one was
            written, this one stays under another name, which the text says.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        yield target
        return
    check_free(path, overwrite=overwrite)
    with tempfile.TemporaryDirectory(prefix=".writing-", dir=target.parent) as folder:
        aside = Path(folder, target.name)
        try:
            yield aside
            put_in_place(aside, target, overwrite=overwrite)
        except OSError as error:  # such as of a full disk, which names no file
            if error.errno and error.filename in (None, os.fspath(aside)):
                error.filename = os.fspath(path)
            raise


def put_in_place(aside: Path, target: Path, *, overwrite: bool) -> None:
    """Move a file that was written beside `target` to it, in one step.

    It keeps the mode and the owner of what it replaces.

    Raises:
        NameTakenError: There is a file, and `overwrite` is False; the text says where `aside` is.
    """
    if overwrite:
        with contextlib.suppress(FileNotFoundError):
            replaced = target.stat()
            if hasattr(os, "chown"):
                with contextlib.suppress(PermissionError):  # another user's becomes ours
                    os.chown(aside, replaced.st_uid, replaced.st_gid)
            aside.chmod(stat.S_IMODE(replaced.st_mode))
        os.replace(aside, target)
    elif not _moved(aside, target):
        count = 1
        while not _moved(aside, other := target.with_stem(f"{target.stem}-{count}")):
            count += 1
        raise NameTakenError(target, other)


def _moved(aside: Path, target: Path) -> bool:
    """Move a file to a name that no file has; tell whether there was none."""
    try:
        if sys.platform == "win32":
            aside.rename(target)  # which replaces nothing there
        else:
            os.link(aside, target)
            aside.unlink()
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if target.exists():
            return False
        aside.rename(target)
    return True


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


def own_folder(kind: str) -> Path:
    """The user's folder for this package's "data" or "config"; it need not exist."""
    import platformdirs  # not before it is needed

    try:
        folder: str = getattr(platformdirs, f"user_{kind}_dir")("pyale_ma", appauthor=False)
    except RuntimeError:  # a user without a home, as in a container
        folder = "/nonexistent/pyale_ma"
    return Path(folder)
