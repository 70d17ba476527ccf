"""Checks of single arguments: what they take, and what they say of anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pyale_ma.benchmarks import aggregate
from pyale_ma.evaluation import Arena, RandomPolicy

SCORES = {"a": [1.0, 2.0, 4.0]}


class Five:
    """A whole number for Python that is not an int."""

    def __index__(self) -> int:
        return 5

    def __repr__(self) -> str:
        return "Five()"


def arena(**options: Any) -> Any:
    return Arena("quartet", **{"num_players": 2, **options})


@pytest.mark.parametrize("five", [5, np.int8(5), np.uint64(5), np.array(5), Five()], ids=repr)
def test_whole_numbers(five: Any) -> None:
    seats = np.zeros(50, int)
    for seed in (five, 2**100):
        chosen = RandomPolicy(five, seed)(seats, seats)
        again = RandomPolicy(5, 5 if seed is five else seed)(seats, seats)
        assert chosen.tolist() == again.tolist()


@pytest.mark.parametrize("value", [True, np.True_, 5.0, np.float32(5), "5", None, [5]], ids=repr)
def test_what_is_no_whole_number(value: Any) -> None:
    with pytest.raises(TypeError) as failure:
        RandomPolicy(value)
    assert str(failure.value) == f"num_actions must be a whole number, not {value!r}"


def test_bounds() -> None:
    RandomPolicy(1).solo(3)
    with pytest.raises(ValueError, match=r"^num_actions is 0"):
        RandomPolicy(0)
    with pytest.raises(ValueError, match=r"^seat is 4"):
        RandomPolicy(1).solo(4)


def test_fractions() -> None:
    for half in (0.5, np.float32(0.5), np.array(0.5)):
        assert aggregate(SCORES, confidence=half) == aggregate(SCORES, confidence=0.5)  # type: ignore[arg-type]
    wrong: Any
    for wrong in ("x", b"1", None, [0.5], np.array([0.5, 0.5]), 1j):
        with pytest.raises(TypeError) as failure:
            aggregate(SCORES, confidence=wrong)
        assert str(failure.value) == f"confidence must be a number, not {wrong!r}"
    for wrong in (0, 1, -1, 95, np.nan, 10**400, -(10**400)):
        with pytest.raises(ValueError, match=r"^confidence is"):
            aggregate(SCORES, confidence=wrong)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: arena(num_envs=0), "num_envs is 0; it must be 1 or more"),
        (lambda: arena(num_envs=1.5), "num_envs must be a whole number, not 1.5"),
        (
            lambda: arena().play({name: RandomPolicy(6) for name in "ab"}, games=True),
            "games must be a whole number, not True",
        ),
    ],
    ids=["no environment", "half an environment", "games"],
)
def test_all_say_the_same(make: Callable[[], object], says: str) -> None:
    with pytest.raises((TypeError, ValueError)) as failure:
        make()
    assert str(failure.value) == says
