"""Joust: knights on flying birds; in a clash the higher lance wins.

The players fight waves of enemies, and may fight each other.  A player who has lost all mounts is
out, and the other plays on.

Rewards: the player's score.
End: both players are out.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
