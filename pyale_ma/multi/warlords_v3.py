"""Warlords: four castles in the corners, and a fireball that breaks their walls.

The paddle moves a shield around the castle.  With the button held the ball is caught, and thrown
when it is let go.  Whose king is hit is out, while the others play on.

Rewards: -1 for who is out, 1 for the last one left.
End: one castle is left.
"""

from pyale_ma.multi.page import Setup, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def setup() -> Setup:
    """The game for four players."""
    return Setup("warlords", 4, 1)


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
