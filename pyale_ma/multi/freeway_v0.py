"""Freeway: two chickens cross a road of ten lanes, each as often as it can.

A chicken that meets a car is thrown back by a lane.  If its difficulty switch is on, it is thrown
back to where it began.

Rewards: 1 for each crossing, to the agent whose chicken it was.
End: two minutes and 16 seconds have passed.
"""

from typing import Literal

from pyale_ma.multi.module_functions import check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def mode(game_version: Literal[1, 2, 3, 4, 5, 6, 7, 8] = 1) -> int:
    """Choose the road.

    Args:
        game_version: The game's number on the cartridge.  The eight games are roads with different
            traffic.
    """
    check("game_version", game_version, range(1, 9))
    return 99 + game_version


env, parallel_env, raw_env, vector_options = entry_points(__name__, mode)
