"""Games of recordings: how headers name them, and how they are found for a replay."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

from pyale_ma import _native
from pyale_ma._base.text import printable
from pyale_ma._native import VERSION
from pyale_ma.games import cards, rom_files
from pyale_ma.games.selection import Selection
from pyale_ma.recording.file.format import Played, RecordingError


def played_game(game: Any, md5: str, variation: str | None) -> Played:
    """Return what a header says of a game; of a card, the text that was read."""
    rules = game.game if isinstance(game, Selection) else rom_files.game_of(game)
    text = rules.text.decode("utf-8-sig") if isinstance(rules, cards.Card) else None
    if text is not None:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Played(rules.name, md5, text, variation)


class Folder:
    """A new folder, which is removed when nobody has it any more, but not by a forked process."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp())
        self.remove = weakref.finalize(self, _remove, self.path, os.getpid())


def _remove(path: Path, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(path, ignore_errors=True)


def find_game(played: Played, home: Path) -> str:
    """Return the name of a game, or the path of its card, which is written to a new folder."""
    game = played.name
    if played.card is not None:
        home.mkdir()
        # The library refuses cards whose `rom` has a folder, or begins with a dot as this name.
        game = os.fspath(home / ".game.toml")
        Path(game).write_text(played.card, encoding="utf-8")
    elif game not in _native.games():  # nor a path of the reader's
        raise RecordingError(f"its game {printable(game)!r} is unknown to pyale_ma {VERSION}")
    try:
        rules = rom_files.game_of(game)
    except ValueError as mistake:
        raise RecordingError(f"its card has a mistake: {printable(mistake)}") from None
    if played.card is not None and rules.name != played.name:
        raise RecordingError(
            f"its game is {printable(played.name)!r}, that of its card {printable(rules.name)!r}"
        )
    if isinstance(rules, cards.Card) and not rules.md5:
        image = rom_files.find_image(played.md5)
        beside = Path(game).with_name(rules.rom)
        try:
            beside.write_bytes(rom_files.read(image))
        except (OSError, ValueError) as error:  # which names a system allows it knows itself
            raise RecordingError(
                f"its card names an image {printable(rules.rom)!r}, and here is no such file: "
                f"{printable(error)}"
            ) from None
    elif rules.md5 != played.md5:
        other = f"this pyale_ma plays the one with {rules.md5}: play it with the one that wrote it"
        if played.card is not None:
            other = f"its card names the one with {rules.md5}: it was changed since it was written"
        raise RecordingError(
            f"it was played with an image of {rules.name} whose MD5 is {played.md5}; {other}"
        )
    return game
