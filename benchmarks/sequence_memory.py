"""Measure the memory and time of a `SequenceMemory` of 64 environments, on one thread.

Times are of the processor, not of the clock, so that other programs matter less::

    python benchmarks/sequence_memory.py pong seaquest
    python benchmarks/sequence_memory.py --steps 200000 pong
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from pyale_ma.recording import SequenceMemory
from pyale_ma.vector import AtariVectorEnv

ENVS, BATCH, LENGTH = 64, 64, 64
GAMES = (
    *("asteroids", "breakout", "enduro", "montezuma_revenge", "ms_pacman"),
    *("pitfall", "pong", "qbert", "seaquest", "space_invaders"),
)


def play(game: str, steps: int, keep: bool) -> tuple[float, SequenceMemory | None]:
    """Steps per second of random play, and the memory that kept it."""
    envs = AtariVectorEnv(game, ENVS, num_threads=1)
    memory = SequenceMemory(envs, steps, num_threads=1) if keep else None
    rng = np.random.default_rng(0)
    envs.reset(seed=0)
    began = time.process_time()
    for _ in range(steps // ENVS):
        envs.step(rng.integers(envs.num_actions[0], size=ENVS))
    taken = time.process_time() - began
    envs.close()
    return steps / taken, memory


def size_of_a_million(memory: SequenceMemory) -> float:
    """The megabytes of a full memory, by the mean size of the keyframes that this one has."""
    packed = [one for kept in memory._timeline.keyframes for one in kept.values()]
    states = {id(one.base): len(one.base) for one in packed}
    other = sum(states.values()) + sum(len(one.data) + 3 * 48 for one in packed)
    arrays = (memory.nbytes - other - 48 * len(states)) / len(memory)
    # One state of 64 is kept as it is, and the others by what they differ in.
    later = [one for kept in memory._timeline.keyframes for one in list(kept.values())[1:]]
    each = np.mean([len(one.data) + 3 * 48 for one in later])
    return float(arrays + each / 64 + np.mean(list(states.values())) / 64**2)


def main() -> None:
    """Measure each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--steps", type=int, default=100_000, help="steps that are played and kept")
    options = parser.parse_args()
    print("game, MB for 1,000,000 steps, steps played a second, with memory, window steps drawn")
    for game in options.games:
        alone, _ = play(game, options.steps // 4, keep=False)
        kept, memory = play(game, options.steps, keep=True)
        assert memory is not None
        rng, rates = np.random.default_rng(0), []
        out = memory.sample(BATCH, LENGTH, rng, across_episodes=True).observations
        for _ in range(5):
            began = time.process_time()
            memory.sample(BATCH, LENGTH, rng, across_episodes=True, out=out)
            rates.append(BATCH * LENGTH / (time.process_time() - began))
        size = size_of_a_million(memory)
        print(f"{game}, {size:.0f}, {alone:.0f}, {kept:.0f}, {max(rates):.0f}", flush=True)
        memory.close()


if __name__ == "__main__":
    main()
