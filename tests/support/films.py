"""Helpers for tests of films."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageSequence


def seconds(film: Path) -> float:
    """Return the length of a GIF or WebP film."""
    with Image.open(film) as saved:
        pictures: Any = ImageSequence.Iterator(saved)
        total: float = sum(picture.load() and picture.info["duration"] for picture in pictures)
    return total / 1000


def decoded(film: Path, *wanted: str) -> bytes:
    """Return a film as ffmpeg decodes it: raw pictures, or raw sound."""
    ffmpeg = pytest.importorskip("imageio_ffmpeg").get_ffmpeg_exe()
    command = [ffmpeg, "-v", "error", "-i", str(film), *wanted, "-"]
    return subprocess.run(command, capture_output=True, check=True, timeout=300).stdout
