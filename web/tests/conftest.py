"""The page in a headless Chromium."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import Browser, chromium, serve


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is served, built from the sources as they are now."""
    folder = tmp_path_factory.mktemp("page")
    subprocess.run([Path(__file__).parents[1] / "build", folder], check=True)
    with serve(folder) as address:
        yield address


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
