"""`make_atari_vector_env`: a vector environment by the few choices that experiments differ in."""

from __future__ import annotations

from typing import Any

from pyale_ma.observations import VectorObsType
from pyale_ma.vector.env import AtariVectorEnv


def make_atari_vector_env(
    game: str,
    num_envs: int = 16,
    obs_type: VectorObsType = "rgb",
    frameskip: int = 4,
    repeat_action_probability: float = 0.25,
    full_action_space: bool = False,
    seed: int | None = None,
    **options: Any,
) -> AtariVectorEnv:
    """Make an `AtariVectorEnv`, with sticky actions unless told otherwise.

    Args:
        game: The game's name, such as "ms_pacman".
        num_envs: Number of environments.
        obs_type: What is observed: one of the types of `AtariVectorEnv`.
        frameskip: Frames per step.
        repeat_action_probability: The probability, in each frame, that the previous action is
            repeated.
        full_action_space: Use all 18 actions instead of those that have an effect.
        seed: The seed of the first reset, if that gets none; None: a random one.
        **options: Further arguments of `AtariVectorEnv`.

    Raises:
        gymnasium.error.Error: `frameskip` is not a positive int.
        ValueError: There is no such game, or an argument is out of range.
        TypeError: An argument is of the wrong type, or unknown.
        FileNotFoundError: The game's ROM file was not found; the text says how to get one.
    """
    env = AtariVectorEnv(
        game,
        num_envs,
        obs_type=obs_type,
        frameskip=frameskip,
        repeat_action_probability=repeat_action_probability,
        full_action_space=full_action_space,
        **options,
    )
    env.seed_first_reset(seed)
    return env
