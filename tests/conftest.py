"""What all tests share: the `slow` marker and where ROM images come from.

pytest                           the quick tests
pytest -m slow                   the slow ones
pytest -m "slow or not slow"     all

All cores share the work; pytest -n 0 runs in one process.
"""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
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
