"""Games by name or by card: one way to ask either for its modes and its cartridge."""

from __future__ import annotations

import difflib
import functools
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyale_ma import _native
from pyale_ma._base.files import read_file
from pyale_ma._base.text import printable
from pyale_ma._native import Rules

_MOST_READ = 64 * 1024  # of a card; libale's CARD_TEXT_SIZE


def is_card(game: str | os.PathLike[str]) -> bool:
    """Whether this names a game by the path of a card."""
    return isinstance(game, os.PathLike) or (isinstance(game, str) and game.endswith(".toml"))


@dataclass(frozen=True)
class Card:
    """A loaded card, with the attributes of a built-in game.

    Attributes:
        path: The card's file; absolute, as the current folder may change.
        native: The library's object.
        name: Its name, title and MD5 ("": any image's), as the card states them.
        title: See `name`.
        md5: See `name`.
        rom: The name of the ROM file beside the card; "": none is named.
        rules: The rule sets that it can be played under.
        variations: The names of its variations.
        digest: The SHA-256 of its text, in hexadecimal digits.
        text: Its text, as it was read.
    """

    path: Path
    native: _native.Card
    name: str
    title: str
    md5: str
    rom: str
    rules: tuple[Rules, ...]
    variations: tuple[str, ...]
    digest: str
    text: bytes = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return card_of, (self.path, self.text)

    def describe(self, rules: Rules) -> _native.CardInfo:
        """Actions, difficulties and players (all 0 where one player cannot play alone)."""
        return self.native.describe(rules)

    def modes(self, rules: Rules, players: int = 1) -> list[int]:
        """Return the modes for this number of players, ascending."""
        return self.native.modes(rules, players)

    def default_mode(self, rules: Rules, players: int = 1) -> int:
        """Return the default mode for this number of players; -1: there is none."""
        return self.describe(rules).default_modes[players - 1]


def load_card(path: str | os.PathLike[str]) -> Card:
    """Read a card.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is not a valid card; the text says in which line and column, and why.
    """
    file = Path(path).absolute()
    if not file.is_file():
        raise FileNotFoundError(f"There is no card {printable(os.fspath(path))}")
    return card_of(file, read_file(file, _MOST_READ))


@functools.lru_cache(maxsize=256)
def card_of(path: Path, text: bytes) -> Card:
    """Return the card with this text, which a file has or had; see `load_card`."""
    try:
        native = _native.Card(text)
    except ValueError as error:
        raise ValueError(f"{printable(path)}: {printable(error)}") from None
    info = native.describe(Rules.MULTI)
    return Card(
        path,
        native,
        info.name.decode(),
        info.title.decode(),
        info.md5.decode(),
        info.rom.decode(),
        tuple(Rules(bit) for bit in _native.bits(info.rules)),
        native.variations,
        hashlib.sha256(text).hexdigest(),
        text,
    )


def check_variation(
    game: _native.Game | Card,
    variation: str | None,
    error: Callable[[str], Exception] = ValueError,
) -> None:
    """Raise an error, naming the nearest, unless a variation is None or one of the game's."""
    variations = game.variations if isinstance(game, Card) else ()
    if variation is None or variation in variations:
        return
    near = difflib.get_close_matches(str(variation), variations, n=3) or variations
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "it has none."
    raise error(f"{place_of(game)} has no variation {variation!r}; {hint}")


def place_of(game: _native.Game | Card) -> str:
    """Return a game's name, or a card's file, as messages show it."""
    return printable(game.path) if isinstance(game, Card) else game.name


def source_of(game: _native.Game | Card) -> str:
    """Return a game's name, or a card's file, by which it can be opened."""
    return str(game.path) if isinstance(game, Card) else game.name


def shared_rom(
    data: bytes,
    game: _native.Game | Card,
    variation: str | None = None,
    terminals: _native.Terminals = (),
) -> _native.Rom:
    """The cartridge of a game, shared by all who ask for the same.

    Raises:
        ValueError: The bytes are not a cartridge or not the game's, or there is no such
            variation or label.
    """
    check_variation(game, variation)
    if not isinstance(game, Card):
        rom = _native.shared_rom(data, terminals=terminals)
        if (md5 := rom.info.md5.decode()) != game.md5:  # the file has changed since it was found
            raise ValueError(
                f"the ROM of {game.name!r} has the MD5 {game.md5}, but what was read has {md5}: "
                "put the file back that was there"
            )
        return rom
    try:
        return _native.shared_rom(data, card=game.native, variation=variation, terminals=terminals)
    except ValueError as error:
        raise ValueError(f"{game.path}: {error}") from None
