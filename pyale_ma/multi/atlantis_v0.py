"""Atlantis: two players defend one city against the Gorgons' ships.

Rewards: both players get the points that they score together.
End: the last building is gone.
"""

from pyale_ma.multi.module_functions import Setup, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def setup() -> Setup:
    """The game for two players."""
    return Setup("atlantis", 2, 102)


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
