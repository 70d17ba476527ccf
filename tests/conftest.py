"""Configuration of all tests: the `slow` marker and where ROM images come from.

pytest                           the quick tests
pytest -m slow                   the slow ones
pytest -m "slow or not slow"     all

All cores share the work where pytest-xdist is installed; pytest -n 0 runs in one process.
Hypothesis draws the same examples in every run, so that a failure tells of a change;
--hypothesis-profile=others draws others each time.

--random-order-seed=NUMBER shuffles the tests: none may need another before it.
--part=2/5 runs the third of five parts of the tests.
--times=FILE writes the processor time of the 100 longest.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import sysconfig
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# `python -m pytest` puts the clone first, whose sources would hide the installed package.  Behind
# the standard library, an editable install has put it.
CLONE = Path(__file__).parents[1]
library = sys.path.index(sysconfig.get_path("stdlib"))
sys.path[:library] = [path for path in sys.path[:library] if Path(path or ".").resolve() != CLONE]

import pyale_ma  # noqa: E402
from interrupts import hear_interrupts  # noqa: E402 (it imports the package, too)
from pyale_ma._native.library import library_path  # noqa: E402

settings.register_profile("same", derandomize=True)
settings.register_profile("others", derandomize=False)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--random-order-seed", type=int, metavar="NUMBER", help="shuffle the tests")
    parser.addoption("--part", metavar="PART/PARTS", help="run a part of the tests, from 0 on")
    parser.addoption("--times", metavar="FILE", help="write how long the longest tests took")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run on all cores unless -n or --pdb says otherwise."""
    option = config.option
    unsaid = getattr(option, "numprocesses", 0) is None and not option.usepdb
    if unsaid and "PYTEST_XDIST_WORKER" not in os.environ:
        option.numprocesses = os.cpu_count()
        option.dist = "worksteal"


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        refuse_old_package()
    hear_interrupts()
    if config.option.times:
        config.pluginmanager.register(Times(config))
    config.addinivalue_line("markers", "slow: minutes; runs only when asked for with -m")
    # Generated images have none that anybody knows.
    config.addinivalue_line("filterwarnings", "ignore:.* has an unknown MD5:UserWarning")


def refuse_old_package() -> None:
    """Say so if what the tests would import is older than the clone.

    Raises:
        pytest.UsageError: It is.
    """
    sources, package = CLONE / "pyale_ma", Path(pyale_ma.__file__).parent
    changed = []
    if package != sources:
        for path in sources.rglob("*.py"):
            other = package / path.relative_to(sources)
            if not other.is_file() or other.read_bytes() != path.read_bytes():
                changed.append(path)
    if "PYALE_MA_LIBRARY" not in os.environ:
        built = Path(library_path()).stat().st_mtime
        changed += [
            path
            for path in CLONE.glob("libale/*/**/*.[chi]*")
            if path.stat().st_mtime > built and path.parts[-2] not in ("tests", "fuzz")
        ]
    if changed:
        raise pytest.UsageError(
            f"the installed pyale_ma ({package}) is older than {changed[0].relative_to(CLONE)} "
            "of this clone; install it again: pip install --no-deps -e ."
        )


def processor_time() -> float:
    """Return the seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


class Times:
    """How long the longest tests took: seconds of a processor, with the tests' children."""

    def __init__(self, config: pytest.Config) -> None:
        self.file = Path(config.option.times)
        self.is_worker = hasattr(config, "workerinput")
        self.began = 0.0
        self.spent: dict[str, float] = {}

    def pytest_runtest_logstart(self) -> None:
        self.began = processor_time()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "teardown":
            report.user_properties.append(("spent", processor_time() - self.began))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties if report.when == "teardown" else ():
            if name == "spent":
                self.spent[report.nodeid] = float(value)  # type: ignore[arg-type]

    def pytest_sessionfinish(self) -> None:
        if not self.is_worker:
            longest = sorted(self.spent.items(), key=lambda each: -each[1])[:100]
            lines = [f"{seconds:8.1f} {name}\n" for name, seconds in longest]
            self.file.write_text("".join(lines), encoding="utf-8")


@pytest.hookimpl(trylast=True)  # after -m and -k
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the slow tests out unless the -m expression speaks of them; take a part; shuffle."""
    chosen = items[:]
    if "slow" not in config.option.markexpr:
        chosen = [item for item in chosen if not item.get_closest_marker("slow")]
    seed = config.option.random_order_seed
    if config.option.part or seed is not None:
        chosen.sort(key=lambda item: item.nodeid)  # the same order from the same seed everywhere
    if config.option.part:
        # Every so many-th of each test's cases, which take about the same time.
        part, parts = map(int, config.option.part.split("/"))
        chosen = chosen[part::parts]
    if seed is not None:
        random.Random(seed).shuffle(chosen)
    left = set(items).difference(chosen)
    if left:
        config.hook.pytest_deselected(items=list(left))
    items[:] = chosen


def pytest_collection_finish() -> None:
    """Spare the garbage collector the million objects of tests and packages, which stay anyway."""
    gc.collect()
    gc.freeze()
