"""Makes, plays, saves, restores and drops environments of all kinds; watches what is left behind.

    python tests/support/soak.py --minutes 60

Games, modes, players and actions are random, by a seed.  Memory, threads and open files must stay
what they were after the first rounds; the last line says so, and the exit status.  Linux only.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import random
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pyale_ma import _native, multi, roms
from pyale_ma._native import Rules
from pyale_ma.single import ALEInterface, ALEState, AtariEnv
from pyale_ma.vector import AtariVectorEnv

MOST_GROWTH = 6.0  # MiB, which the allocators may keep for themselves
_TASKS = Path("/proc/self/task")
_EXITING = 4  # Linux's PF_EXITING


class Use(NamedTuple):
    """Resources of the machine that this process uses."""

    memory: float  # MiB
    threads: int
    files: int


def use() -> Use:
    """Return the resources in use after everything unused was given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as stream:
        pages = int(stream.read().split()[1])
    files = len(os.listdir("/proc/self/fd"))
    return Use(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, sum(map(_runs, _TASKS.iterdir())), files)


def _runs(task: Path) -> bool:
    """Whether a thread is not on its way out: who waited for its end may still find it listed."""
    try:
        flags = int((task / "stat").read_text().rpartition(")")[2].split()[6])
    except (FileNotFoundError, ProcessLookupError):
        return False
    return not flags & _EXITING


def growth(before: Use, after: Use) -> str:
    """Describe what has grown; empty if nothing has."""
    grown = []
    if after.memory > before.memory + MOST_GROWTH:
        grown.append(f"memory from {before.memory:.1f} to {after.memory:.1f} MiB")
    if after.threads > before.threads:
        grown.append(f"threads from {before.threads} to {after.threads}")
    if after.files > before.files:
        grown.append(f"open files from {before.files} to {after.files}")
    return ", ".join(grown)


def play_console(chance: random.Random) -> None:
    """A console with one player, its states and its bytes."""
    ale = ALEInterface()
    ale.setInt("random_seed", chance.randrange(2**31))
    ale.setBool("sound_obs", chance.random() < 0.5)
    for game in chance.sample(SOLO, 2):
        ale.loadROM(roms.find_rom(game))
        ale.setMode(chance.choice(ale.getAvailableModes()))
        ale.reset_game()
        states: list[ALEState] = []
        for _ in range(30):
            ale.act(chance.randrange(18))
            ale.getScreenRGB()
            states.append(ale.cloneState(chance.random() < 0.5))
        ale.restoreState(ALEState(chance.choice(states).serialize()))


def play_single(chance: random.Random) -> None:
    """A Gymnasium environment."""
    env: Any = AtariEnv(chance.choice(SOLO), obs_type=chance.choice(["rgb", "grayscale", "ram"]))
    env.reset(seed=chance.randrange(1000))
    for _ in range(15):
        env.step(chance.randrange(env.action_space.n))
    env.restore_state(env.clone_state())


def play_several(chance: random.Random) -> None:
    """A PettingZoo environment."""
    game, players, mode = chance.choice(SEVERAL)
    env = multi.parallel_env(game=game, num_players=players, mode=mode, obs_type="ram")
    env.reset(seed=chance.randrange(1000))
    for _ in range(15):
        if env.agents:
            env.step({agent: env.action_space(agent).sample() for agent in env.agents})
    env.restore_full_state(env.clone_full_state())


def play_vector(chance: random.Random) -> None:
    """A vector of one or several games, closed or merely dropped, with results under way or not."""
    count = chance.randrange(1, 9)
    options: dict[str, Any] = {
        "num_threads": chance.randrange(1, 5),
        "batch_size": chance.choice([0, 0, 1, count]),
        "autoreset_mode": chance.choice(["NextStep", "SameStep"]),
        "obs_type": chance.choice(["grayscale", "rgb", "ram"]),
    }
    if chance.random() < 0.3:
        game, players, mode = chance.choice(SEVERAL)
        env = AtariVectorEnv(game, count, num_players=players, mode=mode, **options)
    else:
        env = AtariVectorEnv(chance.choice(SOLO), count, **options)
    env.reset(seed=chance.randrange(1000))
    for _ in range(8):
        env.step(np.zeros(env.action_space.shape, np.int32))
    env.restore_state(env.save_state())
    if chance.random() < 0.5:
        env.send(np.zeros(env.action_space.shape, np.int32))
    if chance.random() < 0.5:
        env.close()


PLAYS = (play_console, play_single, play_several, play_vector)
SOLO = [name for name, game in _native.games().items() if Rules.SOLO in game.rules]
SEVERAL = [
    (name, players, mode)
    for name, game in _native.games().items()
    if Rules.MULTI in game.rules
    for players in (2, 4)
    for mode in game.modes(Rules.MULTI, players)
]


def soak(seed: int, rounds: int) -> None:
    """Play so many rounds, the same ones for the same seed."""
    chance = random.Random(seed)
    for _ in range(rounds):
        chance.choice(PLAYS)(chance)


def main(arguments: list[str] | None = None) -> int:
    """Soak for minutes; 1 if something has grown."""
    parser = argparse.ArgumentParser(description="Play for long and watch what is left behind.")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    soak(chosen.seed, 300)  # what is kept for ever, such as sums of files, is there after these
    before, start, seed = use(), time.monotonic(), chosen.seed
    minutes = 0.0
    while minutes < chosen.minutes:
        seed += 1
        soak(seed, 100)
        after, minutes = use(), (time.monotonic() - start) / 60
        print(
            f"{100 * (seed - chosen.seed):7} rounds, {minutes:6.1f} minutes: "
            f"{after.memory:.1f} MiB, {after.threads} threads, {after.files} open files",
            flush=True,
        )
    grown = growth(before, after)
    print(f"grown: {grown}" if grown else "nothing has grown")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
