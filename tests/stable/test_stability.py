"""Promises of docs/stability.md: names are listed, and files of earlier versions are read.

tests/stable/ has files that version 1.0.0 wrote, which are never made again.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from common import module_at, tool
from pyale_ma import roms
from pyale_ma._native import ABI_VERSION, library_path
from pyale_ma.benchmarks import Report
from pyale_ma.cli import keys
from pyale_ma.evaluation.rating_table import read_table
from pyale_ma.opponents import TrainedPolicy, load_file
from pyale_ma.recording import Recording

ROOT = Path(__file__).parents[2]
STABLE = Path(__file__).parent


def test_names_are_listed(tmp_path: Path) -> None:
    """What a release writes has names, arguments with places and defaults, and the header."""
    pytest.importorskip("pycparser")
    module_at(ROOT / "tools" / "interface.py").main(tmp_path)
    python, commands, ids, c = (
        (tmp_path / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        for name in ("python", "commands", "ids", "c")
    )
    assert {
        "pyale_ma.multi.ParallelAtariEnv",
        "pyale_ma.multi.ParallelAtariEnv(2 num_players)",
        "pyale_ma.multi.ParallelAtariEnv(* sound_obs=False)",
        "pyale_ma.multi.ParallelAtariEnv.ale",
        "pyale_ma.multi.pong_v3.parallel_env",
    } <= set(python)
    assert "pyale-ma roms import" in commands
    assert "pyale_ma/Pong-v0" in ids
    assert f"ALE_ABI_VERSION {ABI_VERSION}" in c
    assert (tmp_path / "ale.h").is_file()


def test_programs_that_know_fewer_fields_run(tmp_path: Path) -> None:
    """With the installed library, and with structs that end earlier."""
    program, library = tmp_path / "program", Path(library_path()).resolve()
    header = ROOT / "libale" / "include"
    build: list[str | Path]
    build = [tool("cc"), "-std=c11", f"-I{header}", STABLE / "program.c", library, "-o", program]
    subprocess.run([*build, f"-Wl,-rpath,{library.parent}"], check=True)
    for less in ("0", "8"):
        command = [program, roms.find_rom("quartet"), less]
        # Windows looks for the library in the current folder.
        result = subprocess.run(command, capture_output=True, text=True, cwd=library.parent)
        assert (result.stderr, result.returncode) == ("", 0)
        assert result.stdout == "c1dc289a 66371583\n"


@pytest.mark.parametrize("layer", ["single", "multi", "vector", "console"])
def test_recordings_of_version_1_are_verified(layer: str) -> None:
    recording = Recording.open(STABLE / f"{layer}.zip")
    assert recording.header.layer == layer
    assert recording.verify()
    assert len(recording) == 120


def test_report_of_version_1_is_read() -> None:
    report = Report.load(STABLE / "report.json")
    assert [episode.score for episode in report.episodes["breakout"]]


@pytest.mark.parametrize(
    ("level", "expected"),
    [("weak", "233443232314204424314344"), ("strong", "444004004444440040440040")],
)
def test_players_of_version_1_play_as_they_did(level: str, expected: str) -> None:
    act = TrainedPolicy(load_file(STABLE / "pong.players"), level).solo(0, seed=5)
    rams = ((np.arange(128) * k**2 % 251).astype(np.uint8) for k in range(24))
    assert "".join(str(act(ram)) for ram in rams) == expected


def test_ratings_of_version_1_are_read() -> None:
    ratings = read_table(STABLE / "pong.ratings").elo()
    assert {name: round(elo.value) for name, elo in ratings.items()} == {
        "strong": 1593,
        "middle": 1340,
        "weak": 767,
        "random": 0,
        "sticky": -39,
        "still": -1183,
    }


def test_keys_of_version_1_are_read() -> None:
    found = keys.load(STABLE / "keys.toml")
    assert found.players[0]["FIRE"] == ("space", "e")
    assert found.players[2]["LEFT"] == ("[4]",)
    assert found.commands["pause"] == ("tab",)
    assert found.commands["advance"] == ("f3", "n")
