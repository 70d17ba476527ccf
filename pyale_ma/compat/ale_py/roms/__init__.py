"""``ale_py.roms``: the ROM files, which lie beside this module, and functions that find them."""

from pyale_ma.single.roms import get_all_rom_ids, get_rom_path

__all__ = ["get_all_rom_ids", "get_rom_path"]
