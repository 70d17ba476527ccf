"""Has the calls of an environment pass through whoever keeps what it plays."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from pyale_ma.recording.layers import Layer, NothingPlayedError

_Call = Callable[..., Any]


def is_heard(owner: Any, name: str) -> bool:
    """Whether a listener hears the calls of an object's method."""
    return hasattr(vars(owner).get(name), "listener")


class Listener(ABC):
    """Keeps what an environment plays.

    A hooked method takes the lock of the layer, and what it calls itself does not pass here again.

    Args:
        layer: The environment.
    """

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self._lock = layer.lock
        self._moved = True  # what comes next does not follow from what is kept
        self._sent: list[Any] = []  # actions of which the results were not received
        self._inside = self._thread = 0  # calls of the environment, and whose they are
        self._hooks: list[tuple[Any, str, Any]] = []  # who, which method, what was set there
        self._process = os.getpid()

    def _hook(self, owner: Any, name: str, through: _Call) -> None:
        """Have the calls of a method pass through another, which gets the method first."""
        original = getattr(owner, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if self._inside and self._thread == threading.get_ident():
                return original(*args, **kwargs)
            if os.getpid() != self._process:  # what is kept is its parent's
                return original(*args, **kwargs)
            with self._lock:
                if not self._hooks:  # somebody has the method from before
                    return original(*args, **kwargs)
                self._thread = threading.get_ident()
                self._inside += 1
                try:
                    return through(original, *args, **kwargs)
                except NothingPlayedError:
                    raise
                except BaseException:
                    self._lose()
                    raise
                finally:
                    self._inside -= 1

        call.__doc__ = original.__doc__
        call.__wrapped__ = original  # type: ignore[attr-defined]
        self._hooks.append((owner, name, vars(owner).get(name)))
        setattr(owner, name, call)
        call.listener = self  # type: ignore[attr-defined]

    def _unhook(self) -> None:
        """Leave the environment to itself."""
        for owner, name, before in self._hooks:
            if before is None:
                vars(owner).pop(name, None)
            else:  # what the environment's owner had set there
                setattr(owner, name, before)
        self._hooks = []

    def _lose(self) -> None:
        """After an exception, which may have moved the game."""
        self._moved = True

    @abstractmethod
    def _go_on(self) -> None:
        """Be ready for a step."""

    @abstractmethod
    def _add(self, actions: Any, result: Any) -> None:
        """Keep a step."""

    @abstractmethod
    def close(self) -> None:
        """Leave the environment to itself."""

    def _send(self, call: _Call, actions: Any) -> None:
        self._layer.check_numbers(actions)
        self._go_on()
        columns = np.array(actions)
        call(actions)
        self._sent.append(columns)

    def _recv(self, call: _Call) -> Any:
        result = call()
        if self._sent:
            self._add(self._sent.pop(0), result)
        return result

    def _close_both(self, call: _Call, *args: Any, **kwargs: Any) -> Any:
        self.close()
        return call(*args, **kwargs)
