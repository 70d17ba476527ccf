"""Video Checkers: the board game, also known as draughts.

The first agent has the black pieces.

Rewards: 1 for the winner, -1 for the loser.  A player who does not move for 600 frames gets -1.
End: a side has no pieces left.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
