"""What vectors make of the screen: stacks of frames, and parts of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from pyale_ma.vector import AtariVectorEnv
from same import same


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("obs_type", ["grayscale", "rgb", "ram", "labels"])
def test_stacks_begin_with_the_first_frame(obs_type: Any, mode: AutoresetMode) -> None:
    count, stack = 3, 4
    options: dict[str, Any] = {
        "obs_type": obs_type,
        "stack_num": stack,
        "autoreset_mode": mode,
        "max_num_frames_per_episode": 24,
        "img_height": 40,
        "img_width": 40,
    }
    zeros = AtariVectorEnv("pong", count, **options)
    filled = AtariVectorEnv("pong", count, stack_fill="reset", **options)
    seen, results = zeros.reset(seed=1)[0], filled.reset(seed=1)[0]
    rng, age, resets = np.random.default_rng(1), np.ones(count, int), 0
    while resets < 3:
        for row, frames in enumerate(age):
            missing = max(stack - frames, 0)
            assert not seen[row, :missing].any()
            assert (results[row, :missing] == seen[row, missing]).all()
            same(results[row, missing:], seen[row, missing:])
        actions = rng.integers(6, size=count)
        seen, _, _, cut, infos = zeros.step(actions)
        results, *_, others = filled.step(actions)
        age += 1
        if cut.all() and mode != AutoresetMode.NEXT_STEP:
            resets, age[:] = resets + 1, 1
            if mode == AutoresetMode.SAME_STEP:
                same(others["final_obs"], infos["final_obs"])
            else:
                seen, results = (
                    envs.reset(options={"reset_mask": np.ones(count, np.bool_)})[0]
                    for envs in (zeros, filled)
                )
        elif cut.all():
            seen, results = zeros.step(actions)[0], filled.step(actions)[0]
            resets, age[:] = resets + 1, 1


@pytest.mark.parametrize("obs_type", ["grayscale", "rgb", "objects"])
@pytest.mark.parametrize("crop", [(34, 16, 0, 0), [0, 120, 20, 61], (5, 5, 8, 8)])
def test_pictures_are_parts_of_the_screen(obs_type: Any, crop: Any) -> None:
    top, bottom, left, right = crop
    height, width = 210 - top - bottom, 160 - left - right
    options: dict[str, Any] = {"obs_type": obs_type, "stack_num": 2, "autoreset_mode": "SameStep"}
    whole = AtariVectorEnv("pong", 2, img_height=210, img_width=160, **options)
    part = AtariVectorEnv("pong", 2, img_height=height, img_width=width, crop=crop, **options)
    assert part.single_observation_space.shape == (2, height, width, *whole.reset()[0].shape[4:])
    seen, cropped = whole.reset(seed=3)[0], part.reset(seed=3)[0]
    for action in np.random.default_rng(1).integers(6, size=80):
        same(cropped, seen[:, :, top : 210 - bottom, left : 160 - right])
        seen, cropped = whole.step([action] * 2)[0], part.step([action] * 2)[0]


def test_parts_are_resized_as_by_opencv() -> None:
    cv2 = pytest.importorskip("cv2")
    options: dict[str, Any] = {"stack_num": 1, "maxpool": False}
    whole = AtariVectorEnv("breakout", 1, img_height=210, img_width=160, **options)
    part = AtariVectorEnv("breakout", 1, crop=(32, 18, 8, 8), **options)
    seen, resized = whole.reset(seed=3)[0], part.reset(seed=3)[0]
    for action in np.random.default_rng(1).integers(4, size=60):
        expected = cv2.resize(seen[0, 0, 32:192, 8:152], (84, 84), interpolation=cv2.INTER_AREA)
        assert np.array_equal(resized[0, 0], expected)
        seen, resized = whole.step([action])[0], part.step([action])[0]
