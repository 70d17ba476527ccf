"""Labels: names for bytes of RAM, and their values."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import POINTER, byref, pointer
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._native.abi import LABEL_BYTES, RAM_SIZE, Label
from pyale_ma._native.library import check, lib

Array: TypeAlias = npt.NDArray[np.int32]


def native_label(places: tuple[int, ...], **fields: Any) -> Label:
    """Return a label as the library reads it.

    Args:
        places: Indices into RAM, the one with the highest digits first.
        **fields: The other fields of ``ale_label``.

    Raises:
        ValueError: A field is out of range, or values do not fit into 32 bits.
    """
    if len(places) > LABEL_BYTES:
        raise ValueError(f"label has {len(places)} bytes; it must have at most {LABEL_BYTES}")
    label = Label()
    label.byte_count = len(places)
    label.places[: len(places)] = list(places)
    for name, value in fields.items():
        setattr(label, name, value)
    check(lib.ale_label_bound(byref(label)))
    return label


def labels_of_game(number: int) -> list[Label]:
    """Return the labels that the library has of a game, by its number."""
    labels = [Label() for _ in range(lib.ale_game_label_count(number))]
    for index, label in enumerate(labels):
        check(lib.ale_game_label(number, index, byref(label)))
    return labels


class LabelReader:
    """Computes the values of labels.

    Args:
        labels: The labels.
    """

    def __init__(self, labels: Iterable[Label]) -> None:
        self._labels = tuple(labels)
        self._pointers = (POINTER(Label) * len(self._labels))(*map(pointer, self._labels))

    def values(self, rams: npt.NDArray[np.uint8]) -> Array:
        """Return int32 ``(..., number of labels)``, of RAM, uint8 ``(..., 128)``."""
        rams = np.ascontiguousarray(rams)
        count, rows = len(self._labels), rams.size // RAM_SIZE
        values = np.empty((*rams.shape[:-1], count), np.int32)
        check(
            lib.ale_label_values(
                *(self._pointers, count, rams.ctypes.data, rows, values.ctypes.data)
            )
        )
        return values
