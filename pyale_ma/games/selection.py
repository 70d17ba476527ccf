"""Who plays what: `resolve` decides it once, for all layers.

A card and a ROM file are read once.  The `Selection` keeps what was read, and so do its copies and
pickles: whatever becomes of the files, or of the current folder, the same is played.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pyale_ma import _native
from pyale_ma._base.arguments import flag, integer
from pyale_ma._base.text import listed
from pyale_ma._native import Rules
from pyale_ma.games import cards, rom_files
from pyale_ma.games.environments import ENVIRONMENTS, Environment, game_named
from pyale_ma.games.modes import modes_by_players, no_mode, ranges


@dataclass(frozen=True)
class Image:
    """The image of a game, read from its ROM file when it is first asked for, and once.

    Attributes:
        game: The game, or the card.
        place: The ROM file, or the folder where it is looked for; None: the usual places.
    """

    game: _native.Game | cards.Card
    place: str | None

    @functools.cached_property
    def _read(self) -> tuple[str, bytes]:
        """The path of the ROM file, and its contents."""
        file = os.path.abspath(rom_files.find_file(self.game, self.place))
        return file, rom_files.read(file)

    @property
    def path(self) -> str:
        """The path of the ROM file.

        Raises:
            FileNotFoundError: It was not found; the text says how to get one.
            ValueError: The file at `place` is not this game's.
        """
        return self._read[0]

    @property
    def data(self) -> bytes:
        """Its contents; see `path`."""
        return self._read[1]


@dataclass(frozen=True)
class Selection:
    """A game, its players, their mode, difficulty and actions.

    Attributes:
        game: The game that the library knows, or the card that states its rules.
        environment: The name of an environment for several agents, such as "pong_v3", by which it
            was chosen; "": by that of a game, or by a card.
        num_players: Number of players; None: one, under ale-py's rules.
        mode: One of the game's modes for this number of players.
        difficulty: One of the game's difficulties; None: its own.
        full_action_space: Whether players have all 18 actions.
        variation: One of the card's variations; None: no variation.
        rules: The rules under which is played.
        is_chosen: Whether the mode or the difficulty was, by the caller or an environment's name.
        image: The game's image, shared by all selections that `resolve` makes of this one.
    """

    game: _native.Game | cards.Card
    environment: str
    num_players: int | None
    mode: int
    difficulty: int | None
    full_action_space: bool
    variation: str | None
    rules: Rules
    is_chosen: bool
    image: Image

    @property
    def source(self) -> str:
        """The game's name, or the path of its card."""
        return cards.source_of(self.game)

    @property
    def players(self) -> int:
        """The number of players, also where it is one under ale-py's rules."""
        return 1 if self.num_players is None else self.num_players

    @property
    def action_set(self) -> list[int]:
        """The players' actions, by ale-py's numbers, in the order of their indices."""
        info = self.game.describe(self.rules)
        return _native.bits(info.legal_actions if self.full_action_space else info.minimal_actions)

    def rom(self, terminals: _native.Terminals = ()) -> _native.Rom:
        """The cartridge, shared by all who play the same.

        Raises:
            FileNotFoundError: The ROM file was not found; the text says how to get one.
            ValueError: It is not this game's, or the game has no such label.
        """
        return cards.shared_rom(self.image.data, self.game, self.variation, terminals)


AnyGame: TypeAlias = str | os.PathLike[str] | _native.Game | cards.Card | Image | Selection


def resolve(
    game: AnyGame,
    num_players: Any = None,
    mode: Any = None,
    difficulty: Any = None,
    full_action_space: Any = False,
    variation: str | None = None,
    *,
    counts: Sequence[int] = (1, 2, 3, 4),
    rules: Rules | None = Rules.MULTI,
    place: str | os.PathLike[str] | None = None,
    error: Callable[[str], Exception] = ValueError,
) -> Selection:
    """Decide who plays what.

    Args:
        game: A game's name; that of an environment for several agents, such as "pong_v3", which
            brings what is left open; a card's path; or a game, a card, an image or a selection that
            is here already: no file is read again.
        num_players: None: the first of `counts`, or of the environment's, that has the mode.
        mode: None: the environment's, or the game's default for this number of players.
        difficulty: None: the environment's, or the game's own.
        full_action_space: False: as the environment has it.
        variation: One of the card's variations.
        counts: Numbers of players of a game.  Empty: one player, under ale-py's rules, unless
            a number is given.
        rules: Whose modes they are; None: for one player ale-py's, where the game has them.
        place: The ROM file, or a folder to look in instead of the usual places.
        error: Makes what is raised where the game does not have what is asked for.

    Raises:
        error: There is no such mode, difficulty or variation, or not for this number of players.
        FileNotFoundError: There is no such card.
        TypeError: An argument is of the wrong type.
        ValueError: There is no such game, or the card has a mistake.
    """
    if num_players is not None:
        num_players = integer("num_players", num_players, None)
    if mode is not None:
        mode = integer("mode", mode, None)
    if difficulty is not None:
        difficulty = integer("difficulty", difficulty, None)
    image, name = _read(game, place, has_environments=rules is not Rules.SOLO)
    known = image.game
    environment = ENVIRONMENTS.get(name, Environment(known.name, {}))
    if environment.modes:
        counts = tuple(environment.modes)
        if num_players is not None and num_players not in counts:
            raise error(
                f"num_players is {num_players}; {name} is for {listed(sorted(counts))} players: "
                f"{environment.game!r} names the game"
            )
    alone = num_players is None and not counts
    if alone:
        counts, rules = (1,), Rules.SOLO
    elif rules is None:
        num_players = 1 if num_players is None and counts[0] == 1 else num_players
        is_solo = num_players == 1 and Rules.SOLO in known.rules
        rules = Rules.SOLO if is_solo else Rules.MULTI
    counts = counts or (1, 2, 3, 4)
    players, default = _players_and_default(known, num_players, mode, counts, rules, error)
    is_chosen = bool(name) or mode is not None or difficulty is not None
    if mode is None:
        mode = environment.modes.get(players)
    if difficulty is None:
        difficulty = environment.difficulty
    difficulties = _native.bits(known.describe(rules).difficulties)
    if difficulty is not None and difficulty not in difficulties:
        has = ranges(difficulties)
        raise error(f"{known.name} has no difficulty {difficulty}; it has {has}")
    cards.check_variation(known, variation, error)
    return Selection(
        known,
        name,
        None if alone else players,
        default if mode is None else mode,
        difficulty,
        flag("full_action_space", full_action_space) or environment.full_action_space,
        variation,
        rules,
        is_chosen,
        image,
    )


def image_of(game: AnyGame) -> Image:
    """Return the image of a game, of a card, or of what has one already."""
    return _read(game, None, has_environments=False)[0]


def _read(
    game: AnyGame, place: str | os.PathLike[str] | None, *, has_environments: bool
) -> tuple[Image, str]:
    """Return a game with its image, and the name of an environment that it was chosen by."""
    if isinstance(game, (Selection, Image)):
        image, name = (game.image, game.environment) if isinstance(game, Selection) else (game, "")
        if place is None:
            return image, name
        known = image.game
    else:
        is_environment = has_environments and game_named(game) is not game
        name = str(game) if is_environment else ""
        known = rom_files.game_of(game_named(game) if is_environment else game)
    return Image(known, None if place is None else os.path.abspath(place)), name


def _players_and_default(
    game: _native.Game | cards.Card,
    num_players: int | None,
    mode: int | None,
    counts: Sequence[int],
    rules: Rules,
    error: Callable[[str], Exception],
) -> tuple[int, int]:
    """Return a number of players that has the mode, and the game's default mode for it."""
    name, by_players = cards.place_of(game), modes_by_players(game, counts, rules)
    if rules is Rules.SOLO and not by_players:
        raise error(
            f"{name} cannot be played alone; pyale_ma.multi plays it, and AtariVectorEnv with "
            "num_players"
        )
    several = listed(counts) if 1 in counts else "several"
    if num_players is None:
        if not by_players:
            raise error(f"{name} has no modes for {several} players")
        num_players = next((n for n in by_players if mode is None or mode in by_players[n]), None)
        if num_players is None:
            if mode is not None and rules is Rules.SOLO:
                raise error(no_mode(game, mode, None, rules))
            raise error(f"{name} has no mode {mode}; modes by players: {by_players}")
    if num_players not in by_players:
        has = f"has no modes for {several} players"
        if by_players:
            plural = "" if [*by_players] == [1] else "s"
            has = f"only supports {listed(sorted(by_players))} player{plural}"
        raise error(f"num_players is {num_players}; {name} {has}")
    if mode is not None and mode not in by_players[num_players]:
        raise error(no_mode(game, mode, num_players, rules))
    return num_players, game.default_mode(rules, num_players)
