"""The command line with several players."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

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


def test_demo_without_a_game_has_no_modes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--mode", "3"]) == 2
    assert "--mode belong to a game" in capsys.readouterr().err


def test_two_at_one_keyboard(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    from pyale_ma.cli import play
    from pyale_ma.window import Window

    acted = []
    action_of = play.action_of

    def with_keys_held(pygame: Any, _: Any, keys: dict[str, str]) -> int:
        held = {pygame.key.key_code(key) for key in ("up", "space", "s")}
        acted.append(
            action_of(pygame, collections.defaultdict(bool, dict.fromkeys(held, True)), keys)
        )
        return acted[-1]

    monkeypatch.setattr(play, "action_of", with_keys_held)
    monkeypatch.setattr(Window, "show", lambda self, rgb, samples: self.close())
    assert main(["play", "pong", "--players", "2"]) == 0
    assert acted == [10, 5]  # UPFIRE of the first, DOWN of the second
    assert "score 0 : 0" in capsys.readouterr().out
