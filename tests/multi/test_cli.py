"""The command line with several players."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from pyale_ma.cli import main


def test_demo_is_quartet_with_four(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "film.gif"
    assert main(["demo", "--frames", "300", "-o", str(file)]) == 0
    out = capsys.readouterr().out
    rewards = {line.split()[0]: int(line.split()[1]) for line in out.splitlines()[1:5]}
    assert list(rewards) == ["first_0", "second_0", "third_0", "fourth_0"]
    assert min(rewards.values()) < 0  # who plays at random loses lives
    with Image.open(file) as film:
        assert film.size == (320, 210)
        assert film.n_frames > 1
