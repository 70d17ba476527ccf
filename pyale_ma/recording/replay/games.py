"""Games of recordings: how headers name them, and how they are found for a replay."""

from __future__ import annotations

from pathlib import Path

from pyale_ma import _native
from pyale_ma._base.text import printable
from pyale_ma._native import VERSION
from pyale_ma.games import cards, rom_files
from pyale_ma.games.selection import AnyGame, Image, image_of
from pyale_ma.recording.file.format import Played, RecordingError

_CARD = Path("game.toml")  # what messages call a card that comes from a recording


def played_game(game: AnyGame, md5: str, variation: str | None) -> Played:
    """Return what a header says of a game; of a card, the text that was read."""
    rules = image_of(game).game
    text = rules.text.decode("utf-8-sig") if isinstance(rules, cards.Card) else None
    if text is not None:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Played(rules.name, md5, text, variation)


def find_game(played: Played) -> Image:
    """Return the game, or the card in the file's own words, that a header names.

    Raises:
        RecordingError: There is none of this name and image, or the card has a mistake.
        FileNotFoundError: No file here has the image of the card.
    """
    if played.card is not None:
        return _find_card(played, played.card)
    game = _native.games().get(played.name)
    if game is None:
        raise RecordingError(
            f"its game {printable(played.name)!r} is unknown to pyale_ma {VERSION}"
        )
    if game.md5 != played.md5:
        here = f"this pyale_ma plays the one with {game.md5}: play it with the one that wrote it"
        raise _another_image(played, here)
    return Image(game, None)


def _find_card(played: Played, text: str) -> Image:
    try:
        card = cards.card_of(_CARD, text.encode())
    except ValueError as mistake:
        raise RecordingError(f"its card has a mistake: {printable(mistake)}") from None
    if card.name != played.name:
        raise RecordingError(
            f"its game is {printable(played.name)!r}, that of its card {printable(card.name)!r}"
        )
    if card.md5 not in ("", played.md5):
        here = f"its card names the one with {card.md5}: it was changed since it was written"
        raise _another_image(played, here)
    return Image(card, str(rom_files.find_image(played.md5)))


def _another_image(played: Played, here: str) -> RecordingError:
    return RecordingError(
        f"it was played with an image of {played.name} whose MD5 is {played.md5}; {here}"
    )
