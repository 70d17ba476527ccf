"""Write checksums.txt: what the generated programs of the quick tests do on our library.

    python tests/differential/record.py

A line is a program, the CRC-32 of its image, and that of what it did.  The slow tests play the same
programs beside the reference, so here it need not run.
"""

from __future__ import annotations

import sys
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from differential.cartridges import LAYOUTS
from differential.programs import Noise, Program, noise, program
from differential.run_program import checksum

FILE = Path(__file__).with_name("checksums.txt")
SEEDS = range(8)  # of each family and scheme
NOISE_SEEDS = range(60)


def programs() -> Iterator[tuple[str, Program | Noise]]:
    """Their names and they themselves."""
    for family in ("kernel", "stream"):
        for scheme in LAYOUTS:
            for seed in SEEDS:
                yield f"{family} {scheme} {seed}", program(seed, family, scheme)
    for seed in NOISE_SEEDS:
        yield f"noise - {seed}", noise(seed)


def image_sum(candidate: Program | Noise) -> str:
    """CRC-32 of the image: whether it is the program that was recorded."""
    return f"{zlib.crc32(candidate.image()):08x}"


def main() -> None:
    warnings.simplefilter("ignore", UserWarning)  # nobody knows these images
    with FILE.open("w", encoding="utf-8") as file:
        file.write("# Generated programs, CRC-32 of their images and of what they do: record.py\n")
        for name, candidate in programs():
            file.write(f"{name} {image_sum(candidate)} {checksum(candidate)}\n")


if __name__ == "__main__":
    main()
