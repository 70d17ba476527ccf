"""Demon Attack: two players share one ship, four seconds each by turns.

Rewards: an agent's points for the demons it hits; 500 when the other agent loses a ship.
End: no ship is left.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
