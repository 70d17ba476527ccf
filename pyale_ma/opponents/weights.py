"""The file of a game's trained players, read as if a stranger had written it.

It is a `pyale_ma._base.container` without a tree: its line of JSON describes the players, and its
arrays are the networks' numbers, one level after the other.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.container import DIGEST_SIZE, Body, Container
from pyale_ma._base.fields import Fields
from pyale_ma._base.files import read_file, written_aside
from pyale_ma._base.text import printable, shown
from pyale_ma._native import MAX_PLAYERS, RAM_SIZE
from pyale_ma.games import rom_files
from pyale_ma.opponents.network import MOST_INPUTS, MOST_SHIFT, DenseLayer, Network

__all__ = ["LEVELS", "Level", "Trained", "read", "write"]

Array: TypeAlias = npt.NDArray[Any]

LEVELS = ("weak", "middle", "strong")
MOST_BYTES = 100 * 1024
DIGEST = DIGEST_SIZE
_MOST_ACTIONS = 18
_INT16, _INT32 = map(np.dtype, ("<i2", "<i4"))


@dataclass(frozen=True)
class Level:
    """Origin and strength of a player.

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

    def __repr__(self) -> str:
        rounded = {
            name: round(value, 3) if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }
        return shown(self, **rounded)


@dataclass(frozen=True)
class Trained:
    """The trained players of a game.

    Attributes:
        game: The game's name; of a card, the one that it gives.
        md5: MD5 of its image; "" where a card names none.
        players: Seats.
        mode: The game's mode.
        frameskip: Frames of a step.
        actions: What they choose from, by ale-py's numbers.
        levels: By name, the weakest first.
        networks: By the same names.
        card: SHA-256 of the card's text, in hexadecimal digits; "" for games that are not cards.
    """

    game: str
    md5: str
    players: int
    mode: int
    frameskip: int
    actions: tuple[int, ...]
    levels: Mapping[str, Level]
    networks: Mapping[str, Network] = field(repr=False)  # long arrays
    card: str = ""


class _DamagedError(ValueError):
    """A damaged file; the text says where."""


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
        **({"card": trained.card} if trained.card else {}),
        "players": trained.players,
        "mode": trained.mode,
        "frameskip": trained.frameskip,
        "actions": list(trained.actions),
        "levels": [
            {"name": name, **asdict(level), "network": shape(networks[name])}
            for name, level in trained.levels.items()
        ],
    }
    whole = b"".join(_FILE.pack(header, [numbers(networks[name]) for name in trained.levels]))
    parse(whole)
    with written_aside(path) as aside:
        aside.write_bytes(whole)


def shape(network: Network) -> dict[str, list[int]]:
    """Return the shape of a network's numbers."""
    return {
        "used": network.used.tolist(),
        "neurons": [network.first.bias.shape[-1], network.between.bias.shape[-1]],
        "shifts": [network.first.shift, network.between.shift, network.last.shift],
    }


def numbers(network: Network) -> bytes:
    """A network's numbers, as the file and the library have them.

    Raises:
        ValueError: They are out of range.
    """
    return b"".join(_as(kind, name, array) for name, kind, array in _arrays(network))


def _arrays(network: Network) -> Iterator[tuple[str, np.dtype[Any], Array]]:
    """In the order of the file."""
    yield "scale", _INT16, network.scale
    yield "offset", _INT32, network.offset
    for name in ("first", "between", "last"):
        layer = getattr(network, name)
        yield f"{name}.weights", _INT16, layer.weights
        yield f"{name}.bias", _INT32, layer.bias


def _as(kind: np.dtype[Any], name: str, array: Array) -> bytes:
    with np.errstate(invalid="ignore"):
        whole = np.asarray(array).astype(kind)
    if not np.array_equal(whole, array):
        wrong = np.asarray(array)[whole != array]
        raise ValueError(f"the network's {name} has {wrong.flat[0]}, which is no {kind.name}")
    return whole.tobytes()


def check_network(network: Network, players: int, actions: int) -> None:
    """Refuse a network that no file has.

    Args:
        network: The network.
        players: For how many it must have weights.
        actions: How many it must choose from.

    Raises:
        ValueError: Its numbers are out of range, too many or too few; the text says which.
    """
    data = numbers(network)
    body = Body(io.BytesIO(data), len(data), _DamagedError)
    parsed = _network(_Fields("the network", shape(network)), body, players, actions)
    body.check_end()
    for (name, _, array), (_, _, same) in zip(_arrays(network), _arrays(parsed), strict=True):
        if array.shape != same.shape:
            raise ValueError(
                f"the network's {name} has shape {array.shape}; it must be {same.shape}"
            )


# ---- Reading -------------------------------------------------------------------------------------


def read(path: str | os.PathLike[str]) -> Trained:
    """Read a file of players.

    Args:
        path: The file.

    Raises:
        ValueError: It is no such file, or damaged; the text says where.
        OSError: It cannot be read.
    """
    whole = read_file(path, MOST_BYTES)
    try:
        return parse(whole)
    except _DamagedError as error:
        raise ValueError(f"{printable(os.fspath(path))} is no file of players: {error}") from None


def parse(whole: bytes) -> Trained:
    """The players of a file's bytes.

    Raises:
        ValueError: These are not players.
    """
    header, body = _FILE.unpack(whole)
    game = header.string("game", 100)
    card = header.digits("card", 64) if "card" in header.values else ""
    if not card and game not in rom_files.game_names():
        raise _DamagedError(f"there is no game {game!r}")
    players = header.integer("players", 1, MAX_PLAYERS)
    actions = header.ascending("actions", _MOST_ACTIONS, _MOST_ACTIONS - 1)
    md5 = "" if card and header.values.get("md5") == "" else header.digits("md5", 32)
    listed = header.objects("levels")
    names = [level.get("name") for level in listed]
    if not names or [name for name in LEVELS if name in names] != names:
        header.refuse("levels", f"a list of some of the levels {', '.join(LEVELS)}, in this order")
    levels: dict[str, Level] = {}
    networks: dict[str, Network] = {}
    for name, values in zip(names, listed, strict=True):
        level = _Fields(name, values)
        levels[name] = _level(level)
        networks[name] = _network(level.inside("network"), body, players, len(actions))
    body.check_end()
    return Trained(
        game,
        md5,
        players,
        header.integer("mode", 0, 2**31 - 1),
        header.integer("frameskip", 1, 60),
        tuple(actions),
        levels,
        networks,
        card,
    )


class _Fields(Fields):
    """Values of the second line."""

    error = _DamagedError


def _level(level: _Fields) -> Level:
    return Level(
        level.integer("steps", 0, 2**62),
        level.number("minutes", 0, 1e9),
        level.integer("matches", 0, 2**31),
        level.integer("frames", 0, 2**31),
        level.number("score", 0, 1),
        level.number("low", 0, 1),
        level.number("high", 0, 1),
        None if level.values.get("below") is None else level.number("below", 0, 1),
    )


def _network(fields: _Fields, body: Body, players: int, actions: int) -> Network:
    used = fields.ascending("used", RAM_SIZE, RAM_SIZE - 1)
    inputs = 2 * len(used)
    first, between = fields.integers("neurons", 2, 1, MOST_INPUTS, least=2)
    shifts = fields.integers("shifts", 3, 0, MOST_SHIFT, least=3)

    def take(kind: np.dtype[Any], *shape: int) -> Array:
        return _fixed(body.take(kind, *shape).astype(np.float64))

    def layer(shift: int, outputs: int, *before: int) -> DenseLayer:
        weights = take(_INT16, *before, outputs)
        return DenseLayer(weights, take(_INT32, *before[:-1], outputs), shift)

    return Network(
        _fixed(np.array(used)),
        take(_INT16, inputs),
        take(_INT32, inputs),
        layer(shifts[0], first, players, inputs),
        layer(shifts[1], between, first),
        layer(shifts[2], actions, between),
    )


def _fixed(array: Array) -> Array:
    """Make an array read-only: those of the package's players are shared by all callers."""
    array.flags.writeable = False
    return array


_FILE = Container(
    "a file of players", "pyale_ma players 1", _Fields, most_json=16 * 1024, most_bytes=MOST_BYTES
)
