"""One agent: `ALEInterface`, the console itself, and `AtariEnv`, its Gymnasium environment.

``import pyale_ma.single as ale_py`` runs code written for ale-py, whose other names are here, too.
"""

import importlib.util

from pyale_ma._native import VERSION as __version__
from pyale_ma.console.state import ALEState
from pyale_ma.single import env, registration, roms, vector_env
from pyale_ma.single.action import Action, LoggerMode
from pyale_ma.single.env import AtariEnv, AtariEnvStepMetadata
from pyale_ma.single.interface import ALEInterface
from pyale_ma.single.registration import register_v0_v4_envs, register_v5_envs
from pyale_ma.single.vector_env import AtariVectorEnv

SDL_SUPPORT = importlib.util.find_spec("pygame") is not None
"""Whether the screen can be shown in a window (``pip install pygame-ce``)."""

__all__ = [
    "SDL_SUPPORT",
    "ALEInterface",
    "ALEState",
    "Action",
    "AtariEnv",
    "AtariEnvStepMetadata",
    "AtariVectorEnv",
    "LoggerMode",
    "__version__",
    "env",
    "register_v0_v4_envs",
    "register_v5_envs",
    "registration",
    "roms",
    "vector_env",
]
