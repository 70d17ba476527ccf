"""Repeat tests under other circumstances, to find those that pass only most of the time.

    python tools/repeat_tests.py                             the quick tests, 18 runs
    python tools/repeat_tests.py --runs 3 -- tests/vector    these tests; after -- is for pytest
    python tools/repeat_tests.py --seed 5 --run 4            run 4 of those that begin with seed 5

Each run has a random order of the tests; idle or busy processors; 1, 2 or 8 workers, which share
the tests; and one of three starts:

terminal: on a terminal.
background: as by an ampersand in a script, with the signals of the keyboard ignored.
detached: without a terminal, and with standard input closed.

Prints a line for each run, and for one that fails what pytest says of it and how to repeat it.  The
exit status is 1 if any failed.  Needs a POSIX system.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import pty
import random
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CLONE = Path(__file__).parents[1]
WORKERS = (1, 2, 8)
# What a shell does before it becomes the command.
STARTS = {"terminal": "", "background": "trap '' INT QUIT;", "detached": "exec <&-;"}


class Run(NamedTuple):
    """The circumstances of a run."""

    busy: bool
    workers: int
    start: str
    seed: int

    def __str__(self) -> str:
        load = "busy" if self.busy else "idle"
        return f"{load}, {self.workers} workers, {self.start}, order {self.seed}"


def main() -> int:
    """Run what the command line asks for."""
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=18, help="how many; 18 have all combinations")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the orders")
    parser.add_argument("--run", type=int, help="only the run with this number, from 0")
    parser.add_argument("--limit", type=int, default=3600, help="seconds that a run may take")
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="for pytest, after --")
    chosen = parser.parse_args()

    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # only some runs are to inherit that
        signal.signal(signal.SIGINT, signal.default_int_handler)
    failed = 0
    for number in range(chosen.runs) if chosen.run is None else [chosen.run]:
        run = circumstances(number, chosen.seed)
        print(f"run {number}: {run}", end=": ", flush=True)
        began = time.monotonic()
        status, output = perform(run, pytest_command(run, chosen.arguments), chosen.limit)
        lines = output.splitlines()
        last = next((line.strip("= ") for line in reversed(lines) if line.strip()), "no output")
        print(last if status is not None else f"ended after {time.monotonic() - began:.0f} s")
        if status == 0:
            continue
        failed += 1
        print(*(f"    {line}" for line in told(lines)), sep="\n")
        again = ["--seed", str(chosen.seed), "--run", str(number), "--", *chosen.arguments]
        print(f"    again: python tools/repeat_tests.py {shlex.join(again)}", flush=True)
    return int(failed > 0)


def told(lines: list[str]) -> list[str]:
    """Return pytest's report from its first heading of failures, or else its last words."""
    headings = [at for at, line in enumerate(lines) if re.match(r"=+ (FAILURES|ERRORS) =+", line)]
    return lines[headings[0] :] if headings else lines[-30:]


def circumstances(number: int, seed: int) -> Run:
    """Those of a run; 18 in succession have all combinations."""
    combinations = list(itertools.product((False, True), WORKERS, STARTS))
    busy, workers, start = combinations[number * 13 % len(combinations)]
    return Run(busy, workers, start, seed + number)


def pytest_command(run: Run, arguments: list[str]) -> list[str]:
    """Return the command that runs the tests."""
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=short", "--color=no"]
    command += ["-p", "no:cacheprovider", "-n", str(run.workers)]
    return [*command, f"--random-order-seed={run.seed}", *arguments]


def perform(run: Run, command: list[str], limit: float) -> tuple[int | None, str]:
    """The exit status of a command, None if it took too many seconds, and what it printed."""
    shell = ["sh", "-c", STARTS[run.start] + ' exec "$@"', "sh", *command]
    with contextlib.ExitStack() as stack:
        if run.busy:
            stack.enter_context(load())
        ours, theirs = pty.openpty() if run.start == "terminal" else os.pipe()
        process = subprocess.Popen(
            shell,
            cwd=CLONE,
            stdin=theirs if run.start == "terminal" else subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        stack.callback(end, process)
        timer = threading.Timer(limit, end, [process])
        timer.start()
        output = b""
        with contextlib.suppress(OSError):  # how a terminal says that nobody has it open any more
            while piece := os.read(ours, 1 << 16):
                output += piece
        os.close(ours)
        status = process.wait()
        timer.cancel()
    return (None if status == -signal.SIGKILL else status), output.decode(errors="replace")


def end(process: subprocess.Popen[bytes]) -> None:
    """End a run, with all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@contextlib.contextmanager
def load() -> Iterator[None]:
    """A busy process for each processor."""
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
