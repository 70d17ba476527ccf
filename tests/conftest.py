"""Configuration of all tests: the `slow` marker and where ROM images come from.

pytest                           the quick tests
pytest -m slow                   the slow ones
pytest -m "slow or not slow"     all

All cores share the work where pytest-xdist is installed; pytest -n 0 runs in one process.
Hypothesis draws the same examples in every run, so that a failure tells of a change;
--hypothesis-profile=others draws others each time.

--random-order-seed=NUMBER shuffles the tests: none may need another before it.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import sysconfig
from pathlib import Path

import pytest
from hypothesis import settings

# `python -m pytest` puts the clone first, whose sources would hide the installed package.  Behind
# the standard library, an editable install has put it.
CLONE = Path(__file__).parents[1]
library = sys.path.index(sysconfig.get_path("stdlib"))
sys.path[:library] = [path for path in sys.path[:library] if Path(path or ".").resolve() != CLONE]

from interrupts import hear_interrupts  # noqa: E402 (it imports the package, too)

settings.register_profile("same", derandomize=True)
settings.register_profile("others", derandomize=False)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--random-order-seed", type=int, metavar="NUMBER", help="shuffle the tests")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run on all cores unless -n or --pdb says otherwise."""
    option = config.option
    unsaid = getattr(option, "numprocesses", 0) is None and not option.usepdb
    if unsaid and "PYTEST_XDIST_WORKER" not in os.environ:
        option.numprocesses = os.cpu_count()
        option.dist = "worksteal"


def pytest_configure(config: pytest.Config) -> None:
    hear_interrupts()
    config.addinivalue_line("markers", "slow: minutes; runs only when asked for with -m")
    # Generated images have none that anybody knows.
    config.addinivalue_line("filterwarnings", "ignore:.* has an unknown MD5:UserWarning")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle if asked to; leave the slow tests out unless the -m expression speaks of them."""
    seed = config.getoption("random_order_seed")
    if seed is not None:
        items.sort(key=lambda item: item.nodeid)  # the same order from the same seed everywhere
        random.Random(seed).shuffle(items)
    if "slow" in config.option.markexpr:
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_collection_finish() -> None:
    """Spare the garbage collector the million objects of tests and packages, which stay anyway."""
    gc.collect()
    gc.freeze()
