"""Changes the bytes of a saved state, as an attacker would, or an experiment."""

from __future__ import annotations

import struct

MASK = 2**64 - 1
CHECKSUM = 24  # its place among a state's bytes


def mended(data: bytes) -> bytes:
    """`data` with the right checksum."""
    blank = data[:CHECKSUM] + bytes(8) + data[CHECKSUM + 8 :]
    total = len(blank)
    for (word,) in struct.iter_unpack("<Q", blank + bytes(-len(blank) % 8)):
        total = (total ^ word) * 0x9E3779B97F4A7C15 & MASK
        total ^= total >> 32
    return data[:CHECKSUM] + struct.pack("<Q", total) + data[CHECKSUM + 8 :]
