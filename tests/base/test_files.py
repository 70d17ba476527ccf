"""Files that are locked."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pyale_ma._base.files import locked

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor pipes")


@posix
def test_a_lock_ends_although_a_child_has_the_file_open(tmp_path: Path) -> None:
    file = tmp_path / "a.lock"
    reading, writing = os.pipe()
    with locked(file):
        child = os.fork()
        if not child:
            os.close(writing)
            os.read(reading, 1)  # until the parent goes on
            os._exit(0)
        with (
            pytest.raises(BlockingIOError, match=r"a\.lock is in use by another process"),
            locked(file),
        ):
            pass
    with locked(file):
        pass
    os.close(writing)
    os.waitpid(child, 0)


@posix
def test_a_pipe_is_no_lock(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.lock")
    with pytest.raises(OSError), locked(tmp_path / "a.lock"):  # noqa: PT011 systems differ
        pass
