"""Bowling: ten frames each, by turns.

Rewards: the pins that count for an agent, with strikes and spares as in the sport.
End: both have bowled their ten frames.
"""

from typing import Literal

from pyale_ma.multi.module_functions import check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def mode(game_version: Literal[2, 4, 6] = 2) -> int:
    """Choose how you can steer a ball after it was bowled.

    Args:
        game_version: The game's number on the cartridge.  In 2 you can turn the ball once, in 4 as
            long as it rolls, and in 6 not at all.
    """
    check("game_version", game_version, (2, 4, 6))
    return 99 + game_version


env, parallel_env, raw_env, vector_options = entry_points(__name__, mode)
