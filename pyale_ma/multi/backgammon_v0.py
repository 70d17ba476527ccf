"""Backgammon: the board game, with dice.

The paddle chooses among the moves that the dice allow, FIRE makes one.

Rewards: 1 for who has borne off all men, -1 for the other.
End: somebody has borne off all fifteen men.
"""

from pyale_ma.multi.page import Setup, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def setup() -> Setup:
    """The game for two players."""
    return Setup("backgammon", 2, 4)


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
