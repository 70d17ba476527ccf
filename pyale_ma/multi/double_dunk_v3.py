"""Double Dunk: basketball, two against two, with plays to choose before each move.

Each player moves one member of a team of two, and chooses what both members do.

Rewards: the points of a basket; the other side gets as much less.  A player who keeps the game
waiting for 120 frames when a play is to be chosen gets -1 instead.
End: a side has 24 points.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
