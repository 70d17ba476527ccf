"""Observations of ``copy=False``, which share frames: equal to copies, read-only, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from pyale_ma.recording import Recording, record
from pyale_ma.vector import AtariVectorEnv
from same import same
from vector.small import SMALL, small

ENVS = 5

Pair: TypeAlias = tuple[AtariVectorEnv, AtariVectorEnv]


def _pair(game: str = "breakout", **options: Any) -> Pair:
    """A vector whose observations are copies, and one whose observations share frames."""
    options = {"max_num_frames_per_episode": 90, "repeat_action_probability": 0.25, **options}
    return small(game, ENVS, **options), small(game, ENVS, copy=False, **options)


def _reset(pair: Pair, **arguments: Any) -> None:
    """Reset both alike."""
    copying, sharing = pair
    same(copying.reset(**arguments), sharing.reset(**arguments))


def _step(pair: Pair, random: np.random.Generator) -> Any:
    """Play the same in both, and return the results; episodes that are over are reset."""
    copying, sharing = pair
    actions = random.integers(0, min(copying.num_actions), ENVS)
    results = copying.step(actions)
    same(results, sharing.step(actions))
    over = results[2] | results[3]
    if copying.autoreset_mode.value == "Disabled" and over.any():
        _reset(pair, options={"reset_mask": over})
    return results


# ---- Equal to copies -----------------------------------------------------------------------------

KINDS: dict[str, dict[str, Any]] = {
    "four": {"stack_num": 4, "img_height": 84, "img_width": 84},
    "three": {"stack_num": 3, "stack_fill": "reset", "num_threads": 1},
    "one": {"stack_num": 1, "num_threads": 2},
    "rgb": {"grayscale": False, "stack_num": 4, "num_threads": 3},
    "ram": {"obs_type": "ram", "stack_num": 3},
    "labels": {"obs_type": "labels", "stack_num": 4},
    "objects": {"obs_type": "objects", "stack_num": 3},
    "lives": {"episodic_life": True, "stack_num": 4, "crop": (10, 10, 0, 0)},
}


@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("kind", KINDS)
def test_equal_to_copies(kind: str, autoreset: str) -> None:
    pair = copying, sharing = _pair(autoreset_mode=autoreset, **KINDS[kind])
    random = np.random.default_rng(0)
    _reset(pair, seed=3)
    consoles = copying.save_states([0, 1])
    for turn in range(60):
        if turn == 20:
            states = [env.save_state() for env in pair]
            assert copying._native.saved_equal(*states)
        if turn == 40:  # each goes on from what the other has saved
            copying.restore_state(states[1])
            sharing.restore_state(states[0])
        _step(pair, random)
        if turn % 12 == 3:
            options = {"reset_mask": random.integers(0, 2, ENVS).astype(bool)}
            _reset(pair, seed=turn, options=options)
        if turn % 12 == 5:
            for env in pair:
                env.copy_envs([1, 2, 0, 4, 4], [0, 1, 2, 3, 4])
        if turn % 12 == 10:
            restored = copying.restore_states([3, 1], consoles)
            same(restored, sharing.restore_states([3, 1], consoles))


@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep"])
@pytest.mark.parametrize(
    "options", [{"batch_size": 2}, {"num_players": 2, "agent_indicator": True, "mirror": True}]
)
def test_others_share_nothing(options: dict[str, Any], autoreset: str) -> None:
    """Where rows do not keep their places, or are made of frames, nothing is shared."""
    pair = copying, reusing = _pair("pong", autoreset_mode=autoreset, num_threads=1, **options)
    _reset(pair, seed=3)
    for _ in range(40):
        actions = np.ones_like(copying.action_space.sample())
        results = reusing.step(actions)
        same(copying.step(actions), results)
        assert results[0].flags.c_contiguous
        assert results[0].flags.writeable


def test_starts() -> None:
    source = AtariVectorEnv("breakout", 1, **SMALL)
    source.reset(seed=1)
    for _ in range(20):
        source.step([1])
    state = source.save_states([0])[0]
    pair = _pair(starts=[state], stack_num=4)
    _reset(pair, seed=3)
    random = np.random.default_rng(0)
    for _ in range(60):
        _step(pair, random)


def test_sent_and_received() -> None:
    pair = copying, sharing = _pair(stack_num=4)
    _reset(pair, seed=3)
    for turn in range(40):
        for env in pair:
            env.send([turn % 4] * ENVS)
        if turn % 10 == 4:  # a reset discards results; the environments were played
            options = {"reset_mask": np.arange(ENVS) < 2}
            _reset(pair, options=options)
        elif turn % 10 == 6:  # a saved state has them, and the next batch is theirs
            state = copying.save_state()
            assert copying._native.saved_equal(state, sharing.save_state())
            sharing.restore_state(state)
            same(copying.recv(), sharing.recv())
        else:
            same(copying.recv(), sharing.recv())


def test_refused_steps() -> None:
    pair = copying, sharing = _pair(stack_num=4)
    _reset(pair, seed=3)
    random = np.random.default_rng(0)
    for turn in range(20):
        for _ in range(turn % 3):
            with pytest.raises(IndexError):
                sharing.step([99] * ENVS)
        same(_step(pair, random)[0].shape, copying.observation_space.shape)


# ---- What is shared ------------------------------------------------------------------------------


def test_frames_stay_where_they_are() -> None:
    env = small(num_envs=3, copy=False, stack_num=4)
    older, _ = env.reset(seed=0)
    moved = 0
    for _ in range(40):
        observations, *_ = env.step([1, 1, 1])
        assert not observations.flags.writeable
        assert observations.strides == older.strides
        assert observations[0].flags.c_contiguous
        if observations.ctypes.data == older.ctypes.data + 21 * 16:
            assert np.shares_memory(observations[:, :3], older[:, 1:])
            assert np.array_equal(observations[:, :3], older[:, 1:])
        else:
            moved += 1
        older = observations
    assert moved == 5  # once in eight steps


def test_observations_are_valid_until_the_next_step() -> None:
    env = small(num_envs=3, copy=False, stack_num=4)
    env.reset(seed=0)
    state = env.save_state()
    for _ in range(12):
        observations, *_ = env.step([1, 2, 3])
        before = observations.copy()
        env.copy_envs([1, 2, 0], [0, 1, 2])
        with pytest.raises(ValueError, match="read-only"):
            observations[0] = 0
        assert np.array_equal(observations, before)
        env.restore_state(state)
        assert np.array_equal(observations, before)
    env.close()
    assert np.array_equal(observations, before)


def test_numbers_are_the_callers() -> None:
    env = small(copy=False, stack_num=3, extra_infos=["ram"])
    env.reset(seed=0)
    kept = [env.step([1, 2]) for _ in range(40)]
    again = small(stack_num=3, extra_infos=["ram"])
    again.reset(seed=0)
    for one in kept:
        same(one[1:], again.step([1, 2])[1:])


def test_recordings(tmp_path: Path) -> None:
    pair = copying, sharing = _pair(stack_num=4)
    random = np.random.default_rng(0)
    files = [tmp_path / "copies.zip", tmp_path / "shared.zip"]
    recorders = [record(env, path) for env, path in zip(pair, files, strict=True)]
    _reset(pair, seed=3)
    for _ in range(30):
        _step(pair, random)
    for recorder in recorders:
        recorder.close()
    verdicts = [Recording.open(path).verify() for path in files]
    assert verdicts[0].steps == verdicts[1].steps == 30
    copying.close()
    sharing.close()


def test_tensors_share_nothing() -> None:
    pytest.importorskip("torch")
    pair = copying, sharing = _pair(stack_num=4)
    random = np.random.default_rng(0)
    _reset(pair, seed=3)
    _step(pair, random)
    adapter = sharing.torch()
    for _ in range(12):
        actions = random.integers(0, 4, ENVS)
        tensors = adapter.step(actions)
        same(copying.step(actions)[0], tensors[0].numpy())
        assert tensors[0].is_contiguous()
        tensors[0].zero_()
