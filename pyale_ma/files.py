"""Writes files so that an earlier one is there, or the new one, and never a part of it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["written_aside"]


@contextlib.contextmanager
def written_aside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file to write, which then takes the place of `path`; after an exception all is as before.

    It has the same name, in a folder of its own beside `path` that nobody else may enter.  What is
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
