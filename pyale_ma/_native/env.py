"""One console that plays, and moments of it."""

from __future__ import annotations

import ctypes
import functools
import math
import struct
from collections import deque
from collections.abc import Callable, Sequence
from ctypes import byref, c_float, c_int32, c_size_t, c_uint8, c_uint32
from typing import Any, SupportsFloat, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from pyale_ma._native.abi import (
    ACTION_COUNT,
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
    Status,
)
from pyale_ma._native.cartridges import Rom
from pyale_ma._native.interrupts import FrameLimit
from pyale_ma._native.library import brief, check, fail, lib, quick
from pyale_ma._native.owner import (
    Address,
    Handle,
    Owner,
    Tapped,
    described,
    exact,
    fixed_array,
    modes_of,
    set_field,
    view,
)
from pyale_ma._native.references import COUNTED, HELD, references

# Frames that a call plays in the caller's thread.  More may take longer than Ctrl-C should wait.
_FEW = 250
_SHORT_ACT = 10  # frames; a reset may play many acts of one player


# The memory of a writable, C-contiguous array as an argument: five times as quick as `ctypes.data`.
_memory_of: Any = (c_uint8 * 0).from_buffer
_size = functools.lru_cache(c_size_t.from_param)  # a size as an argument


_act, _step = quick("ale_env_act"), quick("ale_env_step")
act_alone = quick("ale_env_act_alone")  # what is below LEAST_REWARD is a status
_NO_REWARD, LEAST_REWARD = -(2**63), -(2**31)
_save, restore = brief("ale_env_save"), brief("ale_env_restore")
_screen, _labels = quick("ale_env_screen"), quick("ale_env_labels")
FULL = 1.0  # strength, for which there is a quicker way
_ACTIONS = [byref(c_int32(action)) for action in range(ACTION_COUNT)]  # of one player, as arguments


def object_boxes_of(env: Any) -> list[ObjectBox]:
    """The boxes of the latest frame's objects, of an environment as a ctypes argument."""
    room, count = 64, c_size_t()
    while True:
        boxes = (ObjectBox * room)()
        check(lib.ale_env_object_boxes(env, boxes, room, byref(count)))
        if count.value <= room:
            return boxes[: count.value]
        room = count.value


@functools.lru_cache(maxsize=1024)
def _of_each(actions: tuple[int, ...]) -> Any:
    """Actions of several players, as an argument."""
    return byref((c_int32 * MAX_PLAYERS)(*actions))


# Of a report: the rewards and the lives of all players, whether the episode was terminated and
# truncated (0 or 1), and the number of the frame, since the start and in the episode.
Outcome: TypeAlias = tuple[int, int, int, int, int, int, int, int, int, int, int, int]
REWARD = 0  # where the first player's is

_read_outcome = struct.Struct(f"={2 * MAX_PLAYERS + 4}i").unpack_from
_REWARDS, _ENDS = (getattr(Report, field).offset for field in ("rewards", "terminated"))


def _reader_of(report: Report) -> Callable[[], Outcome]:
    return functools.partial(_read_outcome, memoryview(report).cast("B"), _REWARDS)


def _shape(pixels: Pixels, height: int) -> tuple[int, ...]:
    """Return the shape of an array with a screen."""
    return (height, SCREEN_WIDTH, 3) if pixels is Pixels.RGB else (height, SCREEN_WIDTH)


class _Place:
    """Memory of a step's report and its screens, reused once no caller refers to a screen.

    Fresh memory costs a page fault for every 4 KiB, and an address that must be asked for.  All
    screens lie in one piece of it, so that one count tells whether anybody refers to them.  Views
    are handed out, so that a caller who reshapes one does not reshape the next one.

    Args:
        pixels: Of the screens; None: there are none.
        height: Of a screen.
    """

    __slots__ = (
        "_arrays",
        "_count",
        "_memory",
        "_report",
        "_screens",
        "_shape",
        "_unlent",
        "address",
        "outcome",
        "pixels",
    )

    def __init__(self, pixels: Pixels | None, height: int) -> None:
        self.pixels = pixels
        self._arrays: list[npt.NDArray[np.uint8]] = []
        self._memory: npt.NDArray[np.uint8] | None = None  # whose views they are
        self._unlent = -1  # the references to it while no caller has any
        self._count = -1  # of the arrays at which `_screens` points
        self._screens = Screens()
        if pixels is not None:
            self._shape = _shape(pixels, height)
            self._screens.pixels = pixels
            self._screens.size = math.prod(self._shape)
        self._report = Report()
        self._screens.report = ctypes.addressof(self._report)
        self.outcome = _reader_of(self._report)
        self.address = byref(self._screens)

    def take(self, copies: int) -> list[npt.NDArray[np.uint8]]:
        """Return `copies` arrays, 0 to 4, that no caller refers to."""
        if copies != self._count or references(self._memory) != self._unlent:
            self._allocate(copies)
        arrays = self._arrays
        return [arrays[0].view()] if copies == 1 else [array.view() for array in arrays]

    def _allocate(self, copies: int) -> None:
        self._count = -1  # until all addresses are right, whatever interrupts this
        self._memory = memory = fixed_array((copies, *self._shape))
        self._arrays = [*memory]
        for i, array in enumerate(self._arrays):
            self._screens.out[i] = ctypes.addressof(_memory_of(array))
        self._screens.count = copies
        del memory
        self._unlent = references(self._memory) if COUNTED else -1
        self._count = copies


class Env(Tapped):
    """A console that plays a ROM, with rewards and ends of episodes.

    To play, put actions (and strengths, which stay 1.0 otherwise) into the arrays and call `act`;
    `report` then says what came of it::

        env.actions[0] = 2
        env.act()
        reward = env.report.rewards[0]

    `act_alone`, `step_alone` and `play` take the actions as arguments, and return what came of
    them.  A call that comes while another one runs is refused.  An exception of a signal handler
    ends a call that plays.  If that was in the middle, the environment must be reset, or a state
    restored.

    Args:
        rom: What to play.
        **options: Fields of ``ale_env_options``.

    Attributes:
        rom: As given.
        options: As given.
        tap: Told that it plays or changes, before it does.  Here `act` is a step.
        actions: int32, one action for each player.
        strengths: float32, how far RIGHT and LEFT turn a paddle.
        info: What does not change.
        alone: An argument of the functions `act_alone` and `restore`, which are quicker than the
            methods, but do not tell the tap.  None, which they refuse, if the console is closed, or
            if an act may take long.
        limit: Stops what plays, after which the environment must be reset.
        report: What changes; always current.
        outcome: Returns the present `Outcome`: the fields of `report` that a step needs.
        ends: Has one number, 0 unless the episode was terminated or truncated; always current.
        lives: Those of `report`, which would make a new view of them each time.
        shapes: Of arrays with a screen, by `Pixels`.
        ram: uint8 view of the console's 128 bytes, always current; copy what you hand on.
        audio: uint8 view of the 512 samples of the latest act; likewise.

    Raises:
        ValueError: An option is unknown or out of range, or the game has no such rules.
        RuntimeError: The cartridge does not behave like the game that it is said to be.  Calls: the
            environment is in use.
        gymnasium.error.ResetNeeded: Calls: an earlier one was interrupted.
    """

    def __init__(self, rom: Rom, **options: float) -> None:
        self._handle = None
        self.rom = rom
        self.tap = None
        self.options = options
        chosen = EnvOptions()
        lib.ale_env_options_init(byref(chosen), ctypes.sizeof(chosen))
        for name, value in options.items():
            set_field(chosen, name, value)
        address = Address(lib.ale_env_destroy)
        self.limit = address.limit = FrameLimit(chosen)
        handle = Handle.from_buffer(address)
        self._most = _FEW // max(chosen.frame_skip, 1)  # acts of a call in the caller's thread
        is_known = lib.ale_game_by_md5(rom.info.md5) >= 0  # others may never reach a mode
        self._resets_briefly = is_known and chosen.frame_skip <= _SHORT_ACT
        self._begin(lib.ale_env_create, rom._handle, byref(chosen), byref(handle))
        self._handle = handle.as_argument()
        self.alone = self._handle if self._most else None

        self.info = described(EnvInfo, lib.ale_env_describe, handle)
        self._label_count: int = lib.ale_game_label_count(self.info.game)
        self.report: Report = lib.ale_env_report(handle).contents
        self.report.owner = handle  # which stays as long as the report
        self._look_at_report()
        self.shapes = tuple(_shape(pixels, self.info.screen_height) for pixels in Pixels)
        # In turn: one is being written to while the user has that of the step before.  A step takes
        # its place out, so that no other call has it.
        self._places = [_Place(Pixels.RGB, self.info.screen_height) for _ in range(2)]
        self.ram = view(lib.ale_env_ram(handle), (RAM_SIZE,), handle)
        self.audio = view(lib.ale_env_audio(handle), (AUDIO_SIZE,), handle)
        self.actions = (c_int32 * MAX_PLAYERS)()
        self.strengths = (c_float * MAX_PLAYERS)(*[1.0] * MAX_PLAYERS)
        self._actions, self._strengths = byref(self.actions), byref(self.strengths)

    def _look_at_report(self) -> None:
        self.outcome = _reader_of(self.report)
        self.ends = memoryview(self.report).cast("B")[_ENDS : _ENDS + 8].cast("q")
        self.lives = self.report.lives

    def close(self) -> None:
        """Forget it and what was borrowed; freed when no call and no view uses it any more."""
        tap = self.tap
        if tap is not None:
            tap.before_close()
        if self._handle is not None and hasattr(self, "audio"):
            self.report = Report()
            self._look_at_report()
            self.ram = np.zeros(RAM_SIZE, np.uint8)
            self.audio = np.zeros(AUDIO_SIZE, np.uint8)
        self.alone = None
        super().close()

    def act(self, count: int = 1, repeat: int = 1) -> None:
        """Play `actions` of `count` players, `repeat` times; the rewards are then the sums."""
        tap = self.tap
        if tap is not None:
            begun = tap.before_step(None)
            tap.played()
        if repeat > self._most:
            self.limit.run(_act, self._handle, self._actions, self._strengths, count, repeat)
        else:
            status = _act(self._handle, self._actions, self._strengths, count, repeat)
            if status:
                fail(status)
        if tap is not None:
            tap.after_step(begun, None)

    def act_alone(self, action: int, repeat: int = 1) -> int:
        """Play an action, 0 to 17, of the only player as `act` does, at full strength.

        Returns:
            The reward.
        """
        if repeat > self._most:
            return self._step(None, _ACTIONS[action], None, 1, repeat, 0)[1][REWARD]
        tap = self.tap
        if tap is not None:
            tap.played()
        reward: int = act_alone(self._handle, action, repeat)
        if reward < LEAST_REWARD:
            fail(reward - _NO_REWARD)
        return reward

    def play(
        self,
        actions: Sequence[int],
        strengths: Sequence[float] | None = None,
        repeat: int = 1,
    ) -> Outcome:
        """Play an action of each player, 1 to 4, as `act` does, at these strengths or full ones."""
        pointer = None if strengths is None else byref((c_float * MAX_PLAYERS)(*strengths))
        return self._step(None, _of_each(tuple(actions)), pointer, len(actions), repeat, 0)[1]

    def step(
        self, pixels: Pixels, count: int = 1, repeat: int = 1, copies: int = 1
    ) -> tuple[list[npt.NDArray[np.uint8]], Outcome]:
        """Play as `act` does.

        Returns:
            `copies` arrays, 0 to 4, with the screen after it, as `screen` has it, and what came of
            it.
        """
        return self._step(pixels, self._actions, self._strengths, count, repeat, copies)

    def step_alone(
        self,
        pixels: Pixels | None,
        action: int,
        repeat: int = 1,
        strength: SupportsFloat = FULL,
    ) -> tuple[npt.NDArray[np.uint8] | None, Outcome]:
        """Play as `act_alone` does, at a strength.

        Returns:
            The screen after it, as `screen` has it (None without pixels), and what came of it.
        """
        full = type(strength) is float and strength == FULL
        strengths = None if full else byref(c_float(strength))  # type: ignore[arg-type]
        copies = 0 if pixels is None else 1
        screens, outcome = self._step(pixels, _ACTIONS[action], strengths, 1, repeat, copies)
        return (screens[0] if copies else None), outcome

    def _step(
        self,
        pixels: Pixels | None,
        actions: Any,
        strengths: Any,
        count: int,
        repeat: int,
        copies: int,
    ) -> tuple[list[npt.NDArray[np.uint8]], Outcome]:
        tap = self.tap
        if tap is not None:
            tap.played()
        try:
            place = self._places.pop(0)
        except IndexError:
            place = _Place(pixels, self.info.screen_height)
        if place.pixels is not pixels:
            place = _Place(pixels, self.info.screen_height)
        screens = [] if pixels is None else place.take(copies)
        if repeat > self._most:
            arguments = actions, strengths, count, repeat, place.address
            self.limit.run(_step, self._handle, *arguments)
        else:
            status = _step(self._handle, actions, strengths, count, repeat, place.address)
            if status:
                fail(status)
        outcome = place.outcome()
        self._places.append(place)
        return screens, outcome

    def reset(self) -> None:
        """Start an episode in the mode last set."""
        tap = self.tap
        if tap is not None:
            begun = tap.before_reset(None, None)
            tap.changed()
        self._begin(lib.ale_env_reset, self._handle)
        if tap is not None:
            tap.after_reset(begun)

    def reload(self, random_seed: int) -> None:
        """Be as new, with another seed (32 bits, unsigned), but for the mode and difficulty.

        These stay as they were chosen, in force from the next reset and the next frame on.
        """
        self._say_changed()
        self._begin(lib.ale_env_reload, self._handle, random_seed)
        self.options = {**self.options, "random_seed": random_seed}

    def _begin(self, function: Any, *arguments: Any) -> None:
        """Make a call that resets: usually it plays few frames, but some games play acts."""
        if self._resets_briefly:
            check(function(*arguments))
        else:
            self.limit.run(function, *arguments)

    def ensure_free(self) -> None:
        """Raise RuntimeError if another call is running."""
        status = lib.ale_env_set_mode(self._handle, -1)  # is refused anyway: there is no such mode
        if status == Status.OUT_OF_ORDER:
            fail(status)

    def _change(self, function: Any, *arguments: int) -> None:
        self._say_changed()
        check(function(self._handle, *arguments))
        self._say_changed()  # again, as a signal handler may have played since

    def modes(self, players: int = 1) -> list[int]:
        """Return the modes for this number of players, ascending."""
        return modes_of(lib.ale_env_modes, self._handle, players)

    def set_mode(self, mode: int) -> None:
        """Choose a mode, in force from the next reset on."""
        self._change(lib.ale_env_set_mode, mode)

    def set_difficulty(self, difficulty: int) -> None:
        """Choose a difficulty, in force from the next frame on."""
        self._change(lib.ale_env_set_difficulty, difficulty)

    def screen(
        self, pixels: Pixels, out: npt.NDArray[np.uint8] | None = None
    ) -> npt.NDArray[np.uint8]:
        """The latest frame, uint8 of shape (height, 160), with a last axis of 3 for RGB.

        Args:
            pixels: What to return.
            out: Where to: a C-contiguous, writable uint8 array of this shape.  None: a new array.
        """
        if out is None:
            out = array = np.empty(self.shapes[pixels], np.uint8)
        else:
            array = np.asarray(out)  # of no class of the user's, which may say anything of itself
        status = _screen(self._handle, pixels, _memory_of(array), _size(array.nbytes))
        if status:
            fail(status)
        return out

    def object_boxes(self) -> list[ObjectBox]:
        """The boxes of the latest frame's objects."""
        return object_boxes_of(self._handle)

    def labels(self) -> npt.NDArray[np.int32]:
        """Return the values of the game's labels, int32; none without a game that has labels."""
        values = np.empty(self._label_count, np.int32)
        status = _labels(self._handle, _memory_of(values), self._label_count, byref(c_size_t()))
        if status:
            fail(status)
        return values

    def palette(self, pixels: Pixels) -> npt.NDArray[np.uint8]:
        """The RGB, shape (256, 3), or gray, shape (256,), of every index; uint8."""
        out = np.empty((256, 3) if pixels == Pixels.RGB else (256,), np.uint8)
        check(lib.ale_env_palette(self._handle, pixels, out.ctypes.data, out.nbytes))
        return out

    def set_ram(self, index: int, value: int) -> None:
        """Change one byte of RAM at once."""
        self._change(lib.ale_env_set_ram, index, value)

    def save(self, state: State, include_random: bool = False) -> None:
        """Keep the present moment in `state`, with or without the random generator."""
        status = _save(self._handle, include_random, state._handle)
        if status:
            fail(status)

    def saved(self, kind: type[_AnyState], include_random: bool = False) -> _AnyState:
        """Return the present moment in a new state of this kind.

        The state takes the memory of one that is gone, as searches make and drop them by the
        million.  Until the library has written to it, it holds what it held before.
        """
        try:
            memory = _latest()
        except IndexError:
            memory = _new_memory()
        if references(memory) != HELD:
            memory = _other_memory(memory)
        state = _new(kind)
        state._handle = memory
        _keep(memory)
        status = _save(self._handle, include_random, memory)
        if status:
            fail(status)
        return state

    def restore(self, state: State) -> None:
        """Return to a moment of this or another environment of the same ROM and rules."""
        tap = self.tap
        if tap is not None:
            tap.changed()
        status = restore(self._handle, state._handle)
        if status:
            fail(status)

    def start(self, starts: Starts, seed: int | None, index: int = -1) -> int:
        """Let an episode begin at a start; if that one stands for a reset, nothing happens yet.

        Args:
            starts: The starts.
            seed: Of the random generator, modulo 2^32; None: it goes on.
            index: The start; below 0: the generator draws it.

        Returns:
            The number of the start.
        """
        self._say_changed()
        chosen = c_int32(index)
        number = -1 if seed is None else seed % 2**32
        check(lib.ale_env_start(self._handle, starts._handle, number, byref(chosen)))
        return chosen.value

    def seed(self, seed: int) -> None:
        """Seed the random generator of sticky actions, modulo 2^32."""
        self._change(lib.ale_env_seed, seed % 2**32)


_AnyState = TypeVar("_AnyState", bound="State")

# Memory of the latest states, for later ones once these are gone.  A thread takes memory out before
# it looks whether a state still has it.
_recent: deque[Any] = deque(maxlen=256 if COUNTED else 0)
_keep, _latest = _recent.append, _recent.pop
_new = object.__new__


def _new_memory() -> Any:
    """Return a new, empty state of the library as an argument."""
    handle = Handle.from_buffer(Address(lib.ale_state_destroy))
    check(lib.ale_state_create(byref(handle)))
    return handle.as_argument()


def _other_memory(latest: Any) -> Any:
    """Return other memory than the latest, which a state has: the oldest if it is free, or new."""
    _keep(latest)
    try:
        memory = _recent.popleft()
    except IndexError:  # another thread has it
        return _new_memory()
    if references(memory) == HELD:
        return memory
    _recent.appendleft(memory)
    return _new_memory()


class State(Owner):
    """A moment of an `Env`, empty at first.

    Args:
        data: Bytes of an earlier `serialize`; None for an empty state.

    Raises:
        ValueError: The bytes are not a state, or damaged.
    """

    __slots__ = ()

    def __init__(self, data: bytes | None = None) -> None:
        self._handle = None
        self._handle = _new_memory()
        if data is not None:
            data = exact(data)
            check(lib.ale_state_deserialize(self._handle, data, len(data)))

    @property
    def info(self) -> StateInfo:
        """Frame numbers, mode, difficulty and size."""
        return described(StateInfo, lib.ale_state_describe, self._handle)

    def equals(self, other: State) -> bool:
        """Whether the same would follow from both."""
        equal = c_uint32()
        check(lib.ale_state_equal(self._handle, other._handle, byref(equal)))
        return bool(equal.value)

    def serialize(self) -> bytes:
        """Return the bytes, for this version of the library and this kind of processor."""
        out = ctypes.create_string_buffer(self.info.serialized_size)
        check(lib.ale_state_serialize(self._handle, out, len(out)))
        return out.raw


class Starts(Owner):
    """Copies of states at which episodes begin.

    Args:
        states: The states; None stands for a reset.
        weights: How often each is drawn, in proportion; None: all alike.
        env: An environment as an argument, of whose game and rules all states must be; None: that
            is checked later.

    Attributes:
        is_reset: Of each start, whether it stands for a reset.

    Raises:
        ValueError: A state is of another game or other rules, or a weight is not allowed.
    """

    def __init__(
        self,
        states: Sequence[State | None],
        weights: Sequence[float] | None = None,
        env: Any = None,
    ) -> None:
        count = len(states)
        self._handle = None
        self.is_reset = [state is None or bool(state.info.empty) for state in states]
        addresses = (
            None if state is None else ctypes.addressof(state._handle._obj) for state in states
        )
        given = (ctypes.c_void_p * count)(*addresses)
        shares = None if weights is None else (ctypes.c_double * count)(*weights)
        handle = Handle.from_buffer(Address(lib.ale_starts_release))
        check(lib.ale_starts_create(env, given, shares, count, byref(handle)))
        self._handle = handle.as_argument()
