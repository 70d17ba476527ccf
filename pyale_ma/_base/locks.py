"""Locks that are recreated in a forked process."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

_Lock = TypeVar("_Lock")
_Result = TypeVar("_Result")

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


class Alone:
    """Makes calls one at a time: those of other threads wait, one within another is refused.

    A thread that waited for itself would wait for ever.  It meets itself where a signal handler, or
    whatever else is called meanwhile, uses what is in use.

    Args:
        what: What is in use, for the error.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock: Any = own_lock(self, "_lock", threading.RLock)

    def __call__(self, function: Callable[..., _Result], *arguments: Any) -> _Result:
        """Make a call.

        Raises:
            RuntimeError: It is made within another one.
        """
        if self._lock._is_owned():
            raise used_within(self._what)
        with self._lock:
            result = function(*arguments)
        return result  # noqa: RET504 (an interrupt after the call must be within the block)


def used_within(what: str) -> RuntimeError:
    """Return the error of a call that the same thread makes within another one."""
    return RuntimeError(
        f"{what} is used by a signal handler, or by a callback, in the midst of "
        "a call that uses it: let the handler set a flag, and look at that afterwards"
    )


def _renew() -> None:
    for owner, (name, make) in list(_owners.items()):
        setattr(owner, name, make())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
