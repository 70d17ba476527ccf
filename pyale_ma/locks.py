"""Locks that no forked process waits for in vain."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

_Lock = TypeVar("_Lock")

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


def _renew() -> None:
    for owner, (name, make) in list(_owners.items()):
        setattr(owner, name, make())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
