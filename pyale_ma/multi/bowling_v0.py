"""Bowling: ten frames each, by turns.

Rewards: the pins that count for an agent, strikes and spares as in the sport.
End: both have bowled their ten frames.
"""

from typing import Literal

from pyale_ma.multi.page import Setup, check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def setup(game_version: Literal[2, 4, 6] = 2) -> Setup:
    """Choose how a ball may be steered after it was bowled.

    Args:
        game_version: The game's number on the cartridge: in 2 a ball can be turned once, in 4 as
            long as it rolls, in 6 not at all.
    """
    check("game_version", game_version, (2, 4, 6))
    return Setup("bowling", 2, 99 + game_version)


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
