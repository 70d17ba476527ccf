"""``pyale-ma completion``: each shell completes with its script."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from common import tool
from pyale_ma import multi, roms
from pyale_ma.cli import main, parser

Complete = Callable[[str], set[str]]


def run(*command: str) -> list[str]:
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.stderr == ""
    return result.stdout.splitlines()


@pytest.fixture(params=["bash", "zsh"])
def complete(request: pytest.FixtureRequest, tmp_path: Path) -> Complete:
    """Says what a shell offers for a line, at its end."""
    path, script = tool(request.param), tmp_path / "script"
    with script.open("w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        assert main(["completion", request.param]) == 0
    setup = ("--norc", "-c", "{}") if request.param == "bash" else ("-f", "-c", f"{ZSH}; {{}}")

    def offered(line: str) -> set[str]:
        words = line.split(" ")
        text = (
            f"source {script}; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; "
            '_pyale_ma; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        found = set(run(path, *(each.format(text) for each in setup))) - {""}
        # zsh itself looks which of them begin so.
        return {each for each in found if request.param == "bash" or each.startswith(words[-1])}

    return offered


# As zsh itself calls functions written for bash.
ZSH = "autoload -U compinit && compinit -u -D; autoload -U bashcompinit; emulate sh"


def test_commands(complete: Complete) -> None:
    [commands] = [it for it in parser()._actions if isinstance(it, argparse._SubParsersAction)]
    assert complete("pyale-ma ") == {*commands.choices}
    assert complete("pyale-ma re") == {"record", "replay"}
    assert complete("pyale-ma card ") == {"check", "new"}
    assert complete("pyale-ma completion ") == {"bash", "zsh"}


def test_options_and_their_values(complete: Complete) -> None:
    assert "--players" in complete("pyale-ma demo pong --p")
    assert complete("pyale-ma record pong --ou") == {"--output"}
    assert complete("pyale-ma demo --players ") == {"1", "2", "3", "4"}
    assert complete("pyale-ma demo -o ") == set()  # files
    assert "--json" in complete("pyale-ma list --")


def walk(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield name
                yield from walk(command)


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_everything_is_in_the_script(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", name]) == 0
    script = capsys.readouterr().out
    for word in walk(parser()):
        assert word in script
    for game in (*roms.game_names(), *multi.ENVIRONMENTS):
        assert game in script
