"""Ice Hockey: two against two on the ice; you move the player nearer to the puck.

Rewards: 1 for a goal, -1 for a goal of the other side.
End: three minutes have passed.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
