"""The comparison itself: it must see a difference of one bit, whatever it is in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from differential.cartridges import LAYOUTS
from differential.pair import Difference, Pair, make_reference, reference_rom
from differential.programs import Noise, program
from differential.run_program import explain, first_difference, frame_starts_in_tia


class Spoiled:
    """The reference with one answer of one method changed after some acts."""

    def __init__(self, method: str, after: int) -> None:
        self.interface = make_reference()
        self.method, self.after, self.acts = method, after, 0

    def __getattr__(self, name: str) -> Any:
        function = getattr(self.interface, name)
        if name == "act":
            self.acts += 1
        return self._spoil(function) if name == self.method and self.acts > self.after else function

    @staticmethod
    def _spoil(function: Any) -> Any:
        def spoiled(*arguments: Any) -> Any:
            answer = function(*arguments)
            if answer is not None:
                answer = np.asarray(answer)
                return np.bitwise_xor(answer, 1) if answer.ndim else type(answer.item())(answer ^ 1)
            arguments[0].reshape(-1)[-1] ^= 1
            return None

        return spoiled


@pytest.mark.parametrize(
    "method",
    ["act", "getRAM", "getScreen", "getScreenRGB", "getScreenGrayscale", "getAudio", "lives",
     "game_over", "game_truncated", "getFrameNumber", "getEpisodeFrameNumber"],
)  # fmt: skip
def test_difference_is_seen(method: str) -> None:
    settings = {"random_seed": 1, "sound_obs": True}
    pair = Pair(reference_rom("breakout"), settings, subject=lambda: Spoiled(method, after=20))
    with pytest.raises(Difference) as caught:
        pair.play(40, seed=1, pictures=1, audio=1)
    assert "act 2" in caught.value.where


def test_equal_sides_pass() -> None:
    pair = Pair(reference_rom("breakout"), {"random_seed": 1}, subject=make_reference)
    pair.play(40, seed=1, force_reset=30, pictures=10)


class Colourful:
    """The reference, wrong by one RAM bit once the screen shows more than three colours."""

    def __init__(self) -> None:
        self.interface = make_reference()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.interface, name)

    def getRAM(self, out: np.ndarray) -> None:  # noqa: N802
        self.interface.getRAM(out)
        out[127] ^= len(np.unique(self.interface.getScreen())) > 3


def test_failing_program_is_explained_and_shrunk() -> None:
    failing = next(
        candidate
        for candidate in (program(seed, "kernel", "4K") for seed in range(50))
        if first_difference(candidate, Colourful)
    )
    text = explain(failing, Colourful, attempts=6)
    assert "RAM, 1 bytes: [127]" in text
    assert failing.image().hex() not in text
    size = len(text.split("smallest program found")[1].split("image:")[0].splitlines())
    assert size < len(failing.describe().splitlines())


def test_programs_are_reproducible() -> None:
    for scheme in LAYOUTS:
        assert program(5, "kernel", scheme).image() == program(5, "kernel", scheme).image()


def test_frame_start_in_tia_is_found() -> None:
    """JMP $0000 finds a BRK in the TIA, its vector is $0000 again; the other stays in ROM."""
    inside = Noise(1, "noise", 4096, {0: b"\x4c\x00\x00", 0xFFC: b"\x00\xf0\x00\x00"})
    outside = Noise(1, "noise", 4096, {0: b"\x4c\x00\xf0", 0xFFC: b"\x00\xf0"})
    assert frame_starts_in_tia(inside)
    assert not frame_starts_in_tia(outside)
