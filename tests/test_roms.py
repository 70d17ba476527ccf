"""Finding ROM files."""

from __future__ import annotations

import gzip
import os
import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pyale_ma import multi, roms
from pyale_ma.single import ALEInterface


@pytest.fixture
def pong() -> Path:
    return roms.find_rom("pong")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any ROM file; the folder is the user's."""
    user = tmp_path / "user"
    monkeypatch.setattr(roms, "user_folder", lambda: user)
    monkeypatch.setattr(roms, "_package_folders", lambda: ())
    monkeypatch.delenv("PYALE_MA_ROMS", raising=False)
    monkeypatch.delenv("ALE_ROMS_DIR", raising=False)
    return user


def test_installed_package_has_all() -> None:
    pytest.importorskip("ale_py")
    for game in roms.game_names():
        assert roms.identify(roms.find_rom(game)) == game


def test_no_rom_says_how_to_get_one(bare: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        roms.find_rom("pong")
    assert len(str(error.value).splitlines()) == 2
    assert "pip install" in str(error.value)
    assert "roms import" in str(error.value)


@pytest.mark.parametrize("variable", ["PYALE_MA_ROMS", "ALE_ROMS_DIR"])
def test_environment_variable(
    variable: str, bare: Path, pong: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    shutil.copy(pong, folder / "pong.bin")
    monkeypatch.setenv(variable, os.pathsep.join(["/nonexistent", "", str(folder)]))
    assert roms.find_rom("pong") == folder / "pong.bin"


@pytest.fixture(autouse=True)
def _resolve_pong_first(pong: Path) -> None:
    """Looks for the real file before a test takes all folders away."""


def test_first_folder_wins(
    bare: Path, pong: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (tmp_path / "first", tmp_path / "second", bare):
        folder.mkdir()
        shutil.copy(pong, folder)
    monkeypatch.setenv("ALE_ROMS_DIR", str(tmp_path / "second"))
    assert roms.find_rom("pong").parent == tmp_path / "second"
    monkeypatch.setenv("PYALE_MA_ROMS", str(tmp_path / "first"))
    assert roms.find_rom("pong").parent == tmp_path / "first"


@pytest.mark.parametrize("name", ["Video Olympics (1977).a26", "sub/pong.BIN", "breakout.bin"])
def test_contents_count_not_names(bare: Path, pong: Path, name: str) -> None:
    (bare / name).parent.mkdir(parents=True)
    shutil.copy(pong, bare / name)
    assert roms.find_rom("pong") == bare / name
    with pytest.raises(FileNotFoundError):
        roms.find_rom("breakout")


def test_wrong_contents_under_the_right_name(bare: Path, pong: Path) -> None:
    bare.mkdir()
    (bare / "pong.bin").write_bytes(b"wrong")
    with pytest.raises(FileNotFoundError):
        roms.find_rom("pong")
    shutil.copy(pong, bare / "right.bin")
    assert roms.find_rom("pong") == bare / "right.bin"


def test_changed_file_is_read_again(bare: Path, pong: Path) -> None:
    bare.mkdir()
    shutil.copy(pong, bare / "pong.bin")
    assert roms.find_rom("pong")
    (bare / "pong.bin").write_bytes(b"changed")
    with pytest.raises(FileNotFoundError):
        roms.find_rom("pong")


def test_strange_files_are_passed_over(bare: Path, pong: Path) -> None:
    bare.mkdir()
    (bare / "dangling.bin").symlink_to("/nonexistent")
    (bare / "empty.bin").touch()
    (bare / "folder.bin").mkdir()
    with (bare / "large.bin").open("wb") as stream:
        stream.truncate(2**32)
    with pytest.raises(FileNotFoundError):
        roms.find_rom("pong")


@pytest.mark.parametrize("name", ["ms_pacman", "MsPacman", "ALE/MsPacman-v5", "MsPacman-v5"])
def test_names_as_in_ids(name: str) -> None:
    assert roms.known_game(name) == "ms_pacman"
    assert roms.find_rom(name) == roms.find_rom("ms_pacman")


def test_all_games_are_known_by_their_ids() -> None:
    assert len(roms._by_env_name()) == len(roms.game_names())


# ---- Files that are no ROMs, folders that are no folders -----------------------------------------


@pytest.fixture
def unreachable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A folder below one that we may not enter."""
    locked = tmp_path / "locked"
    (locked / "home").mkdir(parents=True)
    stat = os.stat

    def refuse(path: Any, *arguments: Any, **options: Any) -> os.stat_result:
        if str(path).startswith(str(locked)):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, *arguments, **options)

    monkeypatch.setattr(os, "stat", refuse)
    return str(locked / "home")


def test_folders_out_of_reach_are_passed_over_and_named(
    unreachable: str, bare: Path, pong: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "/" + "x" * 5000
    folders = ["/nonexistent/folder", long, unreachable, "/dev/null"]
    monkeypatch.setenv("PYALE_MA_ROMS", os.pathsep.join(folders))
    monkeypatch.setattr(roms, "user_folder", lambda: Path(unreachable) / "roms")
    with pytest.raises(FileNotFoundError) as error:
        roms.find_rom("pong")
    for folder in ("/nonexistent/folder", unreachable, "/dev/null", "/xxxx"):
        assert f"PYALE_MA_ROMS names {folder}" in str(error.value)
    assert len(str(error.value)) < 1500
    bare.mkdir()
    shutil.copy(pong, bare)
    monkeypatch.setattr(roms, "user_folder", lambda: bare)
    assert roms.find_rom("pong").parent == bare


def test_a_pipe_is_not_waited_for(bare: Path) -> None:
    bare.mkdir()
    pipe = bare / "pong.bin"
    os.mkfifo(pipe)
    with pytest.raises(FileNotFoundError):
        roms.find_rom("pong")
    uses: list[Callable[[Path], object]] = [
        roms.read,
        roms.identify,
        ALEInterface().loadROM,
        multi.ALEInterface().loadROM,
        lambda file: roms.find_rom("pong", file),
    ]
    for use in uses:
        with pytest.raises(OSError, match="no regular file"):
            use(pipe)
    with pytest.raises(RuntimeError, match="doesn't exist"):
        ALEInterface.isSupportedROM(pipe)


def test_reads_where_there_is_no_opening_without_waiting(
    monkeypatch: pytest.MonkeyPatch, pong: Path
) -> None:
    monkeypatch.delattr(os, "O_NONBLOCK")  # Windows
    assert roms.read(pong) == pong.read_bytes()


def test_no_more_is_read_than_a_rom_can_have(tmp_path: Path, pong: Path) -> None:
    """A file of ten gigabytes that begins as a ROM does."""
    large = tmp_path / "large.bin"
    shutil.copy(pong, large)
    os.truncate(large, 10 * 2**30)
    assert roms.identify(large) is None
    assert len(roms.read(large)) < 2**20
    with pytest.raises(ValueError, match="is not the ROM"):
        roms.find_rom("pong", large)
    for interface in (ALEInterface(), multi.ALEInterface()):
        with pytest.raises(ValueError):  # noqa: PT011 (of no known game, or of no cartridge's size)
            interface.loadROM(large)


def test_a_compressed_file_is_not_unpacked_beyond_a_rom(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.bin"
    with gzip.open(bomb, "wb") as stream:
        for _ in range(64):
            stream.write(bytes(2**20))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="524288 bytes"):
            ALEInterface().loadROM(bomb)
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("place", [2, 200, -6, -2])
def test_a_damaged_compressed_file(tmp_path: Path, pong: Path, place: int) -> None:
    data = bytearray(gzip.compress(pong.read_bytes(), mtime=0))
    data[place] ^= 0xFF
    file = tmp_path / "pong.bin"
    for damaged in (data, data[: len(data) // 2]):
        file.write_bytes(damaged)
        with pytest.raises(ValueError, match="damaged"):
            ALEInterface().loadROM(file)


def test_import_passes_over_what_cannot_be_read(
    bare: Path, pong: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "dangling.bin").symlink_to("/nonexistent")
    os.mkfifo(source / "pipe.bin")
    shutil.copy(pong, source / "other.bin")
    (source / "locked.bin").write_bytes(b"locked")
    read = roms.read

    def refuse(file: str) -> bytes:
        if file.endswith("locked.bin"):
            raise PermissionError(13, "Permission denied")
        return read(file)

    monkeypatch.setattr(roms, "read", refuse)
    assert roms.import_roms(source) == {"pong": bare / "pong.bin"}


def test_explicit_path(bare: Path, pong: Path, tmp_path: Path) -> None:
    assert roms.find_rom("pong", pong) == pong
    assert roms.find_rom("pong", str(pong.parent)) == pong
    with pytest.raises(ValueError, match="is not the ROM of 'breakout'"):
        roms.find_rom("breakout", pong)
    with pytest.raises(FileNotFoundError):
        roms.find_rom("pong", tmp_path / "missing.bin")
    with pytest.raises(FileNotFoundError):
        roms.find_rom("pong", tmp_path)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("pung", "'pong'"),
        ("MsPackman", "'ms_pacman'"),
        ("ALE/Pung-v5", "'pong'"),
        ("Breakout-v4", "'breakout'"),
        ("space_invader", "'space_invaders'"),
        ("", "pyale-ma list"),
        ("xyzzy", "pyale-ma list"),
    ],
)
def test_unknown_game(name: str, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        roms.find_rom(name)


def test_identify(pong: Path, tmp_path: Path) -> None:
    assert roms.identify(pong) == "pong"
    (tmp_path / "pong.bin").write_bytes(b"no")
    assert roms.identify(tmp_path / "pong.bin") is None


def test_import(bare: Path, pong: Path, tmp_path: Path) -> None:
    source = tmp_path / "source" / "deep"
    source.mkdir(parents=True)
    shutil.copy(pong, source / "some name.bin")
    (source / "other.bin").write_bytes(b"other")
    assert roms.import_roms(tmp_path / "source") == {"pong": bare / "pong.bin"}
    assert roms.find_rom("pong") == bare / "pong.bin"
    assert roms.import_roms(bare) == {"pong": bare / "pong.bin"}
    assert roms.import_roms(source, tmp_path / "other") == {"pong": tmp_path / "other" / "pong.bin"}


def test_import_from_nowhere(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError):
        roms.import_roms(tmp_path / "missing")
