"""Players that follow rules written for one game: they read RAM, and learn nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._native import Action
from pyale_ma.opponents.policies import Player

__all__ = ["MOST_FRAMES", "RULES", "Rule", "RulesPolicy"]

Array: TypeAlias = npt.NDArray[Any]
Rule: TypeAlias = Callable[[Array, int], Action]

MOST_FRAMES = 8  # of a step; in longer ones they would hold a button that they must press again


class RulesPolicy(Player):
    """A policy that follows the rules of one game for two players.

    Args:
        rule: A function of RAM, uint8 (128,), and of the seat, that returns an action.
        action_set: Which action each number means, by ale-py's numbers.

    Raises:
        ValueError: There are no actions to the left and to the right, which a knob needs.
    """

    observes = "ram"
    _players = 2

    def __init__(self, rule: Rule, action_set: Sequence[int]) -> None:
        if not {Action.LEFT, Action.RIGHT} <= {*action_set}:
            raise ValueError(
                f"the actions are {list(action_set)}; a player by rules also needs LEFT and RIGHT: "
                "give full_action_space=True"
            )
        self._rule, self._action_set = rule, list(action_set)

    def __call__(self, observations: Array, seats: Array, /) -> Array:
        """Actions, int64 (n,)."""
        seated = zip(observations, seats.tolist(), strict=True)
        actions = [self._action_set.index(self._rule(ram, seat)) for ram, seat in seated]
        return np.array(actions, np.int64)


# ---- 3-D Tic-Tac-Toe -----------------------------------------------------------------------------

_TO_MOVE, _CURSOR, _LAST_SQUARE, _BOARD = 1, 2, 4, slice(26, 90)  # RAM
_UNDER_CURSOR, _LAST_PIECE = 91, 94
_PIECES = 8, 40  # of the first player and of the second
# What a line is worth with so many pieces of one player and none of the other.
_OWN = np.array([1, 8, 64, 100_000, 0])
_OTHER = np.array([0, 4, 32, 10_000, 0])
_STEERING = {
    (0, -1): Action.UP,
    (0, 1): Action.DOWN,
    (-1, 0): Action.LEFT,
    (1, 0): Action.RIGHT,
    (-1, -1): Action.UPLEFT,
    (1, -1): Action.UPRIGHT,
    (-1, 1): Action.DOWNLEFT,
    (1, 1): Action.DOWNRIGHT,
}


def _lines() -> Array:
    """Return which squares are on each of the 76 lines, 0 or 1, int64 (76, 64)."""
    cube = np.arange(64).reshape(4, 4, 4)
    found = set()
    for start, step in product(product(range(4), repeat=3), product((-1, 0, 1), repeat=3)):
        line = np.array(start) + np.arange(4)[:, None] * step
        if any(step) and line.min() >= 0 and line.max() < 4:
            found.add(frozenset(cube[tuple(line.T)].tolist()))
    squares = range(64)
    return np.array([[int(it in line) for it in squares] for line in sorted(map(sorted, found))])


_LINES = _lines()


def _tic_tac_toe_3d(ram: Array, seat: int) -> Action:
    """Complete a line, prevent the other's, or take the square of the best lines."""
    own = _PIECES[seat]
    if ram[_TO_MOVE] != own:
        return Action.NOOP
    cursor = int(ram[_CURSOR])
    board = ram[_BOARD].copy()
    if ram[_LAST_PIECE]:
        board[ram[_LAST_SQUARE]] = ram[_LAST_PIECE]  # which blinks, as the cursor does
    board[cursor] = ram[_UNDER_CURSOR]
    ours, theirs = (_LINES @ (board == piece) for piece in (own, sum(_PIECES) - own))
    worth = np.where(theirs == 0, _OWN[ours], 0) + np.where(ours == 0, _OTHER[theirs], 0)
    squares = np.arange(64)
    right, down = squares % 4 - cursor % 4, squares // 4 - cursor // 4
    way = np.maximum(abs(right), abs(down))  # the cursor moves once in 16 frames
    best = np.argmax(np.where(board == 0, worth @ _LINES - way / 2, -np.inf))
    if best == cursor:
        return Action.FIRE
    return _STEERING[int(np.sign(right[best])), int(np.sign(down[best]))]


# ---- Blackjack and Casino ------------------------------------------------------------------------


class _Table(NamedTuple):
    """Bytes of RAM, of those that each player has the first one's, and choices."""

    decided: int
    stake: int
    total: int  # of the cards
    choice: int
    clock: int
    pause: int  # before the next stake
    hit: int
    stay: int


_BLACKJACK = _Table(decided=81, stake=15, total=89, choice=18, clock=39, pause=113, hit=1, stay=2)
_CASINO = _Table(decided=79, stake=30, total=85, choice=39, clock=50, pause=110, hit=11, stay=12)
_FIRST, _DEALT = 0x80, 8  # of `decided`: the first player, and both have cards
_STAND = 17
_CASINO_INSURE, _CASINO_PASS = 15, 16
_CASINO_THIRD_CARDS, _NO_CARD = (18, 27), 0x77


def _decides(table: _Table, ram: Array, seat: int) -> bool:
    return not ram[table.decided] & _FIRST >> seat


def _confirm(table: _Table, ram: Array, shown: int, wanted: int, turn: Action) -> Action:
    """Turn the knob until it shows what is wanted, then press the button."""
    if ram[shown] != wanted:
        return turn
    held = ram[table.clock] & MOST_FRAMES  # in half of the time, as it counts when it is pressed
    return Action.FIRE if held else Action.NOOP


def _stake(table: _Table, ram: Array, seat: int, least: int) -> Action:
    if ram[table.pause]:
        return Action.RIGHT  # towards the lowest; the last hand's stake is still shown
    return _confirm(table, ram, table.stake + seat, least, Action.RIGHT)


def _hit_or_stay(table: _Table, ram: Array, seat: int, *, hit: bool) -> Action:
    wanted, turn = (table.hit, Action.RIGHT) if hit else (table.stay, Action.LEFT)
    return _confirm(table, ram, table.choice + seat, wanted, turn)


def _blackjack(ram: Array, seat: int) -> Action:
    """Stake one chip, and take cards below 17."""
    table = _BLACKJACK
    if not _decides(table, ram, seat):
        return Action.NOOP
    if not ram[table.decided] & _DEALT:
        return _stake(table, ram, seat, 1)
    return _hit_or_stay(table, ram, seat, hit=ram[table.total + seat] < _STAND)


def _casino(ram: Array, seat: int) -> Action:
    """Stake 20 chips, and take cards below 17; nobody may stay with two cards there."""
    table = _CASINO
    if not _decides(table, ram, seat):
        return Action.NOOP
    if not ram[table.decided] & _DEALT:
        return _stake(table, ram, seat, 2)
    if ram[table.choice + seat] in (_CASINO_INSURE, _CASINO_PASS):
        return _confirm(table, ram, table.choice + seat, _CASINO_PASS, Action.LEFT)
    has_two = ram[_CASINO_THIRD_CARDS[seat]] == _NO_CARD
    return _hit_or_stay(table, ram, seat, hit=has_two or ram[table.total + seat] < _STAND)


# By game, number of players and mode.
RULES: dict[tuple[str, int, int], Rule] = {
    ("blackjack", 2, 100): _blackjack,
    ("casino", 2, 100): _casino,
    ("tic_tac_toe_3d", 2, 108): _tic_tac_toe_3d,
}
