"""Actions that are none: each interface says what it was given, and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from common import rom_path
from pyale_ma import envpool, multi
from pyale_ma.multi import pong_v3, quartet_v0
from pyale_ma.opponents import VersusVectorEnv
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv


def console() -> Callable[[Any], Any]:
    return AtariEnv("quartet").ale.act


def single() -> Callable[[Any], Any]:
    env = AtariEnv("quartet")
    env.reset(seed=0)
    return env.step


def several_consoles() -> Callable[[Any], Any]:
    env = quartet_v0.parallel_env()
    env.reset(seed=0)
    return lambda action: env.ale.act([action] * 4)


def several() -> Callable[[Any], Any]:
    env = quartet_v0.parallel_env()
    env.reset(seed=0)
    return lambda action: env.step(dict.fromkeys(env.agents, action))


def vector() -> Callable[[Any], Any]:
    env = AtariVectorEnv("quartet", num_envs=2)
    env.reset(seed=0)
    return lambda action: env.step([action, action])


@pytest.mark.parametrize("make", [console, single, several_consoles, several, vector])
@pytest.mark.parametrize("action", [1.5, np.float32(1), "fire", None, [1, [2]]])
def test_what_is_no_action(make: Callable[..., Any], action: Any) -> None:
    if make is several_consoles and isinstance(action, (float, np.floating)):
        pytest.skip("like the original, it cuts off what is behind the point")
    if make is several and action == 1:
        pytest.skip("it equals the number")
    act = make()
    with pytest.raises((TypeError, ValueError), match="action") as error:
        act(action)
    said = str(error.value)
    shown = repr(action)
    assert shown in said
    assert re.search(r"must be (an array of )?whole numbers|0 to \d+|must be one of", said)
    act(1)  # nothing was changed


@pytest.mark.parametrize("game", ["lost_luggage", "quartet", "skiing"])
def test_full_action_spaces_are_alike(game: str) -> None:
    """Two games have fewer than 18 actions."""
    rom_path(game)
    options = {"game": game, "num_players": 1, "full_action_space": True}
    several = multi.parallel_env(**options)
    actions = several.action_mapping.tolist()
    assert actions == AtariVectorEnv(**multi.vector_options(**options)).action_sets[0]
    single = AtariEnv(game, full_action_space=True)
    assert actions == [action.value for action in single._action_set]
    assert len(actions) == (18 if game == "quartet" else 9)


class Index:
    """A whole number, and unlike all others."""

    def __index__(self) -> int:
        return 2

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("it cannot be compared")


def test_arguments_of_odd_types_are_refused_by_name() -> None:
    for odd in ([2], np.zeros((2, 2)), Index()):
        with pytest.raises(multi.ArgumentError, match="num_players is"):
            quartet_v0.parallel_env(num_players=odd)
        with pytest.raises(multi.ArgumentError, match=r"kind.*4 players"):
            quartet_v0.parallel_env(kind=odd)
        with pytest.raises(ValueError, match="task is"):
            envpool.make("Pong-v5", "gym", task=odd)
    for name in ("seed", "env_seed"):
        with pytest.raises((TypeError, ValueError), match=name):
            envpool.make("Pong-v5", "gym", **{name: np.array(1)})
    assert AtariVectorEnv("quartet", num_players=Index()).num_players == 2  # type: ignore[arg-type]


@pytest.mark.parametrize("full", [False, True])
def test_actions_have_the_same_names_in_all_layers(full: bool) -> None:
    options: dict[str, Any] = {"full_action_space": full}
    names = AtariEnv("pong", **options).get_action_meanings()
    versus = VersusVectorEnv("pong", 1, opponent="still", **options)
    vector = AtariVectorEnv("pong", 1, num_players=2, **options)
    assert pong_v3.parallel_env(**options).get_action_meanings() == names
    assert pong_v3.env(**options).get_action_meanings() == names
    assert [*vector.get_action_meanings(), *versus.get_action_meanings()] == [names, names]


def of_players(actions: Any) -> Any:
    """Actions of two players in each of two environments: the others play 0."""
    return [[action, 0, 0, 0] for action in actions] if isinstance(actions, list) else actions


def make_vector() -> Callable[[Any], Any]:
    env = AtariVectorEnv("quartet", num_envs=2)
    env.reset(seed=0)
    return env.step


def make_several() -> Callable[[Any], Any]:
    env = AtariVectorEnv("quartet", num_envs=2, num_players=4)
    env.reset(seed=0)
    return lambda actions: env.step(of_players(actions))


def make_versus() -> Callable[[Any], Any]:
    env = VersusVectorEnv("quartet", 2, "still")
    env.reset(seed=0)
    return env.step


def make_pool() -> Callable[[Any], Any]:
    env = envpool.make("Pong-v5", "gymnasium", num_envs=2)
    env.reset()
    return env.step


VECTORS = [make_vector, make_several, make_versus, make_pool]


@pytest.mark.parametrize("make", VECTORS)
@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([True, 2], TypeError, r"must be whole numbers, not bool: .*True"),
        ([np.True_, 2], TypeError, r"must be whole numbers, not bool: .*True"),
        ([np.array(True), 2], TypeError, r"must be whole numbers, not bool"),
        ([True, False], TypeError, r"must be whole numbers, not .*True"),
        ([1.0, 2], TypeError, r"must be whole numbers, not float64: .*1\.0"),
        (["1", 2], TypeError, r"must be whole numbers, not .*'1'"),
        ([None, 1], TypeError, r"must be whole numbers, not object: .*None"),
        ([2**70, 1], IndexError, rf"actions\[0\] is {2**70}"),
        ([1, 2**63], IndexError, rf"actions\[\d\] is {2**63}"),
        ([-1, 2**63], IndexError, r"actions\[\d\] is "),
        ([2**32 + 1, 1], IndexError, rf"actions\[0\] is {2**32 + 1}"),
        ([6, 1], IndexError, r"actions\[0\] is 6; .* 0 to 5"),
        (np.array([1.5, 2]), TypeError, r"must be whole numbers, not .*1\.5"),
        (np.array([np.nan, 2]), TypeError, r"must be whole numbers, not .*nan"),
        ("12", TypeError, r"must be whole numbers, not .*'12'"),
        (3, ValueError, r"shape"),
        ([[1], [2, 3]], ValueError, r"must be (an array of )?whole numbers"),
        ([], ValueError, r"shape"),
    ],
)
def test_invalid_actions_of_vectors(
    make: Callable[..., Any], actions: Any, error: type[Exception], message: str
) -> None:
    act = make()
    with pytest.raises(error, match=message):
        act(actions)
    act([1, 2])  # nothing was changed


@pytest.mark.parametrize("make", VECTORS)
@pytest.mark.parametrize(
    "actions",
    [
        [np.int64(1), 2],
        [np.array(1), np.uint8(2)],
        np.array([1, 2], np.uint64),
        np.array([1, 2], object),
        range(1, 3),
        (1, 2),
    ],
)
def test_valid_actions_of_vectors(make: Callable[..., Any], actions: Any) -> None:
    if make is make_several:
        actions = list(actions)
    expected, act = make()([1, 2]), make()
    for ours, theirs in zip(act(actions)[:4], expected[:4], strict=True):
        assert np.array_equal(ours, theirs)


def test_arrays_that_envpool_takes() -> None:
    """EnvPool converts arrays of floats and truth values to whole numbers."""
    for actions in (np.array([1.0, 0.0]), np.array([True, False])):
        for ours, theirs in zip(make_pool()(actions)[:4], make_pool()([1, 0])[:4], strict=True):
            assert np.array_equal(ours, theirs)
