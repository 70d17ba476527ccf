"""One environment on one core: ours against ale-py in the same run.

python benchmarks/single.py [act] [screen] [env] [states] [memory] [--games pong ...] [--record]

act      ALEInterface.act in a loop, resets included
screen   the same, and the RGB screen after every act
env      AtariEnv.step through no wrapper, RGB observations, frame skip 4
states   cloneState and restoreState
memory   KiB of one more environment of ours, and of ale-py's

--record writes results.json, which the documents take their figures from.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ale_py
import numpy as np
from timing import GAMES, Work, add_record_option, compare, progress, record

import pyale_ma.single

MODULES: tuple[Any, Any] = (ale_py, pyale_ma.single)
ENVIRONMENTS = 200  # for the memory of one


def load(module: Any, game: str) -> Any:
    module.ALEInterface.setLoggerMode(module.LoggerMode.Error)
    interface = module.ALEInterface()
    interface.setInt("random_seed", 1)
    interface.loadROM(ale_py.roms.get_rom_path(game))
    return interface


def act(game: str) -> list[Work]:
    return [_acting(load(module, game), screen=False) for module in MODULES]


def screen(game: str) -> list[Work]:
    return [_acting(load(module, game), screen=True) for module in MODULES]


def _acting(interface: Any, *, screen: bool) -> Work:
    actions = interface.getMinimalActionSet()
    cycle = [actions[i * 7 % len(actions)] for i in range(len(actions))]
    pixels = np.zeros((*interface.getScreenDims(), 3), np.uint8)

    def work(count: int) -> None:
        for i in range(count):
            interface.act(cycle[i % len(cycle)])
            if screen:
                interface.getScreenRGB(pixels)
            if interface.game_over():
                interface.reset_game()

    return work


def env(game: str) -> list[Work]:
    return [_stepping(module.AtariEnv(game)) for module in MODULES]


def _stepping(environment: Any) -> Work:
    actions = environment.action_space.n
    environment.reset(seed=1)

    def work(count: int) -> None:
        for i in range(count):
            _, _, terminated, truncated, _ = environment.step(i * 7 % actions)
            if terminated or truncated:
                environment.reset()

    return work


def states(game: str) -> list[Work]:
    return [_returning(load(module, game)) for module in MODULES]


def _returning(interface: Any) -> Work:
    for _ in range(100):
        interface.act(0)

    def work(count: int) -> None:
        for _ in range(count):
            interface.restoreState(interface.cloneState())

    return work


def resident_bytes() -> int:
    """This process's resident set (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def memory() -> dict[str, float]:
    """KiB by which the resident set grows with an environment that has played a little."""
    grown = {}
    kept: list[Any] = []
    for name, module in zip(("pyale_ma", "ale-py"), reversed(MODULES), strict=True):
        kept.append(load(module, "pong"))
        gc.collect()
        before = resident_bytes()
        for done in range(ENVIRONMENTS):
            progress(done, ENVIRONMENTS, name)
            kept.append(load(module, "pong"))
            for _ in range(20):
                kept[-1].act(0)
            kept[-1].getScreen()
        gc.collect()
        progress(1, 1, "")
        grown[name] = (resident_bytes() - before) / ENVIRONMENTS / 1024
    return grown


BENCHMARKS: dict[str, tuple[str, Callable[[str], list[Work]]]] = {
    "act": ("act()", act),
    "screen": ("act() + getScreenRGB(buffer)", screen),
    "env": ("AtariEnv.step()", env),
    "states": ("cloneState() + restoreState()", states),
}


def main() -> None:
    names = [*BENCHMARKS, "memory"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="*", metavar="what", help=f"some of {', '.join(names)}; all")
    parser.add_argument("--games", nargs="+", default=GAMES)
    add_record_option(parser)
    arguments = parser.parse_args()
    unknown = set(arguments.what) - set(names)
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    for name in arguments.what or names:
        command = f"single.py {name}"
        if name == "memory":
            grown = memory()
            print("memory of one environment")
            for side, kib in grown.items():
                print(f"{side:8} {kib:8.1f} KiB")
            if arguments.record:
                record(arguments.record, name, command, "KiB of an environment", {"pong": grown})
        else:
            title, sides_of = BENCHMARKS[name]
            table = compare(title, sides_of, arguments.games)
            print(table, end="\n\n")
            if arguments.record:
                table.record(arguments.record, name, command)


if __name__ == "__main__":
    main()
