"""Mario Bros.: clear the pipes of what crawls out of them, together or not.

You knock pests over from below, and then kick them away.  A player who touches a pest that stands
loses a life.  A player without lives is out, and the other plays on.

Rewards: the player's score: 800 for each pest kicked away, and more for coins and bonus rounds.
End: both players are out.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
