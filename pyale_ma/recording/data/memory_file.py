"""The file of a `SequenceMemory`: the steps of a `MemoryTimeline`, written and read."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pyale_ma._base.container import Container
from pyale_ma._base.fields import Fields as JsonFields
from pyale_ma._base.files import NotAFileError
from pyale_ma._base.text import printable
from pyale_ma.recording.data.memory_timeline import MOST_RESETS, MOST_STEP, MemoryTimeline
from pyale_ma.recording.file.format import (
    MOST_STATE,
    Fields,
    Header,
    RecordingError,
    check_header,
)
from pyale_ma.recording.replay.timelines import Packed, Reset
from pyale_ma.recording.replay.windows import Array

_FLAGS = ("fresh", "reset_only", "breaks")
_FILE = Container("a file of a SequenceMemory", "pyale_ma memory 2", Fields)


def save_timeline(
    timeline: MemoryTimeline,
    every: int,
    weights: npt.NDArray[np.float64] | None,
    path: str | os.PathLike[str],
) -> None:
    """Write what is kept to a file.

    Args:
        timeline: What is kept.
        every: Steps from keyframe to keyframe, for those who read the file.
        weights: Of its steps; None: 1.
        path: The file.
    """
    rows = timeline.rows(np.arange(timeline.first, timeline.count))
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
    tree = {
        "recording": timeline.header.as_json(),
        "room": timeline.room,
        "count": timeline.count,
        "keyframe_every": every,
        "columns": {name: column[rows] for name, column in timeline.columns.items()},
        "flags": {name: getattr(timeline, name)[rows] for name in _FLAGS},
        "weights": None if weights is None else weights[rows],
        "resets": np.array(resets, np.int64).reshape(-1, 5),
        "keyframes": np.array(keyframes, np.int64).reshape(-1, 4),
        "base_sizes": [len(base) for base in bases],
        "bases": np.frombuffer(b"".join(bases), np.uint8),
        "packed": np.frombuffer(b"".join(parts), np.uint8),
    }
    _FILE.write(path, tree)


def load_timeline(
    timeline: MemoryTimeline, path: str | os.PathLike[str]
) -> npt.NDArray[np.float64] | None:
    """Fill a new timeline from a file, and return the weights of its steps.

    Raises:
        RecordingError: The file is none, damaged, or of another vector.
    """
    try:
        fields = _FILE.read(path)
    except NotAFileError as error:
        raise RecordingError(str(error)) from None
    fields.place = printable(path)
    envs = timeline.header.envs
    header = check_header(Fields(f"{fields.place}: recording", fields.object("recording")))
    for name, ours, theirs in _both(timeline.header, header):
        if ours != theirs:
            raise RecordingError(
                f"{fields.place} is of another vector: {name} is {printable(repr(theirs))[:200]}, "
                f"of this one it is {printable(repr(ours))[:200]}"
            )
    if fields.integer("room", 1, MOST_STEP) != timeline.room:
        fields.refuse("room", f"{timeline.room}, the capacity for each environment of this memory")
    count = timeline.count = fields.integer("count", 0, MOST_STEP)
    rows = timeline.rows(np.arange(timeline.first, count))
    columns, flags = fields.inside("columns"), fields.inside("flags")
    for name, (shape, dtype) in header.shapes(len(rows), 0).items():
        if name in timeline.columns:
            timeline.columns[name][rows] = columns.array(name, dtype.newbyteorder("="), shape)
    for name in _FLAGS:
        getattr(timeline, name)[rows] = flags.array(name, np.bool_, (len(rows), envs))
    _load_resets(timeline, fields)
    _load_keyframes(timeline, fields)
    if fields.values.get("weights") is None:
        return None
    weights = np.ones(timeline.fresh.shape)
    weights[rows] = fields.array("weights", np.float64, (len(rows), envs))
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise _damaged(fields, "a weight is negative or no number")
    return weights


def _damaged(fields: JsonFields, problem: str) -> RecordingError:
    return RecordingError(f"{fields.place}: {problem}; the file is damaged")


def _both(one: Header, other: Header) -> Iterator[tuple[str, Any, Any]]:
    """Yield the settings that make two vectors, name by name."""
    for name in ("games", "game_of_env", "players", "continuous"):
        yield name, getattr(one, name), getattr(other, name)
    for name in sorted(one.options.keys() | other.options.keys()):
        yield name, one.options.get(name), other.options.get(name)


def _table(fields: JsonFields, name: str, width: int, most: int) -> Array:
    """Return a table with at most this number of rows."""
    table = fields.array(name, np.int64, (None, width))
    if len(table) > most:
        fields.refuse(name, f"a table of at most {most} rows")
    return table


def _moments(timeline: MemoryTimeline) -> int:
    """Return the most events that an environment has between two steps, of all that are kept."""
    return (timeline.count - timeline.first + 1) * timeline.header.envs


def _load_resets(timeline: MemoryTimeline, fields: JsonFields) -> None:
    envs = timeline.header.envs
    table = _table(fields, "resets", 5, _moments(timeline) * MOST_RESETS)
    for time, env, seed, mode, difficulty in map(np.ndarray.tolist, table):
        if not (
            timeline.first <= time <= timeline.count
            and 0 <= env < envs
            and -1 <= seed < 2**32
            and 0 <= mode < 2**31
            and 0 <= difficulty < 2**31
        ):
            raise _damaged(fields, f"a reset is {[time, env, seed, mode, difficulty]}")
        before = timeline.resets[env].setdefault(time, [])
        if len(before) == MOST_RESETS or (before and seed >= 0):  # which begins anew
            raise _damaged(fields, f"before step {time} it has resets that nobody keeps")
        before.append(Reset(None if seed < 0 else seed, mode, difficulty))


def _sum_of_sizes(fields: JsonFields, sizes: Array) -> int:
    wrong = (sizes < 1) | (sizes > 2 * MOST_STATE)  # which deflate may make a little longer
    if wrong.any():
        raise _damaged(fields, f"a keyframe has {sizes[wrong][0]} bytes")
    return int(sizes.sum())


def _load_keyframes(timeline: MemoryTimeline, fields: JsonFields) -> None:
    table = _table(fields, "keyframes", 4, _moments(timeline))
    sizes = fields.integers("base_sizes", len(table), 1, MOST_STATE)
    unused = set(range(len(sizes))).difference(table[:, 3].tolist())
    if unused:
        raise _damaged(fields, f"no keyframe uses base {min(unused)}")
    stored = fields.array("bases", np.uint8, (sum(sizes),)).tobytes()
    ends = np.cumsum([0, *sizes]).tolist()
    bases = [stored[start:stop] for start, stop in itertools.pairwise(ends)]
    size = _sum_of_sizes(fields, table[:, 2])
    packed = fields.array("packed", np.uint8, (size,)).tobytes()
    at = 0
    for env, time, size, base in map(np.ndarray.tolist, table):
        if not (
            0 <= env < timeline.header.envs
            and timeline.first <= time <= timeline.count
            and time not in timeline.keyframes[env]
            and -1 <= base < len(bases)
        ):
            raise _damaged(fields, f"a keyframe is {[env, time, size, base]}")
        data = packed[at : at + size]
        timeline.keyframes[env][time] = Packed(data, bases[base] if base >= 0 else b"")
        at += size
    for env, resets in enumerate(timeline.resets):
        seeded = {time for time, each in resets.items() if each[0].seed is not None}
        for time in seeded & timeline.keyframes[env].keys():
            del timeline.keyframes[env][time]
        timeline.anchors[env] = sorted(seeded | timeline.keyframes[env].keys())
