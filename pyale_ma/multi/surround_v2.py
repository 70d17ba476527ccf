"""Surround: leave a wall behind you, and make the other run into one.

Rewards: 1 when the other player hits a wall, -1 for hitting one.
End: a player has 10 points.
"""

from pyale_ma.multi.module_functions import Setup, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def setup() -> Setup:
    """The first game for two players."""
    return Setup("surround", 2, 1)


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
