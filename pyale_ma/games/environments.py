"""Names of environments for several agents, such as "pong_v3", and what they play.

`pyale_ma.multi` has a module of each name.  The names are accepted wherever a game's is, and bring
the module's number of players, mode, difficulty and action set.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


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


def game_named(game: Any) -> Any:
    """The name of an environment's game; anything else is returned as it is."""
    environment = ENVIRONMENTS.get(game) if isinstance(game, str) else None
    return game if environment is None else environment.game


def usual(name: str) -> str:
    """The name with its version, of what has one and is given without, such as "quadrapong"."""
    return _BY_STEM.get(name, name)


def of_other_version(name: str) -> str | None:
    """The environment whose name this is, with another version."""
    stem, _, version = name.rpartition("_v")
    return _BY_STEM.get(stem) if version.isdigit() else None
