"""Stands in ale-py's place: programs that import ale-py run on this package, unchanged."""

from __future__ import annotations

import sys
import warnings
from importlib.machinery import ModuleSpec
from types import ModuleType

from pyale_ma.registration import register_ale_ids
from pyale_ma.roms import env_name

__all__ = ["install_as_ale_py"]

VERSION = "0.12.1"  # whose interface and numbers ours are


def install_as_ale_py() -> None:
    """Make ``import ale_py`` mean this package, from now on and in the whole process.

    So do its submodules ``env``, ``registration``, ``roms`` and ``vector_env``; the ``ALE/`` ids
    become ours, as with `register_ale_ids`.  ale-py need not be installed; if it is, its ROM files
    are still found.  Call this before anything that imports ale-py.

    Warns:
        UserWarning: ale-py itself was imported before.  Modules that hold parts of it keep them.
    """
    from pyale_ma import single, vector

    present = sys.modules.get("ale_py")
    if present is not None and not _is_stand_in(present):
        warnings.warn(
            "ale-py was imported before install_as_ale_py: modules that hold parts of it keep them",
            stacklevel=2,
        )
    register_ale_ids()
    registration = ModuleType("ale_py.registration", "Registers nothing: pyale_ma has.")
    vars(registration).update(
        __spec__=ModuleSpec(registration.__name__, None),
        register_v0_v4_envs=register_ale_ids,
        register_v5_envs=register_ale_ids,
        rom_id_to_name=env_name,
    )
    submodules = {
        "env": single.env,
        "registration": registration,
        "roms": single.roms,
        "vector_env": vector,
    }
    package = ModuleType("ale_py", __doc__)
    vars(package).update({name: getattr(single, name) for name in single.__all__}, **submodules)
    vars(package).update(
        AtariVectorEnv=vector.AtariVectorEnv,
        register_v0_v4_envs=register_ale_ids,
        register_v5_envs=register_ale_ids,
        __all__=[*single.__all__, "AtariVectorEnv"],
        __path__=[],  # a package, without any further modules
        __version__=VERSION,
        __spec__=ModuleSpec("ale_py", None, is_package=True),  # for those who ask whether it exists
        _is_pyale_ma=True,
    )
    for name in [name for name in sys.modules if name.partition(".")[0] == "ale_py"]:
        del sys.modules[name]
    sys.modules["ale_py"] = package
    sys.modules.update({f"ale_py.{name}": module for name, module in submodules.items()})


def _is_stand_in(module: ModuleType) -> bool:
    return hasattr(module, "_is_pyale_ma")
