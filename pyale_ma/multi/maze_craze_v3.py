"""Maze Craze: be the first to get out of a maze that is drawn anew each time.

The seed decides the maze, and each reset makes a new one.  A player caught by a robber is out, and
the other plays on.

Rewards: 1 for the player who gets out first, -1 for the other; -1 for a player who is caught.
End: one player is out of the maze, or both are caught.
"""

from typing import Literal

from pyale_ma.multi.module_functions import check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

_FIRST_MODES = {"race": 0, "robbers": 4, "capture": 44}


def mode(
    game_version: Literal["race", "robbers", "capture"] = "robbers",
    visibilty_level: Literal[0, 1, 2, 3] = 0,
) -> int:
    """Choose what is in the maze, and how much of it is seen.

    Args:
        game_version: "race" (the maze is empty), "robbers" (do not meet them) or "capture" (catch
            the robbers before you leave).
        visibilty_level: 0 (the whole maze is seen) to 3 (nothing is seen).  It is spelled as in the
            original.
    """
    check("game_version", game_version, _FIRST_MODES)
    check("visibilty_level", visibilty_level, range(4))
    return _FIRST_MODES[game_version] + visibilty_level


env, parallel_env, raw_env, vector_options = entry_points(__name__, mode)
