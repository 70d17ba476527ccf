"""Atlantis: two players defend one city against the Gorgons' ships.

Rewards: both players get the points that they score together.
End: the last building is gone.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
