"""The six objects from which the console's video chip draws a picture, and boxes around them."""

from __future__ import annotations

from typing import NamedTuple

from pyale_ma import _native
from pyale_ma._native import Object

__all__ = ["Object", "ObjectBox", "boxes_of"]


_REGISTERS = ("GRP0", "GRP1", "ENAM0", "ENAM1", "ENABL", "PF")


class ObjectBox(NamedTuple):
    """A box around pixels of an object that belong together: one copy of it.

    Attributes:
        register: The register that switches the object on: "GRP0" and "GRP1" (players), "ENAM0" and
            "ENAM1" (missiles), "ENABL" (ball) or "PF" (playfield).
        color: Palette index of its first pixel that no other object covers, or None.
        x: Leftmost column.
        y: Uppermost row.
        width: Columns.
        height: Rows.
    """

    register: str
    color: int | None
    x: int
    y: int
    width: int
    height: int

    @property
    def object(self) -> Object:
        """The object."""
        return Object(_REGISTERS.index(self.register))

    def edge(self, name: str) -> int:
        """The column of its "left" or "right" edge, or the row of its "top" or "bottom".

        Raises:
            ValueError: There is no such edge.
        """
        if name in ("left", "top"):
            return self.x if name == "left" else self.y
        if name == "right":
            return self.x + self.width - 1
        if name == "bottom":
            return self.y + self.height - 1
        raise ValueError(f"edge is {name!r}; it must be left, right, top or bottom")


def boxes_of(env: _native.Env) -> list[ObjectBox]:
    """The boxes of the latest frame, by object, then in the order in which the beam meets them."""
    return [
        ObjectBox(_REGISTERS[box.object], None if box.color < 0 else box.color, *where)
        for box in env.object_boxes()
        for where in [(box.x, box.y, box.width, box.height)]
    ]


def __dir__() -> list[str]:
    return sorted(__all__)
