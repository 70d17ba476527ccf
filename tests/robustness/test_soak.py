"""The soak test's short form, and that it sees what is left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from common import run_python

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="what is in use is read from Linux's /proc"
)

SUPPORT = str(Path(__file__).parents[1] / "support")
# In a process of its own, so that nothing but the soak is watched; the second time nothing is new.
START = "import soak; soak.soak(0, 60); before = soak.use()\n"
END = "soak.soak(0, 60); print(soak.growth(before, soak.use()) or 'nothing has grown')"


def run(planted: str = "") -> str:
    path = f"import sys; sys.path.insert(0, {SUPPORT!r})\n"
    return run_python(f"{path}{START}{planted}\n{END}")


def test_nothing_grows() -> None:
    assert run() == "nothing has grown"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("planted", "what"),
    [
        ("soak._native.owner.Address.__del__ = lambda address: None", "memory"),
        # The threads write to what the address keeps.
        (
            "kept = []; soak._native.owner.Address.__del__ = lambda a: kept.append(a)",
            "threads",
        ),
        ("kept = []; soak.gc.collect = lambda: kept.append(open('/dev/null'))", "open files"),
    ],
)
def test_a_planted_leak_is_seen(planted: str, what: str) -> None:
    assert what in run(planted)
