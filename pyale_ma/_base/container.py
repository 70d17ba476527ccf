"""Files of JSON and arrays, read as if a stranger had written them.

A file is a line that names its kind, a line of JSON, the bytes of arrays one after the other, and
the SHA-256 of all of this, 32 bytes.  Nothing in it is a program, unlike a pickle, and reading it
takes no more memory than it has bytes.  The checksum is compared before anything else is read.
What the values mean, and whether they are possible, is for the reader of each kind to check.

The arrays of a trained player's file are described by its JSON.  All other kinds are trees: dicts
and lists with arrays in them, for which the JSON has `{"array": 0}`, and a list of their types and
shapes.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.fields import Fields, short
from pyale_ma._base.files import open_file, written_aside
from pyale_ma._base.text import printable

Array: TypeAlias = npt.NDArray[Any]
Piece: TypeAlias = bytes | memoryview

DIGEST_SIZE: Final = hashlib.sha256().digest_size
_DTYPES: Final = {np.dtype(code).newbyteorder("<").str for code in "?bBhHiIqQefdFD"}
_MOST_AXES: Final = 8  # of an array, more than observations have
_MOST_ARRAYS: Final = 2**16  # of a file, as empty ones take memory, too
_PIECE: Final = 2**20  # bytes that are hashed at once


class Body:
    """The arrays of a file, taken one after the other.

    Args:
        stream: The file, where its first array begins.
        size: The bytes of all arrays.
        error: The exception for a file that has too few or too many.
    """

    def __init__(self, stream: BinaryIO, size: int, error: type[ValueError] = ValueError) -> None:
        self._stream, self._left, self._error = stream, size, error

    def take(self, dtype: np.dtype[Any], *shape: int) -> Array:
        """Read the next array; the result has this machine's byte order."""
        size = math.prod(shape) * dtype.itemsize
        if size > self._left:
            raise self._error("it ends too early")
        self._left -= size
        array = np.empty(shape, dtype)
        if self._stream.readinto(_bytes_of(array)) != size:  # type: ignore[attr-defined]
            raise self._error("it ends too early")
        if dtype == np.bool_ and array.view(np.uint8).max(initial=0) > 1:
            raise self._error("a truth value is neither 0 nor 1")
        return array.astype(dtype.newbyteorder("="), copy=False)

    def check_end(self) -> None:
        """Raise the error if there are bytes behind the last array."""
        if self._left:
            raise self._error(f"it has {self._left} bytes too many")


@dataclass(frozen=True)
class Container:
    """One kind of file.

    Attributes:
        name: The kind, for messages: "a file of players".
        title: The file's first line.
        fields: The class of its JSON's fields, whose `error` is raised for a file that is not of
            this kind, or damaged.
        most_json: Bytes that the line of JSON may have.
        most_bytes: Bytes that a file may have; None: any number.
    """

    name: str
    title: str
    fields: type[Fields] = Fields
    most_json: int = 2**23
    most_bytes: int | None = None

    @property
    def error(self) -> type[ValueError]:
        """The exception for a file that is not of this kind, or damaged."""
        return self.fields.error

    # ---- Writing ---------------------------------------------------------------------------------

    def pack(self, values: Any, arrays: Iterable[Piece]) -> Iterator[Piece]:
        """Yield the pieces of a file: the given JSON and arrays, and the checksum.

        Raises:
            ValueError: There is too much JSON.
        """
        header = json.dumps(values, separators=(",", ":")).encode() + b"\n"
        if len(header) > self.most_json:
            raise ValueError(f"{len(header)} bytes of JSON cannot be saved, only {self.most_json}")
        digest = hashlib.sha256()
        for piece in (self.title.encode() + b"\n", header, *arrays):
            digest.update(piece)
            yield piece
        yield digest.digest()

    def write(self, path: str | os.PathLike[str], tree: Any) -> None:
        """Write a tree to a file, which then takes the place of an earlier one.

        Args:
            path: The file.
            tree: Dicts with names, lists, whole numbers, floats, texts, None, and arrays.

        Raises:
            TypeError: An array is not of numbers, or a name not a text.
            ValueError: An array has too many axes, there are too many arrays, or too much JSON.
            OSError: The file cannot be written.  An earlier file stays as it was.
        """
        arrays: list[Array] = []
        stripped = _without_arrays(tree, arrays)
        shapes = [[array.dtype.str, list(array.shape)] for array in arrays]
        header = {"tree": stripped, "arrays": shapes}
        with written_aside(path) as aside, open(aside, "wb") as file:
            for piece in self.pack(header, map(_bytes_of, arrays)):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())

    # ---- Reading ---------------------------------------------------------------------------------

    def read(self, path: str | os.PathLike[str]) -> Fields:
        """Read the tree of a file; its arrays are new ones.

        Raises:
            ValueError: The file is not of this kind, or damaged.
            OSError: It cannot be read.
        """
        try:
            with open_file(path) as stream:
                return self._read_tree(stream)
        except (ValueError, RecursionError) as problem:
            raise self.error(f"{printable(path)} is not {self.name}: {problem}") from problem

    def unpack(self, whole: bytes) -> tuple[Fields, Body]:
        """Check a file's bytes; return its JSON and its arrays.

        Raises:
            ValueError: They are not of this kind, or damaged.
        """
        return self._open(io.BytesIO(whole))

    def _open(self, stream: BinaryIO) -> tuple[Fields, Body]:
        """Check the title, the sizes and the checksum of a file."""
        size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        if self.most_bytes is not None and size > self.most_bytes:
            raise self.error(f"it has more than {self.most_bytes} bytes")
        title = self.title.encode() + b"\n"
        if stream.read(len(title)) != title:
            raise self.error(f"it does not begin with {self.title!r}")
        stream.seek(0)
        digest, left = hashlib.sha256(), size - DIGEST_SIZE
        while left > 0 and (piece := stream.read(min(left, _PIECE))):
            digest.update(piece)
            left -= len(piece)
        if left or stream.read() != digest.digest():
            raise self.error("it is damaged: its checksum is another")
        stream.seek(len(title))
        line = stream.readline(self.most_json + 1)
        left = size - DIGEST_SIZE - len(title) - len(line)
        if len(line) > self.most_json or not line.endswith(b"\n") or left < 0:
            raise self.error(f"it has no second line of at most {self.most_json} bytes")
        try:
            values = json.loads(line)
        except (ValueError, RecursionError):
            raise self.error("its second line is no JSON") from None
        if not isinstance(values, dict):
            raise self.error("its second line is no JSON object")
        return self.fields("its second line", values), Body(stream, left, self.error)

    def _read_tree(self, stream: BinaryIO) -> Fields:
        header, body = self._open(stream)
        listed = header.values.get("arrays")
        if not isinstance(listed, list) or len(listed) > _MOST_ARRAYS:
            raise self.error(f"its arrays are no list of at most {_MOST_ARRAYS}")
        described = [self._described(each) for each in listed]
        arrays = [body.take(dtype, *shape) for dtype, shape in described]
        body.check_end()
        tree = self._with_arrays(header.object("tree"), arrays)
        return self.fields("it", tree)

    def _described(self, description: Any) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """Check the dtype and the shape of an array."""
        if not isinstance(description, list) or len(description) != 2:
            raise self.error(f"{short(repr(description))} does not describe an array")
        text, shape = description
        if not isinstance(text, str) or text not in _DTYPES:
            raise self.error(f"{short(repr(text))} is not a dtype of numbers")
        if (
            not isinstance(shape, list)
            or len(shape) > _MOST_AXES
            or not all(type(length) is int and 0 <= length < 2**62 for length in shape)
        ):
            raise self.error(f"{short(repr(shape))} is not a shape")
        return np.dtype(text), tuple(shape)

    def _with_arrays(self, part: Any, arrays: list[Array]) -> Any:
        """Put arrays into a tree where its JSON names them."""
        if isinstance(part, list):
            return [self._with_arrays(value, arrays) for value in part]
        if not isinstance(part, dict):
            return part
        if not _names_an_array(part):
            return {name: self._with_arrays(value, arrays) for name, value in part.items()}
        number = part["array"]
        if not 0 <= number < len(arrays):
            raise self.error(f"it has no array {number}")
        return arrays[number]


def _without_arrays(part: Any, arrays: list[Array]) -> Any:
    """Move a tree's arrays to the end of `arrays`; return the tree as JSON has it."""
    if isinstance(part, dict):
        if not all(isinstance(name, str) for name in part):
            raise TypeError(f"names that are not texts cannot be saved: {list(part)}")
        if _names_an_array(part):
            raise TypeError(f"{part} cannot be saved: it would be read as an array")
        return {name: _without_arrays(value, arrays) for name, value in part.items()}
    if isinstance(part, list):
        return [_without_arrays(value, arrays) for value in part]
    if not isinstance(part, np.ndarray):
        return part
    dtype = part.dtype.newbyteorder("<")
    if dtype.str not in _DTYPES:
        raise TypeError(f"an array of {part.dtype} cannot be saved: it is not of numbers")
    if part.ndim > _MOST_AXES or len(arrays) == _MOST_ARRAYS:
        raise ValueError(
            f"{_MOST_ARRAYS} arrays of {_MOST_AXES} axes can be saved; this is array "
            f"{len(arrays)}, of shape {part.shape}"
        )
    arrays.append(np.ascontiguousarray(part, dtype).reshape(part.shape))
    return {"array": len(arrays) - 1}


def _names_an_array(part: dict[str, Any]) -> bool:
    """Whether a dict of JSON stands for an array."""
    return len(part) == 1 and type(part.get("array")) is int


def _bytes_of(array: Array) -> memoryview:
    """Return the memory of a contiguous array."""
    return array.reshape(-1).view(np.uint8).data
