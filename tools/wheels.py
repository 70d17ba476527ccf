"""Build the wheels of a release for Linux, macOS and Windows, all of them on one machine.

    pip install '.[release]'
    python tools/wheels.py                       # all, in dist/
    python tools/wheels.py manylinux_x86_64      # some

The compiler is Zig's, a Clang that comes from PyPI with the headers and the symbols of all these
systems, of old versions of them: so the wheels run on everything newer.  For Windows it is
MinGW-w64's GCC.
"""

import argparse
import os
import shutil
import tempfile
from pathlib import Path

import backend
import ziglang

ROOT = Path(__file__).resolve().parent.parent
ZIG = str(Path(ziglang.__file__).with_name("zig.exe" if os.name == "nt" else "zig"))

# What wheels call a platform, and what Zig does; or a description of it for Meson.
PLATFORMS = {
    "manylinux_x86_64": ("manylinux_2_17_x86_64.manylinux2014_x86_64", "x86_64-linux-gnu.2.17"),
    "manylinux_aarch64": ("manylinux_2_17_aarch64.manylinux2014_aarch64", "aarch64-linux-gnu.2.17"),
    "musllinux_x86_64": ("musllinux_1_2_x86_64", "x86_64-linux-musl"),
    "musllinux_aarch64": ("musllinux_1_2_aarch64", "aarch64-linux-musl"),
    "macos_x86_64": ("macosx_11_0_x86_64", "x86_64-macos.11.0"),
    "macos_arm64": ("macosx_11_0_arm64", "aarch64-macos.11.0"),
    "win_amd64": ("win_amd64", ".ci/windows.ini"),
}


def cross_file(target: str) -> str:
    """The description of a target that Meson asks for."""
    cpu, system = target.split("-")[:2]
    system = "darwin" if system.startswith("macos") else system
    return f"""
[binaries]
c = {[ZIG, "cc", "-target", target]}
ar = {[ZIG, "ar"]}

[built-in options]
c_args = ['-g0', '-fomit-frame-pointer'] # unlike Zig's habit
c_link_args = ['-s', '-dynamic'] # for a trial Zig would compile all of musl, to link it in

[properties]
needs_exe_wrapper = true # nor are they run: the system they are for may be another

[host_machine]
system = '{system}'
cpu_family = '{cpu}'
cpu = '{cpu}'
endian = 'little'
"""


def build(platform: str, folder: Path) -> Path:
    """Build the wheel for a platform; returns the file."""
    tags, target = PLATFORMS[platform]
    with tempfile.TemporaryDirectory() as work:
        file = ROOT / target
        if file.suffix != ".ini":
            file = Path(work, "cross.ini")
            file.write_text(cross_file(target))
        name = backend.build_wheel(work, {"setup-args": f"--cross-file={file}", "player": "true"})
        wheel = backend.retag(Path(work, name), f"py3-none-{tags}")
        return Path(shutil.move(wheel, folder / wheel.name))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help=", ".join(PLATFORMS))
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist", help="the folder")
    arguments = parser.parse_args()
    unknown = sorted({*arguments.platforms} - {*PLATFORMS})
    if unknown:
        parser.error(f"no platform is called {unknown[0]}; there are {', '.join(PLATFORMS)}")
    folder = arguments.output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(ROOT)  # as build backends expect
    for name in arguments.platforms or PLATFORMS:
        wheel = build(name, folder)
        print(f"{wheel} ({wheel.stat().st_size / 1024:.0f} KiB)")


if __name__ == "__main__":
    main()
