"""The page of ``pyale-ma web``, as it is installed, in a headless Chromium."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import Browser, chromium
from interrupts import hear_interrupts
from pyale_ma.cli import page_server


def pytest_configure() -> None:
    hear_interrupts()


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder of the page, as it is installed."""
    return page_server.page_folder()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the page is."""
    command = [sys.executable, "-m", "pyale_ma", "web", "--no-open"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        found = re.match(r"Play at (http://127\.0\.0\.1:\d+/)\?", server.stdout.readline())
        assert found, "the package is to be installed with its player: pip install ."
        yield found[1]
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=120) == 0
    finally:
        server.kill()
        server.wait()


@pytest.fixture(scope="session")
def _browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(_browser: Browser, address: str) -> Iterator[Browser]:
    """The page, just loaded, with the seed 7; what its console complains of fails the test."""
    _browser.size(1280, 900)
    _browser.post("url", url=address + "?seed=7")
    _browser.run("localStorage.clear()")
    _browser.post("refresh")
    _browser.wait("return !!window.player")
    yield _browser
    assert _browser.complaints() == []
