"""Files that are read within bounds, written aside, and locked."""

from __future__ import annotations

import os
import pickle
import stat
import sys
from pathlib import Path

import pytest

from pyale_ma._base.files import NameTakenError, NotAFileError, locked, read_file, written_aside

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
            pytest.raises(BlockingIOError, match=r"a\.lock is in use"),
            locked(file),
        ):
            pass
    with locked(file):
        pass
    os.close(writing)
    os.waitpid(child, 0)


# ---- Reading -------------------------------------------------------------------------------------


def test_files_are_read_within_bounds(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(100))
    assert read_file(file, 100) == bytes(100)
    with pytest.raises(ValueError, match=r"file.*99 bytes"):
        read_file(file, 99)
    with pytest.raises(OSError, match=r"directory|denied"):
        read_file(tmp_path, 100)


@posix
def test_pipes_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(NotAFileError, match=rf"{path}.*regular file"):
            read_file(path, 100)


# ---- Writing -------------------------------------------------------------------------------------


def write(path: Path, text: str, *, overwrite: bool, meanwhile: str = "") -> None:
    with written_aside(path, overwrite=overwrite) as aside:
        aside.write_text(text)
        if meanwhile:
            path.write_text(meanwhile)


def test_a_file_is_replaced_only_on_request(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    write(file, "first", overwrite=False)
    with pytest.raises(NameTakenError, match=r"a\.txt already"):
        write(file, "second", overwrite=False)
    assert file.read_text() == "first"
    write(file, "third", overwrite=True)
    assert file.read_text() == "third"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("links", [True, False])
def test_nothing_is_lost_if_another_program_writes_meanwhile(
    links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    if not links:
        monkeypatch.setattr(os, "link", refuse)
    file = tmp_path / "a.txt"
    for name in ("a-1", "a-2"):
        with pytest.raises(NameTakenError, match=rf"wrote .*a\.txt meanwhile.*{name}\.txt") as told:
            write(file, f"ours {name}", overwrite=False, meanwhile="theirs")
        assert pickle.loads(pickle.dumps(told.value)).args == told.value.args
        assert file.read_text() == "theirs"
        assert (tmp_path / f"{name}.txt").read_text() == f"ours {name}"
        file.unlink()
    write(file, "ours", overwrite=True, meanwhile="theirs")
    assert file.read_text() == "ours"


@posix
def test_what_is_replaced_keeps_its_mode_and_owner(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("before")
    file.chmod(0o604)
    if os.geteuid() == 0:
        os.chown(file, 1234, 1235)
    before = file.stat()
    write(file, "after", overwrite=True)
    now = file.stat()
    assert (now.st_uid, now.st_gid) == (before.st_uid, before.st_gid)
    assert stat.S_IMODE(now.st_mode) == 0o604
