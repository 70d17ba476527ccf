"""Quartet: four paddles guard the four sides of a square field, in five kinds of games.

The game comes with this package, so you need no ROM file.  In a duel the first agent (left) plays
the second (right).  In all other kinds two or four agents play: the third is at the top, the fourth
at the bottom.  If two agents play, the cartridge takes the other two places.  RIGHT moves a paddle
up or to the right.  A ball that meets the end of a paddle leaves at an angle.  A ball that is
returned with the button held leaves faster, except in rally and commons.

Rewards: it depends on the kind of game.

* Duel and teams: 1 for each point won and -1 for each point lost, the same for both agents of a
  team (first and third against second and fourth).
* Melee: -1 for each of a player's five lives that is lost, and 5 for the last player left.
* Rally: 1 for everybody for each return, whoever makes it.
* Commons: 1 for the agent that returns the ball.  The return takes 4 of a stock of up to 63 that
  all share.  The stock grows again, fastest when it is half full.  A return pays nothing while the
  stock has fewer than 4.  If the agent holds the button, the return pays nothing and takes nothing.

End: a side has 11 points (duel, teams); one agent is left (melee); the ball was missed three times
(rally); 7168 frames, two minutes, have passed (commons).
"""

from typing import Literal

from pyale_ma.multi.module_functions import check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

# The cartridge's modes, by players and kind.
MODES = {
    2: {"duel": 2, "melee": 4, "teams": 8, "rally": 12, "commons": 16},
    4: {"melee": 6, "teams": 10, "rally": 14, "commons": 18},
}


def mode(
    num_players: Literal[2, 4] = 4,
    kind: Literal["melee", "duel", "teams", "rally", "commons"] | None = None,
) -> int | None:
    """Choose the kind of game.

    Args:
        num_players: 2 or 4; the cartridge plays the others.
        kind: "melee" (each for himself), "teams" (two against two), "rally" (together, for long
            exchanges) or "commons" (a stock to be shared); for two players also "duel".  None means
            "melee" for four players and "duel" for two.
    """
    if kind is None:
        return None
    check(f"kind for {num_players} players", kind, MODES[num_players])
    return MODES[num_players][kind]


env, parallel_env, raw_env, vector_options = entry_points(__name__, mode)
