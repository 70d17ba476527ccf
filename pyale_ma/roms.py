"""Finds ROM files, by their contents; of those, the package carries only Quartet's.

A file is what its MD5 says, whatever its name.  Only regular files are read, and never more of one
than a ROM can have.  Folders that cannot be read, links to folders and archives are passed over; if
a ROM file is not found, the message names them.  These places are searched, in
this order:

1. the folders in the environment variables ``PYALE_MA_ROMS`` (separated as in ``PATH``) and
   ``ALE_ROMS_DIR``,
2. the user's data folder, filled by ``pyale-ma roms import PATH``,
3. installed packages that carry ROM files: ``ale-py``, ``multi-agent-ale-py``, ``AutoROM``,
4. this package, for the games in `SHIPPED`.
"""

from pyale_ma.games.rom_files import (
    SHIPPED,
    find_image,
    find_rom,
    game_names,
    game_of,
    identify,
    import_roms,
    known_game,
    read,
    search_path,
    user_folder,
)

__all__ = [
    "SHIPPED",
    "find_image",
    "find_rom",
    "game_names",
    "game_of",
    "identify",
    "import_roms",
    "known_game",
    "read",
    "search_path",
    "user_folder",
]
