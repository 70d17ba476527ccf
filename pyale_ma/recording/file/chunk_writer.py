"""`ChunkWriter`: gathers steps, and writes them in chunks to the file of a recording."""

from __future__ import annotations

import contextlib
import json
import os
import reprlib
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pyale_ma._base.arguments import flag, integer
from pyale_ma._base.fields import short
from pyale_ma._base.files import check_free, put_in_place
from pyale_ma._base.text import printable
from pyale_ma.recording.file.format import (
    MOST_CHECKS,
    MOST_DEEP,
    MOST_ENTRIES,
    MOST_JSON,
    MOST_LISTED,
    MOST_RESETS,
    Fields,
    Header,
    RecordingError,
    check_header,
    deep,
    environments_reset,
    listed_in_reset,
    member,
)
from pyale_ma.recording.file.zip_writer import Member, ZipWriter, array_member, json_member

_STEPS_PER_CHUNK = 4096
_TOO_DEEP = f"metadata has lists and dicts more than {MOST_DEEP} deep within each other"
_BUFFERED = 2**19  # steps times environments times players, unless the user says another


def _plain_metadata(metadata: Any) -> dict[str, Any]:
    """A copy of metadata, as JSON has it.

    Raises:
        TypeError: It is not a dict of what JSON can say.
        ValueError: It has NaN or Infinity, two keys that are the same text in JSON (as 1 and "1"
            are), or is nested too deep.
    """
    if not isinstance(metadata, (dict, type(None))):
        raise TypeError(f"metadata must be a dict, not {short(reprlib.repr(metadata))}")
    try:
        text = json.dumps(metadata or {}, allow_nan=False)
        plain: dict[str, Any] = json.loads(text, object_pairs_hook=_different)
    except (TypeError, ValueError) as problem:
        kind = TypeError if isinstance(problem, TypeError) else ValueError
        raise kind(f"metadata is not what JSON can say: {printable(problem)}") from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if deep(plain):
        raise ValueError(_TOO_DEEP)
    return plain


def _different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    different = dict(pairs)
    if len(different) < len(pairs):
        names = Counter(name for name, _ in pairs)
        twice = printable(repr(names.most_common(1)[0][0]))
        raise ValueError(f"two keys that are {twice} in JSON")
    return different


@dataclass
class FileOptions:
    """Options of a recording's files, which are checked; see `pyale_ma.recording.record`.

    Attributes:
        check_every: Steps after which RAM is requested.
        steps_per_chunk: Steps that are written at a time.
        keyframes: Whether each chunk begins with a saved state.
        metadata: For readers, as JSON has it.
        overwrite: Whether to replace files that are there.
    """

    check_every: int
    steps_per_chunk: int | None
    keyframes: bool
    metadata: dict[str, Any] | None
    overwrite: bool

    def __post_init__(self) -> None:
        self.metadata = _plain_metadata(self.metadata)
        self.check_every = integer("check_every", self.check_every, 1)
        if self.steps_per_chunk is not None:
            self.steps_per_chunk = integer("steps_per_chunk", self.steps_per_chunk, 1)
        self.overwrite = flag("overwrite", self.overwrite)


class ChunkWriter:
    """Writes the steps of an environment, or of a vector, in chunks.

    Args:
        path: The new file.
        header: What is played.
        row: The shape of a step's rewards, as the environment has them.
        options: See `FileOptions`.
        stride: Steps that come together; the numbers of steps in the options are rounded up to
            multiples of it.

    Attributes:
        path: The file.
        count: Number of steps in the chunk that is not written yet.

    Raises:
        RecordingError: The header is larger than a file may have it, or `stride` than a chunk.
        FileExistsError: There is a file of this name.
        OSError: The file cannot be written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        header: Header,
        row: tuple[int, ...],
        options: FileOptions,
        stride: int = 1,
    ) -> None:
        text = json.dumps(header.as_json())
        check_header(Fields("the environment", json.loads(text)))
        if len(text) > MOST_JSON:
            raise RecordingError(
                f"metadata makes a header of {len(text)} bytes; it may have {MOST_JSON}"
            )
        self.path = Path(path)
        self._file = Path(os.path.realpath(path))  # wherever the process is at the end
        self._header = header
        self._check_every = -(-options.check_every // stride) * stride
        self._size = self._size_of(options.steps_per_chunk, stride)
        self._make_columns(row)
        self._begin: tuple[bytes, dict[str, Any]] | None
        self._first = self.count = 0
        self._written = 0  # chunks
        self._resets_before = self._listed_before = 0  # of the chunks in the file
        self._new_chunk()
        self._begin_file(options.overwrite)

    def _size_of(self, steps_per_chunk: int | None, stride: int) -> int:
        """Return the steps of a chunk, no more than a file may have."""
        header = self._header
        each = header.envs * header.players
        usual = min(_STEPS_PER_CHUNK, max(1, _BUFFERED // each))
        size = min(
            -(-(usual if steps_per_chunk is None else steps_per_chunk) // stride) * stride,
            MOST_ENTRIES // each // stride * stride,
            self._check_every * max(1, MOST_CHECKS // header.envs - 1),
        )
        if not size:
            raise RecordingError(
                f"{stride} steps of {header.envs} environments come at a time; at most "
                f"{MOST_ENTRIES // each} can be recorded"
            )
        return size

    def _make_columns(self, row: tuple[int, ...]) -> None:
        """Make the memory of a chunk, and views of it with the environment's own shapes."""
        header = self._header
        shapes = header.shapes(self._size, 0)
        self._columns: dict[str, Any] = {
            name: np.zeros(*shape) for name, shape in shapes.items() if name != "ram"
        }
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

    def _begin_file(self, overwrite: bool) -> None:
        """Write the header to a new file, which then takes the place of an earlier one."""
        check_free(self.path, overwrite=overwrite)
        replaces = overwrite and self._file.is_file()
        if replaces and sys.platform == "win32":  # where an open file cannot be moved
            self._file.unlink()
            replaces = False
        # The earlier file stays until there is something to replace it by.
        place = self._file.with_name(f".writing-{os.getpid()}-{self._file.name}")
        place = place if replaces else self._file
        try:
            self._writer = ZipWriter(place)
        except FileExistsError:  # such as a pipe
            raise FileExistsError(f"there is a file {printable(self.path)} already") from None
        try:
            with self._writer.whole():
                self._writer.add([json_member("recording.json", self._header.as_json())])
                if replaces:
                    put_in_place(place, self._file, overwrite=True)
        except BaseException:
            self.discard()
            if replaces:
                place.unlink(missing_ok=True)
            raise

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return self._first + self.count

    @property
    def failed(self) -> bool:
        """Whether the file could not be written; it ends with its last whole chunk then."""
        return self._writer.failed

    @property
    def begins_chunk(self) -> bool:
        """Whether what comes next is the first of a chunk."""
        return not self.count and not self._resets

    @property
    def is_at_start(self) -> bool:
        """Whether what comes next starts from a state that no written chunk has."""
        return self.begins_chunk and self._begin is not None and self._begin[1]["kind"] == "start"

    @property
    def is_full(self) -> bool:
        """Whether the chunk may have no further steps."""
        return self.count == self._size

    def place_after(self, steps: int) -> int:
        """Return the next step's place in its chunk after this number of further ones."""
        return (self.count + steps) % self._size

    def is_due_after(self, steps: int) -> bool:
        """Whether `check` will be due after this number of further steps."""
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
        self._begin = state, {"kind": kind, "episode": episode, **extra}

    def _kept(self, alone: bool) -> int:
        """Count the resets that stay with a further one, which may depend on nothing before."""
        kept = len(self._resets)
        while alone and kept and self._resets[kept - 1].entry["step"] == self.count:
            kept -= 1
        return kept

    def may_reset(self, entry: dict[str, Any], alone: bool) -> bool:
        """Whether a reader allows a further reset after this number of steps."""
        noted = self._noted(entry, self._kept(alone))
        most = MOST_RESETS + self.steps * self._header.envs
        return noted.envs <= most and noted.listed <= MOST_LISTED

    def has_most_resets(self, alone: bool) -> bool:
        """Whether the chunk may have no further resets."""
        return self._kept(alone) * self._header.envs >= MOST_RESETS

    def _noted(self, entry: dict[str, Any], kept: int) -> _Noted:
        """A further reset after those that are kept."""
        envs, listed = self._resets_before, self._listed_before
        if kept:
            _, envs, listed = self._resets[kept - 1]
        envs += environments_reset(entry, self._header.envs)
        return _Noted({"step": self.count, **entry}, envs, listed + listed_in_reset(entry))

    def reset(self, entry: dict[str, Any], alone: bool = False) -> None:
        """Add a reset, before the next step.

        Args:
            entry: What it was given.
            alone: Whether nothing depends on the resets that come just before.
        """
        kept = self._kept(alone)
        self._resets[kept:] = [self._noted(entry, kept)]

    def add(
        self,
        actions: Any,
        rewards: Any,
        terminations: Any,
        truncations: Any,
        strengths: Any = None,
    ) -> bool:
        """Add a step.  Whether `check` is to be called now."""
        if self.count == self._size:  # after an interrupt
            self.flush(None)
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
        self.count = count = count + 1  # from here on it is there
        return count % self._check_every == 0 or count == self._size

    def check(self, rams: Any) -> None:
        """Keep RAM as it is after the last step; a chunk that is full is written."""
        if self.is_full:
            self.flush(rams)
        else:
            self._checks.append((self.count, np.array(rams)))

    # ---- Chunks ----------------------------------------------------------------------------------

    def _new_chunk(self) -> None:
        self.count = 0
        self._resets: list[_Noted] = []
        self._checks: list[tuple[int, Any]] = []
        self._begin = None

    def flush(self, rams: Any | None) -> None:
        """Write the chunk as far as it is.

        Args:
            rams: RAM as the last step or reset left it; None: it is another now.

        Raises:
            RecordingError: An earlier chunk was not written whole.
            OSError: It cannot be written.
        """
        if not self.begins_chunk:
            members = self._members(rams)
            with self._writer.whole():
                self._writer.add(members)
                self._written += 1
                self._first += self.count
                if self._resets:
                    _, self._resets_before, self._listed_before = self._resets[-1]
                self._new_chunk()
        self._new_chunk()

    def _members(self, rams: Any | None) -> list[Member]:
        """The chunk as it will be in the file."""
        place = self._written  # after the header
        arrays = {name: column[: self.count] for name, column in self._columns.items()}
        kept = [ram for _, ram in self._checks]
        if rams is not None:
            kept.append(np.array(rams))
        shape = self._header.shapes(0, len(kept))["ram"][0]
        arrays["ram"] = np.array(kept, np.uint8).reshape(shape)
        state, begin = self._begin or (b"", None)
        if begin:
            arrays["state"] = np.frombuffer(state, np.uint8)
        chunk = {
            "steps": self.count,
            "resets": [noted.entry for noted in self._resets],
            "checks": [count for count, _ in self._checks],
            "final": rams is not None,
            "begin": begin,
        }
        members = [array_member(member(place, f"{name}.npy"), it) for name, it in arrays.items()]
        members.append(json_member(member(place, "chunk.json"), chunk))
        return members

    # ---- The end ---------------------------------------------------------------------------------

    def close(self, screens: list[str] | None = None) -> None:
        """Write what is left, if that is possible, and close the file.

        Args:
            screens: SHA-256 of each environment's last screen; []: they are not known; None: the
                recording has no end.

        Raises:
            OSError: It cannot be written.
            RecordingError: Another file has taken its place, or it was removed.
        """
        try:
            if not (self.failed or self._writer.closed):
                is_there = self._writer.is_at(self._file)
                self.flush(None)
                if screens is not None:
                    end = {"steps": self.steps, "screens": screens}
                    with self._writer.whole():
                        self._writer.add([json_member("end.json", end)])
                if not is_there:
                    raise RecordingError(
                        f"{printable(self.path)} is not the file any more that was written: it was "
                        "removed, replaced or moved meanwhile"
                    )
        finally:
            self._writer.close()

    def discard(self) -> None:
        """Remove the file."""
        is_there = self._writer.is_at(self._file)
        self._writer.failed = True
        self._writer.close()
        if is_there:
            with contextlib.suppress(OSError):
                self._file.unlink()


class _Noted(NamedTuple):
    """A reset, how many environments all resets until then reset, and how much they list."""

    entry: dict[str, Any]
    envs: int
    listed: int
