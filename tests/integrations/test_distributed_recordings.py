"""Recordings of collectors, whose workers are here in this process: no cluster is needed."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray", reason="the collectors run on Ray")

from pyale_ma.distributed.handles import Order, WorkerHandle
from pyale_ma.distributed.recorder import CollectorRecorder
from pyale_ma.distributed.spec import make_vector_spec
from pyale_ma.distributed.worker import Worker
from pyale_ma.recording import Dataset, Recording, RecordingError
from pyale_ma.recording.file.chunk_writer import FileOptions

SMALL: dict[str, Any] = {"obs_type": "ram", "stack_num": 1, "max_num_frames_per_episode": 40}


class Workers:
    """Workers as a collector's pool has them: each order is carried out when it is answered."""

    def __init__(self, games: list[Any], count: int, options: dict[str, Any]) -> None:
        self.spec = make_vector_spec(games, 5, options)
        self.handles = [WorkerHandle(number) for number in range(count)]
        self.workers = [Worker(self.spec, number, 1) for number in range(count)]
        for worker in self.workers:
            worker.follow(None, [])
        self.description = self.workers[0].describe()
        self.description.action_space.seed(0)

    def record(self, folder: Path, stride: int = 1, **settings: Any) -> CollectorRecorder:
        header = self.description.header
        players = header.options["num_players"]
        row = (header.envs, *([] if players is None else [players]))
        given = {"check_every": 100, "steps_per_chunk": None, "keyframes": False, "metadata": None}
        options = FileOptions(**{**given, "overwrite": False, **settings})
        return CollectorRecorder(
            folder, header, options, workers=len(self.workers), row=row, stride=stride
        )

    def give(self, number: int, recorder: CollectorRecorder) -> None:
        actions = np.asarray(self.description.action_space.sample())
        handle = self.handles[number]
        handle.orders.append(Order("step", (actions, recorder.request(handle, False))))

    def answer(self, number: int, recorder: CollectorRecorder) -> None:
        order = self.handles[number].orders.popleft()
        actions, request = order.arguments
        (_, *arrays, _), additions = self.workers[number].step(actions, request)
        if recorder.has(order):
            columns = [array[None] for array in (actions, *arrays)]
            recorder.add(self.handles[number], additions, tuple(columns))

    def play(self, recorder: CollectorRecorder, steps: int, ahead: int = 1) -> None:
        for number in range(len(self.workers)):
            for step in range(steps + ahead):
                if step < steps:
                    self.give(number, recorder)
                if step >= ahead:
                    self.answer(number, recorder)


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2, "autoreset_mode": "SameStep", "reward_clipping": False},
        {"continuous": True, "full_action_space": True},
        {"mode": 1, "difficulty": 1, "noop_max": 5, "repeat_action_probability": 0.25},
    ],
    ids=str,
)
@pytest.mark.parametrize("keyframes", [False, True])
def test_vectors_of_all_kinds(tmp_path: Path, options: dict[str, Any], keyframes: bool) -> None:
    """Files are verified, and read by a dataset; with orders given in advance, too."""
    workers = Workers(["pong", "pong"], 2, {**SMALL, **options})
    with workers.record(tmp_path, keyframes=keyframes, steps_per_chunk=8) as recorder:
        workers.play(recorder, 21, ahead=3)
        assert recorder.steps == 42
    for number, file in enumerate(sorted(tmp_path.iterdir())):
        recording = Recording.open(file)
        assert str(recording.verify()) == "verified, 21 steps"
        assert recording.episodes[0].seed == 5 + 2 * number
        assert states_of(file) == 2 * keyframes
    with Dataset(tmp_path) as dataset:
        assert dataset.sample(4, 3, np.random.default_rng(0)).rewards.shape[:2] == (4, 3)


def states_of(file: Path) -> int:
    """Count the states of a recording."""
    with zipfile.ZipFile(file) as found:
        return sum(name.endswith("state.npy") for name in found.namelist())


def test_cards_are_in_the_files(tmp_path: Path) -> None:
    """With their text, though workers read them from folders that are gone."""
    card = tmp_path / "breakout.toml"
    card.write_bytes((Path(__file__).parents[1] / "cards" / "breakout.toml").read_bytes())
    workers = Workers([card, "pong"], 1, SMALL)
    with workers.record(tmp_path / "files", metadata={"run": 3}) as recorder:
        workers.play(recorder, 5)
    recording = Recording.open(tmp_path / "files" / "worker-0000.zip")
    assert recording.verify()
    assert recording.metadata == {"run": 3}
    assert recording.header.games[0].card == card.read_text()


def test_one_recording_after_another(tmp_path: Path) -> None:
    """Each has what was ordered while it was open, from where the worker was then."""
    workers = Workers(["pong"], 1, SMALL)
    with workers.record(tmp_path / "a") as first:
        workers.play(first, 6)
        workers.give(0, first)
    with workers.record(tmp_path / "b", keyframes=True, steps_per_chunk=4) as second:
        workers.give(0, second)
        workers.answer(0, second)  # of the first one's, which has ended
        workers.answer(0, second)
        workers.play(second, 4)
        second.flush()
        second.move()
        workers.play(second, 6)
    verdicts = [
        str(Recording.open(tmp_path / name / "worker-0000.zip").verify()) for name in ("a", "b")
    ]
    assert verdicts == ["verified, 6 steps", "verified, 11 steps, from 2 saved states"]
    assert states_of(tmp_path / "b" / "worker-0000.zip") == 4


def test_all_that_was_flushed_is_in_the_file(tmp_path: Path) -> None:
    """As that of a driver that was killed then; of an interrupted one too."""
    workers = Workers(["pong"], 1, SMALL)
    recorder = workers.record(tmp_path, check_every=4, steps_per_chunk=8)
    workers.play(recorder, 11)
    recorder.flush()
    workers.play(recorder, 3)
    file = tmp_path / "worker-0000.zip"
    verdict = Recording.open(file).verify()
    assert (verdict.steps, verdict.complete, bool(verdict)) == (11, False, True)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    recorder._tracks[0].chunks.check = interrupted  # type: ignore[method-assign, assignment]
    with pytest.raises(KeyboardInterrupt):
        workers.play(recorder, 8)
    assert not recorder.is_open
    assert str(Recording.open(file).verify()) == "verified, 15 steps"


def test_rollouts_come_whole(tmp_path: Path) -> None:
    """Chunks and checks are rounded up to them, and they may be too long."""
    workers = Workers(["pong"], 1, SMALL)
    with workers.record(tmp_path / "a", stride=6, check_every=10, steps_per_chunk=20) as recorder:
        track = recorder._tracks[0].chunks
        assert (track._check_every, track._size) == (12, 24)
    with pytest.raises(RecordingError, match=r"33554432 steps.*1 environments .* 16777216"):
        workers.record(tmp_path / "b", stride=2**25)
    assert not (tmp_path / "b").exists()


def test_files_that_are_there_stay(tmp_path: Path) -> None:
    """No other is made then."""
    (tmp_path / "worker-0001.zip").write_bytes(b"the file before")
    workers = Workers(["pong"], 2, SMALL)
    with pytest.raises(FileExistsError, match=r"worker-0001.zip already"):
        workers.record(tmp_path)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"the file before"]
    with pytest.raises(TypeError, match="metadata must be a dict"):
        workers.record(tmp_path / "b", metadata=[1])
    with pytest.raises(FileNotFoundError, match="a/b"):
        workers.record(tmp_path / "a" / "b")
    assert len(list(tmp_path.iterdir())) == 1
