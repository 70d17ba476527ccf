"""Disks that are full, and writes cut short: each is told, and the file before is kept.

The size that a process may give to files is limited, which has the same effect for every user.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from common import rom_path, run_python
from pyale_ma import _native
from pyale_ma.screen.film import Film

resource = pytest.importorskip("resource")

LIMITED = """
import contextlib, os, resource, signal, sys
from pathlib import Path
import numpy as np
from pyale_ma import _native, multi, roms
from pyale_ma.cli import main
from pyale_ma.screen.film import Film
from pyale_ma.single import ALEInterface

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writes fail instead

@contextlib.contextmanager
def full_disk(size):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

def fails(work, size=100):
    with full_disk(size):
        try:
            work()
        except OSError as error:
            return str(error)
    raise AssertionError("it did not fail")

folder = Path(sys.argv[1])
"""


def run(code: str, folder: Path) -> None:
    """Run a program; the folder must then hold what it held before."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    run_python(f"import sys; sys.argv.append({str(folder)!r})\n" + LIMITED + code)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert {path.name for path in folder.iterdir()} == {path.name for path in before}


def film(file: Path, frames: int = 30) -> Film:
    made = Film(file, overwrite=True)
    env = _native.Env(_native.Rom(rom_path("pong").read_bytes()), sound=True)
    for _ in range(frames):
        env.act()
        made.take(env)
    return made


@pytest.mark.parametrize("suffix", [".gif", ".webp", ".mp4", ".png"])
def test_films_are_whole_or_not_there(suffix: str, tmp_path: Path) -> None:
    if suffix == ".mp4":
        pytest.importorskip("imageio_ffmpeg")
    (tmp_path / f"film{suffix}").write_bytes(b"the film before")
    run(
        f"""
env = _native.Env(_native.Rom(roms.find_rom("pong").read_bytes()))
film = Film(folder / "film{suffix}", overwrite=True)
for _ in range(30):
    env.act()
    film.take(env)
print(fails(film.save))
""",
        tmp_path,
    )


def test_pictures_roms_and_cards_are_whole_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "screen.png").write_bytes(b"the picture before")
    (tmp_path / "pong.bin").write_bytes(b"the ROM before")
    run(
        """
for make in ALEInterface, multi.ALEInterface:
    ale = make()
    ale.loadROM(roms.find_rom("pong"))
    fails(lambda: ale.saveScreenPNG(str(folder / "screen.png")))
fails(lambda: roms.import_roms(roms.find_rom("pong"), folder))
with full_disk(100):
    pong = str(roms.find_rom("pong"))
    assert main(["card", "new", pong, "-o", str(folder / "new.toml")]) == 2
""",
        tmp_path,
    )


def test_reports_are_whole_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_bytes(b"the report before")
    report = """
from pyale_ma.benchmarks import Episode, Report
report = Report("dqn", {"pong": (Episode(0, -21, 800, False),) * 20})
"""
    run(report + 'fails(lambda: report.save(folder / "report.json"))', tmp_path)
    pytest.importorskip("matplotlib")
    (tmp_path / "report.png").write_bytes(b"the picture before")
    run(report + 'fails(lambda: report.picture(folder / "report.png"), 9000)', tmp_path)


def test_states_of_collectors_are_whole_or_not_there(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    (tmp_path / "state").write_bytes(b"the state before")
    run(
        """
from pyale_ma.distributed.core import STATE_FILE
fails(lambda: STATE_FILE.write(folder / "state", {"numbers": np.zeros(1000)}))
""",
        tmp_path,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full")
def test_output_that_finds_no_room_is_told() -> None:
    """Whether Python holds it back, and more than it holds, or not."""
    run_python("""
import itertools, os, subprocess, sys
commands = ["list"], ["completion", "bash"], ["keys"], ["roms"]
for command, unbuffered in itertools.product(commands, ("", "1")):
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "pyale_ma", *command], stdout=full,
                              stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
    assert done.returncode == 2 and "No space left" in done.stderr, (command, done)
    assert "ignored" not in done.stderr, (command, done)
""")


def test_a_film_that_ffmpeg_cannot_write_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho 'no \x1b[31mroom' >&2\nexit 3\n")
    broken.chmod(0o755)
    file = tmp_path / "film.mp4"
    file.write_bytes(b"the film before")
    monkeypatch.setattr(ffmpeg, "get_ffmpeg_exe", lambda: str(broken))
    with pytest.raises(OSError, match=r"film\.mp4.*\\x1b\[31mroom"):
        film(file).save()
    assert file.read_bytes() == b"the film before"


def test_files_are_as_other_files(tmp_path: Path) -> None:
    """Of the usual permissions, and through links to where they lead."""
    before = os.umask(0o027)
    try:
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "link.gif").symlink_to(tmp_path / "elsewhere" / "film.gif")
        film(tmp_path / "link.gif").save()
    finally:
        os.umask(before)
    written = tmp_path / "elsewhere" / "film.gif"
    assert (tmp_path / "link.gif").is_symlink()
    assert stat.S_IMODE(written.stat().st_mode) == 0o640
    assert [path.name for path in written.parent.iterdir()] == ["film.gif"]
