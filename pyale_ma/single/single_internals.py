"""Access to the inside of an `AtariEnv`, for recordings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyale_ma import _native
from pyale_ma.single.env import AtariEnv
from pyale_ma.single.interface import ALEInterface

# Attributes that follow from the constructor's arguments, and decide how an environment plays.
SETTINGS = (
    *("_game_mode", "_game_difficulty", "_frameskip", "_action_set"),
    *("continuous", "continuous_action_threshold"),
)


def arguments_of(env: AtariEnv) -> dict[str, Any]:
    """Return the constructor's arguments."""
    arguments: dict[str, Any] = env._ezpickle_kwargs
    return arguments


def has_random_frameskip(env: AtariEnv) -> bool:
    """Whether each step draws its number of frames."""
    return isinstance(env._frameskip, tuple)


def has_its_methods(ale: ALEInterface) -> bool:
    """Whether nobody has replaced a method of a console's class, or derived a class from it."""
    return type(ale) is ALEInterface and not ALEInterface._is_patched


def observe(env: AtariEnv) -> Any:
    """Return the present observation."""
    return env._get_obs()


def rom_of(env: AtariEnv) -> _native.Rom:
    """Return the ROM that `load_game` loads."""
    return env._rom


def watch(ale: ALEInterface, function: Callable[[], None]) -> None:
    """Have a function called after every frame."""
    ale._watch(lambda _: function())
