"""The console's RAM as a table in a window, for ``pyale-ma watch`` and ``pyale-ma play``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pyale_ma._native import RAM_SIZE

_CELL = (44, 26)
_COLUMNS = 8
_MARKED_FRAMES = 30  # for so long a change is marked
_CHANGED, _LABEL, _PLAIN = (150, 30, 30), (120, 120, 120), (255, 220, 60)
_UNFIT = (90, 90, 90)


class RamTable:
    """Draws all bytes, in hexadecimal digits; those that have just changed on red.

    Args:
        pygame: The module.
        ram: The RAM as it is now.

    Attributes:
        WIDTH, HEIGHT: Of what is drawn, in pixels.
    """

    WIDTH = (_COLUMNS + 1) * _CELL[0] + 20
    HEIGHT = RAM_SIZE // _COLUMNS * _CELL[1] + 8

    def __init__(self, pygame: Any, ram: npt.NDArray[np.uint8]) -> None:
        self._pygame = pygame
        self._font = pygame.font.Font(None, 22)
        self._ram = ram.copy()
        self._marks = np.zeros(RAM_SIZE, int)

    def draw(
        self,
        screen: Any,
        left: int,
        ram: npt.NDArray[np.uint8],
        fits: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        """Draw them, at the top of the screen, from a column on.

        Args:
            screen: A surface.
            left: The column.
            ram: uint8 (128,).
            fits: bool (128,), which bytes are not grayed out; None: none is.
        """
        self._marks = np.where(ram != self._ram, _MARKED_FRAMES, np.maximum(self._marks - 1, 0))
        self._ram = ram.copy()
        for index, byte in enumerate(self._ram):
            row, column = divmod(index, _COLUMNS)
            at = (left + 10 + (column + 1) * _CELL[0], 4 + row * _CELL[1])
            if column == 0:
                self._write(screen, f"{index}", (at[0] - _CELL[0], at[1]), _LABEL)
            if self._marks[index]:
                self._pygame.draw.rect(screen, _CHANGED, (at[0] - 4, at[1] - 2, 30, 20))
            color = _PLAIN if fits is None or fits[index] else _UNFIT
            self._write(screen, f"{byte:02X}", at, color)

    def _write(self, screen: Any, text: str, at: tuple[int, int], color: tuple[int, ...]) -> None:
        screen.blit(self._font.render(text, True, color), at)
