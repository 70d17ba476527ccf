"""Where Quartet keeps what: the table of docs/quartet.md, for the tests."""

from __future__ import annotations

import re
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "quartet.md"


def places() -> dict[str, range]:
    """The bytes of RAM by their names in the program, as the guide has them."""
    rows = re.findall(r"^\| (\d+)(?:-(\d+))? \| `(\w+)` \|", GUIDE.read_text("utf-8"), re.MULTILINE)
    return {name: range(int(first), int(last or first) + 1) for first, last, name in rows}


RAM = places()
