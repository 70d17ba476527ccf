"""Names of environments for several agents, such as "pong_v3", and what they play.

`pyale_ma.multi` has a module of each name.  The names are accepted wherever a game's is, and bring
the module's number of players, mode, difficulty and action set.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from pyale_ma import _native
from pyale_ma._base.arguments import integer
from pyale_ma._base.text import listed
from pyale_ma._native import Rules

__all__ = ["ENVIRONMENTS", "Environment", "Played", "of_other_version", "played", "usual"]


class Environment(NamedTuple):
    """Defaults of an environment: what it plays unless the caller chooses.

    Attributes:
        game: The game's name.
        modes: The mode by number of players, first that for the usual number; None: the game's
            default.
        difficulty: None for the game's own.
        full_action_space: Whether agents have all 18 actions.
    """

    game: str
    modes: Mapping[int, int | None] = MappingProxyType({2: None})
    difficulty: int | None = None
    full_action_space: bool = False


ENVIRONMENTS = MappingProxyType(
    {
        "atlantis_v0": Environment("atlantis"),
        # Other difficulties lead to the cartridge's set-up mode; the minimal actions lack NOOP.
        "backgammon_v0": Environment("backgammon", difficulty=3, full_action_space=True),
        "basketball_pong_v3": Environment("pong", {2: 45, 4: 49}),
        "blackjack_v0": Environment("blackjack", full_action_space=True),
        "bowling_v0": Environment("bowling"),
        "boxing_v2": Environment("boxing"),
        "casino_v0": Environment("casino", full_action_space=True),
        "combat_plane_v2": Environment("combat", {2: 15}),
        "combat_tank_v2": Environment("combat"),
        "demon_attack_v0": Environment("demon_attack"),
        "double_dunk_v3": Environment("double_dunk"),
        "entombed_competitive_v3": Environment("entombed"),
        "entombed_cooperative_v3": Environment("entombed", {2: 3}),
        "fishing_derby_v0": Environment("fishing_derby"),
        "flag_capture_v2": Environment("flag_capture"),
        "foozpong_v3": Environment("pong", {4: 21, 2: 19}),
        "freeway_v0": Environment("freeway"),
        "hangman_v0": Environment("hangman"),
        "human_cannonball_v0": Environment("human_cannonball"),
        "ice_hockey_v2": Environment("ice_hockey"),
        "joust_v3": Environment("joust"),
        "mario_bros_v3": Environment("mario_bros"),
        "maze_craze_v3": Environment("maze_craze"),
        "othello_v3": Environment("othello"),
        "pong_v3": Environment("pong", {2: None, 4: None}),
        "quadrapong_v4": Environment("pong", {4: 33}),
        "quartet_v0": Environment("quartet", {4: None, 2: None}),
        "space_invaders_v2": Environment("space_invaders"),
        "space_war_v2": Environment("space_war"),
        "surround_v2": Environment("surround"),
        "tennis_v3": Environment("tennis"),
        "tic_tac_toe_3d_v0": Environment("tic_tac_toe_3d"),
        "video_checkers_v4": Environment("video_checkers"),
        "volleyball_pong_v3": Environment("pong", {4: 41, 2: 39}),
        "warlords_v3": Environment("warlords", {4: None}),
        "wizard_of_wor_v3": Environment("wizard_of_wor"),
    }
)
_BY_STEM = {name.rpartition("_")[0]: name for name in ENVIRONMENTS}


class Played(NamedTuple):
    """Settings that are played; None: the caller and the name leave it open.

    Attributes:
        game: A game's name, in any of its spellings, or a card's path.
        num_players: How many play.
        mode: One of the game's modes for this number of players.
        difficulty: One of the game's difficulties.
        full_action_space: Whether they have all 18 actions.
    """

    game: str | os.PathLike[str]
    num_players: int | None = None
    mode: int | None = None
    difficulty: int | None = None
    full_action_space: bool = False


def played(
    game: str | os.PathLike[str],
    num_players: Any = None,
    mode: Any = None,
    difficulty: Any = None,
    full_action_space: Any = False,
    *,
    error: type[Exception] = ValueError,
) -> Played:
    """Complete a caller's settings by those that an environment's name stands for.

    Args:
        game: A name or a card's path.  If it is no environment's name, nothing is added.
        num_players: None: the environment's usual number, or that which has the mode.
        mode: None: the environment's for this number of players.
        difficulty: None: the environment's.
        full_action_space: False: as the environment has it.
        error: What is raised.

    Raises:
        error: The environment is not for this number of players.
        TypeError: `num_players` is no whole number.
    """
    environment = ENVIRONMENTS.get(game) if isinstance(game, str) else None
    if environment is None:
        return Played(game, num_players, mode, difficulty, full_action_space)
    counts, native_game = environment.modes, _native.games()[environment.game]
    if num_players is None:
        having = (n for n in counts if mode in native_game.modes(Rules.MULTI, n))
        num_players = next(having, next(iter(counts)))
    if integer("num_players", num_players, None) not in counts:
        raise error(
            f"num_players is {num_players!r}; {game} is for {listed(sorted(counts))} players: "
            f"{environment.game!r} names the game"
        )
    if mode is None and (mode := counts[num_players]) is None:
        mode = native_game.default_mode(Rules.MULTI, num_players)
    return Played(
        environment.game,
        num_players,
        mode,
        environment.difficulty if difficulty is None else difficulty,
        full_action_space or environment.full_action_space,
    )


def usual(name: str) -> str:
    """The name with its version, of what has one and is given without, such as "quadrapong"."""
    return _BY_STEM.get(name, name)


def of_other_version(name: str) -> str | None:
    """The environment whose name this is, with another version."""
    stem, _, version = name.rpartition("_v")
    return _BY_STEM.get(stem) if version.isdigit() else None
