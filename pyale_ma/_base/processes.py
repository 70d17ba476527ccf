"""Work in processes beside this one."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from pyale_ma._base import install_hints
from pyale_ma._base.text import printable

_MOST = 60  # processes: Windows cannot wait for more
_LOST = "its process was killed or crashed; if memory ran out, fewer workers need less"

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def over(
    work: Callable[[_Item], _Result],
    items: Sequence[_Item],
    workers: int,
    lost: Callable[[_Item, str], _Result] | None = None,
) -> Iterator[tuple[int, _Result]]:
    """Do the same with each item, `workers` at a time.

    Args:
        work: What is done; with several workers it is pickled, as items and results are.
        items: What it is done with.
        workers: Number of processes, at most 60; 1: only this one.
        lost: Told an item whose process was killed, and what to say of it; what comes of the item.
            None: an error is raised.

    Yields:
        The number of an item and what came of it, as they are done.

    Raises:
        RuntimeError: The process that worked on an item was killed.
    """
    if workers == 1 or len(items) < 2:
        for number, item in enumerate(items):
            yield number, work(item)
        return
    # A fork would copy locks that threads of this process hold.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    waiting = deque(range(len(items)))
    running: dict[Future[_Result], tuple[int, ProcessPoolExecutor]] = {}
    with contextlib.ExitStack() as stack:

        def make_pool() -> ProcessPoolExecutor:
            """Run one process, so that it is known what it worked on if it is killed."""
            return stack.enter_context(ProcessPoolExecutor(1, context, _begin_worker))

        idle = [make_pool() for _ in range(min(workers, len(items), _MOST))]
        try:
            while waiting or running:
                while waiting and idle:
                    number, pool = waiting.popleft(), idle.pop()
                    try:
                        future = pool.submit(work, items[number])
                    except BrokenProcessPool:  # killed while it had nothing to do
                        pool = make_pool()
                        future = pool.submit(work, items[number])
                    running[future] = number, pool
                done = next(as_completed(running))
                number, pool = running.pop(done)
                try:
                    result = done.result()
                except BrokenProcessPool:
                    if lost is None:
                        raise RuntimeError(f"{printable(items[number])}: {_LOST}") from None
                    result, pool = lost(items[number], _LOST), make_pool()
                idle.append(pool)
                yield number, result
        except BaseException:  # Ctrl-C, too, does not wait for the end of an item
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
            raise


def over_ray(
    work: Callable[[_Item], _Result], items: Sequence[_Item]
) -> Iterator[tuple[int, _Result]]:
    """Call as `over` does, in tasks of the Ray cluster of `ray.init`, with a CPU each.

    Raises:
        gymnasium.error.DependencyNotInstalled: Ray is not installed.
        RuntimeError: Ray is not running.
    """
    try:
        import ray
    except ModuleNotFoundError as problem:
        raise install_hints.missing(problem, install_hints.install("ray")) from problem

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
