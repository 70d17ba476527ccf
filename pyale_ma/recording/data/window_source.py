"""`WindowSource`: finds, draws and makes windows of timelines, for datasets and memories."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import flag, integer
from pyale_ma.recording.file.format import Header, RecordingError
from pyale_ma.recording.replay.timelines import Timeline
from pyale_ma.recording.replay.window_players import Job, WindowPlayer
from pyale_ma.recording.replay.windows import Array, Index, Numbers, Windows

Weights = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """Steps of a timeline.

    Attributes:
        timeline: The timeline.
        index: Its steps that windows consist of.
        players: Of each environment, who plays its windows.
    """

    timeline: Timeline
    index: Index
    players: Sequence[WindowPlayer]


class WindowSource:
    """Windows of timelines that are observed alike.

    Each step has a place: the steps of the first timeline come first, by environment and then by
    time, then those of the next timeline.

    Args:
        parts: The steps.
        observation_shape: Of one observation.
        observation_dtype: Its type.
        whole: Name of what a window cannot leave, such as "recording".
        advice: How to get windows when none is long enough, for messages.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        observation_shape: tuple[int, ...],
        observation_dtype: np.dtype[Any],
        whole: str,
        advice: str,
    ) -> None:
        self.parts = parts
        self._observation_shape = observation_shape
        self._observation_dtype = observation_dtype
        self._whole, self._advice = whole, advice
        self._shapes = step_shapes(parts[0].timeline.header)
        self.offsets = np.cumsum([0, *(len(part.index) for part in parts)])

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def starts(self, length: int, across_episodes: bool) -> Numbers:
        """Return the places at which windows may begin, ascending.

        Args:
            length: Steps of a window.
            across_episodes: Whether windows may go on with the next episode.

        Raises:
            RecordingError: There is none.
            TypeError: `length` is not a whole number, or `across_episodes` no flag.
        """
        length = integer("length", length, 1)
        across_episodes = flag("across_episodes", across_episodes)
        parts = [part.index.windows(length, across_episodes) for part in self.parts]
        if len(parts) > 1:
            parts = [starts + offset for starts, offset in zip(parts, self.offsets, strict=False)]
        starts = np.concatenate(parts) if len(parts) > 1 else parts[0]
        if not starts.size:
            longest = max(part.index.longest(across_episodes) for part in self.parts)
            where = self._whole if across_episodes else "episode"
            advice = self._advice + ("" if across_episodes else ", or give across_episodes=True")
            raise RecordingError(
                f"no {where} has {length} steps on end, the longest has {longest}: {advice}"
            )
        return starts

    def following(self, places: Numbers) -> Numbers:
        """Count the steps from places on that a window can have."""
        counts = np.zeros_like(places)
        for number, rows in self._rows_by_part(places):
            index, offset = self.parts[number].index, self.offsets[number]
            counts[rows] = index.following(places[rows] - offset)
        return counts

    def _rows_by_part(self, places: Numbers) -> list[tuple[int, Numbers]]:
        """Return the number of each part that has some of the places, and the rows of these."""
        if len(self.parts) == 1:
            return [(0, np.arange(len(places)))]
        numbers = np.searchsorted(self.offsets, places, "right") - 1
        return [
            (number, np.flatnonzero(numbers == number)) for number in np.unique(numbers).tolist()
        ]

    def sample(
        self,
        batch: int,
        length: int,
        rng: np.random.Generator | None,
        across_episodes: bool,
        out: Array | None,
        weights_of: Callable[[Numbers], Weights] | None = None,
    ) -> Windows:
        """Draw windows with replacement; `indices` are places.

        Args:
            batch: How many.
            length: Steps of a window.
            rng: Draws them; None: a new one.
            across_episodes: Whether windows may go on with the next episode.
            out: Where observations are written; None: a new array.
            weights_of: Returns the weights of places; None: all are as likely.

        Raises:
            RecordingError: No steps on end are as many.
            ValueError: All weights are 0, or `out` is not an array for such observations.
            TypeError: An argument is of another type.
        """
        rng = _generator(rng)
        starts = self.starts(length, across_episodes)
        batch = _batch(batch, length, self._observation_shape)
        out = self._observations(out, batch, length)
        weights = None if weights_of is None else weights_of(starts)
        chosen, probabilities = _draw(weights, len(starts), batch, rng)
        windows = self.windows(starts[chosen], length, out)
        return windows._replace(probabilities=probabilities)

    def windows(self, places: Numbers, length: int, out: Array | None) -> Windows:
        """Make windows that begin at places, which `indices` are; as many steps follow there."""
        batch = len(places)
        observations = self._observations(out, batch, length)
        columns: dict[str, Array] = {}
        jobs: dict[WindowPlayer, list[Job]] = {}
        rows_by_part = self._rows_by_part(places)
        for number, rows in rows_by_part:
            part = self.parts[number]
            timeline, index = part.timeline, part.index
            steps = (places[rows] - self.offsets[number])[:, None] + np.arange(length)
            times, envs = timeline.first + index.steps[steps], index.envs[steps]
            recorded, where = {"starts": index.starts[steps]}, (timeline.rows(times), envs)
            for name, shape in self._shapes.items():
                recorded[name] = timeline.columns[name][where].reshape(len(rows), length, *shape)
            if len(rows_by_part) == 1:
                columns = recorded
            for name, values in recorded.items() if len(rows_by_part) > 1 else ():
                if name not in columns:
                    columns[name] = np.empty((batch, *values.shape[1:]), values.dtype)
                columns[name][rows] = values
            for row, env, window in zip(rows.tolist(), envs[:, 0].tolist(), times, strict=True):
                first = timeline.anchor(env, int(window[0]))
                assert first is not None  # as the index has the window
                job = Job(timeline, env, window, row, first)
                jobs.setdefault(part.players[env], []).append(job)
        for player, its in jobs.items():
            player.play(its, observations)
        probabilities = np.full(batch, np.nan)
        return Windows(observations, **columns, indices=places, probabilities=probabilities)

    def _observations(self, out: Any, batch: int, length: int) -> Array:
        """Return the array for observations of windows.

        Args:
            out: The caller's array, which is checked; None: a new one.
            batch: How many windows.
            length: Steps of a window.
        """
        shape, dtype = (batch, length + 1, *self._observation_shape), self._observation_dtype
        if out is None:
            return np.empty(shape, dtype)
        kind = type(out).__name__
        if isinstance(out, np.ndarray) and not isinstance(out, np.ma.MaskedArray):
            # A class of the user's may say what is not so.
            array: Array = out if type(out) is np.ndarray else np.ndarray.view(out, np.ndarray)
            contiguous, writeable = array.flags.c_contiguous, array.flags.writeable
            if array.dtype == dtype and array.shape == shape and contiguous and writeable:
                return array
            kind = f"{array.dtype} {array.shape}"
            kind += ("" if contiguous else ", not contiguous") + (
                "" if writeable else ", read-only"
            )
        raise ValueError(
            f"out must be an array of {dtype} {shape}, contiguous and writeable, not {kind}"
        )


def step_shapes(header: Header) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a step's columns; those of one player have no axis of players."""
    alone = header.layer == "single" or (
        header.layer == "vector" and header.options["num_players"] is None
    )
    players = () if alone else (header.players,)
    position = (3,) if header.continuous and header.layer != "console" else ()
    return {
        "actions": (*players, *position),
        "rewards": players,
        "terminations": players,
        "truncations": (),
    }


def _draw(
    weights: npt.NDArray[np.float64] | None, count: int, batch: int, rng: np.random.Generator
) -> tuple[Numbers, npt.NDArray[np.float64]]:
    """Draw places with replacement, and return the probability of each.

    Args:
        weights: Of each place; None: all are as likely.
        count: How many places there are, at least 1.
        batch: How many to draw.
        rng: Draws them.
    """
    if weights is None:
        return rng.integers(count, size=batch), np.full(batch, 1 / count)
    largest = weights.max(initial=0)
    if not largest > 0:
        raise ValueError("the weights of all windows are 0: give some windows a weight above 0")
    weights = weights / largest  # whose sum may be more than there are numbers for
    sums = np.cumsum(weights)
    total = sums[-1]
    places = np.searchsorted(sums, rng.random(batch) * total, "right")
    # What was drawn may round up to the sum of all.
    places = np.minimum(places, np.flatnonzero(weights)[-1])
    return places, weights[places] / total


def _generator(rng: Any) -> np.random.Generator:
    """Return the generator that draws windows; a new one for None."""
    if rng is None:
        return np.random.default_rng()
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng must be a generator of NumPy, such as np.random.default_rng(0), not {rng!r}"
        )
    return rng


def _batch(batch: Any, length: int, shape: tuple[int, ...]) -> int:
    """Return the number of windows to draw: no more than arrays can be made for.

    Args:
        batch: The argument.
        length: Steps of a window.
        shape: Of an observation.
    """
    return integer("batch", batch, 1, sys.maxsize // (8 * (length + 1) * math.prod(shape)))
