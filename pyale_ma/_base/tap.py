"""`Tap`: who is told of everything that changes a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Tap(Protocol):
    """The attribute `tap` of environments, vectors and the library's objects below them, or None.

    Environments and vectors tell what was given to `reset` and `step`, and what came of it.  The
    library's objects say themselves that they play or change, so that nothing passes unheard.
    Recorders and memories are taps.
    """

    def before_reset(self, seed: Any, options: dict[str, Any] | None) -> Any:
        """A reset comes; an exception refuses it.  Return what `after_reset` is given."""

    def after_reset(self, begun: Any) -> None:
        """The reset was done."""

    def before_step(self, actions: Any) -> Any:
        """A step or `send` comes; an exception refuses it.  Return what `after_step` is given."""

    def after_step(self, begun: Any, result: Any) -> None:
        """The step was played; with None, the results of the latest `send` were received."""

    def played(self) -> None:
        """Frames are about to be played, whoever asked for it."""

    def changed(self) -> None:
        """Something else changes the game, or has: a state, RAM, a mode, another cartridge."""

    def copied(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        """Environments of a vector have become copies of others."""

    def before_close(self) -> None:
        """The environment is about to be closed."""


class InnerTap:
    """The tap of a console within an environment, whose own tap hears of steps and resets.

    Args:
        outer: The environment's tap.
    """

    def __init__(self, outer: Tap) -> None:
        self._outer = outer
        self.played, self.changed = outer.played, outer.changed

    def before_reset(self, seed: Any, options: dict[str, Any] | None) -> None:
        """The game changes."""
        self.changed()

    def before_step(self, actions: Any) -> None:
        """It plays."""
        self.played()

    def after_reset(self, begun: Any) -> None:
        """Nothing more."""

    def after_step(self, begun: Any, result: Any) -> None:
        """Nothing more."""

    def copied(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        """No console is copied."""

    def before_close(self) -> None:
        """The console is closed with its environment, or after another took its place."""
