"""Entombed (cooperative): get through the scrolling maze together, as far as you can.

Who is caught by the upper edge loses a life.  Now and then there is a wall breaker to collect.

Rewards: 1 for both when a stage of the maze is passed.
End: a player has no life left.
"""

from pyale_ma.multi.page import Setup, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def setup() -> Setup:
    """The cartridge for two players, with rewards for the way made together."""
    return Setup("entombed", 2, 3)


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
