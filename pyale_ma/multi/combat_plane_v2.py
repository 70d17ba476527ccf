"""Combat (planes): planes chase each other among clouds.

Rewards: 1 for each hit and -1 for each hit taken.
End: two minutes and 16 seconds have passed.
"""

from typing import Literal

from pyale_ma.games.selection import resolve
from pyale_ma.multi.module_functions import check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

_FIRST_MODES = {"bi-plane": resolve("combat_plane_v2").mode, "jet": 21}


def mode(game_version: Literal["bi-plane", "jet"] = "bi-plane", guided_missile: bool = True) -> int:
    """Choose the planes, and how they shoot.

    Args:
        game_version: "bi-plane" (slow, but it can turn its speed up) or "jet" (fast).
        guided_missile: Whether a shot can still be steered.
    """
    check("game_version", game_version, _FIRST_MODES)
    return _FIRST_MODES[game_version] + (not guided_missile)


env, parallel_env, raw_env, vector_options = entry_points(__name__, mode)
