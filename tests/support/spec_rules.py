"""The rules of the specification, and RAM that knows what they read."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "docs" / "spec" / "games"))

rules: Any = importlib.import_module("rules")
multiplayer: Any = importlib.import_module("rules_multiplayer")


class Watched(list[int]):
    """RAM that knows which bytes were looked at."""

    seen: set[int]

    def __getitem__(self, index: Any) -> Any:
        self.seen.update(range(len(self))[index] if isinstance(index, slice) else [index])
        return super().__getitem__(index)
