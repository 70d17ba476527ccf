"""Space War: two ships in space, with inertia, shots and a jump into hyperspace.

Rewards: 1 for each hit and -1 for each hit taken.
End: a player has 10 points, or ten minutes have passed.
"""

from pyale_ma.multi.module_functions import Setup, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def setup() -> Setup:
    """The first game for two players."""
    return Setup("space_war", 2, 1)


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
