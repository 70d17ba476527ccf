"""Entombed (competitive): stay ahead of the scrolling maze longer than the other.

A player who is caught by the upper edge loses a life.  Now and then there is a wall breaker to
collect.

Rewards: 1 when the other player loses a life, -1 for a life of one's own.
End: a player has no life left.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
