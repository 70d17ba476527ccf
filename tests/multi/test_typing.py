"""What editors and type checkers see of the environments for several agents."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pyale_ma import multi

PROGRAM = """
from pyale_ma import multi
from pyale_ma.multi import pong_v3

reveal_type(multi.warlords_v3.parallel_env(seed=1))
reveal_type(pong_v3.parallel_env(num_players=4))
pong_v3.env()
multi.pong_v3.env()
multi.pung_v3
"""


def test_dir() -> None:
    assert {*multi.ENVIRONMENTS, *multi.__all__} <= set(dir(multi))


@pytest.mark.slow  # mypy reads NumPy and Gymnasium
def test_modules_have_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", sys.executable]
    result = subprocess.run(
        [*command, file.name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    lines = result.stdout.splitlines()
    assert len(lines) == 4, result.stdout
    for line in lines[:2]:
        assert line.endswith('Revealed type is "pyale_ma.multi.base.ParallelAtariEnv"')
    assert 'has no attribute "pung_v3"' in lines[2]
