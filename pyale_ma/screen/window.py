"""A window that shows a console's screen and plays its sound, through pygame."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._base import install_hints

Bytes = npt.NDArray[np.uint8]

_UNSEEN = ("dummy", "offscreen")  # SDL's video drivers that show nothing
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")  # variables that name Linux's
_LINE = 2  # screen pixels for a line; a console's pixels are twice as wide as high


def import_pygame() -> Any:
    """Pygame, which is imported only when somebody watches.

    Raises:
        ImportError: It is not installed, or has no windows; the text says what to do.
    """
    try:
        import pygame
    except ImportError as error:
        raise ImportError(
            f"To show or play a game, pygame is needed: {install_hints.install('human')}"
        ) from error
    if not hasattr(pygame, "Window"):
        raise ImportError(
            "To show or play a game, pygame-ce is needed in place of pygame: pip uninstall pygame, "
            f"then {install_hints.install('human')}"
        )
    return pygame


def open_display(pygame: Any) -> None:
    """Start pygame's display, unless it is.

    Raises:
        RuntimeError: There is none.  SDL would go on unseen, with a driver that only draws into
            memory; who wants that sets SDL_VIDEODRIVER.
    """
    chosen = os.environ.get("SDL_VIDEODRIVER")
    why, was_open = "", pygame.display.get_init()
    # SDL would look for one with words of its own on the terminal.
    if sys.platform != "linux" or chosen or any(map(os.environ.get, _DISPLAYS)):
        try:
            pygame.display.init()
            if chosen or pygame.display.get_driver() not in _UNSEEN:
                return
        except pygame.error as error:
            why = f" ({error})"
    if not was_open:
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

    It is one of any number of windows: pygame's display, mixer and events stay those of the
    program, which only lends them.

    Args:
        title: What the window is called.
        height: Rows of a frame.
        fps: Frames a second: 60 for NTSC, 50 for PAL.
        sound: Also play samples, where the machine has a sound device.
        line: Pixels of the window for a line of the screen, to begin with.
        foot: Rows of pixels below the picture, for `on_draw`.
        on_event: Called with every event of pygame but those that close the window; None: events
            of others are left to them.
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
        self._is_fullscreen = False
        open_display(pygame)
        self._clock = pygame.time.Clock()
        self._height, self._fps = height, fps
        self._size = (2 * _native.SCREEN_WIDTH * line, height * line)
        self._has_sound = sound and self._open_mixer()
        self._window: Any = pygame.Window(title, self._whole, resizable=True)

    def _open_mixer(self) -> bool:
        """Return whether pygame's mixer plays a frame's samples for the time of a frame.

        The mixer stays as it is if the program uses it.  A machine without sound stays silent.
        """
        mixer, format_ = self._pygame.mixer, (_native.AUDIO_SIZE * self._fps, -16, 1)
        if not mixer.get_init():
            with contextlib.suppress(self._pygame.error):
                mixer.init(*format_, 2 * _native.AUDIO_SIZE, allowedchanges=0)
        return bool(mixer.get_init() == format_)

    @property
    def _whole(self) -> tuple[int, int]:
        """The size of the window that shows the picture as large as to begin with."""
        return self._size[0] + self._panel, self._size[1] + self._foot

    @property
    def is_open(self) -> bool:
        """False once it was closed, by the program or by the person in front of it."""
        return self._window is not None

    def show(self, rgb: Bytes, samples: Bytes | None = None) -> None:
        """Draw one frame, start its sound, and wait until it is time for the next one.

        Args:
            rgb: uint8 (height, 160, 3).
            samples: uint8 (512,), or None.
        """
        if not self.is_open:
            return
        try:
            self._look_at_events()
            if self.is_open:
                self._draw(rgb)
                if samples is not None and self.speed == 1:
                    self._play(samples)
        except self._pygame.error:  # the program has ended pygame
            if self._pygame.display.get_init():
                raise
            self.close()
        if self.is_open:
            self._clock.tick(self._fps * self.speed)

    def _look_at_events(self) -> None:
        pygame = self._pygame
        takes_all = self._on_event is not None
        for event in pygame.event.get(None if takes_all else pygame.WINDOWCLOSE):
            is_own = getattr(event, "window", None) is self._window
            if (takes_all and event.type == pygame.QUIT) or (
                is_own and event.type == pygame.WINDOWCLOSE
            ):
                self.close()
            elif self._on_event is not None:
                self._on_event(event)
            else:
                pygame.event.post(event)
            if not self.is_open:
                return

    def _draw(self, rgb: Bytes) -> None:
        pygame, screen = self._pygame, self._window.get_surface()
        frame = pygame.surfarray.make_surface(rgb.swapaxes(0, 1))
        place = self._place_of_picture()
        screen.fill((0, 0, 0))
        screen.blit(pygame.transform.scale(frame, place.size), place)
        if self._on_draw is not None:
            self._on_draw(screen, place)
        self._flip()

    def _flip(self) -> None:
        self._window.flip()

    def _play(self, samples: Bytes) -> None:
        mixer = self._pygame.mixer
        if not (self._has_sound and mixer.get_init()):
            return
        sound = mixer.Sound(buffer=pcm(samples))
        if self._channel is None:
            self._channel = mixer.find_channel()
        if self._channel is not None and self._channel.get_busy():
            self._channel.queue(sound)
        elif self._channel is not None:
            self._channel.play(sound)

    def _place_of_picture(self) -> Any:
        """Return the largest size that fits beside panel and foot, in the right shape.

        Where there is no room for whole pixels, they are parts of some.
        """
        width, height = self._window.size
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
            self._window.title = title

    def set_panel(self, width: int) -> None:
        """Reserve this number of columns of pixels to the right of the picture, for `on_draw`."""
        if self.is_open:
            wide, high = self._window.size
            wide, self._panel = wide + self._cut - self._panel + width, width
            if not self._is_fullscreen:
                self._resize(wide, high)

    def _resize(self, wide: int, high: int) -> None:
        """Be a window of this size, but no wider than the desktop, and to no side beyond it."""
        window = self._window
        desktops = [size[0] for size in self._pygame.display.get_desktop_sizes()]  # side by side
        wide = max(wide, self._panel + 1)  # people make windows narrower than a panel
        self._cut = max(0, wide - max(desktops))
        wide -= self._cut
        window.size = (wide, high)
        left, top = window.position
        if left + wide > sum(desktops):
            window.position = (sum(desktops) - wide, top)

    def toggle_fullscreen(self) -> None:
        """Fill the whole screen, or be a window again."""
        if not self.is_open:
            return
        self._is_fullscreen = not self._is_fullscreen
        if self._is_fullscreen:
            self._window.set_fullscreen(desktop=True)
        else:
            self._window.set_windowed()
            self._resize(*self._whole)

    def close(self) -> None:
        """Close it; closing twice does nothing."""
        if self.is_open:
            window, self._window = self._window, None
            if self._channel is not None and self._pygame.mixer.get_init():
                self._channel.stop()
            window.destroy()
