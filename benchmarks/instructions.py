"""Host instructions of the library's main loops, compared with those on record.

python benchmarks/instructions.py [--library FILE] [--roms FOLDER] [--record "WHY"]

Valgrind counts them.  Counts repeat exactly where times vary by several per cent, so that a change
of 2 % shows.  They depend on the compiler, on the C library and on what Valgrind lets programs see
of the processor (no AVX-512).  Where one of these differs from the record, nothing is compared, and
the reason is printed.

Figures are thousands of instructions: of `act` and `vector` a frame, of `states` a state that is
saved and restored.  instructions.c says what is played.

--library  libale.so of a release build; the installed package's, if it is not given
--roms     a folder with pong.bin and so on; that of the installed ROM images, if it is not given
--record   write the figures to instructions.json, and why they are others than before
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from timing import GAMES

from pyale_ma import _native, roms

HERE = Path(__file__).parent
RECORD = HERE / "instructions.json"
ALL_GAMES = (*GAMES, "beam_rider", "riverraid", "solaris", "pitfall2")
MOST = 0.02  # so much of a figure may change without a reason

Figures = dict[str, dict[str, float]]  # by kind and game


def compile_program(library: Path, folder: Path) -> Path:
    linked, program = folder / "libale.so", folder / "instructions"
    for name in (linked, folder / "libale.so.1"):  # as the package calls it, and as C programs do
        shutil.copy(library, name)
    include = HERE.parent / "libale" / "include"
    command = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{include}"]
    command += [str(HERE / "instructions.c"), str(linked), f"-Wl,-rpath,{folder}"]
    subprocess.run([*command, "-o", str(program)], check=True)
    return program


def count(program: Path, folder: Path) -> tuple[str, Figures]:
    """Return what the program saw of the processor, and the figures."""
    command = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no"]
    command += [f"--callgrind-out-file={program.with_name('dump')}", str(program), str(folder)]
    ran = subprocess.run([*command, *ALL_GAMES], check=True, stdout=subprocess.PIPE, text=True)
    figures: Figures = {"act": {}, "states": {}, "vector": {}}
    said = r"^desc: Trigger: Client Request: (\w+) (\w+) (\d+)$.*^totals: (\d+)$"
    for dump in program.parent.glob("dump.*"):
        if found := re.search(said, dump.read_text(), re.MULTILINE | re.DOTALL):
            game, kind, times, total = found.groups()
            figures[kind][game] = round(int(total) / int(times) / 1000, 2)
    by_name = {kind: dict(sorted(games.items())) for kind, games in figures.items()}
    return ran.stdout.partition("processor ")[2].strip(), by_name


def find_conditions(library: Path, processor: str) -> dict[str, str]:
    compiler = re.search(rb"(GCC|clang)(?:: \([^)]*\)| version) (\d+)", library.read_bytes())
    version = ["valgrind", "--version"]
    valgrind = subprocess.run(version, check=True, stdout=subprocess.PIPE, text=True).stdout
    return {
        "compiler": b" ".join(compiler.groups()).decode() if compiler else "unknown",
        "C library": " ".join(platform.libc_ver()),
        "processor": processor,
        "Valgrind": valgrind.strip().removeprefix("valgrind-"),
    }


def compare(then: Figures, now: Figures) -> list[str]:
    """Print how figures changed, and return which of them changed too much."""
    beyond = []
    for kind in now:
        ratios = []
        for game, figure in now[kind].items():
            before = then.get(kind, {}).get(game, math.nan)
            ratios.append(figure / before)
            change = f"{kind} {game}: {before:.2f}, now {figure:.2f} ({ratios[-1] - 1:+.1%})"
            if figure != before:
                print(change)
            if not abs(ratios[-1] - 1) <= MOST:
                beyond.append(change)
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{kind}: {mean:.4f} of the instructions on record, in {len(ratios)} games")
    return beyond


def main() -> int:
    about, _, more = (__doc__ or "").partition("\n")
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=about, epilog=more, formatter_class=form)
    parser.add_argument("--library", type=Path, default=Path(_native.lib._name))
    parser.add_argument("--roms", type=Path)
    parser.add_argument("--record", metavar="WHY")
    args = parser.parse_args()
    folder = args.roms or Path(roms.find_rom("pong")).parent
    with tempfile.TemporaryDirectory() as build:
        processor, figures = count(compile_program(args.library, Path(build)), folder)
    here = find_conditions(args.library, processor)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"why": []}
    if args.record:
        why = [args.record, *record["why"]]
        record = {"conditions": here, "why": why, "figures": figures}
        RECORD.write_text(json.dumps(record, indent=2) + "\n")
        return 0
    there = record["conditions"]
    others = [
        f"{name} {there[name]}, here {here[name]}" for name in here if there[name] != here[name]
    ]
    if others:
        print(f"nothing is compared: the record was made with {'; '.join(others)}")
        return 0
    beyond = compare(record["figures"], figures)
    if beyond:
        print(f"\nthese changed by more than {MOST:.0%}:", *beyond, sep="\n")
        print('if that is meant, say why: python benchmarks/instructions.py --record "WHY"')
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
