"""Reads the numbers that games draw on the screen, for games whose scores no reference tells.

The shapes of the digits are in `digits/NAME.txt`: the ten of them side by side, as drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_FOLDER = Path(__file__).parent / "digits"


@dataclass(frozen=True)
class Number:
    """A number on the screen.

    Attributes:
        font: Its digits' shapes: the name of a file in `digits`, or the bytes of each shape,
            which need a `size`.
        top: Its first row.
        lefts: The first columns of its digits, the highest first.
        background: A column with nothing but background beside them.
        ink: The colour in which it is drawn; others are other numbers in its place.  None: any.
        size: The height and width of a digit; None: that of the file's.
    """

    font: str | Mapping[bytes, int]
    top: int
    lefts: Sequence[int]
    background: int
    ink: int | None = None
    size: tuple[int, int] | None = None

    @cached_property
    def shapes(self) -> Mapping[bytes, int]:
        if not isinstance(self.font, str):
            return self.font
        rows = [[[cell == "#" for cell in shape] for shape in line.split()] for line in self._lines]
        drawn = np.array(rows).transpose(1, 0, 2)
        return {shape.tobytes(): digit for digit, shape in enumerate(drawn)}

    @cached_property
    def _lines(self) -> list[str]:
        return (_FOLDER / f"{self.font}.txt").read_text(encoding="utf-8").splitlines()

    @cached_property
    def _cell(self) -> tuple[int, int]:
        """Return the height and width of a digit."""
        return self.size or (len(self._lines), len(self._lines[0].split()[0]))

    def read(self, screen: npt.NDArray[Any]) -> int | None:
        """Return the score on a screen of palette indices, (height, 160); None: there is none.

        Raises:
            ValueError: Something is there that is no number.
        """
        height, _ = self._cell
        return self._known(screen[self.top : self.top + height].tobytes())

    @cached_property
    def _known(self) -> Callable[[bytes], int | None]:
        """Return a cached reader of rows, as most frames show the same ones as before."""
        return lru_cache(maxsize=1000)(self._read)

    def _read(self, pixels: bytes) -> int | None:
        height, width = self._cell
        rows = np.frombuffer(pixels, np.uint8).reshape(height, -1)
        ink = rows != rows[:, self.background, None]
        if self.ink is not None and not (rows == self.ink).any():
            return None
        text = ""
        for left in self.lefts:
            cell = ink[:, left : left + width]
            digit = self.shapes.get(cell.tobytes())
            if digit is not None:
                text += str(digit)
            elif cell.any() or text:
                drawn = "\n".join("".join(".#"[int(bit)] for bit in row) for row in cell)
                raise ValueError(f"no digit at column {left}:\n{drawn}")
        return int(text) if text else None
