"""Every game in its default mode against the reference, for some hundreds of frames.

What the reference answers to other settings is recorded in libale/tests/checksums.txt, which
tests/checksums verifies.
"""

from __future__ import annotations

import pytest

from differential.pair import Pair, games, reference_rom


@pytest.mark.parametrize("game", games())
def test_random_play(game: str) -> None:
    pair = Pair(reference_rom(game), {"random_seed": 1, "sound_obs": True})
    pair.play(250, seed=1, force_reset=170, pictures=50, audio=1, detours=60)


@pytest.mark.parametrize("chips", [995, 999, 1000, 1005])
def test_blackjack_ends_at_a_thousand_chips(chips: int) -> None:
    pair = Pair(reference_rom("blackjack"), {"random_seed": 1})
    pair.setRAM(6, chips // 1000 << 4 | chips // 100 % 10)
    pair.setRAM(9, chips // 10 % 10 << 4 | chips % 10)
    pair.act(0)
    assert pair.over == (chips >= 1000)


def test_a_hole_of_miniature_golf_is_rewarded() -> None:
    pair = Pair(reference_rom("miniature_golf"), {"random_seed": 1})
    pair.setRAM(8, 4)  # its par, beside its number
    pair.act(0)
    pair.setRAM(7, 5)  # the strokes, with nothing beside them
    pair.setRAM(8, 0)
    pair.act(0)
    pair.setRAM(47, 2)  # the next hole
    assert pair.act(0) == 4 - 5
