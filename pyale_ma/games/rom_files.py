"""Finds ROM files, by their contents; of those, the package carries only Quartet's."""

from __future__ import annotations

import contextlib
import difflib
import errno
import functools
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import gymnasium

from pyale_ma import _native
from pyale_ma._base import install_hints
from pyale_ma._base.arguments import known_names
from pyale_ma._base.files import open_file, own_folder, written_aside
from pyale_ma._base.text import listed, printable
from pyale_ma.games.cards import Card, is_card, load_card
from pyale_ma.games.environments import ENVIRONMENTS, game_named, of_other_version

SUFFIXES = (".bin", ".a26", ".rom")  # of ROM files
PACKED = (".7z", ".gz", ".rar", ".tar", ".tgz", ".xz")  # of archives that are not read
# More than a ROM file can have, so that none is taken for one by its beginning, compressed or not.
_MOST_READ = _native.MAX_ROM_SIZE + 64 * 1024
# The games that come with this package, and with no other: written for it, under its licence.
SHIPPED = ("quartet",)
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
    """The user's own folder for ROM files (it need not exist)."""
    return own_folder("data") / "roms"


def search_path() -> list[Path]:
    """The existing folders that are searched, in order."""
    named = (folder for _, folder in _named_folders())
    own = Path(__file__).parent / "cartridges"
    folders = [*named, user_folder(), *_package_folders(), own]
    return [folder for folder in dict.fromkeys(folders) if os.path.isdir(folder)]


def _named_folders() -> Iterator[tuple[str, Path]]:
    """The folders in environment variables, each with its variable."""
    for variable in ("PYALE_MA_ROMS", "ALE_ROMS_DIR"):
        for folder in os.environ.get(variable, "").split(os.pathsep):
            if folder:
                yield variable, Path(folder)


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


def game_of(game: str | os.PathLike[str] | _native.Game | Card) -> _native.Game | Card:
    """A game: one that the library knows, by `known_game`'s names, or a card by its path.

    What is a game or a card already is returned as it is.

    Raises:
        ValueError: There is no such game, or the card has a mistake.
        FileNotFoundError: There is no such card.
    """
    if isinstance(game, (_native.Game, Card)):
        return game
    return load_card(game) if is_card(game) else _native.games()[known_game(game)]


def find_rom(game: str | os.PathLike[str], path: str | os.PathLike[str] | None = None) -> Path:
    """The ROM file of a game.

    Args:
        game: A game's name, such as "ms_pacman", "MsPacman" or "ALE/MsPacman-v5", or a card's path;
            or the name of an environment for several agents, such as "pong_v3".
        path: A file, or a folder with files, to look at instead of the usual places.

    Returns:
        The path of a file with the game's MD5.

    Examples:
        ```python
        from pyale_ma import roms

        path = roms.find_rom("quartet")
        ```

    Raises:
        ValueError: There is no such game, or the file at `path` is not this game's.
        FileNotFoundError: No file was found; the text says how to get one.
    """
    return find_file(game_of(game_named(game)), path)


def find_file(entry: _native.Game | Card, path: str | os.PathLike[str] | None = None) -> Path:
    """The ROM file of a game or a card; see `find_rom`."""
    md5 = entry.md5
    if path is not None and not os.path.isdir(path):
        if md5 and _md5(Path(path)) != md5:
            raise ValueError(
                f"{printable(os.fspath(path))} is not the ROM of {entry.name!r}, whose MD5 is {md5}"
            )
        return Path(path)
    if isinstance(entry, Card) and entry.rom:
        beside = (entry.path.parent if path is None else Path(path)) / entry.rom
        if os.path.isfile(beside):
            return beside
        if not md5:
            raise FileNotFoundError(
                f"{printable(entry.path)}: its image {printable(beside)} does not exist"
            )

    folders = search_path() if path is None else [Path(path)]
    # The file of the usual name is nearly always the right one; only if not are all others hashed.
    for file in _usual_files(entry.name, folders):
        if _has_md5(file, md5):
            return file
    if found := _file_with(md5, folders):
        return found
    looked = _looked_at(folders)
    if path is None:
        for variable, folder in _named_folders():
            if not os.path.isdir(folder):
                looked += f"; {variable} names {_shown(folder)}, which is no folder or out of reach"
    if isinstance(entry, Card):
        missing = f"its image {printable(beside)} does not exist, and " if entry.rom else ""
        raise FileNotFoundError(
            f"{printable(entry.path)}: {missing}no file has the image's MD5 {md5} ({looked})\n"
            'Name the file beside the card with rom = "...", or put it into one of these folders'
        )
    raise FileNotFoundError(
        f"No ROM file of {entry.name!r} was found ({looked})\nTo get them: {install_hints.GET_ROMS}"
    )


def no_file(path: str | bytes | os.PathLike[Any]) -> FileNotFoundError:
    """Return what to raise where a ROM file is not there; a game's name may have been given."""
    file = os.fsdecode(path)
    message = os.strerror(errno.ENOENT)
    for name in (file, Path(file).stem):
        with contextlib.suppress(ValueError):
            game = known_game(game_named(name))
            message += f"; pyale_ma.roms.find_rom({game!r}) returns the path of this game's"
            break
    return FileNotFoundError(errno.ENOENT, message, file)


def find_image(md5: str) -> Path:
    """The file with these contents, in the usual places.

    Raises:
        FileNotFoundError: There is none.
    """
    folders = search_path()
    if file := _file_with(md5, folders):
        return file
    raise FileNotFoundError(
        f"no file has the image's MD5 {md5} ({_looked_at(folders)})\nPut it into a folder that the "
        "environment variable PYALE_MA_ROMS names"
    )


def _file_with(md5: str, folders: Iterable[Path]) -> Path | None:
    """The first file with these contents, whatever its name is."""
    files = _files(folders, lambda name, why: None)
    return next((file for file in files if _is_rom_like(file) and _has_md5(file, md5)), None)


def _looked_at(folders: list[Path]) -> str:
    """Say where a file was looked for in vain, and what was passed over there."""
    told: list[str] = []
    files = _files(folders, lambda name, why: told.append(f"{printable(name)}: {why}"))
    told += [
        f"{printable(file)} is an archive: pyale-ma roms import takes ROM files out of zip files"
        for file in files
        if file.suffix.lower() in (".zip", *PACKED)
    ]
    looked = ", ".join(map(_shown, folders)) or "no folder to look in"
    return "; ".join([looked, *told[:3]])


def _has_md5(file: Path, md5: str) -> bool:
    try:
        return _md5(file) == md5
    except OSError:
        return False


def _shown(folder: Path) -> str:
    """A folder's name, for people."""
    return text if len(text := printable(folder)) < 200 else f"{text[:200]}..."


def known_game(game: str | os.PathLike[str]) -> str:
    """The name of a game, from that name itself, "MsPacman" or "ALE/MsPacman-v5".

    Examples:
        ```python
        from pyale_ma import roms

        assert roms.known_game("ALE/MsPacman-v5") == "ms_pacman"
        ```

    Raises:
        TypeError: `game` is not a name.
        ValueError: There is no such game; the text names the nearest.
    """
    if isinstance(game, os.PathLike):
        game = os.fspath(game)
    if not isinstance(game, str):
        raise no_name(game)
    if game in _native.games():
        return game
    name = game.removeprefix("ALE/").removeprefix("pyale_ma/").removesuffix("-v5")
    match = _by_env_name().get(name)
    if match:
        return match
    if game in ENVIRONMENTS:
        raise ValueError(
            f"{game!r} is an environment for several agents; to play with one agent, name the "
            f"game: {ENVIRONMENTS[game].game!r}"
        )
    if re.fullmatch(r"\w+_v\d+", game):
        alike = of_other_version(game) or next(
            iter(difflib.get_close_matches(game, ENVIRONMENTS)), None
        )
        if alike:
            raise ValueError(f"There is no environment {game!r}; did you mean {alike!r}?")
    plain = _snake_case(game)
    near = difflib.get_close_matches(plain, game_names(), n=3)
    near = [plain] if plain in near else near
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "pyale-ma list shows all."
    hint += _meaning_of_id(game)
    if name.endswith((".bin", ".a26")):
        hint = "a ROM file of your own needs a card: pyale-ma card new FILE"
    raise ValueError(f"There is no game {game!r}; {hint}")


def check_no_id(game: object) -> None:
    """Refuse an id such as "ALE/Pong-v5" where its options would not be those that are played.

    Raises:
        ValueError: It is an id; the text says what it means.
    """
    if isinstance(game, str) and (meaning := _meaning_of_id(game)):
        name = known_game(game)  # which refuses older ids itself
        raise ValueError(
            f"{game!r} is an id, for gymnasium.make_vec; here name the game: {name!r}.{meaning}"
        )


def _meaning_of_id(name: str) -> str:
    """Say which options an id of Gymnasium has, as a sentence; "" if it has none."""
    spec = gymnasium.registry.get(name)
    options = {} if spec is None else spec.kwargs
    names = ("frameskip", "repeat_action_probability")
    stated = listed(f"{each}={options[each]!r}" for each in names if each in options)
    return f" That id of Gymnasium means {stated}, with the game's name." if stated else ""


def no_name(game: object) -> TypeError:
    """Return what to raise where a game should be named, and something else is given."""
    several = isinstance(game, Iterable) and not isinstance(game, (bytes, bytearray))
    hint = "; AtariVectorEnv plays several: games=[...]" if several else ""
    return TypeError(f"game must be a game's name or a card's path, not {game!r}{hint}")


@functools.cache
def _by_env_name() -> dict[str, str]:
    """The names of all games by those in ids."""
    names = {env_name(name): name for name in _native.games()}
    return names | {f"{env_name(name)}-v0": name for name in SHIPPED}


def env_name(game: str) -> str:
    """The name of a game within an id: "ms_pacman" is MsPacman."""
    return game.title().replace("_", "")


def _snake_case(name: str) -> str:
    """Turn "MsPacman", "ALE/MsPacman-v5" or "MsPacmanNoFrameskip-v4" into "ms_pacman"."""
    name = re.sub(r"-v\d+$", "", name.rpartition("/")[2])
    name = re.sub(r"[- ]+", "_", name)
    name = name.removesuffix("NoFrameskip").removesuffix("Deterministic")
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def identify(file: str | os.PathLike[str]) -> str | None:
    """The name of the game whose ROM this file is, None for any other file.

    Examples:
        ```python
        from pyale_ma import roms

        assert roms.identify(roms.find_rom("quartet")) == "quartet"
        ```

    Raises:
        OSError: It cannot be read, or is not a regular file.
    """
    return _game_of_md5().get(_md5(Path(file)))


def read(file: str | os.PathLike[str]) -> bytes:
    """The contents of a file, at most as many bytes as a ROM file can have.

    Raises:
        OSError: It cannot be read, or is not a regular file.
    """
    with open_file(file) as stream:
        return stream.read(_MOST_READ)


def md5_of(data: bytes) -> str:
    """The MD5 by which a ROM is known, in hexadecimal digits."""
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


@functools.cache
def _game_of_md5() -> dict[str, str]:
    return {game.md5: name for name, game in _native.games().items()}


@known_names
def import_roms(
    source: str | os.PathLike[str],
    to: Path | None = None,
    *,
    refuse: Callable[[str, str], None] | None = None,
) -> dict[str, Path]:
    """Copy the known ROM files of a folder or zip file to the user's folder, named by their games.

    Subfolders, zip files in the folder and zip files inside those are searched, whatever the names
    of files are.  A name in an archive never becomes a path, and the amount that is unpacked is
    limited.

    Args:
        source: A folder, a zip file or a ROM file.
        to: The folder to copy to, instead of the user's; it is created.
        refuse: Called with the name and the reason for every file that by its name is a ROM file or
            an archive but is not copied, and for folders that are not searched.

    Returns:
        The copies, by game.

    Examples:
        ```python
        import shutil
        from pathlib import Path

        from pyale_ma import roms

        Path("mine").mkdir()
        shutil.copy(roms.find_rom("quartet"), "mine")
        found = roms.import_roms("mine", Path("here"))  # without the second: to `user_folder`
        ```

    Raises:
        FileNotFoundError: There is nothing at `source`.
        OSError: It cannot be read, or a copy cannot be written.
    """
    target, tell = to or user_folder(), refuse or (lambda name, why: None)
    copies: dict[str, Path] = {}
    for name, file, data in _candidates(Path(source), tell):
        game = _game_of_md5().get(md5_of(data))
        if game is None:
            if name.lower().endswith(SUFFIXES) or name == os.fspath(source):
                tell(name, "no game that is known has these contents")
        elif game not in copies:
            target.mkdir(parents=True, exist_ok=True)
            copies[game] = copy = target / f"{game}.bin"
            if not (file and copy.exists() and copy.samefile(file)):
                with written_aside(copy) as aside:
                    aside.write_bytes(data)
    return dict(sorted(copies.items()))


def _candidates(
    source: Path, refuse: Callable[[str, str], None]
) -> Iterator[tuple[str, Path | None, bytes]]:
    """Yield possible ROM files: name for people, path (None in an archive) and bytes."""
    if not source.exists():
        raise FileNotFoundError(f"there is no file or folder {printable(source)}")
    for file in _files([source], refuse) if source.is_dir() else [source]:
        suffix = file.suffix.lower()
        try:
            if suffix in PACKED:
                raise OSError("archives of this kind are not read: unpack it first")
            if suffix == ".zip":
                from pyale_ma.games.archives import images_in  # zipfile, only for those who import

                for name, data in images_in(file, refuse):
                    yield name, None, data
            elif suffix in SUFFIXES or file == source or _is_rom_like(file):
                data = read(file)
                if len(data) > _native.MAX_ROM_SIZE:
                    raise OSError(f"it has more than {_native.MAX_ROM_SIZE} bytes")
                yield str(file), file, data
        except OSError as error:
            if file == source:
                raise
            refuse(str(file), error.strerror or str(error))


def _usual_files(game: str, folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        for place in (folder, folder / game):
            for suffix in SUFFIXES:
                file = place / f"{game}{suffix}"
                if _is_rom_like(file):
                    yield file


def _files(folders: Iterable[Path], refuse: Callable[[str, str], None]) -> Iterator[Path]:
    """All files, with those in subfolders; `refuse` is told of folders that are passed over."""

    def unreadable(error: OSError) -> None:
        refuse(os.fspath(error.filename), error.strerror or str(error))

    for top in folders:
        for folder, below, names in os.walk(top, onerror=unreadable):
            below.sort()
            for name in below:
                if os.path.islink(os.path.join(folder, name)):
                    refuse(os.path.join(folder, name), "it is a link to a folder: name that folder")
            for name in sorted(names):
                yield Path(folder, name)


def _is_rom_like(file: Path) -> bool:
    """Whether it is a regular file, and not too large for a ROM."""
    try:
        return os.path.isfile(file) and os.path.getsize(file) <= _native.MAX_ROM_SIZE
    except OSError:  # it was there a moment ago
        return False


def _md5(file: Path) -> str:
    """The MD5 of a file's contents, computed again only when the file has changed."""
    status = file.stat()
    return _md5_of_file(str(file), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=4096)
def _md5_of_file(file: str, _modified: int, _size: int) -> str:
    return md5_of(read(file))
