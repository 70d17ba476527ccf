"""Flag Capture: find the flag under one of the squares of a board.

A square that is turned over shows a hint (a direction or a distance), a bomb or the flag.  A bomb
sends its finder back to the start.

Rewards: 1 for the flag.
End: a player has 99 points.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
