"""Basketball Pong: get the ball into the basket of the other side.

This is one of the games of Video Olympics (see pong_v3).  If four play, the first and the third
agent are a team.

Rewards: 1 for each point scored and -1 for each point lost, the same for both agents of a team.  A
player who holds the serve back for 120 frames gets -1, and nobody gains by it.
End: a side has 21 points.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
