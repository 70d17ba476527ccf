"""Casino: two players at one table, blackjack or stud poker against the house.

The paddle chooses the stake and what to do with the cards.  FIRE confirms.  UP and DOWN do nothing.
The first agent has a seat.  The second agent takes a seat by holding FIRE for four frames; in game
3 it must do so before the first agent has pressed FIRE.

Rewards: the chips that an agent wins or loses; it has 1000 at the start.
End: nobody has any chips.  An agent without chips is out.
"""

from typing import Literal

from pyale_ma.multi.module_functions import check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def mode(game_version: Literal[1, 2, 3] = 1) -> int:
    """Choose the game.

    Args:
        game_version: The game's number on the cartridge.  1 and 2 are blackjack, with different
            rules of the house; 3 is stud poker.
    """
    check("game_version", game_version, (1, 2, 3))
    return 99 + game_version


env, parallel_env, raw_env, vector_options = entry_points(__name__, mode)
