"""The file of a game's trained players, read as if a stranger had written it.

It is a line that says what it is, a line of JSON, the networks' numbers (little-endian, one level
after the other), and the SHA-256 of all of this, 32 bytes.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma import roms
from pyale_ma._native import MAX_PLAYERS, RAM_SIZE
from pyale_ma.files import open_file, written_aside
from pyale_ma.opponents.network import MOST_INPUTS, MOST_SHIFT, Layer, Network
from pyale_ma.text import printable

__all__ = ["LEVELS", "Level", "Trained", "read", "write"]

Array: TypeAlias = npt.NDArray[Any]

LEVELS = ("weak", "middle", "strong")
MOST_BYTES = 100 * 1024
_MAGIC = b"pyale_ma players 1\n"
_MOST_HEADER = 16 * 1024
DIGEST = hashlib.sha256().digest_size
_MOST_ACTIONS = 18
_INT16, _INT32 = map(np.dtype, ("<i2", "<i4"))


@dataclass(frozen=True)
class Level:
    """How a player came about, and how well it plays.

    Attributes:
        steps: Steps of games, in all of which it learned.
        minutes: Minutes of one processor that this took.
        matches: Number of matches against random play, on all seats in turn.
        frames: After how many frames a match was ended, if it was not over before.
        score: Its score in them, as of `pyale_ma.evaluation.Standing`.
        low: Lower end of the score's confidence interval (95 %).
        high: Its upper end.
        below: Its score against the level above it; None for the highest.
    """

    steps: int
    minutes: float
    matches: int
    frames: int
    score: float
    low: float
    high: float
    below: float | None = None


@dataclass(frozen=True)
class Trained:
    """The trained players of a game.

    Attributes:
        game: The game's name.
        md5: MD5 of its image.
        players: Seats.
        mode: The game's mode.
        frameskip: Frames of a step.
        actions: What they choose from, by ale-py's numbers.
        levels: By name, the weakest first.
        networks: By the same names.
    """

    game: str
    md5: str
    players: int
    mode: int
    frameskip: int
    actions: tuple[int, ...]
    levels: Mapping[str, Level]
    networks: Mapping[str, Network]


class _DamagedError(ValueError):
    """What is wrong with a file."""


# ---- Writing -------------------------------------------------------------------------------------


def write(path: str | os.PathLike[str], trained: Trained) -> None:
    """Write a file of players.

    Args:
        path: The file.
        trained: The players.

    Raises:
        ValueError: Its numbers are out of range, or too many.
        OSError: It cannot be written.
    """
    networks = trained.networks
    header = {
        "game": trained.game,
        "md5": trained.md5,
        "players": trained.players,
        "mode": trained.mode,
        "frameskip": trained.frameskip,
        "actions": list(trained.actions),
        "levels": [
            {"name": name, **asdict(level), "network": _shape(networks[name])}
            for name, level in trained.levels.items()
        ],
    }
    parts = [_MAGIC, json.dumps(header, separators=(",", ":")).encode() + b"\n"]
    for name in trained.levels:
        parts += [_as(kind, array).tobytes() for kind, array in _arrays(networks[name])]
    whole = b"".join(parts)
    whole += hashlib.sha256(whole).digest()
    parse(whole)
    with written_aside(path) as aside:
        aside.write_bytes(whole)


def _shape(network: Network) -> dict[str, Any]:
    return {
        "used": network.used.tolist(),
        "neurons": [network.first.bias.shape[-1], network.between.bias.shape[-1]],
        "shifts": [network.first.shift, network.between.shift, network.last.shift],
    }


def _arrays(network: Network) -> list[tuple[np.dtype[Any], Array]]:
    """A network's numbers, in the order of the file."""
    layers = (network.first, network.between, network.last)
    numbers = [(_INT16, network.scale), (_INT32, network.offset)]
    for layer in layers:
        numbers += [(_INT16, layer.weights), (_INT32, layer.bias)]
    return numbers


def _as(kind: np.dtype[Any], array: Array) -> Array:
    whole = array.astype(kind)
    if not np.array_equal(whole, array):
        raise ValueError(f"a network has numbers that are no {kind.name}")
    return whole


# ---- Reading -------------------------------------------------------------------------------------


def read(path: str | os.PathLike[str]) -> Trained:
    """Read a file of players.

    Args:
        path: The file.

    Raises:
        ValueError: It is no such file, or damaged; the text says where.
        OSError: It cannot be read.
    """
    with open_file(path) as stream:
        whole = stream.read(MOST_BYTES + 1)
    try:
        return parse(whole)
    except _DamagedError as error:
        raise ValueError(f"{printable(os.fspath(path))} is no file of players: {error}") from None


def parse(whole: bytes) -> Trained:
    """The players of a file's bytes.

    Raises:
        ValueError: These are no players.
    """
    if len(whole) > MOST_BYTES:
        raise _DamagedError(f"it has more than {MOST_BYTES} bytes")
    if not whole.startswith(_MAGIC):
        raise _DamagedError(f"it does not begin with {_MAGIC.decode().strip()!r}")
    body = whole[:-DIGEST]
    if hashlib.sha256(body).digest() != whole[-DIGEST:]:
        raise _DamagedError("it is damaged: its checksum is another")
    start = body.find(b"\n", len(_MAGIC), len(_MAGIC) + _MOST_HEADER) + 1
    if not start:
        raise _DamagedError("it has no second line")
    header = _Header(_json(body[len(_MAGIC) : start]), "it")
    game = header.text("game")
    if game not in roms.game_names():
        raise _DamagedError(f"there is no game {game!r}")
    players = header.whole("players", 1, MAX_PLAYERS)
    actions = header.numbers("actions", 1, _MOST_ACTIONS, _MOST_ACTIONS - 1)
    md5 = header.text("md5")
    if not re.fullmatch("[0-9a-f]{32}", md5):
        raise _DamagedError("its 'md5' is none")
    numbers = _Numbers(body[start:])
    levels: dict[str, Level] = {}
    networks: dict[str, Network] = {}
    for level in header.headers("levels", 1, len(LEVELS)):
        name = level.text("name")
        if name not in LEVELS or any(LEVELS.index(name) <= LEVELS.index(it) for it in levels):
            raise _DamagedError(f"it has a level {name!r}, which is none, or not in order")
        levels[name] = _level(level)
        [shape] = level.headers("network", 1, 1)
        networks[name] = _network(shape, numbers, players, len(actions))
    numbers.check_end()
    return Trained(
        game,
        md5,
        players,
        header.whole("mode", 0, 2**31 - 1),
        header.whole("frameskip", 1, 60),
        actions,
        levels,
        networks,
    )


def _json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise _DamagedError("its second line is no JSON") from None


class _Header:
    """What JSON says, looked at."""

    def __init__(self, entries: Any, name: str) -> None:
        if not isinstance(entries, dict):
            raise _DamagedError(f"{name} has no entries")
        self._entries = entries

    def text(self, name: str) -> str:
        value = self._entries.get(name)
        if not isinstance(value, str) or len(value) > 100:
            raise _DamagedError(f"its {name!r} is no short text")
        return value

    def whole(self, name: str, low: int, high: int) -> int:
        return _whole(name, self._entries.get(name), low, high)

    def number(self, name: str, high: float) -> float:
        value = self._entries.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _DamagedError(f"its {name!r} is no number")
        if not 0 <= value <= high:  # nor is NaN
            raise _DamagedError(f"its {name!r} is not between 0 and {high}")
        return float(value)

    def numbers(self, name: str, least: int, most: int, high: int) -> tuple[int, ...]:
        """Whole numbers from 0 to `high`, so many, ascending."""
        values = tuple(_whole(name, it, 0, high) for it in self._list(name, least, most))
        if any(first >= second for first, second in itertools.pairwise(values)):
            raise _DamagedError(f"its {name!r} do not ascend")
        return values

    def few(self, name: str, count: int, low: int, high: int) -> list[int]:
        """So many whole numbers."""
        return [_whole(name, it, low, high) for it in self._list(name, count, count)]

    def headers(self, name: str, least: int, most: int) -> list[_Header]:
        found = self._entries.get(name)
        entries = [found] if isinstance(found, dict) else self._list(name, least, most)
        return [_Header(entry, name) for entry in entries]

    def has(self, name: str) -> bool:
        return self._entries.get(name) is not None

    def _list(self, name: str, least: int, most: int) -> Sequence[Any]:
        values = self._entries.get(name)
        if not isinstance(values, list) or not least <= len(values) <= most:
            raise _DamagedError(f"its {name!r} is no list of {least} to {most} entries")
        return values


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise _DamagedError(f"its {name!r} has no whole number from {low} to {high}")
    return value


def _level(header: _Header) -> Level:
    return Level(
        header.whole("steps", 0, 2**62),
        header.number("minutes", 1e9),
        header.whole("matches", 0, 2**31),
        header.whole("frames", 0, 2**31),
        header.number("score", 1),
        header.number("low", 1),
        header.number("high", 1),
        header.number("below", 1) if header.has("below") else None,
    )


class _Numbers:
    """The networks' numbers, taken one array after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, kind: np.dtype[Any], *shape: int) -> Array:
        size = math.prod(shape) * kind.itemsize
        part = self._data[self._at : self._at + size]
        if len(part) < size:
            raise _DamagedError("it ends too early")
        self._at += size
        return np.frombuffer(part, kind).reshape(shape).astype(np.float64)

    def check_end(self) -> None:
        if self._at < len(self._data):
            raise _DamagedError(f"it has {len(self._data) - self._at} bytes too many")


def _network(shape: _Header, numbers: _Numbers, players: int, actions: int) -> Network:
    used = shape.numbers("used", 1, RAM_SIZE, RAM_SIZE - 1)
    inputs = 2 * len(used)
    first, between = shape.few("neurons", 2, 1, MOST_INPUTS)
    shifts = shape.few("shifts", 3, 0, MOST_SHIFT)

    def layer(shift: int, outputs: int, *before: int) -> Layer:
        weights = numbers.take(_INT16, *before, outputs)
        return Layer(weights, numbers.take(_INT32, *before[:-1], outputs), shift)

    return Network(
        np.array(used),
        numbers.take(_INT16, inputs),
        numbers.take(_INT32, inputs),
        layer(shifts[0], first, players, inputs),
        layer(shifts[1], between, first),
        layer(shifts[2], actions, between),
    )
