"""Files of collectors' states: JSON, and the arrays that it speaks of.

A file is one line that says what it is, one of JSON, the bytes of all arrays one after the other,
little-endian, and the SHA-256 of everything before.  Nothing in it is a program, unlike a pickle,
and what arrays hold takes no more memory than the file has bytes.  What its values mean, and
whether they are possible, is its reader's to check.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from typing import Any, Final, NoReturn

import numpy as np

from pyale_ma._base.files import open_file, written_aside
from pyale_ma._base.text import printable
from pyale_ma.distributed.worker import Array

_MAGIC: Final = b"pyale_ma collector state 1\n"
_KINDS: Final = "biufc"  # of dtypes: what has a meaning without Python
_MOST_AXES: Final = 8  # of an array, more than observations have
_MOST_ARRAYS: Final = 2**16  # of a file, as empty ones take memory, too
_MOST_JSON: Final = 2**23  # bytes of the line; more than as many arrays as there may be need
_DIGEST_BYTES: Final = hashlib.sha256().digest_size


def write(path: str | os.PathLike[str], tree: Any) -> None:
    """Write a file in place of the one that is there, if any; never half of it.

    Args:
        path: The file.
        tree: Dicts with names, lists, whole numbers, floats, texts, None, and arrays.

    Raises:
        TypeError: An array is not of numbers, or a name not a text.
        ValueError: An array has too many axes, there are too many arrays, or there is too much
            beside them.
        OSError: The file cannot be written.  The one that was there is as it was.
    """
    arrays: list[Array] = []

    def packed(part: Any) -> Any:
        if isinstance(part, dict):
            if not all(isinstance(name, str) for name in part):
                raise TypeError(f"names that are not texts cannot be saved: {list(part)}")
            return {name: packed(value) for name, value in part.items()}
        if isinstance(part, list):
            return [packed(value) for value in part]
        if not isinstance(part, np.ndarray):
            return part
        if part.dtype.kind not in _KINDS:
            raise TypeError(f"an array of {part.dtype} cannot be saved: it is not of numbers")
        if part.ndim > _MOST_AXES or len(arrays) == _MOST_ARRAYS:
            raise ValueError(
                f"{_MOST_ARRAYS} arrays of {_MOST_AXES} axes can be saved; this is array "
                f"{len(arrays)}, of shape {part.shape}"
            )
        arrays.append(np.ascontiguousarray(part, part.dtype.newbyteorder("<")).reshape(part.shape))
        return {"array": len(arrays) - 1}

    tree = packed(tree)
    shapes = [[array.dtype.str, list(array.shape)] for array in arrays]
    header = json.dumps({"tree": tree, "arrays": shapes}).encode() + b"\n"
    if len(header) > _MOST_JSON:
        raise ValueError(f"{len(header)} bytes of JSON cannot be saved, only {_MOST_JSON}")
    digest = hashlib.sha256()
    pieces: list[bytes | memoryview] = [_MAGIC, header, *map(_bytes_of, arrays)]
    with written_aside(path) as aside, open(aside, "wb") as file:
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
        file.write(digest.digest())
        file.flush()
        os.fsync(file.fileno())


def read(path: str | os.PathLike[str]) -> Any:
    """Read a value that `write` wrote; arrays are new ones.

    Raises:
        ValueError: The file is not one of `write`, or damaged.
        OSError: It cannot be read.
    """
    try:
        return _read(path)
    except (ValueError, TypeError, LookupError, RecursionError) as problem:
        raise ValueError(
            f"{printable(path)} is not a state of a collector, or damaged: {problem}"
        ) from problem


def _read(path: str | os.PathLike[str]) -> Any:
    with open_file(path) as file:
        left = os.fstat(file.fileno()).st_size
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ValueError("it does not begin as one")
        line = file.readline(_MOST_JSON + 1)
        if len(line) > _MOST_JSON:
            raise ValueError(f"its JSON has more than {_MOST_JSON} bytes")
        digest = hashlib.sha256(_MAGIC + line)
        header = json.loads(line, parse_constant=_no_number)
        if len(header["arrays"]) > _MOST_ARRAYS:
            raise ValueError(f"it has more than {_MOST_ARRAYS} arrays")
        described = [(_dtype(text), _shape(shape)) for text, shape in header["arrays"]]
        left -= len(_MAGIC) + len(line) + _DIGEST_BYTES
        if left != sum(dtype.itemsize * math.prod(shape) for dtype, shape in described):
            raise ValueError("it has another length than it says")
        arrays = []
        for dtype, shape in described:
            array = np.empty(shape, dtype)
            file.readinto(_bytes_of(array))
            digest.update(_bytes_of(array))
            if dtype == np.bool_ and array.view(np.uint8).max(initial=0) > 1:
                raise ValueError("a truth value is neither 0 nor 1")
            arrays.append(array.astype(dtype.newbyteorder("="), copy=False))
        if file.read() != digest.digest():
            raise ValueError("its checksum is wrong")

    def unpacked(part: Any) -> Any:
        if isinstance(part, list):
            return [unpacked(value) for value in part]
        if not isinstance(part, dict):
            return part
        number = part.get("array")
        if len(part) == 1 and type(number) is int:
            if not 0 <= number < len(arrays):
                raise ValueError(f"it has no array {number}")
            return arrays[number]
        return {name: unpacked(value) for name, value in part.items()}

    return unpacked(header["tree"])


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON's")


def stored_integer(value: Any, name: str, high: float = math.inf) -> int:
    """A value that must be a whole number from 0 on.

    Raises:
        ValueError: It is not.
    """
    if type(value) is not int or not 0 <= value <= high:
        raise ValueError(f"{name} is {value!r}")
    return value


def real(value: Any, name: str) -> float:
    """A value that must be a finite number from 0 on.

    Raises:
        ValueError: It is not.
    """
    if type(value) not in (int, float) or not 0 <= value < math.inf:
        raise ValueError(f"{name} is {value!r}")
    return float(value)


def array(value: Any, name: str, dtype: Any, shape: tuple[int | None, ...]) -> Array:
    """A value that must be an array.

    Args:
        value: The value.
        name: For the error.
        dtype: The dtype that it must have.
        shape: The shape that it must have; None for any length.

    Raises:
        ValueError: It is not.
    """
    if not isinstance(value, np.ndarray) or value.dtype != dtype:
        raise ValueError(f"{name} is no array of {dtype}")
    if len(value.shape) != len(shape) or any(
        wanted not in (None, length) for wanted, length in zip(shape, value.shape, strict=True)
    ):
        raise ValueError(f"{name} has shape {value.shape}, not {shape}")
    return value


def _bytes_of(array: Array) -> memoryview:
    """The memory of a contiguous array."""
    return array.reshape(-1).view(np.uint8).data


def _dtype(text: Any) -> np.dtype[Any]:
    if not isinstance(text, str) or len(text) > 4:
        raise ValueError(f"{text!r} is not a dtype")
    dtype = np.dtype(text)
    if dtype.kind not in _KINDS or dtype.str != text:
        raise ValueError(f"{text!r} is not a dtype of numbers")
    return dtype


def _shape(shape: Any) -> tuple[int, ...]:
    if (
        not isinstance(shape, list)
        or len(shape) > _MOST_AXES
        or not all(type(n) is int and n >= 0 for n in shape)
    ):
        raise ValueError(f"{shape!r} is not a shape")
    return tuple(shape)
