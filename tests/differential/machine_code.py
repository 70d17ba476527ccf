"""Pieces of machine code that can be put together, moved and taken out again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Chunk:
    """Machine code that is entered at its first byte and left after its last.

    `fixups` are (position, target): the 16-bit word at `position` becomes the address of byte
    `target` of the same chunk.  `constants` are positions of bytes that may be anything; banks get
    different ones.
    """

    code: bytes
    fixups: tuple[tuple[int, int], ...] = ()
    constants: tuple[int, ...] = ()

    def emit(self, at: int, salt: int) -> bytes:
        code = bytearray(self.code)
        for position, target in self.fixups:
            code[position : position + 2] = (at + target).to_bytes(2, "little")
        for position in self.constants:
            code[position] = (code[position] + 37 * salt) & 0xFF
        return bytes(code)


@dataclass
class Loop:
    """`body` repeated `times` by a counter in RAM."""

    times: int
    counter: int
    body: list[Node] = field(default_factory=list)

    def emit(self, at: int, salt: int) -> bytes:
        head = bytes([0xA9, self.times, 0x85, self.counter])  # LDA #times; STA counter
        start = at + len(head)
        body = emit_all(self.body, start, salt)
        again = bytes([0xC6, self.counter, 0xF0, 3, 0x4C]) + start.to_bytes(
            2, "little"
        )  # DEC; BEQ over; JMP
        return head + body + again


Node = Chunk | Loop


def emit_all(nodes: Sequence[Node], at: int, salt: int) -> bytes:
    code = b""
    for node in nodes:
        code += node.emit(at + len(code), salt)
    return code


def flatten(nodes: Sequence[Node]) -> list[Chunk]:
    chunks: list[Chunk] = []
    for node in nodes:
        chunks += [node] if isinstance(node, Chunk) else flatten(node.body)
    return chunks
