"""The console's RAM and its labels in a window, for ``pyale-ma watch`` and ``pyale-ma play``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._native import RAM_SIZE, Env
from pyale_ma.labels import GAMES, Labels, labels_of

_CELL = (34, 26)
_COLUMNS = 8
_LABELS_WIDTH, _LABEL_ROW = 230, 18
_MARKED_FRAMES = 30  # for so long a change is marked
_CHANGED, _LABEL, _PLAIN = (150, 30, 30), (120, 120, 120), (255, 220, 60)
_UNFIT = (90, 90, 90)
_NAME, _VALUE = (130, 180, 255), (255, 255, 255)


def labels_of_game(env: Env) -> Labels | None:
    """The labels of the game that is played; None: it has none, or is a card or without rules."""
    names = [*_native.games()]
    number = env.info.game
    return labels_of(names[number]) if number >= 0 and names[number] in GAMES else None


class RamTable:
    """Draws all bytes, in hexadecimal digits; those that have just changed on red.

    Bytes with labels are underlined.  The labels are beside the table: the byte's index, with "+"
    if there are several, the name, and the value.

    Args:
        pygame: The module.
        env: The console, with its RAM as it is now.

    Attributes:
        width, HEIGHT: Of what is drawn, in pixels.
    """

    HEIGHT = RAM_SIZE // _COLUMNS * _CELL[1] + 8
    _LABEL_ROWS = (HEIGHT - 4) // _LABEL_ROW

    def __init__(self, pygame: Any, env: Env) -> None:
        self._pygame = pygame
        self._font = pygame.font.Font(None, 22)
        self._small = pygame.font.Font(None, 18)
        self._ram = env.ram.copy()
        self._labels = labels_of_game(env)
        labels = self._labels.labels if self._labels else ()
        self.width = (_COLUMNS + 1) * _CELL[0] + 20
        self._labels_left = self.width
        self.width += math.ceil(len(labels) / self._LABEL_ROWS) * _LABELS_WIDTH
        self._labelled = {byte for label in labels for byte in label.bytes}
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
            if index in self._labelled:
                screen.fill(_NAME, (at[0], at[1] + 16, 18, 1))
        if self._labels:
            self._draw_labels(screen, left + self._labels_left, self._labels)

    def _draw_labels(self, screen: Any, first_left: int, labels: Labels) -> None:
        """Draw a row for each label, in as many columns as they need."""
        values = labels.values(self._ram).tolist()
        for index, (label, value) in enumerate(zip(labels.labels, values, strict=True)):
            column, row = divmod(index, self._LABEL_ROWS)
            left, top = first_left + column * _LABELS_WIDTH, 4 + row * _LABEL_ROW
            place = f"{label.bytes[0]}{'+' * (len(label.bytes) > 1)}"
            texts = ((place, 0, _LABEL), (label.name, 34, _NAME))
            for text, across, color in texts:
                screen.blit(self._small.render(text, True, color), (left + across, top))
            number = self._small.render(f"{value}", True, _VALUE)
            screen.blit(number, (left + _LABELS_WIDTH - 10 - number.get_width(), top))

    def _write(self, screen: Any, text: str, at: tuple[int, int], color: tuple[int, ...]) -> None:
        screen.blit(self._font.render(text, True, color), at)
