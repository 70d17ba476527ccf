"""One agent: `ALEInterface`, the console itself, and `AtariEnv`, its Gymnasium environment.

``import pyale_ma.single as ale_py`` runs code written for ale-py.
"""

import importlib.util

from pyale_ma._native import VERSION as __version__
from pyale_ma.single import env, roms
from pyale_ma.single.action import Action, LoggerMode
from pyale_ma.single.env import AtariEnv, AtariEnvStepMetadata
from pyale_ma.single.interface import ALEInterface
from pyale_ma.single.state import ALEState

SDL_SUPPORT = importlib.util.find_spec("pygame") is not None
"""Whether the screen can be shown in a window (``pip install pygame-ce``)."""

__all__ = [
    "SDL_SUPPORT",
    "ALEInterface",
    "ALEState",
    "Action",
    "AtariEnv",
    "AtariEnvStepMetadata",
    "LoggerMode",
    "__version__",
    "env",
    "roms",
]
