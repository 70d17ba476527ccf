"""Finding ROM files."""

from __future__ import annotations

import gzip
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
from hypothesis import given, settings, strategies as st

from common import take_roms_away
from pyale_ma import multi, roms
from pyale_ma.cli import keys, main
from pyale_ma.games import archives, rom_files
from pyale_ma.single import ALEInterface, AtariEnv
from pyale_ma.vector import AtariVectorEnv


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


@pytest.mark.parametrize("name", ["Video Olympics (1977) [!]", "sub/pong.BIN", "breakout.bin"])
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


def test_a_file_that_has_become_another_game(
    bare: Path, pong: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = roms.find_rom("quartet").read_bytes()
    bare.mkdir()
    file = bare / "pong.bin"
    shutil.copy(pong, file)
    envs: list[Any] = [AtariEnv("pong"), multi.parallel_env(game="pong", num_players=2)]
    before = [env.reset(seed=3)[1] or env.state().tolist() for env in envs]
    file.write_bytes(other)
    assert [env.reset(seed=3)[1] or env.state().tolist() for env in envs] == before
    # Between the search and the reading.
    monkeypatch.setattr(rom_files, "find_file", lambda *_: file)
    for make in (
        lambda: AtariEnv("pong"),
        lambda: multi.parallel_env(game="pong", num_players=2),
        lambda: AtariVectorEnv("pong"),
    ):
        with pytest.raises(ValueError, match=r"ROM.*'pong'.*MD5"):
            make()


def test_reads_where_there_is_no_opening_without_waiting(
    monkeypatch: pytest.MonkeyPatch, pong: Path
) -> None:
    monkeypatch.delattr(os, "O_NONBLOCK")  # Windows
    assert rom_files.read(pong) == pong.read_bytes()


def test_no_more_is_read_than_a_rom_can_have(tmp_path: Path, pong: Path) -> None:
    """A file of ten gigabytes that begins as a ROM does."""
    large = tmp_path / "large.bin"
    shutil.copy(pong, large)
    os.truncate(large, 10 * 2**30)
    assert roms.identify(large) is None
    assert len(rom_files.read(large)) < 2**20
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
    read = rom_files.read

    def refuse(file: Path) -> bytes:
        if file.name == "locked.bin":
            raise PermissionError(13, "Permission denied")
        return read(file)

    monkeypatch.setattr(rom_files, "read", refuse)
    told: dict[str, str] = {}
    taken = roms.import_roms(source, refuse=told.__setitem__)
    assert taken == {"pong": bare / "pong.bin"}
    assert told[str(source / "locked.bin")] == "Permission denied"
    assert "no regular file" in told[str(source / "pipe.bin")]
    assert str(source / "dangling.bin") in told


def test_explicit_path(bare: Path, pong: Path, tmp_path: Path) -> None:
    assert roms.find_rom("pong", pong) == pong
    assert roms.find_rom("pong", str(pong.parent)) == pong
    with pytest.raises(ValueError, match=r"ROM.*'breakout'"):
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
    folder = rom_files.user_folder()
    assert all(path.read_bytes() and path.parent == folder for path in taken.values())
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
            "folder/Some Name (1977)": pong,
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


def test_names_in_an_archive_are_no_paths(
    bare: Path, images: tuple[bytes, bytes], tmp_path: Path
) -> None:
    pong, quartet = images
    names = ("../../outside.bin", "/tmp/outside.bin", "C:\\outside.bin", "a/../../../b.bin")
    for name in names:
        shutil.rmtree(bare, ignore_errors=True)
        taken, _ = taken_and_told(tmp_path / "evil.zip", zipped({name: pong, name[:-4]: quartet}))
        assert taken == {"pong", "quartet"}
        assert {path.name for path in bare.iterdir()} == {"pong.bin", "quartet.bin"}
        assert {path.name for path in tmp_path.iterdir()} == {"evil.zip", "user"}


def test_entries_that_are_refused(bare: Path, images: tuple[bytes, bytes], tmp_path: Path) -> None:
    pong, quartet = images
    deep = zipped({"d.bin": quartet})
    for name in ("c.zip", "b.zip", "a.zip"):
        deep = zipped({name: deep})
    data = bytearray(
        zipped(
            {
                "good.bin": pong,
                "large.bin": bytes(2**20),
                "no archive.zip": b"PK",
                "damaged.bin": os.urandom(1000),
                "encrypted.bin": quartet,
                "deep.zip": deep,
            }
        )
    )
    at = data.find(b"damaged.bin") + len("damaged.bin")
    data[at : at + 400] = bytes(400)
    entry = data.rfind(b"encrypted.bin") - 46
    assert data[entry : entry + 4] == b"PK\x01\x02"
    data[entry + 8] |= 1
    taken, told = taken_and_told(tmp_path / "roms.zip", bytes(data))
    assert taken == {"pong"}
    assert "more than 524288 bytes" in told.pop("large.bin")
    assert "no zip file" in told.pop("no archive.zip")
    assert "damaged" in told.pop("damaged.bin")
    assert "is encrypted" in told.pop("encrypted.bin")
    assert "too deep" in told.pop("b.zip")
    assert told == {}
    packed = zipped({"pong.bin": pong}, zipfile.ZIP_BZIP2)
    taken, told = taken_and_told(tmp_path / "roms.zip", packed)
    assert not taken
    assert "deflate" in told["pong.bin"]


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


def test_places_that_are_none(bare: Path, tmp_path: Path) -> None:
    """An entry that says it begins behind all that can be counted."""
    inner = bytearray(zipped({"a.bin": b"?"}))
    entry, end = inner.rfind(b"PK\x01\x02"), inner.rfind(b"PK\x05\x06")
    far = b"\x01\x00\x08\x00" + (2**63).to_bytes(8, "little")
    inner[entry + 30 : entry + 32] = len(far).to_bytes(2, "little")
    inner[entry + 42 : entry + 46] = b"\xff" * 4
    inner[end + 12 : end + 16] = (end - entry + len(far)).to_bytes(4, "little")
    inner[end:end] = far
    for archive in (bytes(inner), zipped({"inner.zip": bytes(inner)})):
        taken, told = taken_and_told(tmp_path / "far.zip", archive)
        assert not taken
        assert told


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


def test_an_entry_without_a_name(tmp_path: Path, images: tuple[bytes, bytes]) -> None:
    nameless = zipfile.ZipInfo()
    nameless.filename = ""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(nameless, b"data")
        archive.writestr("pong.bin", images[0])
    assert list(roms.import_roms(tmp_path / "a.zip", tmp_path / "copies")) == ["pong"]


def test_import_says_what_was_not_taken(
    bare: Path,
    images: tuple[bytes, bytes],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"pong.bin": images[0], "\x1b[2J.bin": b"clear"}))
    (tmp_path / "b.bin").write_bytes(b"unknown")
    assert main(["roms", "import", str(tmp_path / "a.zip"), str(tmp_path / "b.bin")]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].split() == ["not", "taken", "why"]
    assert lines[1].startswith(f"{tmp_path}/a.zip: \\x1b[2J.bin  no game")
    assert lines[2].startswith(f"{tmp_path}/b.bin ")
    assert lines[3] == f"1 ROM files copied to {bare}: pong"
    assert "\x1b" not in captured.out
    assert main(["roms", "import", str(tmp_path / "b.bin")]) == 2
    assert "no known ROM file was found" in capsys.readouterr().err


def test_what_is_passed_over_is_told(
    bare: Path, images: tuple[bytes, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, target = tmp_path / "mine", tmp_path / "image"
    (tmp_path / "elsewhere").mkdir()
    folder.mkdir()
    for name, data in (("r.rar", b"Rar!"), ("g.bin.gz", b"?"), ("a.zip", zipped({"p": images[0]}))):
        (folder / name).write_bytes(data)
    try:
        (folder / "link").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    except OSError:
        pytest.skip("no links here")
    told: dict[str, str] = {}
    assert roms.import_roms(folder, target, refuse=told.__setitem__) == {
        "pong": target / "pong.bin"
    }
    assert {Path(name).name: why for name, why in told.items()} == {
        "link": "it is a link to a folder: name that folder",
        "r.rar": "archives of this kind are not read: unpack it first",
        "g.bin.gz": "archives of this kind are not read: unpack it first",
    }
    with pytest.raises(FileNotFoundError, match=r"pyale-ma roms import.*zip"):
        roms.find_rom("pong", folder)
    assert main(["roms", "import", str(folder), "--to", str(tmp_path / "other")]) == 0
    assert f"copied to {tmp_path / 'other'}: pong" in capsys.readouterr().out
    assert not bare.exists()


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that runs under any number."""
    pwd = pytest.importorskip("pwd")

    def nobody(*_: object) -> None:
        raise KeyError("uid not found")

    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert not roms.user_folder().exists()
    assert roms.find_rom("quartet")
    assert keys.load() == keys.Keys()
