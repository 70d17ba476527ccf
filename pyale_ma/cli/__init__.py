"""The command line, ``pyale-ma``; one module for each command."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from pyale_ma._base.files import NameTakenError
from pyale_ma._base.terminal import words_of
from pyale_ma._base.text import printable
from pyale_ma.cli import (
    bench,
    card,
    completion,
    demo,
    doctor,
    games,
    keys,
    machine,
    play,
    record,
    replay,
    roms,
    signals,
    watch,
    web,
)
from pyale_ma.cli.common import print_help

_COMMANDS = (
    demo,
    web,
    play,
    keys,
    record,
    replay,
    games,
    roms,
    card,
    watch,
    bench,
    doctor,
    completion,
)

_MEANT = {"games": "list", "import": "roms import"}  # what some look for


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, printable(f"{self.prog}: {message}; see {self.prog} --help") + "\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Of commands, say which is meant instead of listing all."""
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            near = [_MEANT[value]] if value in _MEANT else []
            near = near or difflib.get_close_matches(str(value), action.choices, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise argparse.ArgumentError(None, f"there is no command {value!r}{hint}")
        super()._check_value(action, value)


def parser() -> argparse.ArgumentParser:
    """All commands with their arguments."""
    made = _Parser(prog="pyale-ma", description="Atari 2600 games for reinforcement learning.")
    made.add_argument("--version", action="version", version=machine.release())
    made.set_defaults(run=print_help, parser=made)
    commands = made.add_subparsers(metavar="COMMAND")
    for module in _COMMANDS:
        module.add_parser(commands)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit status."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed before Python began
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    chosen, unknown = parser().parse_known_args(arguments)
    if unknown:
        chosen.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        with signals.cleaned_up():
            status = chosen.run(chosen)
        sys.stdout.flush()  # now, where somebody says what is wrong with it
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # such as into head
        _drop_output()
        return 0
    except (ImportError, MemoryError, OSError, RuntimeError, ValueError) as error:
        text = words_of(error)
        if isinstance(error, NameTakenError):
            text = error.advice("--force" if hasattr(chosen, "force") else None)
        text = "; ".join(text.splitlines())
        print(f"{chosen.parser.prog}: {text}", file=sys.stderr)
        _drop_output()
        return 2
    return status or 0


def _drop_output() -> None:
    """Send further output nowhere, or Python would complain at exit that it cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
