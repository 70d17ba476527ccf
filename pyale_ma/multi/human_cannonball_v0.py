"""Human Cannonball: shoot a man into a water tower, by turns.

Angle, speed or the cannon's place are to be chosen, as the game has it; then FIRE.

Rewards: 1 for each hit, to the agent whose shot it was.
End: somebody has seven hits; after those of the first agent the second has a last shot, and may
draw.
"""

from typing import Literal

from pyale_ma.multi.page import Setup, check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def setup(game_version: Literal[1, 2, 3, 4, 5, 6, 7, 8] = 1) -> Setup:
    """Choose which settings of the cannon players control.

    Args:
        game_version: The game's number on the cartridge.
    """
    check("game_version", game_version, range(1, 9))
    return Setup("human_cannonball", 2, 99 + game_version)


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
