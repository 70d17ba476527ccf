"""``pyale-ma bench``: how fast, alone and beside ale-py."""

from __future__ import annotations

import argparse
import importlib
import itertools
import time
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

import pyale_ma.single
from pyale_ma._base.terminal import print_json, print_table, progress
from pyale_ma.cli import machine
from pyale_ma.cli.common import Commands, add_command, positive
from pyale_ma.games import cards, rom_files
from pyale_ma.games.environments import game_named
from pyale_ma.registration import register_ale_ids

Work = Callable[[], object]
WHAT = ("act", "act, getScreenRGB", "clone, restore", "AtariEnv.step")


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "bench",
        "measure the speed of pyale_ma, and of ale-py if it is installed",
        example="bench pong --seconds 2",
    )
    parser.add_argument(
        "game",
        nargs="*",
        default=["breakout", "pong", "seaquest"],
        help="games; an environment such as pong_v3 means its game; default: breakout, pong, "
        "seaquest",
    )
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="duration of each measurement; default: 0.5"
    )
    parser.add_argument(
        "--envs",
        type=positive,
        metavar="N",
        help="also measure steps of vectors of N environments; a step of all counts once",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Print a table: times per second, and how many times as often as ale-py."""
    if not 0 < arguments.seconds < 3600:
        raise ValueError(f"--seconds is {arguments.seconds:g}, which is not between 0 and 3600")
    named = {name: rom_files.game_of(game_named(name)) for name in arguments.game}
    files = {cards.place_of(game): str(rom_files.find_rom(name)) for name, game in named.items()}
    ale_py = _ale_py()
    results = _measure_all(files, ale_py, arguments.seconds, arguments.envs)
    about = machine.describe()
    if arguments.json:
        print_json({"machine": about, "seconds": arguments.seconds, "results": results})
        return
    print_table(("", ""), [(name, str(value or "-")) for name, value in about.items()])
    print()
    columns = ["game", "what", "pyale_ma /s", *(["ale-py /s", "ratio"] if ale_py else [])]
    print_table(
        columns,
        [
            (
                str(result["game"]),
                str(result["what"]),
                f"{result['pyale_ma']:,.0f}",
                *(_beside(result) if ale_py else ()),
            )
            for result in results
        ],
        right=columns[2:],
    )


def _beside(result: dict[str, str | float | None]) -> tuple[str, str]:
    """Return the table's cells about ale-py."""
    if result["ale_py"] is None:
        return "-", "-"
    return f"{result['ale_py']:,.0f}", f"{result['ratio']:.1f}x"


def _measure_all(
    files: dict[str, str], ale_py: ModuleType | None, seconds: float, num_envs: int | None
) -> list[dict[str, str | float | None]]:
    """Measure all operations, in times per second."""
    results: list[dict[str, str | float | None]] = []
    count = len(files) * (len(WHAT) + (num_envs is not None))
    with progress(count, "measurements") as show:
        for game, file in files.items():
            ours = _works(pyale_ma.single, game, file, num_envs)
            has_it = not cards.is_card(game) and game not in rom_files.SHIPPED
            theirs = _works(ale_py, game, file, num_envs) if ale_py and has_it else {}
            for what in ours:
                show(len(results), f"{game}: {what}")
                # In turns, so that a busy machine is unfair to neither.
                works = [works[what] for works in (ours, theirs) if what in works]
                rates = [max(rates) for rates in zip(*_measure(works, seconds), strict=True)]
                results.append(
                    {
                        "game": game,
                        "what": what,
                        "pyale_ma": rates[0],
                        "ale_py": rates[1] if rates[1:] else None,
                        "ratio": rates[0] / rates[1] if rates[1:] else None,
                    }
                )
        show(len(results), "")
    return results


def _ale_py() -> ModuleType | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = importlib.import_module("ale_py")
    except ImportError:
        return None
    register_ale_ids()  # it has just taken them
    module.ALEInterface.setLoggerMode(module.LoggerMode.Error)
    return module


def _measure(works: list[Work], seconds: float) -> list[list[float]]:
    """Times per second of each, three times over."""
    return [[_rate(work, seconds / 3) for work in works] for _ in range(3)]


def _rate(work: Work, seconds: float) -> float:
    count, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        for _ in range(20):
            work()
        count += 20
    return count / passed


def _works(package: Any, game: str, file: str, num_envs: int | None) -> dict[str, Work]:
    """Return the operations to measure, by name."""

    def console() -> Any:
        ale = package.ALEInterface()
        ale.setInt("random_seed", 0)
        if cards.is_card(game):
            ale.loadROM(file, game=game)
        else:
            ale.loadROM(file)
        return ale

    def act(look: bool) -> Work:
        ale = console()
        actions = itertools.cycle(a for a in ale.getMinimalActionSet() for _ in range(10))
        screen = ale.getScreenRGB()

        def work() -> None:
            ale.act(next(actions))
            if look:
                ale.getScreenRGB(screen)
            if ale.game_over():
                ale.reset_game()

        return work

    def clone_and_restore() -> Work:
        ale = console()
        return lambda: ale.restoreState(ale.cloneState())

    def step() -> Work:
        env = package.AtariEnv(game)
        env.reset(seed=0)
        actions = itertools.cycle(range(int(env.action_space.n)))

        def work() -> None:
            *_, terminated, truncated, _ = env.step(next(actions))
            if terminated or truncated:
                env.reset()

        return work

    def step_vector(count: int) -> Work:
        envs = package.AtariVectorEnv(game, num_envs=count)
        envs.reset(seed=0)
        actions = itertools.cycle(np.full(count, a) for a in range(int(envs.single_action_space.n)))

        return lambda: envs.step(next(actions))

    works = (act(look=False), act(look=True), clone_and_restore(), step())
    found = dict(zip(WHAT, works, strict=True))
    if num_envs and hasattr(package, "AtariVectorEnv"):
        found[f"AtariVectorEnv.step, {num_envs}"] = step_vector(num_envs)
    return found
