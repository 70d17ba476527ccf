"""Measure the cost of distribution: CPU time of driver and workers, beside the bare vector.

python benchmarks/distributed.py [--nodes 1 2] [--obs-type grayscale ram] [--quick]

Several local nodes share this machine's cores, so a rate measured here says nothing of a cluster.
What does is CPU time, which does not depend on who else runs: what a batch costs its worker beyond
the bare vector, and what it costs the driver.  Of these the second table computes a hundred nodes:
a driver takes no more batches than it has time for, and no more bytes than its network brings.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import ray
from ray.cluster_utils import Cluster

from pyale_ma.distributed import Collector, RolloutCollector
from pyale_ma.vector import AtariVectorEnv

GAME, ENVS = "breakout", 64
NODES, CORES = 100, 16
NETWORK = 25e9 / 8  # bytes a second, at the driver
PLAN = 64


@dataclass
class Cost:
    """CPU seconds of a batch, or of a rollout.

    Attributes:
        driver: The driver's, with all its threads.
        worker: A worker's.
        size: Bytes of what is sent.
        steps: Steps of environments in it.
    """

    driver: float
    worker: float
    size: int
    steps: int


def cpu_of(pid: int) -> float:
    """CPU seconds of a process so far, to the nanosecond: a quick run takes less than a tick."""
    clock = ctypes.c_int()
    if error := ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock)):
        raise OSError(error, os.strerror(error))
    return time.clock_gettime(clock.value)


def bare(count: int, **options: Any) -> float:
    """CPU seconds of a step of the bare vector."""
    envs = AtariVectorEnv(GAME, ENVS, num_threads=1, copy=False, **options)
    envs.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, envs.num_actions[0], (PLAN, ENVS))
    for row in actions:
        envs.step(row)
    began = time.process_time()
    for number in range(count):
        envs.step(actions[number % PLAN])
    return (time.process_time() - began) / count


def measure(collector: Any, count: int, receive: Callable[[], Any]) -> tuple[float, float, Any]:
    """CPU seconds of the driver and of workers for each that is received, and the last."""
    while None in collector.places:
        receive()
    pids = [place["pid"] for place in collector.places]
    driver, workers = time.process_time(), sum(map(cpu_of, pids))
    for _ in range(count):
        last = receive()
    workers = sum(map(cpu_of, pids)) - workers
    return (time.process_time() - driver) / count, workers / count, last


def step_by_step(nodes: int, count: int, **options: Any) -> Cost:
    """`Collector`: the driver is asked for each step."""
    with Collector(GAME, ENVS, workers=nodes, seed=0, **options) as collector:
        actions = np.random.default_rng(0).integers(0, collector.num_actions[0], (PLAN, ENVS))

        def receive() -> Any:
            batch = collector.recv()
            collector.send(batch.worker, actions[batch.number % PLAN])
            return batch

        driver, worker, batch = measure(collector, count, receive)
    return Cost(driver, worker, batch.observations.nbytes, ENVS)


def by_rollouts(nodes: int, count: int, steps: int, **options: Any) -> Cost:
    """`RolloutCollector`: the driver is asked once in many steps."""

    def policy(observations: Any, random: np.random.Generator) -> Any:
        return random.integers(0, 4, len(observations))

    with RolloutCollector(
        policy, GAME, ENVS, steps=steps, workers=nodes, seed=0, **options
    ) as collector:
        driver, worker, rollout = measure(collector, count // 32 + 1, collector.recv)
    return Cost(driver, worker, rollout.observations.nbytes, ENVS * steps)


def larger(few: Cost, many: Cost) -> Cost:
    """A rollout 16 times as large as `many`, of a vector on all cores of a node.

    The driver's time has a part for each rollout and one for each step, known of two rollouts.
    """
    each_step = max(0.0, many.driver - few.driver) / (many.steps - few.steps)
    driver = many.driver + 15 * many.steps * each_step
    return Cost(driver, 16 * many.worker, 16 * many.size, 16 * many.steps)


# What is measured: the observations, how they are sent, and a function.
KINDS: list[tuple[str, str, Callable[..., Cost]]] = [
    ("grayscale", "batches", step_by_step),
    ("grayscale", "rollouts of 16 steps", partial(by_rollouts, steps=16)),
    ("ram", "batches", step_by_step),
    ("ram", "rollouts of 16 steps", partial(by_rollouts, steps=16)),
    ("ram", "rollouts of 256 steps", partial(by_rollouts, steps=256)),
]


def main() -> None:
    parser = argparse.ArgumentParser(description="What distribution costs.")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 2], help="local nodes")
    parser.add_argument("--obs-type", nargs="+", default=["grayscale", "ram"])
    parser.add_argument("--quick", action="store_true", help="see that it runs")
    arguments = parser.parse_args()
    count = 4 if arguments.quick else 500

    os.chdir(tempfile.mkdtemp())  # Ray's processes import from here, not from the clone
    store = {"object_store_memory": 512 * 2**20, "include_dashboard": False}
    cluster = Cluster()
    cluster.add_node(num_cpus=0, **store)
    ray.init(address=cluster.address, log_to_driver=False)
    costs: dict[tuple[str, str], Cost] = {}
    alone = {obs_type: bare(count, obs_type=obs_type) for obs_type in arguments.obs_type}
    print(f"CPU time for {GAME}, {ENVS} environments a worker, one worker a node\n")
    print("| observations | sent as | nodes | driver | worker | bare vector | worker beside it |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for node in sorted(arguments.nodes):
        while len(cluster.worker_nodes) < node:
            cluster.add_node(num_cpus=1, **store)
        for obs_type, title, run in KINDS:
            if obs_type not in alone:
                continue
            cost = costs[obs_type, title] = run(node, count, obs_type=obs_type)
            expected = alone[obs_type] * cost.steps / ENVS
            print(
                f"| {obs_type} | {title} | {node} | {cost.driver * 1e3:.2f} ms "
                f"| {cost.worker * 1e3:.2f} ms | {expected * 1e3:.2f} ms "
                f"| {cost.worker / expected - 1:+.0%} |",
                flush=True,
            )
    ray.shutdown()
    cluster.shutdown()

    print(f"\nComputed for {NODES} nodes of {CORES} cores, {NETWORK * 8 / 1e9:.0f} Gbit/s\n")
    print("| observations | sent as | they play | a driver has time for | its network brings |")
    print("| --- | --- | ---: | ---: | ---: |")
    few, many = (costs.get(("ram", f"rollouts of {steps} steps")) for steps in (16, 256))
    if few and many:
        costs["ram", "rollouts of 256 steps of 1024 environments"] = larger(few, many)
    for (obs_type, title), cost in costs.items():
        node = CORES / cost.worker * cost.steps  # steps a second
        print(
            f"| {obs_type} | {title} | {NODES * node / 1e6:.1f} million steps/s "
            f"| {cost.steps / cost.driver / node:.1f} nodes "
            f"| {cost.steps * NETWORK / cost.size / node:.1f} nodes |"
        )


if __name__ == "__main__":
    main()
