"""Steps two vector environments side by side and compares all they return."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pyale_ma.vector import AtariVectorEnv
from same import same

ale_py = pytest.importorskip("ale_py", reason="the reference package, ale-py, is not installed")
Reference: Any = importlib.import_module("ale_py.vector_env").AtariVectorEnv

ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)

SAME_STEP_ONLY = {"_final_obs", "final_info", "_final_info"}  # what ale-py lacks


def pair(game: str, num_envs: int, **options: Any) -> tuple[Reference, AtariVectorEnv]:
    """ale-py's environment and ours."""
    return Reference(game, num_envs, **options), AtariVectorEnv(game, num_envs, **options)


def same_results(theirs: tuple[Any, ...], ours: tuple[Any, ...], where: str = "a step") -> None:
    """Hold what `reset` or `step` returned against each other, dtypes and all."""
    assert len(theirs) == len(ours)
    names = ("observations", "rewards", "terminations", "truncations")[: len(theirs) - 1]
    for name, their, our in zip(names, theirs, ours, strict=False):
        same(their, our, f"{where}: {name}")
    their_infos, our_infos = dict(theirs[-1]), dict(ours[-1])
    if "final_obs" in their_infos:
        # The other rows are whatever was in memory there, as is a life lost without a reset.
        rows = theirs[2] | theirs[3]
        their_final, our_final = their_infos.pop("final_obs"), our_infos.pop("final_obs")
        assert our_final.shape == their_final.shape
        assert our_final.dtype == their_final.dtype
        assert np.array_equal(our_infos["_final_obs"], rows)
        ended = rows & (
            their_infos["episode_frame_number"] < our_infos["final_info"]["episode_frame_number"]
        )
        assert np.array_equal(our_final[ended], their_final[ended])
        assert not our_final[~rows].any()
        our_infos = {key: value for key, value in our_infos.items() if key not in SAME_STEP_ONLY}
    same(their_infos, our_infos, f"{where}: infos")


def choose(env: Any, rng: np.random.Generator) -> Any:
    """Random actions that sometimes last."""
    count = env.batch_size
    if env.continuous:
        low, high = np.array([0, -np.pi, 0]), np.array([1, np.pi, 1])
        return rng.uniform(low, high, (count, 3)).astype(np.float32)
    return rng.integers(0, env.single_action_space.n, count)


def compare(
    game: str,
    steps: int,
    *,
    num_envs: int = 2,
    seed: Any = 0,
    resets: Callable[[np.random.Generator], dict[str, Any] | None] | None = None,
    **options: Any,
) -> int:
    """Step both; the number of episodes that ended.

    Args:
        game: The game.
        steps: How many.
        num_envs: Environments of the vector.
        seed: Of the first reset.
        resets: Arguments of a reset before the next step, None for no reset.
        **options: Of both environments.
    """
    theirs, ours = pair(game, num_envs, **options)
    assert ours.single_action_space == theirs.single_action_space
    assert ours.action_space == theirs.action_space
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.observation_space == theirs.observation_space
    rng = np.random.default_rng(7)
    same_results(theirs.reset(seed=seed), ours.reset(seed=seed), "reset")
    actions, ends = choose(theirs, rng), 0
    for step in range(steps):
        again = resets(rng) if resets else None
        if again is not None:
            same_results(theirs.reset(**again), ours.reset(**again), f"reset in step {step}")
        if rng.random() < 0.5:
            actions = choose(theirs, rng)
        their_results = theirs.step(actions)
        same_results(their_results, ours.step(actions), f"step {step}")
        ends += int((their_results[2] | their_results[3]).sum())
    ours.close()
    return ends
