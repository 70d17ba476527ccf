"""Space Invaders: shoot the invaders before they land, side by side.

The players share their lives: a life that one of them loses is lost for both.

Rewards: the points of the invaders that the player hit; 200 when the other player is hit.
End: the invaders have landed, or no lives are left.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def mode(
    alternating_control: bool = False,
    moving_shields: bool = True,
    zigzaging_bombs: bool = False,
    fast_bomb: bool = False,
    invisible_invaders: bool = False,
) -> int:
    """Choose what makes the game harder.

    Args:
        alternating_control: The players fire by turns: a player who has fired waits for the other.
        moving_shields: The shields move to and fro.
        zigzaging_bombs: Bombs do not fall straight.  It is spelled as in the original.
        fast_bomb: Bombs fall fast.
        invisible_invaders: Invaders are seen only when one of them is hit.
    """
    flags = (
        moving_shields,
        zigzaging_bombs,
        fast_bomb,
        invisible_invaders,
        alternating_control,
    )
    return 33 + sum(bool(flag) << i for i, flag in enumerate(flags))


env, parallel_env, raw_env, vector_options = entry_points(__name__, mode)
