"""Access to the inside of a `ParallelAtariEnv`, for recordings."""

from __future__ import annotations

from typing import Any

from pyale_ma import _native
from pyale_ma.multi.base import ParallelAtariEnv

# Attributes that follow from the constructor's arguments, and decide how an environment plays.
SETTINGS = (
    *("mode", "num_players", "possible_agents", "max_cycles"),
    *("_difficulty", "_frame_skip", "_noop_max", "_codes"),
)


def arguments_of(env: ParallelAtariEnv) -> dict[str, Any]:
    """Return the constructor's arguments; the name of the game may have brought some of them."""
    arguments: dict[str, Any] = env._ezpickle_kwargs
    return arguments


def console_of(env: ParallelAtariEnv) -> _native.Env:
    """Return the library's environment; it may be another one after a reset with a seed."""
    return env._env


def rom_of(env: ParallelAtariEnv) -> _native.Rom:
    """Return the ROM that resets with a seed load."""
    return env._rom


def has_random_starts(env: ParallelAtariEnv) -> bool:
    """Whether episodes begin with a random number of steps of NOOP."""
    return bool(env._noop_max)


def observe(env: ParallelAtariEnv, count: int) -> list[Any]:
    """Return the present observation, in as many copies."""
    return env._observe(count)


def continue_with(env: ParallelAtariEnv, agents: list[str], frame: int) -> None:
    """Let agents play on from a restored state of the console.

    Args:
        env: The environment.
        agents: Those that are in the game.
        frame: Steps of the episode.
    """
    env.frame, env.agents, env._is_reset = frame, list(agents), True
    env._env.actions[:] = [_native.OUT] * _native.MAX_PLAYERS  # where no agent plays
    env._take_seats(agents)
    env._interrupted = False
