"""The actor that Ray starts on a node; it needs nothing there but Python and Ray.

Its class travels by value, so that a node without this package, or with another version of it, can
report that instead of failing to load the class.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import ray

from pyale_ma import _native
from pyale_ma._base import install_hints


class NodeError(RuntimeError):
    """A node cannot play: it lacks the package, or has another version than the driver."""


def make_host() -> type[Any]:
    """Return the class of the actor.

    Made by a function, so that it has no place in this module from which Ray would import it.  All
    imports of this package are in its methods.
    """

    class Host:
        """Holds one worker.  Ray makes it again, with the same arguments, to restart the actor."""

        def __init__(self, versions: Any, number: int, num_threads: int) -> None:
            self.versions, self.number, self.num_threads = versions, number, num_threads
            self.worker: Any = None
            self.next_call: int | None = None  # the only one that fits the state

        def follow(self, first_call: int, spec: bytes, snapshot: Any, played: Any) -> Any:
            """Make the worker and bring it to the state of another one: see `Worker.follow`.

            Ray may call this again for an answer that was lost, in another process, when later
            calls have been answered.  `first_call` is the number of the first call from this state.
            The pickled spec is not of the constructor, as Ray might lose it there.

            Returns:
                The actor's place and versions, and the worker's description; None if the versions
                are not the driver's.
            """
            import pickle

            self.next_call = None
            facts = self.facts()
            if facts["versions"] != self.versions:
                return facts, None
            from pyale_ma.distributed.worker import Worker

            if self.worker is not None:
                self.worker.close()
            self.worker = Worker(pickle.loads(spec), self.number, self.num_threads)
            self.worker.follow(snapshot, played)
            self.next_call = first_call
            return facts, self.worker.describe()

        # After a loss the actor must follow before anything is called again.
        @ray.method(max_task_retries=0)  # type: ignore[untyped-decorator]
        def call(self, number: int, method: str, *arguments: Any) -> Any:
            """Call a method of the worker; return the result in a tuple.

            Return None if the worker is not in the state for the call of this number, as after a
            restart of the actor, or an error of the call before.
            """
            if self.next_call != number:
                return None
            self.next_call = None
            result = getattr(self.worker, method)(*arguments)
            self.next_call = number + 1
            return (result,)

        def facts(self) -> dict[str, Any]:
            """Return the actor's place and its node's versions."""
            import os
            import socket

            node = ray.get_runtime_context().get_node_id()
            place = {"host": socket.gethostname(), "node": node, "pid": os.getpid()}
            try:
                from pyale_ma.distributed.host import own_versions
            except ImportError as missing:
                return {**place, "versions": None, "missing": str(missing)}
            return {**place, "versions": own_versions()}

    return Host


def own_versions() -> dict[str, Any]:
    """Return the versions of this process, which are the same on the driver and all nodes."""
    return {
        "pyale_ma": _native.VERSION,
        "libale's ABI": _native.ABI_VERSION,
        "byte order": sys.byteorder,
    }


def check_facts(facts: Mapping[str, Any]) -> None:
    """See that a node has the driver's versions.

    Raises:
        NodeError: It has not; the text names the node, and what to do.
    """
    needed, versions = own_versions(), facts["versions"]
    where = f"node {facts['node'][:12]} (host {facts['host']})"
    remedy = f"install the driver's version {_native.VERSION} there: {install_hints.REINSTALL}"
    if versions is None:
        raise NodeError(f"{where} cannot import pyale_ma: {facts['missing']}; {remedy}")
    for name, value in needed.items():
        if versions[name] != value:
            raise NodeError(
                f"{where} has {name} {versions[name]}, but the driver has {value}; {remedy}"
            )
