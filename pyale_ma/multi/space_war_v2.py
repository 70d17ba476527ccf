"""Space War: two ships in space, with inertia, shots and a jump into hyperspace.

Rewards: 1 for each hit and -1 for each hit taken.
End: a player has 10 points, or ten minutes have passed.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
