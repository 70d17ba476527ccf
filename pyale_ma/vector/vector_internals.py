"""Access to the inside of an `AtariVectorEnv`, for recordings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy.typing as npt

from pyale_ma import _native
from pyale_ma.games.selection import Selection
from pyale_ma.vector.env import AtariVectorEnv
from pyale_ma.vector.infos import Array
from pyale_ma.vector.stepper import Stepper


def selections_of(env: AtariVectorEnv) -> list[Selection]:
    """Return what each environment plays."""
    return env._played


def native_of(env: AtariVectorEnv) -> _native.Vector:
    """Return the library's vector."""
    return env._native


def stepper_of(env: AtariVectorEnv) -> Stepper:
    """Return what plays the batches."""
    return env._stepper


def made_with(env: AtariVectorEnv) -> dict[str, Any]:
    """Return the attributes that say what it plays, as they were when it was made."""
    return env._made_with


def terminal_on(env: AtariVectorEnv) -> dict[str, str | int] | None:
    """Return the labels that end episodes."""
    return dict(env._terminals) or None


def first_seed(env: AtariVectorEnv) -> int | None:
    """Return the seed of the first reset, if that is given none."""
    return env._first_seed


def info_of(env: AtariVectorEnv, index: int) -> _native.EnvInfo:
    """Return the properties of one of its environments."""
    return env._env_infos[index]


def screen_of(env: AtariVectorEnv, index: int) -> Array:
    """Return the screen of one of its environments, uint8 (height, 160, 3)."""
    screen: Array = env._screens([index])[0]
    return screen


def joystick_of(env: AtariVectorEnv) -> Callable[[Array], Array]:
    """Return the function from joystick positions to actions."""
    return env._joystick()


# ---- Modes and difficulties ----------------------------------------------------------------------


def choices_of(env: AtariVectorEnv) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the modes and difficulties, int64 (num_envs,), on which a later reset falls back."""
    return env._modes, env._difficulties


def first_modes(env: AtariVectorEnv) -> list[int]:
    """Return the first mode of each environment, which may not be its default."""
    if env.num_players is None:
        return [info.default_mode for info in env._env_infos]
    return [env._native.modes(index, env.num_players)[0] for index in range(env.num_envs)]


def select_modes(env: AtariVectorEnv, modes: list[int]) -> None:
    """Choose the mode of each environment, from the next reset on."""
    env._select(modes, None, range(env.num_envs))
