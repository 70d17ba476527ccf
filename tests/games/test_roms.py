"""Finding ROM files."""

from __future__ import annotations

import io
import os
import re
import shutil
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common import take_roms_away
from pyale_ma import multi, roms
from pyale_ma.games import archives, rom_files
from pyale_ma.single import ALEInterface


@pytest.fixture
def pong() -> Path:
    return roms.find_rom("pong")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any ROM file; the folder is the user's."""
    user = tmp_path / "user"
    take_roms_away(monkeypatch, user)
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


@pytest.mark.parametrize("name", ["ms_pacman", "MsPacman", "ALE/MsPacman-v5", "MsPacman-v5"])
def test_names_as_in_ids(name: str) -> None:
    assert roms.known_game(name) == "ms_pacman"
    assert roms.find_rom(name) == roms.find_rom("ms_pacman")


def test_all_games_are_known_by_their_ids() -> None:
    assert sorted(set(rom_files._by_env_name().values())) == roms.game_names()


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
    monkeypatch.setattr(rom_files, "user_folder", lambda: Path(unreachable) / "roms")
    with pytest.raises(FileNotFoundError) as error:
        roms.find_rom("pong")
    for folder in ("/nonexistent/folder", unreachable, "/dev/null", "/xxxx"):
        assert f"PYALE_MA_ROMS names {folder}" in str(error.value)
    assert len(str(error.value)) < 1500
    bare.mkdir()
    shutil.copy(pong, bare)
    monkeypatch.setattr(rom_files, "user_folder", lambda: bare)
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
        ("PongNoFrameskip-v4", "'pong'"),
        ("space-invaders", "did you mean 'space_invaders'"),
        ("Kung Fu-Master", "did you mean 'kung_fu_master'"),
        ("ms-pacman", "'ms_pacman'"),
        ("MsPacmanDeterministic-v0", "'ms_pacman'"),
        ("my/game.bin", "pyale-ma card new FILE"),
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
    assert roms.import_roms(pong, tmp_path / "one") == {"pong": tmp_path / "one" / "pong.bin"}


def test_import_from_nowhere(tmp_path: Path) -> None:
    for name in ("missing", "missing.zip", "missing.bin"):
        with pytest.raises(FileNotFoundError, match=name):
            roms.import_roms(tmp_path / name)


# ---- Archives ------------------------------------------------------------------------------------


def zipped(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return out.getvalue()


def taken_and_told(file: Path, data: bytes) -> tuple[set[str], dict[str, str]]:
    """Import a file of these bytes: the games, and what was refused, by the end of its name."""
    file.write_bytes(data)
    told: dict[str, str] = {}
    taken = roms.import_roms(file, refuse=told.__setitem__)
    assert all(
        path.read_bytes() and path.parent == rom_files.user_folder() for path in taken.values()
    )
    return set(taken), {name.rpartition(": ")[2]: why for name, why in told.items()}


@pytest.fixture
def images(pong: Path) -> tuple[bytes, bytes]:
    """Of Pong and of Quartet."""
    own = Path(rom_files.__file__).parent / "cartridges" / "quartet.bin"
    return pong.read_bytes(), own.read_bytes()


def test_import_of_an_archive(bare: Path, images: tuple[bytes, bytes], tmp_path: Path) -> None:
    pong, quartet = images
    inner = zipped({"deep/Quartet.A26": quartet, "same again.bin": pong}, zipfile.ZIP_STORED)
    data = zipped(
        {
            "folder/": b"",
            "folder/Some Name (1977).bin": pong,
            "more.zip": inner,
            "read me.txt": b"hello",
            "unknown.bin": b"unknown",
        }
    )
    taken, told = taken_and_told(tmp_path / "roms.zip", data)
    assert taken == {"pong", "quartet"}
    assert (bare / "pong.bin").read_bytes() == pong
    assert list(told) == ["unknown.bin"]
    assert "no game that is known" in told["unknown.bin"]
    # In a folder, too.
    shutil.rmtree(bare)
    assert set(roms.import_roms(tmp_path)) == {"pong", "quartet"}


def test_bombs(
    bare: Path, images: tuple[bytes, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Archives that are small and unpack to much, or list too much."""
    pong, _ = images
    file = tmp_path / "bomb.zip"
    nothing = bytes(2**19)
    bomb = zipped({f"{i}.bin": nothing for i in range(600)} | {"last.bin": pong})
    assert len(bomb) < 2**20
    tracemalloc.start()
    try:
        taken, told = taken_and_told(file, bomb)
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()
    assert not taken
    assert "more than 268435456 bytes" in str(told)

    # What an entry says of its size is not believed.
    lie = bytearray(zipped({"a.bin": bytes(2**23)}))
    at = lie.rfind(b"a.bin") - 46
    lie[at + 24 : at + 28] = (4096).to_bytes(4, "little")
    taken, told = taken_and_told(file, bytes(lie))
    assert not taken
    assert list(told) == ["a.bin"]

    # What is damaged has been unpacked as well.
    damaged = bytearray(bomb)
    for entry in re.finditer(rb"PK\x01\x02", bomb):
        damaged[entry.start() + 16] ^= 1  # of the checksum
    taken, told = taken_and_told(file, bytes(damaged))
    assert not taken
    assert "damaged" in told["0.bin"]
    assert "more than 268435456 bytes" in str(told)

    name = "x" * 60_000 + ".zip"
    _, told = taken_and_told(file, zipped({name: zipped({"y.bin": b"?"})}))
    assert list(told) == ["y.bin"]
    names: list[str] = []
    roms.import_roms(file, refuse=lambda name, why: names.append(name))
    assert max(map(len, names)) < len(str(file)) + 200

    many = zipped({f"{i:050}.bin": b"" for i in range(60_000)})
    _, told = taken_and_told(file, many)
    assert "more than 50000 entries" in told[str(file)]
    monkeypatch.setattr(archives, "_MOST_PACKED", 1000)
    _, told = taken_and_told(file, zipped({"pong.bin": pong}, zipfile.ZIP_STORED))
    assert "more than 1000 bytes" in told[str(file)]

    # What unpacks to nothing takes its time, too.
    empty_blocks = b"\0\0\0\xff\xff" * 60
    slow = bytearray(zipped({f"{i}.bin": empty_blocks for i in range(2)}, zipfile.ZIP_STORED))
    for entry in re.finditer(rb"PK\x01\x02", bytes(slow)):
        slow[entry.start() + 10] = zipfile.ZIP_DEFLATED
        slow[entry.start() + 24 : entry.start() + 28] = (1).to_bytes(4, "little")
    monkeypatch.setattr(archives, "_MOST_UNPACKED", 400)
    _, told = taken_and_told(file, bytes(slow))
    assert "damaged" in told["0.bin"]
    assert "more than 400 bytes" in told["1.bin"]


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_damaged_archives(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever byte is another: an answer, and copies of nothing but what is known."""
    quartet = (Path(rom_files.__file__).parent / "cartridges" / "quartet.bin").read_bytes()
    archive = bytearray(zipped({"a.zip": zipped({"quartet.bin": quartet}), "b.bin": b"b"}))
    for _ in range(data.draw(st.integers(1, 4))):
        archive[data.draw(st.integers(-300, len(archive) - 1))] = data.draw(st.integers(0, 255))
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "a.zip").write_bytes(archive)
    taken = roms.import_roms(folder, folder / "copies")
    for game, copy in taken.items():
        assert roms.identify(copy) == game == "quartet"
