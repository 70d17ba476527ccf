"""Writes what ``pyale-ma`` takes into docs/command-line.md, from the parser; the rest is by hand.

    python docs/tools/generate_command_line.py

Between ``<!-- pyale-ma COMMAND -->`` and ``<!-- end -->`` stands the help of a command.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from pyale_ma.cli import parser

PAGE = Path(__file__).parents[1] / "command-line.md"
_BLOCK = re.compile(r"(<!-- pyale-ma ([a-z ]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def commands(
    made: argparse.ArgumentParser, path: str = ""
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """All commands, those below others too, with their parsers."""
    for action in made._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield f"{path} {name}".strip(), command
                yield from commands(command, f"{path} {name}".strip())


def block(path: str, command: argparse.ArgumentParser) -> str:
    """Return a command's arguments as Markdown."""
    usage = [f"pyale-ma {path}"]
    rows = []
    for action in command._actions:
        if isinstance(action, (argparse._SubParsersAction, argparse._HelpAction)):
            continue
        values = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else ""
        value = str(action.metavar or values or action.dest.upper())
        if not action.option_strings:
            many = {"*": f"[{value} ...]", "+": f"{value} ...", "?": f"[{value}]"}
            usage.append(many.get(str(action.nargs), value))
            name = f"`{value}`"
        else:
            name = ", ".join(f"`{option}`" for option in action.option_strings)
            if action.nargs != 0:
                name += f" `{value}`"
            if action.required:
                usage.append(f"{action.option_strings[-1]} {value}")
        rows.append(f"| {name} | {(action.help or '').replace('%%', '%')} |")
    text = f"```text\n{' '.join(usage)}\n```\n\n{command.description}\n"
    if rows:
        text += "\n" + "\n".join(["| | |", "| --- | --- |", *rows]) + "\n"
    return text


def page(text: str) -> str:
    """The page with all its blocks written anew.

    Raises:
        KeyError: It has a block of a command that does not exist.
    """
    known = dict(commands(parser()))
    return _BLOCK.sub(lambda found: f"{found[1]}{block(found[2], known[found[2]])}{found[3]}", text)


def described(text: str) -> list[str]:
    """The commands whose blocks the page has."""
    return [found[2] for found in _BLOCK.finditer(text)]


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
