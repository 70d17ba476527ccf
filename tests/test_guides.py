"""The guides' Python runs: each section of them from top to bottom, in one namespace."""

from __future__ import annotations

import ast
import importlib.util
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"
GUIDES = [
    "vector.md",
    "roads.md",
    "integrations.md",
    "evaluation.md",
    "distributed.md",
    "objects.md",
]
OPTIONAL = (
    "dm_env",
    "jax",
    "moviepy",
    "openskill",
    "ray",
    "stable_baselines3",
    "tianshou",
    "torch",
    "torchrl",
)


def sections() -> Iterator[Any]:
    """Guide and section, and its blocks with the lines they are on."""
    for guide in GUIDES:
        text = (DOCS / guide).read_text(encoding="utf-8")
        for part in re.finditer(r"^## (.+?)$(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE):
            blocks = [
                (text.count("\n", 0, part.start(2) + block.start(1)), block[1])
                for block in re.finditer(
                    r"^```python\n(.*?)^```$", part[2], re.DOTALL | re.MULTILINE
                )
            ]
            if blocks:
                yield pytest.param(DOCS / guide, blocks, id=f"{guide}-{part[1]}")


@pytest.mark.parametrize(("guide", "blocks"), list(sections()))
def test_section(
    guide: Path, blocks: list[tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for line, block in blocks:
        absent = [
            name
            for name in OPTIONAL
            if re.search(rf"\b{name}\b", block) and not importlib.util.find_spec(name)
        ]
        if absent:
            pytest.skip(f"line {line + 1} needs {', '.join(absent)}")
        tree = ast.parse(block, str(guide))
        ast.increment_lineno(tree, line)
        with warnings.catch_warnings():
            warnings.filterwarnings("error", module="__main__")  # of what the guide itself does
            exec(compile(tree, str(guide), "exec"), namespace)


@pytest.mark.parametrize("guide", [*GUIDES, "cards.md"])
def test_links(guide: str) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", (DOCS / guide).read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = DOCS / (name or guide)
        assert target.exists(), link
        if anchor:
            titles = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in [
                re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles
            ], link
