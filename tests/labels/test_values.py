"""Values of labels, which the library computes, compared with NumPy's; and its table of games."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labels.oracle import bounds_of, values_of
from pyale_ma import _native
from pyale_ma.labels import GAMES, Label, Labels, labels_of

FOLDER = Path(__file__).parents[2]
NUMBERS = {name: number for number, name in enumerate(_native.games())}
RAMS = np.random.default_rng(7).integers(0, 256, (300, 128), dtype=np.uint8)


@pytest.mark.parametrize("game", GAMES)
def test_values_are_those_of_the_oracle(game: str) -> None:
    labels = labels_of(game)
    expected = values_of(labels.labels, RAMS)
    assert np.array_equal(labels.values(RAMS), expected)
    assert np.array_equal(labels.values(RAMS.reshape(3, 4, 25, 128)).reshape(300, -1), expected)
    assert [*zip(labels.low, labels.high, strict=True)] == [*map(bounds_of, labels.labels)]
    assert (expected >= labels.low).all()
    assert (expected <= labels.high).all()


@pytest.mark.parametrize("game", GAMES)
def test_the_library_has_the_labels_of_the_files(game: str) -> None:
    for label, native in zip(
        labels_of(game).labels, _native.labels_of_game(NUMBERS[game]), strict=True
    ):
        fields = label._fields()
        places = fields.pop("places")
        assert [*native.places[: native.byte_count]] == [*places]
        assert (native.low, native.high) == bounds_of(label)
        for name, value in fields.items():
            found = getattr(native, name)
            assert (found.decode() if isinstance(found, bytes) else found) == value


def test_the_library_has_no_other_labels() -> None:
    assert {name for name, number in NUMBERS.items() if _native.labels_of_game(number)} == {*GAMES}


def test_the_table_is_generated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER / "libale"))
    generator: Any = importlib.import_module("generate_labels")
    sys.modules.pop("generate_labels")
    written = generator.OUTPUT.read_text(encoding="utf-8")
    assert written == generator.table(), "run python libale/generate_labels.py"


@st.composite
def random_labels(draw: st.DrawFn) -> Label:
    """A label whose values fit in 32 bits."""
    code = draw(st.sampled_from(["binary", "bcd", "digits", "hmove"]))
    most = {"binary": 3, "bcd": 4, "digits": 8, "hmove": 8}[code]
    places = draw(st.lists(st.integers(0, 127), min_size=1, max_size=most, unique=True))
    return Label(
        "label",
        "count",
        "it",
        tuple(places),
        code=code,
        mask=draw(st.integers(1, 256 ** len(places) - 1)),
        blank=draw(st.none() | st.integers(10, 15)),
        scale=draw(st.integers(-3, 3)),
        offset=draw(st.integers(-1000, 1000)),
    )


@given(st.lists(random_labels(), min_size=1, max_size=5))
@settings(deadline=None)
def test_any_labels(drawn: list[Label]) -> None:
    labels = Labels("pong", tuple(drawn))
    assert np.array_equal(labels.values(RAMS[:20]), values_of(labels.labels, RAMS[:20]))
    assert [*zip(labels.low, labels.high, strict=True)] == [*map(bounds_of, labels.labels)]


def test_values_of_ram_in_any_order() -> None:
    labels = labels_of("seaquest")
    expected = labels.values(RAMS)
    assert np.array_equal(labels.values(RAMS[::-1]), expected[::-1])
    assert np.array_equal(labels.values(np.asfortranarray(RAMS)), expected)
    assert labels.values(RAMS[:0]).shape == (0, len(labels))
    read_only = RAMS.copy()
    read_only.flags.writeable = False
    assert np.array_equal(labels.values(read_only), expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bytes": (128,)}, "places.0. is 128; it must be 0 to 127"),
        ({"bytes": ()}, "byte_count is 0; it must be 1 to 8"),
        ({"bytes": tuple(range(9))}, "label has 9 bytes; it must have at most 8"),
        ({"scale": 2**31 - 1}, "must fit in 32 bits"),
    ],
)
def test_labels_that_the_library_refuses(changes: dict[str, Any], message: str) -> None:
    fields: dict[str, Any] = {"bytes": (3,), **changes}
    with pytest.raises(ValueError, match=message):
        Labels("pong", (Label("label", "count", "it", **fields),))
