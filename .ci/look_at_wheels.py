"""Look at wheels: whether they are what their names say.

    python .ci/look_at_wheels.py FILE.whl ...

The tags inside are those of the name; RECORD is right; there is one library, for the platform of
the tag; it needs no more than the oldest system of that tag has; it is hardened, and knows no
folder of the machine that built it; the module for browsers is the same in all wheels; neither it
nor the wheel is larger than below.
"""

import base64
import csv
import hashlib
import io
import itertools
import re
import sys
import zipfile
from pathlib import Path

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from elftools.elf.sections import SymbolTableSection

LARGEST = 6_000_000  # bytes of a wheel, of which players may have 4,000,000
LARGEST_MODULE = 1_000_000  # which a browser loads before anybody can play
LIBRARIES = {  # with the bytes that such a file begins with
    "manylinux": ("libale.so", b"\x7fELF"),
    "musllinux": ("libale.so", b"\x7fELF"),
    "macosx": ("libale.dylib", b"\xcf\xfa\xed\xfe"),
    "win": ("ale.dll", b"MZ"),
}
LOADERS = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}
modules: set[bytes] = set()  # ale.wasm
FOLDERS = (b"/tmp/", b"/home/", b"/root/", b"mesonpy", str(Path.cwd()).encode())


def check(condition: object, text: object) -> None:
    """Say what is wrong, and end, if a condition does not hold."""
    if not condition:
        raise ValueError(text)


def look(wheel: Path) -> None:
    """Raise a ValueError where a wheel is not as it should be."""
    _, version, python, abi, platform = wheel.name.removesuffix(".whl").split("-")
    check((python, abi) == ("py3", "none"), f"its tag is {python}-{abi}")
    check(wheel.stat().st_size < LARGEST, f"it has {wheel.stat().st_size} bytes")
    with zipfile.ZipFile(wheel) as archive:
        files = {file: archive.read(file) for file in archive.namelist()}
    info = f"pyale_ma-{version}.dist-info"

    tags = set(re.findall(r"^Tag: (.*)$", files[f"{info}/WHEEL"].decode(), re.MULTILINE))
    named = {"-".join(tag) for tag in itertools.product([python], [abi], platform.split("."))}
    check(tags == named, f"WHEEL says {tags}")

    record = {row[0]: row[1:] for row in csv.reader(io.StringIO(files[f"{info}/RECORD"].decode()))}
    check(record.keys() == files.keys(), f"RECORD lacks or invents {record.keys() ^ files.keys()}")
    for file in files.keys() - {f"{info}/RECORD"}:
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[file]).digest()).decode()
        right = [f"sha256={digest.rstrip('=')}", str(len(files[file]))]
        check(record[file] == right, f"RECORD is wrong about {file}")

    system = re.match("[a-z]+", platform)[0]
    name, beginning = LIBRARIES[system]
    libraries = [file for file in files if re.search(r"\.(so|dylib|dll|a|pyd)$", file)]
    check(libraries == [f"pyale_ma/{name}"], f"its libraries are {libraries}")
    library = files[f"pyale_ma/{name}"]
    check(library.startswith(beginning), f"{name} begins with {library[:4]}")
    for folder in FOLDERS:
        check(folder not in library, f"{name} knows {folder.decode()}")
    if name == "libale.so":
        look_at_elf(ELFFile(io.BytesIO(library)), system, platform)
    module = files["pyale_ma/page/ale.wasm"]
    check(len(module) < LARGEST_MODULE, f"its module for browsers has {len(module)} bytes")
    modules.add(module)
    check(len(modules) == 1, "its module for browsers is another than that of other wheels")
    print(f"{wheel.name}: {wheel.stat().st_size / 1024:.0f} KiB")


def look_at_elf(elf: ELFFile, system: str, platform: str) -> None:
    """The same for the library of Linux."""
    machine = {"x64": "x86_64", "AArch64": "aarch64"}[elf.get_machine_arch()]
    check(platform.endswith(machine), f"its library is for {machine}")
    sections = list(elf.iter_sections())
    dynamic = next(section for section in sections if isinstance(section, DynamicSection))
    tags = {tag.entry.d_tag: tag for tag in dynamic.iter_tags()}
    needed = {tag.needed for tag in dynamic.iter_tags("DT_NEEDED")}
    glibc = {"libc.so.6", "libm.so.6", "libpthread.so.0", LOADERS[machine]}
    check(needed <= (glibc if system == "manylinux" else {"libc.so"}), f"it needs {needed}")
    odd = {"DT_RPATH", "DT_RUNPATH", "DT_TEXTREL"} & tags.keys()
    check(not odd, f"it has {odd}")

    segments = {segment.header.p_type: segment.header.p_flags for segment in elf.iter_segments()}
    check("PT_GNU_RELRO" in segments, "its tables stay writable")
    check(segments["PT_GNU_STACK"] == 6, "its stack is executable")
    check(tags["DT_FLAGS"].entry.d_val & 8, "its symbols are bound late")

    tables = (section for section in sections if isinstance(section, SymbolTableSection))
    symbols = [symbol for table in tables for symbol in table.iter_symbols() if symbol.name]
    odd = {
        symbol.name
        for symbol in symbols
        if symbol.entry.st_shndx != "SHN_UNDEF" and not symbol.name.startswith(("ale_", "libale"))
    }
    check(not odd, f"it exports {odd}")
    if system == "manylinux":
        newest = tuple(map(int, platform.split("_")[1:3]))
        needs = (section for section in sections if isinstance(section, GNUVerNeedSection))
        for version in (
            v for need in needs for _, versions in need.iter_versions() for v in versions
        ):
            number = tuple(map(int, version.name.removeprefix("GLIBC_").split(".")))
            check(number <= newest, f"it needs {version.name}")


for argument in sys.argv[1:]:
    try:
        look(Path(argument))
    except ValueError as error:
        sys.exit(f"{argument}: {error}")
