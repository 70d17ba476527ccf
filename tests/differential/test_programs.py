"""Generated programs: RAM, screen and rules equal after every frame.

Quickly to what is recorded in checksums.txt, and for a few to the reference itself; slowly for all
that are recorded and for many more to the reference.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from differential import record
from differential.cartridges import LAYOUTS
from differential.pair import SOME_FAST_PATHS, make_subject
from differential.programs import Noise, Program, noise, program
from differential.run_program import checksum, explain, first_difference, real_difference

SUMS = {
    name: (image, does)
    for name, image, does in (
        line.rsplit(maxsplit=2) for line in record.FILE.read_text(encoding="utf-8").splitlines()[1:]
    )
}
BATCHES, BATCH = 8, 20  # of the slow run, for each family and scheme


def check(programs: Sequence[Program | Noise], subject: Callable[[], Any] = make_subject) -> None:
    """Fail with an explanation at the first program that differs."""
    exempt = 0
    for candidate in programs:
        if first_difference(candidate, subject) is None:
            continue
        if real_difference(candidate, subject):
            pytest.fail(explain(candidate, subject), pytrace=False)
        exempt += 1
    if exempt:
        print(f"{exempt} of {len(programs)} images depend on the reference's observers and differ")


def recorded(name: str, candidate: Program | Noise) -> None:
    """Fail unless the program does what it did when it was recorded."""
    image, does = SUMS[name]
    assert record.image_sum(candidate) == image, "another program: run record.py"
    assert checksum(candidate) == does, explain(candidate)


@pytest.mark.parametrize("scheme", LAYOUTS)
@pytest.mark.parametrize("family", ["kernel", "stream"])
def test_recorded_programs(family: str, scheme: str) -> None:
    for seed in record.SEEDS:
        recorded(f"{family} {scheme} {seed}", program(seed, family, scheme))


@pytest.mark.parametrize("first", range(0, len(record.NOISE_SEEDS), 10))
def test_recorded_noise(first: int) -> None:
    for seed in record.NOISE_SEEDS[first : first + 10]:
        recorded(f"noise - {seed}", noise(seed))


@pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(record.SEEDS, marks=pytest.mark.slow)], ids=["one", "recorded"]
)
@pytest.mark.parametrize("scheme", LAYOUTS)
@pytest.mark.parametrize("family", ["kernel", "stream"])
def test_programs(family: str, scheme: str, seeds: range) -> None:
    check([program(seed, family, scheme) for seed in seeds])


# Hand-made images: what is special about them, code at $F000.
_WAIT = (
    "a9da8d9702ad840230fb"  # some 1700 lines by the 1024-cycle timer, without any access to the TIA
)
_LINES = "a2c88502cad0fb4c00f0"  # 200 lines, and from the start again
CORNERS = {
    # GRP0 is on; RESP0 ends the frame at a late clock and still takes effect.
    "late RESP0": f"a9ff851ba91e8506{_WAIT}8510{_LINES}",
    # The same with HMOVE, and in the next frame HMM0 21 cycles later: the star field effect.
    "late HMOVE": f"a9708522a060a902851da91e8506{_WAIT}852a{'ea' * 9}8422{_LINES}",
    # Jam in the picture: greyed once, and not again after a reset.
    "jam": "a91e8509a2508502cad0fb02",
    # No TIA access at all: 25000 instructions a frame.
    "nothing": "e6804c00f0",
}


@pytest.mark.parametrize("code", CORNERS.values(), ids=CORNERS)
def test_corners(code: str) -> None:
    vectors = {0xFFC: b"\x00\xf0\x00\xf0"}
    images = [Noise(seed, "corner", 4096, {0: bytes.fromhex(code), **vectors}) for seed in range(4)]
    check(images)


@pytest.mark.parametrize(
    "seeds",
    [range(0, 60, 12), pytest.param(record.NOISE_SEEDS, marks=pytest.mark.slow)],
    ids=["some", "recorded"],
)
def test_noise(seeds: range) -> None:
    check([noise(seed) for seed in seeds])


@pytest.mark.parametrize("fast_paths", SOME_FAST_PATHS)
@pytest.mark.parametrize("family", ["kernel", "stream"])
def test_without_some_fast_paths(family: str, fast_paths: int) -> None:
    """As with all of them: `test_many_without_some_fast_paths` asks the reference."""
    schemes = ("4K", "F8", "F8SC", "E0")
    for seed in range(100 + 10 * fast_paths, 105 + 10 * fast_paths):
        candidate = program(seed, family, schemes[seed % 4])
        assert checksum(candidate, lambda: make_subject(fast_paths)) == checksum(candidate), seed


@pytest.mark.slow
@pytest.mark.parametrize("fast_paths", SOME_FAST_PATHS)
@pytest.mark.parametrize("scheme", LAYOUTS)
def test_many_without_some_fast_paths(scheme: str, fast_paths: int) -> None:
    first = 200 + 10 * fast_paths
    programs = [program(seed, "kernel", scheme) for seed in range(first, first + 8)]
    check(programs, functools.partial(make_subject, fast_paths))


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("scheme", LAYOUTS)
@pytest.mark.parametrize("family", ["kernel", "stream"])
def test_many_programs(family: str, scheme: str, batch: int) -> None:
    size = BATCH * 6 if scheme == "4K" else BATCH
    seeds = range(1000 + batch * size, 1000 + (batch + 1) * size)
    check([program(seed, family, scheme) for seed in seeds])


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(40))
def test_much_noise(batch: int) -> None:
    check([noise(seed) for seed in range(1000 + 50 * batch, 1050 + 50 * batch)])
