"""What recordings, datasets and memories say to wrong arguments, and that they take right ones."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyale_ma.recording import Dataset, Recording, RecordingError, SequenceMemory, record
from recording.playing import play_one, play_vector, quartet, recorded, small_single, vector


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    recorded(Path("a.zip"), vector(2), play_vector, 40, keyframes=True, steps_per_chunk=16)
    return tmp_path


@pytest.mark.parametrize("name", ["check_every", "steps_per_chunk"])
def test_numbers_of_a_recorder(tmp_path: Path, name: str) -> None:
    path, env = tmp_path / "a.zip", quartet()
    for value, error in ((1.5, TypeError), (True, TypeError), ("3", TypeError), (0, ValueError)):
        given: dict[str, Any] = {name: value}
        with pytest.raises(error, match=name):
            record(env, path, **given)
    with pytest.raises(TypeError, match=r"metadata must be a dict, not \[1\]"):
        record(env, path, metadata=[1])  # type: ignore[arg-type]
    assert not path.exists()
    with record(env, path, **{name: np.int64(10)}):  # type: ignore[arg-type]
        play_one(env, 25)
    assert Recording.open(path).verify()


def test_a_closed_vector_is_refused(tmp_path: Path) -> None:
    envs = vector(2)
    envs.close()
    with pytest.raises(RecordingError, match="the vector is closed"):
        record(envs, tmp_path / "a.zip")
    with pytest.raises(RecordingError, match="the vector is closed"):
        SequenceMemory(envs, 1000)
    assert not list(tmp_path.iterdir())


def test_relative_paths_are_those_of_the_opening(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = Recording.open("a.zip")
    with Dataset("a.zip", stack_num=1) as dataset:
        packed = pickle.dumps(dataset)
        (folder / "b").mkdir()
        monkeypatch.chdir(folder / "b")
        assert recording.verify()
        windows = dataset.sample(2, 5, np.random.default_rng(0))
    again = pickle.loads(packed).sample(2, 5, np.random.default_rng(0))
    assert (windows.observations == again.observations).all()


@pytest.mark.parametrize("wrong", [0, np.random.RandomState(0)])
def test_what_draws(folder: Path, wrong: Any) -> None:
    envs = vector(2)
    with SequenceMemory(envs, 1000) as memory, Dataset("a.zip") as dataset:
        for source in (memory, dataset):
            with pytest.raises(TypeError, match=r"rng must be a generator of NumPy, such as"):
                source.sample(3, 5, wrong)
    assert "step" not in vars(envs)


@pytest.mark.parametrize("numbers", [[1.5], [True], [[1]], 1, [], ["a"], [[1], [1, 2]]], ids=str)
def test_numbers_of_steps(folder: Path, numbers: Any) -> None:
    envs = vector(2)
    memory = SequenceMemory(envs, 1000)
    play_vector(envs, 10)
    with pytest.raises(TypeError, match="numbers must be a list of whole numbers"):
        memory.windows(numbers, 2)
    with pytest.raises(TypeError, match="numbers must be a list of whole numbers"):
        memory.set_weights(numbers, 1)
    with pytest.raises(TypeError, match="indices must be a list of whole numbers"):
        Dataset("a.zip").windows(numbers, 2)


def test_other_arguments(folder: Path) -> None:
    envs = vector(2)
    memory = SequenceMemory(envs, 1000)
    play_vector(envs, 10)
    with pytest.raises(ValueError, match="length is 0"):
        memory.windows([10**9], 0)
    with pytest.raises(ValueError, match="weights must be 1 numbers"):
        memory.set_weights([0], ["a"])
    with pytest.raises(TypeError, match="stack_num must be a whole number, not None"):
        SequenceMemory(vector(2), 1000, stack_num=None)
    with pytest.raises(TypeError, match="stack_num must be a whole number, not None"):
        Dataset("a.zip", stack_num=None)
    for wrong in (None, 3, [1]):
        with pytest.raises(TypeError, match="files must"):
            Dataset(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("value", "error"), [(1.5, TypeError), ("a", TypeError), (-1, ValueError)])
def test_parts_of_a_recording(tmp_path: Path, value: Any, error: type[Exception]) -> None:
    recording = small_single(tmp_path / "a.zip", 5)
    with pytest.raises(error, match="start"):
        next(recording.steps(value))
    with pytest.raises(error, match="stop"):
        next(recording.objects(0, value))
    with pytest.raises(error, match="start"):
        recording.film(tmp_path / "a.gif", value)
    assert not (tmp_path / "a.gif").exists()


def test_keyframes_that_no_replay_has(tmp_path: Path) -> None:
    envs = vector(2, obs_type="ram", render_mode="rgb_array")
    with pytest.raises(RecordingError, match="make it without render_mode"):
        record(envs, tmp_path / "a.zip", keyframes=True)
    assert not list(tmp_path.iterdir())
    recorded(tmp_path / "a.zip", envs, play_vector, 20)
    assert Recording.open(tmp_path / "a.zip").verify()


def test_a_memory_of_another_vector(folder: Path) -> None:
    SequenceMemory(vector(2, frameskip=2), 1000).save("memory.zip")
    memory = SequenceMemory(vector(2, frameskip=3), 1000)
    with pytest.raises(RecordingError, match="frameskip is 2, of this one it is 3"):
        memory.restore("memory.zip")
