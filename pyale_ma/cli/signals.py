"""SIGTERM and SIGHUP: a command removes what it has half written before they end it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from types import FrameType

_NAMES = ("SIGTERM", "SIGHUP")  # Windows has the first alone


class _Ended(BaseException):
    """A signal is to end the process; no handler of errors may keep it."""


@contextlib.contextmanager
def cleaned_up() -> Iterator[None]:
    """Have the signals raise what ``finally`` and ``with`` see, then end the process as ever.

    A signal that is ignored, as `nohup` starts programs, stays so.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # since the package's import
        signal.signal(signal.SIGINT, signal.default_int_handler)
    present = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    numbers = [number for number in present if signal.getsignal(number) == signal.SIG_DFL]
    came: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        if not came:  # else the cleaning up after the first comes to its end
            came.append(number)
            raise _Ended

    for number in numbers:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        if came:
            with contextlib.suppress(OSError):  # such as of a terminal that is gone
                sys.stdout.flush()
            os.kill(os.getpid(), came[0])
