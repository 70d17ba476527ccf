"""Backgammon: the board game, with dice.

The paddle chooses a move among those that the dice allow.  FIRE makes the move.

Rewards: 1 for the player who has borne off all men, -1 for the other.
End: a player has borne off all fifteen men.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
