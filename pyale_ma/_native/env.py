"""One console that plays, and moments of it."""

from __future__ import annotations

import ctypes
import math
import sys
import sysconfig
from ctypes import byref, c_float, c_int32, c_size_t, c_uint8, c_uint32, c_void_p
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from pyale_ma._native.abi import (
    AUDIO_SIZE,
    MAX_PLAYERS,
    RAM_SIZE,
    SCREEN_WIDTH,
    EnvInfo,
    EnvOptions,
    ObjectBox,
    Pixels,
    Report,
    Screens,
    StateInfo,
)
from pyale_ma._native.cartridges import Rom
from pyale_ma._native.library import fail, lib, quick
from pyale_ma._native.owner import Handle, Owner, described, modes_of, set_field, view


class _EnvHandle(Handle):
    _destroy = lib.ale_env_destroy


# The memory of a writable, C-contiguous array as an argument: five times as quick as `ctypes.data`.
_memory_of: Any = (c_uint8 * 0).from_buffer


_act, _step = quick("ale_env_act"), quick("ale_env_step")
_save, _restore = quick("ale_env_save"), quick("ale_env_restore")
_NO, _YES = c_uint32(0), c_uint32(1)  # as arguments


def _place_of(field: str) -> int:
    return int(getattr(Report, field).offset) // ctypes.sizeof(c_int32)


# Where things are among `Env.numbers`.
REWARDS, LIVES = _place_of("rewards"), _place_of("lives")
TERMINATED, TRUNCATED = _place_of("terminated"), _place_of("truncated")
FRAME_NUMBER, EPISODE_FRAME_NUMBER = _place_of("frame_number"), _place_of("episode_frame_number")


def _numbers(report: Report) -> memoryview[int]:
    return memoryview(report).cast("B").cast("i")


# Without a global lock reference counts of other threads' objects are not to be trusted.
_COUNTS = hasattr(sys, "getrefcount") and not sysconfig.get_config_var("Py_GIL_DISABLED")
_ALONE = [object()]
_NOBODY_ELSE = sys.getrefcount(_ALONE[0]) if _COUNTS else 0  # refers to what is in this list


class _Place:
    """Where the screens of a step go: arrays that are used again once nobody else refers to them.

    Fresh memory costs a page fault for every 4 KiB, and an address that must be asked for.
    """

    __slots__ = ("_arrays", "_screens", "_shape", "address", "pixels")

    def __init__(self, pixels: Pixels, height: int) -> None:
        rgb = pixels == Pixels.RGB
        self.pixels = pixels
        self._shape = (height, SCREEN_WIDTH, 3) if rgb else (height, SCREEN_WIDTH)
        self._arrays: list[npt.NDArray[np.uint8]] = []
        self._screens = Screens()
        self._screens.pixels = pixels
        self._screens.size = math.prod(self._shape)
        self.address = c_void_p(ctypes.addressof(self._screens))

    def take(self, copies: int) -> list[npt.NDArray[np.uint8]]:
        """So many arrays that nobody else has."""
        arrays, screens = self._arrays, self._screens
        for i in range(copies):
            if i == len(arrays) or not _COUNTS or sys.getrefcount(arrays[i]) != _NOBODY_ELSE:
                array = np.empty(self._shape, np.uint8)
                screens.out[i] = ctypes.addressof(_memory_of(array))
                arrays[i : i + 1] = [array]
        screens.count = copies
        return arrays[:copies]


class Env(Owner):
    """A console that plays a ROM, with rewards and ends of episodes.

    To play, put actions (and strengths, which stay 1.0 otherwise) into the arrays and call `act`;
    `report` then says what came of it::

        env.actions[0] = 2
        env.act()
        reward = env.report.rewards[0]

    Args:
        rom: What to play.  The environment keeps it alive.
        **options: Fields of ``ale_env_options``.

    Attributes:
        actions: int32, one action for each player.
        strengths: float32, how far RIGHT and LEFT turn a paddle.
        info: What does not change.
        report: What changes; always current.
        rewards: ``report.rewards``, looked up once.
        numbers: All of `report` as int32, quickest to read; `REWARDS`, `LIVES`, `TERMINATED` and so
            on say where.
        ram: uint8 view of the console's 128 bytes, always current; copy what you hand on.
        audio: uint8 view of the 512 samples of the latest act; likewise.

    Raises:
        ValueError: An option is unknown or out of range, or the game has no such rules.
        RuntimeError: The cartridge does not behave like the game that it is said to be.
    """

    def __init__(self, rom: Rom, **options: float) -> None:
        self._handle = None
        chosen = EnvOptions()
        lib.ale_env_options_init(byref(chosen), ctypes.sizeof(chosen))
        for name, value in options.items():
            set_field(chosen, name, value)
        handle = _EnvHandle()
        status = lib.ale_env_create(rom._handle, byref(chosen), byref(handle))
        if status:
            fail(status)
        self._handle = handle

        self.info = described(EnvInfo, lib.ale_env_describe, handle)
        self.report: Report = lib.ale_env_report(handle).contents
        self.report.owner = handle  # which stays as long as the report
        self.rewards = self.report.rewards
        self.numbers = _numbers(self.report)
        # In turn: one is being written to while the user has that of the step before.
        self._places = [_Place(Pixels.RGB, self.info.screen_height) for _ in range(2)]
        self.ram = view(lib.ale_env_ram(handle), (RAM_SIZE,), handle)
        self.audio = view(lib.ale_env_audio(handle), (AUDIO_SIZE,), handle)
        self.actions = (c_int32 * MAX_PLAYERS)()
        self.strengths = (c_float * MAX_PLAYERS)(*[1.0] * MAX_PLAYERS)
        self._actions = ctypes.cast(self.actions, c_void_p)
        self._strengths = ctypes.cast(self.strengths, c_void_p)

    def close(self) -> None:
        """Forget it and what was borrowed; freed when no call and no view uses it any more."""
        if self._handle is not None and hasattr(self, "audio"):
            self.report = Report()
            self.rewards = self.report.rewards
            self.numbers = _numbers(self.report)
            self.ram = np.zeros(RAM_SIZE, np.uint8)
            self.audio = np.zeros(AUDIO_SIZE, np.uint8)
        super().close()

    def act(self, count: int = 1, repeat: int = 1) -> None:
        """Play `actions` of `count` players, `repeat` times; the rewards are then the sums."""
        status = _act(self._handle, self._actions, self._strengths, count, repeat)
        if status:
            fail(status)

    def step(
        self, pixels: Pixels, count: int = 1, repeat: int = 1, copies: int = 1
    ) -> list[npt.NDArray[np.uint8]]:
        """Play as `act` does.

        Returns:
            The screen after it, as `screen` has it, in so many arrays, 1 to 4.
        """
        try:
            place = self._places.pop(0)  # no other thread has it now
        except IndexError:
            place = _Place(pixels, self.info.screen_height)
        if place.pixels is not pixels:
            place = _Place(pixels, self.info.screen_height)
        screens = place.take(copies)
        handle = self._handle
        status = _step(handle, self._actions, self._strengths, count, repeat, place.address)
        self._places.append(place)
        if status:
            fail(status)
        return screens

    def reset(self) -> None:
        """Start an episode in the mode last set."""
        status = lib.ale_env_reset(self._handle)
        if status:
            fail(status)

    def reload(self, random_seed: int) -> None:
        """Be as new, with another seed (32 bits, unsigned)."""
        status = lib.ale_env_reload(self._handle, random_seed)
        if status:
            fail(status)

    def modes(self, players: int = 1) -> list[int]:
        """The modes for so many players, ascending."""
        return modes_of(lib.ale_env_modes, self._handle, players)

    def set_mode(self, mode: int) -> None:
        """Choose a mode, in force from the next reset on."""
        status = lib.ale_env_set_mode(self._handle, mode)
        if status:
            fail(status)

    def set_difficulty(self, difficulty: int) -> None:
        """Choose a difficulty, in force from the next frame on."""
        status = lib.ale_env_set_difficulty(self._handle, difficulty)
        if status:
            fail(status)

    def screen(
        self,
        pixels: Pixels,
        out: npt.NDArray[np.uint8] | None = None,
        _screen: Any = lib.ale_env_screen,
    ) -> npt.NDArray[np.uint8]:
        """The latest frame, uint8 of shape (height, 160), with a last axis of 3 for RGB.

        Args:
            pixels: What to return.
            out: Where to: a C-contiguous, writable uint8 array of this shape.  None: a new array.
        """
        if out is None:
            height = self.info.screen_height
            rgb = pixels == Pixels.RGB
            out = np.empty((height, SCREEN_WIDTH, 3) if rgb else (height, SCREEN_WIDTH), np.uint8)
        status = _screen(self._handle, pixels, _memory_of(out), out.nbytes)
        if status:
            fail(status)
        return out

    def object_boxes(self) -> list[ObjectBox]:
        """The boxes of the latest frame's objects, with the option `objects`."""
        room, count = 64, c_size_t()
        while True:
            boxes = (ObjectBox * room)()
            status = lib.ale_env_object_boxes(self._handle, boxes, room, byref(count))
            if status:
                fail(status)
            if count.value <= room:
                return boxes[: count.value]
            room = count.value

    def palette(self, pixels: Pixels) -> npt.NDArray[np.uint8]:
        """The RGB, shape (256, 3), or gray, shape (256,), of every index; uint8."""
        out = np.empty((256, 3) if pixels == Pixels.RGB else (256,), np.uint8)
        status = lib.ale_env_palette(self._handle, pixels, out.ctypes.data, out.nbytes)
        if status:
            fail(status)
        return out

    def set_ram(self, index: int, value: int) -> None:
        """Change one byte of RAM at once."""
        status = lib.ale_env_set_ram(self._handle, index, value)
        if status:
            fail(status)

    def save(self, state: State, include_random: bool = False) -> None:
        """Keep the present moment in `state`, with or without the random generator."""
        flag = _YES if include_random is True else _NO
        if include_random and flag is _NO:
            flag = c_uint32(include_random)  # the library says what is wrong with it
        status = _save(self._handle, flag, state._handle)
        if status:
            fail(status)

    def restore(self, state: State) -> None:
        """Return to a moment of this or another environment of the same ROM and rules."""
        status = _restore(self._handle, state._handle)
        if status:
            fail(status)

    def copy_from(self, source: Env) -> None:
        """Go on as an exact copy of another environment of the same ROM and rules."""
        status = lib.ale_env_copy(self._handle, source._handle)
        if status:
            fail(status)


class _StateHandle(Handle):
    _destroy = lib.ale_state_destroy


_AnyState = TypeVar("_AnyState", bound="State")


class State(Owner):
    """A moment of an `Env`, empty at first.

    Args:
        data: Bytes of an earlier `serialize`; None for an empty state.

    Raises:
        ValueError: The bytes are no state, or damaged.
    """

    __slots__ = ()
    # Memory of states that are gone, for the next ones: searches make and drop them by the million.
    _spare: ClassVar[list[Handle]] = []
    _MOST_SPARE: ClassVar[int] = 16

    def __init__(self, data: bytes | None = None) -> None:
        self._handle = None
        handle = _StateHandle()
        status = lib.ale_state_create(byref(handle))
        if status:
            fail(status)
        self._handle = handle
        if data is not None:
            status = lib.ale_state_deserialize(handle, bytes(data), len(data))
            if status:
                fail(status)

    @classmethod
    def for_saving(cls: type[_AnyState]) -> _AnyState:
        """A state to be saved into at once; what it holds until then means nothing."""
        try:
            handle = cls._spare.pop()
        except IndexError:
            return cls()
        state = cls.__new__(cls)
        state._handle = handle
        return state

    def __del__(self) -> None:
        try:
            handle = self._handle
        except AttributeError:  # it was never made
            return
        if handle is not None and len(self._spare) < self._MOST_SPARE:
            self._spare.append(handle)

    @property
    def info(self) -> StateInfo:
        """Frame numbers, mode, difficulty and size."""
        return described(StateInfo, lib.ale_state_describe, self._handle)

    def equals(self, other: State) -> bool:
        """Whether the same would follow from both."""
        equal = c_uint32()
        status = lib.ale_state_equal(self._handle, other._handle, byref(equal))
        if status:
            fail(status)
        return bool(equal.value)

    def serialize(self) -> bytes:
        """As bytes, for this version of the library and this kind of processor."""
        out = ctypes.create_string_buffer(self.info.serialized_size)
        status = lib.ale_state_serialize(self._handle, out, len(out))
        if status:
            fail(status)
        return out.raw
