"""Maze Craze: be the first to get out of a maze that is another one each time.

The seed decides the maze, and each reset makes a new one.  A player caught by a robber is out,
while the other plays on.

Rewards: 1 for who gets out first, -1 for the other; -1 for who is caught.
End: one player is out of the maze, or both are caught.
"""

from typing import Literal

from pyale_ma.multi.page import Setup, check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

_FIRST_MODES = {"race": 0, "robbers": 4, "capture": 44}


def setup(
    game_version: Literal["race", "robbers", "capture"] = "robbers",
    visibilty_level: Literal[0, 1, 2, 3] = 0,
) -> Setup:
    """Choose the contents of the maze, and how much of it is visible.

    Args:
        game_version: "race" (nothing), "robbers" (who must not be met) or "capture" (robbers who
            have to be caught before leaving).
        visibilty_level: 0 (the whole maze is seen) to 3 (none of it).  Spelled as in the original.
    """
    check("game_version", game_version, _FIRST_MODES)
    check("visibilty_level", visibilty_level, range(4))
    return Setup("maze_craze", 2, _FIRST_MODES[game_version] + visibilty_level)


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
