"""Ours with images, states and calls that make no sense: errors are exceptions, nothing crashes."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path
from typing import Any

import pytest

from common import configure
from differential.cartridges import LAYOUTS
from differential.pair import SUBJECT_NAME, make_subject, reference_rom
from differential.programs import noise, program

if SUBJECT_NAME == "ale_py":
    pytest.skip("the reference is not robust", allow_module_level=True)

SIZES = (
    0, 1, 2, 3, 100, 2047, 2048, 2049, 4095, 4096, 8192, 8448, 10240, 10495, 10496, 12288, 16384,
    16896, 32768, 65536, 131_072, 131_073, 524_288, 600_000,
)  # fmt: skip
REFUSALS = (ValueError, RuntimeError, OSError)


def wander(interface: Any, seed: int, frames: int) -> None:
    """Random acts, resets, pokes, looks and returns to older states."""
    rng = random.Random(seed)
    states = [interface.cloneState(include_rng=True)]
    for _ in range(frames):
        interface.act(rng.randrange(18))
        match rng.randrange(40):
            case 0:
                interface.reset_game()
            case 1:
                states.append(interface.cloneState(include_rng=rng.random() < 0.5))
            case 2:
                interface.restoreState(rng.choice(states))
            case 3:
                interface.setRAM(rng.randrange(128), rng.randrange(256))
            case 4:
                interface.getScreenRGB()
            case 5:
                interface.setDifficulty(rng.choice(interface.getAvailableDifficulties()))
        if interface.game_over():
            interface.reset_game()


def load_image(image: bytes, folder: Path, seed: int) -> Any:
    path = folder / "earthworld.bin"
    path.write_bytes(image)
    interface = make_subject()
    configure(interface, {"random_seed": seed, "sound_obs": seed % 2 == 0})
    interface.loadROM(path)
    return interface


@pytest.mark.parametrize("size", SIZES)
def test_images_of_any_size(size: int, tmp_path: Path) -> None:
    for seed in range(6):
        try:
            interface = load_image(random.Random(seed).randbytes(size), tmp_path, seed)
        except REFUSALS:
            continue
        wander(interface, seed, 100)


SEEDS = pytest.mark.parametrize(
    "seeds", [range(2), pytest.param(range(2, 6), marks=pytest.mark.slow)], ids=["few", "more"]
)


@SEEDS
@pytest.mark.parametrize("scheme", LAYOUTS)
def test_programs_of_every_scheme(scheme: str, seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        family = ("stream", "kernel")[seed % 2]
        wander(load_image(program(seed, family, scheme).image(), tmp_path, seed), seed, 200)


@SEEDS
@pytest.mark.parametrize("fast_paths", [*range(17), 23, 27, 31, 63])
def test_noise(fast_paths: int, seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        path = tmp_path / "earthworld.bin"
        path.write_bytes(noise(seed).image())
        interface = make_subject(fast_paths)
        interface.loadROM(path)
        wander(interface, seed, 60)


def test_damaged_states() -> None:
    """Cut, flipped and foreign bytes are refused or at least harmless."""
    interface = make_subject()
    interface.loadROM(reference_rom("seaquest"))
    good = interface.cloneState(include_rng=True)
    data = good.serialize()
    rng = random.Random(1)
    damaged = [data[: rng.randrange(len(data))] for _ in range(50)]
    for _ in range(300):
        flipped = bytearray(data)
        for _ in range(rng.choice((1, 1, 10))):
            flipped[rng.randrange(len(data))] = rng.randrange(256)
        damaged.append(bytes(flipped))
    damaged += [b"", bytes(100), bytes(len(data)), rng.randbytes(len(data)), data + b"x"]
    for candidate in damaged:
        with contextlib.suppress(*REFUSALS):
            interface.restoreState(type(good)(candidate))
        for _ in range(3):
            interface.act(rng.randrange(18))
        interface.getScreen()
    interface.restoreState(good)
    assert interface.cloneState(include_rng=True) == good
