"""docs/reliability.md names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8").split("\n## ")[1]
ROWS = [line.split(" | ") for line in TABLE.splitlines() if line.startswith("| ")][2:]


@pytest.mark.parametrize(("promise", "tests"), ROWS)
def test_what_holds_a_promise_exists(promise: str, tests: str) -> None:
    assert promise
    source = ""
    for name in re.findall(r"`([^`]+)`", tests):
        if "/" in name:
            source = (ROOT / name).read_text(encoding="utf-8")
        else:
            assert re.search(rf"^(def|(static )?void) {name}\(", source, re.MULTILINE), name
    assert source
