"""What the library knows of games without their ROM files: who plays them, and in which modes."""

from pyale_ma import _native
from pyale_ma._native import Rules
from pyale_ma.games import environments

ALONE = [name for name, game in _native.games().items() if Rules.SOLO in game.rules]
SEVERAL = [name for name, game in _native.games().items() if Rules.MULTI in game.rules]

# The environments for several agents, each with its numbers of players.
ENVIRONMENTS = [
    (name, players) for name, it in environments.ENVIRONMENTS.items() for players in it.modes
]


def modes_alone(game: str) -> list[int]:
    """The modes for one agent, as ale-py counts them."""
    return _native.games()[game].modes(Rules.SOLO)


def modes_for(game: str, players: int) -> list[int]:
    """The modes for a number of agents, as multi-agent-ale-py counts them."""
    return _native.games()[game].modes(Rules.MULTI, players)


def modes_of(game: str, players: int) -> list[int]:
    """The modes for a number of players, as `pyale_ma.ALEInterface` counts them."""
    return _native.games()[game].modes(Rules.BY_MODE, players)
