"""`Interruptible`: an environment that asks for `reset` after a call was interrupted."""

from __future__ import annotations

from typing import Any

from gymnasium.utils import seeding

from pyale_ma._base.arguments import check_reset_options
from pyale_ma._native import interrupted
from pyale_ma.console.base_interface import Interface, console_of


class Interruptible:
    """An environment that asks for `reset` after a call was interrupted in the middle.

    Attributes:
        ale: Its console.
    """

    ale: Any
    # Set before a call changes the game, and cleared after it: an exception in between leaves it.
    _interrupted = False

    def _ensure_ready(self) -> None:
        """Refuse a call if an earlier one was interrupted, or still runs.

        Raises:
            RuntimeError: Another one runs.
            gymnasium.error.ResetNeeded: An earlier one was interrupted.
        """
        if self._interrupted:
            self._ensure_free()
            raise interrupted()

    def _check_reset(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Refuse a reset before it changes anything.

        Raises:
            RuntimeError: Another call runs.
            Exception: An argument is not allowed.
        """
        check_reset_options(options, known=("starts",))
        if seed is not None:
            seeding.np_random(seed)
        if self._interrupted:
            self._ensure_free()

    def _ensure_free(self) -> None:
        """Raise RuntimeError if another thread uses the console."""
        if issubclass(type(self.ale), Interface):  # `isinstance` believes proxies
            console_of(self.ale).ensure_free()
