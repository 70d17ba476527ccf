"""Vectors on many machines, through Ray: `Collector` and `RolloutCollector`.

Needs Ray on all nodes: ``pip install ray``.  ``docs/distributed.md`` is the guide.
"""

from pyale_ma._base import install_hints

try:
    import ray as _ray  # noqa: F401 - only to see whether it is there
except ModuleNotFoundError as problem:
    raise install_hints.missing(problem, install_hints.install("ray")) from problem

from pyale_ma.distributed.collector import Batch, Collector
from pyale_ma.distributed.rollouts import Rollout, RolloutCollector
from pyale_ma.distributed.worker_pool import NodeError, Progress, WorkerError

__all__ = [
    "Batch",
    "Collector",
    "NodeError",
    "Progress",
    "Rollout",
    "RolloutCollector",
    "WorkerError",
]
