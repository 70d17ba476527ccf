"""Writes docs/games/speed.json: how many steps a second each game plays, beside ale-py.

    python docs/tools/speed_games.py [GAME ...]

Each game is played by both packages in turns (benchmarks/vector.py), 8 environments in a vector on
one thread; what counts is the time of the processor, so that a busy machine does less harm.  The
file names the machine of each figure; ten minutes for all.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from functools import partial
from pathlib import Path

from pyale_ma import _native, roms
from pyale_ma._native import Rules
from pyale_ma.cli import machine

DOCS = Path(__file__).parents[1]
FILE = DOCS / "games" / "speed.json"
sys.path.insert(0, str(DOCS.parent / "benchmarks"))
from vector import FRAMESKIP, Effort, Setting, ale_py, ours, race  # noqa: E402


def speed(name: str) -> list[float | str | None]:
    """Measure the speeds of a game.

    Returns:
        Steps a second of processor time; how many times as many as ale-py, where it can play; and
        on which machine.
    """
    setting = Setting([name], 8, 1)
    sides = {"pyale_ma": partial(ours, setting)}
    if name not in roms.SHIPPED:
        sides = {"ale-py": partial(ale_py, setting), **sides}
    row = race({}, sides, Effort(0.05, 5))
    steps = row.figures["pyale_ma"].frames_per_cpu_second / FRAMESKIP
    ratio = round(row.cpu_ratios["ale-py"], 2) if row.cpu_ratios else None
    return [round(steps, -2), ratio, machine.processor()]


def main() -> None:
    """Measure what is missing, or what is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", nargs="*", help="measure these anew")
    wanted = [roms.known_game(name) for name in parser.parse_args().game]
    speeds = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    for name, game in _native.games().items():
        missing = Rules.SOLO in game.rules and name not in speeds
        if name in wanted or (not wanted and missing):
            speeds[name] = speed(name)
            text = json.dumps(dict(sorted(speeds.items())), indent=1)
            FILE.write_text(
                re.sub(r"\[\s+([^]]*?)\s+\]", lambda m: f"[{' '.join(m[1].split())}]", text) + "\n"
            )


if __name__ == "__main__":
    main()
