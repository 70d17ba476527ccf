"""The class and the arguments as older programs call them."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from pyale_ma.vector import AtariVectorEnv, VectorAtariEnv
from vector.small import SMALL

# All of them warn of the class's name; one test is about that.
pytestmark = pytest.mark.filterwarnings("ignore:VectorAtariEnv is now:DeprecationWarning")


def same_start(one: AtariVectorEnv, other: AtariVectorEnv, seed: int | None = None) -> bool:
    """Whether both, reset for the first time, show the same; `seed` is the other's."""
    observations, infos = one.reset()
    expected, expected_infos = other.reset(seed=seed)
    frames = infos["frame_number"].tolist() == expected_infos["frame_number"].tolist()
    return frames and np.array_equal(observations, expected)


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
