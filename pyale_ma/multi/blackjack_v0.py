"""Blackjack: two players at one table, against the dealer.

The paddle chooses the stake, and then whether to hit or to stay.  FIRE confirms.  UP and DOWN do
nothing.

Rewards: the chips that an agent wins or loses; it has 200 at the start.
End: somebody has 1000 chips, or nobody has any.  An agent without chips is out.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
