"""Work in processes beside this one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

from gymnasium import error

from pyale_ma import install_hints

_MOST = 60  # processes: Windows cannot wait for more

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def over(
    work: Callable[[_Item], _Result], items: Sequence[_Item], workers: int
) -> Iterator[tuple[int, _Result]]:
    """Do the same with each item, so many at a time.

    Args:
        work: What is done; with several workers it is pickled, as items and results are.
        items: What it is done with.
        workers: How many processes, of which there are 60 at most; 1: only this one.

    Yields:
        The number of an item and what came of it, as they are done.
    """
    if workers == 1 or len(items) < 2:
        for number, item in enumerate(items):
            yield number, work(item)
        return
    # A fork would copy locks that threads of this process hold.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(min(workers, len(items), _MOST), context, _begin_worker) as pool:
        pending = {pool.submit(work, item): number for number, item in enumerate(items)}
        try:
            for done in as_completed(pending):
                yield pending[done], done.result()
        except BaseException:  # Ctrl-C, too, does not wait for the end of an item
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
            raise


def over_ray(
    work: Callable[[_Item], _Result], items: Sequence[_Item]
) -> Iterator[tuple[int, _Result]]:
    """As `over`, as tasks of the Ray cluster to which `ray.init` connected, with a CPU each.

    Raises:
        gymnasium.error.DependencyNotInstalled: Ray is not installed.
        RuntimeError: Ray is not running.
    """
    try:
        import ray
    except ModuleNotFoundError as missing:
        raise error.DependencyNotInstalled(
            f"{missing.name} is missing; run `{install_hints.install('ray')}`"
        ) from missing

    if not ray.is_initialized():
        raise RuntimeError("Ray is not running: call ray.init() first")
    shared = ray.put(work)  # what it holds travels once
    task = ray.remote(num_cpus=1)(lambda work, item: work(item))
    pending = {task.remote(shared, item): number for number, item in enumerate(items)}
    try:
        while pending:
            done, _ = ray.wait(list(pending))
            yield pending.pop(done[0]), ray.get(done[0])
    finally:
        for reference in pending:
            ray.cancel(reference, force=True)


def _begin_worker() -> None:
    """Leave Ctrl-C to the process that waits for this one, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
