"""Examples in docstrings run."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import pyale_ma
from common import rom_path, start_python

PACKAGE = Path(pyale_ma.__file__).parent
# What examples import that needs a package of others.
NEEDY = r"from (pyale_ma\.distributed|pyale_ma\.integrations(?:\.| import )\w+)"


def examples() -> Iterator[Any]:
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                text = ast.get_docstring(node) or ""
                for block in re.findall(r"Examples:\n +```python\n(.*?)```", text, re.DOTALL):
                    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
                    yield pytest.param(inspect.cleandoc(block), id=f"{module}.{node.name}")


@pytest.mark.parametrize("code", list(examples()))
def test_example(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for game in re.findall(r'"(pong|breakout)"', code):
        rom_path(game)
    for module in re.findall(NEEDY, code):
        try:
            importlib.import_module(module.replace(" import ", "."))
        except gymnasium.error.DependencyNotInstalled as missing:
            pytest.skip(str(missing))
    if re.search(r"pyale_ma\.(install|register)_", code):  # which lasts as long as the process
        done = start_python("-c", code)
        assert done.returncode == 0, done.stderr
    else:
        exec(compile(code, "example", "exec"), {"__name__": "__main__"})
