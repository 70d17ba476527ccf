"""Checks of single arguments, whatever takes them: each returns the value, or raises an error."""

from __future__ import annotations

import difflib
import functools
import inspect
import math
import operator
import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from pyale_ma._base.text import listed, nearest

_Function = TypeVar("_Function", bound=Callable[..., Any])

RESET_OPTIONS = ("reset_mask", "mode", "difficulty")
"""Options that the `reset` of a vector takes."""


def check_reset_options(options: Any, known: Collection[str] = ()) -> None:
    """See that a reset of one game is told nothing that it would not do.

    The originals ignore all options, and PettingZoo's own tests give them unknown ones.

    Args:
        options: What `reset` was given.
        known: Names of options that it takes.

    Raises:
        TypeError: They are not a dict.
        ValueError: There is one that vectors have.
    """
    if options is None:
        return
    if not isinstance(options, Mapping):
        raise TypeError(f"options must be a dict, not {options!r}")
    import gymnasium  # not before: `pyale-ma doctor` says what is missing where it is not installed

    for name in options:
        if name in known:
            continue
        if name == "reset_mask":
            raise ValueError("options has 'reset_mask', which is for vectors: leave it out")
        if name in RESET_OPTIONS:
            raise ValueError(
                f"options has {name!r}, which resets only change in vectors: "
                "choose it when you make the environment"
            )
        gymnasium.logger.warn(f"options has {name!r}, which is unknown: it does nothing")


def integer(name: str, value: Any, low: int | None, high: int | None = None) -> int:
    """A whole number in these bounds.

    Args:
        name: The argument's, for the error.
        value: Anything with `__index__`, except for truth values, which are a mistake.
        low: The lowest value allowed; None: no bounds at all.
        high: The highest value allowed; None: no upper bound.

    Raises:
        TypeError: It is not a whole number.
        ValueError: It is out of bounds.
    """
    refuse_truth(name, value)
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None
    if low is not None and (number < low or (high is not None and number > high)):
        allowed = f"{low} or more" if high is None else f"{low} to {high}"
        raise ValueError(f"{name} is {number}; it must be {allowed}")
    return number


def refuse_truth(name: str, value: Any) -> None:
    """TypeError: a truth value, which the originals take as a whole number, is a mistake here."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a whole number, not {value!r}")


def whole(name: str, value: Any) -> int:
    """Anything with `__index__`, also truth values, as the originals take them."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None


def refuse_masked(name: str, values: Any) -> None:
    """Refuse an array with a mask, which NumPy drops when it makes another array of it.

    Raises:
        TypeError: It is one.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array: give one without a mask, such as its filled()")


def whole_numbers(name: str, values: Any) -> npt.NDArray[Any]:
    """An array of whole numbers, from an array, a tensor or nested lists of them.

    Truth values are errors, even in a list with numbers, where NumPy would convert them.

    Returns:
        An array of integers; an array of objects if a number is too large for NumPy's integers.

    Raises:
        TypeError: There is something else, or a mask.
        ValueError: Lists have different lengths.
    """
    refuse_masked(name, values)
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(
            f"{name} must be an array of whole numbers, not {reprlib.repr(values)}"
        ) from None
    is_whole = array.dtype.kind in "iu"
    if is_whole and hasattr(values, "dtype"):
        return array
    items = np.asarray(values, object)  # with their own types
    kinds = {type(item) for item in items.flat}
    others = [kind for kind in kinds if kind is bool or not issubclass(kind, (int, np.integer))]
    if others and not (
        is_whole and all(np.asarray(item).dtype.kind in "iu" for item in items.flat)
    ):
        dtype = "bool" if is_whole else array.dtype
        raise TypeError(f"{name} must be whole numbers, not {dtype}: {reprlib.repr(values)}")
    if is_whole:
        return array
    array = np.asarray(items.tolist())
    return array if array.dtype.kind in "iu" else items


def numbers_of(name: str, numbers: Any) -> npt.NDArray[np.int64]:
    """A list of whole numbers, at least one, as int64.

    Raises:
        TypeError: It is something else.
        IndexError: A number has more than 64 bits, so that it cannot be that of a step or a seat.
    """
    try:
        array = whole_numbers(name, numbers)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 1 or not array.size:
        raise TypeError(f"{name} must be a list of whole numbers, not {numbers!r}")
    wrong = np.flatnonzero((array < -(2**63)) | (array >= 2**63))
    if wrong.size:
        raise IndexError(f"{name}[{wrong[0]}] is {array[wrong[0]]}: there is no such number")
    return array.astype(np.int64)


def is_one_of(value: Any, allowed: Iterable[str | None]) -> bool:
    """Whether a value is one of these texts, even if its `==` returns an array."""
    return (value is None or isinstance(value, str)) and value in tuple(allowed)


def flag(name: str, value: Any) -> bool:
    """True or False; also 1 or 0, which the originals accept."""
    is_number = isinstance(value, (int, np.integer)) and value in (0, 1)
    if not (is_number or isinstance(value, np.bool_)):
        raise no_flag(name, value)
    return bool(value)


def no_flag(name: str, value: Any) -> TypeError:
    """Return the error for what is neither True nor False."""
    return TypeError(f"{name} must be True or False, not {value!r}")


def number(name: str, value: Any, *, allow_truth: bool = True) -> float:
    """A number; one that is too large for a float becomes infinite.

    Args:
        name: The argument's, for the error.
        value: Anything with `__float__`, except for texts.
        allow_truth: Whether it may be a truth value, as the originals take them.
    """
    is_refused = isinstance(value, (str, bytes, *(() if allow_truth else (bool, np.bool_))))
    if is_refused or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {value!r}")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):  # an array of several, or with text
        raise TypeError(f"{name} must be a number, not {value!r}") from None


def probability(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    share = number(name, value)
    if not 0 <= share <= 1:
        raise ValueError(f"{name} is {share}; it must be 0 to 1")
    return share


def fraction(name: str, value: Any) -> float:
    """A number between 0 and 1."""
    share = number(name, value)
    if not 0 < share < 1:
        raise ValueError(f"{name} is {share}; it must be between 0 and 1")
    return share


def known_names(function: _Function) -> _Function:
    """Decorate a function to say what to do about an unknown name, or a value without its name.

    Some layers call the frames of a step `frameskip` and others `frame_skip`, as their originals
    do.  Python's own message names neither.  A function with ``**options`` leaves unknown names to
    whoever gets them, unless one resembles an argument that is missing.
    """
    parameters = [it for it in inspect.signature(function).parameters.values() if it.name != "self"]
    kinds = inspect.Parameter
    ordered = [it for it in parameters if it.kind is kinds.POSITIONAL_OR_KEYWORD]
    by_name = [it.name for it in parameters if it.kind is kinds.KEYWORD_ONLY]
    is_open = any(it.kind is kinds.VAR_KEYWORD for it in parameters)
    names = [*(it.name for it in ordered), *by_name]
    owner = function.__qualname__.removesuffix(".__init__")
    first = len({"self"} & inspect.signature(function).parameters.keys())
    most = first + len(ordered)

    def is_meant(name: str, count: int, named: Mapping[str, Any]) -> bool:
        """Whether a name may stand for an argument that is missing."""
        rest = [it for it in ordered[count:] if it.default is it.empty and it.name not in named]
        return bool(difflib.get_close_matches(name, [it.name for it in rest], n=1))

    @functools.wraps(function)
    def checked(*arguments: Any, **named: Any) -> Any:
        if len(arguments) > most:
            raise unnamed(owner, [it.name for it in ordered], by_name)
        for name in named:
            if name not in names and (not is_open or is_meant(name, len(arguments) - first, named)):
                raise unknown(owner, name, names)
        return function(*arguments, **named)

    return checked  # type: ignore[return-value]


def unknown(owner: str, name: str, names: Iterable[str]) -> TypeError:
    """Return what to raise where a function is given an argument that it does not have.

    Args:
        owner: The function.
        name: The argument.
        names: The arguments that it has.
    """
    cure = "give it to reset" if name == "seed" else nearest(name, names)
    return TypeError(f"{owner} has no argument {name!r}; {cure}")


def unnamed(owner: str, ordered: Sequence[str], by_name: Iterable[str]) -> TypeError:
    """Return what to raise where more values are given without names than a function takes.

    Args:
        owner: The function.
        ordered: Its arguments that may be given without a name.
        by_name: Its other arguments.
    """
    only, others = (f"only {listed(ordered)}", "others") if ordered else ("nothing", "arguments")
    how = listed(f"{name}=..." for name in by_name)
    return TypeError(
        f"{owner} takes {only} without a name" + (f"; give {others} by name: {how}" if how else "")
    )
