"""Write checksums.txt: what batches of generated programs do on our library.

    python tests/differential/record.py

A line is a batch, the CRC-32 of its images, and that of what they did.  The reference need not run
here; PYALE_MA_TEST_LIVE=1 pytest -m "slow or not slow" tests/differential/test_programs.py plays
all of them beside it.
"""

from __future__ import annotations

import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from differential.cartridges import LAYOUTS
from differential.pair import SOME_FAST_PATHS, make_subject
from differential.programs import Noise, Program, noise, program
from differential.run_program import checksum

FILE = Path(__file__).with_name("checksums.txt")
FAMILIES = ("kernel", "stream")
# Schemes of the family "ram": code in RAM finds the cartridge in other ways in each.
IN_RAM = ("4K", "F8", "F8SC", "E0", "DPC")


class Batch(NamedTuple):
    """Programs of one family and scheme, by their seeds."""

    family: str
    scheme: str
    seeds: range

    def __str__(self) -> str:
        return f"{self.family} {self.scheme} {self.seeds[0]}-{self.seeds[-1]}"

    def programs(self) -> Iterator[Program | Noise]:
        """They themselves."""
        for seed in self.seeds:
            yield noise(seed) if self.family == "noise" else program(seed, self.family, self.scheme)

    def sums(self, make: Callable[[], Any] = make_subject) -> tuple[str, str]:
        """CRC-32 of the images, whether they are those that were recorded, and of what they do."""
        images = does = 0
        for candidate in self.programs():
            image = candidate.image()
            images = zlib.crc32(image, images)
            does = checksum(candidate, make, does, image=image)
        return f"{images:08x}", f"{does:08x}"


def _noise(first: int, last: int, size: int) -> list[Batch]:
    return [Batch("noise", "-", range(at, at + size)) for at in range(first, last, size)]


def _many(scheme: str) -> list[range]:
    size = 120 if scheme == "4K" else 20
    return [range(at, at + size) for at in range(1000, 1000 + 8 * size, size)]


QUICK = [Batch(family, scheme, range(8)) for family in FAMILIES for scheme in LAYOUTS]
QUICK += [Batch("ram", scheme, range(4)) for scheme in IN_RAM]
QUICK_NOISE = _noise(0, 60, 10)
# To be played with these fast paths too.
FOR_FAST_PATHS = [
    (Batch("kernel", scheme, range(200 + 10 * mask, 208 + 10 * mask)), mask)
    for scheme in LAYOUTS
    for mask in SOME_FAST_PATHS
]
MANY = [
    Batch(family, scheme, seeds)
    for family in FAMILIES
    for scheme in LAYOUTS
    for seeds in _many(scheme)
]
MANY += [
    Batch("ram", scheme, range(at, at + 20)) for scheme in IN_RAM for at in range(1000, 1080, 20)
]
MUCH_NOISE = _noise(1000, 3000, 50)


def _line(batch: Batch) -> str:
    return " ".join((str(batch), *batch.sums())) + "\n"


def main() -> None:
    warnings.simplefilter("ignore", UserWarning)  # nobody knows these images
    batches = [*QUICK, *QUICK_NOISE, *(batch for batch, _ in FOR_FAST_PATHS), *MANY, *MUCH_NOISE]
    with Pool() as pool:
        lines = list(pool.imap(_line, batches))
    title = "# Batches of generated programs, CRC-32 of images and of what they do: record.py\n"
    FILE.write_text(title + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
