"""Promises of docs/stability.md: names stay, and files of earlier versions are read.

tests/stable/ has the names, written by tools/interface.py, and files that version 1.0.0 wrote,
which are never made again.
"""

from __future__ import annotations

import importlib
import pickle
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import module_at, tool
from pyale_ma._base.moved import PLACES
from pyale_ma._native import library_path
from pyale_ma.benchmarks import Report
from pyale_ma.cli import keys
from pyale_ma.evaluation.rating_table import read_table
from pyale_ma.games import roms
from pyale_ma.opponents import TrainedPolicy, load_file
from pyale_ma.recording import Recording

ROOT = Path(__file__).parents[2]
STABLE = Path(__file__).parent
_NEEDED = re.compile(r"(?P<called>.+)\((?:\d+|\*) \w+\)")  # an argument without a default


@pytest.fixture(scope="module")
def interface() -> Any:
    pytest.importorskip("pycparser")
    return module_at(ROOT / "tools" / "interface.py")


def broken(before: list[str], now: list[str]) -> list[str]:
    """Return the ways in which an interface breaks programs written for the one before."""
    new = [line for line in now if line not in set(before)]
    needed = [found for found in map(_NEEDED.fullmatch, new) if found and found["called"] in before]
    return [f"{line} is gone" for line in before if line not in set(now)] + [
        f"{found[0]} is needed now" for found in needed
    ]


def test_names_stay(interface: Any) -> None:
    for name, lines in interface.lists().items():
        before = (STABLE / name).read_text(encoding="utf-8").splitlines()
        assert before
        assert not broken(before, lines), name
        new = set(lines).difference(before)
        assert not new, f"{name} lacks names: run python tools/interface.py"


@pytest.mark.parametrize("place", PLACES)
def test_pickles_name_classes_by_older_places(place: str) -> None:
    now = importlib.import_module(PLACES[place])
    public = [
        thing for thing in vars(now).values() if getattr(thing, "__module__", "") == now.__name__
    ]
    assert public
    for thing in public:
        assert pickle.loads(f"c{place}\n{thing.__qualname__}\n.".encode()) is thing


def test_changes_are_seen(interface: Any, tmp_path: Path) -> None:
    file = tmp_path / "module.py"

    def lines(text: str) -> list[str]:
        file.write_text(text, encoding="utf-8")
        return ["m.Game", *interface.Source(file).lines("m.Game", "Game")]

    text = '''MODE = 0

class Game:
    """A game.

    Attributes:
        name: What it is called, which
            is not: more.
    """

    players: int

    def __init__(self, name, *, mode=MODE):
        ...

    def act(self, action, **more):
        ...

    @property
    def over(self):
        ...

    def _hidden(self, anything):
        ...

    @property
    def native(self):
        """Deprecated: nobody needs it."""
'''
    first = lines(text)
    assert first == [
        "m.Game",
        "m.Game.name",
        "m.Game.players",
        "m.Game(1 name)",
        "m.Game(* mode=0)",
        "m.Game.act",
        "m.Game.act(1 action)",
        "m.Game.act(** more)",
        "m.Game.over",
    ]
    fine = text.replace("mode=MODE", "mode=0, seed=None").replace("anything", "nothing")
    assert broken(first, lines(fine)) == []
    for old, new, told in (
        ("MODE = 0", "MODE = 1", ["m.Game(* mode=0) is gone"]),
        ("action, ", "action, player, ", ["m.Game.act(2 player) is needed now"]),
        ("name, *", "*, name", ["m.Game(1 name) is gone", "m.Game(* name) is needed now"]),
        ("def over", "def ended", ["m.Game.over is gone"]),
        ("    players: int\n", "", ["m.Game.players is gone"]),
    ):
        assert old in text
        assert broken(first, lines(text.replace(old, new))) == told


def test_header_of_version_1_is_kept(interface: Any) -> None:
    """It is today's until 1.0.0 is released; from then on it stays as it is."""
    if not interface.is_released():
        kept = STABLE / "ale-1.0" / "ale" / "ale.h"
        assert kept.read_text("utf-8") == interface.HEADER.read_text("utf-8"), (
            "run python tools/interface.py"
        )


def test_programs_of_version_1_run(tmp_path: Path) -> None:
    """With the installed library; also those that know fewer fields of the structs."""
    program, library = tmp_path / "program", Path(library_path()).resolve()
    source = STABLE / "ale-1.0"
    build: list[str | Path]
    build = [tool("cc"), "-std=c11", f"-I{source}", source / "program.c", library, "-o", program]
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
