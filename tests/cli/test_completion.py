"""``pyale-ma completion``: each shell completes with its script."""

from __future__ import annotations

import argparse
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from common import tool
from pyale_ma.cli import completion, main, parser
from pyale_ma.games import roms
from pyale_ma.games.environments import ENVIRONMENTS

Complete = Callable[[str], set[str]]


def run(*command: str) -> list[str]:
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.stderr == ""
    return result.stdout.splitlines()


@pytest.fixture(params=["bash", "zsh", "fish"])
def complete(request: pytest.FixtureRequest, tmp_path: Path) -> Complete:
    """Says what a shell offers for a line, at its end."""
    path, script = tool(request.param), tmp_path / "script"
    script.write_text(completion.script(request.param, parser()), encoding="utf-8")

    def in_bash(line: str) -> set[str]:
        words = shlex.join([*line.split(" ")])
        return set(
            run(
                path,
                "--norc",
                "-c",
                f"source {script}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
                'eval "$(complete -p pyale-ma | sed "s/.*-F \\([^ ]*\\) .*/\\1/")" pyale-ma; '
                'printf "%s\\n" "${COMPREPLY[@]}"',
            )
        ) - {""}

    def in_zsh(line: str) -> set[str]:
        # Outside of its line editor zsh cannot complete: what would be offered is printed.
        words = shlex.join(line.split(" "))
        offered = run(
            path,
            "-f",
            "-c",
            "compdef() { :; }; _files() { print -- FILES; }; "
            "compadd() { shift; print -l -- $@; }; _describe() { print -l -- ${(P)2}; }; "
            f"source {script}; words=({words}); CURRENT=$#words; _pyale_ma",
        )
        last = line.split(" ")[-1]
        found = {text.split(":")[0] for text in offered if text.startswith(last)}
        return found - {"FILES"}

    def in_fish(line: str) -> set[str]:
        files = set(run(path, "-N", "-c", f"cd {tmp_path}; complete -C {shlex.quote('cat ')}"))
        offered = run(
            path, "-N", "-c", f"cd {tmp_path}; source {script}; complete -C {shlex.quote(line)}"
        )
        return {text.split("\t")[0] for text in offered if text not in files}

    return {"bash": in_bash, "zsh": in_zsh, "fish": in_fish}[request.param]


def test_commands(complete: Complete) -> None:
    commands = {place.path for place in completion._places(parser(), "") if place.path}
    assert complete("pyale-ma ") == {path for path in commands if " " not in path}
    assert complete("pyale-ma re") == {"record", "replay"}
    assert complete("pyale-ma card ") == {"check", "new"}
    assert complete("pyale-ma completion ") == {"bash", "zsh", "fish"}


def test_games(complete: Complete) -> None:
    assert complete("pyale-ma demo ") == {*roms.game_names(), *ENVIRONMENTS}
    assert complete("pyale-ma play po") == {"pong", "pong_v3", "pooyan"}
    assert complete("pyale-ma bench pong break") == {"breakout"}
    assert complete("pyale-ma roms import po") == set()


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


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_everything_is_in_the_script(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", name]) == 0
    script = capsys.readouterr().out
    for word in walk(parser()):
        assert (word.lstrip("-") if name == "fish" else word) in script
    for game in (*roms.game_names(), *ENVIRONMENTS):
        assert game in script
