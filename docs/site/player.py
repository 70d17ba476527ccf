"""The page on which games are played (web/), as a part of the site: play/."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
ABSENT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Play - pyale_ma</title>
<p>This copy of the site was built without the player, for want of {missing}.
<a href="../play.html">What it is, and how to build it.</a></p>
</html>
"""


def files(config: MkDocsConfig) -> list[File]:
    """The page's files, built now; where a tool that builds them is absent a page that says so."""
    missing = ", ".join(tool for tool in ("emcc", "meson", "ninja") if not shutil.which(tool))
    if missing:
        logging.getLogger("mkdocs.hooks").info("The site has no player, for want of %s.", missing)
        return [File.generated(config, "play/index.html", content=ABSENT.format(missing=missing))]
    folder = Path(os.environ.get("WASM_BUILD", ROOT / "build-wasm")).absolute() / "page"
    subprocess.run([ROOT / "web" / "build", folder], check=True)
    return [
        File.generated(config, f"play/{path.name}", content=path.read_bytes())
        for path in sorted(folder.iterdir())
    ]
