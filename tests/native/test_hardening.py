"""The built library as the loader sees it: what the linker and the compiler were asked to guard."""

from __future__ import annotations

import platform
import struct
import sys
from pathlib import Path

import pytest

from pyale_ma import _native

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads ELF files")

LOAD, DYNAMIC, STACK, RELRO = 1, 2, 0x6474E551, 0x6474E552  # kinds of segments
EXECUTABLE, WRITABLE = 1, 2
STRING_TABLE, TEXTREL, FLAGS, FLAGS_1 = 5, 22, 30, 0x6FFFFFFB  # dynamic tags
DYNAMIC_SYMBOLS = 11  # a kind of sections
BIND_NOW, NOW = 8, 1


class Elf:
    """Program headers, dynamic section and names of dynamic symbols of a 64-bit ELF file."""

    def __init__(self, file: Path) -> None:
        self.data = data = file.read_bytes()
        assert data[:4] == b"\x7fELF"
        assert data[4] == 2, "not a 64-bit file"
        self.order = "<" if data[5] == 1 else ">"
        (start,) = self._read("Q", 32)
        size, count = self._read("HH", 54)
        self.segments = [self._read("IIQQQQQQ", start + i * size) for i in range(count)]
        (self.dynamic,) = (s for s in self.segments if s[0] == DYNAMIC)
        self.tags: dict[int, int] = dict(
            self._read("QQ", self.dynamic[2] + at)  # type: ignore[misc]
            for at in range(0, self.dynamic[5], 16)
        )

    def _read(self, what: str, at: int) -> tuple[int, ...]:
        return struct.unpack_from(self.order + what, self.data, at)

    def flags(self, kind: int) -> list[int]:
        return [segment[1] for segment in self.segments if segment[0] == kind]

    def _offset(self, address: int) -> int:
        for kind, _, offset, virtual, _, size, *_ in self.segments:
            if kind == LOAD and virtual <= address < virtual + size:
                return offset + address - virtual
        raise AssertionError(f"no segment has {address:#x}")

    def symbols(self) -> set[str]:
        (start,) = self._read("Q", 40)
        size, count = self._read("HH", 58)
        sections = [self._read("IIQQQQ", start + i * size) for i in range(count)]
        ((at, length),) = (section[4:] for section in sections if section[1] == DYNAMIC_SYMBOLS)
        strings = self._offset(self.tags[STRING_TABLE])
        names = set()
        for symbol in range(at, at + length, 24):
            begin = strings + self._read("I", symbol)[0]
            names.add(self.data[begin : self.data.index(0, begin)].decode())
        return names


@pytest.fixture(scope="module")
def library() -> Elf:
    return Elf(Path(_native.lib._name))


def test_relocations_are_done_before_it_runs_and_read_only_then(library: Elf) -> None:
    assert library.flags(RELRO)
    assert library.tags.get(FLAGS, 0) & BIND_NOW or library.tags.get(FLAGS_1, 0) & NOW
    assert TEXTREL not in library.tags


def test_nothing_is_writable_and_executable(library: Elf) -> None:
    both = EXECUTABLE | WRITABLE
    assert library.flags(LOAD)
    assert all(flags & both != both for flags in library.flags(LOAD))
    assert library.flags(STACK)
    assert not any(flags & EXECUTABLE for flags in library.flags(STACK))


def test_stacks_and_copies_are_watched(library: Elf) -> None:
    symbols = library.symbols()
    assert "malloc" in symbols
    assert "__stack_chk_fail" in symbols
    if platform.libc_ver()[0] == "glibc":
        assert any(name.startswith("__") and name.endswith("_chk") for name in symbols)
