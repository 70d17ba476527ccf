"""Many environments in a batch."""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Collection, Sequence
from ctypes import byref, c_char_p, c_size_t, c_uint32, c_void_p
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
from gymnasium import error

from pyale_ma._native.abi import (
    RAM_SIZE,
    Batch,
    EnvInfo,
    ObjectBox,
    Pixels,
    Rollout,
    Status,
    Stretches,
    VectorInfo,
    VectorOptions,
)
from pyale_ma._native.cartridges import Rom
from pyale_ma._native.env import Starts, State, object_boxes_of
from pyale_ma._native.interrupts import FrameLimit
from pyale_ma._native.library import check, fail, fail_with, interrupted, lib, quick
from pyale_ma._native.owner import (
    Address,
    Handle,
    Tapped,
    argument_at,
    described,
    exact,
    modes_of,
    set_field,
)
from pyale_ma._native.policy import NativePolicy

# With these the library has begun nothing of a call.
_REFUSALS = {
    Status.INVALID_ARGUMENT,
    Status.UNSUPPORTED,
    Status.OUT_OF_ORDER,
    Status.BAD_ACTION,
    Status.BAD_STATE,
}

_step = quick("ale_vector_step")

_INPUTS = {  # of ``ale_stretches``
    "steps": np.uint32,
    "actions": np.int32,
    "strengths": np.float32,
    "observed": np.uint8,
    "reset_steps": np.uint64,
    "seeds": np.int64,
    "modes": np.int32,
    "difficulties": np.int32,
}


class StretchResults(NamedTuple):
    """Memory for the results of stretches, S of them with T steps of all, for P players.

    Attributes:
        played: uint32 (S,): how many of its steps were.
        rewards: int32 (T, P).
        terminations: bool (T, P).
        truncations: bool (T,).
    """

    played: npt.NDArray[np.uint32]
    rewards: npt.NDArray[np.int32]
    terminations: npt.NDArray[np.bool_]
    truncations: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, stretches: int, steps: int, players: int) -> StretchResults:
        """Memory of such sizes."""
        each = (steps, players)
        return cls(
            np.zeros(stretches, np.uint32),
            np.zeros(each, np.int32),
            np.zeros(each, np.bool_),
            np.zeros(steps, np.bool_),
        )


class Beginnings(NamedTuple):
    """Where environments begin at a reset.

    Attributes:
        starts: The starts.
        indices: int32, the number of a start for each environment, below 0: it is drawn; None: all
            are.
        exact: Whether states are restored with their random generators and frame numbers.
    """

    starts: Starts
    indices: npt.NDArray[np.int32] | None = None
    exact: bool = False


class Vector(Tapped):
    """Many environments that play in batches, on a pool of threads.

    The hot calls take addresses that were prepared before.  What they point at must live until the
    batch is received; the vector keeps the `Batch` itself alive, with all its attributes.

    A call that comes while another thread's call is in the library is refused.

    Args:
        roms: What each environment plays.
        seeds: uint32, one for each environment.
        **options: Fields of ``ale_vector_options``.

    Attributes:
        options: As given.
        seeds: As given.
        tap: Told before it plays, and after it was changed.
        interrupted: Whether an exception ended a call before it had done all.  It is set before,
            and cleared after, whatever changes the games; of `reset`, `restore` and `copy` by the
            caller.  Only `reset` of all, `restore` and `close` may follow.
        limit: Stops what plays, after which all environments must be reset.
        was_reset: Whether there was a reset, or a state was restored.
        depth: Batches that must be posted while all environments play.
        take: Returns another batch, with its own `argument`, given those that are posted; set
            before the first reset.
        posted: The batches that are posted and not received, first to be filled first.

    Raises:
        ValueError: An option is unknown or out of range, or a game lacks the rules or players.
        RuntimeError: A cartridge does not behave like the game that it is said to be.
    """

    take: Callable[[Collection[Batch]], Batch]

    def __init__(
        self, roms: Sequence[Rom], seeds: npt.NDArray[np.uint32], **options: float | tuple[int, ...]
    ) -> None:
        self._handle = None
        self.tap = None
        self.options = options
        self.interrupted = self.was_reset = False
        self._room = ctypes.create_string_buffer(0)  # for what is saved
        chosen = VectorOptions()
        lib.ale_vector_options_init(byref(chosen), ctypes.sizeof(chosen))
        for name, value in options.items():
            set_field(chosen, name, value)
        address = Address(lib.ale_vector_destroy)
        self.posted: deque[Batch] = deque()
        self._playing: list[Any] = []  # what the stretches that are played write to
        self._latest: list[Batch] = []  # the one received last, whose frames the library may read
        self.limit = address.limit = FrameLimit(chosen)
        address.lent = self.posted, self._playing, self._latest
        handle = Handle.from_buffer(address)
        roms = tuple(roms)
        handles = (c_void_p * len(roms))(*(rom._handle for rom in roms))
        self.seeds = seeds = np.ascontiguousarray(seeds, np.uint32)
        if seeds.size != len(roms):
            raise ValueError(f"there are {seeds.size} seeds for {len(roms)} environments")
        self.limit.run(
            lib.ale_vector_create,
            *(handles, seeds.ctypes.data, len(roms), byref(chosen), byref(handle)),
        )
        self._handle = handle.as_argument()
        self.depth = -(-len(roms) // self.info.batch_size)

    def close(self) -> None:
        """Stop what is playing and the threads, and free everything.

        If another thread's call is running, that does so at its end.
        """
        super().close()
        self.interrupted = True  # so that `check_whole` refuses, before memory is posted
        self.posted, self._playing, self._latest = deque(), [], []

    @property
    def info(self) -> VectorInfo:
        """Sizes, and what is outstanding."""
        return described(VectorInfo, lib.ale_vector_describe, self._handle)

    # ---- Batches ---------------------------------------------------------------------------------

    def _post_until(self, count: int) -> None:
        """Post memory until this number of batches is posted."""
        while len(self.posted) < count:
            batch = self.take(self.posted)
            self.posted.append(batch)
            status = lib.ale_vector_post(self._handle, byref(batch))
            if status:
                self._refuse(status)

    def check_open(self) -> None:
        """Refuse to go on after `close`."""
        if self._handle is None:
            raise error.ClosedEnvironmentError("the vector environment was closed")

    def check_whole(self) -> None:
        """Refuse to go on after a call that an exception ended.

        Raises:
            gymnasium.error.ResetNeeded: There was none since.
        """
        if self.interrupted:
            self.check_open()
            raise interrupted()

    def _begin(self) -> None:
        """Begin what puts an end to all that is played, with memory posted."""
        handle = self._idle()
        if self.interrupted:
            check(lib.ale_vector_discard(handle))
            self.posted.clear()
        self.interrupted = True
        self._post_until(self.depth)

    def reset(
        self,
        mask: npt.NDArray[np.bool_] | None,
        seeds: npt.NDArray[np.int64] | None,
        choices: Sequence[tuple[int, int, int]],
        beginnings: Beginnings | None,
    ) -> Batch:
        """Reset environments, and wait for the first batch.  The caller clears `interrupted`.

        Args:
            mask: For each environment; None: reset all.
            seeds: For each environment; negative, or None for all: none.
            choices: Numbers of environments, with the modes and difficulties that they get before:
                of all that are reset, or of none.
            beginnings: Where they begin; None: where `set_starts` says.
        """
        modes = difficulties = None
        if choices:
            modes, difficulties = np.zeros((2, self.info.num_envs), np.int32)
            for index, mode, difficulty in choices:
                modes[index], difficulties[index] = mode, difficulty
        starts, indices, exact = beginnings or (None, None, False)
        was_interrupted = self.interrupted
        self._begin()
        status = lib.ale_vector_reset_from(
            *(self._handle, _data(mask), _data(seeds), _data(modes), _data(difficulties)),
            *(None if starts is None else starts._handle, _data(indices), exact),
        )
        if status:
            if status in _REFUSALS:
                self.interrupted = was_interrupted
            self._refuse(status)
        self._say_changed()
        batch = self._received()
        self.was_reset = True
        return batch

    def send(self, actions: int, strengths: int | None) -> None:
        """Start to play.

        Args:
            actions: Address of int32 indices.
            strengths: Address of float32, or None.
        """
        self._start(lib.ale_vector_send, actions, strengths)

    def send_to(self, env_ids: npt.NDArray[np.int32], actions: npt.NDArray[np.int32]) -> None:
        """Start to play in some environments whose results were received, one action in each.

        If batches hold all environments, the others stand still.

        Args:
            env_ids: Their numbers, no two alike; C-contiguous.
            actions: Indices, likewise.

        Raises:
            RuntimeError: One of them waits for no action.
        """
        arguments = env_ids.ctypes.data, len(env_ids), actions.ctypes.data, None
        self._start(lib.ale_vector_send_to, *arguments)

    def _start(self, send: Callable[..., int], *arguments: int | None) -> None:
        self.check_whole()
        tap = self.tap
        if tap is not None:
            tap.played()
        self.interrupted = True
        self._post_until(self.depth)
        status = send(self._handle, *arguments)
        if status:
            self._fail(status)
        self.interrupted = False

    def recv(self) -> Batch:
        """Wait for the first batch posted.  Signals are handled while waiting."""
        self.check_whole()
        self.interrupted = True
        batch = self._received()
        self.interrupted = False
        return batch

    def _received(self, status: int = Status.UNFINISHED, _recv: Any = lib.ale_vector_recv) -> Batch:
        """Return the first batch posted, once the library does not answer `UNFINISHED` for it."""
        posted = self.posted  # `close` puts others in their place
        while status == Status.UNFINISHED:
            status = _recv(self._handle)
        if status:
            self._fail(status)
        batch = posted.popleft()
        self._latest[:] = (batch,)
        return batch

    def step(self, actions: Any, strengths: Any) -> Batch:
        """Post, send and receive in one call.

        Args:
            actions: int32 indices, as `memory_argument` makes one.
            strengths: float32, likewise; or None.
        """
        if self.interrupted:
            self.check_whole()
        tap = self.tap
        if tap is not None:
            tap.played()
        posted = self.posted
        self.interrupted = True
        if len(posted) + 1 < self.depth:
            self._post_until(self.depth - 1)
        batch = self.take(posted)
        posted.append(batch)
        status = _step(self._handle, actions, strengths, batch.argument)
        if status:
            if status in _REFUSALS:
                posted.pop()
            batch = self._received(status)
        else:
            batch = posted.popleft()
            self._latest[:] = (batch,)
        self.interrupted = False
        return batch

    def _fail(self, status: int) -> NoReturn:
        """Raise what came of a call that plays; if it has begun nothing, no reset is needed."""
        if status in _REFUSALS:
            self.interrupted = False
        self._refuse(status)

    def _refuse(self, status: int) -> NoReturn:
        self.check_open()  # another thread may have closed it meanwhile
        fail(status)

    def _idle(self) -> Any:
        """Wait until nothing plays, and return the handle.  Signals are handled while waiting."""
        status = Status.UNFINISHED
        while status == Status.UNFINISHED:
            handle = self._handle
            status = lib.ale_vector_wait(handle)
        if status:
            self._refuse(status)
        return handle

    # ---- Stretches -------------------------------------------------------------------------------

    def play(
        self,
        states: Sequence[bytes | None],
        observations: Sequence[npt.NDArray[np.uint8]],
        results: StretchResults,
        **arrays: npt.NDArray[Any],
    ) -> None:
        """Play stretches, each with some environment; all must be reset then.

        An exception that comes from outside leaves them playing: then close the vector.

        Args:
            states: What each begins with, of `save_env`; None: a reset with a seed comes first.
            observations: Where those of each go: C-contiguous, with room for as many as are
                observed and one more.
            results: Where the other results go, also of those played before something fails.
            **arrays: The other ones of ``ale_stretches``.

        Raises:
            ValueError: A state is none of such an environment, a number is out of range, or an
                array is too small.
            IndexError: An action is outside the action set.
            RuntimeError: An episode was over, and not reset.
        """
        count, info = len(states), self.info
        inputs = {
            name: np.ascontiguousarray(array, _INPUTS[name]) for name, array in arrays.items()
        }
        steps = inputs["steps"].astype(np.int64)
        rows = int(steps.sum())
        sizes = dict.fromkeys(("seeds", "modes", "difficulties"), inputs["reset_steps"].size)
        sizes.update(steps=count, played=count, observed=rows, truncations=rows)
        written = results._asdict()
        for name, array in (inputs | written).items():
            size = sizes.get(name, rows * info.players)
            if name != "reset_steps" and array.size != size:
                raise ValueError(f"{name} has {array.size} numbers; it must have {size}")
        rooms = np.add.reduceat(inputs["observed"], np.cumsum(steps) - steps, dtype=np.int64) + 1
        for place, room in zip(observations, rooms.tolist(), strict=True):
            if place.nbytes < room * info.observation_size or not place.flags.c_contiguous:
                raise ValueError(f"observations need room for {room} on end")
        stretches = Stretches()
        stretches.count = count
        pointers = (
            (c_char_p * count)(*states),
            (c_size_t * count)(*(len(state or b"") for state in states)),
            (c_void_p * count)(*(place.ctypes.data for place in observations)),
        )
        stretches.states = ctypes.addressof(pointers[0])
        stretches.sizes = ctypes.addressof(pointers[1])
        stretches.observations = ctypes.addressof(pointers[2])
        stretches.resets = inputs["reset_steps"].size
        for name, array in (inputs | written).items():
            setattr(stretches, name, array.ctypes.data)
        self._playing.append((pointers, observations, inputs, written))
        status = lib.ale_vector_play(self._handle, byref(stretches))
        while status == Status.UNFINISHED:
            status = lib.ale_vector_play(self._handle, None)
        message = lib.ale_last_error() if status else b""
        self._playing.clear()
        if status:
            fail_with(status, message)

    def roll_out(
        self, actions: npt.NDArray[np.int32], discount: float
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Play actions (steps, count, players), which are checked; returns and ends of `count`.

        After an exception that comes from outside all environments must be reset.
        """
        self.check_whole()
        steps, count, players = actions.shape
        returns, ended = np.zeros((count, players)), np.zeros(count, np.bool_)
        rollout = Rollout()
        rollout.count, rollout.steps, rollout.discount = count, steps, discount
        rollout.actions = actions.ctypes.data
        rollout.returns, rollout.ended = returns.ctypes.data, ended.ctypes.data
        self._playing.append((actions, returns, ended))
        self.interrupted = True
        try:
            status = lib.ale_vector_roll_out(self._handle, byref(rollout))
            while status == Status.UNFINISHED:
                status = lib.ale_vector_play(self._handle, None)
        except BaseException:
            self.limit.stop()
            while lib.ale_vector_play(self._handle, None) == Status.UNFINISHED:
                pass
            self.limit.allow()
            raise
        self._playing.clear()
        if status:
            self._fail(status)
        self.interrupted = False
        return returns, ended

    # ---- Environments ----------------------------------------------------------------------------

    def _env(self, index: int) -> Any:
        """Return an environment as a ctypes argument, which keeps the vector alive."""
        handle = self._idle()
        return argument_at(self._address(handle, index), handle)

    def _address(self, handle: Any, index: int) -> int:
        address: int | None = lib.ale_vector_env(handle, index)
        if address is None:
            message = lib.ale_last_error().decode()
            raise IndexError(message) if index >= self.info.num_envs else RuntimeError(message)
        return address

    def env_info(self, index: int) -> EnvInfo:
        """Return the constant properties of an environment."""
        return described(EnvInfo, lib.ale_env_describe, self._env(index))

    def modes(self, index: int, players: int = 1) -> list[int]:
        """Return an environment's modes for this number of players, ascending."""
        return modes_of(lib.ale_env_modes, self._env(index), players)

    def selected(self, index: int) -> tuple[int, int]:
        """An environment's mode and difficulty."""
        env = self._env(index)
        report = lib.ale_env_report(env).contents
        return report.mode, report.difficulty

    def is_over(self, index: int) -> bool:
        """Whether the game of an environment is over."""
        return bool(lib.ale_env_report(self._env(index)).contents.terminated)

    def select(self, index: int, mode: int, difficulty: int) -> None:
        """Choose an environment's mode and difficulty, in force from its next reset on."""
        check(lib.ale_vector_select(self._idle(), index, mode, difficulty))
        self._say_changed()

    def seat(self, index: int, player: int, policy: NativePolicy | None, random: int) -> None:
        """Let a policy choose the actions of a player of an environment; None: none does.

        Args:
            index: The environment.
            player: 0 for the first.
            policy: The policy.
            random: uint32, with which its random numbers begin.

        Raises:
            ValueError: The policy does not fit.
        """
        handle = None if policy is None else policy._handle
        check(lib.ale_vector_seat(self._idle(), index, player, handle, random))

    def choose(self, actions: int, _choose: Any = lib.ale_vector_choose) -> None:
        """Have policies write what they choose for the next step: the address of its actions."""
        status = _choose(self._handle, actions)
        if status:
            fail(status)

    def screen(self, index: int, out: npt.NDArray[np.uint8]) -> None:
        """Write an environment's screen to a C-contiguous array (height, 160, 3)."""
        check(lib.ale_env_screen(self._env(index), Pixels.RGB, out.ctypes.data, out.nbytes))

    def object_boxes(self, index: int) -> list[ObjectBox]:
        """The boxes of the objects on an environment's screen."""
        return object_boxes_of(self._env(index))

    def rams(self) -> npt.NDArray[np.uint8]:
        """RAM of all environments, uint8 (envs, 128)."""
        handle, count = self._idle(), self.info.num_envs
        envs = [self._address(handle, index) for index in range(count)]
        parts = [ctypes.string_at(lib.ale_env_ram(env), RAM_SIZE) for env in envs]
        return np.frombuffer(b"".join(parts), np.uint8).reshape(count, RAM_SIZE)

    # ---- States ----------------------------------------------------------------------------------

    def first_env(self) -> Any:
        """The first environment as a ctypes argument."""
        return self._env(0)

    def set_starts(self, starts: Starts | None) -> None:
        """Let all episodes from the next resets on begin at starts; None: no longer."""
        given = None if starts is None else starts._handle
        check(lib.ale_vector_set_starts(self._idle(), given))

    def save_into(self, index: int, state: State) -> None:
        """Keep the present moment of an environment's console, with its random generator."""
        check(lib.ale_env_save(self._env(index), True, state._handle))

    def seed(self, envs: npt.NDArray[np.int32], seeds: npt.NDArray[np.int64]) -> None:
        """Seed the random generators of environments; a negative seed leaves them as they are."""
        check(lib.ale_vector_seed(self._idle(), envs.ctypes.data, seeds.ctypes.data, len(envs)))
        self._say_changed()

    def copy(
        self,
        sources: npt.NDArray[np.int32],
        targets: npt.NDArray[np.int32],
        _copy: Any = lib.ale_vector_copy,
    ) -> None:
        """Overwrite environments, as many targets as sources, with copies.

        The caller clears `interrupted`.
        """
        self.check_whole()
        self.interrupted = True
        status = _copy(self._handle, sources.ctypes.data, targets.ctypes.data, len(sources))
        if status:
            self.interrupted = False
            self._refuse(status)
        tap = self.tap
        if tap is not None:
            tap.copied(sources.tolist(), targets.tolist())

    def save(self) -> bytes:
        """Everything, as bytes for this version of the library and this kind of processor."""
        return self._saved(lib.ale_vector_save)

    def save_env(self, index: int) -> bytes:
        """An environment, but for what was observed of it, as bytes of the same kind."""
        count = self.info.num_envs
        if not 0 <= index < count:  # which C would cut to 32 bits, and take for another
            raise IndexError(f"index is {index}; it must be 0 to {count - 1}")
        return self._saved(lib.ale_vector_save_env, index)

    def restore_env(self, index: int, data: bytes) -> None:
        """Continue an environment, whose number is checked, from bytes of `save_env`.

        ValueError: They are of another game, or damaged.
        """
        check(lib.ale_vector_restore_env(self._idle(), index, data, len(data)))
        self._say_changed()

    def _saved(self, save: Any, *which: int) -> bytes:
        size = c_size_t()
        handle = self._idle()
        out = self._room
        while True:
            check(save(handle, *which, out, len(out), byref(size)))
            if size.value <= len(out):
                return ctypes.string_at(out, size.value)
            out = ctypes.create_string_buffer(size.value + size.value // 8)
            if which:  # the next one is about as large
                self._room = out

    def saved_equal(self, one: bytes, other: bytes) -> bool:
        """Whether two results of `save` have the same future."""
        equal = c_uint32()
        one, other = exact(one), exact(other)
        check(
            lib.ale_vector_saved_equal(self._handle, one, len(one), other, len(other), byref(equal))
        )
        return bool(equal.value)

    def restore(self, data: bytes) -> None:
        """Continue from bytes of a vector with the same ROMs and options.

        The caller clears `interrupted`.
        """
        data = exact(data)
        was_interrupted = self.interrupted
        self._begin()
        status = lib.ale_vector_restore(self._handle, data, len(data))
        if status:
            self.interrupted = was_interrupted
            self._refuse(status)
        self.was_reset = True
        self._say_changed()


def _data(array: npt.NDArray[Any] | None) -> int | None:
    """Return the address of an array, if there is one."""
    return None if array is None else array.ctypes.data


def check_size(num_envs: int) -> None:
    """Refuse more environments than can fit into memory."""
    if num_envs >= 2**32:
        raise ValueError(f"num_envs is {num_envs}; it must be at most {2**31 - 1}")
    check(lib.ale_vector_check(None, num_envs))
