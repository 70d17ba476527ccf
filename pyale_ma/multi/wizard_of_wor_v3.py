"""Wizard of Wor: hunt monsters in a dungeon, together or not.

The players can shoot each other, too.  A player who has lost all men is out, and the other plays
on.

Rewards: the player's score: 100 for the slowest monster, up to 2500 for the wizard, and 1000 for
shooting the other player.
End: both players are out.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
