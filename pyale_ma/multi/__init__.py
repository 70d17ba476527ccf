"""Atari games for two to four agents, as PettingZoo environments, equal to PettingZoo's own.

    from pyale_ma.multi import pong_v3

    env = pong_v3.parallel_env(num_players=4)
    observations, infos = env.reset(seed=42)
    while env.agents:
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        observations, rewards, terminations, truncations, infos = env.step(actions)

`ENVIRONMENTS` lists the modules: PettingZoo's 24 Atari environments; games that no other package
has for several players, with version 0; and Quartet, the game that ships with this package.  Each
module has `parallel_env`, `env`, `raw_env` and `vector_options`, which returns the arguments of an
equal `AtariVectorEnv`; the functions of the same names here accept any game and mode.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pettingzoo.utils.deprecated_module import (  # type: ignore[import-untyped]
    deprecated_handler,
)

from pyale_ma.games import environments
from pyale_ma.games.selection import Selection, resolve
from pyale_ma.multi.base import AgentError, ArgumentError, ParallelAtariEnv
from pyale_ma.multi.module_functions import Module
from pyale_ma.multi.multi_interface import ALEInterface

if TYPE_CHECKING:  # modules, imported when they are first used
    from pyale_ma.multi import (
        atlantis_v0 as atlantis_v0,
        backgammon_v0 as backgammon_v0,
        basketball_pong_v3 as basketball_pong_v3,
        blackjack_v0 as blackjack_v0,
        bowling_v0 as bowling_v0,
        boxing_v2 as boxing_v2,
        casino_v0 as casino_v0,
        combat_plane_v2 as combat_plane_v2,
        combat_tank_v2 as combat_tank_v2,
        demon_attack_v0 as demon_attack_v0,
        double_dunk_v3 as double_dunk_v3,
        entombed_competitive_v3 as entombed_competitive_v3,
        entombed_cooperative_v3 as entombed_cooperative_v3,
        fishing_derby_v0 as fishing_derby_v0,
        flag_capture_v2 as flag_capture_v2,
        foozpong_v3 as foozpong_v3,
        freeway_v0 as freeway_v0,
        hangman_v0 as hangman_v0,
        human_cannonball_v0 as human_cannonball_v0,
        ice_hockey_v2 as ice_hockey_v2,
        joust_v3 as joust_v3,
        mario_bros_v3 as mario_bros_v3,
        maze_craze_v3 as maze_craze_v3,
        othello_v3 as othello_v3,
        pong_v3 as pong_v3,
        quadrapong_v4 as quadrapong_v4,
        quartet_v0 as quartet_v0,
        space_invaders_v2 as space_invaders_v2,
        space_war_v2 as space_war_v2,
        surround_v2 as surround_v2,
        tennis_v3 as tennis_v3,
        tic_tac_toe_3d_v0 as tic_tac_toe_3d_v0,
        video_checkers_v4 as video_checkers_v4,
        volleyball_pong_v3 as volleyball_pong_v3,
        warlords_v3 as warlords_v3,
        wizard_of_wor_v3 as wizard_of_wor_v3,
    )

ENVIRONMENTS = tuple(environments.ENVIRONMENTS)

__all__ = [
    "ENVIRONMENTS",
    "ALEInterface",
    "AgentError",
    "ArgumentError",
    "ParallelAtariEnv",
    "env",
    "parallel_env",
    "raw_env",
    "vector_options",
]


def _choose(
    game: str | os.PathLike[str], num_players: int | None = None, mode: int | None = None
) -> Selection:
    """Any game in any of its modes.

    Args:
        game: The game's name, such as "pong"; that of an environment, such as "pong_v3", with its
            players, mode, difficulty and action set; or the path of a card.
        num_players: 1 to 4.  None: the number that the mode has, or the lowest above one.
        mode: One of the game's modes.  None: the default for this number of players.
    """
    chosen = resolve(game, num_players, mode, counts=(2, 3, 4, 1), error=ArgumentError)
    if chosen.num_players == 1 and num_players is mode is None:
        raise ArgumentError(
            f"{chosen.game.name} has no modes for several players; num_players=1 plays it"
        )
    return chosen


_made = Module(__name__, _choose).entry_points()
parallel_env = _made.parallel_env
"""Any game in any of its modes, as a `ParallelAtariEnv`.

`game` is the game's name, an environment's, or the path of a card; `num_players` and `mode` may be
left out; all other arguments are those of `ParallelAtariEnv`.
"""
env = _made.env
"""The same for one agent after the other (PettingZoo's `AECEnv`), with wrappers that check it."""
raw_env = _made.raw_env
"""The same as `env`, without the wrappers."""
vector_options = _made.vector_options
"""The arguments with which an `AtariVectorEnv` plays as `parallel_env` does with the same ones."""


if not TYPE_CHECKING:  # or any name would do

    def __getattr__(name: str) -> ModuleType | Any:
        """An environment's module; for an old version something that says which one is current."""
        if name in ENVIRONMENTS:
            return importlib.import_module(f"{__name__}.{name}")
        try:
            return deprecated_handler(name, __path__, __name__)
        except (AssertionError, ImportError):  # of older versions of PettingZoo
            raise AttributeError(f"cannot import name {name!r} from {__name__!r}") from None


def __dir__() -> list[str]:
    return sorted({*__all__, *ENVIRONMENTS})
