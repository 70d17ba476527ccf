"""The JAX adapter: the same results as the methods', compiled or not, and as ale-py's `xla`."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, DependencyNotInstalled

from pyale_ma.compat.torchwm import make_atari_vector_env
from pyale_ma.vector import AtariVectorEnv
from same import same
from vector.comparison import Reference, choose
from vector.small import SMALL

jax = pytest.importorskip("jax", reason="the JAX adapter needs JAX")
jnp = jax.numpy


def small(game: str = "breakout", num_envs: int = 3, **options: Any) -> AtariVectorEnv:
    return AtariVectorEnv(game, num_envs, **{**SMALL, **options})


def same_trees(theirs: Any, ours: Any) -> None:
    """Compare two trees of arrays, dtypes and all; JAX has 64 bits only if a program asks."""
    their_leaves, their_tree = jax.tree.flatten(theirs)
    their_leaves = [
        leaf.astype(np.int32) if leaf.dtype == np.int64 else leaf for leaf in their_leaves
    ]
    our_leaves, our_tree = jax.tree.flatten(ours)
    assert our_tree == their_tree
    same(their_leaves, our_leaves)


# ---- Against ale-py ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("breakout", {"episodic_life": True, "repeat_action_probability": 0.25}),
        ("pong", {"max_num_frames_per_episode": 50, "grayscale": False}),
        ("ms_pacman", {"continuous": True}),
    ],
)
def test_equals_ale_py(game: str, options: dict[str, Any]) -> None:
    """Single calls, compiled calls, and a hundred steps in one compiled loop."""
    for module in ("chex", "jax.ffi"):
        pytest.importorskip(module, reason=f"ale-py's xla() needs {module}")
    theirs, ours = Reference(game, 3, **options), AtariVectorEnv(game, 3, **options)
    rng = np.random.default_rng(5)
    actions = [choose(theirs, rng) for _ in range(100)]
    played = []
    for env in (theirs, ours):
        handle, reset, step = env.xla()
        assert (handle.shape, handle.dtype) == ((8,), np.uint8)
        handle, (observations, infos) = reset(handle, seed=11)
        results: list[Any] = [(observations, infos)]
        for play in (step, jax.jit(step)):
            handle, result = play(handle, actions[0])
            assert (handle.shape, handle.dtype) == ((8,), np.uint8)
            results.append(result)
        handle, result = jax.lax.scan(step, handle, jnp.asarray(actions))
        results.append(result)
        handle, result = jax.jit(reset)(handle, np.array([7, -1, 9]))
        results.append(result)
        mask = np.array([True, False, True])
        handle, result = reset(handle, np.array([3, -1]), mask)
        results.append((result[0][1], result[1]["lives"][1]))  # the others are not seeded alike
        played.append(results)
    same_trees(*played)


# ---- Against the methods -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"repeat_action_probability": 0.25, "episodic_life": True},
        {"obs_type": "ram", "stack_num": 3},
        {"obs_type": "rgb", "copy": False},
        {"continuous": True},
        {"game": "pong", "num_players": 2},
        {"game": "pong", "num_players": 2, "continuous": True},
        {"num_envs": 5, "batch_size": 2, "num_threads": 1},
        {"extra_infos": ["ram", "sound", "unclipped_reward"]},
    ],
)
def test_equals_methods(options: dict[str, Any]) -> None:
    env, other = (small(**{"max_num_frames_per_episode": 77, **options}) for _ in range(2))
    handle, reset, step = env.xla()
    handle, result = reset(handle, 3)
    same_trees(other.reset(seed=3), result)
    env.action_space.seed(0)
    actions = np.stack([env.action_space.sample() for _ in range(100)])
    for play in (step, jax.jit(step)):
        handle, result = play(handle, actions[0])
        same_trees(other.step(actions[0]), result)
    handle, results = jax.jit(lambda handle, actions: jax.lax.scan(step, handle, actions))(
        handle, actions
    )
    for index, action in enumerate(actions):
        same_trees(other.step(action), jax.tree.map(lambda array: array[index], results))  # noqa: B023
    handle, result = reset(handle)
    same_trees(other.reset(), result)


def test_infos_are_always_there() -> None:
    """Infos that a method leaves out when there is nothing to tell are 0."""
    options: dict[str, Any] = {"autoreset_mode": "SameStep", "extra_infos": ["episode"]}
    env, other = (small(max_num_frames_per_episode=9, **options) for _ in range(2))
    assert not env.is_xla_registered
    handle, reset, step = env.xla()
    assert env.is_xla_registered
    handle, _ = reset(handle, 3)
    other.reset(seed=3)
    told = 0
    for _ in range(6):
        handle, (*_, infos) = step(handle, [1, 1, 1])
        *_, expected = other.step([1, 1, 1])
        told += len(expected)
        assert infos.keys() == {
            "env_id", "lives", "frame_number", "episode_frame_number",
            "final_obs", "_final_obs", "final_info", "_final_info", "episode", "_episode",
        }  # fmt: skip
        same_trees(expected, {key: infos[key] for key in expected})
        for key in infos.keys() - expected.keys():
            assert not any(np.any(array) for array in jax.tree.leaves(infos[key]))
    assert told == 2 * 10 + 4 * 4


def test_two_vectors_in_one_program() -> None:
    games = ("breakout", "pong")
    adapters = [small(game).xla() for game in games]

    @jax.jit  # type: ignore[untyped-decorator]
    def play(handles: Any, actions: Any) -> Any:
        def both(handles: Any, actions: Any) -> Any:
            steps = [
                adapter[2](handle, actions)
                for adapter, handle in zip(adapters, handles, strict=True)
            ]
            return [handle for handle, _ in steps], [result for _, result in steps]

        return jax.lax.scan(both, handles, actions)

    actions = np.random.default_rng(0).integers(0, 4, (30, 3))
    handles = [reset(handle, 3)[0] for handle, reset, _ in adapters]
    handles, results = play(handles, actions)
    for game, result in zip(games, results, strict=True):
        alone = small(game)
        alone.reset(seed=3)
        for index, action in enumerate(actions):
            same_trees(alone.step(action)[:2], (result[0][index], result[1][index]))


def test_order_without_handles() -> None:
    """A program that goes on with an old handle is played in its order all the same."""
    env, other = small(), small()
    handle, reset, step = env.xla()
    play = jax.jit(lambda first, second: (step(handle, first), step(handle, second)))
    reset(handle, 3)
    other.reset(seed=3)
    for index in range(20):
        first, second = np.full(3, index % 4), np.full(3, (index + 1) % 4)
        (_, one), (_, two) = play(first, second)
        same_trees(other.step(first), one)
        same_trees(other.step(second), two)


# ---- Seeds and masks -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seed",
    [
        0,
        np.int64(5),
        2**32 - 3,
        [1, 2, 3],
        np.array([1, 2**32 - 1, 3]),
        np.arange(3, dtype=np.int8),
    ],
)
def test_seeds(seed: Any) -> None:
    env, other = small(), small()
    expected = other.reset(seed=seed)
    handle, reset, _ = env.xla()
    for play in (reset, jax.jit(lambda handle: reset(handle, seed))):
        handle, result = play(handle, seed) if play is reset else play(handle)
        same_trees(expected, result)
    if np.max(seed) < 2**31:  # JAX has no 64 bits unless told so
        handle, result = jax.jit(reset)(handle, np.asarray(seed))
        same_trees(expected, result)


def test_masks() -> None:
    env, other = small(), small()
    handle, reset, _ = env.xla()
    handle, _ = reset(handle, 0)
    other.reset(seed=0)
    mask = np.array([True, False, True])
    for seed in (8, np.array([8, 9])):
        expected = other.reset(seed=seed, options={"reset_mask": mask})
        handle, result = reset(handle, seed, mask)
        same_trees(expected, result)
        handle, result = jax.jit(reset)(handle, seed, mask)
        same_trees(expected, result)


def test_seed_of_the_first_reset() -> None:
    env = make_atari_vector_env("pong", 2, seed=4)
    handle, reset, _ = env.xla()
    _, (observations, _) = reset(handle)
    assert np.array_equal(make_atari_vector_env("pong", 2).reset(seed=4)[0], observations)


# ---- What is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("actions", "error", "text"),
    [
        ([0, 0], ValueError, r"actions must have shape \(3,\), not \(2,\)"),
        (np.zeros((3, 1), int), ValueError, r"actions must have shape \(3,\), not \(3, 1\)"),
        (np.zeros(3), TypeError, "actions must be whole numbers, not float"),
        (np.zeros(3, bool), TypeError, "actions must be whole numbers, not bool"),
        ([True, 2, 0], TypeError, "actions must be whole numbers, not bool"),
        ((0, np.True_, 2), TypeError, "actions must be whole numbers, not bool"),
    ],
)
def test_actions_refused_while_tracing(
    compiled: bool, actions: Any, error: type[Exception], text: str
) -> None:
    handle, reset, step = small().xla()
    handle, _ = reset(handle, 0)
    with pytest.raises(error, match=text):
        (jax.jit(step) if compiled else step)(handle, actions)


def test_handles_refused() -> None:
    handle, reset, step = small().xla()
    handle, _ = reset(handle, 0)
    other, _, _ = small().xla()
    for wrong in (None, 5, np.zeros(8, np.int32), np.zeros(4, np.uint8)):
        with pytest.raises(TypeError, match=r"argument.*handle"):
            step(wrong, [0, 0, 0])
    with pytest.raises(RuntimeError, match=r"not one of.*vector"):
        jax.block_until_ready(step(other, [0, 0, 0]))
    with pytest.raises(ValueError, match="vmap"):
        jax.vmap(step)(jnp.stack([handle, handle]), np.zeros((2, 3), int))


def test_goes_on_after_a_wrong_action() -> None:
    env, other = small(), small()
    handle, reset, step = env.xla()
    step = jax.jit(step)
    handle, _ = reset(handle, 3)
    other.reset(seed=3)
    for wrong in ([0, 4, 0], [0, 0, -1]):
        with pytest.raises(RuntimeError, match=r"actions\[\d\] is (4|-1)"):
            jax.block_until_ready(step(handle, np.array(wrong)))
    handle, result = step(handle, np.array([1, 1, 1]))
    same(other.step([1, 1, 1]), result)


def test_step_before_reset() -> None:
    handle, _, step = small().xla()
    with pytest.raises(RuntimeError, match="reset"):
        jax.block_until_ready(step(handle, [0, 0, 0]))


def test_without_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    env = small()
    monkeypatch.setitem(sys.modules, "jax", None)
    monkeypatch.delitem(sys.modules, "pyale_ma.vector.xla", raising=False)
    with pytest.raises(DependencyNotInstalled, match=r"jax.*missing.*pip"):
        env.xla()


# ---- Ends ----------------------------------------------------------------------------------------


def test_closed() -> None:
    env = small()
    handle, reset, step = env.xla()
    compiled = jax.jit(step)
    handle, _ = reset(handle, 0)
    handle, _ = jax.block_until_ready(compiled(handle, np.array([0, 0, 0])))
    env.close()
    for function in (env.xla, lambda: reset(handle), lambda: step(handle, [0, 0, 0])):
        with pytest.raises(ClosedEnvironmentError):
            function()
    with pytest.raises(RuntimeError, match=r"vector environment.*closed"):
        jax.block_until_ready(compiled(handle, np.array([0, 0, 0])))


def test_closed_while_playing() -> None:
    """Closing waits for the step that is being played; those to come fail."""
    env = small("pong", 20)
    handle, reset, step = env.xla()
    handle, _ = reset(handle, 0)

    @jax.jit  # type: ignore[untyped-decorator]
    def play(handle: Any) -> Any:
        return jax.lax.fori_loop(0, 10**6, lambda _, handle: step(handle, [0] * 20)[0], handle)

    closing = threading.Timer(0.5, env.close)
    closing.start()
    with pytest.raises(RuntimeError, match=r"closed|vector is NULL"):
        jax.block_until_ready(play(handle))
    closing.join()


def test_functions_keep_their_vector() -> None:
    env = small()
    alive = weakref.ref(env)
    handle, reset, step = env.xla()
    del env
    handle, _ = reset(handle, 0)
    handle, result = jax.block_until_ready(step(handle, [0, 0, 0]))
    assert result[0].shape == (3, 2, 21, 16)
    del reset, step, handle
    gc.collect()
    assert alive() is None


def test_starts_are_set_before() -> None:
    env = small(autoreset_mode="Disabled")
    env.reset(seed=0)
    states = env.save_states([0, 1])
    env.set_starts(states)
    handle, reset, _ = env.xla()
    env.set_starts(None)
    handle, (_, info) = reset(handle, 0)
    assert info["start"].tolist() == [-1, -1, -1]
    env.set_starts(states)
    _, (_, info) = reset(handle, 0)
    assert {*info["start"].tolist()} <= {0, 1}
    env.set_starts(states[1])
    _, (_, info) = reset(handle, 0)
    assert info["start"].tolist() == [0, 0, 0]

    env = small()
    env.reset(seed=0)
    env.xla()
    states = env.save_states([0])
    with pytest.raises(ValueError, match=r"starts must be set before xla\(\), whose functions"):
        env.set_starts(states)
    with pytest.raises(ValueError, match=r"starts must be set before xla\(\), whose functions"):
        env.reset(options={"starts": states})
    assert "start" not in env.reset(seed=0)[1]
