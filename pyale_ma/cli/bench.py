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

import pyale_ma.single
from pyale_ma import roms
from pyale_ma.cli.common import Commands
from pyale_ma.registration import register_ale_ids

Work = Callable[[], object]


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    text = "measure the speed, beside that of ale-py where it is installed"
    parser = commands.add_parser("bench", help=text, description=text.capitalize() + ".")
    parser.add_argument("game", nargs="*", default=["breakout", "pong", "seaquest"])
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="for each measurement, default: 0.5"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Print a table: times per second, and how many times as often as ale-py."""
    if not arguments.seconds > 0:
        raise ValueError("--seconds must be above 0")
    files = {game: str(roms.find_rom(game)) for game in map(roms.known_game, arguments.game)}
    ale_py = _ale_py()
    print(
        f"{'game':<18}{'what':<22}{'pyale_ma /s':>12}"
        + f"{'ale-py /s':>12}{'ratio':>8}" * bool(ale_py)
    )
    for game, file in files.items():
        ours = _works(pyale_ma.single, game, file)
        theirs = _works(ale_py, game, file) if ale_py else {}
        for what, work in ours.items():
            # In turns, so that a busy machine is unfair to neither.
            works = [work, theirs[what]] if theirs else [work]
            rates = [
                max(rate[i] for rate in _measure(works, arguments.seconds))
                for i in range(len(works))
            ]
            line = f"{game:<18}{what:<22}{rates[0]:>12,.0f}"
            if theirs:
                line += f"{rates[1]:>12,.0f}{rates[0] / rates[1]:>7.1f}x"
            print(line, flush=True)


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


def _works(package: Any, game: str, file: str) -> dict[str, Work]:
    """What is measured, by name."""

    def console() -> Any:
        ale = package.ALEInterface()
        ale.setInt("random_seed", 0)
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

    return {
        "act": act(look=False),
        "act, getScreenRGB": act(look=True),
        "clone, restore": clone_and_restore(),
        "AtariEnv.step": step(),
    }
