"""The build backend of the package: meson-python, with wheels that serve every Python.

meson-python tags a wheel with a library for the interpreter that built it (cp312-cp312).  Ours uses
nothing of Python's, and is tagged py3-none.  The same files make the same bytes, wherever and
whenever they are built with the same compiler and the same zlib.

A wheel has the player for the browser (tools/wasm.py), for whose compiler pip installs the package
ziglang where there is one.  ``pip install --config-settings=player=false .`` leaves the player out.
Builds without isolation, and editable installs, have it if ziglang is there.
"""

import base64
import csv
import hashlib
import io
import itertools
import os
import re
import time
import zipfile
from pathlib import Path
from typing import Any

import mesonpy
from mesonpy import build_sdist, get_requires_for_build_sdist

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Return the requirements of a wheel in addition to those of pyproject.toml."""
    player, others = _player(config_settings)
    return mesonpy.get_requires_for_build_wheel(others) + [_zig()] * (player != "disabled")


def get_requires_for_build_editable(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Return the same of an editable install, which has the player only on request."""
    player, others = _player(config_settings)
    return mesonpy.get_requires_for_build_wheel(others) + [_zig()] * (player == "enabled")


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build a wheel for the platform that compiles it; returns the name of the file."""
    player, settings = _player(config_settings)
    told = settings.get("setup-args", [])
    told = [told] if isinstance(told, str) else told
    settings["setup-args"] = [*told, f"-Dplayer={player}"]
    name = mesonpy.build_wheel(wheel_directory, settings, metadata_directory)
    platform = name.removesuffix(".whl").split("-")[-1]
    return retag(Path(wheel_directory, name), f"py3-none-{platform}").name


def build_editable(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build a wheel that has the library and the player only, and a path to the sources here.

    meson-python's own editable installs build again whenever they are imported, with tools of a
    build environment that pip has removed by then.  Here, a change in C needs another install.
    """
    wheel = Path(wheel_directory, build_wheel(wheel_directory, config_settings))
    files = _contents(wheel)
    for file in [file for file in files if file.startswith("pyale_ma/")]:
        if not file.endswith((".so", ".dylib", ".dll", "/abi.py")) and "/page/" not in file:
            del files[file]  # library.py compares abi.py with that of the sources
    files["pyale_ma.pth"] = f"{Path.cwd()}\n".encode()
    _write(wheel, files)
    return wheel.name


def _player(config_settings: dict[str, Any] | None) -> tuple[str, dict[str, Any]]:
    """Meson's word for whether the player is built, and the other settings."""
    settings = dict(config_settings or {})
    words = {"true": "enabled", "false": "disabled", "auto": "auto"}
    asked = settings.pop("player", "auto")
    if asked not in words:
        raise ValueError(f"the setting player is true or false, not {asked!r}")
    return words[asked], settings


def _zig() -> str:
    """The compiler of the player, in the version that releases have, for systems that have it."""
    found = re.search(r'"(ziglang==[\d.]+)"', Path("pyproject.toml").read_text(encoding="utf-8"))
    assert found
    return f"{found[1]}; platform_machine in 'x86_64 AMD64 aarch64 arm64'"


def retag(wheel: Path, tag: str) -> Path:
    """Replace the tag of a wheel, in its name and inside.

    Args:
        wheel: The file, which is replaced.
        tag: The new tag; each of its three parts may have several values, with dots between them.

    Returns:
        The new file.
    """
    name, version = wheel.name.split("-")[:2]
    file = f"{name}-{version}.dist-info/WHEEL"
    files = _contents(wheel)
    files[file] = _retagged(files[file].decode(), tag).encode()
    if address := os.environ.get("REPOSITORY_URL"):
        told = f"{name}-{version}.dist-info/METADATA"
        files[told] = addressed(files[told].decode(), address).encode()
    wheel.unlink()
    wheel = wheel.with_name(f"{name}-{version}-{tag}.whl")
    _write(wheel, files)
    return wheel


def addressed(metadata: str, address: str) -> str:
    """Give METADATA the repository's address, where links and pictures of the README lead.

    Args:
        metadata: The file; one that has the address already is returned as it is.
        address: Such as "https://github.com/OWNER/pyale_ma".
    """
    if "\nProject-URL: " in metadata:
        return metadata
    head, _, body = metadata.partition("\n\n")
    places = {"Source": "", "Changelog": "/blob/main/CHANGELOG.md", "Issues": "/issues"}
    urls = "".join(f"\nProject-URL: {name}, {address}{path}" for name, path in places.items())
    body = re.sub(r"\]\((?!\w+:|#)([^)]+)\)", rf"]({address}/blob/main/\1)", body)
    body = re.sub(r'src="(?!\w+:)([^"]+)"', rf'src="{address}/raw/main/\1"', body)
    return f"{head}{urls}\n\n{body}"


def _contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel by name, sorted."""
    with zipfile.ZipFile(wheel) as archive:
        return {file: archive.read(file) for file in sorted(archive.namelist())}


def _write(wheel: Path, files: dict[str, bytes]) -> None:
    """Write a wheel, with a new RECORD as its last file."""
    name, version = wheel.name.split("-")[:2]
    record = f"{name}-{version}.dist-info/RECORD"
    files.pop(record, None)
    files[record] = _record(files, record)
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), _OLDEST))[:6]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, contents in files.items():
            entry = zipfile.ZipInfo(file, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whose permissions follow
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, contents)


_OLDEST = 315532800  # 1980, where the time of zip files begins


def _retagged(text: str, tag: str) -> str:
    """The file WHEEL with a line for each combination that a tag stands for."""
    lines = [line for line in text.splitlines() if line and not line.startswith("Tag: ")]
    tags = itertools.product(*(part.split(".") for part in tag.split("-")))
    return "\n".join([*lines, *("Tag: " + "-".join(parts) for parts in tags), ""])


def _record(files: dict[str, bytes], itself: str) -> bytes:
    """The file RECORD: name, checksum and size of the others."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for file, contents in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).decode().rstrip("=")
        writer.writerow([file, f"sha256={digest}", len(contents)])
    writer.writerow([itself, "", ""])
    return text.getvalue().encode()
