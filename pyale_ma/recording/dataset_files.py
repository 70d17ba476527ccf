"""Datasets for other libraries: as a file of HDF5, for Minari, and for d3rlpy.

These keep observations, a thousand times as many bytes as the recordings: choose small ones.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from pyale_ma._base import install_hints
from pyale_ma._base.arguments import known_names
from pyale_ma._base.files import written_aside
from pyale_ma._base.text import listed
from pyale_ma.recording.data.dataset import Dataset, DatasetEpisode, common_spec
from pyale_ma.recording.replay.windows import Windows

_STEPS_AT_A_TIME = 512


def _parts(dataset: Dataset, episode: DatasetEpisode) -> Iterator[tuple[int, Windows]]:
    """The steps of an episode, some at a time, and where they begin in it."""
    for start in range(0, episode.length, _STEPS_AT_A_TIME):
        length = min(_STEPS_AT_A_TIME, episode.length - start)
        windows = dataset.windows([episode.start + start], length)
        yield start, Windows(*(array[0] for array in windows))


@known_names
def to_hdf5(dataset: Dataset, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write a dataset as a file of HDF5, packed by gzip.

    Its arrays are ``observations``, before each step, ``next_observations``, ``actions``,
    ``rewards``, ``terminations``, ``truncations`` and ``starts``, as `Windows` has them but with
    one axis of all steps, and ``episodes``, int64 (episodes, 2): their first steps and lengths.

    Args:
        dataset: The steps to write.
        path: The file.
        overwrite: Replace a file that is there.

    Raises:
        FileExistsError: There is a file already.
        gymnasium.error.DependencyNotInstalled: h5py is not installed.
        RecordingError: The recordings cannot be played here.
        OSError: The file cannot be written; an earlier one stays.
    """
    try:
        import h5py
    except ModuleNotFoundError as problem:
        raise install_hints.missing(problem, "pip install h5py") from None
    with written_aside(path, overwrite=overwrite) as aside, h5py.File(aside, "w") as file:
        arrays: dict[str, Any] = {}
        episodes = dataset.episodes
        for episode in episodes:
            for start, part in _parts(dataset, episode):
                columns = {
                    "observations": part.observations[:-1],
                    "next_observations": part.observations[1:],
                    "actions": part.actions,
                    "rewards": part.rewards,
                    "terminations": part.terminations,
                    "truncations": part.truncations,
                    "starts": part.starts,
                }
                first = episode.start + start
                for name, column in columns.items():
                    if name not in arrays:
                        arrays[name] = file.create_dataset(
                            name,
                            (len(dataset), *column.shape[1:]),
                            column.dtype,
                            chunks=(min(64, len(dataset)), *column.shape[1:]),
                            compression="gzip",
                            compression_opts=1,
                        )
                    arrays[name][first : first + len(column)] = column
        file["episodes"] = np.array([episode[:2] for episode in episodes], np.int64)
        file.attrs["games"] = [
            game.name for recording in dataset.recordings for game in recording.header.games
        ]


def _spaces(dataset: Dataset) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
    bounds = np.iinfo(dataset.observation_dtype)
    observations = spaces.Box(
        *(bounds.min, bounds.max, dataset.observation_shape, dataset.observation_dtype)
    )
    windows = dataset.windows([0], 1)
    shape = windows.actions.shape[2:]
    if windows.actions.dtype == np.float32:
        return observations, spaces.Box(-np.float32(np.pi), np.float32(np.pi), shape, np.float32)
    count = 1 + max(int(r.array("actions").max(initial=0)) for r in dataset.recordings)
    if not shape:
        return observations, spaces.Discrete(count)
    return observations, spaces.MultiDiscrete(np.full(shape, count))


def to_minari(dataset: Dataset, dataset_id: str, **described: Any) -> Any:
    """Make a dataset of Minari, which ``minari.load_dataset(dataset_id)`` loads.

    Each episode is one of Minari's; one that was not played to its end is truncated there.  Rewards
    of several players are added up, as Minari keeps one for each step.  Where all recordings are of
    one kind, ``recover_environment`` returns a `RecordedEnv`, which plays as they did.

    Args:
        dataset: Of recordings.
        dataset_id: Such as "atari/pong/random-v0".
        **described: Further arguments of ``minari.create_dataset_from_buffers``, such as
            `algorithm_name` and `author`, which are "unknown" unless you say them.

    Returns:
        Minari's dataset.

    Raises:
        gymnasium.error.DependencyNotInstalled: Minari or h5py is not installed.
        RecordingError: The recordings cannot be played here.
        ValueError: Minari has a dataset of this name, or takes no such name.
    """
    try:
        import h5py  # noqa: F401
        import minari
        from minari.data_collector import EpisodeBuffer
    except ModuleNotFoundError as problem:
        raise install_hints.missing(problem, "pip install 'minari>=0.5.4' h5py") from None
    buffers = []
    for number, episode in enumerate(dataset.episodes):
        window = dataset.episode(episode)
        rewards, ends = window.rewards, window.terminations
        if rewards.ndim > 1:
            rewards, ends = rewards.sum(1), ends.all(1)
        cuts = window.truncations.copy()
        cuts[-1] |= not episode.ended
        buffers.append(
            EpisodeBuffer(
                id=number,
                observations=list(window.observations),
                actions=list(window.actions),
                rewards=rewards.astype(np.float64).tolist(),
                terminations=ends.tolist(),
                truncations=cuts.tolist(),
                infos={"starts": np.append(window.starts, False)},
            )
        )
    observation_space, action_space = _spaces(dataset)
    spec = common_spec(dataset)
    if spec is not None:
        with contextlib.closing(gymnasium.make(spec)) as env:
            action_space = env.action_space
    options = {
        "env": spec,
        "eval_env": spec,
        "observation_space": observation_space,
        "action_space": action_space,
        "data_format": "hdf5",
        "jpeg_encoding": False,  # which would change them
        "description": f"{len(dataset.recordings)} recordings of pyale_ma: {_games_of(dataset)}",
        **dict.fromkeys(("algorithm_name", "author", "author_email", "code_permalink"), "unknown"),
        **described,
    }
    with warnings.catch_warnings():
        if spec is None:  # environments of several kinds have none in common
            warnings.filterwarnings("ignore", "(env_spec|`eval_env`) is", UserWarning)
        return minari.create_dataset_from_buffers(dataset_id, buffers, **options)


def _games_of(dataset: Dataset) -> str:
    games = (game.name for recording in dataset.recordings for game in recording.header.games)
    return listed(dict.fromkeys(games))


def to_d3rlpy(dataset: Dataset) -> Any:
    """Make an ``MDPDataset`` of d3rlpy, for one player.

    Observations are those before each step; d3rlpy needs no others.

    Raises:
        gymnasium.error.DependencyNotInstalled: d3rlpy is not installed.
        ValueError: Several players acted, or observations have more axes than d3rlpy takes.
        RecordingError: The recordings cannot be played here.
    """
    try:
        import d3rlpy
    except ModuleNotFoundError as problem:
        raise install_hints.missing(problem, "pip install --no-deps d3rlpy") from None
    shape = dataset.observation_shape
    if dataset.windows([0], 1).rewards.ndim > 2 or len(shape) not in (1, 2, 3):
        raise ValueError(
            f"d3rlpy takes one player, and observations of one or three axes, not {shape}: observe "
            "gray, or RAM with stack_num=1"
        )
    columns: dict[str, list[Any]] = {name: [] for name in Windows._fields}
    cuts = []
    for episode in dataset.episodes:
        window = dataset.episode(episode)
        for name, array in window._asdict().items():
            columns[name].append(array[:-1] if name == "observations" else array)
        # d3rlpy wants to know of each episode how it ended.
        cut = np.zeros(episode.length, np.float32)
        cut[-1] = not window.terminations[-1]
        cuts.append(cut)
    observations = np.concatenate(columns["observations"])
    if len(shape) == 2:  # RAM in a stack
        observations = observations.reshape(len(observations), -1)
    actions = np.concatenate(columns["actions"])
    ends = np.concatenate(columns["terminations"]).astype(np.float32)
    timeouts = np.concatenate(cuts)
    ends[timeouts > 0] = 0
    discrete = actions.ndim == 1
    return d3rlpy.dataset.MDPDataset(
        observations=observations,
        actions=actions.reshape(-1, 1).astype(np.int64) if discrete else actions,
        rewards=np.concatenate(columns["rewards"]).reshape(-1, 1).astype(np.float32),
        terminals=ends,
        timeouts=timeouts,
    )
