"""Films of recordings: as fast as they were played."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from common import rom_path
from films import seconds
from pyale_ma._native import Rules
from pyale_ma.recording import Console
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv
from recording.playing import console, play_frames, play_one, play_vector, recorded

PAL, NTSC = "adventure", "pong"


def single(game: str) -> AtariEnv:
    rom_path(game)
    return AtariEnv(game, obs_type="ram", frameskip=4)


def frames(game: str) -> Console:
    return console(game, Rules.SOLO, 1)


def vector_of(game: str) -> AtariVectorEnv:
    rom_path(game)
    return AtariVectorEnv(game, 2, img_height=8, img_width=8, stack_num=1, frameskip=1)


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
@pytest.mark.parametrize(
    ("make", "play", "steps"),
    [(single, play_one, 15), (frames, play_frames, 60), (vector_of, play_vector, 60)],
)
@pytest.mark.parametrize(("game", "rate"), [(NTSC, 60), (PAL, 50)])
def test_films_have_the_speed_of_the_console(
    tmp_path: Path,
    suffix: str,
    make: Callable[[str], Any],
    play: Callable[..., Any],
    steps: int,
    game: str,
    rate: int,
) -> None:
    recording = recorded(tmp_path / "a.zip", make(game), play, steps)
    film = recording.film(tmp_path / f"film{suffix}")
    # A GIF has no finer steps than ten milliseconds.
    least, most = (0.9, 1.0) if rate == 60 else (1.2, 1.2)
    assert least <= seconds(film) <= most
