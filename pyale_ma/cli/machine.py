"""Description of this machine: processor, system, and versions of installed packages."""

from __future__ import annotations

import contextlib
import ctypes
import platform
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from pyale_ma import _native
from pyale_ma._base.processors import cores

_X86 = ("x86_64", "amd64", "i686", "i386")
_ARM = ("aarch64", "arm64")


def version_of(package: str) -> str | None:
    """The version of an installed package, which is not imported for that."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def commit() -> str:
    """The commit that the package was installed from, or "unknown"."""
    with contextlib.suppress(OSError):  # the sources themselves have no such file
        told = Path(__file__).parents[1] / "commit.txt"
        return told.read_text(encoding="ascii").strip() or "unknown"
    return "unknown"


def release() -> str:
    """Version, the library's ABI and commit, in a line."""
    return f"pyale-ma {_native.VERSION}, libale's ABI {_native.ABI_VERSION}, commit {commit()}"


def processor() -> str:
    """The processor's name, as well as the system tells it."""
    name = ""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        if sys.platform == "darwin":
            command = ["sysctl", "-n", "machdep.cpu.brand_string"]
            name = subprocess.run(command, capture_output=True, text=True, timeout=5).stdout
        elif sys.platform == "linux":
            model = re.search(r"(?m)^model name\s*:(.*)", _cpuinfo())
            name = model[1] if model else ""
    return " ".join((name or platform.processor()).split()) or platform.machine() or "unknown"


def _cpuinfo() -> str:
    return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")


def vector_instructions() -> str | None:
    """The set that vectors resize pictures with: "AVX2" or "NEON"; None: plain C does."""
    machine = platform.machine().lower()
    if machine in _ARM:
        return "NEON"  # every processor of this kind has it
    if machine not in _X86:
        return None
    with contextlib.suppress(OSError, AttributeError, subprocess.SubprocessError):
        if sys.platform == "linux":
            return "AVX2" if re.search(r"(?m)^flags\s*:.*\bavx2\b", _cpuinfo()) else None
        if sys.platform == "darwin":
            command = ["sysctl", "-n", "hw.optional.avx2_0"]
            told = subprocess.run(command, capture_output=True, text=True, timeout=5).stdout
            return "AVX2" if told.strip() == "1" else None
        if sys.platform == "win32":
            avx2 = 40  # PF_AVX2_INSTRUCTIONS_AVAILABLE
            has_it = ctypes.windll.kernel32.IsProcessorFeaturePresent(avx2)
            return "AVX2" if has_it else None
    return None


def describe() -> dict[str, str | int | None]:
    """The machine and the versions that matter to how fast it is."""
    return {
        "processor": processor(),
        "cores": cores(),
        "instructions": vector_instructions(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "pyale_ma": _native.VERSION,
        "commit": commit(),
        "numpy": version_of("numpy"),
        "gymnasium": version_of("gymnasium"),
        "ale-py": version_of("ale-py"),
    }
