"""Compare how long the checks and the longest tests took with what is on record.

    python tools/times.py           print the checks, and what takes longer than on record
    python tools/times.py --record  put the last run on record, in .ci/times.txt

Times are seconds of a processor.  Sessions of nox write those of their last run into
`build-checks/times/`.  The record keeps the 100 longest tests.
"""

from __future__ import annotations

import argparse
from pathlib import Path

CLONE = Path(__file__).resolve().parents[1]
RECORD = CLONE / ".ci" / "times.txt"
MOST = 1.3  # machines differ so much
LEAST = 10.0  # seconds that are worth a line


def read(path: Path) -> dict[str, float]:
    """Return the seconds by name."""
    lines = [line.split(maxsplit=1) for line in path.read_text(encoding="utf-8").splitlines()]
    return {name: float(seconds) for seconds, name in lines}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--record", action="store_true", help="put the last run on record")
    options = parser.parse_args()
    known = read(RECORD) if RECORD.exists() else {}
    now: dict[str, float] = {}
    for path in sorted((CLONE / "build-checks" / "times").glob("*.txt")):
        now |= read(path)
    checks = [name for name in now if "::" not in name]
    print("seconds of a processor, on record in brackets:")
    for name in sorted(checks, key=lambda name: -now[name]):
        print(
            f"{now[name]:8.0f} {name} ({known[name]:.0f})"
            if name in known
            else f"{now[name]:8.0f} {name}"
        )
    for name, seconds in now.items():
        if name in known and seconds > max(MOST * known[name], known[name] + LEAST):
            print(f"longer than on record: {name} took {seconds:.0f} s, not {known[name]:.0f} s")
        elif name not in known and "::" in name and known and seconds > LEAST:
            print(f"not on record: {name} took {seconds:.0f} s")
    if options.record:
        known |= now
        tests = sorted((name for name in known if "::" in name), key=lambda name: -known[name])
        kept = sorted(name for name in known if "::" not in name) + tests[:100]
        lines = [f"{known[name]:8.1f} {name}\n" for name in kept]
        RECORD.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
