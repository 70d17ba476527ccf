"""Films: GIF files of what is on the screen."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from pyale_ma._native import Env, Pixels

_FRAMES_PER_PICTURE = 2  # GIF viewers cannot show 60 pictures a second


class Film:
    """Pictures of an environment, for a GIF file (all of them) or a PNG file (the last one).

    Args:
        path: The file; its suffix says which.
        frames_per_picture: Frames of the console, of which there are 60 a second, that a picture
            of a GIF stands for.

    Raises:
        ValueError: The suffix is another.
        OSError: The file cannot be written.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, frames_per_picture: int = _FRAMES_PER_PICTURE
    ) -> None:
        self._path = Path(path)
        if self._path.suffix.lower() not in (".gif", ".png"):
            raise ValueError(f"{path} must end in .gif or .png")
        if self._path.is_dir():
            raise IsADirectoryError(f"{path} is a folder")
        if not self._path.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {self._path.parent} for {path}")
        tempfile.TemporaryFile(dir=self._path.parent).close()  # find out now whether one may write
        self._is_gif = self._path.suffix.lower() == ".gif"
        self._pictures: list[Image.Image] = []
        self._frames = 0
        self._frames_per_picture = frames_per_picture

    def take(self, env: Env) -> None:
        """Take a picture of the present frame, unless the picture before still stands for it."""
        self._frames += 1
        if self._is_gif and (self._frames - 1) % self._frames_per_picture:
            return
        picture = Image.fromarray(env.screen(Pixels.INDEXED).repeat(2, axis=1))
        picture.putpalette(env.palette(Pixels.RGB).tobytes())
        self._add(picture)

    def add(self, screen: npt.NDArray[np.uint8]) -> None:
        """Add a picture: uint8 (height, 160, 3).  A console's pixels are twice as wide as high."""
        self._add(Image.fromarray(screen.repeat(2, axis=1)))

    def _add(self, picture: Image.Image) -> None:
        if not self._is_gif:
            self._pictures.clear()
        self._pictures.append(picture)

    def save(self) -> Path:
        """Write the file, aside and then in its place: an earlier one is there or the new one."""
        first, *rest = self._pictures
        target = Path(os.path.realpath(self._path))
        aside = target.with_name(f".{target.stem}-{os.getpid()}{target.suffix}")
        try:
            if self._is_gif:
                duration = 1000 * self._frames_per_picture // 60
                first.save(aside, save_all=True, append_images=rest, duration=duration, loop=0)
            else:
                first.save(aside)
            aside.replace(target)
        except BaseException:  # Ctrl-C, too
            aside.unlink(missing_ok=True)
            raise
        return self._path
