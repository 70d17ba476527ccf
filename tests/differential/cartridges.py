"""Layouts of generated ROM images: one for each bank-switching scheme that is detected by content.

A layout says where generated code may lie, which addresses are worth accessing (hotspots, cartridge
RAM) and how an image is put together.  The code lies at the same addresses in every bank, with
other constants in each, so that a program survives any switch and shows which bank it ran in.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

BANK = 0x1000

# Bank number -> its 4 KiB as the program sees them at $F000-$FFFF.
BankBuilder = Callable[[int], bytes]


@dataclass(frozen=True)
class Layout:
    """Where things lie in the address space $F000-$FFFF, and how the file is made of banks."""

    scheme: str
    code: tuple[int, int]  # first and last + 1 address of code
    table: int  # 256 readable bytes, maybe code
    hotspots: tuple[tuple[int, int], ...]  # ranges of addresses whose access changes the cartridge
    assemble: Callable[[BankBuilder, random.Random], bytes]
    zero_page_tia: bool = True  # False: the cartridge takes the addresses $0000-$003F
    trampoline: bool = False  # code at $FFF4 may run across the hotspots to an RTS


def _with_signature(image: bytes, signature: bytes, at: int) -> bytes:
    return image[:at] + signature + image[at + len(signature) :]


def _plain(banks: int) -> Callable[[BankBuilder, random.Random], bytes]:
    return lambda bank, rng: b"".join(bank(n) for n in range(banks))


def _extra_ram(banks: int) -> Callable[[BankBuilder, random.Random], bytes]:
    """Detected by banks that start with 256 equal bytes."""

    def assemble(bank: BankBuilder, rng: random.Random) -> bytes:
        return b"".join(bytes([rng.randrange(256)]) * 256 + bank(n)[256:] for n in range(banks))

    return assemble


def _half(bank: BankBuilder, rng: random.Random) -> bytes:
    return bank(0)[0x800:]


def _twice(bank: BankBuilder, rng: random.Random) -> bytes:
    return bank(0)[0x800:] * 2


def _e0(bank: BankBuilder, rng: random.Random) -> bytes:
    slices = [bank(n)[0x400 * (n & 3) :][:0x400] for n in range(7)]
    return _with_signature(b"".join(slices) + bank(7)[0xC00:], b"\xad\xe9\xff", 0)


def _e7(bank: BankBuilder, rng: random.Random) -> bytes:
    """Detected by $200 equal bytes at $3800 with another one beside them."""
    image = bytearray(b"".join(bank(n)[:0x800] for n in range(7)) + bank(7)[0x800:])
    image[0x3800:0x3A00] = bytes([image[0x37FF] ^ 0x55]) * 0x200
    return bytes(image)


def _fe(bank: BankBuilder, rng: random.Random) -> bytes:
    return _with_signature(bank(0) + bank(1), b"\x20\x00\xd0\xc6\xc5", 0x10)


def _dpc(bank: BankBuilder, rng: random.Random) -> bytes:
    return bank(0) + bank(1) + rng.randbytes(2048)


def _ua(bank: BankBuilder, rng: random.Random) -> bytes:
    return _with_signature(bank(0) + bank(1), b"\x8d\x40\x02", 0x10)


def _cv(bank: BankBuilder, rng: random.Random) -> bytes:
    """With an initial RAM: what the reference does with images of 2 KiB is undefined."""
    return _with_signature(bank(1)[:0x800] + bank(0)[0x800:], b"\x9d\xff\xf3", 0x410)


def _three_f(bank: BankBuilder, rng: random.Random) -> bytes:
    low = b"".join(bank(n)[:0x800] for n in range(3))
    return _with_signature(low, b"\x85\x3f\x00\x00\x85\x3f\x00", 0x100) + bank(7)[0x800:]


def _three_e(bank: BankBuilder, rng: random.Random) -> bytes:
    low = b"".join(bank(n)[:0x800] for n in range(3))
    return _with_signature(low, b"\x85\x3e\xa9\x00", 0x100) + bank(7)[0x800:]


_FULL = (0xF000, 0xFDE0)
_AFTER_RAM = (0xF100, 0xFDE0)
_UPPER = (0xF840, 0xFDE0)
_SPOT_F8 = ((0xFFF8, 0xFFF9),)

LAYOUTS = {
    layout.scheme: layout
    for layout in (
        Layout("2K", _UPPER, 0xF800, (), _half),
        Layout("2K twice", _UPPER, 0xF800, (), _twice),
        Layout("4K", _FULL, 0xFE00, (), _plain(1)),
        Layout("F8", _FULL, 0xFE00, _SPOT_F8, _plain(2), trampoline=True),
        Layout(
            "F8SC",
            _AFTER_RAM,
            0xFE00,
            (*_SPOT_F8, (0xF000, 0xF0FF)),
            _extra_ram(2),
            trampoline=True,
        ),
        Layout("F6", _FULL, 0xFE00, ((0xFFF6, 0xFFF9),), _plain(4), trampoline=True),
        Layout("F6SC", _AFTER_RAM, 0xFE00, ((0xFFF6, 0xFFF9), (0xF000, 0xF0FF)), _extra_ram(4)),
        Layout("F4", _FULL, 0xFE00, ((0xFFF4, 0xFFFB),), _plain(8)),
        Layout("F4SC", _AFTER_RAM, 0xFE00, ((0xFFF4, 0xFFFB), (0xF000, 0xF0FF)), _extra_ram(8)),
        Layout("FASC", (0xF200, 0xFDE0), 0xFE00, ((0xFFF8, 0xFFFA), (0xF000, 0xF1FF)), _plain(3)),
        Layout("FE", (0xF040, 0xFDE0), 0xFE00, ((0xD000, 0xDFFF),), _fe),
        Layout("E0", (0xFC00, 0xFF20), 0xF3C0, ((0xFFE0, 0xFFF7), (0xF000, 0xFBFF)), _e0),
        Layout("E7", (0xFA00, 0xFDE0), 0xF7C0, ((0xFFE0, 0xFFEB), (0xF000, 0xF9FF)), _e7),
        Layout("3F", _UPPER, 0xF000, ((0x0000, 0x003F),), _three_f, zero_page_tia=False),
        Layout(
            "3E",
            _UPPER,
            0xF400,
            ((0x003E, 0x003F), (0xF000, 0xF7FF)),
            _three_e,
            zero_page_tia=False,
        ),
        Layout("UA", (0xF040, 0xFDE0), 0xFE00, ((0x0200, 0x027F),), _ua),
        Layout("MB", _FULL, 0xFE00, ((0xFFF0, 0xFFF0),), _plain(16)),
        Layout("CV", _UPPER, 0xF300, ((0xF000, 0xF7FF),), _cv),
        Layout(
            "DPC", (0xF080, 0xFDE0), 0xFE00, (*_SPOT_F8, (0xF000, 0xF07F)), _dpc, trampoline=True
        ),
    )
}
