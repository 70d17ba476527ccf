"""The examples run; the C one is compiled and run by .ci/c_example."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from common import rom_path, start_python
from integrations.running import run
from pyale_ma.recording import Recording

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_ppo_pong(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the example learns with PyTorch")
    pytest.importorskip("matplotlib", reason="the example draws its curve with matplotlib")
    curve = tmp_path / "curve.png"
    options = ["--envs", "2", "--rollout", "32", "--steps", "128", "-o", str(curve)]
    printed = run(str(EXAMPLES / "ppo_pong.py"), *options, timeout=300)
    losses = [float(loss) for loss in re.findall(r"loss +(\S+)", printed)]
    assert len(losses) == 2  # of the first and the last update
    assert all(-10 < loss < 10 for loss in losses)
    assert curve.stat().st_size > 1000


def test_labels_vs_ram(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the example learns with PyTorch")
    pytest.importorskip("matplotlib", reason="the example draws its curves with matplotlib")
    picture, curves = tmp_path / "curves.png", tmp_path / "curves.json"
    options = ["--envs", "2", "--rollout", "32", "--steps", "128", "--seeds", "2"]
    files = ["-o", str(picture), "--json", str(curves)]
    printed = run(str(EXAMPLES / "labels_vs_ram.py"), *options, *files, timeout=300)
    assert len(re.findall(r"^pong from (ram|labels), seed [12]$", printed, re.MULTILINE)) == 4
    assert re.search(r"^\| steps \| ram \| labels \|$", printed, re.MULTILINE)
    assert len(re.findall(r"^\| (64|128) \| ", printed, re.MULTILINE)) == 2
    assert {kind: len(runs) for kind, runs in json.loads(curves.read_text("utf-8")).items()} == {
        "ram": 2,
        "labels": 2,
    }
    assert picture.stat().st_size > 1000


def test_backward_curriculum(tmp_path: Path) -> None:
    """The demonstration that is shipped, and a few steps from its end."""
    for module in ("torch", "matplotlib"):
        pytest.importorskip(module, reason="the example needs it")
    rom_path("montezuma_revenge")
    recording = Recording.open(EXAMPLES / "montezuma_key.zip")
    assert recording.verify()
    assert len(recording.starts(every=4)) == 100
    curves = tmp_path / "curves.png"
    options = ["--envs", "16", "--rollout", "64", "--steps", "2048", "-o", str(curves)]
    printed = run(str(EXAMPLES / "backward_curriculum.py"), *options, timeout=300)
    assert re.search(r"^with the demonstration$", printed, re.MULTILINE)
    places = [int(place) for place in re.findall(r"from +(\d+)%", printed)]
    assert places[1] < 92  # it began earlier than at first
    assert places[2:] == [0, 0]  # of the learner without the demonstration
    assert curves.stat().st_size > 1000


@pytest.mark.parametrize("options", [("--game", "breakout"), ("--game", "boxing_v2", "--agents")])
def test_reading_agent(options: tuple[str, ...]) -> None:
    printed = run(str(EXAMPLES / "reading_agent.py"), *options, "--steps", "3", "--show")
    *played, totals = printed.splitlines()
    assert len(played) == 3
    assert all(re.search("NOOP|FIRE|RIGHT|LEFT|UP|DOWN", line) for line in played)
    assert totals.startswith("{'first_0': " if "--agents" in options else "0.0")


def test_recurrent_q() -> None:
    pytest.importorskip("torch", reason="the example learns with PyTorch")
    printed = run(str(EXAMPLES / "recurrent_q.py"), "--steps", "3600", timeout=300)
    assert re.search(r"^3600 steps in \d\.\d MB", printed, re.MULTILINE)
    before, after = (
        float(re.findall(rf"return {when} (-?[\d.]+)", printed)[0]) for when in ("before", "after")
    )
    assert max(abs(before), abs(after)) < 100


def test_self_play(tmp_path: Path) -> None:
    """A tiny budget: two updates, a table of all that played, the cartridge, and a film."""
    for module in ("torch", "matplotlib"):
        pytest.importorskip(module, reason="the example needs it")
    options = {"envs": 4, "rollout": 16, "steps": 192, "selves": 3, "matches": 5, "entropy": 0}
    printed = run(
        *(str(EXAMPLES / "self_play.py"), "-o", str(tmp_path / "out")),
        *(text for name, value in options.items() for text in (f"--{name}", str(value))),
        timeout=300,
    )
    losses = [float(loss) for loss in re.findall(r"loss +(\S+)", printed)]
    assert len(losses) == 2  # of the first and the last update
    assert all(-10 < loss < 10 for loss in losses)
    table = re.findall(r"^\| (self \d|random) \| (\d+) \|", printed, re.MULTILINE)
    assert sum(int(matches) for _, matches in table) == 5 * 4  # each match has four players
    assert len(re.findall(r"^rating of (self \d|random): ", printed, re.MULTILINE)) == len(table)
    assert len(re.findall(r"^\| (weak|middle|strong) \| \d+% \|", printed, re.MULTILINE)) == 3
    for name in ("ratings.png", "match.gif", "selves.pt"):
        assert (tmp_path / "out" / name).stat().st_size > 1000


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["backward_curriculum.py", "labels_vs_ram.py", "ppo_pong.py", "self_play.py"]
)
def test_what_is_missing_in_the_end_is_missed_at_once(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the examples learn with PyTorch")
    (tmp_path / "matplotlib.py").write_text('raise ModuleNotFoundError("no matplotlib")')
    done = start_python(str(EXAMPLES / name), "-o", str(tmp_path / "out"), PYTHONPATH=str(tmp_path))
    assert done.returncode != 0
    assert "no matplotlib" in done.stderr
    assert "steps" not in done.stdout  # it has learned nothing


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("planner.py --game breakuot", "breakuot"),
        ("planner.py --game breakout --envs 3", "envs is 3; breakout needs 4"),
        ("reading_agent.py --game pogn", "pogn"),
        ("reading_agent.py --game pogn --agents", "pogn"),
        ("ppo_pong.py --game pogn", "pogn"),
        ("ppo_pong.py --rollout 0", "rollout is 0; it must be 1 or more"),
        ("labels_vs_ram.py --game pogn", "pogn"),
        ("self_play.py --players 3", "3"),
        ("self_play.py --mode 99", "99"),
        ("self_play.py --seed -1", "seed is -1; it must be 0 or more"),
        ("recurrent_q.py --steps 0", "--steps must be 1 or more"),
        ("backward_curriculum.py --demonstration none.zip", "none.zip"),
        ("behaviour_cloning.py none.zip", "none.zip"),
    ],
)
def test_bad_arguments_are_refused_in_a_line(command: str, message: str) -> None:
    name, *options = command.split()
    if name not in ("planner.py", "reading_agent.py"):
        pytest.importorskip("torch", reason="the example learns with PyTorch")
    rom_path("breakout")
    done = start_python(str(EXAMPLES / name), *options)
    assert done.returncode == 2
    *usage, error = done.stderr.rstrip().splitlines()
    assert usage[0].startswith(f"usage: {name} ")
    assert error.startswith(f"{name}: error: ")
    assert message in error


def test_planner() -> None:
    """A tiny budget: some layers of one search or two, and frames counted."""
    options = ["--seconds", "0.5", "--envs", "36", "--depth", "4", "--game", "breakout"]
    printed = run(str(EXAMPLES / "planner.py"), *options, timeout=300)
    found = re.findall(r"frame +(\d+)  score +(\d+)  lives (\d) +(\d+) frames/s", printed)
    assert found
    before = 0
    for frame, _, lives, speed in found:
        assert int(frame) - before in (5, 10, 15, 20)  # a plan of up to four actions
        before = int(frame)
        assert 0 <= int(lives) <= 5
        assert int(speed) > 0
    assert re.search(r"IW\(1\): \d+ points in \d+ frames", printed)
    assert re.search(r"random actions: \d+ points", printed)
