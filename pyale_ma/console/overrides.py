"""Notices when methods of a console are replaced, so that the replacements are called.

Clients override methods of `ALEInterface` in subclasses, on its classes (`unittest.mock.patch`) and
on single objects.  `AtariEnv.step` plays through one internal call unless they did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any


class _Changes:
    """Counter of the times a public attribute of an `Overridable` was set or deleted."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


changes = _Changes()


class _Watched(type):
    """A class whose `changes` counts its changes."""

    def __setattr__(cls, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        changes.count += 1

    def __delattr__(cls, name: str) -> None:
        super().__delattr__(name)
        changes.count += 1


class Overridable(metaclass=_Watched):
    """A class whose methods may be replaced, on itself and on its objects; `changes` tells."""

    if not TYPE_CHECKING:  # or type checkers would allow every attribute

        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if not name.startswith("_") or name in ("__class__", "__dict__"):
                changes.count += 1

        def __delattr__(self, name: str) -> None:
            super().__delattr__(name)
            if not name.startswith("_"):
                changes.count += 1


def is_watched(kind: type) -> bool:
    """Whether `changes` counts all that happens to the methods of a class.

    It does not where a base class is none of ours, or where the class looks attributes up itself.
    """
    looks_up: Any = kind.__getattribute__
    return looks_up is object.__getattribute__ and all(
        isinstance(base, _Watched) for base in kind.__mro__ if base is not object
    )


def has_methods(instance: object, kind: type, methods: Mapping[str, Any]) -> bool:
    """Whether an object is of a class, and these of its methods are the functions given here.

    A listener of a recording does not count: it calls the method that it was put before.
    """
    if not issubclass(type(instance), kind):  # `isinstance` believes proxies
        return False
    return all(_function(getattr(instance, name)) is own for name, own in methods.items())


def _function(method: Any) -> Any:
    while hasattr(method, "listener") and hasattr(method, "__wrapped__"):
        method = method.__wrapped__
    return getattr(method, "__func__", None)
