"""Othello: the board game, also known as Reversi.

FIRE places a piece where it encloses pieces of the other side, and turns them over.

Rewards: the change of the difference of pieces on the board.  A player who does not move for 600
frames gets -1.
End: no move is left.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
