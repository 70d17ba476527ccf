"""Finds ROM files, by their contents; the package carries none.

A file is what its MD5 says, whatever its name.  These places are searched, in this order:

1. the folders in the environment variables ``PYALE_MA_ROMS`` (separated as in ``PATH``) and
   ``ALE_ROMS_DIR``,
2. the user's data folder, filled by ``pyale-ma roms import FOLDER``,
3. installed packages that carry ROM files: ``ale-py``, ``multi-agent-ale-py``, ``AutoROM``.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import hashlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import platformdirs

from pyale_ma import _native

__all__ = ["find_rom", "game_names", "identify", "import_roms", "search_path", "user_folder"]

_SUFFIXES = (".bin", ".a26", ".rom")
_PACKAGES = (
    ("ale_py", "roms"),
    ("multi_agent_ale_py", "roms"),
    ("multi_agent_ale_py", "ROM"),
    ("AutoROM", "roms"),
)


def game_names() -> list[str]:
    """The names of all games, in alphabetical order."""
    return list(_native.games())


def user_folder() -> Path:
    """The user's own folder of ROM files (which need not exist)."""
    return Path(platformdirs.user_data_dir("pyale_ma", appauthor=False)) / "roms"


def search_path() -> list[Path]:
    """The existing folders that are searched, in order."""
    folders = [
        Path(folder)
        for variable in ("PYALE_MA_ROMS", "ALE_ROMS_DIR")
        for folder in os.environ.get(variable, "").split(os.pathsep)
        if folder
    ]
    folders += [user_folder(), *_package_folders()]
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


@functools.cache
def _package_folders() -> tuple[Path, ...]:
    """ROM folders of installed packages, which are not imported for that."""

    def roots(package: str) -> list[str]:
        # Not importlib.util.find_spec: it looks at modules first, and one may stand in for another.
        for finder in sys.meta_path:
            with contextlib.suppress(ImportError, ValueError, AttributeError):
                spec = finder.find_spec(package, None)
                if spec:
                    return list(spec.submodule_search_locations or ())
        return []

    return tuple(Path(root) / folder for package, folder in _PACKAGES for root in roots(package))


def find_rom(game: str, path: str | os.PathLike[str] | None = None) -> Path:
    """The ROM file of a game.

    Args:
        game: A game's name, such as "ms_pacman".
        path: A file, or a folder with files, to look at instead of the usual places.

    Returns:
        The path of a file with the game's MD5.

    Raises:
        ValueError: There is no such game, or the file at `path` is not this game's.
        FileNotFoundError: No file was found; the text says how to get one.
    """
    md5 = md5_of_game(game)
    if path is not None and not Path(path).is_dir():
        if _md5(Path(path)) != md5:
            raise ValueError(f"{os.fspath(path)} is not the ROM of {game!r}, whose MD5 is {md5}")
        return Path(path)

    folders = search_path() if path is None else [Path(path)]
    # The file of the usual name is nearly always the right one; only if not are all others hashed.
    for file in _usual_files(game, folders):
        if _md5(file) == md5:
            return file
    for file in _rom_files(folders):
        if _md5(file) == md5:
            return file
    looked = ", ".join(map(str, folders)) or "no folder to look in"
    raise FileNotFoundError(
        f"No ROM file of {game!r} was found ({looked})\n"
        "Get them with: pip install 'pyale_ma[roms]'   or use your own: pyale-ma roms import FOLDER"
    )


def md5_of_game(game: str) -> str:
    """The MD5 of a game's ROM.

    Raises:
        ValueError: There is no such game; the text names the nearest.
    """
    known = _native.games().get(game)
    if known:
        return known.md5
    near = difflib.get_close_matches(_snake_case(str(game)), game_names(), n=3)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "pyale-ma list shows all."
    raise ValueError(f"There is no game {game!r}; {hint}")


def _snake_case(name: str) -> str:
    """Turn "MsPacman" or "ALE/MsPacman-v5" into "ms_pacman"."""
    name = name.rpartition("/")[2].partition("-")[0]
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def identify(file: str | os.PathLike[str]) -> str | None:
    """The name of the game whose ROM this file is, None for any other file."""
    return _game_of_md5().get(_md5(Path(file)))


@functools.cache
def _game_of_md5() -> dict[str, str]:
    return {game.md5: name for name, game in _native.games().items()}


def import_roms(folder: str | os.PathLike[str], to: Path | None = None) -> dict[str, Path]:
    """Copy all known ROM files under a folder to the user's folder, under their games' names.

    Args:
        folder: Searched with its subfolders.
        to: Another folder than the user's.

    Returns:
        The copies by game.

    Raises:
        NotADirectoryError: `folder` is none.
    """
    source, target = Path(folder), to or user_folder()
    if not source.is_dir():
        raise NotADirectoryError(f"{source} is not a folder")
    found: dict[str, Path] = {}
    for file in _rom_files([source]):
        game = identify(file)
        if game and game not in found:
            target.mkdir(parents=True, exist_ok=True)
            found[game] = target / f"{game}.bin"
            if not (found[game].exists() and found[game].samefile(file)):
                shutil.copyfile(file, found[game])
    return dict(sorted(found.items()))


def _usual_files(game: str, folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        for place in (folder, folder / game):
            for suffix in _SUFFIXES:
                file = place / f"{game}{suffix}"
                if _is_rom_like(file):
                    yield file


def _rom_files(folders: Iterable[Path]) -> Iterator[Path]:
    """All files that look like ROMs, with those in subfolders."""
    for top in folders:
        for folder, _, names in sorted(os.walk(top)):
            for name in sorted(names):
                file = Path(folder, name)
                if file.suffix.lower() in _SUFFIXES and _is_rom_like(file):
                    yield file


def _is_rom_like(file: Path) -> bool:
    """Whether it is a readable file, and not too large for a ROM."""
    return (
        file.is_file()
        and os.access(file, os.R_OK)
        and file.stat().st_size <= _native.ROM_SIZE_LIMIT
    )


def _md5(file: Path) -> str:
    """The MD5 of a file's contents, computed again only when the file has changed."""
    status = file.stat()
    return _md5_of_file(str(file), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=4096)
def _md5_of_file(file: str, _modified: int, _size: int) -> str:
    with open(file, "rb") as stream:
        return hashlib.md5(stream.read(), usedforsecurity=False).hexdigest()
