"""References that do not load a ROM in vain.

To load one takes the originals 0.1 s.  Gymnasium's and PettingZoo's environments do so once or
twice when they are made, and again in the seeded reset that follows.  A load starts everything anew
(the tests named test_loading_again hold that), so nothing is left of one that another follows.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

_LOAD = "loadROM"
_OF_THE_LOADED = ("setMode", "setDifficulty")  # forgotten by the next load
_SETTINGS = ("setBool", "setFloat", "setInt", "setString")  # not forgotten
# What depends on nothing but the ROM and on the mode that was set.
_FACTS = ("getAvailableModes", "getMinimalActionSet", "getScreenDims", "numPlayersActive")


@contextmanager
def late(package: Any) -> Iterator[None]:
    """Give the package's `ALEInterface`s that are made meanwhile late loads.

    Such an interface keeps its calls in order until one of them asks for something, and leaves out
    the loads that were followed by another by then.  Facts of a game are asked for once.
    """
    original = package.ALEInterface

    class Late:
        setLoggerMode = staticmethod(original.setLoggerMode)  # noqa: N815

        def __init__(self) -> None:
            self._interface = original()
            self._waiting: list[tuple[str, Any, Any]] = []  # calls: name, arguments, named ones

        def __getattr__(self, name: str) -> Any:
            return functools.partial(self._call, name)

        def _call(self, name: str, *arguments: Any, **named: Any) -> Any:
            call = (name, arguments, named)
            if name == _LOAD:
                self._waiting = [one for one in self._waiting if one[0] in _SETTINGS]
            if name == _LOAD or (self._waiting and name in (*_OF_THE_LOADED, *_SETTINGS)):
                self._waiting.append(call)
                return None
            if self._waiting and name in _FACTS:
                loaded = [str(one) for one in self._waiting if one[0] not in _SETTINGS]
                key = (original, *loaded, str(call))
                if key not in _known:
                    _known[key] = self._now(call)
                return _known[key]
            return self._now(call)

        def _now(self, call: tuple[str, Any, Any]) -> Any:
            waiting, self._waiting = self._waiting, []
            for name, arguments, named in (*waiting, call):
                result = getattr(self._interface, name)(*arguments, **named)
            return result

    with mock.patch.object(package, "ALEInterface", Late):
        yield


_known: dict[tuple[Any, ...], Any] = {}
