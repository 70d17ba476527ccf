"""Texts of others, such as paths and titles, within our own; and several things in one text."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["listed", "printable"]


def printable(text: object) -> str:
    """A text as a terminal may be given it: what is no printable character as Python escapes it.

    Else a file's name could move the cursor, or hide what follows.
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in str(text)
    )


def listed(things: Iterable[object]) -> str:
    """``[1, 2]`` as "1, 2"."""
    return ", ".join(map(str, things))
