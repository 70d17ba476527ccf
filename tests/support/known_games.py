"""What the library knows of games without their ROM files: who plays them, and in which modes."""

from pyale_ma import _native
from pyale_ma._native import Rules

ALONE = [name for name, game in _native.games().items() if Rules.SOLO in game.rules]
SEVERAL = [name for name, game in _native.games().items() if Rules.MULTI in game.rules]


def modes_alone(game: str) -> list[int]:
    """The modes for one agent, as ale-py counts them."""
    return _native.games()[game].modes(Rules.SOLO)


def modes_for(game: str, players: int) -> list[int]:
    """The modes for so many agents, as multi-agent-ale-py counts them."""
    return _native.games()[game].modes(Rules.MULTI, players)
