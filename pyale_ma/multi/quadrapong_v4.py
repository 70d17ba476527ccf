"""Quadrapong: four paddles, a goal on each side of the field.

One of the games of Video Olympics (see pong_v3).  The first and the third agent are a team, and so
are the second and the fourth.

Rewards: 1 for each point scored and -1 for each point lost, the same for both of a team.  Who
holds a serve back for 120 frames also gets -1, which nobody gains.
End: a side has 21 points.
"""

from pyale_ma.multi import pong_v3
from pyale_ma.multi.page import Setup, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def setup() -> Setup:
    """Of Video Olympics' games, quadrapong."""
    return pong_v3.setup(4, "quadrapong")


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
