"""Output of commands: tables, progress bars and JSON, on any terminal, to a pipe or a file.

Rich lays it out.  A narrow terminal gets cells of several lines, a pipe one line for each row;
``NO_COLOR``, ``TERM=dumb`` and ``COLUMNS`` mean what they mean elsewhere.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TextIO

from pyale_ma._base.text import printable

_WIDE = 10_000  # of what is no terminal: nothing is broken into lines there


def _console(stream: TextIO) -> Any:
    from rich.console import Console

    width, height = shutil.get_terminal_size()
    return Console(
        file=stream,
        width=width if stream.isatty() else _WIDE,
        height=height,  # or Rich thinks that it knows better
        highlight=False,
        markup=False,
        emoji=False,
    )


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()
) -> None:
    """Print rows below titles.

    Args:
        columns: The titles; without any words no line is printed for them.
        rows: A cell for each of them.
        right: Titles of columns whose cells end below each other, as numbers do.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="bold",
        show_header=any(columns),
    )
    for place, title in enumerate(columns):
        table.add_column(
            title,
            justify="right" if title in right else "left",
            overflow="fold",
            no_wrap=place == 0,  # a name, to be copied
        )
    for row in rows:
        table.add_row(*map(Text, map(printable_lines, row)))
    console = _console(sys.stdout)
    with console.capture() as captured:
        console.print(table)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()), flush=True)


def print_words(text: str) -> None:
    """Print a line, `printable`, which a terminal shows as several that end between words."""
    text = printable(text)
    if sys.stdout.isatty():
        width, _ = shutil.get_terminal_size()
        text = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
    print(text)


def words_of(error: Exception) -> str:
    """Return an exception's message for people: system errors without number, but with the file."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{printable(error.filename)}: {error.strerror}"
    return printable_lines(error)


def printable_lines(text: object) -> str:
    """A text of several lines, each `printable`."""
    return "\n".join(map(printable, str(text).splitlines()))


def print_json(value: object) -> None:
    """Print what programs read."""
    print(json.dumps(value, indent=2, ensure_ascii=False), flush=True)


@contextlib.contextmanager
def progress(total: int, unit: str) -> Iterator[Callable[[int, str], None]]:
    """A bar on standard error, if that is a terminal; who has it says how far and a few words.

    Args:
        total: How far it goes.
        unit: What is counted, such as "frames".
    """
    if not sys.stderr.isatty():
        yield lambda done, words: None
        return

    from rich.progress import BarColumn, Progress, TextColumn

    with Progress(
        BarColumn(bar_width=30),
        TextColumn(f"{{task.completed}} of {{task.total}} {unit}", markup=False),
        TextColumn("{task.fields[words]}", markup=False),
        console=_console(sys.stderr),
        auto_refresh=False,  # no thread beside what is measured
        redirect_stdout=sys.stdout.isatty(),  # else it is no part of the picture
    ) as bar:
        task = bar.add_task("", total=total, words="")

        def show(done: int, words: str) -> None:
            bar.update(task, completed=done, words=words, refresh=True)

        yield show
