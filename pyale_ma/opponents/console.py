"""Opponents at a console that people play, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._native import RAM_SIZE
from pyale_ma.opponents.catalogue import Contest, actions_of, load
from pyale_ma.opponents.policies import PolicyRunner
from pyale_ma.opponents.trained import TrainedPolicy
from pyale_ma.recording.replay.windows import numbers_of

__all__ = ["ConsoleOpponents"]

Array: TypeAlias = npt.NDArray[Any]

_FRAMESKIP = 4  # of those that did not learn with another


class ConsoleOpponents:
    """Opponents at some seats of one console: as often as they are used to, they decide anew.

    Args:
        played: What is played there.
        level: The level of all of them, as of `pyale_ma.opponents.load`.
        seats: Theirs, from 0.
        seed: The seed of their random numbers; None: another one each time.

    Attributes:
        level: As given.
        seats: As given.

    Raises:
        TypeError: `played` is no `Contest`, or a seat no whole number.
        ValueError: There is no such level or player, or no such seat, or one is there twice; the
            text says what there is.
    """

    def __init__(
        self, played: Contest, level: str, seats: Sequence[int], seed: int | None = None
    ) -> None:
        if not isinstance(played, Contest):
            raise TypeError(f"played must be a Contest, as `contest` makes it, not {played!r}")
        seats = [int(seat) for seat in numbers_of("seats", seats)]
        if wrong := [seat for seat in seats if not 0 <= seat < played.players]:
            raise ValueError(f"seats has {wrong[0]}; {played} has 0 to {played.players - 1}")
        if len({*seats}) < len(seats):
            raise ValueError(f"seats is {seats}; each can be there once")
        policy = load(played, level)
        trained = policy.trained if isinstance(policy, TrainedPolicy) else None
        self.level, self.seats = level, tuple(seats)
        self._frameskip = trained.frameskip if trained else _FRAMESKIP
        self._meanings = actions_of(played)
        self._entropy = np.random.SeedSequence(seed).entropy
        self._seated = PolicyRunner(level, policy, len(self._meanings), self._generator)
        self._match = -1
        self.begin()

    def _generator(self, env: int, seat: int) -> np.random.Generator:
        seed = np.random.SeedSequence(self._entropy, spawn_key=(self._match, seat))
        return np.random.default_rng(seed)

    def begin(self) -> None:
        """A game begins, or goes on elsewhere: they know nothing of what was before."""
        self._seated.forget(0, self.seats)
        self._match += 1
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
            seats = np.array(self.seats, np.int64)
            chosen = self._seated.act(
                np.repeat(ram[None], len(seats), axis=0),
                np.zeros_like(seats),
                seats,
                np.full_like(seats, self._match),
            )
            self._actions = [self._meanings[index] for index in chosen.tolist()]
        self._frame += 1
        return self._actions
