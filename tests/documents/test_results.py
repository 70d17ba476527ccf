"""Figures of speed and memory in the documents are those of benchmarks/results.json."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from common import module_at

ROOT = Path(__file__).parents[2]
FIGURE = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)(x\b|k,| times\b| KiB\b| frames a second\b)")
AGAIN = "run python docs/tools/generate_results.py"


@pytest.fixture(scope="module")
def generator() -> Any:
    return module_at(ROOT / "docs" / "tools" / "generate_results.py")


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_blocks(generator: Any) -> None:
    for path in generator.PAGES:
        assert generator.page(read(path)) == read(path), AGAIN
    assert generator.plot() == read(generator.PLOT), AGAIN


def test_every_figure_was_measured(generator: Any) -> None:
    top = read(ROOT / "CHANGELOG.md").partition("### Changed promises")[0]
    pages = {path.name: read(path) for path in (*generator.PAGES, generator.PLOT)}
    pages |= {"CHANGELOG.md": top, "vector.md": speed_of_vectors()}
    measured = list(generator.numbers())
    found = 0
    for name, text in pages.items():
        for figure, unit in FIGURE.findall(text):
            digits = len(figure.replace(",", "").replace(".", "").strip("0"))
            value = float(figure.replace(",", "")) * (1000 if unit == "k," else 1)
            known = any(
                float(f"{each:.{count}g}") == value for each in measured for count in (digits, 2, 3)
            )
            assert known, f"{name}: {figure} is not in benchmarks/results.json"
            found += 1
    assert found > 50


def speed_of_vectors() -> str:
    return read(ROOT / "docs" / "vector.md").partition("\n## Speed\n")[2].partition("\n## ")[0]


def test_results_say_where_and_when(generator: Any) -> None:
    for section, about in generator.results.items():
        assert re.fullmatch(r"[0-9a-f]{8}", about["commit"]), section
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", about["date"]), section
        assert about["machine"], section
        assert about["python"], section
        assert about["command"].split()[0] in {
            each.name for each in (ROOT / "benchmarks").glob("*.py")
        }
        for label, row in about["rows"].items():
            assert all(figure > 0 for figure in row.values()), (section, label)
