"""Output of commands on terminals, narrow ones and plain ones, and into pipes."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from common import Terminal, start_python
from pyale_ma import roms
from pyale_ma._base import terminal
from pyale_ma.cli import bench, main


def narrow(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make standard output a terminal of 40 columns."""
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    return stream


def test_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = narrow(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    assert main(["list"]) == 0
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= 40
    assert "\x1b" not in stream.getvalue()
    named = {line.split()[0] for line in lines if line and line[0] != " "}
    assert named >= set(roms.game_names())
    assert "…" not in stream.getvalue()  # nothing is cut off


def test_colors_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = narrow(monkeypatch)
    terminal.print_table(["a title"], [["[bold]a cell[/bold] :smile:"]])
    shown = stream.getvalue()
    assert "\x1b[1m" in shown
    assert "[bold]a cell[/bold] :smile:" in shown  # as it is
    stream.truncate(0)
    monkeypatch.setenv("NO_COLOR", "1")
    terminal.print_table(["a title"], [["a cell"]])
    assert "\x1b[3" not in stream.getvalue()


def test_a_pipe_has_a_line_for_each_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    long = "x" * 300
    terminal.print_table(["first", "second"], [[long, "1"], ["a", long]])
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"first{' ' * 297}second", f"{long}  1", f"a{' ' * 301}{long}"]


def test_columns_to_the_right(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_table(["what", "count"], [["a", "5"], ["b", "12345678"]], right=["count"])
    assert capsys.readouterr().out.splitlines() == [
        "what     count",
        "a            5",
        "b     12345678",
    ]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pyale_ma", *arguments]


def test_a_closed_pipe_is_no_error() -> None:
    with subprocess.Popen(
        command("list", "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tempfile.gettempdir(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_ctrl_c_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> float:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "_rate", interrupt)
    assert main(["bench", "pong"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_while_modules_are_imported_is_quiet(tmp_path: Path) -> None:
    press = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
    (tmp_path / "gymnasium.py").write_text(press)
    result = start_python("-m", "pyale_ma", "list", PYTHONPATH=str(tmp_path))
    assert (result.returncode, result.stdout, result.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="a current folder cannot be removed there")
def test_a_current_folder_that_is_gone(tmp_path: Path) -> None:
    code = "import os, sys; os.rmdir(os.getcwd()); os.execv(sys.executable, sys.argv[1:])"
    result = subprocess.run(
        [sys.executable, "-c", code, *command("list")], cwd=tmp_path, capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "pyale-ma: the current folder is gone; change to another\n"
