"""Arrays of numbers as .npy files, version 1.0.

They are read without NumPy's reader, which has Python evaluate what a header says.
"""

from __future__ import annotations

import io
import math
import re
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_HEADER = 4096  # bytes of what comes before the numbers
_BEGIN = b"\x93NUMPY\x01\x00"
_LENGTH = rb"(?:0|[1-9][0-9]{0,17})"
# As NumPy writes it, and nothing else.
_HEADER = re.compile(
    rb"\{'descr': '(\|b1|\|[iu]1|<[iu][248]|<f[248])', 'fortran_order': False, "
    rb"'shape': \((|%b,|%b(?:, %b){1,7})\), \} *\n" % (_LENGTH, _LENGTH, _LENGTH)
)


def pack(array: npt.NDArray[Any]) -> bytes:
    """An array as a file, with the low byte first."""
    out = io.BytesIO()
    array = np.asarray(array, array.dtype.newbyteorder("<"), order="C")
    np.lib.format.write_array(out, array, (1, 0), allow_pickle=False)
    return out.getvalue()


def unpack(data: bytes, shape: tuple[int | None, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """The array of a file.  It uses the memory of `data`.

    Args:
        data: The file.
        shape: The shape that it must have; None: any length.
        dtype: The dtype that it must have.

    Raises:
        ValueError: It has another, a number that is not finite, or a truth value that is neither 0
            nor 1; or it is no such file.
    """
    start = 10 + int.from_bytes(data[8:10], "little")
    header = _HEADER.fullmatch(data[10:start]) if data.startswith(_BEGIN) else None
    if header is None or start > MOST_HEADER:
        raise ValueError("is no .npy file of numbers as NumPy writes them, version 1.0, in C order")
    dtype, kind = dtype.newbyteorder("<"), np.dtype(header[1].decode())
    lengths = tuple(int(length) for length in header[2].replace(b",", b" ").split())
    if (
        kind != dtype
        or len(lengths) != len(shape)
        or any(
            required not in (None, length) for required, length in zip(shape, lengths, strict=True)
        )
    ):
        raise ValueError(f"is {kind} {lengths}; it must be {dtype} {shape}")
    if len(data) - start != math.prod(lengths) * dtype.itemsize:
        raise ValueError(f"has {len(data) - start} bytes of numbers, not as many as it says")
    array = np.frombuffer(data, dtype, offset=start).reshape(lengths)
    if dtype.kind == "f":
        check_finite(array)
    if dtype.kind == "b" and array.view(np.uint8).max(initial=0) > 1:
        raise ValueError("has a truth value that is neither 0 nor 1")
    aligned: npt.NDArray[Any] = np.require(array, requirements="A")
    return aligned


def check_finite(numbers: Any) -> None:
    """Raise ValueError, and say where, if a number is none, or infinite."""
    finite = np.isfinite(numbers)
    if not finite.all():
        place = tuple(np.argwhere(~finite)[0].tolist())
        wrong = np.asarray(numbers)[place]
        raise ValueError(f"has {wrong} at {list(place)}; it must have finite numbers")
