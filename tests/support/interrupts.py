"""Ctrl-C in tests."""

from __future__ import annotations

import dis
import functools
import itertools
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pyale_ma
from pyale_ma import _native

PACKAGE = str(Path(pyale_ma.__file__).parent)
# After these Python looks for signals.
_LOOKS = ("CALL", "RESUME", "JUMP_BACKWARD")


def hear_interrupts() -> None:
    """Have Ctrl-C heard by the tests, which send it, and by the programs that they start.

    Started in the background by a shell, Python leaves it ignored.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@functools.cache
def _places(code: CodeType) -> frozenset[int]:
    """Before which instructions of a function Ctrl-C may come."""
    pairs = itertools.pairwise(dis.get_instructions(code))
    return frozenset(after.offset for one, after in pairs if one.opname.startswith(_LOOKS))


def interrupt_at(
    place: int,
    call: Callable[[], Any],
    handle: Callable[[], Any] | None = None,
    within: str = PACKAGE,
) -> bool:
    """Make a call, with Ctrl-C at one of the places in this package's code where it may come.

    Args:
        place: Its number.
        call: The call.
        handle: What Ctrl-C does; None: it raises KeyboardInterrupt.
        within: The folder of the code.

    Returns:
        Whether there are so many places; if not, the call was made in whole.
    """
    left = place

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if event == "call":
            code = frame.f_code
            if not code.co_filename.startswith(within) or code.co_name == "__del__":
                return None  # what a finalizer raises is printed, and goes no further
            frame.f_trace_opcodes = True
        elif event == "opcode" and frame.f_lasti in _places(frame.f_code):
            left -= 1
            if left == -1:
                if handle is None:
                    raise KeyboardInterrupt
                handle()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return left < 0


def interrupt_everywhere(call: Callable[[], Any]) -> Iterator[None]:
    """Make a call again and again, each time with Ctrl-C one place later, until it gets through.

    Yields:
        After each interrupt.
    """
    place = 0
    while interrupt_at(place, call):
        yield
        place += 1


def state_of(console: _native.Env) -> bytes:
    """All of a console, with its random generator."""
    state = _native.State()
    console.save(state, include_random=True)
    return state.serialize()
