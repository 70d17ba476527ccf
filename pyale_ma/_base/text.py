"""Sanitise untrusted strings, such as paths and titles, for messages; join several things."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class Markdown:
    """Mixin: notebooks show as a table what `str` returns in Markdown."""

    def _repr_markdown_(self) -> str:
        return str(self)


def printable(text: object) -> str:
    """Return a text that a terminal may show: unprintable characters as Python escapes them.

    Else a file's name could move the cursor, or hide what follows.
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in str(text)
    )


def listed(things: Iterable[object]) -> str:
    """``[1, 2]`` as "1, 2"."""
    return ", ".join(map(str, things))


def nearest(name: object, names: Iterable[str]) -> str:
    """Name what was meant by an unknown name, or list all there are: the end of a message."""
    names = list(names)
    near = difflib.get_close_matches(str(name), names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {listed(names)}"


def shown(thing: object, *what: object, **facts: object) -> str:
    """Return a `repr`: the class, what the thing is made of, and the facts that are known."""
    stated = (f"{name}={value!r}" for name, value in facts.items() if value is not None)
    return f"{type(thing).__name__}({listed([*map(repr, what), *stated])})"
