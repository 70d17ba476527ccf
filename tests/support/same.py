"""Compares results, and says which array differs, where, and by what."""

from __future__ import annotations

from typing import Any

import numpy as np


def same(theirs: Any, ours: Any, where: str = "the result") -> None:
    """Hold two results against each other, dtypes and shapes and all.

    Args:
        theirs: What is right: an array, a value, or a tuple, list or dict of such.
        ours: What is to be equal.
        where: What this is, and in which step, for the message.
    """
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), f"{where} has other keys"
        for key, value in theirs.items():
            same(value, ours[key], f"{where}, {key!r}")
    elif isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs), f"{where} has another length"
        for number, (their, our) in enumerate(zip(theirs, ours, strict=True)):
            same(their, our, f"{where}, item {number}")
    elif hasattr(theirs, "dtype") and hasattr(ours, "dtype"):
        _same_array(theirs, ours, where)
    else:
        assert type(ours) is type(theirs), f"{where} is {ours!r}, not {theirs!r}"
        assert ours == theirs, f"{where} is {ours!r}, not {theirs!r}"


def _same_array(theirs: Any, ours: Any, where: str) -> None:
    assert ours.dtype == theirs.dtype, f"{where} is of {ours.dtype}, not {theirs.dtype}"
    assert ours.shape == theirs.shape, f"{where} has the shape {ours.shape}, not {theirs.shape}"
    theirs, ours = np.asarray(theirs), np.asarray(ours)
    if theirs.dtype == object:
        same([*theirs.flat], [*ours.flat], where)
        return
    if theirs.tobytes() == ours.tobytes():
        return
    size = theirs.dtype.itemsize
    by_byte = (
        np.frombuffer(array.tobytes(), np.uint8).reshape(-1, size) for array in (theirs, ours)
    )
    their_bytes, our_bytes = by_byte
    differing = np.flatnonzero((their_bytes != our_bytes).any(1))
    place = tuple(map(int, np.unravel_index(differing[0], theirs.shape)))
    raise AssertionError(
        f"{where} differs in {len(differing)} of {theirs.size} elements, first at {place}: "
        f"{ours[place]}, not {theirs[place]}"
    )
