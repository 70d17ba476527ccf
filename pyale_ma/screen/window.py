"""A window that shows a console's screen and plays its sound, through pygame."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._base import install_hints

Bytes = npt.NDArray[np.uint8]

_UNSEEN = ("dummy", "offscreen")  # SDL's video drivers that show nothing
_LINE = 2  # screen pixels for a line; a console's pixels are twice as wide as high


def import_pygame() -> Any:
    """Pygame, which is imported only when somebody watches.

    Raises:
        ImportError: It is not installed; the text says what to do.
    """
    try:
        import pygame
    except ImportError as error:
        raise ImportError(
            f"To show or play a game, pygame is needed: {install_hints.install('human')}"
        ) from error
    return pygame


def open_display(pygame: Any) -> None:
    """Start pygame's display.

    Raises:
        RuntimeError: There is none.  SDL would go on unseen, with a driver that only draws into
            memory; who wants that sets SDL_VIDEODRIVER.
    """
    why = ""
    try:
        pygame.display.init()
        driver = pygame.display.get_driver()
    except pygame.error as error:
        driver, why = "", f" ({error})"
    if driver and (driver not in _UNSEEN or os.environ.get("SDL_VIDEODRIVER")):
        return
    pygame.display.quit()
    raise RuntimeError(
        f"there is no display for a window{why}; run this on a desktop, or through ssh -X; "
        "SDL_VIDEODRIVER=dummy runs it unseen"
    )


def frame_rate(info: _native.EnvInfo) -> int:
    """Frames a second of a console: 60 for NTSC, 50 for others."""
    return 60 if info.format == _native.Format.NTSC else 50


def pcm(samples: Bytes) -> bytes:
    """A console's samples, which are small and 0 in silence, as signed words."""
    return (samples.astype(np.int16) * 64).tobytes()


class Window:
    """Shows frames at the speed of the console.

    Args:
        title: What the window is called.
        height: Rows of a frame.
        fps: Frames a second: 60 for NTSC, 50 for PAL.
        sound: Also play samples, where the machine has a sound device.
        line: Pixels of the window for a line of the screen, to begin with.
        foot: Rows of pixels below the picture, for `on_draw`.
        on_event: Called with every event of pygame but the one that closes the window.
        on_draw: Called with the window's surface and the rectangle of the picture, to draw over it.

    Attributes:
        speed: 1: that of the console; 0.5: half of it, without sound.

    Raises:
        ImportError: Pygame is not installed.
        RuntimeError: There is no display.
    """

    def __init__(
        self,
        title: str,
        height: int,
        *,
        fps: int = 60,
        sound: bool = False,
        line: int = _LINE,
        foot: int = 0,
        on_event: Callable[[Any], None] | None = None,
        on_draw: Callable[[Any, Any], None] | None = None,
    ) -> None:
        self._pygame = pygame = import_pygame()
        self._on_event, self._on_draw = on_event, on_draw
        self.speed = 1.0
        self._panel, self._foot = 0, foot
        self._cut = 0  # columns by which the window would be wider, if the desktop were
        self._channel: Any = None
        open_display(pygame)
        self._screen: Any = None
        self._clock = pygame.time.Clock()
        self._height, self._fps = height, fps
        self._size = (2 * _native.SCREEN_WIDTH * line, height * line)
        pygame.display.set_caption(title)
        if sound:
            # One frame's samples last one frame.  A machine without sound stays silent.
            pygame.mixer.quit()
            with contextlib.suppress(pygame.error):
                rate = _native.AUDIO_SIZE * fps
                pygame.mixer.init(rate, -16, 1, 2 * _native.AUDIO_SIZE, allowedchanges=0)
                self._channel = pygame.mixer.Channel(0)
        self._screen = pygame.display.set_mode(self._whole, pygame.RESIZABLE)

    @property
    def _whole(self) -> tuple[int, int]:
        """The size of the window that shows the picture as large as to begin with."""
        return self._size[0] + self._panel, self._size[1] + self._foot

    @property
    def is_open(self) -> bool:
        """False once it was closed, by the program or by the person in front of it."""
        return self._screen is not None

    def show(self, rgb: Bytes, samples: Bytes | None = None) -> None:
        """Draw one frame, start its sound, and wait until it is time for the next one.

        Args:
            rgb: uint8 (height, 160, 3).
            samples: uint8 (512,), or None.
        """
        if not self.is_open:
            return
        pygame = self._pygame
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.close()
            elif self._on_event is not None:
                self._on_event(event)
            if not self.is_open:
                return
        frame = pygame.surfarray.make_surface(rgb.swapaxes(0, 1))
        place = self._place_of_picture()
        self._screen.fill((0, 0, 0))
        self._screen.blit(pygame.transform.scale(frame, place.size), place)
        if self._on_draw is not None:
            self._on_draw(self._screen, place)
        pygame.display.flip()
        if self._channel is not None and samples is not None and self.speed == 1:
            sound = pygame.mixer.Sound(buffer=pcm(samples))
            if self._channel.get_busy():
                self._channel.queue(sound)
            else:
                self._channel.play(sound)
        self._clock.tick(self._fps * self.speed)

    def _place_of_picture(self) -> Any:
        """Return the largest size that fits beside panel and foot, in the right shape.

        Where there is no room for whole pixels, they are parts of some.
        """
        width, height = self._screen.get_size()
        room = max(1, width - self._panel), max(1, height - self._foot)
        line = min(room[0] / (2 * _native.SCREEN_WIDTH), room[1] / self._height)
        if line > 1:
            line = int(line)
        place = self._pygame.Rect(
            0,
            0,
            max(1, round(2 * _native.SCREEN_WIDTH * line)),
            max(1, round(self._height * line)),
        )
        place.center = (room[0] // 2, room[1] // 2)
        return place

    def set_title(self, title: str) -> None:
        """Call it something else."""
        if self.is_open:
            self._pygame.display.set_caption(title)

    def set_panel(self, width: int) -> None:
        """Reserve this number of columns of pixels to the right of the picture, for `on_draw`."""
        if self.is_open:
            wide, high = self._screen.get_size()
            wide, self._panel = wide + self._cut - self._panel + width, width
            if not self._pygame.display.is_fullscreen():
                self._resize(wide, high)

    def _resize(self, wide: int, high: int) -> None:
        """Be a window of this size, but no wider than the desktop, and to no side beyond it."""
        display = self._pygame.display
        desktops = [size[0] for size in display.get_desktop_sizes()]  # side by side
        wide = max(wide, self._panel + 1)  # people make windows narrower than a panel
        self._cut = max(0, wide - max(desktops))
        wide -= self._cut
        self._screen = display.set_mode((wide, high), self._pygame.RESIZABLE)
        if hasattr(display, "get_window_position"):  # pygame-ce from 2.5
            left, top = display.get_window_position()
            if left + wide > sum(desktops):
                display.set_window_position((sum(desktops) - wide, top))

    def toggle_fullscreen(self) -> None:
        """Fill the whole screen, or be a window again."""
        if self.is_open:
            pygame = self._pygame
            if pygame.display.is_fullscreen():
                self._resize(*self._whole)
            else:
                self._screen = pygame.display.set_mode((0, 0), pygame.FULLSCREEN)

    def close(self) -> None:
        """Close it; closing twice does nothing."""
        if self.is_open:
            self._screen = None
            if self._channel is not None:
                self._pygame.mixer.quit()
            self._pygame.display.quit()
