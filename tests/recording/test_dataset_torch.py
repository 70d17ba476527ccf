"""Datasets in PyTorch's `DataLoader`, with workers of both kinds."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the adapter to PyTorch needs it")

import torch
from torch.utils.data import DataLoader

from pyale_ma.recording import Dataset
from pyale_ma.recording.dataset_torch import WindowDataset, WindowStream
from recording.playing import play_vector, recorded, vector


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    recorded(tmp_path / "a.zip", vector(2), play_vector, 40, keyframes=True, steps_per_chunk=16)
    return Dataset(tmp_path / "a.zip", num_threads=1)


@pytest.mark.parametrize("method", [None, "fork", "spawn"])
def test_windows_by_number(dataset: Dataset, method: str | None) -> None:
    windows = WindowDataset(dataset, 6)
    dataset.sample(2, 6)  # the parent's threads are of no use to its children
    workers: dict[str, Any] = {"num_workers": 1, "multiprocessing_context": method}
    loader = DataLoader(windows, batch_size=20, **(workers if method else {}))
    drawn = list(loader)
    assert sum(len(batch["rewards"]) for batch in drawn) == len(windows) == len(dataset.starts(6))
    same = dataset.windows(dataset.starts(6), 6).torch()
    for name in ("observations", "actions", "rewards", "starts", "indices"):
        assert torch.equal(torch.cat([batch[name] for batch in drawn]), getattr(same, name))


def test_stream_of_random_windows(dataset: Dataset) -> None:
    def indices(workers: int, seed: int) -> list[list[int]]:
        stream = WindowStream(dataset, 4, 6, seed=seed)
        loader = DataLoader(stream, batch_size=None, num_workers=workers)
        return [batch["indices"].tolist() for batch in islice(loader, 4)]

    assert indices(0, 1) == indices(0, 1) != indices(0, 2)
    assert indices(2, 1) == indices(2, 1)
    assert len(np.unique(np.array(indices(2, 1)), axis=0)) == 4  # workers draw others


def test_actions_are_indices(dataset: Dataset) -> None:
    windows = dataset.sample(3, 6).torch()
    assert (windows.actions.dtype, windows.rewards.dtype) == (torch.int64, torch.int32)
    assert windows.rewards.gather(1, windows.actions % 6).shape == (3, 6)
    assert WindowDataset(dataset, 6)[0]["actions"].dtype == torch.int64
