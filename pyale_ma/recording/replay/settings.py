"""Settings of a recorded environment: attributes and methods that decide how it plays.

Users can set attributes of an environment, and replace methods of its console.  No replay would
know, so they are refused.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pyale_ma._base.text import listed, printable
from pyale_ma.console.overrides import has_methods
from pyale_ma.recording.file.format import RecordingError
from pyale_ma.single import ALEInterface

# The methods of a console by which `AtariEnv` plays.
_PLAYED: Mapping[str, Any] = MappingProxyType(
    {
        name: getattr(ALEInterface, name)
        for name in (
            *("act", "game_over", "game_truncated", "reset_game"),
            *("setInt", "loadROM", "setMode", "setDifficulty"),
        )
    }
)


def refuse_change(name: str, now: Any, was: Any) -> None:
    """Refuse an attribute that is set while an environment is recorded.

    Raises:
        RecordingError: It was.
    """
    if now != was:
        raise RecordingError(
            f"{name} of the environment was {_short(was)} when it began to be recorded or kept, "
            f"and is {_short(now)}. Nothing was played: set it back, or close the recorder or "
            "memory, and make an environment with the arguments wanted"
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


def check_methods(ale: Any) -> None:
    """Refuse a console with methods that are not ours, without which a replay would play.

    Raises:
        RecordingError: It has some; the text says which.
    """
    if not has_methods(ale, ALEInterface, _PLAYED):
        names = [
            name for name, own in _PLAYED.items() if not has_methods(ale, ALEInterface, {name: own})
        ]
        raise RecordingError(
            f"methods of the console (env.ale) were replaced: {listed(names)}. Nothing was played, "
            "as a replay would play without them: put them back, or wrap the environment instead"
        )


def _short(value: Any) -> str:
    return printable(reprlib.repr(value))
