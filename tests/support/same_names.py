"""Compares the public names of two packages, as `public_names.py` lists them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from common import start_python

PROGRAM = Path(__file__).with_name("public_names.py")


def names(imports: str, expressions: list[str]) -> dict[str, Any]:
    """Return the output of `public_names.py`."""
    done = start_python(str(PROGRAM), imports, *expressions)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def accepts(ours: list[list[str]], theirs: list[list[str]]) -> bool:
    """Whether each call that one signature allows is allowed by another, and means the same."""
    rest = [*ours]
    for place, (name, kind, default) in enumerate(theirs):
        if kind == "KEYWORD_ONLY":
            same = next((each for each in rest if each[0] == name), None)
        elif kind.startswith("VAR"):
            same = next((each for each in rest if each[1] == kind), None)
        else:
            same = ours[place] if place < len(ours) and ours[place][1] != "KEYWORD_ONLY" else None
            if same and same[0] != name and kind == "POSITIONAL_OR_KEYWORD":
                return False
        if same is None or (default and same[2] != default):
            return False
        rest.remove(same)
    return all(default or kind.startswith("VAR") for _, kind, default in rest)


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Return the names that programs would miss, or call in vain."""
    found = []
    for name, ways in theirs.items():
        if name not in ours:
            found.append(name)
            continue
        for way in ways:
            if ours[name] and not any(accepts(own, way) for own in ours[name]):
                found.append(f"{name}({', '.join(argument for argument, *_ in way)})")
    return found


def compare(ours: dict[str, Any], theirs: dict[str, Any], allowed: dict[str, str]) -> None:
    """Fail if ours lacks anything but what is allowed, for a reason, or lacks no more."""
    found = differences(ours, theirs)
    unknown = [each for each in found if not any(re.fullmatch(known, each) for known in allowed)]
    assert not unknown
    for known in allowed:
        assert any(re.fullmatch(known, each) for each in found), (
            f"{known} is no difference any more"
        )
