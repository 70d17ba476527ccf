"""Warlords: four castles in the corners, and a fireball that breaks their walls.

The paddle moves a shield around the castle.  Holding the button catches the ball, and letting go
throws it.  A player whose king is hit is out, and the others play on.

Its modes for two, which `pyale_ma.multi.parallel_env` takes, never begin, here as in the original.

Rewards: -1 for a player who is out, 1 for the last player left.
End: one castle is left.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
