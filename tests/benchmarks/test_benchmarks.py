"""The benchmarks run: one small round each, of which no time is looked at."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from integrations import running

pytest.importorskip("ale_py", reason="the benchmarks compare with ale-py")

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run(name: str, *arguments: str) -> str:
    return running.run(str(BENCHMARKS / name), *arguments, timeout=300)


@pytest.mark.slow
def test_vector(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    quick = ["--quick", "--games", "pong", "--num-envs", "2", "--threads", "1"]
    printed = run("vector.py", *quick, "--sizes", "1", "--record", str(file))
    results = json.loads(file.read_text())
    assert set(results) == {"vector games", "vector all", "vector latency", "vector threads"}
    row = results["vector games"]["rows"]["pong"]
    assert row["ale-py"] > 0 < row["pyale_ma"]
    assert row["over ale-py"] > 0
    assert "| **geometric mean** |" in printed
    assert "EnvPool" in row or "EnvPool is not measured" in printed


def test_single(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    run("single.py", "states", "--games", "pong", "--record", str(file))
    run("single.py", "memory", "--record", str(file))
    results = json.loads(file.read_text())
    assert {name: set(about["rows"]["pong"]) for name, about in results.items()} == {
        "memory": {"ale-py", "pyale_ma"},
        "states": {"ale-py", "pyale_ma", "over ale-py"},
    }


def test_instructions_tell_what_changed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    instructions = importlib.import_module("instructions")
    then = {"act": {"pong": 100.0, "qbert": 50.0, "enduro": 10.0}}
    now = {"act": {"pong": 101.9, "qbert": 48.9, "enduro": 10.0}}
    assert instructions.compare(then, now) == ["act qbert: 50.00, now 48.90 (-2.2%)"]
    printed = capsys.readouterr().out
    assert "act pong: 100.00, now 101.90 (+1.9%)" in printed
    assert "enduro" not in printed
    assert "act: 0.9989 of the instructions on record, in 3 games" in printed
    assert len(instructions.compare({}, now)) == 3  # no record of these


def test_opponents() -> None:
    rows = run("opponents.py", "quartet", "--quick").splitlines()
    assert [row.split(" | ")[0] for row in rows[2:]] == ["| quartet"]


def test_recording() -> None:
    head, _, *rows = run("recording.py", "--quick").splitlines()
    assert "bytes per 1000 steps" in head
    assert len(rows) == 2


def test_recording_of_a_collector() -> None:
    pytest.importorskip("ray")
    rows = run("recording.py", "--ray", "--quick").splitlines()[-2:]
    assert [row.split()[1] for row in rows] == ["driver", "worker"]
