"""docs/environments is what its generator writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from common import module_at, rom_path
from multi.reference import GAMES
from pyale_ma import opponents

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
    films = {file.stem for file in (DOCS / "environments" / "films").iterdir()}
    assert films == {
        opponents.Contest(it.game, it.players, it.mode).stem for it in opponents.available()
    }


def test_pictures(generator: Any) -> None:
    files = list((DOCS / "environments").glob("*.png"))
    assert sum(file.stat().st_size for file in files) < 2_000_000
    for file in files:
        with Image.open(file) as picture:
            assert picture.width == 320
            assert len(picture.convert("RGB").getcolors() or []) > 2, file.name
