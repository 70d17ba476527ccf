"""Measure the cost of recording: processor time, bytes, and steps verified per second.

    python benchmarks/recording.py [pong seaquest] [--quick]
    python benchmarks/recording.py --ray     of a collector of `pyale_ma.distributed`

Blocks with a recorder and without one take turns in the same environment, so that it matters
little who else runs.  A block is a chunk of the file, which is written in it.  Times are of the
processor, not of the clock; vectors have one thread.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pyale_ma.recording import Recording, record
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv

ENVS = 64
PLAN = 4096  # steps until the same actions come again


@dataclass
class Kind:
    """An environment to record.

    Attributes:
        title: What it is called in the table.
        make: Makes it for a game.
        envs: How many it plays at a time.
        block: Steps of a block.
        length: Steps of a recording that is verified.
    """

    title: str
    make: Callable[[str], Any]
    envs: int
    block: int
    length: int


KINDS = (
    Kind("one agent, RAM", lambda game: AtariEnv(game, obs_type="ram"), 1, 2000, 10_000),
    Kind(
        f"vector of {ENVS}, gray 84x84, stack of 4",
        lambda game: AtariVectorEnv(game, ENVS, num_threads=1),
        ENVS,
        300,
        1000,
    ),
)


def player(kind: Kind, env: Any) -> Callable[[int], float]:
    """Return a function that plays a number of random steps and returns the seconds they took."""
    shape = PLAN if kind.envs == 1 else (PLAN, kind.envs)
    choices = env.action_space.n if kind.envs == 1 else env.num_actions[0]
    actions = list(np.random.default_rng(0).integers(choices, size=shape))

    def play(steps: int) -> float:
        began = time.process_time()
        for number in range(steps):
            _, _, terminated, truncated, _ = env.step(actions[number % PLAN])
            if kind.envs == 1 and (terminated or truncated):
                env.reset()
        return time.process_time() - began

    return play


def cost(
    play: Callable[[], float], begin: Callable[[Path], Any], blocks: int
) -> tuple[float, float]:
    """Seconds of a block without a recorder, and with one more: medians.

    Args:
        play: Plays a block, and returns its seconds.
        begin: Begins to record into a new file, and returns what is closed at the end.
        blocks: How many are recorded.
    """
    plain, more = [], []
    play()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(blocks):
            before = play()
            with begin(Path(folder, f"{number}.zip")):
                play()  # with what a recording begins with
                recorded = play()
            plain.append((before + play()) / 2)
            more.append(recorded - plain[-1])
    return statistics.median(plain), statistics.median(more)


def measure(kind: Kind, game: str, quick: bool) -> str:
    """A row of the table."""
    block, length = (20, 40) if quick else (kind.block, kind.length)
    env = kind.make(game)
    play = player(kind, env)
    env.reset(seed=0)
    plain, more = cost(
        lambda: play(block),
        lambda path: record(env, path, steps_per_chunk=block),
        1 if quick else 9,
    )
    sizes = []
    with tempfile.TemporaryDirectory() as folder:
        for keyframes in (True, False):
            path = Path(folder, f"keyframes-{keyframes}.zip")
            with record(env, path, keyframes=keyframes):
                env.reset(seed=0)
                play(length)
            sizes.append(path.stat().st_size / length / kind.envs * 1000)
        recording = Recording.open(path)
        began = time.process_time()
        verdict = recording.verify()
        verified = length * kind.envs / (time.process_time() - began)
        assert verdict, verdict
    env.close()
    played = block * kind.envs / plain
    # A vector's recording is too short to have any: its states are large and written seldom.
    keyframed = f"{sizes[0]:,.0f}" if kind.envs == 1 else "-"
    return (
        f"| {game} | {kind.title} | {sizes[1]:,.0f} | {keyframed} | {verified:,.0f} "
        f"| {verified / played:.2f} | {more / block * 1e6:.1f} us | {more / plain:+.1%} |"
    )


def collected(game: str, quick: bool) -> None:
    """Print what the recording of a collector costs its driver and its worker."""
    import ray
    from distributed import cpu_of

    from pyale_ma.distributed import Collector

    block = 20 if quick else 300
    ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    with Collector(game, ENVS, workers=1, seed=0, num_threads=1) as collector:
        actions = np.random.default_rng(0).integers(collector.num_actions[0], size=(PLAN, ENVS))

        def receive(batches: int) -> None:
            for _ in range(batches):
                batch = collector.recv()
                collector.send(batch.worker, actions[batch.number % PLAN])

        while None in collector.places:
            receive(1)
        [place] = collector.places

        def of_driver() -> float:
            began = time.process_time()
            receive(block)
            return time.process_time() - began

        def of_worker() -> float:
            began = cpu_of(place["pid"])
            receive(block)
            return cpu_of(place["pid"]) - began

        print("| process | batch | recorded | |\n| --- | ---: | ---: | ---: |")
        for title, play in (("driver", of_driver), ("worker", of_worker)):
            plain, more = cost(
                play,
                lambda path: record(collector, path, steps_per_chunk=block),
                1 if quick else 9,
            )
            times = f"{plain / block * 1e3:.2f} ms | {(plain + more) / block * 1e3:.2f} ms"
            print(f"| {title} | {times} | {more / plain:+.1%} |", flush=True)
    ray.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description="What recording costs.")
    parser.add_argument("games", nargs="*", default=["pong"])
    parser.add_argument("--ray", action="store_true", help="a collector of pyale_ma.distributed")
    parser.add_argument("--quick", action="store_true", help="see that it runs")
    arguments = parser.parse_args()
    if arguments.ray:
        home = Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)  # Ray's processes import from here, not from the clone
            for game in arguments.games:
                print(f"Processor time of {game}, {ENVS} environments a worker\n")
                collected(game, arguments.quick)
            os.chdir(home)
        return
    columns = "bytes per 1000 steps | with keyframes | verified, steps/s | as a multiple of playing"
    print(f"| game | environment | {columns} | recording, a step | |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for game in arguments.games:
        for kind in KINDS:
            print(measure(kind, game, arguments.quick), flush=True)


if __name__ == "__main__":
    main()
