"""libale's objects, as classes that own them: with `_abi` and `_library` all that knows ctypes.

``libale/include/ale/ale.h`` describes what they do:

* `Rom`: a cartridge image.
* `Env`: a console that plays it.
* `State`: a moment of an `Env`.
* `Vector`: many environments in a batch.

They are closable and context managers, and safe to share between threads: what a call in one thread
uses is freed only after it.  What the library refuses becomes an exception whose text is the
library's own.
"""

from __future__ import annotations

import ctypes
import functools
import math
import sys
import sysconfig
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from ctypes import (
    byref,
    c_float,
    c_int32,
    c_size_t,
    c_uint8,
    c_uint32,
    c_void_p,
)
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from pyale_ma._abi import (
    ABI_VERSION,
    ACTION_COUNT,
    AUDIO_SIZE,
    DECLARATIONS,
    GAME_NONE,
    GAME_UNKNOWN,
    MAX_FRAME_SKIP,
    MAX_NOOPS,
    MAX_PLAYERS,
    MAX_ROM_SIZE,
    RAM_SIZE,
    SCREEN_WIDTH,
    Action,
    Autoreset,
    Batch,
    CardInfo,
    EnvInfo,
    EnvOptions,
    Format,
    GameInfo,
    ObjectBox,
    Observation,
    Pixels,
    Report,
    RomInfo,
    RomOptions,
    Rules,
    Screens,
    StateInfo,
    Status,
    Struct,
    VectorInfo,
    VectorOptions,
)
from pyale_ma._library import EXCEPTIONS, VERSION, bits, fail, lib, library_path, quick

# fmt: off
__all__ = [
    "ABI_VERSION", "ACTION_COUNT", "AUDIO_SIZE", "DECLARATIONS", "EPISODE_FRAME_NUMBER",
    "FRAME_NUMBER", "GAME_NONE", "GAME_UNKNOWN", "LIVES", "MAX_FRAME_SKIP", "MAX_NOOPS",
    "MAX_PLAYERS", "MAX_ROM_SIZE", "RAM_SIZE", "REWARDS", "SCREEN_WIDTH", "TERMINATED", "TRUNCATED",
    "VERSION", "Action", "Autoreset", "Batch", "Card", "CardInfo", "Env", "EnvInfo", "EnvOptions",
    "Format", "Game", "GameInfo", "ObjectBox", "Observation", "Pixels", "Report", "Rom", "RomInfo",
    "RomOptions", "Rules", "Screens", "State", "StateInfo", "Status", "Struct", "Vector",
    "VectorInfo", "VectorOptions", "bits", "fail", "games", "lib", "library_path", "shared_rom",
    "view",
]
# fmt: on

# ---- Games ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Game:
    """A game that the library knows.

    Attributes:
        number: Its number in this version of the library.
        name: The field's identifier, such as "ms_pacman".
        title: The name for people.
        md5: MD5 of the supported image, 32 hexadecimal digits.
        rules: The rule sets it has.
    """

    number: int
    name: str
    title: str
    md5: str
    rules: tuple[Rules, ...]

    def describe(self, rules: Rules) -> GameInfo:
        """Actions, difficulties and players under one rule set (all 0 where the game lacks it)."""
        info = GameInfo()
        status = lib.ale_game_describe(self.number, rules, byref(info))
        if status:
            fail(status)
        return info

    def modes(self, rules: Rules, players: int = 1) -> list[int]:
        """The modes for so many players, ascending."""
        return _modes(lib.ale_game_modes, self.number, rules, players)


def _modes(function: Any, *arguments: Any) -> list[int]:
    count = c_size_t()
    modes = (c_int32 * 256)()
    status = function(*arguments, modes, len(modes), byref(count))
    if status:
        fail(status)
    return list(modes[: count.value])


@functools.cache
def games() -> dict[str, Game]:
    """All games by name, in alphabetical order."""

    def game(number: int) -> Game:
        info = GameInfo()
        status = lib.ale_game_describe(number, Rules.SOLO, byref(info))
        if status:
            fail(status)
        rules = tuple(Rules(bit) for bit in bits(info.rules))
        return Game(number, info.name.decode(), info.title.decode(), info.md5.decode(), rules)

    return {game(number).name: game(number) for number in range(lib.ale_game_count())}


# ---- Objects -------------------------------------------------------------------------------------

_Self = TypeVar("_Self", bound="_Owner")


class _Handle(c_void_p):
    """An object of the library, which is freed with it.

    Who uses the object holds this: owners, views of its memory, and calls while they last, whatever
    another thread may do to the owner.
    """

    # Looked up once, so that it is still there while the interpreter shuts down.
    _destroy: ClassVar[Any]

    def __del__(self) -> None:
        if self.value is not None:
            self._destroy(self.value)


class _Owner:
    """Owns one object of the library, until `close` or the garbage collector ends it."""

    __slots__ = ("__weakref__", "_handle")
    _handle: _Handle | None

    def close(self) -> None:
        """Free it.  Closing twice does nothing; everything else then raises ValueError."""
        self._handle = None

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled or copied")


class _CardHandle(_Handle):
    _destroy = lib.ale_card_release


class Card(_Owner):
    """A game's rules as a text; immutable, shared by any number of ROMs.

    Args:
        text: The card, UTF-8, at most 64 KiB.

    Raises:
        ValueError: It is no card; the text says in which line and column, and why.
    """

    __slots__ = ()

    def __init__(self, text: bytes) -> None:
        self._handle = None
        handle = _CardHandle()
        status = lib.ale_card_create(text, len(text), byref(handle))
        if status:
            fail(status)
        self._handle = handle

    def describe(self, rules: Rules) -> CardInfo:
        """Names; actions, difficulties and players under one rule set (all 0 where it lacks it)."""
        info = CardInfo()
        status = lib.ale_card_describe(self._handle, rules, byref(info))
        if status:
            fail(status)
        return info

    def modes(self, rules: Rules, players: int = 1) -> list[int]:
        """The modes for so many players, ascending."""
        return _modes(lib.ale_card_modes, self._handle, rules, players)

    @property
    def variations(self) -> tuple[str, ...]:
        """The names of the card's variations."""
        count = self.describe(Rules.MULTI).variations
        return tuple(lib.ale_card_variation(self._handle, i).decode() for i in range(count))


class _RomHandle(_Handle):
    _destroy = lib.ale_rom_release


class Rom(_Owner):
    """A cartridge image and what is known of it; immutable, shared by any number of environments.

    Args:
        data: The bytes of an uncompressed ROM file, at most 512 KiB.
        game: None for the game with this MD5; a game's name for its rules, whatever the image; ""
            for no rules.
        format: The display format, where it should not be found out.
        scheme: The bank-switching scheme ("4K", "F8", ...), where it should not be detected.
        card: Whose rules apply, instead of a game's.
        variation: One of the card's variations.

    Raises:
        ValueError: These bytes are no cartridge or not the card's, or a name is none.
    """

    __slots__ = ()

    def __init__(
        self,
        data: bytes,
        game: str | None = None,
        *,
        format: Format = Format.FORMAT_AUTO,  # noqa: A002 (the header's word)
        scheme: str | None = None,
        card: Card | None = None,
        variation: str | None = None,
    ) -> None:
        self._handle = None
        options = RomOptions()
        lib.ale_rom_options_init(byref(options), ctypes.sizeof(options))
        options.format = format
        options.game = None if game is None else game.encode()
        options.scheme = None if scheme is None else scheme.encode()
        options.card = None if card is None else card._handle
        options.variation = None if variation is None else variation.encode()
        handle = _RomHandle()
        status = lib.ale_rom_create(bytes(data), len(data), byref(options), byref(handle))
        if status:
            fail(status)
        self._handle = handle

    @property
    def info(self) -> RomInfo:
        """Game, MD5, scheme and format."""
        info = RomInfo()
        status = lib.ale_rom_describe(self._handle, byref(info))
        if status:
            fail(status)
        return info


_shared_roms: weakref.WeakValueDictionary[tuple[bytes, str | None, Card | None, str | None], Rom]
_shared_roms = weakref.WeakValueDictionary()


def shared_rom(
    data: bytes, game: str | None = None, card: Card | None = None, variation: str | None = None
) -> Rom:
    """A `Rom` that all who ask for the same bytes and rules share; nobody may close it."""
    key = (data, game, card, variation)
    rom = _shared_roms.get(key)
    if rom is None:
        rom = _shared_roms[key] = Rom(data, game, card=card, variation=variation)
    return rom


class _EnvHandle(_Handle):
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


class Env(_Owner):
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
            _set_field(chosen, name, value)
        handle = _EnvHandle()
        status = lib.ale_env_create(rom._handle, byref(chosen), byref(handle))
        if status:
            fail(status)
        self._handle = handle

        self.info = EnvInfo()
        status = lib.ale_env_describe(handle, byref(self.info))
        if status:
            fail(status)
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
        return _modes(lib.ale_env_modes, self._handle, players)

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


class _StateHandle(_Handle):
    _destroy = lib.ale_state_destroy


_AnyState = TypeVar("_AnyState", bound="State")


class State(_Owner):
    """A moment of an `Env`, empty at first.

    Args:
        data: Bytes of an earlier `serialize`; None for an empty state.

    Raises:
        ValueError: The bytes are no state, or damaged.
    """

    __slots__ = ()
    # Memory of states that are gone, for the next ones: searches make and drop them by the million.
    _spare: ClassVar[list[_Handle]] = []
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
        info = StateInfo()
        status = lib.ale_state_describe(self._handle, byref(info))
        if status:
            fail(status)
        return info

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


class _VectorHandle(_Handle):
    _destroy = lib.ale_vector_destroy
    posted: deque[Batch]  # what threads may still write to


class Vector(_Owner):
    """Many environments that play in batches, on a pool of threads.

    The hot calls take addresses and a `Batch` that were prepared before::

        vector.step(actions.ctypes.data, None, batch)

    What they point at must live until the batch is received; the vector keeps the `Batch` itself
    alive, with all its attributes.

    Args:
        roms: What each environment plays.
        seeds: uint32, one for each environment.
        **options: Fields of ``ale_vector_options``.

    Attributes:
        posted: The batches that are posted and not received, first to be filled first.
        unsure: Whether an exception may have come between `posted` and what the library has; then
            `recount`.

    Raises:
        ValueError: An option is unknown or out of range, or a game lacks the rules or players.
        RuntimeError: A cartridge does not behave like the game that it is said to be.
    """

    def __init__(
        self, roms: Sequence[Rom], seeds: npt.NDArray[np.uint32], **options: float
    ) -> None:
        self._handle = None
        self.posted: deque[Batch] = deque()
        self.unsure = False
        self._next = 0  # of the batches, by number
        chosen = VectorOptions()
        lib.ale_vector_options_init(byref(chosen), ctypes.sizeof(chosen))
        for name, value in options.items():
            _set_field(chosen, name, value)
        handle = _VectorHandle()
        handle.posted = self.posted
        handles = (c_void_p * len(roms))(*(rom._handle for rom in roms))
        seeds = np.ascontiguousarray(seeds, np.uint32)
        status = lib.ale_vector_create(
            handles, seeds.ctypes.data, len(roms), byref(chosen), byref(handle)
        )
        if status:
            fail(status)
        self._handle = handle

    def close(self) -> None:
        """Wait for what is playing, stop the threads and free everything."""
        super().close()
        self.posted = deque()

    @property
    def info(self) -> VectorInfo:
        """Sizes, and what is outstanding."""
        info = VectorInfo()
        status = lib.ale_vector_describe(self._handle, byref(info))
        if status:
            fail(status)
        return info

    # ---- Batches ---------------------------------------------------------------------------------

    def post(self, batch: Batch) -> None:
        """Hand over memory for one more batch."""
        self._keep(batch)
        status = lib.ale_vector_post(self._handle, byref(batch))
        if status:
            message = lib.ale_last_error().decode()
            self.recount()
            raise EXCEPTIONS.get(status, RuntimeError)(message)
        self.unsure = False

    def _keep(self, batch: Batch) -> None:
        """Keep alive what the library is about to be given."""
        self.unsure = True
        batch.number = self._next
        self.posted.append(batch)
        self._next += 1

    def recount(self) -> int:
        """Learn after an exception which batches the library has; the number of them.

        It may itself be interrupted by one, anywhere, and called again.
        """
        self.unsure = True
        info = self.info
        while self.posted and self.posted[0].number < info.received:
            self.posted.popleft()
        while len(self.posted) > info.posted:
            self.posted.pop()  # was refused
        self._next = info.received + info.posted
        self.unsure = False
        return info.posted

    def reset(self, mask: int | None, seeds: int | None) -> None:
        """Start to reset environments: addresses of a bool and an int64 for each, or None."""
        status = lib.ale_vector_reset(self._handle, mask, seeds)
        if status:
            fail(status)

    def send(self, actions: int, strengths: int | None, _send: Any = lib.ale_vector_send) -> None:
        """Start to play: addresses of int32 indices and of float32 strengths, or None."""
        status = _send(self._handle, actions, strengths)
        if status:
            fail(status)

    def recv(self, _recv: Any = lib.ale_vector_recv) -> Batch:
        """Wait for the first batch posted.  Signals are handled while waiting."""
        status = Status.UNFINISHED
        self.unsure = True
        while status == Status.UNFINISHED:
            status = _recv(self._handle)
        return self._finish(status)

    def step(
        self,
        actions: int,
        strengths: int | None,
        batch: Batch,
        _step: Any = lib.ale_vector_step,
    ) -> Batch:
        """Post, send and receive in one call."""
        self._keep(batch)
        status = _step(self._handle, actions, strengths, batch)
        return self.recv() if status == Status.UNFINISHED else self._finish(status)

    def _finish(self, status: int) -> Batch:
        if status:
            message = lib.ale_last_error().decode()
            self.recount()
            raise EXCEPTIONS.get(status, RuntimeError)(message)
        batch = self.posted.popleft()
        self.unsure = False
        return batch

    # ---- Environments ----------------------------------------------------------------------------

    def _env(self, index: int) -> int:
        env: int | None = lib.ale_vector_env(self._handle, index)
        if env is None:
            message = lib.ale_last_error().decode()
            raise IndexError(message) if index >= self.info.num_envs else RuntimeError(message)
        return env

    def env_info(self, index: int) -> EnvInfo:
        """What does not change in an environment."""
        info = EnvInfo()
        status = lib.ale_env_describe(self._env(index), byref(info))
        if status:
            fail(status)
        return info

    def modes(self, index: int, players: int = 1) -> list[int]:
        """An environment's modes for so many players, ascending."""
        return _modes(lib.ale_env_modes, self._env(index), players)

    def select(self, index: int, mode: int, difficulty: int) -> None:
        """Choose an environment's mode and difficulty, in force from its next reset on."""
        status = lib.ale_vector_select(self._handle, index, mode, difficulty)
        if status:
            fail(status)

    def screen(self, index: int, out: npt.NDArray[np.uint8]) -> None:
        """Write an environment's screen to a C-contiguous array (height, 160, 3)."""
        status = lib.ale_env_screen(self._env(index), Pixels.RGB, out.ctypes.data, out.nbytes)
        if status:
            fail(status)

    # ---- States ----------------------------------------------------------------------------------

    def copy(
        self, sources: int, targets: int, count: int, _copy: Any = lib.ale_vector_copy
    ) -> None:
        """Let environments go on as copies of others: addresses of `count` int32 numbers each."""
        status = _copy(self._handle, sources, targets, count)
        if status:
            fail(status)

    def save(self) -> bytes:
        """Everything, as bytes for this version of the library and this kind of processor."""
        size = c_size_t()
        out = ctypes.create_string_buffer(0)
        while True:
            status = lib.ale_vector_save(self._handle, out, len(out), byref(size))
            if status:
                fail(status)
            if size.value <= len(out):
                return out.raw[: size.value]
            out = ctypes.create_string_buffer(size.value)

    def restore(self, data: bytes) -> None:
        """Continue from bytes of a vector with the same ROMs and options."""
        status = lib.ale_vector_restore(self._handle, bytes(data), len(data))
        if status:
            fail(status)


def _set_field(struct: ctypes.Structure, name: str, value: float) -> None:
    """Assign, but refuse what ctypes would silently cut off."""
    kinds = dict(_plain_fields(struct))
    if name not in kinds:
        raise ValueError(f"unknown option {name!r}; there are {', '.join(kinds)}")
    setattr(struct, name, value)
    if kinds[name] is not c_float and getattr(struct, name) != value:
        raise ValueError(f"{name} is {value}, which does not fit into 32 bits")


def _plain_fields(struct: ctypes.Structure) -> Iterator[tuple[str, Any]]:
    for name, kind, *_ in struct._fields_:
        if name != "struct_size":
            yield name, kind


def view(address: int, shape: tuple[int, ...], owner: Any = None) -> npt.NDArray[np.uint8]:
    """An array over memory of `owner`, which it keeps alive, and which may not be written to then.

    None: of somebody else, who keeps it alive; it may be written to.
    """
    buffer = (c_uint8 * math.prod(shape)).from_address(address)
    buffer.owner = owner  # type: ignore[attr-defined]
    array = np.ctypeslib.as_array(buffer)
    array.flags.writeable = owner is None
    return array.reshape(shape)
