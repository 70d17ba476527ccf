"""docs/command-line.md says what the commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from common import module_at

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


@pytest.fixture(scope="module")
def generator() -> Any:
    return module_at(PAGE.parent / "tools" / "generate_command_line.py")


def test_blocks(generator: Any) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert generator.page(text) == text, "run python docs/tools/generate.py"
