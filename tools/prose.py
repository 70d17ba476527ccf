"""Check how docstrings begin and how long the sentences of guides are.

    python tools/prose.py

The first line of a docstring is an imperative or a noun phrase: it does not begin with "What" or
"How".  A sentence of a guide (docs/*.md) has at most 35 words, also in a table.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs" / "tools"))

from sentences import sentences, words  # noqa: E402

CODE = ".ci benchmarks docs examples league libale pyale_ma tests tools web".split()
MOST_WORDS = 35

_Documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstrings(path: Path) -> Iterator[str]:
    """Yield a message for each docstring of a module that begins with "What" or "How"."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        text = ast.get_docstring(node) if isinstance(node, _Documented) else None
        if text and text.split(maxsplit=1)[0] in ("What", "How"):
            first = text.splitlines()[0]
            yield f"{node.body[0].lineno}: begin with an imperative or a noun phrase: {first}"


def long_sentences(path: Path) -> Iterator[str]:
    """Yield a message for each sentence of a page that has too many words."""
    prose, cells = sentences(path.read_text(encoding="utf-8"))
    for sentence in prose + cells:
        if (count := words(sentence)) > MOST_WORDS:
            yield f" {count} words, at most {MOST_WORDS}; split this sentence: {sentence}"


def main() -> None:
    """Print what has to be rewritten, and exit with 1 if there is anything."""
    modules = (path for name in CODE for path in sorted((ROOT / name).rglob("*.py")))
    checked = [(path, docstrings) for path in modules]
    checked += [(path, long_sentences) for path in sorted((ROOT / "docs").glob("*.md"))]
    failed = False
    for path, check in checked:
        for message in check(path):
            failed = True
            print(f"{path.relative_to(ROOT).as_posix()}:{message}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
