"""Say which commit these sources are of, for ``pyale-ma --version``.

python tools/commit.py            print it; an empty line if nobody knows
python tools/commit.py --release  write it into a release of the sources (meson dist)
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTE = "commit.txt"  # what a release has in place of its history


def commit() -> str:
    """Twelve digits, with "-dirty" if a file was changed since; "": nobody knows."""
    note = ROOT / NOTE
    if note.is_file():
        return note.read_text(encoding="ascii").strip()
    if not (ROOT / ".git").exists():  # or Git tells of another project, in which this one lies
        return ""
    command = [
        "git",
        "-C",
        str(ROOT),
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ]
    others = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        result = subprocess.run(command, capture_output=True, check=True, text=True, env=others)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return result.stdout.strip()


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] == ["--release"]:
        note = Path(os.environ["MESON_DIST_ROOT"], NOTE)
        note.write_text(f"{commit()}\n", encoding="ascii", newline="\n")
    else:
        print(commit())


if __name__ == "__main__":
    main()
