"""Arguments that are none: refused where they are given, by name, or else they work."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

from common import rom_path
from pyale_ma import multi
from pyale_ma.multi import ALEInterface as MultiInterface, ParallelAtariEnv
from pyale_ma.opponents import VersusEnv, VersusVectorEnv
from pyale_ma.single import ALEInterface, AtariEnv
from pyale_ma.vector import AtariVectorEnv

HOSTILE = [
    *(None, -0.0, 1.0, 0, 1, -1, True, np.True_, math.nan, math.inf, 2**70, -(2**70)),
    *("1", "", "\0", b"1", [1], (1,), {}, object(), np.array([0.5, 0.5]), [[1], [2, 3]]),
]
# Other words for some arguments, in errors that are as those of the originals or of Gymnasium.
WORDS = {
    "obs_type": "observation type",
    "render_mode": "render mode",
    "opponent": "level",
    "mode_num": "mode",
    "variation": "variation",
}
REFUSALS = (
    *(TypeError, ValueError, AssertionError, RuntimeError, FileNotFoundError),
    gymnasium.error.Error,
)


def named(problem: Exception, name: str) -> None:
    """See that an error speaks of an argument."""
    said = str(problem).lower()
    assert name in said or WORDS.get(name, name) in said, problem


def play_one(env: Any) -> None:
    env.reset(seed=1)
    for _ in range(2):
        _, _, over, cut, _ = env.step(env.action_space.sample())
        if isinstance(over, bool) and (over or cut):
            env.reset()
    env.close()


def play_several(env: Any) -> None:
    env.reset(seed=1)
    for _ in range(2):
        env.step(dict.fromkeys(env.agents, 0))
    env.close()


LAYERS: dict[type, tuple[Callable[[Any], None], dict[str, Any]]] = {
    AtariEnv: (play_one, {"game": "quartet"}),
    ParallelAtariEnv: (play_several, {"game": "quartet", "num_players": 2}),
    AtariVectorEnv: (play_one, {"game": "quartet"}),
    VersusEnv: (play_one, {"game": "quartet", "opponent": "random"}),
    VersusVectorEnv: (play_one, {"game": "quartet", "opponent": "random"}),
}
OF_VECTORS = sorted(inspect.signature(AtariVectorEnv).parameters.keys() - {"game", "games"})


def cases() -> Iterator[Any]:
    for layer in LAYERS:
        names = [*inspect.signature(layer).parameters]
        if "options" in names:
            names = [*names, *OF_VECTORS]
        for name in dict.fromkeys(names):
            if name != "options":
                yield pytest.param(layer, name, id=f"{layer.__name__}-{name}")


@pytest.mark.parametrize(("layer", "name"), list(cases()))
def test_arguments(layer: Any, name: str) -> None:
    play, usual = LAYERS[layer]
    for value in HOSTILE:
        try:
            env = layer(**{**usual, name: value})
        except REFUSALS as problem:
            named(problem, name)
        else:
            play(env)


def test_a_number_of_frames_has_a_limit() -> None:
    for frames in (2**31, (1, 2**31)):
        with pytest.raises(gymnasium.error.Error, match="at most 2147483647"):
            AtariEnv("quartet", frameskip=frames)
    makes: list[tuple[Callable[..., Any], str]] = [
        (AtariVectorEnv, "frameskip"),
        (multi.parallel_env, "frame_skip"),
    ]
    for make, name in makes:
        with pytest.raises(ValueError, match=rf"^{name} is 10001"):
            make(game="quartet", num_players=2, **{name: 10001})
    with pytest.raises(ValueError, match="noop_max is 100001"):
        multi.parallel_env(game="quartet", num_players=2, noop_max=100001)


@pytest.mark.parametrize("interface", [ALEInterface, MultiInterface])
def test_settings(interface: Any) -> None:
    ale = interface()
    for method, keys in (
        ("setInt", ("frame_skip", "max_num_frames_per_episode", "paddle_max")),
        ("setFloat", ("repeat_action_probability",)),
    ):
        for key in keys:
            for value in HOSTILE:
                before = ale.getString(key)
                try:
                    getattr(ale, method)(key, value)
                    ale.loadROM(str(rom_path("quartet")))
                except (TypeError, ValueError) as problem:
                    named(problem, key)
                getattr(ale, method)(key, float(before) if "F" in method else int(before))
    for probability in (2.0, -0.5, math.inf, math.nan):
        ale.setFloat("repeat_action_probability", probability)
        with pytest.raises(ValueError, match=r"repeat_action_probability is"):
            ale.loadROM(str(rom_path("quartet")))


@pytest.mark.parametrize("interface", [ALEInterface, MultiInterface])
@pytest.mark.parametrize("name", ["mode", "difficulty"])
def test_modes_and_difficulties(interface: Any, name: str) -> None:
    ale = interface()
    ale.loadROM(str(rom_path("quartet")))
    for value in HOSTILE:
        try:
            getattr(ale, f"set{name.title()}")(value)
        except (TypeError, ValueError, RuntimeError) as problem:
            named(problem, name)
        else:
            ale.reset_game()
