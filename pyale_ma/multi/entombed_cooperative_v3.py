"""Entombed (cooperative): get through the scrolling maze together, as far as you can.

A player who is caught by the upper edge loses a life.  Now and then there is a wall breaker to
collect.

Rewards: 1 for both players when they pass a stage of the maze.
End: a player has no life left.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
