"""What all tests share: the `slow` marker and where ROM images come from.

pytest                           the quick tests
pytest -m slow                   the slow ones
pytest -m "slow or not slow"     all

All cores share the work where pytest-xdist is installed; pytest -n 0 runs in one process.
Hypothesis draws the same examples in every run, so that a failure tells of a change;
--hypothesis-profile=others draws others each time.
"""

from __future__ import annotations

import gc
import os
import signal

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.register_profile("others", derandomize=False)
settings.load_profile("same")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run on all cores unless -n or --pdb says otherwise."""
    option = config.option
    unsaid = getattr(option, "numprocesses", 0) is None and not option.usepdb
    if unsaid and "PYTEST_XDIST_WORKER" not in os.environ:
        option.numprocesses = os.cpu_count()
        option.dist = "worksteal"


def pytest_configure(config: pytest.Config) -> None:
    # Started in the background by a shell, Python leaves Ctrl-C ignored, which tests send.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "slow: minutes; runs only when asked for with -m")
    # Generated images have none that anybody knows.
    config.addinivalue_line("filterwarnings", "ignore:.* has an unknown MD5:UserWarning")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the slow tests out unless the -m expression speaks of them."""
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
