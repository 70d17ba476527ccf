"""Mutation testing: change one thing in the C sources, and see whether the C tests notice.

    python libale/tests/mutate.py --count 120 --seed 1 --roms DIR

Works on a copy of the tree.  Mutants are drawn from what TARGETS names, by the seed, so that a run
can be repeated.  Each runs the tests until one fails.  Prints what became of it, and the line:

    killed by TEST
    same      the compiler makes the same code of it
    broken    it does not compile
    SURVIVED
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = pathlib.Path("libale/src")

# Files, and the functions and tables in them that are mutated.
TARGETS = {
    "console/video/rows.c": ".*",
    "console/video/lines.c": ".*",
    "console/video/engine/engine.c": ".*",
    "console/video/engine/walk.inc": ".*",
    "console/video/engine/masks.inc": ".*",
    "console/video/engine/plain.c": ".*",
    "console/video/access_log.h": ".*",
    "console/video/picture_state.c": ".*_invalid_field|.*_invariants|picture_(save|restore|copy)",
    "console/video/beam.h": "beam_showing|beam_store|beam_grp_.*",
    "console/video/beam.c": "beam_invalid_field|raster_invariants",
    "console/video/tia.c": "is_behind|tia_invariants",
    "console/console.c": "fits|.*_invalid_field|.*_invariants|console_restore",
    "console/cartridge/cartridge.c": "cartridge_invalid_field|bank_is_in_image",
    "console/cartridge/dpc.c": "dpc_invalid_field|dpc_invariants",
    "console/cartridge/3f.c": "bank_exists_.*",
    "console/cartridge/e0.c": "e0_slices_exist",
    "console/cartridge/e7.c": "e7_slices_exist",
    "console/riot.c": "riot_invariants",
    "console/audio.c": "audio_made|audio_invariants",
    "console/cpu/cpu.c": "cpu_invariants",
    "games/game.c": "game_invariants",
    "support/invariants.c": ".*",
    "environment/state.c": ".*",
    "vector/starts.c": ".*",
    "vector/sub_env_state.c": ".*",
    "vector/vector_state.c": ".*",
}

# Cheap ones first.
TESTS = (
    "video states random_states vector vector_refusals environment api starts random_roms "
    "checksums rows".split()
)
PATIENCE = 100  # seconds
SKIPPED = 77

# Operators come as pairs, each of which replaces the other.
PAIRS = ["<= <", ">= >", "== !=", "&& ||", "& |", "+ -", "+= -=", "|= &=", "true false"]
SWAPS = dict(p.split() for p in PAIRS) | {b: a for a, b in map(str.split, PAIRS)}
OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||[|&+-]=|[<>&|+-])(?= )|\b(true|false)\b")
NUMBER = re.compile(r"\b(0[xX][0-9A-Fa-f]+|[0-9]+)u?\b")
CONDITION = re.compile(r"\b(if|while) \(")
STATEMENT = re.compile(
    r"^ +(?:[\w.>\[\]*&+-]+ (?:[|&+-]|<<|>>)?= .*;|[\w.>-]+(?:\+\+|--);"
    r"|\w+\(.*\);|(?:break|continue);)",
    re.M,
)
FUNCTION = re.compile(r"^\w[\w *]*?(\w+)(?:\([^;{}]*\)|\[\] =) \{.*?(?:^\}|\}$)", re.M | re.S)
# Comments, strings, and the preprocessor's lines.
UNSEEN = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^ *#(?:[^\n]*\\\n)*[^\n]*",
    re.M | re.S,
)


@dataclasses.dataclass(frozen=True)
class Mutant:
    """Bytes `start` to `end` of a file become `text`."""

    path: str
    start: int
    end: int
    text: str

    def apply(self, source: str) -> str:
        """The file with the mutation."""
        return source[: self.start] + self.text + source[self.end :]

    def describe(self, source: str) -> str:
        """Where and what it is."""
        line = source.count("\n", 0, self.start) + 1
        was = " ".join(source[self.start : self.end].split())
        text = source.splitlines()[line - 1].strip()
        return f"{self.path}:{line}: {was} -> {self.text}    in    {text}"


def closing(text: str, at: int) -> int:
    """Where the parenthesis that opens at `at` is closed."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    raise ValueError(f"the parenthesis at {at} is never closed")


def mutants(path: str, functions: str) -> Iterator[Mutant]:
    """All mutants of the named functions and tables (a regular expression) of a file."""
    source = (ROOT / SOURCES / path).read_text()
    seen = UNSEEN.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), source)
    for function in FUNCTION.finditer(seen):
        if not re.fullmatch(functions, function[1]):
            continue
        begin, end = seen.index("{", function.start()), function.end()
        for m in OPERATOR.finditer(seen, begin, end):
            yield Mutant(path, m.start(), m.end(), SWAPS[m[0]])
        for m in NUMBER.finditer(seen, begin, end):
            yield Mutant(path, m.start(), m.end(), f"({m[0]} + 1)")
            if int(m[1], 0):
                yield Mutant(path, m.start(), m.end(), f"({m[0]} - 1)")
        for m in CONDITION.finditer(seen, begin, end):
            last = closing(seen, m.end() - 1)
            yield Mutant(path, m.end(), last, f"!({source[m.end() : last]})")
        for m in STATEMENT.finditer(seen, begin, end):
            yield Mutant(path, m.start(), m.end(), ";")


def build(tree: pathlib.Path) -> bytes | None:
    """The library's object code, without which it does not compile."""
    if subprocess.run(["ninja", "-C", tree / "build"], capture_output=True).returncode:
        return None
    objects = sorted((tree / "build/libale").glob("libale_internal.a.p/*.o"))
    return b"".join(path.read_bytes() for path in objects)


def fails(tree: pathlib.Path, test: str, roms: str | None) -> bool:
    """Whether a test notices, which it says on its standard error."""
    command: list[str | pathlib.Path] = [
        "timeout",
        str(PATIENCE),
        tree / f"build/libale/tests/test_{test}",
    ]
    if test == "checksums":
        command.append(tree / "libale/tests/checksums.txt")
    environment = {**os.environ, "ALE_TEST_ROMS": roms or ""}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    with process:
        noticed = bool(process.stderr and process.stderr.readline())
        if noticed:
            process.kill()
        return process.wait() not in (0, SKIPPED) or noticed


def outcome(tree: pathlib.Path, roms: str | None, original: bytes) -> str:
    """Build and test the mutant in the tree, and return its fate."""
    code = build(tree)
    if code is None:
        return "broken"
    if code == original:
        return "same"
    for test in TESTS:
        if fails(tree, test, roms):
            return f"killed by {test}"
    return "SURVIVED"


def main() -> None:
    """Draw mutants and say what becomes of each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--count", type=int, default=100, help="how many mutants to draw (default 100)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default 1)")
    parser.add_argument(
        "--files", default="", help="only files whose paths this regular expression finds"
    )
    parser.add_argument("--only", type=int, nargs="*", help="only these of the mutants drawn")
    parser.add_argument(
        "--roms", help="folder of ROM images, without which test_checksums cannot run"
    )
    parser.add_argument(
        "--meson", nargs="*", default=[], help="options for the build, as in b_sanitize=address"
    )
    options = parser.parse_args()

    targets = {path: names for path, names in TARGETS.items() if re.search(options.files, path)}
    everything = [mutant for path, names in targets.items() for mutant in mutants(path, names)]
    drawn = random.Random(options.seed).sample(everything, min(options.count, len(everything)))
    print(f"{len(drawn)} of {len(everything)} mutants", flush=True)
    outcomes = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        shutil.copytree(ROOT / "libale", tree / "libale")
        for name in ("meson.build", "meson.options", "LICENSE"):
            shutil.copy(ROOT / name, tree)
        setup: list[str | pathlib.Path] = [
            "meson",
            "setup",
            tree / "build",
            *(f"-D{option}" for option in options.meson),
        ]
        subprocess.run(setup, cwd=tree, check=True, stdout=subprocess.DEVNULL)
        original = build(tree)
        assert original, "the sources do not compile as they are"
        assert not any(fails(tree, test, options.roms) for test in TESTS), "tests fail already"
        for number, mutant in enumerate(drawn):
            if options.only is not None and number not in options.only:
                continue
            mutated = tree / SOURCES / mutant.path
            source = mutated.read_text()
            mutated.write_text(mutant.apply(source))
            what = outcome(tree, options.roms, original)
            outcomes[what] += 1
            print(f"{number:4} {what}: {mutant.describe(source)}", flush=True)
            mutated.write_text(source)
    for what, count in sorted(outcomes.items()):
        print(f"{count:4} {what}")


if __name__ == "__main__":
    main()
