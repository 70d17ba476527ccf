"""Run a generated program on both sides and explain where they part."""

from __future__ import annotations

import contextlib
import random
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from common import configure
from differential.pair import (
    Difference,
    Pair,
    leave_and_return,
    make_reference,
    make_subject,
    report,
)
from differential.programs import RULES, Noise, Program
from differential.shrink import shrink

ACTS = 50
RESET_AT = 35


def settings_of(program: Program | Noise) -> dict[str, int | float]:
    sticky = 0.25 if program.seed % 4 == 0 else 0.0
    return {"random_seed": program.seed, "repeat_action_probability": sticky}


def write_image(program: Program | Noise, folder: Path, image: bytes | None = None) -> Path:
    """Save the image under the name of a game whose rules any image can have."""
    path = folder / f"{RULES[program.seed % len(RULES)]}.bin"
    path.write_bytes(program.image() if image is None else image)
    return path


def play(side: Any, seed: int, over: Callable[[], bool], reset: Callable[[], None]) -> None:
    """The inputs of every program: acts and changes to RAM, a reset late and after each episode."""
    rng = random.Random(seed)
    for t in range(ACTS):
        if rng.random() < 0.2:
            side.setRAM(rng.randrange(0x60), rng.randrange(256))
        side.act(rng.choice((0, 0, 1, rng.randrange(18))))
        if t == RESET_AT or over():
            reset()


def first_difference(
    program: Program | Noise,
    subject: Callable[[], Any] = make_subject,
    reference: Callable[[], Any] = make_reference,
) -> Difference | None:
    """Play the program on both sides; None: all equal."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_image(program, Path(folder))
        try:
            pair = Pair(path, settings_of(program), reference=reference, subject=subject)
            play(pair, program.seed, lambda: pair.over, pair.reset)
            if program.seed % 8 == 0:
                pair.detour(random.Random(program.seed), 3)
                pair.act(0)
        except Difference as difference:
            return difference
    return None


def checksum(
    program: Program | Noise,
    make: Callable[[], Any] = make_subject,
    seen: int = 0,
    *,
    image: bytes | None = None,
) -> int:
    """CRC-32 of all that `first_difference` compares, on ours alone.

    Args:
        program: What is played.
        make: Makes our side.
        seen: The sum of what was played before.
        image: The program's, where it is at hand: to make it takes long.
    """

    def look() -> None:
        nonlocal seen
        rules = str(report(side)).encode()
        for part in (side.getRAM().tobytes(), side.getScreen().tobytes(), rules):
            seen = zlib.crc32(part, seen)

    class Watched:
        def act(self, action: int) -> None:
            nonlocal seen
            seen = zlib.crc32(str(side.act(action)).encode(), seen)
            look()

        def setRAM(self, index: int, value: int) -> None:  # noqa: N802
            side.setRAM(index, value)

    def reset() -> None:
        side.reset_game()
        look()

    with tempfile.TemporaryDirectory() as folder:
        side = make()
        configure(side, settings_of(program))
        side.loadROM(write_image(program, Path(folder), image))
        look()
        play(Watched(), program.seed, side.game_over, reset)
        if program.seed % 8 == 0:
            leave_and_return(side, random.Random(program.seed), 3)
            look()
            Watched().act(0)
    return seen


def real_difference(
    program: Program | Noise, subject: Callable[[], Any] = make_subject
) -> Difference | None:
    """As `first_difference`, but None for programs whose fate depends on who looks at them.

    A frame that starts at a TIA address takes bits of its first opcode from the byte that the
    reference's own observers left on the data bus.  Random images do that; a re-implementation need
    not follow them (docs/spec/bus-and-cartridges.md, section 1).
    """
    difference = first_difference(program, subject)
    if difference and (frame_starts_in_tia(program) or depends_on_observers(program)):
        return None
    return difference


def frame_starts_in_tia(program: Program | Noise) -> bool:
    """Whether, in the reference, a frame after the load starts at a TIA address."""
    return any(pc & 0x1080 == 0 for pc in _trace(program, RULES[0], program_counter))


def program_counter(reference: Any) -> int:
    """The reference's PC, from its saved state (docs/spec/cpu.md, section 12)."""
    state = reference.cloneState().serialize()
    registers = state.index(b"M6502Low") + len(b"M6502Low")
    return int.from_bytes(state[registers + 20 : registers + 24], "little")


def depends_on_observers(program: Program | Noise) -> bool:
    """Whether the reference differs from itself when other rules read the RAM.

    The frames of a load and of a reset are the same under all `RULES`; only the bytes of RAM that
    the rules read, and so leave on the data bus, are others.
    """

    def look(reference: Any) -> tuple[bytes, bytes]:
        return reference.getRAM().tobytes(), reference.getScreen().tobytes()

    traces = [_trace(program, rules, look) for rules in RULES]
    return any(
        one != other for trace in traces for one, other in zip(traces[0], trace, strict=False)
    )


def _trace(program: Program | Noise, rules: str, look: Callable[[Any], Any]) -> list[Any]:
    """Return what `look` sees in the reference after load, each act and reset, to the first end."""
    trace = []

    class Watched:
        def act(self, action: int) -> None:
            reference.act(action)
            trace.append(look(reference))

        def setRAM(self, index: int, value: int) -> None:  # noqa: N802
            reference.setRAM(index, value)

    class Over(Exception):  # noqa: N818
        pass

    def over() -> bool:
        if reference.game_over():
            raise Over
        return False

    def reset() -> None:
        reference.reset_game()
        trace.append(look(reference))

    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(Over):
        reference = make_reference()
        configure(reference, settings_of(program))
        path = Path(folder) / f"{rules}.bin"
        path.write_bytes(program.image())
        reference.loadROM(path)
        trace.append(look(reference))
        play(Watched(), program.seed, over, reset)
    return trace


def explain(
    program: Program | Noise, subject: Callable[[], Any] = make_subject, attempts: int = 200
) -> str:
    """Shrink a failing program and say all that is needed to run it again."""
    first = first_difference(program, subject)
    kind = first.what.split(",")[0] if first else ""

    def fails(trial: Program | Noise) -> bool:
        difference = first_difference(trial, subject)
        return difference is not None and difference.what.startswith(kind)

    small = shrink(program, fails, attempts)
    if real_difference(small, subject) is None:  # it came to differ for another reason
        small = program
    return (
        f"{program.describe().splitlines()[0]}: {first}\n"
        f"smallest program found: {first_difference(small, subject)}\n{small.describe()}\n"
        f"image:\n{small.image().hex()}"
    )
