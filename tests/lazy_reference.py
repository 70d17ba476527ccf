"""References that do not load a ROM in vain.

To load one takes the originals 0.1 s.  Gymnasium's and PettingZoo's environments do so once or
twice when they are made, and again in the seeded reset that follows.  A load starts everything anew
(the tests named test_loading_again hold that), so nothing is left of one that another follows.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias
from unittest import mock

_Call: TypeAlias = tuple[str, tuple[Any, ...], dict[str, Any]]  # name, arguments, named ones

_LOAD = "loadROM"
_OF_THE_LOADED = ("setMode", "setDifficulty")  # forgotten by the next load
_SETTINGS = ("setBool", "setFloat", "setInt", "setString")  # not forgotten
# What depends on nothing but the ROM and on the mode that was set.
_FACTS = ("getAvailableModes", "getMinimalActionSet", "getScreenDims", "numPlayersActive")


@contextmanager
def lazy_loads(package: Any) -> Iterator[None]:
    """Give the package's `ALEInterface`s that are made meanwhile lazy loads.

    Such an interface keeps its calls in order until one of them asks for something, and leaves out
    the loads that were followed by another by then.  Facts of a game are asked for once, of an
    interface for each ROM that does nothing else.
    """
    original = package.ALEInterface

    class LazyInterface:
        setLoggerMode = staticmethod(original.setLoggerMode)  # noqa: N815

        def __init__(self) -> None:
            self._interface = original()
            self._waiting: list[_Call] = []

        def __getattr__(self, name: str) -> Any:
            if not self._waiting and name != _LOAD:
                return getattr(self._interface, name)
            return functools.partial(self._call, name)

        def _call(self, name: str, *arguments: Any, **named: Any) -> Any:
            call = (name, arguments, named)
            if name == _LOAD:
                self._waiting = [one for one in self._waiting if one[0] in _SETTINGS]
            if name == _LOAD or (self._waiting and name in (*_OF_THE_LOADED, *_SETTINGS)):
                self._waiting.append(call)
                return None
            if self._waiting and name in _FACTS:
                loading = [one for one in self._waiting if one[0] not in _SETTINGS]
                key = (original, str(loading), str(call))
                if key not in _known:
                    _known[key] = _fact(original, loading, call)
                return _known[key]
            waiting, self._waiting = self._waiting, []
            return _make([*waiting, call], self._interface)

    with mock.patch.object(package, "ALEInterface", LazyInterface):
        yield


def _make(calls: list[_Call], interface: Any) -> Any:
    """Make these calls; what the last one returns."""
    for name, arguments, named in calls:
        result = getattr(interface, name)(*arguments, **named)
    return result


def _fact(original: Any, loading: list[_Call], call: _Call) -> Any:
    """What a call returns after a load and what has been chosen since, such as a mode."""
    load, *chosen = loading
    names = {name for name, _, _ in chosen}
    key = (original, str(load))
    interface, before = _asked.get(key, (None, set()))
    if interface is None or not before <= names:  # for what was chosen once can only be changed
        interface = original()
        _make([load], interface)
    _asked[key] = interface, names
    return _make([*chosen, call], interface)


class Returning:
    """An interface of multi-agent-ale-py that takes a load it had before from the state after it.

    Args:
        original: Makes an interface.
        loaded: What was loaded so far, with which settings; it is added to.
    """

    def __init__(
        self, original: Callable[[], Any], loaded: dict[tuple[Any, ...], tuple[Any, Any]]
    ) -> None:
        self._original, self._loaded = original, loaded
        self._settings: list[_Call] = []

    def __getattr__(self, name: str) -> Any:
        if name in _SETTINGS:
            return lambda *setting: self._settings.append((name, setting, {}))
        return getattr(self._interface, name)

    def loadROM(self, rom: str) -> None:  # noqa: N802
        key = (rom, *(setting for _, setting, _ in self._settings))
        if key not in self._loaded:
            interface = self._original()
            _make([*self._settings, (_LOAD, (rom,), {})], interface)
            self._loaded[key] = interface, interface.cloneSystemState()
        self._interface, state = self._loaded[key]
        self._interface.restoreSystemState(state)


_known: dict[tuple[Any, ...], Any] = {}
_asked: dict[tuple[Any, ...], tuple[Any, set[str]]] = {}  # interfaces, and what was chosen there
