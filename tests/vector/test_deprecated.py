"""`make_atari_vector_env`; the class and the arguments as older programs call them."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from gymnasium.error import Error

from pyale_ma.vector import AtariVectorEnv, VectorAtariEnv, make_atari_vector_env
from vector.small import SMALL

# All of them warn of the class's name; one test is about that.
pytestmark = pytest.mark.filterwarnings("ignore:VectorAtariEnv is now:DeprecationWarning")


def same_start(one: AtariVectorEnv, other: AtariVectorEnv, seed: int | None = None) -> bool:
    """Whether both, reset for the first time, show the same; `seed` is the other's."""
    observations, infos = one.reset()
    expected, expected_infos = other.reset(seed=seed)
    frames = infos["frame_number"].tolist() == expected_infos["frame_number"].tolist()
    return frames and np.array_equal(observations, expected)


# ---- The factory ---------------------------------------------------------------------------------


def test_factory() -> None:
    env = make_atari_vector_env("pong", 3, "grayscale", 3, 0.5, True, 7)
    other = AtariVectorEnv(
        "pong", 3, frameskip=3, repeat_action_probability=0.5, full_action_space=True
    )
    assert type(env) is AtariVectorEnv
    assert env.single_observation_space == other.single_observation_space
    assert env.single_action_space == other.single_action_space
    assert same_start(env, other, 7)
    for action in range(18):
        results, expected = env.step([action] * 3), other.step([action] * 3)
        assert np.array_equal(results[0], expected[0])


def test_defaults_of_the_factory() -> None:
    env = make_atari_vector_env("pong", **SMALL)
    assert env.num_envs == 16
    assert env.single_observation_space.shape == (2, 21, 16, 3)
    other = AtariVectorEnv("pong", 16, obs_type="rgb", repeat_action_probability=0.25, **SMALL)
    other.reset(seed=1)
    env.reset(seed=1)
    for action in range(30):
        results, expected = env.step([action % 6] * 16), other.step([action % 6] * 16)
        assert np.array_equal(results[0], expected[0])


def test_seed_of_the_first_reset() -> None:
    """A reset's own seed goes before; later resets go on with the random numbers."""
    env, other = (make_atari_vector_env("pong", 2, seed=5, **SMALL) for _ in range(2))
    assert same_start(env, other, 5)
    assert same_start(env, other)
    env.reset(seed=8)
    fresh = make_atari_vector_env("pong", 2, seed=5, **SMALL)
    fresh.reset(seed=8)
    assert same_start(env, fresh)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"game": "pongg"}, ValueError, "did you mean 'pong'"),
        ({"obs_type": "RGB"}, ValueError, "obs_type is 'RGB'"),
        ({"num_envs": 0}, ValueError, "num_envs"),
        ({"frameskip": 0}, Error, "Invalid frameskip"),
        ({"repeat_action_probability": 2}, ValueError, "repeat_action_probability"),
        ({"full_action_space": 1}, TypeError, "full_action_space"),
        ({"seed": -1}, ValueError, "must not be negative"),
        ({"seed": 0.5}, TypeError, "Unsupported seed type"),
        ({"frame_skip": 4}, TypeError, "frame_skip"),
    ],
)
def test_factory_refuses(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make_atari_vector_env(**{"game": "pong", "num_envs": 2, **arguments})


# ---- Older names ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("frame_skip", "frameskip", 2),
        ("fire_reset", "use_fire_reset", False),
        ("max_episode_steps", "max_num_frames_per_episode", 10),
    ],
)
def test_older_arguments(old: str, new: str, value: Any) -> None:
    with pytest.warns(DeprecationWarning, match=f"^{old} is now {new}$") as caught:
        env = VectorAtariEnv("breakout", 2, **{old: value, **SMALL})
    assert {warning.filename for warning in caught} == {__file__}
    other = AtariVectorEnv("breakout", 2, **{new: value, **SMALL})
    assert same_start(env, other, 0)
    for action in range(12):
        for result, expected in zip(
            env.step([action % 4] * 2), other.step([action % 4] * 2), strict=True
        ):
            if isinstance(result, np.ndarray):
                assert np.array_equal(result, expected)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=f"{old} is an older name of {new}; give only one"):
        VectorAtariEnv("breakout", 2, **{old: value, new: value})
    with pytest.raises(TypeError, match=old):
        AtariVectorEnv("breakout", 2, **{old: value})


def test_older_class() -> None:
    with pytest.warns(DeprecationWarning, match="AtariVectorEnv") as caught:
        env = VectorAtariEnv(game="MsPacman", num_envs=2, grayscale=False, **SMALL)
    assert [str(warning.message) for warning in caught] == ["VectorAtariEnv is now AtariVectorEnv"]
    assert isinstance(env, AtariVectorEnv)
    assert env.games == ["ms_pacman"] * 2
    assert same_start(env, AtariVectorEnv("ms_pacman", 2, grayscale=False, **SMALL), 0)
    with pytest.raises(ValueError, match="no game 'MrsPacman'"):
        VectorAtariEnv("MrsPacman", 2)


def test_older_seed() -> None:
    with pytest.warns(DeprecationWarning, match="^seed is now an argument of reset$"):
        env = VectorAtariEnv("pong", 2, seed=9, **SMALL)
    assert same_start(env, AtariVectorEnv("pong", 2, **SMALL), 9)
    with (
        pytest.warns(DeprecationWarning, match="seed"),
        pytest.raises(TypeError, match="Unsupported seed type"),
    ):
        VectorAtariEnv("pong", 2, seed="9")


# ---- The original's interface --------------------------------------------------------------------


def test_names_of_the_original() -> None:
    """All that ale-py's class has but for its native object."""
    ale_py = pytest.importorskip("ale_py")
    original, env = ale_py.AtariVectorEnv("pong", 2), AtariVectorEnv("pong", 2)
    missing = {name for name in dir(original) if not hasattr(env, name)}
    assert missing == {"ale"}


def test_arguments_of_the_original() -> None:
    """The same arguments, in the same order, with the same defaults."""
    ale_py = pytest.importorskip("ale_py")
    theirs = inspect.signature(ale_py.AtariVectorEnv).parameters
    ours = inspect.signature(AtariVectorEnv).parameters
    known = [name for name in ours if name in theirs]
    assert known == list(theirs)
    for name, parameter in theirs.items():
        assert ours[name].kind == parameter.kind
        if parameter.default is not parameter.empty:
            assert ours[name].default == parameter.default, name
