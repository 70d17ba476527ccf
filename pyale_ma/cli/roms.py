"""``pyale-ma roms``: which ROM files are there, and where from."""

from __future__ import annotations

import argparse
import collections

from pyale_ma import roms
from pyale_ma.cli.common import Commands


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    text = "list the ROM files found and missing, or import some"
    parser = commands.add_parser("roms", help=text, description=text.capitalize() + ".")
    parser.set_defaults(run=run)
    actions = parser.add_subparsers(metavar="ACTION")
    text = "copy all known ROM files under a folder to your own"
    import_parser = actions.add_parser("import", help=text, description=text.capitalize() + ".")
    import_parser.add_argument("folder")
    import_parser.set_defaults(run=run_import)


def run(arguments: argparse.Namespace) -> None:
    """Print how many ROM files each folder has, and what is missing."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    missing = []
    for game in roms.game_names():
        try:
            found[str(roms.find_rom(game).parent)].append(game)
        except FileNotFoundError:
            missing.append(game)
    for folder, games in found.items():
        print(f"{len(games)} in {folder}: {', '.join(games)}")
    if missing:
        print(f"{len(missing)} missing: {', '.join(missing)}")
        print(
            "Get them with: pip install 'pyale_ma[roms]'   "
            "or use your own: pyale-ma roms import FOLDER"
        )


def run_import(arguments: argparse.Namespace) -> None:
    """Copy and tell."""
    copies = roms.import_roms(arguments.folder)
    if not copies:
        raise FileNotFoundError(f"no known ROM file was found under {arguments.folder}")
    print(f"{len(copies)} ROM files copied to {roms.user_folder()}: {', '.join(copies)}")
