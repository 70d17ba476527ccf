"""ROM files by name, with the functions of ``ale_py.roms``."""

from __future__ import annotations

import warnings
from pathlib import Path

from pyale_ma.games import rom_files

__all__ = ["get_all_rom_ids", "get_rom_path"]


def get_all_rom_ids() -> list[str]:
    """The names of ale-py's games, in its order: atlantis2 comes before atlantis."""
    names = set(rom_files.game_names()).difference(rom_files.SHIPPED)
    return sorted(names, key=lambda name: f"{name}bin")


def get_rom_path(name: str) -> Path | None:
    """The path of a game's ROM file; None, with a warning, for an unknown game.

    Examples:
        ```python
        from pyale_ma.single import ALEInterface, roms

        ale = ALEInterface()
        ale.loadROM(roms.get_rom_path("quartet"))
        ```

    Raises:
        FileNotFoundError: No file was found; the text says how to get one.
    """
    if name not in rom_files.game_names():
        warnings.warn(f"Rom {name} not supported.", stacklevel=2)
        return None
    return rom_files.find_rom(name)
