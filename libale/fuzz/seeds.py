"""Write the inputs that the fuzz targets begin with: ``python libale/fuzz/seeds.py FOLDER``.

They are drawn from a fixed seed. Images are noise, noise without the opcodes that stop the CPU,
noise that mostly stores to the TIA, and such noise in RAM; cards are those of the tests; states
also get bytes from which valid ones are drawn; the other targets get places and values to damage,
or calls to make.
"""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
SCHEMES = len(
    re.findall(r"\bX\(\w+, \d+\)", (SOURCE / "console" / "cartridge" / "schemes.h").read_text())
)
GAMES = len(re.findall(r"(?m)^GAME\(", (SOURCE / "games" / "list.h").read_text()))
HANDS = 10  # bytes of the images' players
JAMS = {0x02, 0x12, 0x22, 0x32, 0x42, 0x52, 0x62, 0x72, 0x92, 0xB2, 0xD2, 0xF2}


def image(generator: random.Random, kind: int, size: int) -> bytes:
    """Noise of one of the four kinds, with the vectors at its beginning."""
    data = bytearray(generator.randbytes(size))
    for at, byte in enumerate(data):
        if kind and byte in JAMS:
            data[at] = 0xEA
        if kind >= 2 and at + 1 < size and byte < 0x60:
            data[at : at + 2] = bytes((0x85, data[at + 1] & 0x3F))
    if kind == 3:  # a loop that copies 80 bytes to RAM, and a jump to them
        data[:13] = bytes.fromhex("a24f bd00f1 9580 ca 10f8 4c8000")
    data[-4:] = b"\x00\xf0\x00\xf0"
    return bytes(data)


def without_md5(card: str) -> bytes:
    """A card for any image."""
    return re.sub("(?m)^md5 = .*", 'rom = "any.bin"', card).encode()


def seeds(generator: random.Random) -> dict[str, list[bytes]]:
    """The inputs by target."""
    images = [
        bytes((0x20 | scheme, generator.randrange(256), generator.randrange(256), 1))
        + generator.randbytes(HANDS)
        + image(generator, kind, 2048)
        for scheme in range(SCHEMES)
        for kind in range(4)
    ]
    images += [bytes(4) + generator.randbytes(HANDS) + image(generator, 2, 4096)]
    states = [
        number.to_bytes(2, "big") + generator.randbytes(1) + drawn + generator.randbytes(4 * most)
        for number in range(2 * SCHEMES + 4 + 2 + 2 * GAMES)
        for drawn, most in ((b"\0", generator.randint(0, 6)), (b"\1", generator.randint(0, 300)))
        for _ in range(4 if number < 2 * SCHEMES + 6 else 1)
    ]
    vectors = [
        bytes((kind, steps)) + generator.randbytes(4 * generator.randint(0, 6))
        for kind in range(256)
        for steps in range(0, 6, 2)
    ]
    calls = [generator.randbytes(generator.randint(20, 400)) for _ in range(200)]
    folder = Path(__file__).parents[2] / "tests" / "cards"
    cards = [without_md5(file.read_text()) for file in sorted(folder.glob("*.toml"))]
    return {"cards": cards, "images": images, "states": states, "vectors": vectors, "calls": calls}


def main() -> None:
    """Write them."""
    for target, inputs in seeds(random.Random(0)).items():
        folder = Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(inputs):
            (folder / f"seed-{number:03}").write_bytes(data)


if __name__ == "__main__":
    main()
