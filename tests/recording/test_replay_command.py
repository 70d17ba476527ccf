"""``pyale-ma replay``."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from common import Terminal
from pyale_ma import __version__
from pyale_ma.cli import main, replay
from pyale_ma.cli.replay import verified
from pyale_ma.recording import Recording, RecordingError, record
from recording.playing import (
    change_json,
    console,
    play_frames,
    play_one,
    play_vector,
    quartet,
    recorded,
    small_single,
    vector,
    with_lineup,
)


def test_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, many = tmp_path / "good.zip", tmp_path / "many.zip"
    returns = int(small_single(good, 50).array("rewards").sum())
    recorded(many, vector(), play_vector, 20)
    assert main(["replay", str(good), str(many)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{good}: verified, 50 steps (quartet, 50 steps, returns {returns})",
        f"{many}: verified, 20 steps (quartet, 20 steps)",
    ]
    bad = change_json(good, "end.json", lambda end: end.update(screens=["0" * 64]))
    assert main(["replay", str(bad), str(good), str(tmp_path / "good.zip")]) == 1
    out = capsys.readouterr().out.splitlines()
    assert ": diverges at step 50: the screen is another (" in out[0]
    assert [": verified, 50 steps" in line for line in out] == [False, True, True]


def test_who_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "play.zip"
    recorded(path, console(), play_frames, 20, metadata={"lineup": ["person", "strong\x1b"]})
    assert main(["replay", str(path)]) == 0
    assert capsys.readouterr().out.endswith(", played by person, strong\\x1b)\n")
    assert main(["replay", "--json", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["lineup"] == ["person", "strong\x1b"]
    lineups: list[Any] = ["me", [1, 2], ["a", "b", "c"], {}]
    for lineup in lineups:
        changed = with_lineup(path, lineup)
        assert main(["replay", str(changed)]) == 0
        assert "played by" not in capsys.readouterr().out


def test_json_and_damage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = tmp_path / "good.zip"
    small_single(good, 20)
    bad = change_json(good, "recording.json", lambda header: header.update(version=9))
    assert main(["replay", "--json", str(good), str(bad)]) == 1
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == {
        "file": str(good),
        "verified": True,
        "games": "quartet",
        "steps": 20,
        "step": None,
        "problem": None,
        "complete": True,
        "given": 0,
        "cards": [],
        "lineup": [],
        "written_by": __version__,
    }
    assert (second["file"], second["verified"]) == (str(bad), False)
    assert "version is 9" in second["problem"]
    assert main(["replay", str(bad)]) == 1
    assert "version is 9" in capsys.readouterr().out


def test_no_steps_are_no_proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with record(quartet(), file := tmp_path / "a.zip"):
        pass
    assert main(["replay", str(file)]) == 1
    assert capsys.readouterr().out == f"{file}: it has no steps to verify (quartet, 0 steps)\n"
    assert main(["replay", "--json", str(file)]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["verified"], told["problem"]) == (False, "it has no steps to verify")


def test_parts_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, film = tmp_path / "a.zip", tmp_path / "a.gif"
    recording = small_single(file, 30)
    assert main(["replay", str(file), "--ram", "--from", "10", "--to", "12"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    now = [step.ram[0] for step in recording.steps(10, 12)]
    assert first == f"step 10: RAM {now[0].tobytes().hex(' ')}"
    assert second.startswith("step 11: [")
    assert second.count("[") == (now[0] != now[1]).sum()
    assert main(["replay", str(file), "--objects", "--from", "10", "--to", "11"]) == 0
    assert "step 10: PF color" in capsys.readouterr().out
    assert main(["replay", str(file), "--film", str(film), "--to", "9"]) == 0
    assert capsys.readouterr().out == f"{film}\n"
    assert film.exists()


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("film", ["a.gif", "a.mp4"])
def test_a_film_that_a_signal_ends_leaves_nothing(tmp_path: Path, name: str, film: str) -> None:
    """However often it is sent, as `timeout` does; the status is the signal's."""
    if film == "a.mp4":
        pytest.importorskip("imageio_ffmpeg", reason="it writes MP4 files")
    folders = [tmp_path / "films", tmp_path / "temporary"]
    for folder in folders:
        folder.mkdir()
    recorded(tmp_path / "a.zip", console(), play_frames, 1500)
    number = getattr(signal, name)
    program = """
import signal, sys
from pyale_ma.cli import main
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)  # whatever this test was started by
sys.exit(main(sys.argv[1:]))
"""
    command = [sys.executable, "-c", program, "replay", str(tmp_path / "a.zip"), "--film", film]
    environment = {**os.environ, "TMPDIR": str(folders[1])}
    with subprocess.Popen(command, cwd=folders[0], env=environment) as process:
        wait_until(lambda: any(folders[0].glob(f".writing-*/{film}")))
        for _ in range(20):
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)
            time.sleep(0.001)
        assert process.wait(60) == -number
    assert [list(folder.iterdir()) for folder in folders] == [[], []]


def test_vectors_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.zip"
    recorded(file, vector(), play_vector, 5)
    assert main(["replay", str(file), "--ram"]) == 0
    assert capsys.readouterr().out.count("environment 2") == 5
    assert main(["replay", str(file), "--ram", "--env", "1"]) == 0
    assert capsys.readouterr().out.count("environment 1") == 5
    assert main(["replay", str(file), "--film", str(tmp_path / "a.png"), "--env", "1"]) == 0
    with pytest.raises(RecordingError, match="boxes of objects"):
        next(Recording.open(file).objects())


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["b.zip", "--film", "a.gif"], "--film makes one film"),
        (["--env", "3", "--ram"], "--env is 3; it must be 0 to 2"),
        (["--film", "a.txt"], "must end in"),
        (
            ["--film", "a.gif", "--from", "9"],
            "--from is 9; it must be 0 to 4, as a.zip has 5",
        ),
        (["--ram", "--from", "2", "--to", "2"], "--to is 2; it must be above 2"),
        (["--from", "2"], "--from says what to show: give --ram, --objects or --film, too"),
        (["--env", "0", "--json"], "--env says what to show"),
        (["--ram", "--workers", "2"], "--workers is for verifying: leave out --ram"),
    ],
)
def test_mistakes(
    tmp_path: Path,
    arguments: list[str],
    text: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    recorded(tmp_path / "a.zip", vector(), play_vector, 5)
    assert main(["replay", "a.zip", *arguments]) == 2
    assert text in capsys.readouterr().err


def test_a_missing_file_stops_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small_single(Path("a.zip"), 5)
    assert main(["replay", "no.zip", "a.zip"]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert "No such file" in first
    assert "no.zip" in first
    assert ": verified, 5 steps" in second
    assert main(["replay", "--json", "no.zip", "a.zip"]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(each["file"], each["verified"]) for each in told] == [
        ("no.zip", False),
        ("a.zip", True),
    ]
    assert main(["replay", "--ram", "--to", "1", "no.zip", "a.zip"]) == 1
    assert capsys.readouterr().out.splitlines()[1] == "a.zip:"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bar_over_all_steps(
    tmp_path: Path,
    workers: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On standard error alone, and the lines in the order of the files, whichever is done first."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.chdir(tmp_path)
    small_single(Path("a.zip"), 600)
    small_single(Path("b.zip"), 200)
    told = ["replay", "a.zip", "no.zip", "b.zip", "--workers", str(workers)]
    assert main(told) == 1
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    assert main(told) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith("a.zip: verified, 600 steps")
    assert "No such file" in second
    assert third.startswith("b.zip: verified, 200 steps")
    shown = stream.getvalue()
    parts = [int(part) for part in re.findall(r"(\d+) of 800 steps", shown)]
    assert parts == sorted(parts)
    assert {600, 800} <= set(parts) or workers == 2
    assert (400 in parts) == (workers == 1)  # other processes tell of whole files
    assert "3 of 3 files" in shown
    assert main(["replay", "a.zip", "b.zip", "--workers", str(workers)]) == 0


def verified_or_killed(
    file: str, *, as_json: bool, tell: Callable[[int], None] | None
) -> tuple[str, bool]:
    """Of some files the process is killed, as for want of memory."""
    if file.startswith("killed"):
        os.kill(os.getpid(), signal.SIGKILL)
    return verified(file, as_json=as_json, tell=tell)


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("as_json", [False, True])
def test_a_process_that_is_killed(
    tmp_path: Path,
    as_json: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its file alone is not verified, and each file has its line."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(replay, "verified", verified_or_killed)
    files = ["a.zip", "killed.zip", "b.zip", "c.zip"]
    for file in files:
        small_single(Path(file), 20)
    assert main(["replay", *files, "--workers", "2", *["--json"] * as_json]) == 1
    problem = "not verified: its process was killed or crashed; if memory ran out, fewer workers "
    problem += "need less"
    lines = capsys.readouterr().out.splitlines()
    if as_json:
        told = [json.loads(line) for line in lines]
        assert [each["file"] for each in told] == files
        assert [each["verified"] for each in told] == [True, False, True, True]
        assert told[1] == {"file": "killed.zip", "verified": False, "problem": problem}
    else:
        assert lines.pop(1) == f"killed.zip: {problem}"
        assert [line.split(": ")[0] for line in lines] == ["a.zip", "b.zip", "c.zip"]
        assert all(": verified, 20 steps" in line for line in lines)


@pytest.mark.parametrize(
    "game",
    [
        ["quartet"],
        ["quartet", "--players", "4", "--difficulty", "1"],
        ["quartet", "--mode", "3", "--seed", "5"],
        ["quartet_v0"],
        ["quartet_v0", "--players", "2", "--mode", "8"],
        [],
    ],
    ids=str,
)
def test_what_a_demo_records(
    tmp_path: Path, game: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", *game, "--frames", "90", "-o", "a.gif", "--record", "a.zip"]) == 0
    recording = Recording.open("a.zip")
    verdict = recording.verify()
    assert verdict, verdict
    assert (verdict.complete, verdict.given, len(recording)) == (True, 0, 90)
    if recording.header.layer == "console":
        for observed, shape in (("ram", (128,)), ("grayscale", (210, 160)), ("rgb", (210, 160, 3))):
            step = next(recording.steps(5, 6, obs_type=observed))
            assert step.observation.shape == step.next_observation.shape == shape
    assert next(recording.objects(5, 6))[1]
    recording.film("b.gif")


def test_nothing_is_written_over_unless_that_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    recording = small_single(Path("a.zip"), 20)
    for name in ("film.gif", "b.zip"):
        Path(name).write_bytes(b"before")
    with pytest.raises(FileExistsError, match=r"film\.gif already"):
        recording.film("film.gif")
    with pytest.raises(FileExistsError, match=r"b\.zip already") as taken:
        record(quartet(), "b.zip")
    assert str(taken.value).endswith("choose another name, or replace it by overwrite=True")
    assert str(pickle.loads(pickle.dumps(taken.value))) == str(taken.value)
    few = ["--frames", "10"]
    for name, command in (
        ("film.gif", ["record", "quartet", "-o", "film.gif", *few]),
        ("film.gif", ["replay", "a.zip", "--film", "film.gif"]),
        ("film.gif", ["demo", "-o", "film.gif", *few]),
        ("b.zip", ["demo", "-o", "new.gif", "--record", "b.zip", *few]),
    ):
        assert main(command) == 2
        told = f"there is a file {name} already: choose another name, or replace it by --force\n"
        assert capsys.readouterr().err.endswith(told)
        assert Path(name).read_bytes() == b"before"
        assert main([*command, "--force"]) == 0
        assert Path(name).read_bytes() != b"before"
        Path(name).write_bytes(b"before")
    recording.film("film.gif", overwrite=True)
    assert Path("film.gif").read_bytes() != b"before"
    with record(env := quartet(), "b.zip", overwrite=True):
        play_one(env, 10)
    assert len(Recording.open("b.zip")) == 10
