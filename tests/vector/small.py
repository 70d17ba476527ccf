"""Small vectors, and what they play."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyale_ma.vector import AtariVectorEnv

SMALL: dict[str, Any] = {"img_height": 21, "img_width": 16, "stack_num": 2}


def small(game: str | None = "breakout", num_envs: int = 2, **options: Any) -> AtariVectorEnv:
    """A vector whose pictures cost little."""
    return AtariVectorEnv(game, num_envs, **{**SMALL, **options})


def play(env: AtariVectorEnv, steps: int, seed: int = 0) -> list[bytes]:
    """Random actions; what came of each step, as bytes."""
    rng = np.random.default_rng(seed)
    played = []
    for _ in range(steps):
        actions = rng.integers(0, 1000, env.action_space.shape) % np.min(env.num_actions)
        *arrays, infos = env.step(actions)
        infos = {key: value for key, value in infos.items() if not isinstance(value, dict)}
        played.append(b"".join(array.tobytes() for array in (*arrays, *infos.values())))
    return played
