"""Checks of single arguments: what they take, and what they say of anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pyale_ma._base import arguments
from pyale_ma.evaluation import Arena
from pyale_ma.opponents.policies import RandomPolicy


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
    for number in (arguments.integer("steps", five, 1), arguments.integer("steps", five, 5, 5)):
        assert number == 5
        assert type(number) is int
    assert arguments.integer("steps", 2**100, 1) == 2**100


@pytest.mark.parametrize("value", [True, np.True_, 5.0, np.float32(5), "5", None, [5]], ids=repr)
def test_what_is_no_whole_number(value: Any) -> None:
    with pytest.raises(TypeError) as failure:
        arguments.integer("steps", value, 0, 9)
    assert str(failure.value) == f"steps must be a whole number, not {value!r}"


def test_bounds() -> None:
    with pytest.raises(ValueError, match=r"^steps is 0"):
        arguments.integer("steps", 0, 1)
    with pytest.raises(ValueError, match=r"^steps is 10"):
        arguments.integer("steps", 10, 0, 9)


def test_fractions() -> None:
    for half in (0.5, np.float32(0.5), np.array(0.5)):
        assert arguments.fraction("confidence", half) == 0.5
    for value in ("x", b"1", None, [0.5], np.array([0.5, 0.5]), 1j):
        with pytest.raises(TypeError) as failure:
            arguments.fraction("confidence", value)
        assert str(failure.value) == f"confidence must be a number, not {value!r}"
    for value in (0, 1, -1, 95, np.nan, 10**400, -(10**400)):
        with pytest.raises(ValueError, match=r"^confidence is"):
            arguments.fraction("confidence", value)


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
