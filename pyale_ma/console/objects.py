"""The six objects from which the console's video chip draws a picture, and boxes around them."""

from __future__ import annotations

from collections.abc import Iterable

from pyale_ma import _native
from pyale_ma._native import Object
from pyale_ma.games.boxes import REGISTERS, ObjectBox

__all__ = ["Object", "ObjectBox", "boxes_of"]


def boxes_of(env: _native.Env) -> list[ObjectBox]:
    """The boxes of the latest frame, by object, then in the order in which the beam meets them."""
    return readable(env.object_boxes())


def readable(boxes: Iterable[_native.ObjectBox]) -> list[ObjectBox]:
    """The library's boxes with their registers' names."""
    return [
        ObjectBox(REGISTERS[box.object], None if box.color < 0 else box.color, *where)
        for box in boxes
        for where in [(box.x, box.y, box.width, box.height)]
    ]
