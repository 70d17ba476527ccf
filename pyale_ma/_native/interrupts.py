"""Calls that may take long, which Ctrl-C is to end.

Python runs no signal handler while its main thread is in the library.  So a thread of its own makes
such a call, while the main thread waits for signals.
"""

from __future__ import annotations

import _thread
import ctypes
import threading
from ctypes import byref, c_uint32
from typing import Any

from pyale_ma._native.abi import EnvOptions, VectorOptions
from pyale_ma._native.library import check, fail_with, lib

_ANY = 2**32 - 1  # number of frames
_LOOK = 0.1  # seconds between two looks at signals, where waiting for a lock does not see them
_PATIENCE = 1.0  # seconds in which a call that was stopped ends for certain


class FrameLimit:
    """The number at which ``options.frame_limit`` of an environment or a vector points.

    Args:
        options: Which point at it from now on.
    """

    def __init__(self, options: EnvOptions | VectorOptions) -> None:
        self._frames = c_uint32(_ANY)
        options.frame_limit = ctypes.addressof(self._frames)

    def stop(self) -> None:
        """Let what plays end with the present frame, and nothing more play."""
        lib.ale_set_frame_limit(byref(self._frames), 0)

    def allow(self) -> None:
        """Let calls play any number of frames again."""
        lib.ale_set_frame_limit(byref(self._frames), _ANY)

    def run(self, function: Any, *arguments: Any) -> None:
        """Make a call, which an exception of a signal handler ends with the present frame.

        Raises:
            Exception: The library refused the call, or a signal handler raised one.
        """
        if threading.current_thread() is not threading.main_thread():  # it handles no signals
            check(function(*arguments))
            return
        results: list[tuple[int, bytes]] = []
        ended = threading.Lock()
        ended.acquire()

        def call() -> None:
            try:
                results.append((function(*arguments), lib.ale_last_error()))
            finally:
                self.allow()
                ended.release()

        try:
            try:
                _thread.start_new_thread(call, ())
            except RuntimeError as problem:
                if "new thread" not in str(problem):  # but of a signal handler
                    raise
                call()  # there are no more threads
            while not (results or ended.acquire(timeout=_LOOK)):
                pass
        except BaseException:
            self.stop()
            if not results:
                ended.acquire(timeout=_PATIENCE)  # in vain if the thread was not started
            self.allow()
            raise
        status, words = results[0]
        if status:
            fail_with(status, words)
