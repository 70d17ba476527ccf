"""Games by name or by card: one way to ask either for its modes and its cartridge.

A card is a text file that states the rules of a game (docs/cards.md).  Wherever a game's name is
accepted, the path of a card is: anything that ends in ``.toml``, or a `pathlib.Path`.
"""

from pyale_ma.games.cards import Card, is_card, load_card

__all__ = ["Card", "is_card", "load_card"]
