"""Finding ROM files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pyale_ma import roms


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
        ("MsPacman", "'ms_pacman'"),
        ("ALE/Pong-v5", "'pong'"),
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
