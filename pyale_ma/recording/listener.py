"""`Listener`: has an environment's calls pass through the object that records them."""

from __future__ import annotations

import functools
import os
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, TypeVar, cast

import numpy as np

from pyale_ma._base.locks import used_within
from pyale_ma.recording.replay.layers import Layer
from pyale_ma.recording.replay.settings import NothingPlayedError

_Call = Callable[..., Any]
_Method = TypeVar("_Method", bound=Callable[..., Any])
_PACKAGE = __name__.partition(".")[0]


_IN_USE = "an environment that is recorded or kept"


def _comes_from(frame: FrameType | None, code: CodeType) -> bool:
    """Whether this package's own functions were called by a function with this code, and call now.

    A signal handler, or a callback, has a frame of its own in between.
    """
    while frame is not None and frame.f_code is not code:
        if str(frame.f_globals.get("__name__")).partition(".")[0] != _PACKAGE:
            return False
        frame = frame.f_back
    return frame is not None


def in_turn(method: _Method) -> _Method:
    """Have a listener's method refused within a call of its environment, and such calls within it.

    Those of other threads wait.
    """

    @functools.wraps(method)
    def call(self: Listener, *args: Any, **kwargs: Any) -> Any:
        if self._thread == threading.get_ident():
            raise used_within(f"{_IN_USE} ({method.__name__} was called)")
        with self._lock:
            try:
                self._thread = threading.get_ident()
                result = method(self, *args, **kwargs)
            finally:
                self._thread = 0
        return result

    return cast(_Method, call)


def is_heard(owner: Any, name: str) -> bool:
    """Whether a listener hears the calls of an object's method."""
    return hasattr(vars(owner).get(name), "listener")


class Listener(ABC):
    """Keeps what an environment plays.

    A hooked method takes the lock of the layer, and what it calls itself does not pass here again.
    What a signal handler calls in the midst of that is refused: it would change the game unheard.

    Nor does everything that changes the game pass here, such as methods that were looked up before.
    So what a hooked method finds is compared with what was kept last.

    An interrupt, or any other exception, may come at any line.  So whatever moves the game is
    preceded by setting `_moved`, and `_follow` clears it once that is kept: an exception in between
    leaves it set, and what comes next begins with a saved state.

    Args:
        layer: The environment.
    """

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self._lock = layer.lock
        self._moved = True  # what comes next does not follow from what is kept
        self._sent: list[Any] = []  # actions of which the results were not received
        self._thread = 0  # the one whose call of the environment passes here
        self._left = False  # the environment to itself
        self._left_at = layer.trace()  # the trace of what is kept last
        self._hooks: list[tuple[Any, str, Any]] = []  # who, which method, what was set there
        self._process = os.getpid()

    def _hook(self, owner: Any, name: str, through: _Call) -> None:
        """Have the calls of a method pass through another, which gets the method first."""
        original = getattr(owner, name)
        is_play = name != "close"

        def call(*args: Any, **kwargs: Any) -> Any:
            if os.getpid() != self._process:  # what is kept is its parent's
                return original(*args, **kwargs)
            if self._thread == threading.get_ident():
                if _comes_from(sys._getframe(1), call.__code__):
                    return original(*args, **kwargs)
                raise used_within(f"{_IN_USE} ({name} was called)")
            with self._lock:
                if self._left:  # somebody has the method from before
                    return original(*args, **kwargs)
                try:
                    self._thread = threading.get_ident()
                    if is_play:
                        self._layer.check_settings()
                    self._note_changes()
                    return through(original, *args, **kwargs)
                except NothingPlayedError:
                    raise
                except BaseException:
                    self._lose()
                    raise
                finally:
                    self._thread = 0

        call.__doc__ = original.__doc__
        call.__wrapped__ = original  # type: ignore[attr-defined]
        self._hooks.append((owner, name, vars(owner).get(name)))
        setattr(owner, name, call)
        call.listener = self  # type: ignore[attr-defined]

    def _unhook(self) -> None:
        """Leave the environment to itself."""
        self._left = True
        for owner, name, before in self._hooks:
            if before is None:
                vars(owner).pop(name, None)
            else:  # what the environment's owner had set there
                setattr(owner, name, before)
        self._hooks = []

    def _follow(self) -> None:
        """Note that what comes next follows from what is kept."""
        self._left_at = self._layer.trace()
        self._moved = False

    def _note_changes(self) -> None:
        """Note whether the game was changed by what did not pass here."""
        if self._layer.trace() != self._left_at:
            self._moved, self._sent = True, []

    def _lose(self) -> None:  # noqa: B027
        """Be told of an exception."""

    @abstractmethod
    def _go_on(self) -> None:
        """Be ready for a step."""

    @abstractmethod
    def _add(self, actions: Any, result: Any) -> None:
        """Keep a step, and `_follow`."""

    @abstractmethod
    def _complete(self) -> None:
        """Leave the environment to itself; the lock is held."""

    @in_turn
    def close(self) -> None:
        """Leave the environment to itself."""
        self._complete()

    def _send(self, call: _Call, actions: Any) -> None:
        self._layer.check_numbers(actions)
        self._go_on()
        columns = np.array(actions)
        self._moved = True
        call(actions)
        self._sent = [columns]
        self._follow()

    def _recv(self, call: _Call) -> Any:
        self._moved, sent, self._sent = True, self._sent, []
        result = call()
        if sent:
            self._add(sent[0], result)
        return result

    def _move(self, call: _Call, *args: Any, **kwargs: Any) -> Any:
        """Call what moves the games, and discards results that were not received."""
        self._moved, sent, self._sent = True, self._sent, []
        try:
            return call(*args, **kwargs)
        except Exception:  # it was refused, and they can be received
            self._sent = sent
            raise

    def _close_both(self, call: _Call, *args: Any, **kwargs: Any) -> Any:
        self._complete()
        return call(*args, **kwargs)
