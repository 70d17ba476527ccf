"""Drawing over and beside the picture in ``pyale-ma play``: help, messages, scores, RAM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyale_ma._native import Env
from pyale_ma.cli.common import words
from pyale_ma.cli.keys import INPUTS, MEANINGS, Keys, title_of
from pyale_ma.cli.ram_table import RamTable

_MESSAGE_FRAMES = 150
# Pygame's font has none.
_ARROWS = str.maketrans({"↑": "Up", "↓": "Down", "←": "Left", "→": "Right"})
_WHITE, _GRAY, _YELLOW = (255, 255, 255), (170, 170, 170), (255, 220, 60)


def help_rows(
    keys: Keys, commands: dict[str, tuple[str, ...]], players: int, pads: int
) -> list[tuple[str, str]]:
    """Return the rows of the help: keys, and their effect.

    Args:
        keys: Of the players.
        commands: Keys by command, without those that players use.
        players: How many play.
        pads: How many gamepads there are.
    """
    rows = []
    for player in range(players):
        table = keys.players[player]
        titles = [_titles(table[name]) for name in INPUTS]
        rows.append((f"{', '.join(titles[:4])}; {titles[4]}", f"player {player + 1}: move; fire"))
    pad = "gamepads: none" if pads == 0 else f"gamepads of players 1 to {pads}"
    rows.append(("stick or cross; buttons", "gamepad of player 1" if pads == 1 else pad))
    rows += [(_titles(commands[command]), meaning) for command, meaning in MEANINGS.items()]
    return rows


def _titles(keys: Sequence[str]) -> str:
    return " or ".join(map(title_of, keys)).translate(_ARROWS) or "-"


class Overlay:
    """Draws it.

    Args:
        pygame: The module.
        env: The game.

    Attributes:
        help: Rows to show, or none.
        status: Words that are always shown at the top, such as "paused".
        scores: Of the players, shown in the foot.
        shows_ram: Whether the RAM is drawn, in the panel.
        FOOT: Rows of pixels below the picture.
    """

    FOOT = 28

    def __init__(self, pygame: Any, env: Env) -> None:
        pygame.font.init()
        self._pygame, self._env = pygame, env
        self._ram = RamTable(pygame, env)
        self._message, self._left = "", 0
        self.help: Sequence[tuple[str, str]] = ()
        self.status = ""
        self.scores: Sequence[int] = ()
        self.shows_ram = False

    @property
    def panel_width(self) -> int:
        """Columns of pixels beside the picture; 0 while the RAM is not shown."""
        return self._ram.width if self.shows_ram else 0

    def say(self, message: str) -> None:
        """Show a message for some seconds."""
        self._message, self._left = message, _MESSAGE_FRAMES

    def draw(self, screen: Any, picture: Any) -> None:
        """Draw over a window's surface.

        Args:
            screen: The surface.
            picture: The rectangle in which the game's picture is.
        """
        size = max(14, min(picture.height // 26, picture.width // 34))
        font = self._pygame.font.Font(None, size)
        if self.shows_ram:
            left = screen.get_width() - self.panel_width
            self._ram.draw(screen, left, self._env.ram)
            report = self._env.report
            lives = words(list(report.lives)[: report.players])
            text = f"frame {report.frame_number}   lives {lives}"
            screen.blit(font.render(text, True, _GRAY), (left + 10, RamTable.HEIGHT))
        self._draw_scores(screen)
        if self.help:
            self._draw_rows(screen, picture, font, self.help)
        if self.status:
            self._label(screen, font, self.status, (picture.left + size, picture.top + size // 2))
        if self._left:
            self._left -= 1
            at = (picture.left + size, picture.bottom - 2 * size)
            self._label(screen, font, self._message, at)

    def _label(self, screen: Any, font: Any, text: str, at: tuple[int, int]) -> None:
        label = font.render(text, True, _WHITE)
        self._shade(screen, label.get_rect(topleft=at).inflate(12, 8))
        screen.blit(label, at)

    def _draw_scores(self, screen: Any) -> None:
        """In the foot, from left to right."""
        font = self._pygame.font.Font(None, self.FOOT - 4)
        top, left = screen.get_height() - self.FOOT + 4, 10
        for player, score in enumerate(self.scores, 1):
            who = "score" if len(self.scores) == 1 else f"player {player}"
            for text, color in ((who, _GRAY), (str(score), _WHITE)):
                label = font.render(text, True, color)
                screen.blit(label, (left, top))
                left += label.get_width() + 8
            left += 16

    def _draw_rows(
        self,
        screen: Any,
        picture: Any,
        font: Any,
        rows: Sequence[tuple[str, str]],
    ) -> None:
        """Draw two columns in the middle of the picture."""
        lefts = [font.render(left, True, _YELLOW) for left, _ in rows]
        rights = [font.render(right, True, _WHITE) for _, right in rows]
        gap, line = font.get_height(), font.get_height() + 4
        width = max(left.get_width() for left in lefts)
        box = self._pygame.Rect(
            0,
            0,
            width + gap + max(right.get_width() for right in rights) + 2 * gap,
            line * len(rows) + 2 * gap,
        )
        box.center = picture.center
        self._shade(screen, box)
        for row, (left, right) in enumerate(zip(lefts, rights, strict=True)):
            top = box.top + gap + row * line
            screen.blit(left, (box.left + gap, top))
            screen.blit(right, (box.left + 2 * gap + width, top))

    def _shade(self, screen: Any, box: Any) -> None:
        shade = self._pygame.Surface(box.size)
        shade.set_alpha(215)
        screen.blit(shade, box.topleft)
