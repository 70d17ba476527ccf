"""Types of the environments for several agents, as editors and type checkers see them."""

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
env = pong_v3.env()
reveal_type(env)
reveal_type(multi.env(game="pong"))
reveal_type(multi.pong_v3.raw_env())
reveal_type([agent for agent in env.agent_iter()])
reveal_type(env.last()[1:])
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
    assert len(lines) == 9, result.stdout
    told = [line.partition('Revealed type is "')[2].removesuffix('"') for line in lines]
    assert told[:2] == ["pyale_ma.multi.base.ParallelAtariEnv"] * 2
    assert told[2:5] == ["pyale_ma.multi.turns.AECAtariEnv"] * 3
    assert told[5].endswith("list[str]") or told[5].endswith("list[builtins.str]")
    assert "float" in told[6]
    assert "Any" in told[6]  # of the infos alone
    assert 'has no attribute "pung_v3"' in lines[7]


def test_environments_by_turns_are_of_their_type() -> None:
    from pyale_ma.multi.turns import AECAtariEnv

    for make in (multi.quartet_v0.env, multi.quartet_v0.raw_env):
        assert isinstance(make(), AECAtariEnv)
