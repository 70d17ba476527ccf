"""Settings of a recorded environment: attributes and methods that decide how it plays.

Users can set attributes of an environment, and replace methods of its console.  No replay would
know, so they are refused.
"""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Callable
from typing import Any

from pyale_ma._base.text import printable
from pyale_ma.recording.file.format import RecordingError


class NothingPlayedError(RecordingError):
    """A step was refused before it was played, so the game is as it was."""


class Settings:
    """Attributes of an environment that must stay as they are now.

    Args:
        env: The environment.
        names: The attributes.
    """

    def __init__(self, env: Any, names: tuple[str, ...]) -> None:
        self._env, self._names = vars(env) if names else {}, names
        self._of: Callable[[Any], Any] = operator.itemgetter(*names) if names else lambda _: ()
        self._kept = tuple(map(_copied, self._of(self._env)))

    def check(self) -> None:
        """Compare them with what they were.

        Raises:
            NothingPlayedError: One was set; the text says which.
        """
        if self._of(self._env) == self._kept:
            return
        for name, was in zip(self._names, self._kept, strict=True):
            if (now := self._env[name]) != was:
                raise NothingPlayedError(
                    f"{name} of the environment was {_short(was)} when it began to be recorded or "
                    f"kept, and is {_short(now)}. Nothing was played: set it back, or close the "
                    "recorder or memory, and make an environment with the arguments wanted"
                )


def refuse_another(name: str, now: Any, made: Any) -> None:
    """Refuse an attribute that differs from what the arguments made it.

    Raises:
        RecordingError: It does.
    """
    if now != made:
        raise RecordingError(
            f"{name} of the environment is {_short(now)}, but its arguments made it "
            f"{_short(made)}: set it back, or make an environment with the arguments wanted"
        )


def _copied(value: Any) -> Any:
    """A value, which others cannot change in place where it is a list."""
    return value.copy() if isinstance(value, list) else value


def _short(value: Any) -> str:
    return printable(reprlib.repr(value))
