"""Pool of result buffers, recycled when nobody else refers to them.

Views of arrays are handed out to the user, who may keep them for ever, or change their shape.  An
array that only this module refers to is free.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._native import Batch
from pyale_ma._native.references import are_free

Array: TypeAlias = npt.NDArray[Any]

EXTRA_INFOS = ("unclipped_reward", "ram", "sound", "episode", "labels")

_MOST_KEPT = 3  # one with the user, one being written to, one in between


class Block:
    """Arrays that are handed out together."""

    __slots__ = ("__weakref__", "_arrays", "addresses")

    def __init__(self, arrays: dict[str, Array]) -> None:
        self._arrays = arrays
        self.addresses = {name: array.ctypes.data for name, array in arrays.items()}

    def views(self) -> dict[str, Array]:
        """Views of the arrays by name, to be handed out."""
        return {name: array.view() for name, array in self._arrays.items()}

    def is_free(self) -> bool:
        """Whether nobody else refers to an array or a view of it."""
        return are_free(self._arrays.values())


class _Ring:
    """A few blocks of a kind, taken in turn."""

    def __init__(self, make: Callable[[], Block], most: int, *, shared: bool) -> None:
        self._make = make
        self._most = most
        self._shared = shared  # blocks are reused even while the user refers to them
        self._blocks: list[Block] = []

    def __contains__(self, block: Block) -> bool:
        return block in self._blocks

    def drop(self) -> None:
        """Keep no block for another time."""
        self._blocks.clear()

    def take(self, in_use: Collection[Block]) -> Block:
        """A block whose contents nobody needs; `in_use` are those that wait for results."""
        for index, block in enumerate(self._blocks):
            if block not in in_use and (self._shared or block.is_free()):
                if index:
                    self._blocks.insert(0, self._blocks.pop(index))
                return block
        block = self._make()
        self._blocks.insert(0, block)
        del self._blocks[self._most :]
        return block


class Results:
    """Makes the batches of one vector environment.

    Args:
        rows: Environments of a batch.
        players: None for one player and arrays without an axis for it.
        observation_shape: Of one environment.
        dtype: Of observations.
        extra_infos: Which of `EXTRA_INFOS` are wanted.
        labels: The number of labels, if they are wanted.
        final: Whether observations from before a reset in the same step are wanted.
        copy: False: the memory of observations is used again for the next batch.
        depth: Batches that may wait for results at a time.
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
        final: bool,
        copy: bool,
        depth: int,
    ) -> None:
        each = (rows,) if players is None else (rows, players)
        self._images = {"observations": ((rows, *observation_shape), dtype)}
        if final:
            self._images["final_observations"] = self._images["observations"]
        numbers: dict[str, tuple[tuple[int, ...], Any]] = {
            "rewards": (each, np.int32),
            "terminations": (each, np.bool_),
            "truncations": ((rows,), np.bool_),
            "env_ids": ((rows,), np.int32),
            "lives": (each, np.int32),
            "frame_numbers": ((rows,), np.int32),
            "episode_frame_numbers": ((rows,), np.int32),
        }
        if final:
            numbers["final_lives"] = numbers["lives"]
            numbers["final_frame_numbers"] = numbers["frame_numbers"]
            numbers["final_episode_frame_numbers"] = numbers["frame_numbers"]
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
            numbers["episode_returns"] = numbers["rewards"]
            numbers["episode_lengths"] = numbers["env_ids"]
        self._numbers = numbers
        self.copies = copy
        kept = depth - 1 + _MOST_KEPT
        self._allocate: Callable[..., Array] = _native.fixed_array
        self._image_ring = _Ring(self._make_images, kept if copy else depth, shared=not copy)
        self._number_ring = _Ring(self._make_numbers, kept, shared=False)
        self._most_batches = kept
        self._batches: list[Batch] = []  # made before, of blocks that are kept; the latest first

    def _make_images(self) -> Block:
        return Block({name: self._allocate(*kind) for name, kind in self._images.items()})

    def _make_numbers(self) -> Block:
        return Block({name: self._allocate(*kind) for name, kind in self._numbers.items()})

    def allocate_with(self, allocate: Callable[..., Array]) -> None:
        """Take new memory from elsewhere: a function of shape and dtype, such as `numpy.empty`.

        It must not keep the arrays that it returns, or they are never used again.
        """
        self._allocate = allocate
        self.drop()

    def drop(self) -> None:
        """Keep no memory for another time."""
        self._image_ring.drop()
        self._number_ring.drop()
        self._batches.clear()

    def take(self, posted: Collection[Batch]) -> Batch:
        """Return a batch to post, with unreferenced arrays; `posted` are those posted already.

        It may be one that was posted before, but is none of `posted`, whose arrays are in use.
        """
        if posted:
            images = self._image_ring.take([batch.images for batch in posted])
            numbers = self._number_ring.take([batch.numbers for batch in posted])
        else:  # as nearly always
            images, numbers = self._image_ring.take(()), self._number_ring.take(())
        for batch in self._batches:
            if batch.images is images and batch.numbers is numbers:
                return batch
        batch = self._make_batch(images, numbers)
        kept = (made for made in self._batches if self._keeps(made))
        self._batches = [batch, *kept][: self._most_batches]
        return batch

    def _keeps(self, batch: Batch) -> bool:
        return batch.images in self._image_ring and batch.numbers in self._number_ring

    def _make_batch(self, images: Block, numbers: Block) -> Batch:
        batch = Batch()
        for block in (images, numbers):
            for name, address in block.addresses.items():
                setattr(batch, name, address)
        batch.images = images
        batch.numbers = numbers
        return batch
