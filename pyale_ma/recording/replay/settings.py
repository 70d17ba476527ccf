"""Refuses changed settings of a recorded environment: attributes that decide how it plays.

Users can set them, and no replay would know.
"""

from __future__ import annotations

import reprlib
from typing import Any

from pyale_ma._base.text import printable
from pyale_ma.recording.file.format import RecordingError


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


def _short(value: Any) -> str:
    return printable(reprlib.repr(value))
