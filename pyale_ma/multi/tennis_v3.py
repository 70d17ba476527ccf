"""Tennis: one set, with service and changes of side.

Rewards: 1 for each rally won and -1 for each rally lost; a game won counts as its last rally.  A
player who does not serve for 180 frames gets -1.
End: a player has won the set.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
