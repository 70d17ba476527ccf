"""Combat (tanks): tanks hunt each other.

Rewards: 1 for each hit and -1 for each hit taken.
End: two minutes and 16 seconds have passed.
"""

import warnings

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

# The first mode by (is_invisible, billiard_hit); with the maze it is the next one.
_FIRST_MODES = {(False, False): 1, (False, True): 8, (True, False): 10, (True, True): 13}


def mode(has_maze: bool = True, is_invisible: bool = False, billiard_hit: bool = True) -> int:
    """Choose the field, tanks and shots.

    Args:
        has_maze: The field is full of walls instead of open.
        is_invisible: Tanks are seen only when they shoot, are hit or touch a wall.
        billiard_hit: Shots bounce off the walls, and count only after they bounced.
    """
    if not (has_maze or is_invisible or billiard_hit):
        warnings.warn(
            "combat_tank without has_maze, is_invisible and billiard_hit is too easy to learn much",
            stacklevel=4,
        )
    first = _FIRST_MODES[bool(is_invisible), bool(billiard_hit)]
    return first + bool(has_maze)


env, parallel_env, raw_env, vector_options = entry_points(__name__, mode)
