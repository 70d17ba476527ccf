"""Writes a recording of every game, for each number of players.

    python -m recording.all_games FOLDER     # in the folder tests

They are played frame by frame, which needs nothing of Python's, so that other programs play them
again, also on other processors: libale/tests/test_recordings.c, and web/replay.js in Node.  Members
are not packed.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

from common import rom_path
from pyale_ma import _native
from pyale_ma._native import Rules
from recording.playing import console, play_frames, recorded

FRAMES = 100


def kinds() -> list[tuple[str, Rules, int]]:
    """Every game, under all rules that it has, for all numbers of players."""
    return [
        (name, rules, players)
        for name, game in _native.games().items()
        for rules in game.rules
        for players in ((1,) if rules == Rules.SOLO else (1, 2, 4))
        if game.modes(rules, players)
    ]


def write(folder: Path) -> list[Path]:
    """Record all in a folder; the files, named GAME-RULES-PLAYERS.zip.

    Beside them it gets the images, and list.txt with the names of the recordings.
    """
    files = []
    for seed, (game, rules, players) in enumerate(kinds()):
        packed = folder / "packed.zip"
        played = console(game, rules, players, random_seed=seed)
        recording = recorded(packed, played, lambda it, n: play_frames(it, n, seed), FRAMES)  # noqa: B023
        assert recording.verify(), game
        files.append(folder / f"{game}-{rules}-{players}.zip")
        with zipfile.ZipFile(packed) as before, zipfile.ZipFile(files[-1], "w") as after:
            for member in before.namelist():
                after.writestr(member, before.read(member))
        packed.unlink()
        (folder / f"{game}.bin").write_bytes(rom_path(game).read_bytes())
    (folder / "list.txt").write_text("".join(f"{file.name}\n" for file in files))
    return files


if __name__ == "__main__":
    print(f"{len(write(Path(sys.argv[1])))} recordings written")
