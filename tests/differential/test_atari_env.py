"""`pyale_ma.single.AtariEnv` against ale-py's, both made by gymnasium in one process."""

from __future__ import annotations

import platform
import warnings
from typing import Any

import numpy as np
import pytest

from differential.pair import SUBJECT_NAME, ale_py, reference_rom
from same import same

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
OURS = "ALE" if SUBJECT_NAME == "ale_py" else "pyale_ma"
gymnasium.register_envs(ale_py)


def make_both(name: str, **arguments: Any) -> tuple[Any, Any]:
    return tuple(gymnasium.make(f"{namespace}/{name}", **arguments) for namespace in ("ALE", OURS))


def play(both: tuple[Any, Any], steps: int, seed: int) -> None:
    reference, ours = both
    assert reference.observation_space == ours.observation_space
    assert reference.action_space == ours.action_space
    reference.action_space.seed(seed)
    same(reference.reset(seed=seed), ours.reset(seed=seed), "seeded reset")
    for t in range(steps):
        action = reference.action_space.sample()
        expected, actual = reference.step(action), ours.step(action)
        same(expected, actual, f"step {t}, action {action}")
        if reference.render_mode == "rgb_array":
            same(reference.render(), ours.render(), f"picture of step {t}")
        if expected[2] or expected[3]:
            same(reference.reset(), ours.reset(), f"reset after step {t}")
    same(reference.reset(seed=seed + 1), ours.reset(seed=seed + 1), "second seeded reset")


VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "rgb": ("Breakout-v5", {}),
    "grayscale": ("MsPacman-v5", {"obs_type": "grayscale"}),
    "ram": ("Qbert-v5", {"obs_type": "ram"}),
    "sound": ("Pong-v5", {"sound_obs": True}),
    "sound and ram": ("Seaquest-v5", {"sound_obs": True, "obs_type": "ram"}),
    "stochastic frame skip": ("Enduro-v5", {"frameskip": (2, 5), "obs_type": "ram"}),
    "no frame skip": ("Pong-v5", {"frameskip": 1, "repeat_action_probability": 0.0}),
    "all actions": ("Freeway-v5", {"full_action_space": True, "obs_type": "grayscale"}),
    "illegal actions": ("Skiing-v5", {"full_action_space": True, "obs_type": "ram"}),
    "mode": ("SpaceInvaders-v5", {"mode": 3, "difficulty": 1, "obs_type": "ram"}),
    "mode with random presses": ("Adventure-v5", {"mode": 2, "obs_type": "ram"}),
    "mode with random presses, truncated": (
        "Adventure-v5",
        {"mode": 2, "obs_type": "ram", "max_num_frames_per_episode": 7},
    ),
    "mode with acts": ("DoubleDunk-v5", {"mode": 3, "obs_type": "ram"}),
    "continuous": ("Boxing-v5", {"continuous": True, "obs_type": "ram"}),
    "continuous paddle": ("Breakout-v5", {"continuous": True, "continuous_action_threshold": 0.3}),
    "truncated": ("Seaquest-v5", {"max_num_frames_per_episode": 50, "obs_type": "ram"}),
    "rendered": ("Asterix-v5", {"render_mode": "rgb_array", "obs_type": "ram"}),
    "PAL": ("AirRaid-v5", {}),
}


@pytest.mark.parametrize(("name", "arguments"), VARIANTS.values(), ids=VARIANTS)
def test_variants(name: str, arguments: dict[str, Any]) -> None:
    play(make_both(name, **arguments), steps=150, seed=42)


@pytest.mark.parametrize("mode", [0, 2])
@pytest.mark.parametrize("frameskip", [1, 4, 7, (2, 9)])
def test_an_end_within_a_step(mode: int, frameskip: Any) -> None:
    """The frames that are left draw random numbers, on which Adventure's next reset depends."""
    both = make_both("Adventure-v5", obs_type="ram", mode=mode, frameskip=frameskip)
    reference, ours = both
    same(reference.reset(seed=6), ours.reset(seed=6), "seeded reset")
    for episode in range(8):
        for step in range(12):
            if step > 8:  # the player is eaten
                for env in both:
                    env.unwrapped.ale.setRAM(96, 2)
            action = (5 * episode + step) % 18
            expected = reference.step(action)
            same(expected, ours.step(action), f"episode {episode}, step {step}")
            assert expected[2] == (step > 8)
        same(reference.reset(), ours.reset(), f"reset after episode {episode}")


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_positions_that_are_not_finite(number: float) -> None:
    """They press what they press in the reference."""
    reference, ours = make_both("Pong-v5", continuous=True, obs_type="ram")
    same(reference.reset(seed=1), ours.reset(seed=1), "reset")
    for step in range(24):
        action = np.array([1, 0.5, 1], np.float32)
        action[step % 3] = number
        if np.isinf(action[0]) and platform.machine() not in ("x86_64", "AMD64"):
            continue  # C leaves such a turn of the paddle undefined
        same(reference.step(action), ours.step(action), f"step {step}, action {action}")


def all_ids() -> list[str]:
    return sorted(
        name.removeprefix("ALE/") for name in gymnasium.registry if name.startswith("ALE/")
    )


@pytest.mark.parametrize("name", all_ids())
def test_every_id(name: str) -> None:
    reference, ours = (gymnasium.spec(f"{namespace}/{name}") for namespace in ("ALE", OURS))
    reference_rom(reference.kwargs["game"])
    assert ours.kwargs == reference.kwargs
    for attribute in ("max_episode_steps", "nondeterministic", "reward_threshold", "order_enforce"):
        assert getattr(ours, attribute) == getattr(reference, attribute)


@pytest.mark.slow
@pytest.mark.parametrize("name", all_ids())
def test_every_id_longer(name: str) -> None:
    play(make_both(name), steps=300, seed=8)
    others = make_both(name, continuous=True, obs_type="grayscale", sound_obs=True)
    play(others, steps=100, seed=9)


@pytest.mark.parametrize(
    "arguments",
    [
        {"obs_type": "pixels"}, {"frameskip": 0}, {"frameskip": (5, 2)}, {"frameskip": 4.0},
        {"frameskip": True}, {"frameskip": (1, 2, 3)}, {"render_mode": "ansi"}, {"mode": 77},
        {"difficulty": 9},
    ],
    ids=str,
)  # fmt: skip
def test_same_refusals(arguments: dict[str, Any]) -> None:
    """Bad arguments raise the exception that the reference raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(Exception) as expected:  # noqa: PT011 - whatever it is
            gymnasium.make("ALE/Pong-v5", **arguments)
        with pytest.raises(expected.type):
            gymnasium.make(f"{OURS}/Pong-v5", **arguments)
