"""Fishing Derby: two people fish from opposite docks, and a shark passes between them.

A fish counts once it has been reeled in past the shark: 2 pounds near the surface, 4 in the middle,
6 at the bottom.  FIRE reels faster.

Rewards: the pounds that an agent lands; the other agent gets as much less.
End: somebody has 99 pounds.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
