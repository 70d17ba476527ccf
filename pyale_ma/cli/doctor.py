"""``pyale-ma doctor``: what is installed and works here, and what to do about what does not."""

from __future__ import annotations

import argparse
import collections
import importlib
import importlib.util
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pyale_ma import _native
from pyale_ma._base import install_hints
from pyale_ma._base.processors import cores
from pyale_ma._base.terminal import print_json, print_table
from pyale_ma._native import Env
from pyale_ma.cli import machine
from pyale_ma.cli.common import Commands, add_command, found_games
from pyale_ma.cli.page_server import page_folder
from pyale_ma.games import rom_files

GOOD, ABSENT, BAD = "good", "absent", "bad"


class Finding(NamedTuple):
    """Result of a check.

    Attributes:
        name: The name of what was looked at.
        state: "good"; "absent": it is optional; "bad": something is wrong.
        found: In words.
        remedy: What to do, or "".
    """

    name: str
    state: str
    found: str
    remedy: str = ""


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "doctor",
        "check the installation, and say how to solve problems",
        epilog="The exit status is 1 only if something is wrong.  Missing optional parts are not.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print all findings, and return 1 if something is wrong."""
    findings = [finding for look in _LOOKS for finding in look()]
    if arguments.json:
        print_json([finding._asdict() for finding in findings])
    else:
        print_table(
            ("what", "state", "found"), [(name, state, found) for name, state, found, _ in findings]
        )
        advice = [(finding.name, finding.remedy) for finding in findings if finding.remedy]
        if advice:
            print()
            print_table(("what", "what to do"), advice)
    return int(any(finding.state == BAD for finding in findings))


# ---- What is looked at ---------------------------------------------------------------------------


def _versions() -> list[Finding]:
    folder = Path(__file__).parents[1]
    found = [
        Finding("pyale_ma", GOOD, f"{_native.VERSION} in {folder}, commit {machine.commit()}"),
        Finding(
            "Python", GOOD, f"{platform.python_implementation()} {platform.python_version()} "
            f"({sys.executable})"
        ),
        Finding("system", GOOD, f"{platform.system()} {platform.release()} {platform.machine()}"),
    ]  # fmt: skip
    for package in ("numpy", "gymnasium", "pettingzoo", "pillow"):
        version = machine.version_of(package)
        if version:
            found.append(Finding(package, GOOD, version))
        else:
            remedy = f"pip install {package}"
            found.append(Finding(package, BAD, "is not installed, but needed", remedy))
    return found


def _processor() -> list[Finding]:
    count = cores()
    name = f"{machine.processor()}, {count} core{'s' * (count > 1)}"
    instructions = machine.vector_instructions()
    return [
        Finding("processor", GOOD, name),
        Finding("AVX2 or NEON", GOOD, instructions)
        if instructions
        else Finding("AVX2 or NEON", ABSENT, "neither; vectors resize pictures in plain C"),
    ]


def _library() -> list[Finding]:
    path = Finding(
        "libale", GOOD, f"{_native.library_path()}, version {_native.ABI_VERSION} of the ABI"
    )
    return [path, _translator(), _game_that_plays()]


def _translator() -> Finding:
    """Whether games run as machine code."""
    try:
        translated = _native.Rom(rom_files.read(rom_files.find_rom("quartet"))).info.translated
    except (OSError, ValueError) as error:
        return Finding("translator", BAD, f"{error}", install_hints.REINSTALL)
    if translated:
        return Finding("translator", GOOD, "games run as machine code of this processor")
    why = "games are interpreted, which is slower and gives the same numbers"
    if os.environ.get("ALE_TRANSLATE") == "0":
        return Finding("translator", ABSENT, f"{why}: ALE_TRANSLATE is 0", "unset ALE_TRANSLATE")
    return Finding("translator", ABSENT, why)


def _game_that_plays() -> Finding:
    """Play the game that the package has: for the library, and for the file."""
    try:
        rom = _native.Rom(rom_files.read(rom_files.find_rom("quartet")))
        env = Env(rom)
        env.reset()
        before = env.ram.copy()
        env.act(repeat=60)
    except (OSError, ValueError, RuntimeError) as error:
        return Finding("a game", BAD, f"{error}", install_hints.REINSTALL)
    if (env.ram == before).all():
        return Finding("a game", BAD, "Quartet stands still", "please report this")
    return Finding("a game", GOOD, "Quartet plays")


def _rom_files() -> list[Finding]:
    games = rom_files.game_names()
    files = found_games()
    folders = collections.Counter(str(files[game].parent) for game in games if game in files)
    count = len(files)
    where = "; ".join(f"{count} in {folder}" for folder, count in folders.items())
    found = f"{count} of {len(games)}: {where}"
    findings = [
        Finding("ROM files", ABSENT, found, install_hints.GET_ROMS)
        if count < len(games)
        else Finding("ROM files", GOOD, found)
    ]
    for variable in ("PYALE_MA_ROMS", "ALE_ROMS_DIR"):
        for folder in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            if not os.path.isdir(folder):
                text = f"names {folder}, which is no folder or out of reach"
                findings.append(Finding(variable, BAD, text, f"correct or unset {variable}"))
    return findings


def _optional() -> list[Finding]:
    findings = []
    for package, use, extra in (
        ("pygame-ce", "game window", "human"),
        ("imageio-ffmpeg", "MP4 films", "film"),
    ):
        if version := machine.version_of(package):
            findings.append(Finding(use, GOOD, f"{package} {version}"))
        else:
            words = f"{package} is not installed"
            findings.append(Finding(use, ABSENT, words, install_hints.install(extra)))
    try:
        findings.append(Finding("pyale-ma web", GOOD, f"the page is in {page_folder()}"))
    except FileNotFoundError:
        words = "was built without the page"
        findings.append(Finding("pyale-ma web", ABSENT, words, install_hints.PLAYER))
    return findings


def _array_libraries() -> list[Finding]:
    return [_array_library("PyTorch", "torch", _torch), _array_library("JAX", "jax", _jax)]


def _array_library(name: str, module: str, devices: Callable[[], list[str]]) -> Finding:
    """Whether a library is there, and which GPUs it can use; it is imported only if it is there."""
    if importlib.util.find_spec(module) is None:
        return Finding(name, ABSENT, "is not installed", install_hints.install(module))
    version = machine.version_of(module) or "of an unknown version"
    try:
        found = devices()
    except Exception as error:  # whatever a library does that does not fit this machine
        words = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return Finding(name, BAD, f"{version} cannot be used: {words}", f"reinstall {module}")
    if not found:
        return Finding(name, GOOD, f"{version}, without a GPU")
    return Finding(name, GOOD, f"{version}, {', '.join(found)}")


def _torch() -> list[str]:
    cuda = importlib.import_module("torch").cuda
    count = cuda.device_count() if cuda.is_available() else 0
    return [f"cuda:{i} {cuda.get_device_name(i)}" for i in range(count)]


def _jax() -> list[str]:
    devices = importlib.import_module("jax").devices()
    return [f"{device} {device.device_kind}" for device in devices if device.platform != "cpu"]


_LOOKS = (_versions, _processor, _library, _rom_files, _optional, _array_libraries)
