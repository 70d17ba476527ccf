"""20,000 acts of every game: what they show on our library, summed up in long_play.txt.

    python tests/differential/long_play.py             # all games anew
    python tests/differential/long_play.py --missing   # only those that the file does not have yet

This writes the file.  The reference need not run here; PYALE_MA_TEST_LIVE=1 pytest -m slow -k
test_long_play tests/differential plays all of it beside it.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from common import crc
from differential.pair import Pair, games, make_subject, reference_rom, report

FILE = Path(__file__).with_name("long_play.txt")
ACTS = 20_000
SETTINGS = {"random_seed": 11, "sound_obs": True}
PLAY: dict[str, Any] = {
    "seed": 5,
    "force_reset": 6_000,
    "pictures": 500,
    "audio": 50,
    "detours": 400,
}


class Alone(Pair):
    """Ours alone: what a pair compares is summed up."""

    def __init__(self, rom: Path, settings: dict[str, Any]) -> None:
        self.sum = 0
        ours = make_subject()
        super().__init__(rom, settings, reference=lambda: ours, subject=lambda: ours)

    @property
    def sides(self) -> tuple[Any, ...]:
        return (self.subject,)

    def _add(self, *arrays: np.ndarray) -> None:
        for array in arrays:
            self.sum = crc(array, self.sum)

    def act(self, action: int, strength: float = 1.0) -> int:
        reward: int = self.subject.act(action, strength)
        self.acts += 1
        self.sum = zlib.crc32(b"%d" % reward, self.sum)
        self.compare()
        return reward

    def compare(self, where: str | None = None) -> None:
        self.subject.getRAM(self._ram[0])
        self.subject.getScreen(self._screens[0])
        self._add(self._ram[0], self._screens[0])
        self.sum = zlib.crc32(repr([*report(self.subject).values()]).encode(), self.sum)

    def compare_pictures(self) -> None:
        self.subject.getScreenRGB(self._rgb[0])
        gray = self.subject.getScreenGrayscale()
        self._add(self._rgb[0], gray[(self._screens[0] & 1) == 0])

    def compare_audio(self) -> None:
        self.subject.getAudio(self._audio[0])
        self._add(self._audio[0])


def play(game: str) -> str:
    """The sum of a game, in hexadecimal."""
    alone = Alone(reference_rom(game), SETTINGS)
    alone.play(ACTS, **PLAY)
    return f"{alone.sum:08x}"


def recorded() -> dict[str, str]:
    """The sums that the file has, by game."""
    lines = FILE.read_text(encoding="utf-8").splitlines()[1:]
    return dict(line.split() for line in lines)


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--missing", action="store_true", help="play only the games that the file does not have"
    )
    sums = recorded() if parser.parse_args().missing else {}
    names = games()
    unknown = [name for name in names if name not in sums]
    if unknown:
        with Pool() as pool:
            sums |= zip(unknown, pool.map(play, unknown, chunksize=1), strict=True)
    lines = [f"{name} {sums[name]}\n" for name in names]
    title = f"# CRC-32 of what {ACTS} acts of each game show: long_play.py\n"
    FILE.write_text(title + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
