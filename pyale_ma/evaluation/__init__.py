"""Which policy plays better: matches in a batch, their table, ratings and films.

::

    from pyale_ma.evaluation import Arena, RandomPolicy

    arena = Arena("pong", num_players=2, obs_type="ram", stack_num=2)
    results = arena.play({"new": new, "old": old, "random": RandomPolicy(6)}, games=10)
    print(results)  # a table with confidence intervals
    arena.film(results.matches[0], "match.gif")

A policy is a function of observations and seats, see `Policy`.  ``docs/evaluation.md`` is the
guide.
"""

from __future__ import annotations

from pyale_ma.evaluation.arena import Arena
from pyale_ma.evaluation.crossplay import CrossPlay, Share
from pyale_ma.evaluation.elo import Elo
from pyale_ma.evaluation.matches import Match, Results, Standing, duels, lineups
from pyale_ma.opponents.policies import Policy, RandomPolicy, Turn

__all__ = [
    "Arena",
    "CrossPlay",
    "Elo",
    "Match",
    "Policy",
    "RandomPolicy",
    "Results",
    "Share",
    "Standing",
    "Turn",
    "duels",
    "lineups",
]
