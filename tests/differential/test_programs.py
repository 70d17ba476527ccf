"""Generated programs: RAM, screen and rules equal after every frame.

Ours are compared with checksums.txt, which has what thousands of them did beside the reference
(record.py); some of them are played beside it in the quick tests, hundreds in the slow ones, and
all with PYALE_MA_TEST_LIVE=1.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from differential import record
from differential.pair import LIVE, SOME_FAST_PATHS, make_subject
from differential.programs import Noise, Program, program
from differential.record import Batch
from differential.run_program import explain, first_difference, real_difference

SUMS = {
    name: (images, does)
    for name, images, does in (
        line.rsplit(maxsplit=2) for line in record.FILE.read_text(encoding="utf-8").splitlines()[1:]
    )
}


def check(programs: Iterable[Program | Noise], subject: Callable[[], Any] = make_subject) -> None:
    """Fail with an explanation at the first program that differs from the reference."""
    exempt = 0
    for candidate in programs:
        if first_difference(candidate, subject) is None:
            continue
        if real_difference(candidate, subject):
            pytest.fail(explain(candidate, subject), pytrace=False)
        exempt += 1
    if exempt:
        print(f"{exempt} images depend on the reference's observers and differ")


def recorded(batch: Batch, subject: Callable[[], Any] = make_subject) -> None:
    """Fail unless the programs do what they did when they were recorded."""
    if LIVE:
        check(batch.programs(), subject)
        return
    images, does = batch.sums(subject)
    assert images == SUMS[str(batch)][0], "other programs: run record.py"
    if does != SUMS[str(batch)][1]:
        check(batch.programs(), subject)
        pytest.fail("as the reference does, but not as recorded: is record.py to be run?")


def some_live(batch: Batch) -> None:
    """The first program beside the reference, all as they were recorded."""
    check(batch._replace(seeds=batch.seeds[:1]).programs())
    recorded(batch)


@pytest.mark.parametrize("batch", record.QUICK, ids=str)
def test_programs(batch: Batch) -> None:
    some_live(batch)


@pytest.mark.parametrize("batch", record.QUICK_NOISE, ids=str)
def test_noise(batch: Batch) -> None:
    some_live(batch)


@pytest.mark.slow
@pytest.mark.parametrize("batch", [*record.QUICK, *record.QUICK_NOISE], ids=str)
def test_beside_the_reference(batch: Batch) -> None:
    """All but the first program, which the quick tests play beside it."""
    check(batch._replace(seeds=batch.seeds[1:]).programs())


@pytest.mark.slow
@pytest.mark.parametrize("batch", [*record.MANY, *record.MUCH_NOISE], ids=str)
def test_many(batch: Batch) -> None:
    recorded(batch)


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


@pytest.mark.parametrize("fast_paths", SOME_FAST_PATHS)
@pytest.mark.parametrize("family", ["kernel", "stream"])
def test_without_some_fast_paths(family: str, fast_paths: int) -> None:
    """As with all of them: `test_many_without_some_fast_paths` asks the reference."""
    schemes = ("4K", "F8", "F8SC", "E0")
    for seed in range(100 + 10 * fast_paths, 105 + 10 * fast_paths):
        candidate = program(seed, family, schemes[seed % 4])
        subject = functools.partial(make_subject, fast_paths)
        assert first_difference(candidate, subject, make_subject) is None, seed


@pytest.mark.slow
@pytest.mark.parametrize(("batch", "fast_paths"), record.FOR_FAST_PATHS, ids=str)
def test_many_without_some_fast_paths(batch: Batch, fast_paths: int) -> None:
    recorded(batch, functools.partial(make_subject, fast_paths))
