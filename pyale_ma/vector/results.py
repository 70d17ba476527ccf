"""Pool of result buffers, recycled when nobody else refers to them.

Views of arrays are handed out to the user, who may keep them for ever, or change their shape.  An
array that only this module refers to is free.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._native import Batch
from pyale_ma._native.references import COUNTED, references

Array: TypeAlias = npt.NDArray[Any]
Field: TypeAlias = tuple[tuple[int, ...], npt.DTypeLike]  # an array's shape and dtype

EXTRA_INFOS = ("unclipped_reward", "ram", "sound", "episode", "labels")

_MOST_KEPT = 3  # one with the user, one being written to, one in between
_WINDOWS = 8  # on observations that share frames, before the first is used again
_ALIGNMENT = 64  # bytes, of arrays within their memory
# Of a batch: the arrays that each has, and by the names of their infos those that are wanted.
_USUAL = (
    *("observations", "rewards", "terminations", "truncations"),
    *("env_ids", "lives", "frame_numbers", "episode_frame_numbers"),
)
_EXTRA = {
    "unclipped_reward": "unclipped_rewards",
    "ram": "ram",
    "sound": "sound",
    "labels": "labels",
    "ended_by": "ended_by",
}


class Block:
    """Arrays that are handed out together.

    They lie in one piece of memory, so that one count tells whether anybody refers to them.

    Args:
        fields: The shape and dtype of each array.
        allocate: Makes the memory: a function of shape and dtype, such as `numpy.empty`.

    Attributes:
        arrays: The arrays by name.
        addresses: Their addresses.
        memory: What they are views of.
        unlent: The count of references to it while nobody else refers to an array.
    """

    __slots__ = ("__weakref__", "addresses", "arrays", "memory", "unlent")

    def __init__(self, fields: Mapping[str, Field], allocate: Callable[..., Array]) -> None:
        starts: dict[str, int] = {}
        size = 0
        for name, (shape, dtype) in fields.items():
            starts[name] = size
            size += -(-math.prod(shape) * np.dtype(dtype).itemsize // _ALIGNMENT) * _ALIGNMENT
        self.memory = allocate((size,), np.uint8)
        self.arrays = {
            name: np.ndarray(*fields[name], self.memory, start) for name, start in starts.items()
        }
        address = self.memory.ctypes.data
        self.addresses = {name: address + start for name, start in starts.items()}
        self.unlent = references(self.memory) if COUNTED else -1

    def window(self, first: int, frames: int) -> Block:
        """Return these arrays with some of the frames of all observations, which are read-only."""
        array = self.arrays["observations"][:, first : first + frames]
        array.flags.writeable = False  # windows share frames
        block = Block.__new__(Block)
        block.memory, block.unlent = self.memory, self.unlent
        block.arrays = self.arrays | {"observations": array}
        block.addresses = self.addresses | {"observations": array.ctypes.data}
        return block

    def views(self) -> dict[str, Array]:
        """Views of the arrays by name, to be handed out."""
        return {name: array.view() for name, array in self.arrays.items()}

    def is_free(self) -> bool:
        """Whether nobody else refers to an array or a view of it."""
        return references(self.memory) == self.unlent


class ResultBuffers:
    """Makes the batches of one vector environment.

    Args:
        rows: Environments of a batch.
        players: None for one player and arrays without an axis for it.
        observation_shape: Of one environment.
        dtype: Of observations.
        extra_infos: Which of `EXTRA_INFOS` are wanted.
        labels: The number of labels, if they are wanted.
        ends: Whether it is wanted which label ended an episode.
        final: Whether observations from before a reset in the same step are wanted.
        copy: False: the memory of observations is used again for the next batch.
        depth: Batches that may wait for results at a time.
        shared: Whether observations share the frames that they have in common.

    Attributes:
        copies: As `copy`.
        tells_starts: Whether infos have the number of each episode's start.
    """

    def __init__(
        self,
        rows: int,
        players: int | None,
        observation_shape: tuple[int, ...],
        *,
        dtype: npt.DTypeLike = np.uint8,
        extra_infos: Iterable[str],
        labels: int = 0,
        ends: bool = False,
        final: bool,
        copy: bool,
        depth: int,
        shared: bool,
    ) -> None:
        each = (rows,) if players is None else (rows, players)
        self._images: dict[str, Field] = {"observations": ((rows, *observation_shape), dtype)}
        if final:
            self._images["final_observations"] = self._images["observations"]
        numbers: dict[str, Field] = {
            "rewards": (each, np.int32),
            "terminations": (each, np.bool_),
            "truncations": ((rows,), np.bool_),
            "env_ids": ((rows,), np.int32),
            "lives": (each, np.int32),
            "frame_numbers": ((rows,), np.int32),
            "episode_frame_numbers": ((rows,), np.int32),
            "starts": ((rows,), np.int32),
        }
        if final:
            numbers["final_lives"] = numbers["lives"]
            numbers["final_frame_numbers"] = numbers["frame_numbers"]
            numbers["final_episode_frame_numbers"] = numbers["frame_numbers"]
        if ends:
            numbers["ended_by"] = numbers["env_ids"]
        if "unclipped_reward" in extra_infos:
            numbers["unclipped_rewards"] = numbers["rewards"]
        if "labels" in extra_infos:
            numbers["labels"] = ((rows, labels), np.int32)
        if "ram" in extra_infos:
            numbers["ram"] = ((rows, _native.RAM_SIZE), np.uint8)
        if "sound" in extra_infos:
            numbers["sound"] = ((rows, _native.AUDIO_SIZE), np.uint8)
        if "episode" in extra_infos:
            numbers["episode_ends"] = ((rows,), np.bool_)
            numbers["episode_returns"] = (each, np.int64)
            numbers["episode_lengths"] = numbers["env_ids"]
        self.tells_starts = False
        self._numbers = numbers
        self._shared = shared
        self._windows: deque[Batch] = deque()  # the next first
        self.copies = copy
        self._allocate: Callable[..., Array] = _native.fixed_array
        self._most_kept = depth - 1 + _MOST_KEPT
        self._batches: list[Batch] = []  # the latest first

    def allocate_with(self, allocate: Callable[..., Array]) -> None:
        """Take new memory from elsewhere: a function of shape and dtype, such as `numpy.empty`.

        It must not keep the arrays that it returns, or they are never used again.
        """
        self._allocate = allocate
        self.drop()

    def share_nothing(self) -> None:
        """Return contiguous observations that may be written to from now on."""
        self._shared = False
        self.drop()

    def drop(self) -> None:
        """Keep no memory for another time."""
        self._batches.clear()
        self._windows.clear()

    def take(self, posted: Collection[Batch]) -> Batch:
        """Return a batch to post, with unreferenced arrays; `posted` are those posted already.

        It may be one that was posted before, but is none of `posted`, whose arrays are in use.
        """
        if self._shared:
            return self._next_window()
        written = [batch.images for batch in posted] if posted else ()
        for index, batch in enumerate(self._batches):
            images, numbers = batch.images, batch.numbers
            if (
                references(numbers.memory) == numbers.unlent  # as `is_free`, but a call quicker
                and (not self.copies or references(images.memory) == images.unlent)
                and images not in written
            ):
                if index:
                    self._batches.insert(0, self._batches.pop(index))
                return batch
        return self._new_batch(written)

    def _next_window(self) -> Batch:
        """Return a batch whose observations begin one frame after those of the one before."""
        if not self._windows:
            self._windows.extend(self._make_windows())
        batch = self._windows[0]
        if not batch.numbers.is_free():
            batch = self._make_batch(batch.images, Block(self._numbers, self._allocate))
            self._windows[0] = batch
        self._windows.rotate(-1)
        return batch

    def _make_windows(self) -> Iterator[Batch]:
        (rows, frames, *frame), dtype = self._images["observations"]
        count = 2 if frames == 1 else _WINDOWS
        ring = {"observations": ((rows, frames + count - 1, *frame), dtype)}
        images = Block(self._images | ring, self._allocate)
        for first in range(count):
            numbers = Block(self._numbers, self._allocate)
            yield self._make_batch(images.window(first, frames), numbers)

    def _new_batch(self, written: Collection[Block]) -> Batch:
        """Make a batch, with memory of kept batches that nobody refers to.

        Args:
            written: Images of the batches that are posted.
        """
        kept = (batch.images for batch in self._batches if batch.images not in written)
        images = next((each for each in kept if not self.copies or each.is_free()), None)
        numbers = None
        if len(self._batches) == self._most_kept:
            oldest = self._batches.pop()
            if oldest.images not in written and oldest.numbers.is_free():
                numbers = oldest.numbers
        batch = self._make_batch(
            images or Block(self._images, self._allocate),
            numbers or Block(self._numbers, self._allocate),
        )
        self._batches.insert(0, batch)
        return batch

    def _make_batch(self, images: Block, numbers: Block) -> Batch:
        batch = Batch()
        for block in (images, numbers):
            for name, address in block.addresses.items():
                setattr(batch, name, address)
        if self._shared:
            batch.observation_stride = images.arrays["observations"].strides[0]
        batch.images = images
        batch.numbers = numbers
        arrays = images.arrays | numbers.arrays
        batch.usual = tuple(arrays[name] for name in _USUAL)
        batch.extra = {info: arrays[name] for info, name in _EXTRA.items() if name in arrays}
        batch.argument = _native.argument_of(batch)
        return batch
