"""The benchmark of the adapters runs; no time is looked at."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from integrations.running import run

pytest.importorskip("ale_py", reason="the benchmark compares with ale-py")
pytest.importorskip("torch", reason="the benchmark's network is one of PyTorch")

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "integrations.py"


def test_benchmark() -> None:
    printed = run(str(BENCHMARK), "--quick", "--num-envs", "2")
    assert "| EnvPool's interface | " in printed
    for title in ("Stable-Baselines3", "TorchRL", "PufferLib", "RLlib", "EnvPool's interface, dm"):
        assert re.search(rf"^(\| {title}.* \||{title}.* is not measured)", printed, re.MULTILINE)
