"""Objects of a picture are reported alike in all layers.

That screens follow from their objects, and that no fast path changes them, libale's own tests show
(libale/tests/test_objects.c, test_rows.c).
"""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest

import known_games
from common import load, rom_path
from pyale_ma import _native, multi
from pyale_ma.multi import boxing_v2
from pyale_ma.objects import Object, ObjectBox
from pyale_ma.single import ALEInterface, AtariEnv
from pyale_ma.vector import AtariVectorEnv

GAMES = ["breakout", "freeway", "pong", "seaquest", "space_invaders", "video_pinball"]


def console(game: str, **settings: Any) -> ALEInterface:
    ale: ALEInterface = load(ALEInterface(), game, objects_obs=True, **settings)
    return ale


# ---- Boxes -----------------------------------------------------------------------------------


def connected(places: set[tuple[int, int]], obj: Object) -> list[set[tuple[int, int]]]:
    """Parts of an object, by the definition."""
    near = [(dy, dx) for dy in (-1, 0, 1) for dx in range(-8, 9)]
    if obj == Object.PLAYFIELD:
        near = [(-1, 0), (1, 0), (0, -1), (0, 1)]
    parts = []
    left = set(places)
    while left:
        part, new = set[tuple[int, int]](), [min(left)]
        left -= set(new)
        while new:
            y, x = new.pop()
            part.add((y, x))
            found = {(y + dy, x + dx) for dy, dx in near} & left
            left -= found
            new.extend(found)
        parts.append(part)
    return parts


def boxes_by_definition(cover: np.ndarray, screen: np.ndarray) -> list[ObjectBox]:
    boxes = []
    for obj in Object:
        register = ("GRP0", "GRP1", "ENAM0", "ENAM1", "ENABL", "PF")[obj]
        rows, columns = np.nonzero(cover >> obj & 1)
        for part in connected(set(zip(rows.tolist(), columns.tolist(), strict=True)), obj):
            ys, xs = zip(*part, strict=True)
            alone = sorted(place for place in part if cover[place] == 1 << obj)
            color = int(screen[alone[0]]) if alone else None
            width, height = max(xs) - min(xs) + 1, max(ys) - min(ys) + 1
            boxes.append(ObjectBox(register, color, min(xs), min(ys), width, height))
    return boxes


@pytest.mark.parametrize("game", GAMES)
def test_boxes_are_those_of_the_definition(game: str) -> None:
    ale = console(game)
    actions = ale.getMinimalActionSet()
    chance = np.random.default_rng(5)
    for step in range(90):
        ale.act(actions[chance.integers(len(actions))])
        if step % 30 == 29:
            boxes = ale.getObjectBoxes()
            expected = boxes_by_definition(ale.getScreenObjects(), ale.getScreen())
            assert boxes == expected
            assert [box.object for box in boxes] == sorted(box.object for box in boxes)


# ---- The console -----------------------------------------------------------------------------


def check_fast_paths(game: str, frames: int) -> None:
    """No fast path changes a bit of the objects, whoever looks when."""
    rom = _native.Rom(rom_path(game).read_bytes())
    fast, plain = (_native.Env(rom, objects=1, fast_paths=paths) for paths in (63, 0))
    chance = np.random.default_rng(3)
    for _ in range(frames):
        fast.actions[0] = plain.actions[0] = int(chance.integers(18))
        repeat = int(chance.integers(1, 4))
        fast.act(1, repeat)
        plain.act(1, repeat)
        expected = plain.screen(_native.Pixels.OBJECTS)
        np.testing.assert_array_equal(fast.screen(_native.Pixels.OBJECTS), expected)


@pytest.mark.parametrize("game", GAMES)
def test_fast_paths_tell_the_same_objects(game: str) -> None:
    check_fast_paths(game, 30)


@pytest.mark.slow
@pytest.mark.parametrize("game", known_games.ALONE)
def test_fast_paths_tell_the_same_objects_of_all_games(game: str) -> None:
    check_fast_paths(game, 60)


@pytest.mark.parametrize("interface", [ALEInterface, multi.ALEInterface])
def test_objects_must_be_asked_for(interface: Any) -> None:
    ale = interface()
    for name in ("getScreenObjects", "getObjectBoxes"):
        with pytest.raises(RuntimeError, match="loadROM"):
            getattr(ale, name)()
    load(ale, "pong")
    with pytest.raises(RuntimeError, match=r"getScreenObjects: call setBool\('objects_obs'"):
        ale.getScreenObjects()
    ale.setBool("objects_obs", True)
    with pytest.raises(RuntimeError, match="objects_obs"):  # not before the next loadROM
        ale.getScreenObjects()
    ale.loadROM(str(rom_path("pong")))
    assert ale.getScreenObjects().any()
    assert ale.getObjectBoxes()


@pytest.mark.parametrize("game", [*GAMES, "journey_escape"])  # whose frames are short
def test_boxes_need_no_setting(game: str) -> None:
    ale, plain = console(game), load(ALEInterface(), game)
    actions = ale.getMinimalActionSet()
    chance = np.random.default_rng(6)
    for step in range(200):
        action = actions[chance.integers(len(actions))]
        assert ale.act(action) == plain.act(action)
        if step % 7 == 0:
            np.testing.assert_array_equal(ale.getScreen(), plain.getScreen())
        assert ale.getObjectBoxes() == plain.getObjectBoxes()
        if step == 100:
            state = ale.cloneState()
            plain.restoreState(state)
            assert game == "journey_escape" or ale.getObjectBoxes() == plain.getObjectBoxes()


def test_states_bring_objects_back() -> None:
    ale, other = console("seaquest"), console("seaquest")
    for step in range(60):
        ale.act(step % 18)
    state, cover, boxes = ale.cloneState(), ale.getScreenObjects(), ale.getObjectBoxes()
    for step in range(20):
        ale.act(step % 5)
    assert (ale.getScreenObjects() != cover).any()
    for one in (ale, other):
        one.restoreState(state)
        np.testing.assert_array_equal(one.getScreenObjects(), cover)
        assert one.getObjectBoxes() == boxes


def test_objects_change_nothing_else() -> None:
    with_objects, without = console("ms_pacman"), load(ALEInterface(), "ms_pacman")
    for step in range(200):
        assert with_objects.act(step % 9) == without.act(step % 9)
        if step % 10 == 0:
            np.testing.assert_array_equal(with_objects.getScreen(), without.getScreen())
            np.testing.assert_array_equal(with_objects.getRAM(), without.getRAM())


# ---- Environments ----------------------------------------------------------------------------


def test_atari_env_observes_objects() -> None:
    env = AtariEnv("breakout", obs_type="objects")
    observation, _ = env.reset(seed=1)
    assert env.observation_space == gymnasium.spaces.Box(0, 63, (210, 160), np.uint8)
    for step in range(20):
        assert env.observation_space.contains(observation)
        np.testing.assert_array_equal(observation, env.ale.getScreenObjects())
        observation, *_ = env.step(step % 4)
    assert pickle.loads(pickle.dumps(env)).observation_space == env.observation_space
    with pytest.raises(gymnasium.error.Error, match="objects"):
        AtariEnv("breakout", obs_type="object")  # type: ignore[arg-type]


def test_players_observe_objects() -> None:
    env = boxing_v2.parallel_env(obs_type="objects")
    observations, _ = env.reset(seed=1)
    for step in range(20):
        for agent, observation in observations.items():
            assert observation.shape == (210, 160, 1)
            assert env.observation_space(agent).contains(observation)
        first, second = observations.values()
        np.testing.assert_array_equal(first, second)
        assert not np.shares_memory(first, second)
        np.testing.assert_array_equal(first, env.ale.getScreenObjects())
        observations, *_ = env.step(dict.fromkeys(env.agents, step % 18))
    assert (observations["first_0"] & (1 << Object.PLAYER0)).any()
    with pytest.raises(ValueError, match="objects"):
        boxing_v2.parallel_env(obs_type="object")


# ---- Vectors ---------------------------------------------------------------------------------


def planes(cover: np.ndarray) -> np.ndarray:
    return np.stack([(cover >> obj & 1) * np.uint8(255) for obj in Object], -1)


def share(cover: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return objects' cover of each pixel at another size: float64, 0 to 255."""

    def weights(source: int, target: int) -> np.ndarray:
        edges = np.arange(target + 1) * source / target
        low, high = edges[:-1, None], edges[1:, None]
        at = np.arange(source)[None]
        covered: np.ndarray = np.clip(np.minimum(high, at + 1) - np.maximum(low, at), 0, None)
        return covered * target / source

    rows, columns = weights(cover.shape[0], height), weights(cover.shape[1], width)
    result: np.ndarray = np.einsum(
        "ya,xb,abn->yxn", rows, columns, planes(cover).astype(float), optimize=True
    )
    return result


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("maxpool", [True, False])
def test_vector_observes_objects(game: str, maxpool: bool) -> None:
    """At the screen's size they are the console's own, at others their shares of the area."""
    options: dict[str, Any] = {
        "obs_type": "objects",
        "noop_max": 1,
        "use_fire_reset": False,
        "stack_num": 1,
        "maxpool": maxpool,
    }
    full = AtariVectorEnv(game, 2, img_height=210, img_width=160, **options)
    small = AtariVectorEnv(game, 2, **options)
    ale = console(game)
    assert full.single_observation_space.shape == (1, 210, 160, 6)
    assert small.single_observation_space.shape == (1, 84, 84, 6)
    exact, _ = full.reset(seed=0)
    resized, _ = small.reset(seed=0)
    ale.reset_game()
    before = after = ale.getScreenObjects()
    chance = np.random.default_rng(1)
    actions = ale.getMinimalActionSet()
    for step in range(40):
        cover = before | after if maxpool else after
        for i in range(2):
            np.testing.assert_array_equal(exact[i, 0], planes(cover))
        if step % 10 == 0:
            # OpenCV's rounding, by which vectors resize, is that of float32.
            assert np.abs(resized[0, 0] - share(cover, 84, 84)).max() <= 0.51
        index = int(chance.integers(len(actions)))
        exact, *_ = full.step(np.full(2, index))
        resized, *_ = small.step(np.full(2, index))
        for frame in range(4):
            ale.act(actions[index])
            if frame == 2:
                before = ale.getScreenObjects()
        after = ale.getScreenObjects()


def test_vector_of_players_and_factory() -> None:
    envs = AtariVectorEnv("pong", 2, num_players=2, obs_type="objects")
    observations, _ = envs.reset(seed=0)
    assert observations.shape == (2, 4, 84, 84, 6)
    for mirrored in (False, True):
        envs = AtariVectorEnv(
            "pong", 2, num_players=2, obs_type="objects", agent_indicator=True, mirror=mirrored
        )
        pictures, _ = envs.reset(seed=0)
        assert pictures.shape == (2, 2, 6, 84, 84, 6)
        np.testing.assert_array_equal(pictures[:, 0, :4], observations)
        other = observations[:, :, :, ::-1] if mirrored else observations
        np.testing.assert_array_equal(pictures[:, 1, :4], other)
    with pytest.raises(ValueError, match="objects"):
        AtariVectorEnv("pong", obs_type="object")  # type: ignore[arg-type]
