"""Every game in its default mode against the reference, for some hundreds of frames."""

from __future__ import annotations

import pytest

from differential.pair import Pair, games, reference_rom


@pytest.mark.parametrize("game", games())
@pytest.mark.parametrize("sticky", [0.0, 0.25])
@pytest.mark.parametrize("seed", [1, 20_000])
def test_random_play(game: str, sticky: float, seed: int) -> None:
    settings = {"random_seed": seed, "repeat_action_probability": sticky, "sound_obs": seed == 1}
    pair = Pair(reference_rom(game), settings)
    pair.play(250, seed, force_reset=170, pictures=50, audio=1 if seed == 1 else 50, detours=60)
