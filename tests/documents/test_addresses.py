"""A wheel's description has links and pictures that work on PyPI."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from common import module_at

ROOT = Path(__file__).parents[2]
ADDRESS = "https://example.org/someone/pyale_ma"


def test_links_of_a_description() -> None:
    pytest.importorskip("mesonpy", reason="the build backend needs meson-python")
    backend = module_at(ROOT / "tools" / "backend.py")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    text = backend.addressed(f"Metadata-Version: 2.4\nName: pyale_ma\n\n{readme}", ADDRESS)
    head, _, body = text.partition("\n\n")
    assert f"Project-URL: Source, {ADDRESS}" in head
    links = re.findall(r"\]\(([^)]+)\)|src=\"([^\"]+)\"", body)
    assert len(links) > 40
    for link in map("".join, links):
        assert link.startswith("https://"), link
        if link.startswith(ADDRESS):
            path = re.sub(r"/(blob|raw)/main/", "", link.removeprefix(ADDRESS)).partition("#")[0]
            assert (ROOT / path).exists(), link
    assert backend.addressed(text, ADDRESS) == text
