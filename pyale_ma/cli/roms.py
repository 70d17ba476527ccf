"""``pyale-ma roms``: which ROM files are there, and where from."""

from __future__ import annotations

import argparse
import collections
import itertools
from pathlib import Path

from pyale_ma._base import install_hints
from pyale_ma._base.terminal import print_table, print_words
from pyale_ma.cli.common import Commands, add_command, found_games
from pyale_ma.games import rom_files

_MOST_ROWS = 100  # of what was not taken


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "roms",
        "list found and missing ROM files, or import some",
        example="roms import ~/Downloads",
    )
    parser.set_defaults(run=run)
    actions = parser.add_subparsers(metavar="ACTION")
    import_parser = add_command(
        actions,
        "import",
        "copy all known ROM files to your data folder",
        example="roms import my_roms.zip",
    )
    import_parser.add_argument("path", nargs="+", help="folder, zip file or ROM file")
    import_parser.add_argument(
        "--to", type=Path, metavar="DIR", help="copy them there, such as for a container's image"
    )
    import_parser.set_defaults(run=run_import)


def run(arguments: argparse.Namespace) -> None:
    """Print how many ROM files each folder has, and what is missing."""
    files = found_games()
    print(f"{len(files)} of {len(rom_files.game_names())} games have a ROM file")
    folders: dict[str, list[str]] = collections.defaultdict(list)
    for game in sorted(files):
        folders[str(files[game].parent)].append(game)
    for folder, games in folders.items():
        print_words(f"{len(games)} in {folder}: {', '.join(games)}")
    missing = [game for game in rom_files.game_names() if game not in files]
    if missing:
        print_words(f"{len(missing)} missing: {', '.join(missing)}")
        print_words(f"To get them: {install_hints.GET_ROMS}")


def run_import(arguments: argparse.Namespace) -> None:
    """Copy, and tell what was taken and what was not.

    Raises:
        FileNotFoundError: A path does not exist, or nothing was found.
    """
    taken: dict[str, Path] = {}
    refused: dict[str, str] = {}
    for path in arguments.path:
        taken |= rom_files.import_roms(path, arguments.to, refuse=refused.__setitem__)
    if refused:
        shown = itertools.islice(refused.items(), _MOST_ROWS)
        print_table(("not taken", "why"), list(shown))
        if len(refused) > _MOST_ROWS:
            print(f"and {len(refused) - _MOST_ROWS} more")
    if not taken:
        where = ", ".join(arguments.path)
        raise FileNotFoundError(f"no known ROM file was found in {where}")
    print_words(
        f"{len(taken)} ROM files copied to {arguments.to or rom_files.user_folder()}: "
        f"{', '.join(sorted(taken))}"
    )
