"""The page on which games are played (web/), as a part of the site: play/."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]


def files(config: MkDocsConfig) -> list[File]:
    """The page's files, built now."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "web" / "build", folder], check=True)
        return [
            File.generated(config, f"play/{path.name}", content=path.read_bytes())
            for path in sorted(Path(folder).iterdir())
        ]
