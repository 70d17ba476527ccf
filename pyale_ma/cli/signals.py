"""SIGTERM and SIGHUP: a command removes what it has half written before they end it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

_NAMES = ("SIGTERM", "SIGHUP")  # Windows has the first alone


class _Ended(BaseException):
    """A signal is to end the process; no handler of errors may keep it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextlib.contextmanager
def cleaned_up() -> Iterator[None]:
    """Have the signals raise what ``finally`` and ``with`` see, then end the process as ever.

    A signal that is ignored, as `nohup` starts programs, stays so.
    """
    numbers = []
    if threading.current_thread() is threading.main_thread():
        present = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
        numbers = [number for number in present if signal.getsignal(number) == signal.SIG_DFL]
        if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # since the package's import
            signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in numbers:
        signal.signal(number, _end)
    try:
        yield
    except _Ended as ended:
        with contextlib.suppress(OSError):  # such as of a terminal that is gone
            sys.stdout.flush()
        signal.signal(ended.number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> None:
    """Raise, unless a signal before it did: its cleaning up comes to its end."""
    handled = sys.exc_info()[1]
    while handled is not None:
        if isinstance(handled, _Ended):
            return
        handled = handled.__context__
    raise _Ended(number)
