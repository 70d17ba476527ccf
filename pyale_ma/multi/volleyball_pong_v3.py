"""Volleyball Pong: play the ball over the net.

One of the games of Video Olympics (see pong_v3).  Each player moves along the floor and can jump;
the ball must not touch the own floor.  When four play, the first and the third agent are a team.

Rewards: 1 for each point scored and -1 for each point lost, the same for both of a team.  Who
holds a serve back for 120 frames also gets -1, which nobody gains.
End: a side has 21 points.
"""

from typing import Literal

from pyale_ma.multi import pong_v3
from pyale_ma.multi.page import Setup, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def setup(num_players: Literal[2, 4] = 4) -> Setup:
    """Of Video Olympics' games, volleyball.

    Args:
        num_players: 2 or 4.
    """
    return pong_v3.setup(num_players, "volleyball")


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
