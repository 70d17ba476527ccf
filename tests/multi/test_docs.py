"""docs/environments is what its generator writes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from common import module_at, rom_path
from multi.reference import GAMES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def generator() -> Any:
    for game in GAMES:
        rom_path(game)
    return module_at(DOCS / "tools" / "generate_environments.py")


def test_pages(generator: Any) -> None:
    for file, text in generator.pages().items():
        written = (DOCS / "environments" / file).read_text(encoding="utf-8")
        assert written == text, f"run python docs/tools/generate.py: {file} has changed"


def test_no_other_files(generator: Any) -> None:
    names = {file.name for file in (DOCS / "environments").iterdir()}
    pages = set(generator.pages())
    pictures = {page.replace(".md", ".png") for page in pages - {"README.md"}}
    assert names == pages | pictures | {"films"}


def test_every_environment_has_a_film(generator: Any) -> None:
    pages = generator.pages()
    del pages["README.md"]
    shown = {file: re.findall(r'"films/(.+?)"', text) for file, text in pages.items()}
    assert all(shown.values())
    files = list((DOCS / "environments" / "films").iterdir())
    assert {file.name for file in files} == {name for names in shown.values() for name in names}
    for file in files:
        assert file.stat().st_size < 150_000
        with Image.open(file) as film:
            assert getattr(film, "n_frames", 1) > 1


def test_pictures(generator: Any) -> None:
    files = list((DOCS / "environments").glob("*.png"))
    assert sum(file.stat().st_size for file in files) < 2_000_000
    for file in files:
        with Image.open(file) as picture:
            assert picture.width == 320
            assert len(picture.convert("RGB").getcolors() or []) > 2, file.name
