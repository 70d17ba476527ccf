"""The file of a recording while it grows: steps come in one by one, chunks of them go out."""

from __future__ import annotations

import contextlib
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from pyale_ma.arguments import integer
from pyale_ma.recording.format import (
    MOST_CHECKS,
    MOST_ENTRIES,
    MOST_JSON,
    MOST_RESETS,
    Fields,
    Header,
    RecordingError,
    Writer,
    check_header,
    environments_reset,
    member,
)
from pyale_ma.text import printable

_STEPS_PER_CHUNK = 4096
_BUFFERED = 2**19  # steps times environments times players, unless the user says another


def plain_metadata(metadata: Any) -> dict[str, Any]:
    """A copy of metadata, as JSON has it.

    Raises:
        TypeError: It is no dict of what JSON can say.
        ValueError: It has NaN or Infinity.
    """
    if not isinstance(metadata, (dict, type(None))):
        raise TypeError(f"metadata must be a dict, not {metadata!r}")
    try:
        plain: dict[str, Any] = json.loads(json.dumps(metadata or {}, allow_nan=False))
    except (TypeError, ValueError):
        with contextlib.suppress(RecursionError):  # of what holds itself, as the first error says
            _refuse("metadata", metadata)
        raise
    return plain


def _refuse(place: str, value: Any) -> None:
    """Say which value JSON lacks, wherever in lists and dicts it is."""
    if isinstance(value, dict):
        for key, inside in value.items():
            if not isinstance(key, (str, int, float, type(None))):
                raise TypeError(f"{place} has the key {printable(repr(key))}; keys must be texts")
            _refuse(f"{place}[{printable(repr(key))}]", inside)
    elif isinstance(value, (list, tuple)):
        for number, inside in enumerate(value):
            _refuse(f"{place}[{number}]", inside)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{place} is {value}; it must be finite, as JSON's numbers are")
    elif not isinstance(value, (str, int, float, type(None))):
        raise TypeError(
            f"{place} is of type {type(value).__name__}; it must be what JSON can say: a text, a "
            "number, true, false, null, a list or a dict of these"
        )


class ChunkWriter:
    """Writes the steps of an environment, or of a vector, in chunks.

    Args:
        path: The new file.
        header: What is played.
        row: The shape of a step's rewards, as the environment has them.
        check_every: After so many steps RAM is wanted.
        steps_per_chunk: Steps that are written at a time; None: as `record` says.
        stride: Steps that come together; the two numbers are rounded up to whole ones of these.

    Attributes:
        path: The file.
        steps: Number of steps so far.
        count: Of these, those in the chunk that is not written yet.

    Raises:
        RecordingError: The header is larger than a file may have it, or `stride` than a chunk.
        FileExistsError: There is a file of this name.
        OSError: The file cannot be written.
        TypeError: A number is not whole.
        ValueError: A number is below 1.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        header: Header,
        row: tuple[int, ...],
        check_every: int,
        steps_per_chunk: int | None,
        stride: int = 1,
    ) -> None:
        check_every = integer("check_every", check_every, 1)
        if steps_per_chunk is not None:
            steps_per_chunk = integer("steps_per_chunk", steps_per_chunk, 1)
        told = json.dumps(header.as_json())
        check_header(Fields("the environment", json.loads(told)))
        if len(told) > MOST_JSON:
            raise RecordingError(
                f"metadata makes a header of {len(told)} bytes; it may have {MOST_JSON}"
            )
        self.path = Path(path)
        self._header = header
        each = header.envs * header.players
        self._check_every: int = -(-check_every // stride) * stride
        usual = min(_STEPS_PER_CHUNK, max(1, _BUFFERED // each))
        self._size: int = min(
            -(-(usual if steps_per_chunk is None else steps_per_chunk) // stride) * stride,
            MOST_ENTRIES // each // stride * stride,
            self._check_every * max(1, MOST_CHECKS // header.envs - 1),
        )
        if not self._size:
            raise RecordingError(
                f"{stride} steps of {header.envs} environments come at a time; at most "
                f"{MOST_ENTRIES // each} can be recorded"
            )
        shapes = header.shapes(self._size, 0)
        self._columns: dict[str, Any] = {
            name: np.zeros(*shape) for name, shape in shapes.items() if name != "ram"
        }
        # As the environment has them.
        row_shapes = {
            "actions": (*row, *shapes["actions"][0][3:]),
            "rewards": row,
            "terminations": row,
            "truncations": row[:1] if header.layer == "vector" else (),
        }
        self._rows = [
            self._columns[name].reshape(self._size, *shape) for name, shape in row_shapes.items()
        ]
        self._strengths = self._columns.get("strengths")
        self.steps = self.count = 0
        self._chunks = 0
        self._reset_envs = 0  # environments, by all resets
        self._state = b""
        self._begin: dict[str, Any] | None = None
        self._new_chunk()
        try:
            self._writer = Writer(path)
        except FileExistsError:
            raise FileExistsError(f"there is a file {printable(path)} already") from None
        try:
            self._writer.json("recording.json", header.as_json())
        except BaseException:
            self.discard()
            raise

    @property
    def failed(self) -> bool:
        """Whether the file could not be written; it ends with its last whole chunk then."""
        return self._writer.failed

    @property
    def begins_chunk(self) -> bool:
        """Whether what comes next is the first of a chunk."""
        return not self.count and not self._resets

    @property
    def has_most_resets(self) -> bool:
        """Whether the chunk may have no further resets."""
        return len(self._resets) * self._header.envs >= MOST_RESETS

    @property
    def is_full(self) -> bool:
        """Whether the chunk may have no further steps."""
        return self.count == self._size

    def place_after(self, steps: int) -> int:
        """Where in its chunk the next step will be after so many further ones."""
        return (self.count + steps) % self._size

    def is_due_after(self, steps: int) -> bool:
        """Whether `check` will be due after so many further steps."""
        return self.place_after(steps) % self._check_every == 0

    # ---- What is played --------------------------------------------------------------------------

    def begin(self, kind: str, state: bytes, extra: dict[str, Any], episode: bool = False) -> None:
        """Have the next chunk begin with a state.

        Args:
            kind: "start" or "keyframe".
            state: The state.
            extra: What goes with it.
            episode: Whether an episode starts with it.
        """
        self._state = state
        self._begin = {"kind": kind, "episode": episode, **extra}

    def may_reset(self, entry: dict[str, Any]) -> bool:
        """Whether a reader allows a further reset after so many steps."""
        most = MOST_RESETS + self.steps * self._header.envs
        return self._reset_envs + environments_reset(entry, self._header.envs) <= most

    def reset(self, entry: dict[str, Any]) -> None:
        """Add a reset, before the next step."""
        self._resets.append({"step": self.count, **entry})
        self._reset_envs += environments_reset(entry, self._header.envs)

    def forget_resets(self) -> None:
        """Take back the resets before the next step: nothing will depend on them."""
        while self._resets and self._resets[-1]["step"] == self.count:
            self._reset_envs -= environments_reset(self._resets.pop(), self._header.envs)

    def add(
        self,
        actions: Any,
        rewards: Any,
        terminations: Any,
        truncations: Any,
        strengths: Any = None,
    ) -> bool:
        """Add a step.  Whether `check` is to be called now."""
        count = self.count
        taken, gains, ends, cuts = self._rows
        taken[count], gains[count], ends[count], cuts[count] = (
            actions,
            rewards,
            terminations,
            truncations,
        )
        if self._strengths is not None:
            self._strengths[count, 0] = strengths
        self.count = count = count + 1
        self.steps += 1
        return count % self._check_every == 0 or count == self._size

    def check(self, rams: Any) -> None:
        """Keep RAM as it is after the last step; a chunk that is full is written."""
        if self.is_full:
            self.flush(rams)
        else:
            self._checks.append(self.count)
            self._rams.append(np.array(rams))

    # ---- Chunks ----------------------------------------------------------------------------------

    def _new_chunk(self) -> None:
        self.count = 0
        self._resets: list[dict[str, Any]] = []
        self._checks: list[int] = []
        self._rams: list[Any] = []
        self._begin = None

    def flush(self, rams: Any | None) -> None:
        """Write the chunk as far as it is.

        Args:
            rams: RAM as the last step or reset left it; None: it is another now.
        """
        if not self.begins_chunk:
            if rams is not None:
                self._rams.append(np.array(rams))
            try:
                self._write_chunk(rams is not None)
            except BaseException:  # such as an interrupt: what follows half a chunk is not read
                self._writer.failed = True
                raise
        self._new_chunk()

    def _write_chunk(self, final: bool) -> None:
        place = self._chunks
        arrays = {name: column[: self.count] for name, column in self._columns.items()}
        shape = self._header.shapes(0, len(self._rams))["ram"][0]
        arrays["ram"] = np.array(self._rams, np.uint8).reshape(shape)
        for name, array in arrays.items():
            self._writer.array(member(place, f"{name}.npy"), array)
        if self._begin:
            self._writer.array(member(place, "state.npy"), np.frombuffer(self._state, np.uint8))
        chunk = {
            "steps": self.count,
            "resets": self._resets,
            "checks": self._checks,
            "final": final,
            "begin": self._begin,
        }
        self._writer.json(member(place, "chunk.json"), chunk)
        self._chunks += 1

    # ---- The end ---------------------------------------------------------------------------------

    def end(self, screens: list[str]) -> None:
        """Say that the recording is complete; the last chunk was written.

        Args:
            screens: SHA-256 of each environment's last screen; []: they are not known.
        """
        self._writer.json("end.json", {"steps": self.steps, "screens": screens})

    def close(self) -> None:
        """Close the file, as it is."""
        self._writer.close()

    def discard(self) -> None:
        """Remove the file."""
        self._writer.failed = True
        self._writer.close()
        with contextlib.suppress(OSError):
            self.path.unlink()
