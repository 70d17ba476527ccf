"""The file of a recording: a zip of JSON and .npy arrays, read as if a stranger had written it.

Members come one after the other: ``recording.json``, then those of each chunk of steps, of which
``chunk.json`` is the last, then ``end.json``.  They are read in this order by their own headers, so
that a file whose writer was killed ends with its last complete chunk.
docs/development/recording-file.md specifies them.
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
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._base.fields import Fields as JsonFields
from pyale_ma._base.fields import is_text, short
from pyale_ma._base.files import NotAFileError, open_file
from pyale_ma._base.text import printable
from pyale_ma.console.observations import VECTOR_OBSERVATIONS
from pyale_ma.recording.file import npy
from pyale_ma.vector.options import OPTIONS as VECTOR_OPTIONS

FORMAT, FORMAT_VERSION = "pyale_ma recording", 1

_MEMBER = struct.Struct("<4s5H3I2H")
_DIRECTORY, _END = b"PK\x01\x02", b"PK\x05\x06"
_END_SIZE = 22
_STORED, _DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED

_MOST_ENVS = 2**14
_MOST_GAMES = 1024
MOST_SEED = 2**128 - 1
MOST_ENTRIES = 2**24  # steps of a chunk, times environments, times players
MOST_CHECKS = 2**20  # times at which a chunk keeps RAM, times environments
MOST_RESETS = 2**17  # of a chunk, times environments; and of environments without a step of theirs
MOST_JSON = 2**24  # bytes of a member
MOST_LISTED = 2**23  # numbers in the resets of all chunks; a reset counts as `_RESET_LISTED`
_RESET_LISTED = 8
MOST_AT_ONCE = 2**27  # steps that are read at once, times environments, times players
MOST_STATE = 2**20  # bytes of one environment's state, but for what was observed
MOST_DEEP = 100  # lists and dicts within each other, of metadata
_MOST_MEMBER = 2**31 - 1  # bytes
_MOST_OBSERVED = 2**32  # bytes that a vector observes
_MOST_OBSERVED_BY_ONE = 2**26  # bytes that one of its environments observes
_PIECE = 2**18  # bytes that are unpacked at once of what is only looked at
_LEAST_INT, _MOST_INT = -(2**31), 2**31 - 1

# As files have them, on any machine.
_BOOL, _UINT8, _INT32, _FLOAT32 = map(np.dtype, ("?", "u1", "<i4", "<f4"))

# The constructor's arguments that a file names, and of what kind they are.
OPTIONS: dict[str, dict[str, str]] = {
    "console": {
        "rules": "int",
        "players": "int",
        "mode": "int",
        "difficulty": "int",
        "random_seed": "int",
        "repeat_action_probability": "number",
        "corrected_rules": "bool",
    },
    "single": {
        "mode": "int | none",
        "difficulty": "int | none",
        "obs_type": "str",
        "frameskip": "int | ints",
        "repeat_action_probability": "number",
        "full_action_space": "bool",
        "continuous": "bool",
        "continuous_action_threshold": "number",
        "max_num_frames_per_episode": "int | none",
        "sound_obs": "bool",
        "corrected_rules": "bool",
    },
    "multi": {
        "num_players": "int",
        "mode_num": "int | none",
        "obs_type": "str",
        "full_action_space": "bool",
        "max_cycles": "int",
        "frame_skip": "int",
        "repeat_action_probability": "number",
        "difficulty": "int | none",
        "sound_obs": "bool",
        "detailed_infos": "bool",
        "noop_max": "int",
    },
    "vector": {name: option.kind for name, option in VECTOR_OPTIONS.items() if option.kind},
}
# Options that files of earlier versions lack, and what they mean there.
_ABSENT = {"corrected_rules": False}
# How many frames a step or a reset may take at most.
_MOST_FRAMES = {
    "frameskip": _native.MAX_FRAME_SKIP,
    "frame_skip": _native.MAX_FRAME_SKIP,
    "noop_max": _native.MAX_NOOPS,
}
# Those that change what is observed, and nothing else.
OBSERVATION = {
    "console": ("obs_type", "sound_obs"),
    "single": ("obs_type", "sound_obs"),
    "multi": ("obs_type", "sound_obs", "detailed_infos"),
    "vector": tuple(name for name, option in VECTOR_OPTIONS.items() if option.observed),
}


class RecordingError(ValueError):
    """A file is no recording, is damaged, or cannot be played here; the text says what to do."""


class _DamagedError(RecordingError):
    """The bytes of a member are others than were written."""


def other_version(written_by: str) -> str:
    """Return a note for messages if another version of pyale_ma wrote a file; "": this one did."""
    if written_by == _native.VERSION:
        return ""
    return f"; pyale_ma {printable(written_by)} wrote it, this is {_native.VERSION}"


@dataclass(frozen=True)
class Played:
    """A game as a recording names it.

    Attributes:
        name: The game's name.
        md5: Of its ROM image.
        card: The text of the card, for a game that is defined by one.
        variation: The card's variation that was played.
    """

    name: str
    md5: str
    card: str | None = None
    variation: str | None = None


@dataclass(frozen=True)
class Header:
    """Contents of ``recording.json``.

    Attributes:
        layer: "single", "multi", "vector" or "console".
        games: The games.
        game_of_env: Which of them each environment plays.
        players: Players of an environment.
        agents: Their names; [] where the layer has none.
        continuous: Whether actions are float32 (radius, angle, fire) instead of uint8 indices; of a
            console, whether each goes with a strength, of its paddles.
        options: Arguments of the environment's constructor.
        metadata: What the writer was given.
        pyale_ma: The version that wrote the file.
    """

    layer: str
    games: list[Played]
    game_of_env: list[int]
    players: int
    agents: list[str]
    continuous: bool
    options: dict[str, Any]
    metadata: dict[str, Any] = field(default_factory=dict)
    pyale_ma: str = _native.VERSION

    @property
    def envs(self) -> int:
        """The number of environments."""
        return len(self.game_of_env)

    @property
    def _least_state(self) -> int:
        """The bytes that a saved state of it has at least: the stacks that a vector observes."""
        if self.layer != "vector":
            return 0
        stack: int = _frame_size(self.options) * abs(self.options["stack_num"])
        return self.envs * stack

    @property
    def most_state(self) -> int:
        """The bytes that a saved state of it has at most."""
        # A stack is there twice after an episode's end.
        return min(self.envs * MOST_STATE + 2 * self._least_state, _MOST_MEMBER)

    def shapes(self, steps: int, rams: int) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
        """Shape and dtype of each array of a chunk."""
        each = (steps, self.envs, self.players)
        actions: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {"actions": (each, _UINT8)}
        if self.continuous and self.layer == "console":
            actions["strengths"] = (each, _FLOAT32)
        elif self.continuous:
            actions["actions"] = ((*each, 3), _FLOAT32)
        return {
            **actions,
            "rewards": (each, _INT32),
            "terminations": (each, _BOOL),
            "truncations": (each[:2], _BOOL),
            "ram": ((rams, self.envs, _native.RAM_SIZE), _UINT8),
        }

    def as_json(self) -> dict[str, Any]:
        """For ``recording.json``; the metadata are the same."""
        told = {**asdict(replace(self, metadata={})), "metadata": self.metadata}
        return {"format": FORMAT, "version": FORMAT_VERSION, **told}


@dataclass(frozen=True)
class Chunk:
    """Consecutive steps, and what ``chunk.json`` says of them.

    Attributes:
        first: The number of the first step.
        steps: How many there are.
        resets: What `reset` was given, and before which step of the chunk.
        checks: After how many steps RAM was kept.
        final: Whether it was kept once more, after all steps and resets.
        begin: What goes with the saved state that the chunk begins with; None: there is none.
    """

    first: int
    steps: int
    resets: list[dict[str, Any]]
    checks: list[int]
    final: bool
    begin: dict[str, Any] | None

    @property
    def rams(self) -> int:
        """Number of times that RAM was kept."""
        return len(self.checks) + self.final

    @property
    def starts(self) -> bool:
        """Whether its state does not follow from what was played before."""
        return self.begin is not None and self.begin["kind"] == "start"


# ---- Reading -------------------------------------------------------------------------------------


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
        RecordingError: The file is no recording, or one with a mistake.
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
        known = {"recording.json", "end.json"}
        try:
            while member(len(self.chunks), "chunk.json") in entries:
                known.update(self._add_chunk())
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
            if name not in known and (self.end or not name.startswith(member(len(self.chunks)))):
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
        least, most = self.header._least_state, self.header.most_state
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

    def _look_at(self, name: str, most: int) -> None:
        """See whether a member is as it was written, in little memory."""
        entry = self._entry(name, most + npy.MOST_HEADER)
        size = crc = 0
        for piece in self._pieces(entry, name):
            size, crc = size + len(piece), zlib.crc32(piece, crc)
            if size > entry.size:
                break
        if size != entry.size or crc != entry.crc:
            raise _DamagedError(f"{self.name}: {name} is damaged: its checksum is another")

    def _pieces(self, entry: _Entry, name: str) -> Iterator[bytes]:
        with self._open() as stream:
            stream.seek(entry.offset)
            left, unpack = entry.packed, zlib.decompressobj(-15)
            while left and not unpack.eof:
                packed = stream.read(min(left, _PIECE))
                if not packed:  # the file was cut meanwhile
                    return
                left -= len(packed)
                if entry.method == _STORED:
                    yield packed
                    continue
                piece = b""
                while (packed or len(piece) == _PIECE) and not unpack.eof:
                    try:
                        piece = unpack.decompress(packed, _PIECE)
                    except zlib.error as error:
                        raise _DamagedError(f"{self.name}: {name} is damaged: {error}") from None
                    yield piece
                    packed = unpack.unconsumed_tail

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

    def _entry(self, name: str, most: int) -> _Entry:
        """Return a member of at most `most` bytes."""
        entry = self._entries[name]
        if entry.size > most:
            raise RecordingError(
                f"{self.name}: {name} has {entry.size} bytes; it must have at most {most}"
            )
        return entry

    def _read(self, name: str, most: int, stream: BinaryIO | None = None) -> bytes:
        """Return the bytes of a member, at most `most`; from the file, if it is open."""
        entry = self._entry(name, most)
        with self._open() if stream is None else contextlib.nullcontext(stream) as file:
            file.seek(entry.offset)
            data = file.read(entry.packed)
        if entry.method == _DEFLATED:
            try:
                data = zlib.decompressobj(-15).decompress(data, entry.size + 1)
            except zlib.error as error:
                raise _DamagedError(f"{self.name}: {name} is damaged: {error}") from None
        if len(data) != entry.size or zlib.crc32(data) != entry.crc:
            raise _DamagedError(f"{self.name}: {name} is damaged: its checksum is another")
        return data

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
                f"numbers, where each reset counts as {_RESET_LISTED}"
            )
        return Chunk(first, steps, resets, checks, final, begin)

    def _begin(self, fields: Fields, first: int) -> dict[str, Any]:
        """Return the checked data that goes with the saved state before a step."""
        header = self.header
        known = ["kind", "episode"]
        # What follows from no step would be taken as it is.
        fields.one_of("kind", ("start", "keyframe") if first else ("start",))
        fields.boolean("episode")
        if header.layer == "single" and isinstance(header.options["frameskip"], list):
            known.append("generator")
            _check_generator(fields.inside("generator"))
        elif header.layer == "multi":
            known += ["frame", "agents"]
            fields.integer("frame", 0, 2**53)
            agents = fields.values.get("agents")
            if not isinstance(agents, list) or agents != [
                it for it in header.agents if it in agents
            ]:
                fields.refuse("agents", f"a list of some of {', '.join(header.agents)}")
        elif header.layer == "vector":
            known += ["modes", "difficulties"]
            for name in known[2:]:
                if len(fields.integers(name, header.envs, 0, _MOST_INT)) != header.envs:
                    fields.refuse(name, f"a list of {header.envs} numbers")
        fields.only(known)
        return {name: fields.values[name] for name in known}

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
        return self._array(name, (None,), _UINT8, self.header.most_state).tobytes()

    def _array(
        self,
        name: str,
        shape: tuple[int | None, ...],
        dtype: np.dtype[Any],
        most: int = _MOST_MEMBER,
        stream: BinaryIO | None = None,
    ) -> npt.NDArray[Any]:
        """Return an array of this shape; if it has no length, of at most `most` bytes."""
        size = math.prod(most if length is None else length for length in shape) * dtype.itemsize
        data = self._read(name, size + npy.MOST_HEADER, stream)
        try:
            return npy.unpack(data, shape, dtype)
        except ValueError as error:
            raise RecordingError(f"{self.name}: {name} {error}") from None


def environments_reset(entry: dict[str, Any], envs: int) -> int:
    """Return the number of environments that a reset is of; one that is of none counts as one."""
    chosen = entry.get("envs")
    return envs if chosen is None else max(len(chosen), 1)


def listed_in_reset(entry: dict[str, Any]) -> int:
    """Count the numbers that a reset adds to those that may be listed."""
    return _RESET_LISTED + sum(len(value) for value in entry.values() if isinstance(value, list))


def seeds_of_reset(entry: dict[str, Any], envs: int) -> Iterator[tuple[int, int | None]]:
    """The environments that a reset is of, each with its seed; None: it was given none."""
    chosen = range(envs) if entry.get("envs") is None else entry["envs"]
    seeds = entry.get("seeds") or [entry.get("seed")] * len(chosen)
    for env, seed in zip(chosen, seeds, strict=True):
        yield env, None if seed == -1 else seed


def member(number: int, name: str = "") -> str:
    """Return the name of a member of a chunk."""
    return f"chunks/{number:06}/{name}"


def _frame_size(options: dict[str, Any]) -> int:
    """The bytes of a frame that an environment of a vector observes."""
    kind = VECTOR_OBSERVATIONS.get(options["obs_type"], VECTOR_OBSERVATIONS["objects"])
    height, width = abs(options["img_height"]), abs(options["img_width"])
    size: int = math.prod(kind.preprocessed_shape(height, width))
    return size


def _observed(options: dict[str, Any], players: int) -> int:
    """The bytes that an environment of a vector observes: all its players, if each for itself."""
    apart = options["agent_indicator"] or options["mirror"]
    frames: int = abs(options["stack_num"]) + players * options["agent_indicator"]
    return _frame_size(options) * frames * (players if apart else 1)


def deep(value: Any) -> bool:
    """Whether more lists and dicts are within each other than metadata may have."""
    level = [value]
    for _ in range(MOST_DEEP + 1):
        level = [
            inside
            for each in level
            for inside in (each.values() if isinstance(each, dict) else each)
            if isinstance(inside, (dict, list))
        ]
    return bool(level)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


# ---- Checks --------------------------------------------------------------------------------------


class Fields(JsonFields):
    """Values of a recording's JSON."""

    error = RecordingError

    def kind(self, name: str, kinds: str, most: int = 2) -> Any:
        """Check a value of a kind that `OPTIONS` names; a list has at most `most` numbers."""
        value = self.values.get(name)
        fits = {
            "none": value is None,
            "bool": isinstance(value, bool),
            "int": type(value) is int and _LEAST_INT <= value <= _MOST_INT,
            "number": isinstance(value, (int, float))
            and not isinstance(value, bool)
            and abs(value) < 1e30,
            "str": is_text(value, 100),
            "ints": isinstance(value, list)
            and len(value) <= most
            and all(type(each) is int and _LEAST_INT <= each <= _MOST_INT for each in value),
        }
        if not any(fits[kind] for kind in kinds.split(" | ")):
            self.refuse(name, kinds.replace("ints", "a list of numbers").replace(" | ", " or "))
        return value


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


def check_header(fields: Fields) -> Header:
    """Return the checked contents of ``recording.json``."""
    fields.one_of("format", (FORMAT,))
    if fields.integer("version", 1, 10**6) > FORMAT_VERSION:
        fields.refuse("version", f"{FORMAT_VERSION}; read it with a newer pyale_ma")
    layer: str = fields.one_of("layer", OPTIONS)
    games = []
    listed = fields.objects("games")
    if len(listed) > _MOST_GAMES:
        raise RecordingError(f"{fields.place}: games has {len(listed)}; it may have {_MOST_GAMES}")
    for game in listed:
        entry = Fields(f"{fields.place}: games", game)
        card, variation = game.get("card"), game.get("variation")
        games.append(
            Played(
                entry.string("name", 100),
                entry.string("md5", 40),
                None if card is None else entry.string("card", 64 * 1024),
                None if variation is None else entry.string("variation", 1000),
            )
        )
    game_of_env = fields.integers("game_of_env", _MOST_ENVS, 0, len(games) - 1)
    players = fields.integer("players", 1, _native.MAX_PLAYERS)
    if len(game_of_env) < 1 or (layer != "vector" and len(game_of_env) > 1):
        fields.refuse("game_of_env", "a list with a number for each environment")
    if set(game_of_env) != set(range(len(games))):
        fields.refuse("game_of_env", f"a list that names each of {len(games)} games")
    known = OPTIONS[layer]
    absent = {name: value for name, value in _ABSENT.items() if name in known}
    given = Fields(f"{fields.place}: options", absent | fields.object("options"))
    options = {name: given.kind(name, known[name], len(game_of_env) + 1) for name in known}
    for name in given.values.keys() - known.keys():
        raise RecordingError(f"{given.place}: there is no option {short(name)!r}")
    for name, most in _MOST_FRAMES.items():
        if np.max(options.get(name, 0), initial=0) > most:
            given.refuse(name, f"at most {most}")
    if layer == "vector":
        observed = _observed(options, players)
        if observed > _MOST_OBSERVED_BY_ONE or observed * len(game_of_env) > _MOST_OBSERVED:
            allowed = "2**26 bytes of an environment, 2**32 of all"
            given.refuse("img_height", f"less: this vector would observe more than {allowed}")
    continuous = fields.boolean("continuous")
    if continuous != options.get("continuous", layer == "console" and continuous):
        fields.refuse("continuous", "as its options have it")
    if players != (options.get("num_players") or options.get("players") or 1):
        fields.refuse("players", "as its options have it")
    return Header(
        layer,
        games,
        game_of_env,
        players,
        fields.strings("agents", players if layer == "multi" else 0, 100),
        continuous,
        options,
        _metadata(fields),
        fields.string("pyale_ma", 100),
    )


def _metadata(fields: Fields) -> dict[str, Any]:
    metadata = fields.object("metadata")
    if deep(metadata):
        raise RecordingError(
            f"{fields.place}: metadata has lists and objects more than {MOST_DEEP} deep within "
            "each other"
        )
    return metadata
