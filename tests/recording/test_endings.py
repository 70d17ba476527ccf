"""Recordings of programs that end without closing them."""

from __future__ import annotations

import errno
import gc
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from pyale_ma.recording import Recording, RecordingError, record
from pyale_ma.recording.file.zip_writer import ZipWriter
from recording.playing import play_one, play_vector, quartet, small_single, vector

SCRIPT = """
import os, sys
from pyale_ma.recording import record
from pyale_ma.single import AtariEnv

env = AtariEnv("quartet", obs_type="ram")
recorder = record(env, sys.argv[1])
env.reset(seed=1)
for number in range(30):
    env.step(number % 6)
"""


@pytest.mark.parametrize(
    "end", ["", "sys.exit(3)", "raise KeyboardInterrupt", "if os.fork():\n    os.wait()"]
)
def test_the_interpreter_exits(tmp_path: Path, end: str) -> None:
    if "fork" in end and not hasattr(os, "fork"):
        pytest.skip("this system has no fork")
    path = tmp_path / "a.zip"
    command = [sys.executable, "-c", SCRIPT + end, str(path)]
    subprocess.run(command, check=False, capture_output=True)
    recording = Recording.open(path)
    assert (recording.complete, len(recording)) == (True, 30)
    assert recording.verify()


def test_a_killed_process_leaves_whole_chunks(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    told = SCRIPT.replace("sys.argv[1]", "sys.argv[1], steps_per_chunk=8") + "os._exit(0)"
    subprocess.run([sys.executable, "-c", told, str(path)], check=True)
    verdict = Recording.open(path).verify()
    assert (verdict.complete, verdict.steps, bool(verdict)) == (False, 24, True)
    assert "cut off there" in str(verdict)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_plays_unrecorded(tmp_path: Path) -> None:
    env = quartet()
    with record(env, tmp_path / "a.zip", steps_per_chunk=4):
        play_one(env, 10)
        child = os.fork()
        if not child:
            play_one(env, 10, reset=False)
            env.close()
            os._exit(env.tap is not None)
        _, status = os.waitpid(child, 0)
        play_one(env, 5, reset=False)
    verdict = Recording.open(tmp_path / "a.zip").verify()
    assert (status, verdict.steps, verdict.given, bool(verdict)) == (0, 15, 0, True)


def test_the_environment_is_collected(tmp_path: Path) -> None:
    env, envs = quartet(), vector(2)
    record(env, tmp_path / "one.zip")
    record(envs, tmp_path / "many.zip", check_every=10)
    play_one(env, 25)
    play_vector(envs, 25)
    del env, envs
    gc.collect()
    for name in ("one.zip", "many.zip"):
        recording = Recording.open(tmp_path / name)
        assert (recording.complete, len(recording)) == (True, 25)
        assert recording.verify()


def test_a_file_that_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays until the new one has begun; its mode stays longer."""
    path = tmp_path / "a.zip"
    small_single(path, 10)
    path.chmod(0o640)
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(ZipWriter, "add", Mock(side_effect=OSError(errno.ENOSPC, "No space left")))
        with pytest.raises(OSError, match="No space left"):
            record(quartet(), path, overwrite=True)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.zip"]
    assert len(small_single(path, 20, overwrite=True)) == 20
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["a.zip"]


def test_a_file_that_another_recorder_takes(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    first, second = quartet(), quartet()
    recorder = record(first, path)
    play_one(first, 10)
    with record(second, path, overwrite=True):
        play_one(second, 5)
        with pytest.raises(RecordingError, match=r"a\.zip is not the file any more"):
            recorder.close()
        recorder.close()
    assert first.tap is None
    assert len(Recording.open(path)) == 5
