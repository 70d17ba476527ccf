"""Cartridges to play: built-in games, cards that state rules of their own, and ROM images."""

from __future__ import annotations

import ctypes
import functools
import reprlib
import weakref
from collections.abc import Mapping
from ctypes import byref
from dataclasses import dataclass
from typing import Any, TypeAlias

from pyale_ma._base.arguments import integer
from pyale_ma._native.abi import (
    CardInfo,
    GameInfo,
    RomInfo,
    RomOptions,
    Rules,
    Terminal,
    When,
)
from pyale_ma._native.library import bits, check, lib
from pyale_ma._native.owner import Address, Handle, Owner, described, exact, modes_of

TerminalOn: TypeAlias = Mapping[str, str | int]
"""Labels that end episodes: "changes", "rises", "falls", or a number of frames for each."""
Terminals: TypeAlias = tuple[tuple[str, str | int], ...]  # the same, checked

WHENS = {"changes": When.CHANGES, "rises": When.RISES, "falls": When.FALLS}
MOST_STAYED = 2**16 - 1  # frames


@dataclass(frozen=True)
class Game:
    """A game that the library knows.

    Attributes:
        number: Its number in this version of the library.
        name: The field's identifier, such as "ms_pacman".
        title: The name for people.
        md5: MD5 of the supported image, 32 hexadecimal digits.
        rules: The rule sets it has.
    """

    number: int
    name: str
    title: str
    md5: str
    rules: tuple[Rules, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return game_of_name, (self.name,)  # its number may be another there

    def describe(self, rules: Rules) -> GameInfo:
        """Actions, difficulties and players under one rule set (all 0 where the game lacks it)."""
        return described(GameInfo, lib.ale_game_describe, self.number, rules)

    def modes(self, rules: Rules, players: int = 1) -> list[int]:
        """Return the modes for this number of players, ascending."""
        return modes_of(lib.ale_game_modes, self.number, rules, players)

    def default_mode(self, rules: Rules, players: int = 1) -> int:
        """Return the default mode for this number of players; -1: there is none."""
        return self.describe(rules).default_modes[players - 1]


@functools.cache
def games() -> dict[str, Game]:
    """All games by name, in alphabetical order."""

    def game(number: int) -> Game:
        info = described(GameInfo, lib.ale_game_describe, number, Rules.SOLO)
        rules = tuple(Rules(bit) for bit in bits(info.rules))
        return Game(number, info.name.decode(), info.title.decode(), info.md5.decode(), rules)

    return {each.name: each for each in map(game, range(lib.ale_game_count()))}


def game_of_name(name: str) -> Game:
    """The game of this name."""
    return games()[name]


class Card(Owner):
    """A game's rules as a text; immutable, shared by any number of ROMs.

    Args:
        text: The card, UTF-8, at most 64 KiB.

    Raises:
        ValueError: It is not a card; the text says in which line and column, and why.
    """

    __slots__ = ()

    def __init__(self, text: bytes) -> None:
        self._handle = None
        handle = Handle.from_buffer(Address(lib.ale_card_release))
        text = exact(text)
        check(lib.ale_card_create(text, len(text), byref(handle)))
        self._handle = handle

    def describe(self, rules: Rules) -> CardInfo:
        """Names; actions, difficulties and players under one rule set (all 0 where it lacks it)."""
        return described(CardInfo, lib.ale_card_describe, self._handle, rules)

    def modes(self, rules: Rules, players: int = 1) -> list[int]:
        """Return the modes for this number of players, ascending."""
        return modes_of(lib.ale_card_modes, self._handle, rules, players)

    @property
    def variations(self) -> tuple[str, ...]:
        """The names of the card's variations."""
        count = self.describe(Rules.MULTI).variations
        return tuple(lib.ale_card_variation(self._handle, i).decode() for i in range(count))


class Rom(Owner):
    """A cartridge image and what is known of it; immutable, shared by any number of environments.

    Args:
        data: The bytes of an uncompressed ROM file, at most 512 KiB.
        game: None for the game with this MD5; a game's name for its rules, whatever the image; ""
            for no rules.
        scheme: The bank-switching scheme ("4K", "F8", ...), where it should not be detected.
        card: Whose rules apply, instead of a game's.
        variation: One of the card's variations.
        terminals: Labels that end episodes.

    Raises:
        ValueError: These bytes are not a cartridge or not the card's, or a name is unknown.
    """

    __slots__ = ()

    def __init__(
        self,
        data: bytes,
        game: str | None = None,
        *,
        scheme: str | None = None,
        card: Card | None = None,
        variation: str | None = None,
        terminals: Terminals = (),
    ) -> None:
        self._handle = None
        options = RomOptions()
        lib.ale_rom_options_init(byref(options), ctypes.sizeof(options))
        options.game = None if game is None else game.encode()
        options.scheme = None if scheme is None else scheme.encode()
        options.card = None if card is None else card._handle
        options.variation = None if variation is None else variation.encode()
        array = (Terminal * len(terminals))()
        for terminal, (label, when) in zip(array, terminals, strict=True):
            terminal.label = label.encode()
            if isinstance(when, int):
                terminal.when, terminal.frames = When.STAYS, when
            else:
                terminal.when = WHENS[when]
        options.terminals, options.terminal_count = ctypes.addressof(array), len(array)
        handle = Handle.from_buffer(Address(lib.ale_rom_release))
        data = exact(data)
        check(lib.ale_rom_create(data, len(data), byref(options), byref(handle)))
        self._handle = handle

    @property
    def info(self) -> RomInfo:
        """Game, MD5, scheme and format."""
        return described(RomInfo, lib.ale_rom_describe, self._handle)


def checked_terminals(terminal_on: Any) -> Terminals:
    """Return `terminal_on` as pairs; the library checks the names of the labels.

    Raises:
        TypeError: It is not a dict by names.
        ValueError: A value is not allowed.
    """
    if terminal_on is None:
        return ()
    if not isinstance(terminal_on, Mapping) or not all(isinstance(n, str) for n in terminal_on):
        raise TypeError(
            "terminal_on must be a dict by labels, such as {'lives': 'falls'}, "
            f"not {reprlib.repr(terminal_on)}"
        )
    return tuple((label, _when(label, when)) for label, when in terminal_on.items())


def _when(label: str, when: Any) -> str | int:
    if isinstance(when, str) and when in WHENS:
        return when
    try:
        return integer("", when, 1, MOST_STAYED)
    except (TypeError, ValueError) as error:
        allowed = ", ".join(map(repr, WHENS))
        kind = ValueError if isinstance(when, str) else type(error)
        raise kind(
            f"terminal_on[{label!r}] is {reprlib.repr(when)}; it must be {allowed}, or a number of "
            f"frames from 1 to {MOST_STAYED}"
        ) from None


_Key: TypeAlias = tuple[bytes, str | None, Card | None, str | None, Terminals]
_shared_roms: weakref.WeakValueDictionary[_Key, Rom] = weakref.WeakValueDictionary()


def shared_rom(
    data: bytes,
    game: str | None = None,
    card: Card | None = None,
    variation: str | None = None,
    terminals: Terminals = (),
) -> Rom:
    """A `Rom` shared by all callers with the same bytes and rules; it must not be closed."""
    key = (data, game, card, variation, terminals)
    rom = _shared_roms.get(key)
    if rom is None:
        rom = _shared_roms[key] = Rom(
            data, game, card=card, variation=variation, terminals=terminals
        )
    return rom
