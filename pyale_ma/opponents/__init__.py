"""Opponents: players for every seat, and environments in which one's own agent plays them.

::

    import gymnasium

    import pyale_ma
    from pyale_ma import opponents

    env = gymnasium.make("pyale_ma/Versus-v0", game="pong", opponent="strong")
    envs = opponents.VersusVectorEnv("pong", 64, opponent="middle")
    player = opponents.load("pong", "weak")  # a policy, for an arena or anything else
    print(opponents.rate(player, "pong_v3"))  # how strong it is, on a scale with the others

``docs/opponents.md`` is the guide.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pyale_ma.opponents.catalogue import (
    SCRIPTED,
    Contest,
    available,
    contest,
    load,
    load_file,
)
from pyale_ma.opponents.console import ConsoleOpponents
from pyale_ma.opponents.planner import Planner
from pyale_ma.opponents.scripted import StickyPolicy, StillPolicy
from pyale_ma.opponents.seats import Pool
from pyale_ma.opponents.trained import TrainedPolicy
from pyale_ma.opponents.versus import VersusEnv
from pyale_ma.opponents.versus_vector import VersusVectorEnv
from pyale_ma.opponents.weights import LEVELS, Level, Trained

if TYPE_CHECKING:
    from pyale_ma.evaluation.rating import (
        Rated as Rated,
        RatingTable as RatingTable,
        rate as rate,
        rating_table as rating_table,
    )

__all__ = [
    "LEVELS",
    "SCRIPTED",
    "ConsoleOpponents",
    "Contest",
    "Level",
    "Planner",
    "Pool",
    "Rated",
    "RatingTable",
    "StickyPolicy",
    "StillPolicy",
    "Trained",
    "TrainedPolicy",
    "VersusEnv",
    "VersusVectorEnv",
    "available",
    "contest",
    "load",
    "load_file",
    "rate",
    "rating_table",
]


_RATINGS = (
    "Rated",
    "RatingTable",
    "rate",
    "rating_table",
)  # of whose matches opponents know nothing

if not TYPE_CHECKING:  # or any name would do

    def __getattr__(name: str) -> Any:
        if name in _RATINGS:
            return getattr(import_module("pyale_ma.evaluation.rating"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
