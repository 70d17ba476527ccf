"""Which players there are, and how they are loaded."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyale_ma import _native
from pyale_ma._base.arguments import known_names
from pyale_ma._base.text import listed, printable
from pyale_ma._native import Rules
from pyale_ma.games import cards, environments, rom_files
from pyale_ma.games.environments import ENVIRONMENTS
from pyale_ma.games.selection import AnyGame, Selection, resolve
from pyale_ma.opponents.planner import Planner, planner_settings
from pyale_ma.opponents.policies import Player, RandomPolicy
from pyale_ma.opponents.rules import MOST_FRAMES, RULES, RulesPolicy
from pyale_ma.opponents.scripted import StickyPolicy, StillPolicy
from pyale_ma.opponents.trained import TrainedPolicy
from pyale_ma.opponents.weights import LEVELS, Trained, read

__all__ = ["LEVELS", "SCRIPTED", "Contest", "available", "contest", "load", "load_file"]

SCRIPTED = ("random", "still", "sticky")
PLANNER, RULED = "planner", "rules"
# Games whose copies hold the next dice, cards or words, or where the flag is.
HIDDEN = ("backgammon", "blackjack", "casino", "flag_capture", "hangman")
SUFFIX = ".players"
FOLDER = Path(__file__).parent / "players"
_NOOP = 0


@dataclass(frozen=True)
class Contest:
    """A game, its mode and its number of players.

    Attributes:
        game: The game's name, or the path of a card.
        players: Seats.
        mode: The game's mode.
    """

    game: str
    players: int
    mode: int

    def __str__(self) -> str:
        return f"{printable(self.game)} for {self.players} players in mode {self.mode}"

    @property
    def stem(self) -> str:
        """The name of files of a game's players, without their suffix."""
        name = Path(self.game).stem if cards.is_card(self.game) else self.game
        return f"{name}-{self.players}-{self.mode}"


def contest(
    name: str | os.PathLike[str] | Contest,
    num_players: int | None = None,
    mode: int | None = None,
) -> Contest:
    """Return the contest that a game's name usually stands for.

    Args:
        name: The name of an environment for several agents, such as "pong_v3", which chooses a
            number of players and a mode, or without its version, "pong"; that of another game,
            such as "combat"; the path of a card; or a contest.
        num_players: 2 to 4; None: the environment's, or the lowest that the game has.
        mode: One of the game's modes; None: the environment's, or the game's default.

    Examples:
        ```python
        from pyale_ma import opponents

        print(opponents.contest("quartet", 2))
        ```

    Raises:
        TypeError: `num_players` or `mode` is not a whole number.
        ValueError: There is no such game, or not for this number of players in this mode.
        FileNotFoundError: There is no such card.
    """
    return contest_played(select(name, num_players, mode))


def select(
    name: AnyGame | Contest,
    num_players: int | None = None,
    mode: int | None = None,
    difficulty: int | None = None,
    full_action_space: bool = False,
) -> Selection:
    """Decide who plays what, as `contest` does; difficulty and actions are those of `resolve`."""
    if isinstance(name, Contest):
        if num_players not in (None, name.players) or mode not in (None, name.mode):
            raise ValueError(f"num_players is {num_players}, mode {mode}; the contest is {name}")
        num_players, mode, name = name.players, name.mode, name.game
    elif isinstance(name, str) and not cards.is_card(name) and name not in ENVIRONMENTS:
        with_version = environments.usual(name)
        if name not in _native.games() and with_version in ENVIRONMENTS:
            name = with_version
        else:
            name = rom_files.known_game(name)
            if num_players is None and mode is None:
                name = environments.usual(name)
    return resolve(name, num_players, mode, difficulty, full_action_space, counts=(2, 3, 4))


def contest_played(played: Selection) -> Contest:
    """Return the contest that is played."""
    return Contest(played.source, played.players, played.mode)


def has_rules(played: Contest) -> bool:
    """Whether a player follows rules of this contest."""
    return (played.game, played.players, played.mode) in RULES


def contest_of(trained: Trained) -> Contest:
    """Return the contest that trained players have learned."""
    return Contest(trained.game, trained.players, trained.mode)


@functools.cache
def _trained() -> dict[Contest, Trained]:
    """All trained players of the package."""
    players = {}
    for file in sorted(FOLDER.glob(f"*{SUFFIX}")):
        trained = load_file(file)
        players[contest_of(trained)] = trained
    return players


def load_file(path: str | os.PathLike[str]) -> Trained:
    """Read the players that a training has written.

    Args:
        path: The file.

    Returns:
        What it holds; `TrainedPolicy` makes policies of it.  Whether players of a card fit to a
        card is seen where they are to play.

    Raises:
        ValueError: The file is damaged, or its players are of another image or mode than this
            version of the game has.
        OSError: It cannot be read.
    """
    trained = read(path)
    if trained.card:
        return trained
    game = _native.games()[trained.game]
    file = printable(path)
    if game.md5 != trained.md5:
        raise ValueError(
            f"{file}: its players learned {trained.game} with the MD5 {trained.md5}, which is "
            f"{game.md5}"
        )
    game_modes = game.modes(Rules.MULTI, trained.players)
    if trained.mode not in game_modes:
        raise ValueError(
            f"{file}: its players learned mode {trained.mode}; {trained.game} has {game_modes} for "
            f"{trained.players} players"
        )
    legal = _native.bits(game.describe(Rules.MULTI).legal_actions)
    if not {*trained.actions} <= {*legal}:
        raise ValueError(
            f"{file}: its players learned the actions {list(trained.actions)}; {trained.game} has "
            f"{legal}"
        )
    return trained


def available() -> list[Trained]:
    """The trained players of the package: of each game the levels, and how well they play.

    The scripted players, `SCRIPTED`, play any game for several players.

    Examples:
        ```python
        from pyale_ma import opponents

        for trained in opponents.available():
            print(trained.game, trained.players, trained.mode, *trained.levels)
        ```
    """
    return list(_trained().values())


@known_names
def load(
    name: str | os.PathLike[str] | Contest,
    level: str = "strong",
    *,
    num_players: int | None = None,
    mode: int | None = None,
    frameskip: int | None = None,
    full_action_space: bool = False,
) -> Player:
    """Load a player.

    Args:
        name: A game, such as "pong", an environment, such as "pong_v3", or a contest.
        level: "weak", "middle" or "strong", which are trained; "planner", which looks ahead (see
            `Planner`); "rules", which follows rules of some games; or "random", "still" (does
            nothing) or "sticky" (random, and mostly what it did before).
        num_players: For how many players the game is; None as in `contest`.
        mode: The game's mode; None as in `contest`.
        frameskip: The frames of a step there; None: not known.
        full_action_space: Actions are indices into all 18, as of environments that were made so;
            of an environment that has them all they are anyway.

    Returns:
        A policy for `pyale_ma.evaluation.Arena` and for environments against opponents: for trained
        levels a `TrainedPolicy`.

    Examples:
        ```python
        from pyale_ma import opponents
        from pyale_ma.evaluation import Arena

        player = opponents.load("quartet", "strong", num_players=2)
        arena = Arena("quartet", 2, mode=2, obs_type="ram", stack_num=1)
        arena.play({"player": player, "random": "random"})
        ```

    Raises:
        TypeError: `num_players` or `mode` is not a whole number, or `full_action_space` no flag.
        ValueError: There is no such game, level or player, or it was trained with another
            frameskip; the text says what there is.
    """
    played = select(name, num_players, mode, full_action_space=full_action_space)
    return _load(level, played, frameskip)


def _load(level: str, played: Selection, frameskip: int | None) -> Player:
    if level in SCRIPTED:
        return _scripted(level, played.action_set)
    if level == PLANNER:
        if played.game.name in HIDDEN:
            raise ValueError(
                f"there is no planner of {contest_played(played)}: it tries plans on copies of the "
                "game, which hold what a player must not know, such as the next cards"
            )
        return Planner(**planner_settings().get(contest_played(played).stem, {}))
    meeting = contest_played(played)
    if level == RULED and has_rules(meeting):
        if frameskip is not None and frameskip > MOST_FRAMES:
            raise ValueError(
                f"frameskip is {frameskip}; the rules of {meeting} need {MOST_FRAMES} at most"
            )
        rule = RULES[meeting.game, meeting.players, meeting.mode]
        return RulesPolicy(rule, played.action_set)
    trained = None if isinstance(played.game, cards.Card) else _trained().get(meeting)
    if trained is None or level not in tuple(trained.levels):
        raise ValueError(_nobody(meeting, trained, level))
    policy = TrainedPolicy(trained, level, played.action_set)
    if frameskip is not None:
        _check_fits(policy, played, frameskip)
    return policy


def fitted(opponent: str | TrainedPolicy, played: Selection, frameskip: int) -> Player:
    """The opponent of a level's name, or a trained player, which must know what is played.

    Raises:
        ValueError: As of `load`; or the player learned something else.
    """
    if isinstance(opponent, str):
        return _load(opponent, played, frameskip)
    _check_fits(opponent, played, frameskip)
    return opponent


def _check_fits(policy: TrainedPolicy, played: Selection, frameskip: int) -> None:
    """See that a trained player knows a game, and means the same by an action's number.

    Raises:
        ValueError: It learned something else.
    """
    trained, game, actions = policy.trained, played.game, played.action_set
    here, learned = Contest(game.name, played.players, played.mode), contest_of(trained)
    if learned != here:
        raise ValueError(
            f"this player was trained for {learned}, not for {contest_played(played)}: "
            f"give {_changes(here, learned)}, or take another player"
        )
    if trained.card != (game.digest if isinstance(game, cards.Card) else ""):
        other = "a card of this name, as its text was then" if trained.card else "the game itself"
        raise ValueError(f"this player was trained for {other}, not for {cards.place_of(game)}")
    if trained.frameskip != frameskip:
        raise ValueError(
            f"this player was trained with frameskip={trained.frameskip}, not {frameskip}: "
            f"give frameskip={trained.frameskip}, or take another player"
        )
    if policy.action_set != tuple(actions):
        raise ValueError(
            f"this player chooses from the actions {list(policy.action_set)}, and here are "
            f"{list(actions)}: load it by its level, or make TrainedPolicy with this action_set"
        )


def _changes(played: Contest, learned: Contest) -> str:
    """The arguments that make one contest the other."""
    pairs = (
        ("game", played.game, learned.game),
        ("num_players", played.players, learned.players),
        ("mode", played.mode, learned.mode),
    )
    return listed(f"{name}={value!r}" for name, before, value in pairs if before != value)


def _scripted(level: str, actions: list[int]) -> Player:
    if level == "still":
        return StillPolicy(actions.index(_NOOP) if _NOOP in actions else 0)
    return (RandomPolicy if level == "random" else StickyPolicy)(len(actions))


def check_level(level: Any) -> None:
    """ValueError: no player of any game has this name."""
    every = (*LEVELS, PLANNER, RULED, *SCRIPTED)
    if level not in every:
        raise ValueError(f"level is {level!r}; it must be {', '.join(every)}")


def untrained_levels(played: Contest) -> list[str]:
    """Return which of "planner" and "rules" there are."""
    there = {PLANNER: played.game not in HIDDEN, RULED: has_rules(played)}
    return [level for level, is_there in there.items() if is_there]


def _nobody(played: Contest, trained: Trained | None, level: Any) -> str:
    """Return the message for missing players, which lists those there are."""
    untrained = (*untrained_levels(played), *SCRIPTED)
    if trained is not None:
        there = ", ".join((*trained.levels, *untrained))
        return f"level is {level!r}; for {played} there are {there}"
    check_level(level)
    same = "; ".join(
        f"{other} ({_changes(played, other)})" for other in _trained() if other.game == played.game
    )
    others = (
        f"players were trained for {same}" if same else "opponents.available() lists what has some"
    )
    return f"there is no {level} player of {played}: {others}; {', '.join(untrained)} play it"
