"""Human Cannonball: shoot a man into a water tower, by turns.

Depending on the game, you choose the angle, the speed or the place of the cannon.  Then FIRE
shoots.

Rewards: 1 for each hit, to the agent whose shot it was.
End: somebody has seven hits.  If the first agent has them, the second has a last shot, and may
draw.
"""

from typing import Literal

from pyale_ma.multi.module_functions import check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def mode(game_version: Literal[1, 2, 3, 4, 5, 6, 7, 8] = 1) -> int:
    """Choose what the players set before a shot.

    Args:
        game_version: The game's number on the cartridge.
    """
    check("game_version", game_version, range(1, 9))
    return 99 + game_version


env, parallel_env, raw_env, vector_options = entry_points(__name__, mode)
