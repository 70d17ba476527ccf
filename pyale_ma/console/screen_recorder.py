"""Screens as PNG files."""

from __future__ import annotations

import os
from collections.abc import Callable

from pyale_ma import _native
from pyale_ma.console.shared import save_png


class ScreenRecorder:
    """Writes every frame of an environment to a folder, as 000000.png and so on.

    An act of several frames is played ahead, frame by frame, on an environment of its own.

    Args:
        folder: An existing folder.
        rom: The environment's.
        options: The environment's.

    Raises:
        NotADirectoryError: There is no such folder.
    """

    def __init__(self, folder: str, rom: _native.Rom, options: dict[str, float]) -> None:
        if not os.path.isdir(folder):
            raise NotADirectoryError(f"record_screen_dir is {folder!r}, which is not a folder")
        self._folder = folder
        self._frames = int(options["frame_skip"])
        self._double = _native.Env(rom, **{**options, "frame_skip": 1})
        self._state = _native.State()
        self._count = 0

    def record(
        self, env: _native.Env, play: Callable[[_native.Env], object], acts: int = 1
    ) -> None:
        """Write the frames that are on the screen while `env` plays some acts."""
        double = self._double
        env.save(self._state, include_random=True)
        double.restore(self._state)
        for _ in range(self._frames * acts):
            save_png(double, os.path.join(self._folder, f"{self._count:06}.png"))
            self._count += 1
            play(double)
