"""The file of a `SequenceMemory`: the steps of a `MemoryTimeline`, written and read."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pyale_ma._base.files import written_aside
from pyale_ma._base.text import printable
from pyale_ma.recording.data.memory_timeline import MOST_RESETS, MOST_STEP, MemoryTimeline
from pyale_ma.recording.file.format import (
    MOST_STATE,
    Fields,
    Header,
    RecordingError,
    check_header,
)
from pyale_ma.recording.file.reader import Reader
from pyale_ma.recording.file.zip_writer import ZipWriter, array_member, json_member
from pyale_ma.recording.replay.timelines import Reset
from pyale_ma.recording.replay.windows import Array, Packed

FORMAT, FORMAT_VERSION = "pyale_ma memory", 1
_FLAGS = ("fresh", "reset_only", "breaks")


def save_timeline(
    timeline: MemoryTimeline,
    every: int,
    weights: npt.NDArray[np.float64] | None,
    path: str | os.PathLike[str],
) -> None:
    """Write what is kept to a file, as a zip of JSON and arrays.

    Args:
        timeline: What is kept.
        every: Steps from keyframe to keyframe, for those who read the file.
        weights: Of its steps; None: 1.
        path: The file.
    """
    times = np.arange(timeline.first, timeline.count)
    rows = timeline.rows(times)
    bases: dict[bytes, int] = {}
    keyframes, parts = [], []
    for env, kept in enumerate(timeline.keyframes):
        for time, packed in sorted(kept.items()):
            base = bases.setdefault(packed.base, len(bases)) if packed.base else -1
            keyframes.append((env, time, len(packed.data), base))
            parts.append(packed.data)
    resets = [
        (time, env, -1 if reset.seed is None else reset.seed, reset.mode, reset.difficulty)
        for env, each in enumerate(timeline.resets)
        for time, several in sorted(each.items())
        for reset in several
    ]
    fields = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "recording": timeline.header.as_json(),
        "room": timeline.room,
        "count": timeline.count,
        "keyframe_every": every,
        "keyframes": len(keyframes),
        "resets": len(resets),
        "bases": [len(base) for base in bases],
        "weighted": weights is not None,
    }
    with written_aside(path) as aside:
        writer = ZipWriter(aside)
        try:
            writer.add([json_member("memory.json", fields)])
            for name, column in timeline.columns.items():
                writer.add([array_member(f"{name}.npy", column[rows])])
            for name in _FLAGS:
                writer.add([array_member(f"{name}.npy", getattr(timeline, name)[rows])])
            if weights is not None:
                writer.add([array_member("weights.npy", weights[rows])])
            for name, numbers in (
                ("resets", np.array(resets, np.int64).reshape(-1)),
                ("keyframes", np.array(keyframes, np.int64).reshape(-1)),
                ("bases", np.frombuffer(b"".join(bases), np.uint8)),
                ("packed", np.frombuffer(b"".join(parts), np.uint8)),
            ):
                writer.add([array_member(f"{name}.npy", numbers)])
        except BaseException:
            writer.failed = True
            raise
        finally:
            writer.close()


class _Members(Reader):
    """The members of another file than a recording, read with the same checks."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path, self.name = Path(path), printable(path)
        self._entries = self._scan()
        if "memory.json" not in self._entries:
            raise RecordingError(f"{self.name} is no file of a SequenceMemory")
        self.fields = self._fields("memory.json")

    def array(self, name: str, shape: tuple[int | None, ...], dtype: npt.DTypeLike) -> Array:
        """An array of this shape."""
        if f"{name}.npy" not in self._entries:
            self._missing(f"{name}.npy")
        return self._array(f"{name}.npy", shape, np.dtype(dtype))

    def refuse(self, what: str) -> RecordingError:
        """Return an error that says what is wrong with the file."""
        return RecordingError(f"{self.name}: {what}; the file is damaged")


def load_timeline(
    timeline: MemoryTimeline, path: str | os.PathLike[str]
) -> npt.NDArray[np.float64] | None:
    """Fill a new timeline from a file, and return the weights of its steps.

    Raises:
        RecordingError: The file is none, damaged, or of another vector.
    """
    members = _Members(path)
    fields, envs = members.fields, timeline.header.envs
    fields.one_of("format", (FORMAT,))
    fields.integer("version", 1, FORMAT_VERSION)
    header = check_header(Fields(f"{fields.place}: recording", fields.object("recording")))
    for name, ours, theirs in _both(timeline.header, header):
        if ours != theirs:
            raise RecordingError(
                f"{members.name} is of another vector: {name} is {printable(repr(theirs))[:200]}, "
                f"of this one it is {printable(repr(ours))[:200]}"
            )
    if fields.integer("room", 1, MOST_STEP) != timeline.room:
        fields.refuse("room", f"{timeline.room}, the capacity for each environment of this memory")
    count = timeline.count = fields.integer("count", 0, MOST_STEP)
    times = np.arange(timeline.first, count)
    rows, length = timeline.rows(times), len(times)
    for name, (shape, dtype) in header.shapes(length, 0).items():
        if name in timeline.columns:
            timeline.columns[name][rows] = members.array(name, shape, dtype)
    for name in _FLAGS:
        getattr(timeline, name)[rows] = members.array(name, (length, envs), np.bool_)
    _load_resets(timeline, members)
    _load_keyframes(timeline, members)
    if not fields.boolean("weighted"):
        return None
    weights = np.ones(timeline.fresh.shape)
    weights[rows] = members.array("weights", (length, envs), np.float64)
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise members.refuse("a weight is negative or no number")
    return weights


def _both(one: Header, other: Header) -> Iterator[tuple[str, Any, Any]]:
    """Yield the settings that make two vectors, name by name."""
    for name in ("games", "game_of_env", "players", "continuous"):
        yield name, getattr(one, name), getattr(other, name)
    for name in sorted(one.options.keys() | other.options.keys()):
        yield name, one.options.get(name), other.options.get(name)


def _table(members: _Members, name: str, width: int, most: int) -> Array:
    count = members.fields.integer(name, 0, most)
    return members.array(name, (count * width,), np.int64).reshape(-1, width)


def _moments(timeline: MemoryTimeline) -> int:
    """Return the most events that an environment has between two steps, of all that are kept."""
    return (timeline.count - timeline.first + 1) * timeline.header.envs


def _load_resets(timeline: MemoryTimeline, members: _Members) -> None:
    envs = timeline.header.envs
    table = _table(members, "resets", 5, _moments(timeline) * MOST_RESETS)
    for time, env, seed, mode, difficulty in map(np.ndarray.tolist, table):
        if not (
            timeline.first <= time <= timeline.count
            and 0 <= env < envs
            and -1 <= seed < 2**32
            and 0 <= mode < 2**31
            and 0 <= difficulty < 2**31
        ):
            raise members.refuse(f"a reset is {[time, env, seed, mode, difficulty]}")
        before = timeline.resets[env].setdefault(time, [])
        if len(before) == MOST_RESETS or (before and seed >= 0):  # which begins anew
            raise members.refuse(f"before step {time} it has resets that nobody keeps")
        before.append(Reset(None if seed < 0 else seed, mode, difficulty))


def _sum_of_sizes(members: _Members, sizes: Array) -> int:
    wrong = (sizes < 1) | (sizes > 2 * MOST_STATE)  # which deflate may make a little longer
    if wrong.any():
        raise members.refuse(f"a keyframe has {sizes[wrong][0]} bytes")
    return int(sizes.sum())


def _load_keyframes(timeline: MemoryTimeline, members: _Members) -> None:
    table = _table(members, "keyframes", 4, _moments(timeline))
    sizes = members.fields.integers("bases", len(table), 1, MOST_STATE)
    unused = set(range(len(sizes))).difference(table[:, 3].tolist())
    if unused:
        raise members.refuse(f"no keyframe uses base {min(unused)}")
    stored = members.array("bases", (sum(sizes),), np.uint8).tobytes()
    ends = np.cumsum([0, *sizes]).tolist()
    bases = [stored[start:stop] for start, stop in itertools.pairwise(ends)]
    packed = members.array("packed", (_sum_of_sizes(members, table[:, 2]),), np.uint8).tobytes()
    at = 0
    for env, time, size, base in map(np.ndarray.tolist, table):
        if not (
            0 <= env < timeline.header.envs
            and timeline.first <= time <= timeline.count
            and time not in timeline.keyframes[env]
            and -1 <= base < len(bases)
        ):
            raise members.refuse(f"a keyframe is {[env, time, size, base]}")
        data = packed[at : at + size]
        timeline.keyframes[env][time] = Packed(data, bases[base] if base >= 0 else b"")
        at += size
    for env, resets in enumerate(timeline.resets):
        seeded = {time for time, each in resets.items() if each[0].seed is not None}
        for time in seeded & timeline.keyframes[env].keys():
            del timeline.keyframes[env][time]
        timeline.anchors[env] = sorted(seeded | timeline.keyframes[env].keys())
