"""Calls that may take long, which Ctrl-C is to end.

Python runs no signal handler while its main thread is in the library.  So a call first plays no
more than some frames, which nearly all calls need; the library takes back what plays longer.
Then the call is made again by a thread of its own, while this one waits for signals.
"""

from __future__ import annotations

import ctypes
import threading
from ctypes import byref, c_uint32
from typing import Any

from pyale_ma._base.locks import Alone
from pyale_ma._native.abi import EnvOptions, Status, VectorOptions
from pyale_ma._native.library import fail, fail_with, lib

_USUAL = 1000  # frames that a call may play at first
ANY = 2**32 - 1
THREAD_NAME = "pyale_ma call"
_LOOK = 0.1  # seconds between two looks at signals, where waiting for a thread does not see them


class FrameLimit:
    """The number at which ``options.frame_limit`` of an environment or a vector points.

    Args:
        options: Which point at it from now on.
        usual: What it is while no call takes long.
    """

    def __init__(self, options: EnvOptions | VectorOptions, usual: int = _USUAL) -> None:
        self._usual = usual
        self._frames = c_uint32(usual)
        self._alone = Alone("an environment")
        options.frame_limit = ctypes.addressof(self._frames)

    def stop(self) -> None:
        """Let what plays end with the present frame, and nothing more play."""
        self._set(0)

    def allow(self) -> None:
        """Let calls play the usual number of frames again."""
        self._set(self._usual)

    def _set(self, frames: int) -> None:
        lib.ale_set_frame_limit(byref(self._frames), frames)

    def lift(self, status: int, function: Any, *arguments: Any) -> None:
        """Raise what a call returned, or if it reached the limit, make it once more without one."""
        if status != Status.STOPPED:
            fail(status)
        self.run(function, *arguments)

    def run(self, function: Any, *arguments: Any) -> None:
        """Make a call without a limit.  A signal handler that raises ends it and takes it back.

        One of them at a time: what another thread's call sets would hold for this one, too.

        Raises:
            RuntimeError: A signal handler makes it while the same thread waits for one of them.
        """
        status, message = self._alone(self._run, function, arguments)
        if status:
            fail_with(status, message)

    def _run(self, function: Any, arguments: tuple[Any, ...]) -> tuple[int, bytes]:
        """The status of a call and what the library then says."""
        # A lock stands for the end, since an interrupt within `Event.wait` may raise RuntimeError
        # ("release unlocked lock"), and `Thread.join` does not stand signals (bpo-45274).
        gate, unfinished = threading.Lock(), threading.Lock()
        unfinished.acquire()
        plays = cancelled = False
        result = (0, b"")

        def call() -> None:
            # No signal handler runs here, unless this is the main thread: then nobody interrupts.
            nonlocal plays, result
            with gate:
                if cancelled:
                    return
                plays = True
                self._set(ANY)
            try:
                result = function(*arguments), lib.ale_last_error()
            finally:
                with gate:
                    plays = False
                    self.allow()
                unfinished.release()

        if threading.current_thread() is not threading.main_thread():
            call()  # no signal handler runs here
            return result
        thread = threading.Thread(target=call, name=THREAD_NAME)
        try:
            thread.start()
            while not unfinished.acquire(timeout=_LOOK):
                pass
        except BaseException as problem:  # at any moment, also while the thread is being started
            if isinstance(problem, RuntimeError) and "new thread" in str(problem):
                call()  # there are no more threads
                return result
            if str(problem) == "release unlocked lock" and problem.__context__ is not None:
                problem = problem.__context__  # of a handler, within `Thread.start`
            with gate:
                cancelled = True
                if plays:
                    self.stop()
                waits = plays
            if waits:
                unfinished.acquire()
            raise problem
        return result
