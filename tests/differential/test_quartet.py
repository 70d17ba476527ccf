"""Quartet on the references' consoles and on ours: an image that nobody knows, with joysticks."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

import pytest

from differential.pair import SOME_FAST_PATHS, Pair, make_subject
from multi.reference import original_interface
from pyale_ma import multi, roms
from quartet_ram import RAM

UNUSED = 0xFFA  # the vector of an interrupt that this console does not have
LINES = 262
KINDS = range(5)
LIVES = {0: [1, 1, 0, 0], 1: [5, 5, 5, 5], 2: [1] * 4, 3: [3] * 4, 4: [1] * 4}


def unknown_image(folder: Path) -> Path:
    """The game with one byte changed, under the name of a game whose rules any image can have."""
    image = bytearray(roms.find_rom("quartet").read_bytes())
    image[UNUSED] ^= 1
    file = folder / "enduro.bin"
    file.write_bytes(image)
    return file


def begin(side: Any, kind: int, controllers: int) -> None:
    """Do what SELECT and RESET would do, which nobody presses under that name."""
    values = {"GAME": [kind], "HUMANS": [controllers], "STATE": [1], "TIMER": [1], "SPEED": [1]}
    values |= {"LIVES": LIVES[kind], "SCORE": [0] * 4, "STOCK": [48], "CLOCK": [112]}
    for name, bytes_ in values.items():
        for index, value in zip(RAM[name], bytes_, strict=True):
            side.setRAM(index, value)


def lines_of_frame(interface: Any) -> int:
    """Count the lines of the reference's last frame: docs/spec/tia.md, section 13."""
    state = interface.cloneState().__getstate__()
    blob = state if isinstance(state, bytes) else state[0]
    place = blob.index(struct.pack("<i3s", 3, b"TIA")) + 7
    return int(struct.unpack_from("<6i", blob, place)[5])


def play(pair: Pair, acts: int, seed: int) -> None:
    rng = random.Random(seed)
    for t in range(acts):
        if t % 6 == 0:
            action = rng.randrange(18)
        pair.act(action)
        if t % 50 == 0:
            pair.compare_pictures()
            pair.compare_audio()
        assert lines_of_frame(pair.reference) == LINES


@pytest.mark.parametrize("kind", KINDS)
def test_as_ale_py(kind: int, tmp_path: Path) -> None:
    pair = Pair(unknown_image(tmp_path), {"random_seed": kind, "sound_obs": True})
    for controllers in range(5):
        begin(pair, kind, controllers)
        play(pair, 300, 10 * kind + controllers)
    pair.reset()
    play(pair, 60, kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_as_ale_py_for_long(kind: int, tmp_path: Path) -> None:
    pair = Pair(unknown_image(tmp_path), {"random_seed": kind, "sound_obs": True})
    for controllers in range(5):
        begin(pair, kind, controllers)
        play(pair, 8000, controllers)


@pytest.mark.parametrize("mask", SOME_FAST_PATHS)
def test_without_fast_paths(mask: int, tmp_path: Path) -> None:
    pair = Pair(
        unknown_image(tmp_path),
        {"random_seed": 5, "sound_obs": True},
        subject=lambda: make_subject(mask),
    )
    begin(pair, 1, 2)
    play(pair, 200, mask)


@pytest.mark.parametrize("kind", KINDS)
def test_as_multi_agent_ale_py(kind: int, tmp_path: Path) -> None:
    sides = [original_interface(), multi.ALEInterface()]
    file = unknown_image(tmp_path)
    for side in sides:
        side.setInt("random_seed", 3 + kind)
        side.loadROM(str(file))
        begin(side, kind, kind)
    rng = random.Random(kind)
    for t in range(600):
        if t % 6 == 0:
            action = rng.randrange(18)
        for side in sides:
            side.act(action)
        assert (sides[0].getRAM() == sides[1].getRAM()).all(), t
        assert (sides[0].getScreen() == sides[1].getScreen()).all(), t
