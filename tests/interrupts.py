"""Ctrl-C in tests."""

from __future__ import annotations

import signal


def hear_interrupts() -> None:
    """Have Ctrl-C heard by the tests, which send it, and by the programs that they start.

    Started in the background by a shell, Python leaves it ignored.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
