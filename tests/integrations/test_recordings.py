"""Recordings in other libraries: what these read back is what the dataset has."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyale_ma.recording import Dataset, record
from pyale_ma.vector import AtariVectorEnv


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    options: dict[str, Any] = {"img_height": 12, "img_width": 10, "max_num_frames_per_episode": 120}
    envs = AtariVectorEnv("quartet", 3, **options)
    envs.action_space.seed(0)
    with record(envs, tmp_path / "a.zip", keyframes=True, steps_per_chunk=32):
        envs.reset(seed=1)
        for _ in range(80):
            envs.step(envs.action_space.sample())
    return Dataset(tmp_path / "a.zip", num_threads=1)


def test_hdf5(dataset: Dataset, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="it reads HDF5")
    from pyale_ma.recording.dataset_files import to_hdf5

    to_hdf5(dataset, tmp_path / "a.h5")
    with pytest.raises(FileExistsError, match=r"a\.h5.*choose.*name"):
        to_hdf5(dataset, tmp_path / "a.h5")
    to_hdf5(dataset, tmp_path / "a.h5", overwrite=True)
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["observations"].shape == (len(dataset), *dataset.observation_shape)
        assert file.attrs["games"].tolist() == ["quartet"]
        assert len(file["episodes"]) == len(dataset.episodes)
        for start, length in file["episodes"][:]:
            window = dataset.windows([start], length)
            steps = slice(start, start + length)
            assert (file["observations"][steps] == window.observations[0, :-1]).all()
            assert (file["next_observations"][steps] == window.observations[0, 1:]).all()
            for name in ("actions", "rewards", "terminations", "truncations", "starts"):
                assert (file[name][steps] == getattr(window, name)[0]).all()


def test_minari(dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    minari = pytest.importorskip("minari", reason="it reads its datasets")
    from pyale_ma.recording.dataset_files import to_minari

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        to_minari(dataset, "quartet/random-v0", algorithm_name="random")
    loaded = minari.load_dataset("quartet/random-v0")
    assert loaded.total_episodes == len(dataset.episodes)
    assert loaded.total_steps == len(dataset)
    for ours, theirs in zip(dataset.episodes, loaded.iterate_episodes(), strict=True):
        window = dataset.episode(ours)
        assert theirs.observations.dtype == np.uint8
        assert (theirs.observations == window.observations).all()
        assert (theirs.actions == window.actions).all()
        assert (theirs.rewards == window.rewards).all()
        assert theirs.truncations[-1] or theirs.terminations[-1]
        assert theirs.infos["starts"].tolist() == [*window.starts, False]
        assert "starts" in repr(theirs)
    env = loaded.recover_environment()
    assert env.observation_space == loaded.observation_space
    assert env.action_space == loaded.action_space
    first = dataset.episode(dataset.episodes[0])
    observation, _ = env.reset(seed=1)
    for action, before in zip(first.actions, first.observations, strict=False):
        assert (observation == before).all()
        observation, *_ = env.step(action)
    env.close()


def test_minari_of_several_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    minari = pytest.importorskip("minari", reason="it reads its datasets")
    from pyale_ma.recording.dataset_files import to_minari

    for number, frames in enumerate((80, 120)):
        envs = AtariVectorEnv(
            "quartet", img_height=12, img_width=10, max_num_frames_per_episode=frames
        )
        with record(envs, tmp_path / f"{number}.zip", keyframes=True):
            envs.reset(seed=1)
            for _ in range(30):
                envs.step(envs.action_space.sample())
    with warnings.catch_warnings(), Dataset(tmp_path, num_threads=1) as both:
        warnings.simplefilter("error")
        to_minari(both, "quartet/several-v0")
    assert minari.load_dataset("quartet/several-v0").env_spec is None


def test_d3rlpy(dataset: Dataset) -> None:
    d3rlpy = pytest.importorskip("d3rlpy", reason="it reads its datasets")
    from pyale_ma.recording.dataset_files import to_d3rlpy

    made = to_d3rlpy(dataset)
    assert len(made.episodes) == len(dataset.episodes)
    for ours, theirs in zip(dataset.episodes, made.episodes, strict=True):
        window = dataset.episode(ours)
        assert (theirs.observations == window.observations[:-1]).all()
        assert (theirs.actions[:, 0] == window.actions).all()
        assert (theirs.rewards[:, 0] == window.rewards).all()
        assert theirs.terminated == window.terminations[-1]
    batch = made.sample_transition_batch(4)
    assert batch.observations.shape == (4, *dataset.observation_shape)
    assert isinstance(made, d3rlpy.dataset.ReplayBuffer)


def test_storage_of_torchrl(dataset: Dataset) -> None:
    pytest.importorskip("torchrl", reason="it has the replay buffers")
    import torch
    from torchrl.data import ReplayBuffer
    from torchrl.data.replay_buffers import RandomSampler, SamplerWithoutReplacement

    from pyale_ma.recording.dataset_torchrl import RecordingStorage

    storage = RecordingStorage(dataset, 6)
    assert len(storage) == len(dataset.starts(6))
    one = storage.get(3)
    assert one.batch_size == (6,)
    window: Any = dataset.windows(dataset.starts(6)[[3]], 6)
    assert (one["observation"].numpy() == window.observations[0, :-1]).all()
    assert (one["next", "observation"].numpy() == window.observations[0, 1:]).all()
    assert (one["next", "reward"].numpy()[:, 0] == window.rewards[0]).all()
    assert one["next", "done"].shape == (6, 1)

    options = {"batch_size": 5, "collate_fn": lambda windows: windows}
    buffer = ReplayBuffer(storage=storage, sampler=RandomSampler(), **options)
    batch = buffer.sample()
    assert batch.batch_size == (5, 6)
    assert batch["observation"].shape == (5, 6, *dataset.observation_shape)
    every = ReplayBuffer(storage=storage, sampler=SamplerWithoutReplacement(), **options)
    seen = sum(len(part) for part in every)
    assert len(storage) - 5 < seen <= len(storage)
    with pytest.raises(TypeError, match="cannot be written to"):
        buffer.add(batch[0])
    assert torch.equal(storage.contains([0, len(storage)]), torch.tensor([True, False]))
    storage.load_state_dict(storage.state_dict())
    with pytest.raises(ValueError, match="the state is of"):
        RecordingStorage(dataset, 5).load_state_dict(storage.state_dict())
