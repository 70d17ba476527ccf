"""Pong: keep the ball out of your goal, get it into theirs.

The collection Video Olympics has many games of this kind, most of them for two or for four players.
Four play in two teams: the first and the third agent against the second and the fourth.

Rewards: 1 for each point scored and -1 for each point lost, the same for both agents of a team.  A
player who holds the serve back for 120 frames gets -1, and nobody gains by it.
End: a side has 21 points.
"""

from typing import Literal

from pyale_ma.games.environments import ENVIRONMENTS
from pyale_ma.multi.module_functions import check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

# The modes of each game of the cartridge, by players; None: the default.
_VERSIONS = {
    "classic": ENVIRONMENTS["pong_v3"].modes,
    "two_paddles": {2: 10, 4: 11},
    "soccer": {2: 14, 4: 16},
    "foozpong": ENVIRONMENTS["foozpong_v3"].modes,
    "hockey": {2: 27, 4: 29},
    "quadrapong": ENVIRONMENTS["quadrapong_v4"].modes,
    "handball": {2: 35, 4: 37},
    "volleyball": ENVIRONMENTS["volleyball_pong_v3"].modes,
    "basketball": ENVIRONMENTS["basketball_pong_v3"].modes,
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


def mode(num_players: Literal[2, 4] = 2, game_version: Version = "classic") -> int | None:
    """Choose one of the games of Video Olympics.

    Args:
        num_players: 2 or 4.
        game_version: "classic", "two_paddles" (each player moves two), "soccer", "foozpong",
            "hockey", "handball", "volleyball" or "basketball"; for four players also "quadrapong".
    """
    versions = [name for name, modes in _VERSIONS.items() if num_players in modes]
    check(f"game_version for {num_players} players", game_version, versions)
    return _VERSIONS[game_version][num_players]


env, parallel_env, raw_env, vector_options = entry_points(__name__, mode)
