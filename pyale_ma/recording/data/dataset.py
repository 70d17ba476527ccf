"""`Dataset`: windows of recordings to learn from, with observations made when they are drawn."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np
from gymnasium.envs.registration import EnvSpec

from pyale_ma._base.arguments import integer, known_names, numbers_of
from pyale_ma._base.callers import one_caller
from pyale_ma._base.text import printable
from pyale_ma.recording.data.window_source import Part, WindowSource, step_shapes
from pyale_ma.recording.file.format import OBSERVATION, Header, RecordingError, check_observe
from pyale_ma.recording.file.reader import Reader
from pyale_ma.recording.replay.recorded_env import spec_of
from pyale_ma.recording.replay.recording import Recording
from pyale_ma.recording.replay.timelines import FileTimeline
from pyale_ma.recording.replay.window_players import (
    LayerPlayer,
    VectorPlayer,
    WindowPlayer,
    threads_of,
)
from pyale_ma.recording.replay.windows import Array, Numbers, Windows

File: TypeAlias = str | os.PathLike[str]


class DatasetEpisode(NamedTuple):
    """An episode, or what was recorded of it.

    Attributes:
        start: The number of its first step in the dataset.
        length: How many steps it has.
        file: The number of its recording.
        env: Which of its environments played it.
        ended: Whether its last step terminated or truncated it.
    """

    start: int
    length: int
    file: int
    env: int
    ended: bool


class Dataset:
    """The steps of recordings, in windows of any length.

    A dataset has the steps of the first environment of the first recording, in the order of time,
    then those of the next environment, and so on.  Steps in which an environment was only reset are
    left out, and so are the first ``stack_num + 1`` steps of a vector after a state that was
    restored, until the next reset: what was observed then does not follow from the file alone.

    ::

        dataset = Dataset("recordings", stack_num=1)
        windows = dataset.sample(32, 64)
        windows.observations  # uint8 (32, 65, 1, 84, 84)

    Observations are exactly those that the recorded environment gave, or those that it would have
    given with other arguments.  Windows of vectors are played in native threads; every reward is
    compared with the recorded one on the way.

    A dataset serves one caller at a time, and can be pickled.

    Args:
        files: A recording, a folder of them (all its .zip files), or a list of both.
        keyframe_every: Play each recording once now, and keep its state after this many steps each.
            For recordings with few or no keyframes.  None: the file's keyframes.
        num_threads: Threads that play vectors; 0: as many as there are CPUs.
        **observe: What to observe instead of what was: `obs_type`, and of vectors also
            `img_height`, `img_width`, `crop`, `stack_num`, `stack_fill`, `maxpool` and
            `agent_indicator`.

    Attributes:
        recordings: The recordings.
        observation_shape: Of one observation.
        observation_dtype: Its type: uint8, of labels int32.

    Examples:
        ```python
        import numpy as np

        from pyale_ma.recording import Dataset, record
        from pyale_ma.vector import AtariVectorEnv

        envs = AtariVectorEnv("quartet", 8)
        with record(envs, "games.zip", keyframes=True):
            envs.reset(seed=42)
            for _ in range(40):
                envs.step(envs.action_space.sample())

        windows = Dataset("games.zip").sample(16, 8, np.random.default_rng(0))
        ```

    Raises:
        RecordingError: There is no recording, one is damaged, cannot be played here or has too few
            keyframes, or the recordings have observations or actions of different shapes.
        ValueError: There is no such argument.
        TypeError: `files` names no files.
        FileNotFoundError: A file or a ROM image is missing.
    """

    _is_busy = False  # whether a call runs, for `one_caller`

    @known_names
    def __init__(
        self,
        files: File | Iterable[File],
        *,
        keyframe_every: int | None = None,
        num_threads: int = 0,
        **observe: Any,
    ) -> None:
        if keyframe_every is not None:
            keyframe_every = integer("keyframe_every", keyframe_every, 1)
        num_threads = threads_of(num_threads)
        paths = list(_paths(files))
        self._timelines: list[FileTimeline] = []
        self._observe = observe
        self._players: dict[str, WindowPlayer] = {}
        self._player_of: list[list[WindowPlayer]] = []  # by timeline and environment
        for path in paths:
            reader = Reader(path)
            header = reader.header
            arguments = _observed(header, observe)
            timeline = FileTimeline(reader, arguments, keyframe_every)
            self._timelines.append(timeline)
            self._player_of.append(
                [
                    self._player(timeline, game, arguments, num_threads)
                    for game in header.game_of_env
                ]
            )
        self.recordings = [Recording(timeline.reader) for timeline in self._timelines]
        self.observation_shape, self.observation_dtype = self._common_kind()
        self._source = WindowSource(
            [
                Part(timeline, timeline.index, players)
                for timeline, players in zip(self._timelines, self._player_of, strict=True)
            ],
            self.observation_shape,
            self.observation_dtype,
            whole="recording",
            advice="give a shorter length",
        )

    def _common_kind(self) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Return shape and type of observations; RecordingError: recordings differ in them."""
        kinds: dict[Any, str] = {}
        for timeline, players in zip(self._timelines, self._player_of, strict=True):
            actions = step_shapes(timeline.header)["actions"]
            for player in dict.fromkeys(players):
                kinds.setdefault((player.kind, actions), timeline.name)
        if len(kinds) > 1:
            ((one, each), name), ((other, other_each), other_name) = list(kinds.items())[:2]
            raise RecordingError(
                f"{name} has observations of shape {one[0]} and actions of shape {each}, "
                f"{other_name} has {other[0]} and {other_each}: make a dataset of each, or give "
                "arguments by which all are observed alike, such as img_height and img_width"
            )
        kind: tuple[tuple[int, ...], np.dtype[Any]] = next(iter(kinds))[0]
        return kind

    def _player(
        self, timeline: FileTimeline, game: int, observe: dict[str, Any], threads: int
    ) -> WindowPlayer:
        """Return a player of a game of a recording; recordings of the same game share it."""
        header = timeline.header
        alike = dataclasses.replace(
            header, games=[header.games[game]], game_of_env=[0], metadata={}
        )
        key = json.dumps([alike.as_json(), observe], default=str)
        if key not in self._players:
            self._players[key] = (
                VectorPlayer(alike, 0, observe, threads)
                if header.layer == "vector"
                else LayerPlayer(alike, observe)
            )
        return self._players[key]

    def __repr__(self) -> str:
        return f"<Dataset of {len(self.recordings)} recordings, {len(self)} steps>"

    def __len__(self) -> int:
        """The number of steps."""
        return len(self._source)

    def __getitem__(self, number: Any) -> NoReturn:
        """Refuse PyTorch's `DataLoader`, which asks for steps by number, and say what it takes.

        Raises:
            TypeError: Always.
        """
        raise TypeError(
            "a Dataset is asked for windows of steps: windows, sample and episode return them; for "
            "a DataLoader take WindowDataset(dataset, length) or WindowStream of "
            "pyale_ma.recording.dataset_torch"
        )

    # ---- Windows ---------------------------------------------------------------------------------

    @known_names
    def starts(self, length: int, *, across_episodes: bool = False) -> Numbers:
        """The steps at which windows may begin, int64, ascending.

        Args:
            length: Steps of a window.
            across_episodes: Whether windows may go on with the next episode; they never go from one
                environment to another.

        Raises:
            RecordingError: No episode, or no recording, is as long.
            TypeError: `length` is not a whole number, or `across_episodes` no flag.
        """
        return self._source.starts(length, across_episodes)

    @known_names
    @one_caller
    def windows(
        self, indices: Sequence[int] | Numbers, length: int, *, out: Array | None = None
    ) -> Windows:
        """Windows that begin at given steps.

        Args:
            indices: Numbers of steps, which may repeat.
            length: Steps of a window; they may go on with the next episode.
            out: Where observations are written, such as those of windows that nobody needs any
                more; None: a new array, which takes the system some time if it is large.

        Raises:
            IndexError: There is no such step, or its environment has too few after it.
            RecordingError: They cannot be played here, or do not lead to what was recorded.
            ValueError: `out` is not an array for such observations.
            RuntimeError: Another call draws or makes windows.
        """
        length = integer("length", length, 1)
        numbers = numbers_of("indices", indices)
        for row in np.flatnonzero((numbers < 0) | (numbers >= len(self)))[:1]:
            raise IndexError(
                f"indices[{row}] is {numbers[row]}; there are steps 0 to {len(self) - 1}"
            )
        following = self._source.following(numbers)
        for row in np.flatnonzero(following < min(length, len(self) + 1))[:1]:
            raise IndexError(
                f"indices[{row}] is {numbers[row]}: {following[row]} steps follow there, not "
                f"{length}; starts({length}) has the numbers that a window may begin at"
            )
        windows = self._source.windows(numbers, length, out)
        probabilities = np.full(len(numbers), 1 / max(len(self), 1))
        return windows._replace(probabilities=probabilities)

    @known_names
    @one_caller
    def sample(
        self,
        batch: int,
        length: int,
        rng: np.random.Generator | None = None,
        *,
        across_episodes: bool = False,
        out: Array | None = None,
    ) -> Windows:
        """Draw windows with replacement, all as likely.

        Args:
            batch: How many.
            length: Steps of a window.
            rng: Draws them; None: a new one.
            across_episodes: Whether windows may go on with the next episode.
            out: Where observations are written, as for `windows`.

        Raises:
            TypeError: `rng` is something else, such as a seed, or `across_episodes` is not a flag.
            RecordingError: No episode is as long; or as `windows`.
            ValueError: `out` is not an array for such observations.
            RuntimeError: Another call draws or makes windows.
        """
        return self._source.sample(batch, length, rng, across_episodes, out)

    # ---- Episodes --------------------------------------------------------------------------------

    @property
    def episodes(self) -> list[DatasetEpisode]:
        """The episodes, in the order of their steps."""
        episodes = []
        for number, (timeline, offset) in enumerate(
            zip(self._timelines, self._source.offsets, strict=False)
        ):
            index = timeline.index
            flags = timeline.columns["terminations"].all(2) | timeline.columns["truncations"]
            for start, stop in zip(*index.runs(False), strict=True):
                env = int(index.envs[start])
                ended = bool(flags[index.steps[stop - 1], env])
                episodes.append(
                    DatasetEpisode(int(start + offset), int(stop - start), number, env, ended)
                )
        return episodes

    def episode(self, episode: DatasetEpisode) -> Windows:
        """All steps of an episode, as a window without the axis of windows."""
        windows = self.windows([episode.start], episode.length)
        return Windows(*(array[0] for array in windows))

    # ---- The end ---------------------------------------------------------------------------------

    def close(self) -> None:
        """Free the environments that play; others are made when windows are wanted again."""
        for player in self._players.values():
            player.close()
        for timeline in self._timelines:
            timeline.close()

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def check_dataset(dataset: Any) -> Dataset:
    """Return the argument of an adapter if it is a dataset, or raise."""
    if not isinstance(dataset, Dataset):
        raise TypeError(f"dataset must be a Dataset, such as Dataset('play.zip'), not {dataset!r}")
    return dataset


def common_spec(dataset: Dataset) -> EnvSpec | None:
    """Return the spec of the recorded environment, of a vector that of its first one.

    None: they are of several kinds, or consoles, which are played frame by frame.
    """
    headers = [recording.header for recording in dataset.recordings]
    if len({game for header in headers for game in header.games}) > 1 or any(
        header.layer == "console" for header in headers
    ):
        return None
    specs = [spec_of(header, _observed(header, dataset._observe)) for header in headers]
    return specs[0] if all(spec.kwargs == specs[0].kwargs for spec in specs) else None


def _paths(files: Any) -> Iterator[Path]:
    """The recordings that a user names."""
    if isinstance(files, (str, os.PathLike)):
        files = [files]
    if not isinstance(files, Iterable):
        raise TypeError(f"files must be a recording, a folder or a list of them, not {files!r}")
    has_files = False
    for file in files:
        if not isinstance(file, (str, os.PathLike)):
            raise TypeError(f"files must have paths, not {file!r}")
        path = Path(file)
        inside = sorted(path.glob("*.zip")) if path.is_dir() else [path]
        if not inside:
            raise RecordingError(
                f"{printable(path)} has no recordings (files with the suffix .zip): write some "
                "there with pyale_ma.recording.record"
            )
        has_files = True
        yield from inside
    if not has_files:
        raise RecordingError("there are no files: name a recording, or a folder of recordings")


def _observed(header: Header, observe: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the environment for the requested observations."""
    arrays = tuple(name for name in OBSERVATION[header.layer] if name not in _NO_ARRAYS)
    check_observe(header.layer, observe, arrays)
    if "stack_num" in observe:
        observe = {**observe, "stack_num": integer("stack_num", observe["stack_num"], 1)}
    silent = {"sound_obs": False} if "sound_obs" in header.options else {}
    return {**silent, **observe}


_NO_ARRAYS = ("sound_obs", "detailed_infos")
