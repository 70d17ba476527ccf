"""Reads a recording's file, as if a stranger had written it.

The file is a zip whose members come one after the other: ``recording.json``, then those of each
chunk of steps, of which ``chunk.json`` is the last, then ``end.json``.  They are read in this order
by their own headers, so that a file whose writer was killed ends with its last complete chunk.
``web/recording.js`` reads it by the same rules, and docs/development/recording-file.md specifies
them.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
import numpy.typing as npt

from pyale_ma._base.fields import short
from pyale_ma._base.files import NotAFileError, open_file
from pyale_ma._base.text import printable
from pyale_ma.recording.file import npy
from pyale_ma.recording.file.format import (
    MOST_AT_ONCE,
    MOST_CHECKS,
    MOST_ENTRIES,
    MOST_INT,
    MOST_JSON,
    MOST_LISTED,
    MOST_MEMBER,
    MOST_RESETS,
    MOST_SEED,
    RESET_LISTED,
    UINT8,
    Chunk,
    Fields,
    RecordingError,
    check_header,
    environments_reset,
    least_state,
    listed_in_reset,
    member,
    other_version,
)
from pyale_ma.vector.options import OPTIONS as VECTOR_OPTIONS

_MEMBER = struct.Struct("<4s5H3I2H")
_DIRECTORY, _END = b"PK\x01\x02", b"PK\x05\x06"
_END_SIZE = 22
_STORED, _DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_PIECE = 2**18  # bytes that are unpacked at once of what is only looked at


class _DamagedError(RecordingError):
    """The bytes of a member are others than were written."""


@dataclass(frozen=True)
class _Entry:
    offset: int
    packed: int
    size: int
    crc: int
    method: int


class Reader:
    """Reads a file member by member, and no more than a member may have.

    Attributes:
        header: What was played.
        chunks: Its complete chunks.
        end: What ``end.json`` says; None: the writer did not come to its end.

    Raises:
        RecordingError: The file is not a recording, or one with a mistake.
        OSError: It cannot be read.
    """

    _stream: BinaryIO | None = None  # the file, while it is looked through

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.name = printable(path)
        if self.path.is_dir():
            inside = sorted(self.path.glob("*.zip"))
            if not inside:
                raise RecordingError(f"{self.name} is a folder without recordings (.zip files)")
            example = printable(inside[0])
            raise RecordingError(f"{self.name} is a folder: name a recording in it, as {example}")
        with self._open() as stream:
            self._stream = stream
            try:
                self._look_through(stream)
            finally:
                self._stream = None
        self.path = self.path.absolute()  # it is read again, wherever the process is then

    def _look_through(self, stream: BinaryIO) -> None:
        entries = self._scan()
        if not entries:
            stream.seek(0)
            begun = stream.read(4) in (b"", b"PK\x03\x04")
            if begun:
                raise RecordingError(
                    f"{self.name} has no whole entry: its writer was killed before it began"
                )
            raise RecordingError(f"{self.name} is no recording: it does not begin with a zip entry")
        names = list(entries)
        if names[0] != "recording.json":
            raise RecordingError(
                f"{self.name} is no recording: it begins with {short(names[0])!r}, "
                "not with recording.json"
            )
        self._entries = entries
        fields = self._fields("recording.json")
        try:
            self.header = check_header(fields)
        except RecordingError as error:  # such as of an option that a newer version has
            written_by = fields.values.get("pyale_ma")
            if not isinstance(written_by, str) or not other_version(written_by):
                raise
            raise RecordingError(f"{error}{other_version(written_by[:100])}") from error
        self.chunks: list[Chunk] = []
        self._resets_left, self._listed_left = MOST_RESETS, MOST_LISTED
        self.end: dict[str, Any] | None = None
        members = {"recording.json", "end.json"}
        try:
            while member(len(self.chunks), "chunk.json") in entries:
                members.update(self._add_chunk())
            if "end.json" in entries:
                self.end = self._end()
        except _DamagedError:
            number = len(self.chunks)
            if self._closed or member(number + 1, "chunk.json") in entries:
                raise
            # The system lost what its writer wrote last: the file ends before.
            beyond = (member(number), member(number + 1), "end.json")
            names = [name for name in names if not name.startswith(beyond)]
        for name in names:
            # Without an end what was added last may be a part of a chunk.
            if name not in members and (self.end or not name.startswith(member(len(self.chunks)))):
                raise RecordingError(f"{self.name}: there is no place for {short(name)!r}")

    def _add_chunk(self) -> list[str]:
        """Add what the next chunk says.  The names of its members."""
        number = len(self.chunks)
        names = [member(number, "chunk.json")]
        chunk = self._chunk(self._fields(names[0]))
        parts = [f"{part}.npy" for part in self.header.shapes(0, 0)]
        for part in [*parts, "state.npy"] if chunk.begin else parts:
            names.append(member(number, part))
            if names[-1] not in self._entries:
                self._missing(names[-1])
        least, most = least_state(self.header), self.header.most_state
        size = self._entries[member(number, "state.npy")].size if chunk.begin else most
        if size < least:
            raise RecordingError(
                f"{self.name}: {member(number, 'state.npy')} has {size} bytes; {self.header.envs} "
                f"environments that observe so much have at least {least}"
            )
        if not self._closed and member(number + 1, "chunk.json") not in self._entries:
            shapes = self.header.shapes(chunk.steps, chunk.rams)
            for part, (shape, dtype) in shapes.items():
                self._look_at(member(number, f"{part}.npy"), math.prod(shape) * dtype.itemsize)
            if chunk.begin:
                self._look_at(member(number, "state.npy"), most)
        self.chunks.append(chunk)
        return names

    def _end(self) -> dict[str, Any]:
        """Read and check ``end.json``."""
        end = self._fields("end.json")
        screens = end.values.get("screens")
        if screens != []:  # what was on the screens did not follow from the steps
            screens = end.strings("screens", self.header.envs, 64)
        steps = sum(chunk.steps for chunk in self.chunks)
        if end.integer("steps", 0, 2**53) != steps:
            end.refuse("steps", f"{steps}, as many as its chunks have")
        return {"screens": screens}

    def _missing(self, name: str) -> NoReturn:
        raise RecordingError(f"{self.name}: {name} is missing; the file is damaged, record it anew")

    @contextlib.contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        if self._stream is not None:
            yield self._stream
            return
        try:
            with open_file(self.path) as stream:
                yield stream
        except NotAFileError as error:
            raise RecordingError(str(error)) from None

    def _scan(self) -> dict[str, _Entry]:
        """The members by name, as far as they are whole; of a complete zip all are."""
        entries: dict[str, _Entry] = {}
        with self._open() as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - _END_SIZE))
            self._closed = closed = stream.read(4) == _END
            offset = 0
            while True:
                stream.seek(offset)
                head = stream.read(_MEMBER.size)
                if head[:4] == _DIRECTORY:
                    return entries
                problem = "begins with other bytes than an entry of a zip"
                if len(head) == _MEMBER.size and head[:4] == b"PK\x03\x04":
                    _, _, flags, method, _, _, crc, packed, full, name_size, extra = _MEMBER.unpack(
                        head
                    )
                    name = stream.read(name_size).decode("ascii", "backslashreplace")
                    start = offset + _MEMBER.size + name_size + extra
                    problem = "is larger than the file"
                    if flags or method not in (_STORED, _DEFLATED) or not full:
                        problem = "was written by another program"
                    elif name in entries:
                        raise RecordingError(f"{self.name}: {short(name)} is there twice")
                    elif start + packed <= size and packed:  # 0: its writer had yet to say it
                        entries[name] = _Entry(start, packed, full, crc, method)
                        offset = start + packed
                        continue
                if closed:
                    raise RecordingError(f"{self.name}: what is at byte {offset} {problem}")
                return entries

    def _read(self, name: str, most: int, stream: BinaryIO | None = None) -> bytes:
        """Return the bytes of a member, at most `most`; from the file, if it is open."""
        return b"".join(self._pieces(name, most, stream))

    def _look_at(self, name: str, most: int) -> None:
        """See whether an array of at most `most` bytes is as it was written, in little memory."""
        for _ in self._pieces(name, most + npy.MOST_HEADER):
            pass

    def _pieces(self, name: str, most: int, stream: BinaryIO | None = None) -> Iterator[bytes]:
        """Unpack a member of at most `most` bytes, piece by piece, and compare its checksum.

        Raises:
            RecordingError: It has more bytes, or others than were written.
        """
        entry = self._entries[name]
        if entry.size > most:
            raise RecordingError(
                f"{self.name}: {name} has {entry.size} bytes; it must have at most {most}"
            )
        size = crc = 0
        try:
            with self._open() if stream is None else contextlib.nullcontext(stream) as file:
                for piece in _unpacked(file, entry):
                    size, crc = size + len(piece), zlib.crc32(piece, crc)
                    if size > entry.size:
                        break
                    yield piece
        except zlib.error as error:
            raise _DamagedError(f"{self.name}: {name} is damaged: {error}") from None
        if (size, crc) != (entry.size, entry.crc):
            raise _DamagedError(f"{self.name}: {name} is damaged: its checksum is another")

    def _fields(self, name: str) -> Fields:
        data = self._read(name, MOST_JSON)
        try:
            value = json.loads(data, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise RecordingError(f"{self.name}: {name} is no JSON: {printable(error)}") from None
        if not isinstance(value, dict):
            raise RecordingError(f"{self.name}: {name} is no JSON object")
        return Fields(f"{self.name}: {name}", value)

    def _chunk(self, fields: Fields) -> Chunk:
        steps = fields.integer("steps", 0, MOST_ENTRIES // (self.header.envs * self.header.players))
        checks = fields.integers("checks", MOST_CHECKS // self.header.envs, 1, steps)
        if checks != sorted(set(checks)):
            fields.refuse("checks", "a list of different numbers in ascending order")
        final = fields.boolean("final")
        last = self.chunks[-1] if self.chunks else None
        first = last.first + last.steps if last else 0
        begin = None
        if fields.values.get("begin") is not None:
            begin = self._begin(Fields(f"{fields.place}: begin", fields.object("begin")), first)
        before, resets = 0, []
        listed, most = fields.objects("resets"), -(-MOST_RESETS // self.header.envs)
        if len(listed) > most:
            raise RecordingError(f"{fields.place}: resets has {len(listed)}; it may have {most}")
        for reset in listed:
            entry = Fields(f"{fields.place}: resets", reset)
            before = entry.integer("step", before, steps)
            resets.append(self._reset(entry))
            self._resets_left -= environments_reset(resets[-1], self.header.envs)
            self._listed_left -= listed_in_reset(resets[-1])
        self._resets_left += steps * self.header.envs
        if self._resets_left < 0:
            raise RecordingError(
                f"{fields.place}: resets has more than the steps until then allow: one of each "
                f"environment for a step of it, and {MOST_RESETS} more"
            )
        if self._listed_left < 0:
            raise RecordingError(
                f"{fields.place}: resets has too many: those of all chunks may list {MOST_LISTED} "
                f"numbers, where each reset counts as {RESET_LISTED}"
            )
        return Chunk(first, steps, resets, checks, final, begin)

    def _begin(self, fields: Fields, first: int) -> dict[str, Any]:
        """Return the checked data that goes with the saved state before a step."""
        header = self.header
        names = ["kind", "episode"]
        # What follows from no step would be taken as it is.
        fields.one_of("kind", ("start", "keyframe") if first else ("start",))
        fields.boolean("episode")
        if header.layer == "single" and isinstance(header.options["frameskip"], list):
            names.append("generator")
            _check_generator(fields.inside("generator"))
        elif header.layer == "multi":
            names += ["frame", "agents"]
            fields.integer("frame", 0, 2**53)
            agents = fields.values.get("agents")
            if not isinstance(agents, list) or agents != [
                it for it in header.agents if it in agents
            ]:
                fields.refuse("agents", f"a list of some of {', '.join(header.agents)}")
        elif header.layer == "vector":
            names += ["modes", "difficulties"]
            for name in names[2:]:
                if len(fields.integers(name, header.envs, 0, MOST_INT)) != header.envs:
                    fields.refuse(name, f"a list of {header.envs} numbers")
        fields.only(names)
        return {name: fields.values[name] for name in names}

    def _reset(self, entry: Fields) -> dict[str, Any]:
        """Return the checked arguments of one reset."""
        envs, step = self.header.envs, entry.values["step"]
        if self.header.layer != "vector":
            seed = entry.values.get("seed")
            return {
                "step": step,
                "seed": None if seed is None else entry.integer("seed", 0, MOST_SEED),
            }
        chosen = envs
        if entry.values.get("envs") is not None:
            numbers = entry.integers("envs", envs, 0, envs - 1)
            chosen = len(numbers)
            if numbers != sorted(set(numbers)):
                entry.refuse("envs", "a list of different numbers in ascending order")
        if entry.values.get("seeds") is not None and chosen != len(
            entry.integers("seeds", chosen, -1, 2**32 - 1)
        ):
            entry.refuse("seeds", f"a list of {chosen} numbers")
        for name in ("mode", "difficulty"):
            entry.kind(name, VECTOR_OPTIONS[name].kind, envs)
        return {
            name: entry.values.get(name) for name in ("step", "envs", "seeds", "mode", "difficulty")
        }

    @property
    def steps(self) -> int:
        """The number of steps."""
        last = self.chunks[-1:]
        return last[0].first + last[0].steps if last else 0

    @property
    def restored_states(self) -> int:
        """Number of saved states that do not follow from what was played before them."""
        return sum(chunk.starts for chunk in self.chunks)

    def check_size(self) -> None:
        """Refuse to read all steps at once if they would take too much memory."""
        entries = self.header.envs * self.header.players
        if self.steps * entries > MOST_AT_ONCE:
            raise RecordingError(
                f"{self.name} says that it has {self.steps} steps of {entries} players; "
                f"{MOST_AT_ONCE} of one player are read at once at most. Use steps(), or record "
                "shorter files"
            )

    def whole(self, name: str) -> npt.NDArray[Any]:
        """Read an array of all steps; see `Recording.array`."""
        names = [column for column in self.header.shapes(0, 0) if column != "ram"]
        if name not in names:
            raise ValueError(f"name is {name!r}; it must be one of {', '.join(names)}")
        self.check_size()
        shape, dtype = self.header.shapes(self.steps, 0)[name]
        whole = np.empty(shape, dtype)
        for number, chunk in enumerate(self.chunks):
            whole[chunk.first : chunk.first + chunk.steps] = self.column(number, name)
        return whole

    def arrays(self, number: int) -> dict[str, npt.NDArray[Any]]:
        """The arrays of a chunk."""
        shapes = self.header.shapes(self.chunks[number].steps, self.chunks[number].rams)
        with self._open() as stream:
            return {
                name: self._array(member(number, f"{name}.npy"), *shape, stream=stream)
                for name, shape in shapes.items()
            }

    def column(self, number: int, name: str) -> npt.NDArray[Any]:
        """One array of a chunk."""
        chunk = self.chunks[number]
        shape, dtype = self.header.shapes(chunk.steps, chunk.rams)[name]
        return self._array(member(number, f"{name}.npy"), shape, dtype)

    def state(self, number: int) -> bytes:
        """The saved state that a chunk begins with."""
        name = member(number, "state.npy")
        return self._array(name, (None,), UINT8, self.header.most_state).tobytes()

    def _array(
        self,
        name: str,
        shape: tuple[int | None, ...],
        dtype: np.dtype[Any],
        most: int = MOST_MEMBER,
        stream: BinaryIO | None = None,
    ) -> npt.NDArray[Any]:
        """Return an array of this shape; if it has no length, of at most `most` bytes."""
        size = math.prod(most if length is None else length for length in shape) * dtype.itemsize
        data = self._read(name, size + npy.MOST_HEADER, stream)
        try:
            return npy.unpack(data, shape, dtype)
        except ValueError as error:
            raise RecordingError(f"{self.name}: {name} {error}") from None


def _unpacked(stream: BinaryIO, entry: _Entry) -> Iterator[bytes]:
    """Unpack a member piece by piece; zlib.error: its bytes are damaged."""
    stream.seek(entry.offset)
    unpack = zlib.decompressobj(-15)
    for begin in range(0, entry.packed, _PIECE):
        packed = stream.read(min(_PIECE, entry.packed - begin))
        if entry.method == _STORED:
            yield packed
            continue
        while packed and not unpack.eof:
            yield unpack.decompress(packed, _PIECE)
            packed = unpack.unconsumed_tail
    yield unpack.flush()


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _check_generator(fields: Fields) -> None:
    """The state of a generator of NumPy, which believes whatever it is given."""
    fields.only(("bit_generator", "state", "has_uint32", "uinteger"))
    fields.one_of("bit_generator", ("PCG64",))
    state = fields.inside("state")
    state.only(("state", "inc"))
    state.integer("state", 0, 2**128 - 1)
    if state.integer("inc", 0, 2**128 - 1) % 2 == 0:  # with which it might draw 0 for ever
        state.refuse("inc", "an odd number")
    fields.integer("has_uint32", 0, 1)
    fields.integer("uinteger", 0, 2**32 - 1)
