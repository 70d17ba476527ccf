"""Programs that copy code to RAM, change it, call it, and let the stack grow over it."""

from __future__ import annotations

import random

from differential.machine_code import Chunk, Loop, Node
from differential.writer import COUNTER, Writer

FIRST, LAST = 0x80, 0xDF  # where the code lies; a part of it reaches into the loop counters
MIRRORS = (0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0100, 0x2000, 0x0400)
LDX_FF_TXS = b"\xa2\xff\x9a"


class _Routine:
    """Code to be copied to RAM, with fixups of the addresses of ROM in it."""

    def __init__(self, rng: random.Random, writer: Writer, base: int) -> None:
        self.rng, self.writer, self.base = rng, writer, base
        self.code = b""
        self.fixups: list[tuple[int, str]] = []  # position, and "helper" or "end" of the chunk
        self.constants: list[int] = []
        for _ in range(rng.randint(1, 10)):
            makers = [self._instruction] * 6 + [self._on_itself] * 4
            makers += [self._branch, self._call, self._stack, self._jump]
            before = len(self.code)
            rng.choice(makers)()
            if rng.random() < 0.15 and len(self.code) - before < 16:  # a few turns of it
                self.code += b"\xca\xd0" + bytes([before - len(self.code) - 3 & 0xFF])  # DEX, BNE
        self.code += b"\x60"  # RTS

    def _place(self) -> int:
        """Return an address in the routine, or close to it."""
        return self.base + self.rng.randrange(-2, len(self.code) + 8)

    def _instruction(self) -> None:
        chunk = self.writer.instruction()
        self.constants += [len(self.code) + position for position in chunk.constants]
        self.code += chunk.code

    def _on_itself(self) -> None:
        """Read or change the routine."""
        op = self.writer.opcode()
        place = self._place()
        if op.length == 1 or op.mode == "#" or self.rng.random() < 0.3:
            op_code, op_length = self.rng.choice((0xE6, 0xC6, 0x85, 0xA5, 0x46, 0x26)), 2
        else:
            op_code, op_length = op.code, op.length
        operand = bytes([place & 0xFF, self.rng.choice(MIRRORS) >> 8])
        self.code += bytes([op_code]) + operand[: op_length - 1]

    def _branch(self) -> None:
        over = self.writer.instruction().code
        opcode = self.rng.choice((0x10, 0x30, 0x50, 0x70, 0x90, 0xB0, 0xD0, 0xF0))
        self.code += bytes([opcode, len(over)]) + over

    def _call(self) -> None:
        rng = self.rng
        kind = rng.random()
        if kind < 0.6:
            self.fixups.append((len(self.code) + 1, "helper"))
            self.code += b"\x20\0\0"  # JSR
        elif kind < 0.75:
            self.code += bytes([0x20, self._place() & 0xFF, 0])
        elif kind < 0.9 or not self.writer.layout.hotspots:
            self.code += bytes([0x00, rng.randrange(256)])  # BRK
        else:
            self.code += self.writer.switch_bank().code

    def _stack(self) -> None:
        rng = self.rng
        kind = rng.random()
        if kind < 0.3:  # LDX, TXS: the stack grows over the routine
            self.code += bytes([0xA2, self._place() & 0xFF, 0x9A])
        else:
            self.code += bytes(rng.choices((0x48, 0x08, 0x68, 0x28, 0xBA), k=rng.randint(1, 3)))

    def _jump(self) -> None:
        if self.rng.random() < 0.5:
            self.fixups.append((len(self.code) + 1, "end"))
            self.code += b"\x4c\0\0"  # JMP
        else:
            self.code += bytes([0x4C, self._place() & 0xFF, 0])


def _changes(rng: random.Random, writer: Writer, base: int, length: int) -> bytes:
    """Change some bytes of a routine, as programs set its operands."""
    code = b""
    for _ in range(rng.choice((0, 0, 1, 1, 2, 4))):
        place = base + rng.randrange(length)
        if rng.random() < 0.5:
            code += bytes([rng.choice((0xE6, 0xC6, 0x46, 0x06)), place])
        else:
            code += bytes([0xA9, rng.randrange(256), 0x85, place])  # LDA, STA
    return code


def routine(rng: random.Random, writer: Writer) -> Chunk:
    """Copy code to RAM and call it a few times."""
    while True:
        base = rng.choice((FIRST, rng.randrange(FIRST, LAST - 8)))
        made = _Routine(rng, writer, base)
        if base + len(made.code) <= 0x100:
            break
    length = len(made.code)
    helper, start = 3, 6
    code = b"\x4c\0\0" + bytes([0xE6, rng.randrange(0xD0, 0xE0), 0x60])  # JMP; helper: INC, RTS
    code += made.code
    copy = len(code)
    code += bytes([0xA2, length - 1])  # LDX
    load = len(code)
    code += bytes([0xBD, 0, 0, 0x95, base, 0xCA, 0x10, 0xF8])  # LDA,X; STA,X; DEX; BPL
    fixups = [(1, copy), (load + 1, start)]
    for _ in range(rng.randint(1, 4)):
        code += _changes(rng, writer, base, length)
        if rng.random() < 0.3:  # a stack that grows over the routine
            code += bytes([0xA2, base + rng.randrange(length + 6) & 0xFF, 0x9A])
        code += bytes([0xA0, rng.randrange(256), 0xA2, rng.randrange(1, 16)])  # LDY, LDX
        entry = base + (rng.randrange(length) if rng.random() < 0.15 else 0)
        code += b"\x20" + (entry | rng.choice(MIRRORS)).to_bytes(2, "little")  # JSR
    end = len(code)
    code += LDX_FF_TXS
    fixups += [
        (start + position, helper if what == "helper" else end) for position, what in made.fixups
    ]
    return Chunk(code, tuple(fixups), tuple(start + position for position in made.constants))


def frames(rng: random.Random, writer: Writer) -> list[Node]:
    """Frames in which code runs in RAM."""
    nodes: list[Node] = []
    for _ in range(rng.randint(1, 3)):
        nodes += writer.vsync()
        nodes += [writer.tia_write() for _ in range(rng.randrange(4))]
        for _ in range(rng.randint(1, 3)):
            chunk = routine(rng, writer)
            times = rng.choice((1, 1, 2, 5, 20))
            nodes.append(Loop(times, COUNTER, [chunk]) if times > 1 else chunk)
        nodes.append(rng.choice((writer.poll_timer, writer.lines, writer.delay, writer.odd_work))())
    return nodes
