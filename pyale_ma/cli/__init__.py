"""The command line, ``pyale-ma``; one module for each command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from pyale_ma import _native
from pyale_ma.cli import bench, card, demo, games, play, record, roms, watch


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="pyale-ma", description="Atari 2600 games for reinforcement learning.")
    parser.add_argument("--version", action="version", version=f"pyale-ma {_native.VERSION}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for module in (demo, play, record, games, roms, card, watch, bench):
        module.add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit status."""
    chosen = _parser().parse_args(arguments)
    try:
        chosen.run(chosen)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # such as into head
        sys.stderr.close()
        return 0
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        print("pyale-ma:", "; ".join(str(error).splitlines()), file=sys.stderr)
        return 2
    return 0
