"""Hangman: two players guess the letters of one word, each until a guess fails.

UP and DOWN choose a letter, and FIRE guesses it.  An episode is one word.

Rewards: 1 for the agent that completes the word.
End: the word is complete, the man is hanged, or nothing has been guessed for 256 seconds.
"""

from typing import Literal

from pyale_ma.multi.module_functions import check, entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]


def mode(game_version: Literal[5, 6, 7, 8] = 5) -> int:
    """Choose the vocabulary.

    Args:
        game_version: The game's number on the cartridge: 5 has the easiest words, 8 the hardest.
    """
    check("game_version", game_version, (5, 6, 7, 8))
    return 99 + game_version


env, parallel_env, raw_env, vector_options = entry_points(__name__, mode)
