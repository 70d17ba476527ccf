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
    """
    files = [*sources(), *(f"-Wl,--export={name}" for name in exports())]
    with tempfile.TemporaryDirectory() as work:
        module = Path(work, "ale.wasm")
        command = [sys.executable, "-m", "ziglang", "cc", *FLAGS, *files, "-o", str(module)]
        subprocess.run(command, cwd=LIBALE, check=True)
        output.write_bytes(module.read_bytes())


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path, help="the file to write")
    build(parser.parse_args().output.resolve())


if __name__ == "__main__":
    main()
