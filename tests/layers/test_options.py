"""Options that several layers share: one rule says everywhere which values are allowed."""

from __future__ import annotations

import inspect
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.error import Error

from pyale_ma import envpool
from pyale_ma.multi import pong_v3
from pyale_ma.opponents import VersusEnv, VersusVectorEnv
from pyale_ma.recording import Recording, record
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv

_OF_POOLS = {
    *("noop_max", "full_action_space", "repeat_action_probability", "img_height", "stack_num"),
    *("use_fire_reset", "reward_clip", "gray_scale", "episodic_life", "corrected_rules"),
    *("zero_discount_on_life_loss", "frame_skip", "num_envs", "batch_size", "num_threads"),
}
_OF_VECTORS = {*inspect.signature(AtariVectorEnv).parameters}
_OF_VERSUS = _OF_VECTORS - {"continuous", "episodic_life", "life_loss_info", "batch_size"}
_OF_MODULES = {*inspect.signature(pong_v3.vector_options).parameters}
LAYERS: dict[str, tuple[Callable[..., Any], set[str]]] = {
    "single": (lambda **o: AtariEnv("pong", **o), {*inspect.signature(AtariEnv).parameters}),
    "several": (pong_v3.parallel_env, {*inspect.signature(pong_v3.parallel_env).parameters}),
    "module": (lambda **o: AtariVectorEnv(**pong_v3.vector_options(**o)), _OF_MODULES),
    "vector": (lambda **o: AtariVectorEnv(**{"game": "pong", "num_players": 2, **o}), _OF_VECTORS),
    "versus": (
        lambda **o: VersusEnv("pong", "still", **o),
        {*inspect.signature(VersusEnv).parameters},
    ),
    "versus vector": (
        lambda **o: VersusVectorEnv("pong", **{"opponent": "still", **o}),
        _OF_VERSUS,
    ),
    "envpool": (lambda **o: envpool.make("Pong-v5", "gymnasium", **o), _OF_POOLS),
}
FLAGS = (
    *("full_action_space", "corrected_rules", "sound_obs", "detailed_infos", "grayscale"),
    *("gray_scale", "maxpool", "reward_clipping", "reward_clip", "use_fire_reset", "copy"),
    *("agent_indicator", "mirror", "episodic_life", "zero_discount_on_life_loss"),
)
NO_NUMBERS = (True, np.True_, 1.0, 0.5, math.nan, "1", None, np.float32(0.5), [1])
# For each option the values that are allowed, and those that are not.
RULES: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    **dict.fromkeys(
        FLAGS,
        (
            (True, False, np.True_, np.False_, 1, 0, np.int64(1)),
            (-1, 2, 2**40, 1.0, 0.5, math.nan, "1", None, [1], np.array(1)),
        ),
    ),
    "noop_max": ((-1, 0, 3, np.int64(1), np.array(1)), (2**40, *NO_NUMBERS)),
    "frame_skip": ((1, np.int64(2), np.array(2)), (-1, 0, 2**40, *NO_NUMBERS)),
    "frameskip": ((1, 3), (-1, 0, 2**40, *NO_NUMBERS)),
    "repeat_action_probability": (
        (0, 1, 0.5, True, np.True_, np.float32(0.5), np.array(1)),
        (-1, 2, 2**40, math.nan, math.inf, "1", None, [1]),
    ),
    "max_cycles": (
        (-1, 0, 1, 2**40, 1.0, 2.5, math.inf, True, np.int64(3), np.float32(0.5)),
        (math.nan, "1", None, [1]),
    ),
    "img_height": ((1, 20, np.int64(20), np.array(20)), (-1, 0, 2**40, *NO_NUMBERS)),
    "stack_num": ((1, np.int64(2), np.array(2)), (-1, 0, 2**40, *NO_NUMBERS)),
    "num_threads": ((-1, 0, 1, np.int64(1)), (2**40, *NO_NUMBERS)),
    "num_envs": ((1, np.int64(2), np.array(2)), (-1, 0, 2**60, *NO_NUMBERS)),
    "batch_size": ((0, 1, np.int64(1), np.array(1)), (-1, 2, 2**40, *NO_NUMBERS)),
}


@pytest.mark.parametrize("name", RULES)
def test_one_rule_for_all_layers(name: str) -> None:
    allowed, refused = RULES[name]
    layers = {layer: make for layer, (make, names) in LAYERS.items() if name in names}
    assert layers
    for layer, make in layers.items():
        for value in allowed:
            make(**{name: value}).close()
        for value in refused:
            with pytest.raises((TypeError, ValueError, Error), match=name.replace("_", "_?")):
                pytest.fail(f"{layer} takes {name}={make(**{name: value})!r}: {value!r}")


def test_values_that_numbers_stand_for_are_recorded(tmp_path: Path) -> None:
    make = {layer: make for layer, (make, _) in LAYERS.items()}
    several = {"frame_skip": np.int64(2), "noop_max": np.array(2), "full_action_space": 1}
    one = {"full_action_space": 1, "corrected_rules": 1, "sound_obs": 0, "mode": True}
    vector = {"num_players": None, "maxpool": 1, "grayscale": 0, "img_height": np.array(20)}
    envs: list[tuple[Any, Any]] = [
        (make["single"](**one), 1),
        (make["several"](**several), {"first_0": 1, "second_0": 1}),
        (make["vector"](**vector), [1]),
    ]
    for number, (env, action) in enumerate(envs):
        path = tmp_path / f"{number}.zip"
        with record(env, path):
            env.reset(seed=1)
            env.step(action)
        Recording.open(path).verify()
        copied = env if number == 2 else pickle.loads(pickle.dumps(env))
        assert repr(copied.reset(seed=2)[1]) == repr(env.reset(seed=2)[1])
