"""Recordings, datasets and memories refuse wrong arguments and take right ones."""

from __future__ import annotations

import copy
import math
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
    with pytest.raises(TypeError, match=r"metadata.*\[1\]"):
        record(env, path, metadata=[1])  # type: ignore[arg-type]
    assert not path.exists()
    with record(env, path, **{name: np.int64(10)}):
        play_one(env, 25)
    assert Recording.open(path).verify()


HOLDS_ITSELF: dict[str, Any] = {}
HOLDS_ITSELF["a"] = [HOLDS_ITSELF]


@pytest.mark.parametrize(
    ("metadata", "error", "text"),
    [
        ({"a": math.nan}, ValueError, "metadata .*float values"),
        ({"a": [1, {"b": -math.inf}]}, ValueError, "metadata .*float values"),
        ({"a": (np.float64("inf"),)}, ValueError, "metadata .*float values"),
        ({"a": np.float32(1)}, TypeError, "metadata .*type float32 is not JSON serializable"),
        ({"a": {(1, 2): 3}}, TypeError, "metadata .*keys must be .*, not tuple"),
        (HOLDS_ITSELF, ValueError, "metadata .*Circular reference"),
    ],
    ids=["nan", "-inf", "inf", "float32", "key", "itself"],
)
def test_metadata_that_json_lacks(
    tmp_path: Path, metadata: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        record(quartet(), tmp_path / "a.zip", metadata=metadata)
    assert not list(tmp_path.iterdir())


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


@pytest.mark.parametrize("numbers", [[1.5], [True], [[1]], 1, [], ["a"], [[1], [1, 2]]], ids=str)
def test_numbers_of_steps(folder: Path, numbers: Any) -> None:
    envs = vector(2)
    memory = SequenceMemory(envs, 1000)
    play_vector(envs, 10)
    with pytest.raises(TypeError, match="numbers must be a list of whole numbers"):
        memory.windows(numbers, 2)
    with pytest.raises(TypeError, match="numbers must be a list of whole numbers"):
        memory.set_weights(numbers, 1)
    with pytest.raises(TypeError, match=r"indices.*list"):
        Dataset("a.zip").windows(numbers, 2)


def test_other_arguments(folder: Path) -> None:
    envs = vector(2)
    memory = SequenceMemory(envs, 1000)
    play_vector(envs, 10)
    with pytest.raises(ValueError, match="length is 0"):
        memory.windows([10**9], 0)
    with pytest.raises(ValueError, match=r"weights.*1"):
        memory.set_weights([0], ["a"])
    with pytest.raises(TypeError, match=r"stack_num.*None"):
        SequenceMemory(vector(2), 1000, stack_num=None)
    with pytest.raises(TypeError, match=r"stack_num.*None"):
        Dataset("a.zip", stack_num=None)
    for wrong in (None, 3, [1]):
        with pytest.raises(TypeError, match="files must"):
            Dataset(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (1.5, TypeError),
        ("a", TypeError),
        (True, TypeError),
        (math.nan, TypeError),
        (-1, ValueError),
    ],
)
def test_parts_of_a_recording(tmp_path: Path, value: Any, error: type[Exception]) -> None:
    recording = small_single(tmp_path / "a.zip", 5)
    with pytest.raises(error, match="start"):
        next(recording.steps(value))
    with pytest.raises(error, match="stop"):
        next(recording.objects(0, value))
    for name in ("start", "stop", "env"):
        given: dict[str, Any] = {name: value}
        with pytest.raises(error, match=rf"^{name} (is|must be)"):
            recording.film(tmp_path / "a.gif", **given)
    assert not (tmp_path / "a.gif").exists()


def test_parts_that_a_recording_lacks(tmp_path: Path) -> None:
    recording = small_single(tmp_path / "a.zip", 5)
    for given, text in (
        ({"start": 5}, "start is 5; it must be 0 to 4"),
        ({"start": 10**30}, f"start is {10**30}; it must be 0 to 4"),
        ({"start": 2, "stop": 2}, "stop is 2; it must be 3 or more"),
        ({"env": 10**30}, f"env is {10**30}; it must be 0 to 0"),
    ):
        numbers: dict[str, Any] = given
        with pytest.raises(ValueError, match=text):
            recording.film(tmp_path / "a.gif", **numbers)
    assert recording.film(tmp_path / "a.gif", 4, 10**30).exists()


def test_a_recorder_is_not_copied(tmp_path: Path) -> None:
    with record(env := quartet(), tmp_path / "a.zip") as recorder:
        env.reset(seed=1)
        for make in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=r"recorder.*copied.*pickled"):
                make(recorder)
        env.step(1)
    assert Recording.open(tmp_path / "a.zip").verify().steps == 1


@pytest.mark.parametrize("metadata", [{1: "a", "1": "b"}, {"in": [{None: 1, "null": 2}]}], ids=str)
def test_keys_that_are_one_in_json(tmp_path: Path, metadata: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"two keys that are '(1|null)' in JSON"):
        record(quartet(), tmp_path / "a.zip", metadata=metadata)
    assert not (tmp_path / "a.zip").exists()
