"""Surround: leave a wall behind you, and make the other run into one.

Rewards: 1 when the other player hits a wall, -1 for hitting one.
End: a player has 10 points.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
