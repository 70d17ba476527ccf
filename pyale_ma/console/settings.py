"""`Settings` are kept as text, as both originals keep them, and read numbers in it."""

from __future__ import annotations

import re
from types import MappingProxyType

import numpy as np

# Settings of the sound device and the palette, which both originals have with these values.
CORE = MappingProxyType(
    {
        "sound": "false",
        "volume": "100",
        "clipvol": "true",
        "fragsize": "64",
        "freq": "31400",
        "tiafreq": "31400",
        "palette": "standard",
    }
)

# What C's `atoi` and `atof` take of the beginning of a text.
_INTEGER = re.compile(r"\s*([+-]?\d+)", re.ASCII)
_HEXADECIMAL = re.compile(
    r"\s*([+-]?0x(?:[\da-f]+\.?[\da-f]*|\.[\da-f]+)(?:p[+-]?\d+)?)", re.ASCII | re.IGNORECASE
)
_NUMBER = re.compile(
    r"\s*([+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|inf(?:inity)?|nan))",
    re.ASCII | re.IGNORECASE,
)


def text_of(value: bool | int | float | str) -> str:
    """A value as settings keep it: floats with six significant digits of the float32."""
    if isinstance(value, bool):
        return "1" if value else "0"
    return f"{_float32(value):.6g}" if isinstance(value, float) else str(value)


class Settings(dict[str, str]):
    """Settings by name; all are there from the start."""

    def get_int(self, key: str) -> int:
        """The whole number that the text begins with, 0 if none; -1 for an unknown setting.

        It may have 64 bits, the low 32 of which count.
        """
        match = _INTEGER.match(self.get(key, "-1"))
        number = min(max(int(match[1]), -(2**63)), 2**63 - 1) if match else 0
        return (number + 2**31) % 2**32 - 2**31

    def get_float(self, key: str) -> float:
        """The number that the text begins with, as float32, 0 if none; -1 if unknown."""
        text = self.get(key, "-1")
        match = _HEXADECIMAL.match(text)
        if match:
            try:
                return _float32(float.fromhex(match[1]))
            except OverflowError:
                return float("-inf" if "-" in match[1].partition("0x")[0] else "inf")
        match = _NUMBER.match(text)
        return _float32(float(match[1])) if match else 0.0

    def get_bool(self, key: str) -> bool:
        """Whether the text says yes; False for an unknown setting.

        A setting of the core takes one more word.
        """
        text = self.get(key, "")
        return text in ("1", "true") or (text == "True" and key in CORE)


def _float32(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))
