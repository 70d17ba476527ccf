"""`AtariVectorEnv` beside ale-py's: observations, rewards, ends and infos, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ale_py.vector_env import AtariVectorEnv as Reference

from pyale_ma.vector import AtariVectorEnv

ENVS = 3
GAMES = (
    "adventure", "air_raid", "breakout", "montezuma_revenge", "ms_pacman", "pong", "qbert",
    "seaquest", "skiing", "space_invaders",
)  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "rgb": {"grayscale": False},
    "sticky": {"repeat_action_probability": 0.25, "stack_num": 2},
    "plain frames": {"frameskip": 3, "maxpool": False, "img_height": 100, "img_width": 70},
    "episodic life": {"episodic_life": True, "reward_clipping": False},
    "life loss": {"life_loss_info": True, "noop_max": 5},
    "full actions": {
        "full_action_space": True, "use_fire_reset": False, "max_num_frames_per_episode": 200
    },
}  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("game", GAMES)
def test_steps(game: str, options: dict[str, Any]) -> None:
    theirs, ours = (kind(game, num_envs=ENVS, **options) for kind in (Reference, AtariVectorEnv))
    assert ours.single_action_space == theirs.single_action_space
    assert ours.single_observation_space == theirs.single_observation_space
    same(theirs.reset(seed=5), ours.reset(seed=5))
    rng = np.random.default_rng(0)
    for _ in range(100):
        actions = rng.integers(0, theirs.single_action_space.n, ENVS)
        same(theirs.step(actions), ours.step(actions))
    theirs.close()
    ours.close()


def same(theirs: tuple[Any, ...], ours: tuple[Any, ...]) -> None:
    assert len(theirs) == len(ours)
    for their, our in zip(theirs[:-1], ours[:-1], strict=True):
        assert their.dtype == our.dtype
        assert np.array_equal(their, our)
    assert theirs[-1].keys() == ours[-1].keys()
    for key, value in theirs[-1].items():
        assert np.array_equal(value, ours[-1][key]), key


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(threads: int) -> None:
    outcomes = []
    for num_threads in (1, threads):
        with_threads = AtariVectorEnv("breakout", num_envs=8, num_threads=num_threads)
        with_threads.reset(seed=3)
        rng = np.random.default_rng(1)
        steps = [with_threads.step(rng.integers(0, 4, 8))[:2] for _ in range(40)]
        outcomes.append([np.concatenate([part[i].reshape(-1) for part in steps]) for i in (0, 1)])
        with_threads.close()
    assert all(np.array_equal(a, b) for a, b in zip(*outcomes, strict=True))
