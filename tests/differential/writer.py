"""Random pieces of code: one instruction or a few that belong together."""

from __future__ import annotations

import random
from collections.abc import Callable

from differential.cartridges import Layout
from differential.machine_code import Chunk, Node
from differential.mos6502 import BY_NAME, JUMPS, MOVES_STACK, OPCODES, USES_STACK, Opcode

VSYNC, VBLANK, WSYNC = 0x00, 0x01, 0x02
RESM0, RESM1, RESBL, HMM0, HMOVE = 0x12, 0x13, 0x14, 0x22, 0x2A
# Register, line cycle of HMOVE, cycles from there to the write that are special (tia.md, 7 and 9).
AFTER_HMOVE = (
    (RESM0, 3, 20), (RESM1, 3, 3), (RESBL, 5, 18), (RESBL, 3, 3), (RESBL, 3, 7), (RESBL, 3, 6),
    (HMM0, 3, 21), (HMM0, 3, 21), (HMM0, 5, 21),
)  # fmt: skip
SHOWN = (*range(0x04, 0x0B), *range(0x0D, 0x15), *range(0x1B, 0x23), *range(0x25, 0x2D))
# Offsets of the timer's addresses: four intervals and their mirrors.
TIMERS = (0, 1, 2, 3, 8, 9, 10, 11)
SWCHA, SWACNT, SWCHB, INTIM, TIMINT, TIM1T = 0x280, 0x281, 0x282, 0x284, 0x285, 0x294
# RAM: $80-$DF belongs to random accesses, $E0-$E7 to loop counters, $E8-$EF to the generator, the
# rest to the stack.
COUNTER, SAVED_SP, POINTER = 0xE0, 0xE8, 0xEA
TRAMPOLINE = 0xFFF4
# Instructions after which the next one follows, and those of them that leave the stack alone.
GO_ON = [op for op in OPCODES if op.name not in {"JAM", *JUMPS, *MOVES_STACK}]
GO_ON_WITHOUT_STACK = [op for op in GO_ON if op.name not in USES_STACK]


def pad(cycles: int) -> bytes:
    """Code that takes so many cycles and does nothing: NOP, NOP zp."""
    if cycles < 2:
        return b""
    return b"\xea" * (cycles // 2) if cycles % 2 == 0 else b"\x04\x80" + pad(cycles - 3)


class Writer:
    """Makes chunks."""

    def __init__(self, rng: random.Random, layout: Layout, *, wild: bool = False) -> None:
        self.rng = rng
        self.layout = layout
        self.wild = wild  # instructions may ruin the stack and the loop counters

    # Addresses.

    def tia_mirror(self, register: int) -> int:
        """Any 16-bit address of a TIA register (A12 = 0, A7 = 0)."""
        address = register | self.rng.getrandbits(16) & 0xEF40
        return address if self.layout.zero_page_tia else address | 0x40

    def zero_page_tia(self, register: int) -> int:
        mirrored = self.rng.random() < 0.3 or not self.layout.zero_page_tia
        return register | 0x40 if mirrored else register

    def riot_mirror(self, register: int) -> int:
        return register | self.rng.getrandbits(16) & 0xE500

    def ram(self) -> int:
        return self.rng.randrange(0x80, 0xE0)

    def any_address(self) -> int:
        """Where a random absolute operand points."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.35:
            return self.ram() | rng.getrandbits(16) & 0xE500
        if kind < 0.6:
            return self.tia_mirror(rng.randrange(0x03, 0x40))
        if kind < 0.72:
            return self.riot_mirror(0x280 | rng.randrange(0x20))
        if kind < 0.8 and self.layout.hotspots:
            return self.hotspot()
        return (
            self.layout.table + rng.randrange(0x80)
            if kind < 0.95
            else 0xF000 | rng.randrange(0xFE0)
        )

    def hotspot(self) -> int:
        first, last = self.rng.choice(self.layout.hotspots)
        address = self.rng.randint(first, last)
        if address >= 0xF000 and self.layout.scheme != "FE" and self.rng.random() < 0.3:
            address &= self.rng.choice((0x1FFF, 0x3FFF, 0x9FFF))
        return address

    # Single instructions.

    def operation(self, name: str, mode: str, operand: int = 0) -> bytes:
        code = bytes([BY_NAME[name, mode]])
        if mode == "-":
            return code
        width = 2 if mode in ("a", "ax", "ay", "i") else 1
        return code + (operand & (0xFFFF if width == 2 else 0xFF)).to_bytes(width, "little")

    def load_value(self, register: str = "A") -> Chunk:
        """Something into A, X or Y, most often a constant."""
        rng = self.rng
        name = f"LD{register}"
        kind = rng.random()
        if kind < 0.6:
            return Chunk(self.operation(name, "#", rng.randrange(256)), constants=(1,))
        if kind < 0.85:
            return Chunk(self.operation(name, "z", self.ram()))
        return Chunk(self.operation(name, "a", self.layout.table + rng.randrange(256)))

    def join(self, *parts: Chunk | bytes) -> Chunk:
        code, fixups, constants = b"", [], []
        for part in parts:
            if isinstance(part, bytes):
                part = Chunk(part)
            constants += [len(code) + position for position in part.constants]
            fixups += [
                (len(code) + position, len(code) + target) for position, target in part.fixups
            ]
            code += part.code
        return Chunk(code, tuple(fixups), tuple(constants))

    # Writes to the TIA.

    def drawing_register(self) -> int:
        """A register of the TIA's that shows, or any."""
        if self.rng.random() < 0.85:
            shown: int = self.rng.choice(SHOWN)
            return shown
        return self.rng.randrange(0x03, 0x40)

    def store(self, register: int) -> Chunk:
        """A value to a TIA register, through any addressing mode."""
        rng, op = self.rng, self.operation
        kind = rng.randrange(16)
        if kind < 6:
            source = rng.choice("AXY")
            return self.join(
                self.load_value(source), op(f"ST{source}", "z", self.zero_page_tia(register))
            )
        if kind < 8:
            source = rng.choice("AXY")
            return self.join(
                self.load_value(source), op(f"ST{source}", "a", self.tia_mirror(register))
            )
        index = rng.randrange(256)
        value = self.load_value()
        load_x, load_y = op("LDX", "#", index), op("LDY", "#", index)
        if kind == 8:
            return self.join(value, load_x, op("STA", "zx", self.zero_page_tia(register) - index))
        if kind == 9:
            return self.join(value, load_x, op("STA", "ax", self.tia_mirror(register) - index))
        if kind == 10:
            return self.join(value, load_y, op("STA", "ay", self.tia_mirror(register) - index))
        if kind == 11:
            target = self.tia_mirror(register) - index & 0xFFFF
            pointer = op("LDA", "#", target & 0xFF) + op("STA", "z", POINTER)
            pointer += op("LDA", "#", target >> 8) + op("STA", "z", POINTER + 1)
            return self.join(pointer, load_y, value, op("STA", "iy", POINTER))
        if kind == 12:
            return self.join(
                value, self.load_value("X"), op("SAX", "z", self.zero_page_tia(register))
            )
        if kind == 13:
            name, mode = rng.choice((("SHA", "ay"), ("SHX", "ay"), ("SHY", "ax")))
            index &= 0x1F
            load = op("LDY" if mode == "ay" else "LDX", "#", index)
            return self.join(value, self.load_value("Y" if name == "SHY" else "X"), load,
                             op(name, mode, self.tia_mirror(register) - index))  # fmt: skip
        if kind == 14:  # push it
            pushes = op("PHA", "-") * rng.randint(1, 3) + op("PHP", "-") * rng.randrange(2)
            enter = (
                op("TSX", "-")
                + op("STX", "z", SAVED_SP)
                + op("LDX", "#", register)
                + op("TXS", "-")
            )
            leave = op("LDX", "z", SAVED_SP) + op("TXS", "-")
            return self.join(enter, value, pushes, leave)
        return self.modify(register)

    def modify(self, register: int) -> Chunk:
        """Read, change and write back a TIA register."""
        rng, op = self.rng, self.operation
        name = rng.choice(
            ["INC", "DEC", "ASL", "LSR", "ROL", "ROR", "SLO", "RLA", "SRE", "RRA", "DCP", "ISB"]
        )
        mode = rng.choice(("z", "z", "zx", "a", "ax"))
        address = self.zero_page_tia(register) if mode[0] == "z" else self.tia_mirror(register)
        if mode in ("z", "a"):
            return Chunk(op(name, mode, address))
        index = rng.randrange(256)
        return Chunk(op("LDX", "#", index) + op(name, mode, address - index))

    def tia_write(self) -> Chunk:
        return self.store(self.drawing_register())

    def burst(self) -> Chunk:
        """A few plain stores in a row, as a kernel draws a line: values first, then the writes."""
        op, rng = self.operation, self.rng
        parts: list[Chunk | bytes] = [self.load_value(register) for register in "AXY"]
        for _ in range(rng.randint(2, 6)):
            name = rng.choice(("STA", "STX", "STY"))
            parts.append(op(name, "z", self.zero_page_tia(self.drawing_register())))
        return self.join(*parts)

    def position(self) -> Chunk:
        """RESP, RESM or RESBL after a wait, and maybe HMOVE, as games place their objects."""
        op, rng = self.operation, self.rng
        strobe = op("STA", "z", self.zero_page_tia(rng.randrange(0x10, 0x15)))
        motion = self.join(
            self.load_value(), op("STA", "z", self.zero_page_tia(rng.randrange(0x20, 0x25)))
        )
        wait = op("LDX", "#", rng.randint(1, 12)) + b"\xca\xd0\xfd"  # DEX; BNE to it
        pad = op("NOP", "-") * rng.randrange(4)
        wsync = self.wsync()
        hmove = op("STA", "z", self.zero_page_tia(0x2A))
        parts: list[Chunk | bytes] = [motion, wsync, pad, wait, strobe]
        if rng.random() < 0.7:
            parts += [wsync] * (rng.random() < 0.7) + [op("NOP", "-") * rng.randrange(8), hmove]
        return self.join(*parts)

    def after_hmove(self) -> Chunk:
        """A write at one of the distances from HMOVE that are special, or beside it."""
        op, rng = self.operation, self.rng
        register, at, distance = rng.choice(AFTER_HMOVE)
        distance += rng.choice((0, 0, 0, -2, 2, 3))
        strobe = op("LDY", "#", 0x60) + op("LDA", "#", 0x70)
        strobe += op("STA", "z", self.zero_page_tia(HMM0)) + self.wsync() + pad(at - 3)
        strobe += op("STA", "z", self.zero_page_tia(HMOVE)) + pad(distance - 3)
        write = op("STY", "z", self.zero_page_tia(register))
        return Chunk(strobe + write)

    def wsync(self) -> bytes:
        return self.operation(
            self.rng.choice(("STA", "STX", "STY")), "z", self.zero_page_tia(WSYNC)
        )

    # Everything else.

    def delay(self) -> Chunk:
        rng, op = self.rng, self.operation
        kind = rng.randrange(4)
        if kind == 0:
            return Chunk(op("NOP", "-") * rng.randint(1, 6))
        if kind == 1:
            return Chunk(op("NOP", "z", 0x80) * rng.randint(1, 3))
        if kind == 2:
            return Chunk(op("PHA", "-") + op("PLA", "-"))
        register, opcode = rng.choice((("LDX", 0xCA), ("LDY", 0x88)))
        return Chunk(
            op(register, "#", rng.randint(1, 20)) + bytes([opcode, rng.choice((0xD0, 0x10)), 0xFD])
        )

    def lines(self) -> Chunk:
        """Empty lines: WSYNC in a loop."""
        register, opcode = self.rng.choice((("LDX", 0xCA), ("LDY", 0x88)))
        branch = self.rng.choice((0xD0, 0xD0, 0x10))
        wsync = self.wsync()
        head = self.operation(register, "#", self.rng.randint(1, 40))
        return Chunk(head + wsync + bytes([opcode, branch, (-len(wsync) - 3) & 0xFF]))

    def read(self) -> Chunk:
        """A register's value to RAM."""
        rng, op = self.rng, self.operation
        kind = rng.random()
        if kind < 0.6:
            register = rng.randrange(0x10)
            zero_page = self.zero_page_tia(register | rng.choice((0x00, 0x30)))
            mode, address = rng.choice((("z", zero_page), ("a", self.tia_mirror(register))))
        elif kind < 0.85:
            mode, address = (
                "a",
                self.riot_mirror(rng.choice((SWCHA, SWCHB, INTIM, TIMINT, SWACNT, 0x283, 0x286))),
            )
        else:
            mode, address = "z", self.ram()
        name = rng.choice(("LDA", "LDA", "LAX", "EOR", "ADC", "ORA", "BIT", "LDX", "LDY"))
        target = self.ram()
        if name == "BIT":
            return Chunk(
                op(name, mode, address) + op("PHP", "-") + op("PLA", "-") + op("STA", "z", target)
            )
        store = {"LDX": "STX", "LDY": "STY"}.get(name, "STA")
        return Chunk(op(name, mode, address) + op(store, "z", target))

    def set_timer(self) -> Chunk:
        value = self.operation("LDA", "#", self.rng.randrange(256))
        return Chunk(
            value + self.operation("STA", "a", self.riot_mirror(TIM1T + self.rng.choice(TIMERS)))
        )

    def poll_timer(self) -> Chunk:
        """Wait for the timer, in one of the shapes that programs use; now and then for ever."""
        rng, op = self.rng, self.operation
        shift, limit = rng.choice(((2, 45), (2, 45), (2, 45), (3, 3), (3, 3), (1, 250), (0, 250)))
        setting = op("LDA", "#", rng.randrange(1, limit))
        setting += op("STA", "a", self.riot_mirror(TIM1T + shift + rng.choice((0, 8))))
        intim, timint = (self.riot_mirror(address) for address in (INTIM, TIMINT))
        load, compare = rng.choice((("LDA", "CMP"), ("LDA", "CMP"), ("LDX", "CPX"), ("LDY", "CPY")))
        read = op(load, "a", intim)
        not_zero, positive, negative, zero, not_below = 0xD0, 0x10, 0x30, 0xF0, 0xB0
        body, branch = rng.choice(
            (
                (read, not_zero),
                (read, not_zero),
                (read, not_zero),
                (read, positive),
                (read, negative),
                (op("BIT", "a", intim), positive),
                (op("LAX", "a", intim), not_zero),
                (
                    read + op(compare, "#", rng.randint(1, 20)),
                    rng.choice((not_below, not_zero, positive)),
                ),
                (read + op("NOP", "-"), not_zero),
                (op("INC", "z", self.ram()) + read, not_zero),
                (self.wsync() + read, positive),
                (self.wsync() + read, not_zero),
                (op("BIT", "a", timint), positive),
                (op("LDA", "a", timint), rng.choice((positive, zero))),
                (op("LDA", "a", timint) + op("AND", "#", 0x80), zero),
            )
        )
        loop = body + bytes([branch, (-len(body) - 2) & 0xFF])
        if branch == negative:
            setting = op("LDA", "#", rng.randrange(0x80, 0x100)) + setting[2:]
        work = rng.choice((b"", b"", self.delay().code, self.wsync()))
        return Chunk((setting if rng.random() < 0.97 else b"") + work + loop)

    def opcode(self) -> Opcode:
        return self.rng.choice(GO_ON if self.wild else GO_ON_WITHOUT_STACK)

    def instruction(self) -> Chunk:
        """Any instruction that goes on to the next one, with a likely operand."""
        rng, op = self.rng, self.operation
        opcode = self.opcode()
        code = bytes([opcode.code])
        if opcode.length == 1:
            return Chunk(code)
        if opcode.mode == "#":
            return Chunk(code + bytes([rng.randrange(256)]), constants=(1,))
        if opcode.length == 3:
            code += self.any_address().to_bytes(2, "little")
        elif opcode.mode[0] == "z":
            zero_page = (
                self.ram() if rng.random() < 0.7 else self.zero_page_tia(rng.randrange(3, 0x40))
            )
            code += bytes([zero_page])
        else:
            code += bytes([POINTER if not self.wild or rng.random() < 0.5 else rng.randrange(256)])
        if self.wild and rng.random() < 0.7:
            return Chunk(code)
        index = rng.randrange(0x20)
        if opcode.mode in ("ix", "iy"):
            address = self.any_address()
            pointer = op("LDX", "#", address & 0xFF) + op("STX", "z", POINTER)
            pointer += op("LDX", "#", address >> 8) + op("STX", "z", POINTER + 1)
            if opcode.mode == "ix":
                index, code = (
                    0,
                    pointer + op("LDX", "#", index) + code[:1] + bytes([POINTER - index]),
                )
            else:
                code = pointer + code
        load = (
            op(f"LD{opcode.mode[1].upper()}", "#", index)
            if opcode.mode in ("zx", "zy", "ax", "ay", "iy")
            else b""
        )
        return Chunk(load + code)

    def arithmetic(self) -> Chunk:
        """Decimal or binary sums of anything, result and flags kept."""
        rng, op = self.rng, self.operation
        names = ["ADC", "SBC", "ADC", "SBC", "RRA", "ISB", "CMP", "SBX", "ARR"]
        parts: list[Chunk | bytes] = [op(rng.choice(("SED", "SED", "CLD")), "-"), self.load_value()]
        for _ in range(rng.randint(1, 4)):
            name = rng.choice(names)
            if name in ("RRA", "ISB"):
                parts.append(op(name, "z", self.ram()))
            elif name in ("SBX", "ARR") or rng.random() < 0.5:
                parts.append(Chunk(op(name, "#", rng.randrange(256)), constants=(1,)))
            else:
                parts.append(op(name, "z", self.ram()))
        parts.append(
            op("STA", "z", self.ram())
            + op("PHP", "-")
            + op("PLA", "-")
            + op("STA", "z", self.ram())
        )
        parts.append(op("CLD", "-"))
        return self.join(*parts)

    def condition(self) -> Chunk:
        """A branch over some instructions, by a flag of something read."""
        rng, op = self.rng, self.operation
        inner = self.join(*(self.instruction() for _ in range(rng.randint(1, 8))))
        test = op("LDA", "z", self.ram()) + op(
            rng.choice(("AND", "CMP")), "#", 1 << rng.randrange(8)
        )
        branch = bytes(
            [rng.choice((0x10, 0x30, 0x50, 0x70, 0x90, 0xB0, 0xD0, 0xF0)), len(inner.code)]
        )
        return self.join(test, branch, inner)

    def indirect_jump(self) -> Chunk:
        op = self.operation
        jump = op("JMP", "i", POINTER)
        word = op("JMP", "a") + b"\0\0"  # the destination, jumped over
        load = op("LDA", "a") + op("STA", "z", POINTER)
        load += op("LDA", "a") + op("STA", "z", POINTER + 1)
        code = word + load + jump + bytes(self.rng.randrange(5))  # lands behind these zeros
        return Chunk(code, ((1, 5), (3, len(code)), (6, 3), (11, 4)))

    def code_in_ram(self) -> Chunk:
        """Instructions copied to RAM and called there; maybe with a byte changed first."""
        rng, op = self.rng, self.operation
        routine = self.join(*(self.instruction() for _ in range(rng.randint(2, 8))), b"\x60").code
        base = rng.randrange(0x80, 0xD0 - len(routine))
        table = op("JMP", "a") + routine
        over = len(table)
        copy = op("LDX", "#", len(routine) - 1)
        load = op("LDA", "ax") + op("STA", "zx", base) + b"\xca\x10\xf8"  # DEX; BPL to the LDA
        change = (
            op("INC", "z", base + rng.randrange(len(routine) - 1)) if rng.random() < 0.3 else b""
        )
        call = op("JSR", "a", base | rng.choice((0x0000, 0x0100, 0x2000, 0x0400)))
        code = table + copy + load + change + call
        return Chunk(code, ((1, over), (over + 3, 3)))

    def stack_play(self) -> Chunk:
        """BRK with its RTI, or a call that pushes into the TIA."""
        op = self.operation
        if self.rng.random() < 0.5:
            return Chunk(op("BRK", "#", self.rng.randrange(256)))
        enter = op("TSX", "-") + op("STX", "z", SAVED_SP)
        enter += op("LDX", "#", self.drawing_register()) + op("TXS", "-")
        call = op("JSR", "a") + op("NOP", "-")
        code = enter + call + op("LDX", "z", SAVED_SP) + op("TXS", "-")
        return Chunk(code, ((len(enter) + 1, len(enter) + 3),))

    def switch_bank(self) -> Chunk:
        rng, op = self.rng, self.operation
        if self.layout.trampoline and rng.random() < 0.25:
            return Chunk(op("JSR", "a", TRAMPOLINE + rng.choice((0, 2, 3))))
        name = rng.choice(("LDA", "STA", "BIT", "LDX", "CMP", "INC", "NOP"))
        after = op("STA", "z", self.ram()) if name == "LDA" else b""
        return Chunk(op(name, "a", self.hotspot()) + after)

    def line_of_writes(self) -> list[Node]:
        """Return code that a kernel runs in about one line."""
        rng = self.rng
        makers: list[Callable[[], Chunk]] = [
            *[self.tia_write] * 3, *[self.instruction] * 2,
            self.burst, self.delay, self.read, self.position, self.after_hmove, self.condition,
        ]  # fmt: skip
        nodes: list[Node] = [rng.choice(makers)() for _ in range(rng.randint(1, 6))]
        if rng.random() < 0.8:
            nodes.insert(rng.choice((0, len(nodes))), Chunk(self.wsync()))
        return nodes

    def odd_work(self) -> Chunk:
        makers = [
            self.arithmetic, self.condition, self.indirect_jump, self.code_in_ram, self.stack_play,
            self.read, self.set_timer, self.poll_timer, self.instruction, self.call,
        ]  # fmt: skip
        if self.layout.hotspots:
            makers += [self.switch_bank] * 3
        return self.rng.choice(makers)()

    def call(self) -> Chunk:
        """The program's subroutine; its address is put in by the caller."""
        return Chunk(b"\x20\x00\x00")

    def vsync(self) -> list[Node]:
        rng, op = self.rng, self.operation
        kind = rng.random()
        sync = self.zero_page_tia(VSYNC)
        if kind < 0.55:
            parts = [op("LDA", "#", 2), op("STA", "z", sync)] + [self.wsync() for _ in range(3)]
            return [Chunk(b"".join([*parts, op("LDA", "#", 0), op("STA", "z", sync)]))]
        if kind < 0.75:  # the loop that shifts its counter out
            body = self.wsync() + op("STA", "z", sync) + b"\x4a"  # LSR
            return [Chunk(op("LDA", "#", 0x0E) + body + bytes([0xD0, (-len(body) - 2) & 0xFF]))]
        if kind < 0.9:  # any length
            on = op("LDA", "#", rng.choice((2, 0xFF))) + op("STA", "z", sync)
            wait = [self.delay() for _ in range(rng.randrange(12))]
            off = op("LDX", "#", rng.choice((0, 0xFD))) + op("STX", "z", sync)
            return [Chunk(on), *wait, Chunk(off)]
        return []  # the line limit ends the frame

    def blank(self, on: bool) -> Chunk:
        value = 2 if on else 0
        if self.rng.random() < 0.15:
            value |= 0xC0
        return Chunk(
            self.operation("LDA", "#", value)
            + self.operation("STA", "z", self.zero_page_tia(VBLANK))
        )
