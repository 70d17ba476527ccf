"""Pong: keep the ball out of your goal, get it into theirs.

The collection Video Olympics has many games of this kind, most of them for two or for four players.
Four play in two teams: the first and the third agent against the second and the fourth.

Rewards: 1 for each point scored and -1 for each point lost, the same for both agents of a team.  A
player who holds the serve back for 120 frames gets -1, and nobody gains by it.
End: a side has 21 points.
"""

from typing import Literal

from pyale_ma.multi.base import ArgumentError
from pyale_ma.multi.module_functions import Setup, check, entry_points, is_allowed

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

# What the cartridge calls them, by players and version.
MODES = {
    2: {
        "classic": 4,
        "two_paddles": 10,
        "soccer": 14,
        "foozpong": 19,
        "hockey": 27,
        "handball": 35,
        "volleyball": 39,
        "basketball": 45,
    },
    4: {
        "classic": 6,
        "two_paddles": 11,
        "soccer": 16,
        "foozpong": 21,
        "hockey": 29,
        "quadrapong": 33,
        "handball": 37,
        "volleyball": 41,
        "basketball": 49,
    },
}


Version = Literal[
    "classic",
    "two_paddles",
    "soccer",
    "foozpong",
    "hockey",
    "handball",
    "volleyball",
    "basketball",
    "quadrapong",
]


def setup(num_players: Literal[2, 4] = 2, game_version: Version = "classic") -> Setup:
    """Choose one of the games of Video Olympics.

    Args:
        num_players: 2 or 4.
        game_version: "classic", "two_paddles" (each player moves two), "soccer", "foozpong",
            "hockey", "handball", "volleyball" or "basketball"; for four players also "quadrapong".
    """
    if not is_allowed(num_players, MODES):
        raise ArgumentError(f"num_players is {num_players}; pong only supports 2 or 4 players")
    versions = MODES[num_players]
    check(f"game_version for {num_players} players", game_version, versions)
    return Setup("pong", num_players, versions[game_version])


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
