"""From play to a policy: a scripted player is recorded, and an example learns from it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from common import module_at
from integrations.running import run
from pyale_ma.recording import Console, Recording, record
from quartet_ram import RAM
from recording.playing import play_frames, recorded, small_single, solo_console

EXAMPLE = Path(__file__).parents[2] / "examples" / "behaviour_cloning.py"
RIGHT, LEFT = 3, 4  # up and down, for the player on the left


def follow_the_ball(played: Console, frames: int, seed: int) -> None:
    """As a person does, with a hand that often rests."""
    env, random = played.env, np.random.default_rng(seed)
    ball, paddle = RAM["BALL"][1], RAM["PADDLE"][0]
    env.reset()
    for _ in range(frames):
        off = int(env.ram[ball]) + 2 - (int(env.ram[paddle]) + 12)
        env.actions[0] = 0 if abs(off) < 4 or random.random() < 0.2 else LEFT if off > 0 else RIGHT
        env.act()
        if env.report.terminated:
            env.reset()


@pytest.mark.slow
def test_a_policy_is_cloned_from_recordings(tmp_path: Path) -> None:
    """Three minutes of play, after which the network loses by less than random play does."""
    pytest.importorskip("torch", reason="the example learns with PyTorch")
    files = []
    for seed in range(3):
        files.append(tmp_path / f"{seed}.zip")
        played = solo_console(random_seed=seed)
        played.env.set_mode(1)  # duel
        with record(played, files[-1]):
            follow_the_ball(played, 60 * 60, seed)
        assert len(Recording.open(files[-1])) == 3600
    clone = tmp_path / "clone.pt"
    options = ["--epochs", "12", "--games", "3", "-o", str(clone)]
    printed = run(str(EXAMPLE), *map(str, files), *options, timeout=300)
    assert printed.count("verified, 3600 steps") == 3
    foretold, usual = map(int, re.findall(r"(\d+)%", printed))
    assert foretold > usual
    means = dict(re.findall(r"^\| (clone|random) .* (-?\d+\.\d+) ± \S+ \|$", printed, re.MULTILINE))
    assert float(means["clone"]) > float(means["random"]) + 4
    assert clone.stat().st_size > 1000


def test_what_cannot_be_learned_from(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the example learns with PyTorch")
    example = module_at(EXAMPLE)
    first, other, agent = (tmp_path / f"{name}.zip" for name in ("first", "other", "agent"))
    for path, mode in ((first, 1), (other, 3)):
        played = solo_console()
        played.env.set_mode(mode)
        recorded(path, played, play_frames, 20)
    small_single(agent, 20)
    assert len(example.checked([first, first])) == 2
    with pytest.raises(ValueError, match=r"other\.zip.*\('quartet', 0, 3, 0\).*first"):
        example.checked([first, other])
    with pytest.raises(ValueError, match=r"agent\.zip.*person.*alone"):
        example.checked([agent])
