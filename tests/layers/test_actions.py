"""Actions that are none: each interface says what it was given, and what is allowed."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pyale_ma.multi import quartet_v0
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv


def console() -> Callable[[Any], Any]:
    return AtariEnv("quartet").ale.act


def single() -> Callable[[Any], Any]:
    env = AtariEnv("quartet")
    env.reset(seed=0)
    return env.step


def several_consoles() -> Callable[[Any], Any]:
    env = quartet_v0.parallel_env()
    env.reset(seed=0)
    return lambda action: env.ale.act([action] * 4)


def several() -> Callable[[Any], Any]:
    env = quartet_v0.parallel_env()
    env.reset(seed=0)
    return lambda action: env.step(dict.fromkeys(env.agents, action))


def vector() -> Callable[[Any], Any]:
    env = AtariVectorEnv("quartet", num_envs=2)
    env.reset(seed=0)
    return lambda action: env.step([action, action])


@pytest.mark.parametrize("make", [console, single, several_consoles, several, vector])
@pytest.mark.parametrize("action", [1.5, np.float32(1), "fire", None, [1, [2]]])
def test_what_is_no_action(make: Callable[..., Any], action: Any) -> None:
    if make is several_consoles and isinstance(action, (float, np.floating)):
        pytest.skip("like the original, it cuts off what is behind the point")
    if make is several and action == 1:
        pytest.skip("it equals the number")
    act = make()
    with pytest.raises((TypeError, ValueError), match="action") as error:
        act(action)
    said = str(error.value)
    shown = repr(action)
    assert shown in said
    assert re.search(r"must be (an array of )?whole numbers|0 to \d+|must be one of", said)
    act(1)  # nothing was changed


def test_the_enumeration() -> None:
    """It has one home below `single` and `vector`, and is known by the name it has always had."""
    from pyale_ma import single
    from pyale_ma.games import actions

    assert single.Action is single.action.Action is actions.Action
    assert f"{actions.Action.__module__}.{actions.Action.__qualname__}" == (
        "pyale_ma.single.action.Action"
    )
    pickled = b"cpyale_ma.single.action\nAction\n(I6\ntR."  # as protocol 0 has it
    assert pickle.loads(pickled) is actions.Action.UPRIGHT
    assert pickle.loads(pickle.dumps(actions.Action.UPRIGHT)) is actions.Action.UPRIGHT
    assert repr(actions.Action.UPRIGHT) == "Action.UPRIGHT"
