"""Compile libale to WebAssembly, for the page on which games are played (web/).

    pip install ziglang==0.17.1
    python tools/wasm.py ale.wasm

The compiler is Zig's, a Clang that comes from PyPI with a C library.  The module exports what ale.h
declares except vectors, which are threads, and imports nothing.  The same sources make the same
bytes, on every system.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LIBALE = Path(__file__).resolve().parent.parent / "libale"
FLAGS = (
    "-target wasm32-wasi -mexec-model=reactor -std=gnu11 -O3 -g0 -s -DNDEBUG -ffp-contract=off "
    "-fvisibility=hidden -DALE_BUILDING -DALE_NO_TRANSLATION -Iinclude"
).split()

_IMPORTS = 2  # the section that lists them


def sources() -> list[str]:
    """The files to compile, in an order that is always the same."""
    return sorted(path.relative_to(LIBALE).as_posix() for path in LIBALE.glob("src/**/*.c"))


def exports() -> list[str]:
    """The functions that JavaScript can call."""
    declared: list[str] = re.findall(r"\bale_\w+(?=;)", (LIBALE / "libale.map").read_text("utf-8"))
    return [name for name in declared if not name.startswith("ale_vector_")] + ["malloc", "free"]


def build(output: Path) -> None:
    """Write the module; what was compiled before, Zig keeps in the user's cache.

    Raises:
        CalledProcessError: The compiler is not installed, or refuses.
        RuntimeError: The module imports something, which the page does not give it.
    """
    files = [*sources(), *(f"-Wl,--export={name}" for name in exports())]
    with tempfile.TemporaryDirectory() as work:
        module = Path(work, "ale.wasm")
        command = [sys.executable, "-m", "ziglang", "cc", *FLAGS, *files, "-o", str(module)]
        subprocess.run(command, cwd=LIBALE, check=True)
        made = module.read_bytes()
    if _IMPORTS in sections(made):
        raise RuntimeError("the module imports functions of WASI: os_wasi.c must do without them")
    output.write_bytes(made)


def sections(module: bytes) -> list[int]:
    """The numbers of a module's sections, in their order."""
    identifiers, at = [], 8  # behind the magic number and the version
    while at < len(module):
        identifiers.append(module[at])
        size = shift = 0
        more = True
        while more:  # LEB128
            at += 1
            size |= (module[at] & 0x7F) << shift
            shift += 7
            more = module[at] >= 0x80
        at += 1 + size
    return identifiers


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path, help="the file to write")
    build(parser.parse_args().output.resolve())


if __name__ == "__main__":
    main()
