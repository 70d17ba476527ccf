"""3-D Tic-Tac-Toe: four in a row on four boards of four times four squares, one above the other.

The joystick moves the cursor, and FIRE puts a piece there.  The second agent begins with difficulty
0, the first with difficulty 2.

Rewards: 1 for the player who has four in a row, -1 for the other.
End: somebody has four in a row.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
