"""Opponents at a console that people play, frame by frame."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import integer, numbers_of
from pyale_ma._native import RAM_SIZE, Env
from pyale_ma.console.state import ALEState
from pyale_ma.games.selection import Selection
from pyale_ma.opponents.catalogue import RULED, Contest, load, select
from pyale_ma.opponents.seat_table import OPEN, SeatTable
from pyale_ma.opponents.trained import TrainedPolicy
from pyale_ma.vector.branches import Branches

__all__ = ["ConsoleOpponents"]

Array: TypeAlias = npt.NDArray[Any]

_FRAMESKIP = 4  # of those that did not learn with another


class ConsoleOpponents:
    """Opponents on some seats of one console: they decide as often as they have learned to.

    Args:
        played: What is played there.
        level: The level of all of them, as of `pyale_ma.opponents.load`.
        seats: Theirs, from 0.
        seed: The seed of their random numbers; None: another one each time.
        env: The console, for opponents that make branches of the game; None: they are refused.

    Attributes:
        level: As given.
        seats: As given.
        people: The other seats, which are left to people.

    Raises:
        TypeError: `played` is not a `Contest`, or a seat or `seed` no whole number.
        ValueError: There is no such level or player, or no such seat, or one is there twice, or
            `seed` is below 0, or a planner gets no `env`; the text says what there is.
    """

    def __init__(
        self,
        played: Contest,
        level: str,
        seats: Sequence[int],
        seed: int | None = None,
        env: Env | None = None,
    ) -> None:
        if not isinstance(played, Contest):
            raise TypeError(f"played must be a Contest, as `contest` makes it, not {played!r}")
        seats = [int(seat) for seat in numbers_of("seats", seats)]
        if wrong := [seat for seat in seats if not 0 <= seat < played.players]:
            raise ValueError(f"seats has {wrong[0]}; {played} has 0 to {played.players - 1}")
        if len({*seats}) < len(seats):
            raise ValueError(f"seats is {seats}; each can be there once")
        # A contest's own actions may lack those of a knob.
        every = level == RULED
        policy = load(played, level, full_action_space=every)
        trained = policy.trained if isinstance(policy, TrainedPolicy) else None
        self.level, self.seats = level, tuple(seats)
        self._frameskip = trained.frameskip if trained else _FRAMESKIP
        selection = select(played, full_action_space=every)
        self._meanings = selection.action_set
        game = None if env is None else _Branching(selection, env)
        self._words = _words(secrets.randbits(128) if seed is None else integer("seed", seed, 0))
        self._table = SeatTable(1, played.players, len(self._meanings), game=game)
        number = self._table.add(level, policy)
        self._who = [number if seat in seats else OPEN for seat in range(played.players)]
        self._match = -1
        self.begin()
        self.people = tuple(self._table.open_seats(0))

    def begin(self) -> None:
        """A game begins, or goes on elsewhere: they know nothing of what was before."""
        self._match += 1
        self._table.begin(0, self._who, self._match, (*self._words, self._match))
        self._frame = 0
        self._actions: list[int] = []

    def actions(self, ram: Array) -> list[int]:
        """Return their actions in the next frame; ask once for each frame.

        Args:
            ram: uint8 (128,): the console's RAM.

        Returns:
            An action for each seat, by ale-py's numbers.

        Raises:
            ValueError: `ram` has another shape or type.
        """
        if np.shape(ram) != (RAM_SIZE,) or getattr(ram, "dtype", None) != np.uint8:
            raise ValueError(f"ram must be uint8 ({RAM_SIZE},), a console's")
        if self._frame % self._frameskip == 0:
            chosen = np.zeros((1, len(self._who)), np.int64)
            self._table.choose(chosen, ram[None], ram[None])
            self._actions = [self._meanings[chosen[0, seat]] for seat in self.seats]
        self._frame += 1
        return self._actions


class _Branching:
    """A console of which branches can be made."""

    def __init__(self, played: Selection, env: Env) -> None:
        self._played, self._env = played, env

    def branches(self, count: int, *, others: Any) -> Branches:
        options = self._env.options
        return Branches(
            self._played,
            1,
            lambda _: self._env.saved(ALEState, True),
            count,
            others,
            {
                "frameskip": _FRAMESKIP,
                "num_threads": 0,
                "max_num_frames_per_episode": None,
                "corrected_rules": bool(options.get("corrected_rules", False)),
            },
        )


def _words(entropy: int) -> list[int]:
    """Split a seed into words of 32 bits, four at least, as NumPy does before a spawn key."""
    count = max(4, -(-entropy.bit_length() // 32))
    return [entropy >> 32 * word & 0xFFFFFFFF for word in range(count)]
