"""Values of labels, computed with NumPy: what the library's are compared with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyale_ma.labels import Label

_BYTE = np.arange(256, dtype=np.int64)


def values_of(labels: tuple[Label, ...], rams: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Return the values of labels, ``(..., labels)``, of RAM ``(..., 128)``."""
    return np.stack([value_of(label, rams) for label in labels], axis=-1)


def value_of(label: Label, rams: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Return the value of a label."""
    total = np.full(rams.shape[:-1], label.offset, np.int64)
    for byte, parts in zip(label.bytes, parts_of(label), strict=True):
        total += parts[rams[..., byte]]
    return total


def bounds_of(label: Label) -> tuple[int, int]:
    """Return the least and the greatest value of a label."""
    parts = parts_of(label)
    low, high = parts.min(axis=1).sum(), parts.max(axis=1).sum()
    return int(label.offset + low), int(label.offset + high)


def parts_of(label: Label) -> npt.NDArray[np.int64]:
    """Return the part that each value of each byte has in the label's value."""
    places = np.arange(len(label.bytes))[::-1, None]  # of the lowest byte 0
    masks = np.array([[label.mask >> 8 * place & 255] for place in places[:, 0].tolist()])
    bits = _BYTE & masks
    if len(label.bytes) == 1 or label.code == "digits":
        bits //= np.maximum(masks & -masks, 1)
    if label.code == "hmove":
        left = bits >> 4
        parts, base = 15 * (bits & 15) - (left - 16 * (left >> 3)), 1
    elif label.code == "bcd":
        parts, base = 10 * _digit(label, bits >> 4) + _digit(label, bits & 15), 100
    else:
        parts, base = _digit(label, bits), 10 if label.code == "digits" else 256
    if label.code == "signed":
        parts[0] -= 256 * (parts[0] >> 7)
    parts = label.scale * base**places * parts
    return np.broadcast_to(parts, (len(label.bytes), 256))


def _digit(label: Label, bits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return bits if label.blank is None else np.where(bits == label.blank, 0, bits)
