"""Probabilities are kept as the originals keep them: float32, then six significant digits.

Of 0.3033695 they make 0.303369, as the float32 is a little less.  A draw of the seed 1066 lies
between that and 0.30337.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from multi.reference import original_interface
from pyale_ma import multi, single
from pyale_ma.vector import AtariVectorEnv

KEY, PROBABILITY = "repeat_action_probability", 0.3033695
NUMBERS = [
    PROBABILITY, 0.1, 1 / 3, 1e300, -1e300, 3.4028236e38, 5e-324, 1e-46, 1e-45, 1e-40, 1e-9,
    1234567.0, 2.0**60, -0.0, 0.99999999, math.inf, -math.inf, math.nan,
]  # fmt: skip
TEXTS = [
    "12abc", " +12", "+ 1", "0x1F", "-0x.8p1", "0x", "1e5", "1e+", "1E5", ".5", "5.", "", "1_000",
    "1,5", "3000000000", "-3000000000", "1e39", "1e-46", "infinity", "nan(1)", "true", "True",
    "\u0661\u0662", "\u00a012", "\t7", "\x1c7",
]  # fmt: skip


def _original() -> Any:
    return pytest.importorskip("ale_py").ALEInterface()


LAYERS = pytest.mark.parametrize(
    ("original", "ours"),
    [(_original, single.ALEInterface), (original_interface, multi.ALEInterface)],
    ids=["single", "multi"],
)


def _read(ale: Any, key: str, text: str) -> str:
    encoded = ale.getString(key)
    assert encoded in (text, text.encode())
    return repr((ale.getInt(key), ale.getFloat(key), ale.getBool(key)))


@LAYERS
def test_numbers_read_back(original: Any, ours: Any) -> None:
    for number in NUMBERS:
        theirs, mine = original(), ours()
        for ale in (theirs, mine):
            ale.setFloat(KEY, number)
        text = theirs.getString(KEY)
        text = text.decode() if isinstance(text, bytes) else text
        assert _read(mine, KEY, text) == _read(theirs, KEY, text), number


@LAYERS
def test_texts_read_as_numbers(original: Any, ours: Any) -> None:
    for text in TEXTS:
        theirs, mine = original(), ours()
        for ale in (theirs, mine):
            ale.setString("fragsize", text)
        assert _read(mine, "fragsize", text) == _read(theirs, "fragsize", text), text


def test_a_draw_between_in_a_vector() -> None:
    original = pytest.importorskip("ale_py").AtariVectorEnv
    pair = [
        made("pong", num_envs=1, noop_max=0, repeat_action_probability=probability)
        for made, probability in (
            (original, PROBABILITY), (AtariVectorEnv, PROBABILITY), (AtariVectorEnv, 0.30337)
        )
    ]  # fmt: skip
    for env in pair:
        env.reset(seed=1066)
    differs = False
    for step in range(100):
        theirs, mine, other = (env.step(np.array([2 + step % 2]))[0] for env in pair)
        assert np.array_equal(mine, theirs), step
        differs |= not np.array_equal(other, mine)
    assert differs
