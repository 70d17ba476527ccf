"""What tests of all layers share: ROM images, settings, sums of arrays."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyale_ma import roms

Settings = Mapping[str, bool | int | float | str]

_SETTERS = {bool: "setBool", int: "setInt", float: "setFloat", str: "setString"}


@functools.cache
def rom_path(game: str) -> Path:
    """The image of a game; skips the test where there is none."""
    try:
        return roms.find_rom(game)
    except FileNotFoundError:
        pytest.skip(f"no ROM image of {game}")


def configure(interface: Any, settings: Settings) -> None:
    """Set each setting with the setter of its value's type."""
    for key, value in settings.items():
        getattr(interface, _SETTERS[type(value)])(key, value)


def load(interface: Any, game: str | Path, **settings: bool | int | float | str) -> Any:
    """Load a game, by its name or its file, into an `ALEInterface` of any package.

    Args:
        interface: It is returned.
        game: The game.
        **settings: The seed is 0 and no action sticks where they say nothing else.
    """
    configure(interface, {"random_seed": 0, "repeat_action_probability": 0.0, **settings})
    interface.loadROM(str(game if isinstance(game, Path) else rom_path(game)))
    return interface


def crc(array: np.ndarray, before: int = 0) -> int:
    """CRC-32 of an array's bytes, after what is summed up in `before`."""
    return zlib.crc32(array.tobytes(), before)
