"""Datasets for PyTorch's `DataLoader`: `WindowDataset` and `WindowStream`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from torch.utils.data import Dataset as TorchDataset, IterableDataset, get_worker_info

from pyale_ma._base.arguments import integer
from pyale_ma.recording.data.dataset import Dataset, check_dataset
from pyale_ma.recording.replay.windows import Windows

Tensors: TypeAlias = dict[str, torch.Tensor]
"""By the names of `Windows`, with the dtypes of `Windows.torch`."""


def _tensors(windows: Windows) -> Tensors:
    return windows.torch()._asdict()


class WindowDataset(TorchDataset[Tensors]):
    """All windows of a length, by number.

    A `DataLoader` may have workers, forked or spawned; then give the `Dataset` ``num_threads=1``.
    A whole batch is played at once.

    Args:
        dataset: Of recordings.
        length: Steps of a window.
        across_episodes: Whether windows may go on with the next episode.

    Raises:
        RecordingError: No episode is as long.
    """

    def __init__(self, dataset: Dataset, length: int, *, across_episodes: bool = False) -> None:
        self._dataset, self._length = check_dataset(dataset), length
        self._starts = dataset.starts(length, across_episodes=across_episodes)

    def __len__(self) -> int:
        """Return their number."""
        return len(self._starts)

    def __getitem__(self, number: int) -> Tensors:
        """A window; tensors as the arrays of `Windows`, without the axis of windows."""
        return self.__getitems__([number])[0]

    def __getitems__(self, numbers: Sequence[int]) -> list[Tensors]:
        """Several of them."""
        windows = _tensors(self._dataset.windows(self._starts[list(numbers)], self._length))
        return [
            {name: tensor[row] for name, tensor in windows.items()} for row in range(len(numbers))
        ]


class WindowStream(IterableDataset[Tensors]):
    """Batches of windows that are drawn at random, without end.

    For a `DataLoader` with ``batch_size=None``; each of its workers draws others.

    Args:
        dataset: Of recordings.
        batch: Windows of a batch.
        length: Steps of a window.
        seed: The same seed and number of workers draw the same.
        across_episodes: Whether windows may go on with the next episode.

    Raises:
        RecordingError: No episode is as long.
    """

    def __init__(
        self,
        dataset: Dataset,
        batch: int,
        length: int,
        *,
        seed: int = 0,
        across_episodes: bool = False,
    ) -> None:
        check_dataset(dataset).starts(length, across_episodes=across_episodes)
        self._dataset, self._batch, self._length = dataset, integer("batch", batch, 1), length
        self._seed, self._across = integer("seed", seed, 0), across_episodes

    def __iter__(self) -> Iterator[Tensors]:
        """Draw them."""
        worker: Any = get_worker_info()
        rng = np.random.default_rng([self._seed, worker.id if worker else 0])
        while True:
            yield _tensors(
                self._dataset.sample(self._batch, self._length, rng, across_episodes=self._across)
            )
