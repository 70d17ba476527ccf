"""tools/repeat_tests.py: the circumstances are as it says, and failures are told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from common import module_at

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX")

CLONE = Path(__file__).parents[2]
LOOK = """
import os, signal, sys
terminal = [name for name in ("stdin", "stdout") if (f := getattr(sys, name)) and f.isatty()]
print(terminal, sys.stdin is None, signal.getsignal(signal.SIGINT) == signal.SIG_IGN)
sys.exit(3)
"""


@pytest.fixture(scope="module")
def tool() -> Any:
    return module_at(CLONE / "tools" / "repeat_tests.py")


def test_random_order() -> None:
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "--collect-only"]
    command += [
        "-p",
        "no:cacheprovider",
        str(CLONE / "tests/cli/test_terminal.py"),
    ]
    orders = []
    for option in ([], ["--random-order-seed=1"]):
        done = subprocess.run([*command, *option], capture_output=True, text=True, cwd=CLONE)
        orders.append([line for line in done.stdout.splitlines() if "::" in line])
    assert orders[0] != orders[1]
    assert len(orders[0]) > 5
    assert sorted(orders[0]) == sorted(orders[1])


def test_all_combinations_come(tool: Any) -> None:
    runs = [tool.circumstances(number, 5) for number in range(18)]
    assert len({run[:3] for run in runs}) == 18
    assert [run.seed for run in runs] == list(range(5, 23))


@pytest.mark.parametrize(
    ("start", "seen"),
    [
        ("terminal", "['stdin', 'stdout'] False False"),
        ("background", "[] False True"),
        ("detached", "[] True False"),
    ],
)
def test_starts(tool: Any, start: str, seen: str) -> None:
    run = tool.Run(True, 1, start, 0)
    status, output = tool.perform(run, [sys.executable, "-c", LOOK], 300)
    assert (status, output.split("\n")[0].strip()) == (3, seen)


def test_what_takes_too_long_is_ended(tool: Any) -> None:
    run = tool.Run(False, 1, "detached", 0)
    assert tool.perform(run, ["sleep", "100000"], 0.1) == (None, "")


def test_failures_are_told(
    tool: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--run", "4", "--seed", "7", "--", "-k", "no such", "tests/spec"]
    monkeypatch.setattr(sys, "argv", ["repeat_tests.py", *arguments])
    said = "..F\n==== FAILURES ====\n__ b __\nwhy\n1 failed in 2 s"
    printed = f"import sys; print({said!r}); sys.exit(1)"
    command = [sys.executable, "-c", printed]
    monkeypatch.setattr(tool, "pytest_command", lambda run, arguments: command)
    assert tool.main() == 1
    first, *failure, _, again = capsys.readouterr().out.splitlines()
    assert first.startswith("run 4: ")
    assert first.endswith("order 11: 1 failed in 2 s")
    assert [line.strip() for line in failure] == ["==== FAILURES ====", "__ b __", "why"]
    assert again.endswith("--seed 7 --run 4 -- -k 'no such' tests/spec")
