"""The package that stands in ale-py's place after `pyale_ma.install_as_ale_py`."""

from pathlib import Path as _Path

from pyale_ma.single import (
    SDL_SUPPORT,
    Action,
    ALEInterface,
    ALEState,
    AtariEnv,
    AtariEnvStepMetadata,
    AtariVectorEnv,
    LoggerMode,
    register_v0_v4_envs,
    register_v5_envs,
)

from . import _ale_py, env, registration, roms, vector_env

__version__ = _ale_py.__version__

packagedir = str(_Path(__file__).absolute().parent)
"""The folder of this package; ``roms`` in it has the ROM files."""

__all__ = [
    "SDL_SUPPORT",
    "ALEInterface",
    "ALEState",
    "Action",
    "AtariEnv",
    "AtariEnvStepMetadata",
    "AtariVectorEnv",
    "LoggerMode",
    "env",
    "register_v0_v4_envs",
    "register_v5_envs",
    "registration",
    "roms",
    "vector_env",
]
