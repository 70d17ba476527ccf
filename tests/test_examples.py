"""The examples run; the C one is compiled and run by .ci/run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_ppo_pong(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the example learns with PyTorch")
    pytest.importorskip("matplotlib", reason="the example draws its curve with matplotlib")
    curve = tmp_path / "curve.png"
    options = ["--envs", "8", "--rollout", "32", "--steps", "1024", "-o", str(curve)]
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "ppo_pong.py"), *options],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    losses = [float(loss) for loss in re.findall(r"loss +(\S+)", done.stdout)]
    assert len(losses) == 2  # of the first and the last update
    assert all(-10 < loss < 10 for loss in losses)
    assert curve.stat().st_size > 1000
