"""JSON that a stranger may have written: each of its values is checked when it is read.

The JSON of a `pyale_ma._base.container` also has arrays.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable
from typing import Any, ClassVar, NoReturn, TypeGuard, TypeVar

import numpy as np
import numpy.typing as npt

from pyale_ma._base.text import printable

_Self = TypeVar("_Self", bound="Fields")
_SHOWN = 80  # letters of a value in messages


class Fields:
    """Values of a JSON object, each checked when it is read.

    Args:
        place: Where it stands, for messages.
        values: The object.

    Attributes:
        error: The exception for a value that is not allowed.
    """

    error: ClassVar[type[ValueError]] = ValueError

    def __init__(self, place: str, values: Any) -> None:
        if not isinstance(values, dict):
            raise self.error(f"{place} is no object")
        self.place = place
        self.values: dict[str, Any] = values

    def refuse(self, name: str, expected: str) -> NoReturn:
        """Raise an error that has the value, and what it must be."""
        value = self.values.get(name)
        if isinstance(value, np.ndarray):
            shown = f"an array of {value.dtype} and shape {value.shape}"
        else:
            shown = short(json.dumps(_few(value)))
        raise self.error(f"{self.place}: {name} is {shown}; it must be {expected}")

    def integer(self, name: str, low: int, high: int) -> int:
        """A whole number in these bounds."""
        value = self.values.get(name)
        if type(value) is not int or not low <= value <= high:
            self.refuse(name, f"a whole number, {low} to {high}")
        return value

    def integers(self, name: str, most: int, low: int, high: int, *, least: int = 0) -> list[int]:
        """Return a list whose length is within these bounds."""
        value = self.values.get(name)
        if (
            not isinstance(value, list)
            or not least <= len(value) <= most
            or not all(type(number) is int and low <= number <= high for number in value)
        ):
            counts = f"{least} to {most}" if least else f"at most {most}"
            self.refuse(name, f"a list of {counts} whole numbers, {low} to {high}")
        return value

    def ascending(self, name: str, most: int, high: int) -> list[int]:
        """Return a list of one to `most` whole numbers from 0 on, each above the one before."""
        values = self.integers(name, most, 0, high, least=1)
        if any(first >= second for first, second in itertools.pairwise(values)):
            self.refuse(name, "a list of numbers in ascending order")
        return values

    def number(self, name: str, low: float, high: float) -> float:
        """A number in these bounds."""
        value: Any = self.values.get(name)
        if type(value) not in (int, float) or not low <= value <= high:  # nor is NaN
            self.refuse(name, f"a number, {low} to {high}")
        return float(value)

    def boolean(self, name: str) -> bool:
        """True or False."""
        value = self.values.get(name)
        if not isinstance(value, bool):
            self.refuse(name, "true or false")
        return value

    def string(self, name: str, most: int) -> str:
        """Return a text of at most `most` letters."""
        value = self.values.get(name)
        if not is_text(value, most):
            self.refuse(name, f"a text of at most {most} letters")
        return value

    def digits(self, name: str, count: int) -> str:
        """Return a text of `count` hexadecimal digits."""
        value = self.string(name, count)
        if not re.fullmatch(f"[0-9a-f]{{{count}}}", value):
            self.refuse(name, f"{count} hexadecimal digits")
        return value

    def strings(self, name: str, count: int, most: int) -> list[str]:
        """Return a list of `count` texts."""
        value = self.values.get(name)
        if (
            not isinstance(value, list)
            or len(value) != count
            or not all(is_text(text, most) for text in value)
        ):
            self.refuse(name, f"a list of {count} texts of at most {most} letters")
        return value

    def one_of(self, name: str, allowed: Iterable[Any]) -> Any:
        """One of these values."""
        value = self.values.get(name)
        if not any(type(value) is type(each) and value == each for each in allowed):
            self.refuse(name, " or ".join(map(repr, allowed)))
        return value

    def object(self, name: str) -> dict[str, Any]:
        """A JSON object."""
        value = self.values.get(name)
        if not isinstance(value, dict):
            self.refuse(name, "an object")
        return value

    def inside(self: _Self, name: str) -> _Self:
        """The fields of a JSON object."""
        return type(self)(f"{self.place}: {name}", self.object(name))

    def each(self: _Self, name: str) -> list[_Self]:
        """The fields of a list of JSON objects."""
        return [
            type(self)(f"{self.place}: {name}[{number}]", values)
            for number, values in enumerate(self.objects(name))
        ]

    def array(
        self, name: str, dtype: npt.DTypeLike, shape: tuple[int | None, ...]
    ) -> npt.NDArray[Any]:
        """An array of this type and shape; None stands for any length."""
        value = self.values.get(name)
        if (
            not isinstance(value, np.ndarray)
            or value.dtype != dtype
            or len(value.shape) != len(shape)
            or any(n not in (None, length) for n, length in zip(shape, value.shape, strict=True))
        ):
            self.refuse(name, f"an array of {np.dtype(dtype)} and shape {shape}")
        return value

    def only(self, allowed: Iterable[str]) -> None:
        """Refuse other fields."""
        for name in self.values.keys() - set(allowed):
            raise self.error(f"{self.place}: there is no field {short(name)!r}")

    def objects(self, name: str) -> list[dict[str, Any]]:
        """A list of JSON objects."""
        value = self.values.get(name)
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self.refuse(name, "a list of objects")
        return value


def is_text(value: Any, most: int) -> TypeGuard[str]:
    """Whether it is a text of at most `most` letters, and has no half of a letter."""
    return (
        isinstance(value, str)
        and len(value) <= most
        and not any("\ud800" <= letter <= "\udfff" for letter in value)
    )


def _few(value: Any, depth: int = 4) -> Any:
    """Shorten a value for a message: JSON may be nested deeper than Python writes it."""
    if isinstance(value, str):
        return value[:_SHOWN]
    if isinstance(value, np.ndarray):
        return "an array"
    if not isinstance(value, (dict, list)):
        return value
    if not depth:
        return "..."
    few = itertools.islice(value, _SHOWN)
    if isinstance(value, dict):
        return {name[:_SHOWN]: _few(value[name], depth - 1) for name in few}
    return [_few(each, depth - 1) for each in few]


def short(text: object) -> str:
    """A text of the file for messages, shortened: it may have any length."""
    shown = printable(text)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
