"""Random programs for the console, made from a seed.

Four families, from tame to wild:

    kernel   a frame loop as games have it: VSYNC, a blank that polls the timer, scanline loops
             full of writes to every TIA register at all positions of the line, overscan with
             collisions and inputs stored to RAM, subroutines, code in RAM, decimal arithmetic, bank
             switches; several such frames in turn
    ram      frames in which code runs in RAM that it changes itself
    stream   random instructions, one after the other, with random operands and short branches
    noise    random bytes

A kernel, ram or stream is a tree of nodes that can be taken out one by one (shrink.py).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from differential import ram_code
from differential.cartridges import BANK, LAYOUTS, Layout
from differential.machine_code import Chunk, Loop, Node, emit_all, flatten
from differential.mos6502 import OPCODES, listing
from differential.writer import COUNTER, TRAMPOLINE, Writer

# Games whose rules select no mode, have no starting actions and hardly ever end by chance.
RULES = ("earthworld", "krull", "montezuma_revenge", "robotank", "superman", "venture")


@dataclass
class Program:
    """A ROM image that can be made smaller, with the inputs it is to get."""

    seed: int
    family: str
    layout: Layout
    nodes: list[Node]
    start: int = 0  # address of the first instruction
    subroutine: list[Node] = field(default_factory=list)

    def bank(self, number: int) -> bytes:
        rng = random.Random(self.seed * 64 + number)
        bank = bytearray(rng.randbytes(BANK))
        subroutine = emit_all(self.subroutine, self.start, number) + b"\x60"  # RTS
        main = self.start + len(subroutine)
        body = emit_all(self.nodes, main, number)
        code = subroutine + body + b"\x4c" + main.to_bytes(2, "little")
        handler = self.start + len(code)  # of BRK
        code += b"\x40"  # RTI
        if handler >= self.layout.code[1]:
            raise OverflowError("the program does not fit its bank")
        bank[self.start - 0xF000 : self.start - 0xF000 + len(code)] = code
        if self.layout.trampoline:
            bank[TRAMPOLINE - 0xF000 : 0xFFB] = (
                b"\xe6\x80\xea\xe8\xea\xc8\x60"  # INC $80; NOP; INX; NOP; INY; RTS
            )
        bank[0xFFC:0xFFE] = main.to_bytes(2, "little")
        bank[0xFFE:0x1000] = handler.to_bytes(2, "little")
        return bytes(bank)

    def image(self) -> bytes:
        return self.layout.assemble(self.bank, random.Random(self.seed))

    def describe(self) -> str:
        last = 15
        main = self.start + len(emit_all(self.subroutine, self.start, last)) + 1
        code = emit_all(self.nodes, main, last)
        text = f"seed {self.seed}, {self.family}, {self.layout.scheme}, {len(code)} bytes of code\n"
        return text + listing(code + b"\x4c" + main.to_bytes(2, "little"), main)


@dataclass
class Noise:
    """An image of random bytes, some of them overwritten."""

    seed: int
    family: str
    size: int
    overwritten: dict[int, bytes] = field(default_factory=dict)

    def image(self) -> bytes:
        image = bytearray(random.Random(self.seed).randbytes(self.size))
        for at, data in self.overwritten.items():
            image[at : at + len(data)] = data
        return bytes(image)

    def describe(self) -> str:
        return f"seed {self.seed}, {self.family}, {self.size} bytes"


def _kernel(rng: random.Random, writer: Writer) -> list[Node]:
    """A loop over some frames, each with its own code."""
    first, end = writer.layout.code
    room = (end - first) * 3 // 4
    frames = rng.randint(1, 1 + room // 450)
    nodes: list[Node] = []
    for _ in range(frames):
        scene_start = len(nodes)
        nodes += writer.vsync()
        if rng.random() < 0.8:
            nodes += [writer.store(register) for register in rng.sample(range(0x04, 0x10), 6)]
            nodes += [writer.store(register) for register in rng.sample(range(0x1B, 0x20), 3)]
        if rng.random() < 0.7:
            nodes.append(writer.blank(on=rng.random() < 0.8))
        nodes += [writer.odd_work() for _ in range(rng.randrange(5))]
        nodes.append(rng.choice((writer.poll_timer, writer.lines))())
        if rng.random() < 0.9:
            nodes.append(writer.blank(on=False))
        remaining = rng.choice((192, 192, 192, 240, 20, 80, 120, 300))
        while remaining > 0:
            times = min(rng.choice((1, 1, 2, 3, 8, 20, 60, 192)), remaining)
            remaining -= times
            body = writer.line_of_writes()
            if times > 1:
                loop = Loop(times, COUNTER, body)
                if times > 4 and rng.random() < 0.2:
                    loop.times //= 4
                    loop.body.append(Loop(4, COUNTER + 1, writer.line_of_writes()))
                nodes.append(loop)
            else:
                nodes += body
            if rng.random() < 0.15:
                nodes.append(writer.odd_work())
            if sum(len(chunk.code) for chunk in flatten(nodes[scene_start:])) > room // frames:
                break
        if rng.random() < 0.8:
            nodes.append(writer.blank(on=True))
        nodes += [rng.choice((writer.read, writer.odd_work))() for _ in range(rng.randrange(8))]
        nodes.append(rng.choice((writer.poll_timer, writer.lines, writer.delay))())
    return nodes


def _stream(rng: random.Random, writer: Writer) -> list[Node]:
    """Instructions as they come."""
    makers = [writer.instruction] * 8 + [writer.tia_write, writer.odd_work, writer.delay]
    nodes: list[Node] = [rng.choice(makers)() for _ in range(rng.randint(20, 200))]
    if rng.random() < 0.7:
        nodes += writer.vsync()
    return nodes


_BODIES = {"kernel": _kernel, "ram": ram_code.frames, "stream": _stream}


def _reset_stack(writer: Writer, rng: random.Random) -> Chunk:
    """Return the start of a frame, so that programs that ruin the stack or a flag last."""
    code = b"\xa2\xff\x9a\xd8" if rng.random() < 0.9 else b""  # LDX #$FF; TXS; CLD
    return Chunk(code + writer.operation("INC", "z", 0x80))


def program(seed: int, family: str, scheme: str) -> Program:
    """The kernel or stream of this seed in an image of this scheme."""
    layout = LAYOUTS[scheme]
    rng = random.Random(f"{seed} {family} {scheme}")
    first, end = layout.code
    while True:
        writer = Writer(rng, layout, wild=family != "kernel")
        subroutine: list[Node] = [writer.instruction() for _ in range(rng.randrange(6))]
        body = _BODIES[family](rng, writer)
        nodes = [_reset_stack(writer, rng), *body]
        start = first + rng.randrange(min(0x100, (end - first) // 4))
        for chunk in flatten(nodes):
            if chunk.code == b"\x20\x00\x00":
                chunk.code = b"\x20" + start.to_bytes(2, "little")
        made = Program(seed, family, layout, nodes, start, subroutine)
        while nodes:
            try:
                made.bank(0)
                return made
            except OverflowError:
                del nodes[rng.randrange(len(nodes)) :]


NOISE_SIZES = (2048, 4096, 8192, 10240, 12288, 16384, 32768, 65536)


def noise(seed: int) -> Noise:
    """Random bytes; the vectors point into the ROM, and half the images have few jams."""
    rng = random.Random(f"{seed} noise")
    image = Noise(seed, "noise", rng.choice(NOISE_SIZES))
    for end in range(2048 if image.size == 2048 else 4096, image.size + 1, 4096):
        vectors = (0xF000 | rng.randrange(0x1000 - 8)).to_bytes(2, "little")
        image.overwritten[end - 4] = vectors + (0xF000 | rng.randrange(0x1000 - 8)).to_bytes(
            2, "little"
        )
    if image.size in (8192, 16384, 32768) and rng.random() < 0.3:
        for bank in range(0, image.size, 4096):
            image.overwritten[bank] = bytes([rng.randrange(256)]) * 256
    if rng.random() < 0.6:
        raw = image.image()
        jams = [at for at, byte in enumerate(raw) if OPCODES[byte].name == "JAM"]
        image.overwritten |= {
            at: b"\xea" for at in jams if at not in image.overwritten and at & 0xFFF < 0xFFC
        }
    return image
