"""`VectorAtariEnv`: the class and the arguments as older programs call them."""

from __future__ import annotations

import warnings
from typing import Any

from pyale_ma.vector.env import AtariVectorEnv

_NEW_NAMES = {
    "frame_skip": "frameskip",
    "fire_reset": "use_fire_reset",
    "max_episode_steps": "max_num_frames_per_episode",  # frames they were, whatever the name
}


class VectorAtariEnv(AtariVectorEnv):
    """`AtariVectorEnv` under its older name, for programs that were written for that.

    Args:
        game: The game's name, such as "ms_pacman", or as in an environment's id, "MsPacman".
        num_envs: Number of environments.
        **options: All arguments of `AtariVectorEnv`, and four by their older names: `seed`, that of
            the first reset if it is given none (0 if left out; now an argument of `reset`);
            `frame_skip`, now `frameskip`; `fire_reset`, now `use_fire_reset`; `max_episode_steps`,
            now `max_num_frames_per_episode`, as it counts frames.

    Raises:
        TypeError: An argument is given under both of its names; or as `AtariVectorEnv` says.
    """

    def __init__(self, game: str | None = None, num_envs: int = 1, **options: Any) -> None:
        _warn("VectorAtariEnv is now AtariVectorEnv")
        if "seed" in options:
            _warn("seed is now an argument of reset")
        seed = options.pop("seed", 0)
        for old, new in _NEW_NAMES.items():
            if old not in options:
                continue
            if new in options:
                raise TypeError(f"{old} is an older name of {new}; give only one of them")
            _warn(f"{old} is now {new}")
            options[new] = options.pop(old)
        super().__init__(game, num_envs, **options)
        self.seed_first_reset(seed)


def _warn(text: str) -> None:
    warnings.warn(text, DeprecationWarning, stacklevel=3)
