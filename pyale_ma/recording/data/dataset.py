"""Recordings as data to learn from: windows of steps, with observations made when wanted."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np
from gymnasium.envs.registration import EnvSpec

from pyale_ma._base.arguments import flag, integer, known_names
from pyale_ma._base.text import printable
from pyale_ma.recording.file.format import OBSERVATION, Header, RecordingError
from pyale_ma.recording.replay.players import Job, LayerPlayer, Player, VectorPlayer, threads_of
from pyale_ma.recording.replay.recorded_env import spec_of
from pyale_ma.recording.replay.recording import Recording
from pyale_ma.recording.replay.timelines import FileTimeline
from pyale_ma.recording.replay.windows import (
    Array,
    Numbers,
    Windows,
    batch_of,
    generator,
    numbers_of,
    observations_of,
    pick,
)

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
    compared with the recorded one on the way.  Threads may share a dataset; it can be pickled.

    Args:
        files: A recording, a folder of them (all its .zip files), or a list of both.
        keyframe_every: Play each recording once now, and keep its state after this many steps each.
            For recordings with few or no keyframes.  None: the file's keyframes.
        num_threads: Threads that play vectors; 0: as many as there are CPUs.
        **observe: What to observe instead of what was: `obs_type`, and of vectors also
            `img_height`, `img_width`, `stack_num`, `maxpool` and `agent_indicator`.

    Attributes:
        recordings: The recordings.
        observation_shape: Of one observation.
        observation_dtype: Its type: uint8, of labels int32.

    Raises:
        RecordingError: There is no recording, one is damaged, cannot be played here or has too few
            keyframes, or the recordings have observations or actions of different shapes.
        ValueError: There is no such argument.
        TypeError: `files` names no files.
        FileNotFoundError: A file or a ROM image is missing.
    """

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
        self._players: dict[str, Player] = {}
        self._player_of: list[list[Player]] = []  # by timeline and environment
        for path in paths:
            recording = Recording.open(path)
            header = recording.header
            seen = _observed(header, observe)
            timeline = FileTimeline(recording, seen, keyframe_every)
            self._timelines.append(timeline)
            self._player_of.append(
                [self._player(timeline, game, seen, num_threads) for game in header.game_of_env]
            )
        self.recordings = [timeline.recording for timeline in self._timelines]
        kinds: dict[Any, str] = {}
        for timeline, players in zip(self._timelines, self._player_of, strict=True):
            self._each = _each(timeline.header)
            for player in dict.fromkeys(players):
                kinds.setdefault((player.kind, self._each["actions"]), timeline.name)
        if len(kinds) > 1:
            ((one, each), name), ((other, other_each), other_name) = list(kinds.items())[:2]
            raise RecordingError(
                f"{name} has observations of shape {one[0]} and actions of shape {each}, "
                f"{other_name} has {other[0]} and {other_each}: make a dataset of each, or give "
                "arguments by which all are observed alike, such as img_height and img_width"
            )
        self.observation_shape: tuple[int, ...]
        self.observation_dtype: np.dtype[Any]
        self.observation_shape, self.observation_dtype = next(iter(kinds))[0]
        lengths = [len(timeline.index) for timeline in self._timelines]
        self._offsets = np.concatenate([[0], np.cumsum(lengths)])

    def _player(
        self, timeline: FileTimeline, game: int, observe: dict[str, Any], threads: int
    ) -> Player:
        """Return a player of a game of a recording; recordings of the same game share it."""
        header = timeline.header
        alike = dataclasses.replace(
            header, games=[header.games[game]], game_of_env=[0], metadata={}
        )
        key = json.dumps([alike.as_json(), observe], default=str)
        if key not in self._players:
            kind = VectorPlayer if header.layer == "vector" else LayerPlayer
            self._players[key] = kind(alike, 0, observe, threads)
        return self._players[key]

    def __repr__(self) -> str:
        return f"<Dataset of {len(self.recordings)} recordings, {len(self)} steps>"

    def __len__(self) -> int:
        """The number of steps."""
        return int(self._offsets[-1])

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
            TypeError: `length` is no whole number, or `across_episodes` no flag.
        """
        length = integer("length", length, 1)
        across_episodes = flag("across_episodes", across_episodes)
        parts = [
            timeline.index.windows(length, across_episodes) + offset
            for timeline, offset in zip(self._timelines, self._offsets, strict=False)
        ]
        starts = np.concatenate(parts)
        if not starts.size:
            longest = max(timeline.index.longest(across_episodes) for timeline in self._timelines)
            where = "recording" if across_episodes else "episode"
            advice = "" if across_episodes else ", or across_episodes=True"
            raise RecordingError(
                f"no {where} has {length} steps on end, the longest has {longest}: give a length "
                f"of at most {longest}{advice}"
            )
        return starts

    @known_names
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
            ValueError: `out` is no array for such observations.
        """
        length = integer("length", length, 1)
        given = numbers_of("indices", indices)
        places = [self._place(row, index, length) for row, index in enumerate(given.tolist())]
        batch = len(places)
        observations = observations_of(
            *(out, batch, length, self.observation_shape, self.observation_dtype)
        )
        columns: dict[str, Array] = {}
        starts = np.zeros((batch, length), np.bool_)
        jobs: dict[Player, list[Job]] = {}
        for row, (number, timeline, place) in enumerate(places):
            timeline_index, stop = timeline.index, place + length
            env, times = int(timeline_index.envs[place]), timeline_index.steps[place:stop]
            starts[row] = timeline_index.starts[place:stop]
            for name, column in timeline.columns.items():
                each = column[times, env].reshape(length, *self._each[name])
                if name not in columns:
                    columns[name] = np.empty((batch, *each.shape), each.dtype)
                columns[name][row] = each
            jobs.setdefault(self._player_of[number][env], []).append(Job(timeline, env, times, row))
        for player, its in jobs.items():
            player.play(its, observations)
        return Windows(
            observations,
            **columns,
            starts=starts,
            indices=given,
            probabilities=np.full(batch, 1 / max(len(self), 1)),
        )

    @known_names
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
            TypeError: `rng` is something else, such as a seed, or `across_episodes` is no flag.
            RecordingError: No episode is as long; or as `windows`.
            ValueError: `out` is no array for such observations.
        """
        rng = generator(rng)
        starts = self.starts(length, across_episodes=across_episodes)
        batch = batch_of(batch, length, self.observation_shape)
        out = observations_of(*(out, batch, length, self.observation_shape, self.observation_dtype))
        places, probabilities = pick(None, len(starts), batch, rng)
        windows = self.windows(starts[places], length, out=out)
        return windows._replace(probabilities=probabilities)

    def _place(self, row: int, index: int, length: int) -> tuple[int, FileTimeline, int]:
        """The number of the recording that has a window, the recording, and where it begins."""
        if not 0 <= index < len(self):
            raise IndexError(f"indices[{row}] is {index}; there are steps 0 to {len(self) - 1}")
        number = int(np.searchsorted(self._offsets, index, "right")) - 1
        timeline, place = self._timelines[number], index - int(self._offsets[number])
        _, stops = timeline.index.runs(True)
        follow = int(stops[np.searchsorted(stops, place, "right")]) - place
        if length > follow:
            raise IndexError(
                f"indices[{row}] is {index}: {follow} steps follow there, not {length}; "
                f"starts({length}) has the numbers that a window may begin at"
            )
        return number, timeline, place

    def _spec(self) -> EnvSpec | None:
        """Return the spec of the recorded environment, of a vector that of its first one.

        None: they are of several kinds, or consoles, which are played frame by frame.
        """
        headers = [timeline.header for timeline in self._timelines]
        if len({game for header in headers for game in header.games}) > 1 or any(
            header.layer == "console" for header in headers
        ):
            return None
        specs = [spec_of(header, _observed(header, self._observe)) for header in headers]
        return specs[0] if all(spec.kwargs == specs[0].kwargs for spec in specs) else None

    # ---- Episodes --------------------------------------------------------------------------------

    @property
    def episodes(self) -> list[DatasetEpisode]:
        """The episodes, in the order of their steps."""
        found = []
        for number, (timeline, offset) in enumerate(
            zip(self._timelines, self._offsets, strict=False)
        ):
            index = timeline.index
            flags = timeline.columns["terminations"].all(2) | timeline.columns["truncations"]
            for start, stop in zip(*index.runs(False), strict=True):
                env = int(index.envs[start])
                ended = bool(flags[index.steps[stop - 1], env])
                found.append(
                    DatasetEpisode(int(start + offset), int(stop - start), number, env, ended)
                )
        return found

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


def _paths(files: Any) -> Iterator[Path]:
    """The recordings that a user names."""
    if isinstance(files, (str, os.PathLike)):
        files = [files]
    if not isinstance(files, Iterable):
        raise TypeError(f"files must be a recording, a folder or a list of them, not {files!r}")
    found = False
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
        found = True
        yield from inside
    if not found:
        raise RecordingError("there are no files: name a recording, or a folder of recordings")


def _observed(header: Header, observe: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the environment for the requested observations."""
    known = [name for name in OBSERVATION[header.layer] if name not in _UNSEEN]
    for name in observe:
        if name not in known:
            raise ValueError(
                f"there is no option {name!r} for a recording of layer {header.layer!r}; there are "
                f"{', '.join(known)}"
            )
    if "stack_num" in observe:
        observe = {**observe, "stack_num": integer("stack_num", observe["stack_num"], 1)}
    silent = {"sound_obs": False} if "sound_obs" in header.options else {}
    return {**silent, **observe}


_UNSEEN = ("sound_obs", "detailed_infos")  # which give no arrays


def _each(header: Header) -> dict[str, tuple[int, ...]]:
    """The shapes of a step's columns: those of a vector for one player have no axis of players."""
    alone = header.layer == "single" or (
        header.layer == "vector" and header.options["num_players"] is None
    )
    row = () if alone else (header.players,)
    position = (3,) if header.continuous and header.layer != "console" else ()
    return {
        "actions": (*row, *position),
        "rewards": row,
        "terminations": row,
        "truncations": (),
    }
