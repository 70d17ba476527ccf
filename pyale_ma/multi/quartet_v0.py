"""Quartet: four paddles guard the four sides of a square field, in five kinds of games.

It comes with this package, and needs no ROM file of anybody's.  In a duel the first agent (left)
plays the second (right); in all others two or four agents play, the third at the top, the fourth at
the bottom, or the cartridge in their stead.  RIGHT moves a paddle up or to the right.  A ball that
meets the end of a paddle leaves at an angle; one returned with the button held leaves faster, but
not in rally and commons.

Rewards: In duel and teams 1 for each point won and -1 for each point lost, the same for both of a
team (first and third against second and fourth).  In melee -1 for each of a player's five lives
that is lost, 5 for the last one left.  In rally 1 for everybody for each return, by whomever.  In
commons 1 for the agent that returns the ball, which takes 4 of a stock of up to 63 that all share,
and which grows again, best when it is half full; nothing while it has fewer than 4, nor for who
holds the button and so lets the stock be.
End: a side has 11 points (duel, teams); one agent is left (melee); the ball was missed three times
(rally); 7168 frames, two minutes, have passed (commons).
"""

from typing import Literal

from pyale_ma.multi.base import ArgumentError
from pyale_ma.multi.page import Setup, check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

# The cartridge's modes, by players and kind; the first kind is the usual one.
MODES = {
    2: {"duel": 2, "melee": 4, "teams": 8, "rally": 12, "commons": 16},
    4: {"melee": 6, "teams": 10, "rally": 14, "commons": 18},
}


def setup(
    num_players: Literal[2, 4] = 4,
    kind: Literal["melee", "duel", "teams", "rally", "commons"] | None = None,
) -> Setup:
    """Which kind of game.

    Args:
        num_players: 2 or 4; the cartridge plays the others.
        kind: "melee" (each for himself), "teams" (two against two), "rally" (together, for long
            exchanges), "commons" (a stock to be shared); for two players also "duel".  None:
            "melee" for four players, "duel" for two.
    """
    if num_players not in MODES:
        raise ArgumentError(f"num_players is {num_players}; quartet only supports 2 or 4 players")
    kinds = MODES[num_players]
    chosen = next(iter(kinds)) if kind is None else kind
    check(f"kind for {num_players} players", chosen, kinds)
    return Setup("quartet", num_players, kinds[chosen])


env, parallel_env, raw_env, vector_options = entry_points(__name__, setup)
