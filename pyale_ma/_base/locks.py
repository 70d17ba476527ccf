"""Locks that are recreated in a forked process."""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar, cast

_Lock = TypeVar("_Lock")
_Result = TypeVar("_Result")
_Method = TypeVar("_Method", bound=Callable[..., Any])

_owners: weakref.WeakKeyDictionary[Any, tuple[str, Callable[[], Any]]]
_owners = weakref.WeakKeyDictionary()


def own_lock(owner: object, name: str, make: Callable[[], _Lock]) -> _Lock:
    """A lock for an object's attribute; a forked process finds a new one there.

    The thread that holds the old one may not exist in it.  What such a thread was doing to an
    environment or a vector meanwhile is known to the library, which then refuses to go on.

    Args:
        owner: Whose lock it is; one for each owner.
        name: The attribute.
        make: Makes a lock.
    """
    _owners[owner] = (name, make)
    return make()


class Locks:
    """The locks of an `Alone`.

    Attributes:
        lock: Held by the thread whose call is running.
        call: Held by the same thread while this call refuses others.  It is a lock as well, because
            an exception at any moment releases it.
    """

    __slots__ = ("call", "lock")

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.call = threading.Lock()


class Alone:
    """Makes calls one at a time: those of other threads wait, one within another is refused.

    A thread that waited for itself would wait for ever.  It meets itself where a signal handler, an
    opponent or whatever else is called meanwhile uses what is in use.

    Args:
        what: What is in use, for the error.

    Attributes:
        what: As given.
        locks: For code that holds `Locks.lock` without refusing calls within, and for code that
            does what a call does, but quicker.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.locks: Locks = own_lock(self, "locks", Locks)

    def __call__(self, function: Callable[..., _Result], *arguments: Any, **named: Any) -> _Result:
        """Make a call.

        Raises:
            RuntimeError: It is made within another one.
        """
        locks = self.locks
        with locks.lock:
            if locks.call.locked():
                raise used_within(self.what)
            with locks.call:
                result = function(*arguments, **named)
        return result  # here, so that an interrupt after the call is within the blocks


def not_within(method: _Method) -> _Method:
    """Decorate a method so that the object's `Alone`, ``_alone``, makes its calls."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._alone(method, self, *args, **kwargs)

    return cast(_Method, call)


def used_within(what: str) -> RuntimeError:
    """Return the error of a call that the same thread makes within another one."""
    return RuntimeError(
        f"{what} is used by a signal handler, an opponent or another callback during a call that "
        f"uses it: let the callback set a flag, and use {what} after the call has returned"
    )


def _renew() -> None:
    for owner, (name, make) in list(_owners.items()):
        setattr(owner, name, make())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
