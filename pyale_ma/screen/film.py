"""Films of what is on the screen: GIF, WebP and MP4 files, and single pictures."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import tempfile
import wave
import zlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from pyale_ma._base import install_hints
from pyale_ma._base.files import check_free, written_aside
from pyale_ma._base.text import printable
from pyale_ma._native import AUDIO_SIZE, Env, EnvInfo, Pixels
from pyale_ma.screen.window import frame_rate, pcm

# Frames that a picture stands for at least: viewers of GIF and WebP cannot show 60 pictures a
# second.
_FRAMES_PER_PICTURE = {".gif": 2, ".webp": 2, ".mp4": 1, ".png": 1}
SUFFIXES = tuple(_FRAMES_PER_PICTURE)


class _Picture(NamedTuple):
    """A screen, packed: a game's is small then, and films may be long."""

    shape: tuple[int, ...]
    packed: bytes

    def unpack(self, palette: bytes | None) -> Image.Image:
        """The picture, twice as wide as the screen has columns, as a console's pixels are."""
        screen = np.frombuffer(zlib.decompress(self.packed), np.uint8).reshape(self.shape)
        picture = Image.fromarray(screen.repeat(2, axis=1))
        if len(self.shape) == 2 and palette is not None:
            picture.putpalette(palette)
        return picture


class Film:
    """Pictures of an environment, for a file.

    Args:
        path: The file; its suffix says of which kind: ".gif", ".webp", ".png" (the last picture
            alone), or ".mp4" (with the sound, if the environment makes one and `frames_per_step`
            is 1).
        frames_per_step: Frames of the console that what is taken or added at a time stands for.
        overwrite: Whether to replace a file that is there.

    Raises:
        ValueError: The suffix is another.
        FileExistsError: There is a file.
        ImportError: What writes MP4 files is not installed; the text says what to do.
        OSError: The file cannot be written.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, frames_per_step: int = 1, overwrite: bool = False
    ) -> None:
        self._path, self._overwrite = Path(path), overwrite
        self._kind = self._path.suffix.lower()
        if self._kind not in SUFFIXES:
            raise ValueError(
                f"{printable(path)} must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
            )
        if self._kind == ".mp4":
            _import_ffmpeg()
        if self._path.is_dir():
            raise IsADirectoryError(f"{printable(path)} is a folder")
        check_free(path, overwrite=overwrite)
        if not self._path.parent.is_dir():
            raise FileNotFoundError(
                f"there is no folder {printable(self._path.parent)} for {printable(path)}"
            )
        try:  # find out now whether one may write
            tempfile.TemporaryFile(dir=self._path.parent).close()
        except OSError as error:
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        self._pictures: list[_Picture] = []
        self._sound: list[bytes] = []
        self._palette: bytes | None = None
        self._steps, self._frames_per_step = 0, frames_per_step
        self._frame_rate = 60
        self._steps_per_picture = -(-_FRAMES_PER_PICTURE[self._kind] // frames_per_step)
        self._frames_per_picture = self._steps_per_picture * frames_per_step

    def take(self, env: Env) -> None:
        """Take the picture and the sound of a console's present frame."""
        if self._kind == ".mp4" and self._frames_per_step == 1:
            self._sound.append(env.audio.tobytes())
        if self._palette is None:
            self._palette = env.palette(Pixels.RGB).tobytes()
        self.add(lambda: env.screen(Pixels.INDEXED), env.info)

    def add(self, draw: Callable[[], npt.NDArray[np.uint8]], info: EnvInfo) -> None:
        """Add a picture, unless the one before still stands for it.

        Args:
            draw: Returns it: uint8 (height, width, 3), or (height, width) of numbers of colours
                where pictures are taken of a console.
            info: The console's, which has the frame rate.
        """
        self._frame_rate = frame_rate(info)
        self._steps += 1
        if self._kind == ".png":
            self._pictures.clear()
        elif (self._steps - 1) % self._steps_per_picture:
            return
        screen = draw()
        self._pictures.append(_Picture(screen.shape, zlib.compress(screen.tobytes(), 1)))

    def save(self) -> Path:
        """Write the file, aside and then in its place: an earlier one is there or the new one.

        Raises:
            ValueError: No picture was taken.
            OSError: The file cannot be written.
        """
        if not self._pictures:
            raise ValueError(f"there is no picture for {printable(self._path)}")
        with written_aside(self._path, overwrite=self._overwrite) as aside:
            if self._kind == ".mp4":
                self._write_mp4(aside)
            else:
                self._write_pictures(aside)
        return self._path

    def _unpacked(self) -> Iterator[Image.Image]:
        for picture in self._pictures:
            yield picture.unpack(self._palette)

    def _write_pictures(self, file: Path) -> None:
        pictures = self._unpacked()
        options: dict[str, Any] = {}
        if self._kind != ".png":
            options = {"save_all": True, "duration": self._durations(), "loop": 0}
        if self._kind == ".webp":
            pictures = (picture.convert("RGB") for picture in pictures)
            options |= {"lossless": True, "quality": 50, "method": 2}
        first = next(pictures)
        if options:
            options["append_images"] = pictures
        first.save(file, **options)

    def _durations(self) -> list[int]:
        """Return each picture's milliseconds, whose sum is right: a GIF has only tens of them."""
        unit = 10 if self._kind == ".gif" else 1
        each = 1000 * self._frames_per_picture / self._frame_rate
        ends = [round(count * each / unit) * unit for count in range(len(self._pictures) + 1)]
        return [end - begin for begin, end in itertools.pairwise(ends)]

    def _write_mp4(self, file: Path) -> None:
        """Twice the size, since H.264 has one color for four pixels."""
        first = next(self._unpacked())
        rate = Fraction(self._frame_rate, self._frames_per_picture)
        size = f"{2 * first.width}x{2 * first.height}"
        with tempfile.TemporaryDirectory() as folder:
            sound = Path(folder, "sound.wav")
            hears = ["-an"]
            if self._write_sound(sound):
                # With less, square waves get lost among what AAC leaves out.
                hears = ["-i", str(sound), "-map", "0:v:0", "-map", "1:a:0", "-b:a", "160k"]
            sees = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", str(rate), "-i", "-"]
            codec = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "15"]
            command = [_import_ffmpeg().get_ffmpeg_exe(), "-y", "-v", "error", "-xerror"]
            command += [*sees, *hears, *codec, f"file:{file}"]
            with open(Path(folder, "errors"), "w+b") as errors:
                # In a session of its own, where Ctrl-C does not reach it.
                ffmpeg = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    start_new_session=True,
                )
                try:
                    with contextlib.suppress(BrokenPipeError):  # it says below what ended it
                        self._send_to(ffmpeg)
                    status = ffmpeg.wait()
                finally:
                    ffmpeg.kill()
                    ffmpeg.wait()
                errors.seek(0)
                words = errors.read().decode(errors="replace").split("\n")
        if status:
            # Its first line says most, behind its own part's name in brackets.
            reason = next((line.split("] ")[-1].strip() for line in words if line.strip()), "")
            raise OSError(
                f"{printable(self._path)}: ffmpeg could not write it: "
                f"{printable(reason) or f'status {status}'}"
            )

    def _send_to(self, ffmpeg: subprocess.Popen[bytes]) -> None:
        assert ffmpeg.stdin
        with ffmpeg.stdin as stream:
            for picture in self._unpacked():
                pixels = np.asarray(picture.convert("RGB"))
                stream.write(pixels.repeat(2, axis=0).repeat(2, axis=1).tobytes())

    def _write_sound(self, file: Path) -> bool:
        """Write what was heard; False: nothing was."""
        if not any(map(any, self._sound)):
            return False
        with wave.open(str(file), "wb") as stream:
            stream.setnchannels(1)
            stream.setsampwidth(2)
            stream.setframerate(AUDIO_SIZE * self._frame_rate)
            for samples in self._sound:
                stream.writeframes(pcm(np.frombuffer(samples, np.uint8)))
        return True


def _import_ffmpeg() -> Any:
    try:
        import imageio_ffmpeg

        imageio_ffmpeg.get_ffmpeg_exe()  # which its package for some systems lacks
    except (ImportError, RuntimeError) as error:
        raise ImportError(
            "To write MP4 files, imageio-ffmpeg with its program is needed: "
            f"{install_hints.install('film')}"
        ) from error
    return imageio_ffmpeg
