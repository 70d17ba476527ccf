"""Stands in the originals' places: programs that import them run on this package, unchanged."""

from __future__ import annotations

import functools
import shutil
import sys
import tempfile
import warnings
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from pyale_ma import _native, roms
from pyale_ma.registration import register_ale_ids

__all__ = ["install_as_ale_py", "install_as_multi_agent_ale_py"]

VERSION = "0.12.1"  # of ale-py, whose interface and numbers ours are


def install_as_ale_py() -> None:
    """Make ``import ale_py`` mean this package, from now on and in the whole process.

    So do its submodules ``env``, ``registration``, ``roms`` and ``vector_env``; the ``ALE/`` ids
    become ours, as with `register_ale_ids`.  ale-py need not be installed; if it is, its ROM files
    are still found.  Call this before anything that imports ale-py.  Processes that
    `multiprocessing` spawns import the main module again, but not what is under
    ``if __name__ == "__main__"``: call it above that.

    Warns:
        UserWarning: ale-py itself was imported before.  Modules that hold parts of it keep them.
    """
    from pyale_ma import single

    register_ale_ids()
    package = ModuleType("ale_py", install_as_ale_py.__doc__)
    vars(package).update({name: getattr(single, name) for name in single.__all__})
    vars(package).update(__all__=[*single.__all__], __version__=VERSION)
    _install(package, ("env", "registration", "roms", "vector_env"))


def install_as_multi_agent_ale_py() -> None:
    """Make ``import multi_agent_ale_py`` mean this package: PettingZoo's own modules run on it.

    ``from pettingzoo.atari import pong_v3`` then needs neither multi-agent-ale-py nor AutoROM: the
    ROM files that this package finds lie where PettingZoo looks for them.  Call this before
    anything that imports ``pettingzoo.atari``; about spawned processes see `install_as_ale_py`.

    Warns:
        UserWarning: multi-agent-ale-py itself was imported before.  Modules that hold parts of it
            keep them.
    """
    from pyale_ma.multi import interface

    package = ModuleType("multi_agent_ale_py", install_as_multi_agent_ale_py.__doc__)
    package.ALEInterface = interface.ALEInterface  # type: ignore[attr-defined]
    package.ale_python_interface = interface  # type: ignore[attr-defined]
    # PettingZoo looks for ROM files beside it.
    package.__file__ = str(Path(_rom_folder().name) / "__init__.py")
    _install(package, ("ale_python_interface",))


@functools.cache
def _rom_folder() -> tempfile.TemporaryDirectory[str]:
    """The ROM files that there are, named by their games, in a folder until the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="pyale_ma_roms_")
    for game in _native.games():
        try:
            shutil.copyfile(roms.find_rom(game), Path(folder.name) / f"{game}.bin")
        except FileNotFoundError:
            continue  # PettingZoo says so when it is wanted
    return folder


def _install(package: ModuleType, submodules: tuple[str, ...]) -> None:
    """Put a package, with the attributes that are its submodules, where imports look first."""
    name = package.__name__
    present = sys.modules.get(name)
    if present is not None and not hasattr(present, "_is_pyale_ma"):
        warnings.warn(
            f"{name.replace('_', '-')} was imported before install_as_{name}: "
            "modules that hold parts of it keep them",
            stacklevel=3,
        )
    vars(package).update(
        __path__=[],  # a package, without any further modules
        __spec__=ModuleSpec(name, None, is_package=True),  # for those who ask whether it exists
        _is_pyale_ma=True,
    )
    for old in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[old]
    sys.modules[name] = package
    sys.modules.update({f"{name}.{part}": getattr(package, part) for part in submodules})
