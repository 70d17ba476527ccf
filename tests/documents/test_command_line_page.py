"""docs/command-line.md says what the commands take."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from common import module_at
from pyale_ma.cli import parser, watch
from pyale_ma.cli.keys import COMMANDS, title_of

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


@pytest.fixture(scope="module")
def generator() -> Any:
    return module_at(PAGE.parent / "tools" / "generate_command_line.py")


def test_blocks(generator: Any) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert generator.page(text) == text, "run python docs/tools/generate.py"


def test_every_command_is_described(generator: Any) -> None:
    named = generator.described(PAGE.read_text(encoding="utf-8"))
    assert sorted(named) == sorted(path for path, _ in generator.commands(parser()))


def test_blocks_say_what_help_says(generator: Any) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for _, command in generator.commands(parser()):
        assert command.description
        for action in command._actions:
            for option in {*action.option_strings} - {"-h", "--help"}:
                assert f"`{option}`" in text


def test_keys_of_play() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## play\n")[1].split("<!--")[0]
    rows = re.findall(r"(?m)^\| ([^|]+) \|", section)
    named = {key for row in rows for key in re.split(", |; ", row)}
    assert named - {"key", "---"} == {title_of(key) for keys in COMMANDS.values() for key in keys}


def test_keys_of_watch() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## watch\n")[1].split("<!--")[0]
    rows = re.findall(r"(?m)^\| ([^|]+) \| ([^|]+) \|$", section)
    assert rows[2:] == [(key, meaning) for key, _, meaning in watch._COMMANDS]


def test_help_of_watch_is_a_table_of_keys(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["watch", "--help"])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert {f"{key:7} {meaning}" for key, _, meaning in watch._COMMANDS} <= {*lines}
