"""Fishing Derby: two fish from opposite docks, and a shark passes between.

A fish counts 2 pounds near the surface, 4 in the middle, 6 at the bottom, once it has been reeled
in past the shark; FIRE reels faster.

Rewards: the pounds an agent lands, and as much less for the other.
End: when somebody has 99 pounds.
"""

from pyale_ma.multi.page import Setup, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def setup() -> Setup:
    """The game for two players."""
    return Setup("fishing_derby", 2, 2)


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
