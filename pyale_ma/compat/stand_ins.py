"""Stands in the originals' places: programs that import them run on this package, unchanged.

The modules that do so are those of `pyale_ma.compat`, copied into a folder where the ROM files lie
as the originals have them.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable
from multiprocessing import util
from pathlib import Path

from pyale_ma import _native, compat
from pyale_ma.games import rom_files
from pyale_ma.registration import register_ale_ids

__all__ = ["install_as_ale_py", "install_as_multi_agent_ale_py"]


def install_as_ale_py() -> None:
    """Make ``import ale_py`` mean this package, from now on and in the whole process.

    So do its submodules; the ``ALE/`` ids become ours, as with `register_ale_ids`, with ale-py's
    entry points.  ale-py need not be installed; if it is, its ROM files are still found.  Call this
    before anything that imports ale-py.  Processes that `multiprocessing` spawns import the main
    module again, but not what is under ``if __name__ == "__main__"``: call it above that.

    Examples:
        ```python
        import pyale_ma

        pyale_ma.install_as_ale_py()  # before anything imports ale_py
        import ale_py

        ale = ale_py.ALEInterface()  # of this package
        ```

    Raises:
        ImportError: Gymnasium is older than 1.1.

    Warns:
        UserWarning: ale-py itself was imported before.  Modules that hold parts of it keep them.
    """
    import pyale_ma.vector  # noqa: F401 - it says so if Gymnasium is too old
    from pyale_ma.single import roms as solo

    _install("ale_py", "roms", solo.get_all_rom_ids)
    register_ale_ids()


def install_as_multi_agent_ale_py() -> None:
    """Make ``import multi_agent_ale_py`` mean this package: PettingZoo's own modules run on it.

    ``from pettingzoo.atari import pong_v3`` then needs neither multi-agent-ale-py nor AutoROM: the
    ROM files that this package finds lie where PettingZoo looks for them.  Call this before
    anything that imports ``pettingzoo.atari``; about spawned processes see `install_as_ale_py`.

    Warns:
        UserWarning: multi-agent-ale-py itself was imported before.  Modules that hold parts of it
            keep them.

    Examples:
        ```python
        import pyale_ma

        pyale_ma.install_as_multi_agent_ale_py()  # before PettingZoo's modules are imported
        import multi_agent_ale_py

        ale = multi_agent_ale_py.ALEInterface()  # of this package
        ```
    """
    _install("multi_agent_ale_py", ".", _native.games)


def _install(name: str, rom_folder: str, games: Callable[[], Iterable[str]]) -> None:
    """Import a package of `compat` in an original's place, unless it is there already."""
    present = sys.modules.get(name)
    if hasattr(present, "_is_pyale_ma"):
        return
    if present is not None:
        warnings.warn(
            f"{name.replace('_', '-')} was imported before install_as_{name}: "
            "modules that hold parts of it keep them",
            stacklevel=3,
        )
    folder = _folder(name, rom_folder, games)
    for old in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[old]
    if folder not in sys.path:
        sys.path.insert(0, folder)
    importlib.import_module(name)


def _folder(name: str, rom_folder: str, games: Callable[[], Iterable[str]]) -> str:
    """Where a package's modules and its ROM files are, until this process ends.

    Processes of `multiprocessing` begin with the same `sys.path`, and so have the same folder: many
    are ended without a chance to remove theirs.
    """
    prefix = f"pyale_ma_{_native.VERSION}_{name}_"
    for place in sys.path:
        if os.path.basename(place).startswith(prefix) and os.path.isdir(place):
            return place
    folder = tempfile.mkdtemp(prefix=prefix)
    # Unlike what `atexit` calls, it also runs at the end of multiprocessing's processes, and not in
    # those that are forked from this one.
    util.Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)
    package = Path(folder, name)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(compat.__file__).parent / name, package, ignore=ignored)
    for game in games():
        with contextlib.suppress(FileNotFoundError):  # who wants it is told so then
            shutil.copyfile(rom_files.find_rom(game), package / rom_folder / f"{game}.bin")
    return folder
