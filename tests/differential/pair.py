"""The reference and ours, side by side.

A `Pair` makes every call on both and raises `Difference` as soon as anything observable is unequal:
RAM, screen, reward, lives, ends of episodes and frame numbers after every act; RGB, grayscale and
sound where the caller asks for them.

Environment variables, for those who hunt a bug:

    PYALE_MA_TEST_FAST_PATHS=0..63  run ours with these fast paths only (1 CPU, 2 loops, 4 raster,
                                    8 rows, 16 translation, 32 the video engine)
    PYALE_MA_TEST_SUBJECT=ale_py    the reference on both sides: everything must pass
    PYALE_MA_TEST_LIVE=1            generated programs and long play all beside the reference, not
                                    against what is recorded of them
"""

from __future__ import annotations

import functools
import importlib
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import Settings, configure

ale_py = pytest.importorskip(
    "ale_py", reason="the reference package, ale-py 0.12.1, is not installed"
)
if not ale_py.__version__.startswith("0.12.1"):
    pytest.skip(
        f"the reference is ale-py 0.12.1, not {ale_py.__version__}", allow_module_level=True
    )
SUBJECT_NAME = os.environ.get("PYALE_MA_TEST_SUBJECT", "pyale_ma.single")
LIVE = SUBJECT_NAME == "ale_py" or os.environ.get("PYALE_MA_TEST_LIVE", "0") != "0"
subject: Any = importlib.import_module(SUBJECT_NAME)

ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
subject.ALEInterface.setLoggerMode(subject.LoggerMode.Error)

ALL_FAST_PATHS = 63
# Masks with all fast paths off, and with one off: that of repeated rows, the raster's, the
# translator's; and without translation, so that the decoded core runs, the polling loops' and the
# CPU's.
SOME_FAST_PATHS = (0, 23, 27, 15, 13, 14)  # the video engine follows frames of vectors only
SCREEN_WIDTH = 160


class Difference(AssertionError):  # noqa: N818
    """The two sides are unequal."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.where, self.what = where, what


def reference_rom(game: str) -> Path:
    """Where the reference package keeps the image of `game`; skips the test if it has none."""
    path = Path(ale_py.__file__).parent / "roms" / f"{game}.bin"
    if not path.exists():
        pytest.skip(f"no ROM image of {game} in the reference package")
    return path


def games() -> list[str]:
    """All games that the reference plays, in alphabetical order."""
    multiplayer_only = {"combat", "joust", "maze_craze", "warlords"}
    return sorted(set(ale_py.roms.get_all_rom_ids()) - multiplayer_only)


def make_reference() -> Any:
    return ale_py.ALEInterface()


def make_subject(fast_paths: int | None = None) -> Any:
    """Ours, with these fast paths only; None: those of the environment variable, else all."""
    if fast_paths is None:
        fast_paths = int(os.environ.get("PYALE_MA_TEST_FAST_PATHS", ALL_FAST_PATHS))
    if fast_paths == ALL_FAST_PATHS or SUBJECT_NAME == "ale_py":
        return subject.ALEInterface()
    return _with_fast_paths(fast_paths)()


@functools.cache
def _with_fast_paths(mask: int) -> Any:
    """Our class with a debugging option of the library that its settings do not show."""

    class Interface(subject.ALEInterface):  # type: ignore[misc]
        def _env_options(self) -> dict[str, float]:
            return {**super()._env_options(), "fast_paths": mask}

    return Interface


def describe_screens(expected: np.ndarray, actual: np.ndarray) -> str:
    """Where two screens differ: the first pixel and how far it goes."""
    rows, columns = np.nonzero((expected != actual).reshape(*expected.shape[:2], -1).any(axis=2))
    row, column = rows[0], columns[rows == rows[0]].min()
    return (
        f"screen, first at row {row} column {column}: {_value(expected[row, column])} expected, "
        f"{_value(actual[row, column])} found; "
        f"{len(rows)} pixels in rows {rows.min()}..{rows.max()}"
    )


def describe_bytes(name: str, expected: np.ndarray, actual: np.ndarray) -> str:
    places = np.flatnonzero(expected != actual)
    first = ", ".join(
        f"[{i}] {expected[i]:02X} expected, {actual[i]:02X} found" for i in places[:4]
    )
    return f"{name}, {len(places)} bytes: {first}"


def _value(pixel: np.ndarray) -> str:
    return np.asarray(pixel, dtype=np.uint8).tobytes().hex().upper()


class Pair:
    """Both interfaces with the same settings and the same ROM image."""

    def __init__(
        self,
        rom: Path,
        settings: Settings,
        *,
        mode: int | None = None,
        difficulty: int | None = None,
        reference: Callable[[], Any] = make_reference,
        subject: Callable[[], Any] = make_subject,
    ) -> None:
        self.name = rom.stem
        self.reference, self.subject = reference(), subject()
        self.settings = dict(settings)
        self.acts = self.resets = 0
        for side in self.sides:
            configure(side, settings)
            side.loadROM(rom)
        self._allocate()
        self.compare("after the load")
        if mode is not None or difficulty is not None:
            for side in self.sides:
                if mode is not None:
                    side.setMode(mode)
                if difficulty is not None:
                    side.setDifficulty(difficulty)
            self.reset()

    @property
    def sides(self) -> tuple[Any, Any]:
        return self.reference, self.subject

    def _allocate(self) -> None:
        shape = self.reference.getScreenDims()
        self._equal("loading", "screen size", tuple(shape), tuple(self.subject.getScreenDims()))
        self._screens = [np.zeros(shape, np.uint8) for _ in self.sides]
        self._rgb: list[Any] = [np.zeros((*shape, 3), np.uint8) for _ in self.sides]
        self._ram = [np.zeros(128, np.uint8) for _ in self.sides]
        self._audio = [np.zeros(512, np.uint8) for _ in self.sides]

    @property
    def where(self) -> str:
        return f"{self.name}, act {self.acts} after {self.resets} resets"

    def _equal(self, where: str, what: str, expected: Any, actual: Any) -> None:
        if expected != actual:
            raise Difference(where, f"{what}: {expected} expected, {actual} found")

    def act(self, action: int, strength: float = 1.0) -> int:
        """One act on both, then `compare`; returns the reward."""
        expected: int = self.reference.act(action, strength)
        actual = self.subject.act(action, strength)
        self.acts += 1
        if expected != actual:
            self._equal(self.where, "reward", expected, actual)
        self.compare()
        return expected

    def setRAM(self, index: int, value: int) -> None:  # noqa: N802
        for side in self.sides:
            side.setRAM(index, value)

    def reset(self) -> None:
        for side in self.sides:
            side.reset_game()
        self.resets += 1
        self.compare()

    @property
    def over(self) -> bool:
        over: bool = self.reference.game_over()
        return over

    def compare(self, where: str | None = None) -> None:
        """Everything that is cheap enough to look at after every act."""
        (ram, our_ram), (screen, our_screen) = self._ram, self._screens
        for side, ram_out, screen_out in zip(self.sides, self._ram, self._screens, strict=True):
            side.getRAM(ram_out)
            side.getScreen(screen_out)
        if ram.tobytes() != our_ram.tobytes():
            raise Difference(where or self.where, describe_bytes("RAM", ram, our_ram))
        if screen.tobytes() != our_screen.tobytes():
            raise Difference(where or self.where, describe_screens(screen, our_screen))
        expected, actual = report(self.reference), report(self.subject)
        if expected != actual:
            for name, value in expected.items():
                self._equal(where or self.where, name, value, actual[name])

    def compare_pictures(self) -> None:
        """RGB and grayscale, through buffers and as new arrays."""
        for side, rgb in zip(self.sides, self._rgb, strict=True):
            side.getScreenRGB(rgb)
        if not np.array_equal(*self._rgb):
            raise Difference(self.where, "RGB " + describe_screens(*self._rgb))
        if not np.array_equal(self._rgb[1], self.subject.getScreenRGB()):
            raise Difference(self.where, "RGB: buffer and new array differ")
        gray, our_gray = (side.getScreenGrayscale() for side in self.sides)
        # The reference's gray of odd indices (PAL colour loss) is another colour's blue: a defect.
        sound = (self._screens[0] & 1) == 0
        if not np.array_equal(gray[sound], our_gray[sound]):
            raise Difference(self.where, "gray " + describe_screens(gray * sound, our_gray * sound))

    def compare_audio(self) -> None:
        for side, audio in zip(self.sides, self._audio, strict=True):
            side.getAudio(audio)
        audio, our_audio = self._audio
        if audio.tobytes() != our_audio.tobytes():
            raise Difference(self.where, describe_bytes("audio", *self._audio))

    def detour(self, random: random.Random, frames: int, *, serialized: bool = False) -> None:
        """Ours alone plays on for a while and returns: nothing may show that it was away."""
        if SUBJECT_NAME == "ale_py":
            return  # its states lack pictures, sound and the sticky action
        leave_and_return(self.subject, random, frames, serialized=serialized)
        self.compare(f"{self.where}, restored")
        self.compare_audio()

    def play(
        self,
        frames: int,
        seed: int,
        *,
        force_reset: int = 0,
        pictures: int = 0,
        audio: int = 0,
        detours: int = 0,
        strengths: bool = False,
    ) -> None:
        """Random play: `frames` acts, resets at the end of episodes and every `force_reset` acts.

        Pictures and sound are compared, and detours taken, every so many acts; 0 means never.
        """
        rng = random.Random(seed)
        actions = [action.value for action in self.reference.getMinimalActionSet()]
        everything = range(18)
        action, held = 0, 0
        for t in range(1, frames + 1):
            if held == 0:
                action = rng.choice(actions if rng.random() < 0.9 else everything)
                held = rng.choice((1, 1, 2, 4, 8, 16))
            held -= 1
            self.act(action, rng.choice((1.0, 0.5, 0.3, -0.7, 1.5)) if strengths else 1.0)
            if audio and t % audio == 0:
                self.compare_audio()
            if pictures and t % pictures == 0:
                self.compare_pictures()
            if detours and t % detours == 0:
                self.detour(rng, rng.choice((1, 2, 5, 40)), serialized=rng.random() < 0.5)
            if self.over or (force_reset and t % force_reset == 0):
                self.reset()


def leave_and_return(
    side: Any, random: random.Random, frames: int, *, serialized: bool = False
) -> None:
    """Play on for a while and restore the state from before."""
    state = side.cloneState(include_rng=True)
    if serialized:
        state = type(state)(state.serialize())
    for _ in range(frames):
        side.act(random.randrange(18))
        if side.game_over():
            side.reset_game()
    side.restoreState(state)


def report(interface: Any) -> dict[str, Any]:
    """Return the rules' report of the episode."""
    return {
        "lives": interface.lives(),
        "game_over": interface.game_over(),
        "game_over(False)": interface.game_over(False),
        "game_truncated": interface.game_truncated(),
        "frame number": interface.getFrameNumber(),
        "episode frame number": interface.getEpisodeFrameNumber(),
    }
