"""The actor that Ray starts on a node; it needs nothing there but Python and Ray.

Its class travels by value, so that a node without this package, or with another version of it, can
say so instead of failing to load it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from pyale_ma import _native
from pyale_ma._base import install_hints


class NodeError(RuntimeError):
    """A node cannot play: it lacks the package, or has another version than the driver."""


def make_host() -> type[Any]:
    """The class of the actor.

    Made by a function, so that it has no place in this module from which Ray would want to import
    it.  All its imports are its methods'.
    """

    class Host:
        """Holds one worker."""

        def begin(
            self,
            wanted: Any,
            spec: bytes,
            number: int,
            num_threads: int,
            snapshot: Any,
            played: Any,
        ) -> Any:
            """Make the worker and bring it to where another was, if this node has what is wanted.

            Returns:
                The worker's description; None if versions differ.
            """
            import pickle

            if self.facts()["versions"] != wanted:
                return None
            self.worker = None  # of which there is one if the collector restores a state
            from pyale_ma.distributed.worker import Worker

            self.worker = Worker(pickle.loads(spec), number, num_threads)
            self.worker.follow(snapshot, played)
            return self.worker.describe()

        def facts(self) -> dict[str, Any]:
            """Where this is, and which versions are there."""
            import os
            import socket
            import sys

            import ray

            node = ray.get_runtime_context().get_node_id()
            place = {"host": socket.gethostname(), "node": node, "pid": os.getpid()}
            try:
                from pyale_ma import _native
            except ImportError as missing:
                return {**place, "versions": None, "missing": str(missing)}
            versions = {
                "pyale_ma": _native.VERSION,
                "libale's ABI": _native.ABI_VERSION,
                "byte order": sys.byteorder,
            }
            return {**place, "versions": versions}

        def call(self, method: str, *arguments: Any) -> Any:
            """Call a method of the worker."""
            return getattr(self.worker, method)(*arguments)

    return Host


def own_versions() -> dict[str, Any]:
    """Return the driver's versions, which nodes must have too."""
    return {
        "pyale_ma": _native.VERSION,
        "libale's ABI": _native.ABI_VERSION,
        "byte order": sys.byteorder,
    }


def check_facts(facts: Mapping[str, Any]) -> None:
    """See that a node has what the driver has.

    Raises:
        NodeError: It has not; the text names the node, and what to do.
    """
    wanted, versions = own_versions(), facts["versions"]
    where = f"node {facts['node'][:12]} (host {facts['host']})"
    remedy = f"install the driver's version {_native.VERSION} there: {install_hints.REINSTALL}"
    if versions is None:
        raise NodeError(f"{where} cannot import pyale_ma: {facts['missing']}; {remedy}")
    for name, value in wanted.items():
        if versions[name] != value:
            raise NodeError(
                f"{where} has {name} {versions[name]}, but the driver has {value}; {remedy}"
            )
