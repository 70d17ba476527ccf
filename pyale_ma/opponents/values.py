"""The worth of positions beyond their rewards: the values that a planner's settings name.

A value is a function of RAM, uint8 (n, 128), that returns a number for each player, (n, players),
in units of rewards.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["VALUES", "Value"]

Array: TypeAlias = npt.NDArray[Any]
Value: TypeAlias = Callable[[npt.NDArray[np.uint8]], Array]

# Bytes of Human Cannonball.
_PHASE = 15  # of the shot: 0 until it is fired
_WATER = 14  # not 0 if the shot has hit, until the hit is counted
_SHOOTER = 53
_MISS = -0.5

# Bytes of Maze Craze.  The first are the playfield: for each of five of its registers on a line a
# byte for each row of rooms, from below.
_MAZE = 60
_ROWS, _COLUMNS = 12, 19  # of rooms
_X, _Y = slice(78, 80), slice(71, 73)  # of both players: 8 a column, from 4, and 4 a row
_ROOM = -0.01  # for each room on the way out

# Bytes of Warlords: the playfield of four castles, in the order of their players.
_CASTLES = slice(15, 79)
_BRICKS = 82  # bits of a whole castle


def human_cannonball(ram: npt.NDArray[np.uint8]) -> Array:
    """Return what the present shot of Human Cannonball is worth.

    The reward of a hit comes a second after the landing; this knows it at the landing.  A shot
    without a hit costs the shooter something, so that a planner shoots only if it hits.
    """
    has_fired, hits = ram[:, _PHASE] > 0, ram[:, _WATER] > 0
    worth = np.zeros((len(ram), 2))
    shooter = ram[:, _SHOOTER] & 1
    worth[np.arange(len(ram)), shooter] = np.where(hits, 1, np.where(has_fired, _MISS, 0))
    return worth


def maze_craze(ram: npt.NDArray[np.uint8]) -> Array:
    """Return how near both players of Maze Craze are to the way out, along the paths."""
    ways = np.array([_ways_out(it.tobytes()) for it in ram[:, :_MAZE]])
    column = np.clip((ram[:, _X].astype(float) - 4) / 8, 0, _COLUMNS - 1)
    row = np.clip(ram[:, _Y] / 4, 0, _ROWS - 1)
    every = np.arange(len(ram))[:, None]
    near, far = (
        ways[every, side(row).astype(int), side(column).astype(int)] for side in (np.floor, np.ceil)
    )
    part = np.maximum(column % 1, row % 1)  # of the way from one room to the next
    worth: Array = _ROOM * (near * (1 - part) + far * part)
    return worth


@functools.lru_cache(maxsize=256)
def _ways_out(maze: bytes) -> Array:
    """Return how many rooms are on the way out from each room, (rows from below, columns)."""
    registers = np.unpackbits(np.frombuffer(maze, np.uint8).reshape(5, _ROWS, 1), axis=-1)
    edges, left_1, left_2, right_1, right_2 = registers  # their highest bits first
    screen = [edges[:, 3::-1], left_1, left_2[:, ::-1], edges[:, :3:-1], right_1, right_2[:, ::-1]]
    walls = np.concatenate(screen, axis=1)
    above, beside = walls[:, 1:39:2], walls[:, 2:40:2]  # of each room
    ways = np.full((_ROWS, _COLUMNS), _ROWS * _COLUMNS)  # as far as no way is
    border = [(int(row), _COLUMNS - 1) for row in np.flatnonzero(beside[:, -1] == 0)]
    length = 0
    while border:
        found = []
        for row, column in border:
            ways[row, column] = length
            if column and not beside[row, column - 1]:
                found.append((row, column - 1))
            if column < _COLUMNS - 1 and not beside[row, column]:
                found.append((row, column + 1))
            if row and not above[row - 1, column]:
                found.append((row - 1, column))
            if row < _ROWS - 1 and not above[row, column]:
                found.append((row + 1, column))
        length += 1
        border = [room for room in {*found} if ways[room] > length]
    return ways


def warlords(ram: npt.NDArray[np.uint8]) -> Array:
    """Return how much of each castle's wall stands; the last bricks are worth most."""
    bricks = np.unpackbits(ram[:, _CASTLES].reshape(len(ram), 4, -1), axis=2).sum(axis=2)
    worth: Array = np.sqrt(bricks / _BRICKS)
    return worth


VALUES: Mapping[str, Value] = {
    "human_cannonball": human_cannonball,
    "maze_craze": maze_craze,
    "warlords": warlords,
}
"""The values by name."""
