"""The menu of ``pyale-ma play``: what can be done and changed, for arrow keys and gamepads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Entry(NamedTuple):
    """A line of the menu.

    Attributes:
        title: Its words.
        choose: What the fire button does; None: nothing.
        change: What Left (-1) and Right (1) do; None: nothing.
        value: What is chosen now, beside the title.
    """

    title: str
    choose: Callable[[], None] | None = None
    change: Callable[[int], None] | None = None
    value: Callable[[], str] = str


class Menu:
    """Its lines, one of which is marked.

    Args:
        entries: The lines, asked for whenever the menu is opened.

    Attributes:
        is_open: Whether it is shown, and gets what is pressed.
        marked: The number of the line that is.
    """

    def __init__(self, entries: Callable[[], Sequence[Entry]]) -> None:
        self._make = entries
        self._entries: Sequence[Entry] = ()
        self.is_open = False
        self.marked = 0

    def toggle(self) -> None:
        """Open it, with the first line marked, or close it."""
        self.is_open = not self.is_open
        self._entries = self._make() if self.is_open else ()
        self.marked = 0

    def rows(self) -> list[tuple[str, str]]:
        """Titles and values, as they are now."""
        return [
            (entry.title, f"< {entry.value()} >" if entry.change else entry.value())
            for entry in self._entries
        ]

    def press(self, name: str) -> None:
        """Do what a direction or "FIRE" means here."""
        entry = self._entries[self.marked]
        if name in ("UP", "DOWN"):
            self.marked = (self.marked + (1 if name == "DOWN" else -1)) % len(self._entries)
        elif name == "FIRE" and entry.choose:
            entry.choose()
        elif name in ("LEFT", "RIGHT") and entry.change:
            entry.change(1 if name == "RIGHT" else -1)
