"""Runs examples, of which those that learn print returns before and after."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples" / "integrations"


def run(*arguments: str, timeout: float = 500) -> str:
    """Return the output of an example; its first argument is its file."""
    name, *options = arguments
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *options],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def returns(*arguments: str) -> tuple[float, float]:
    """The returns before and after an example learned."""
    printed = run(*arguments)
    before, after = (
        float(re.findall(rf"return {when} (\S+)", printed)[-1]) for when in ("before", "after")
    )
    return before, after
