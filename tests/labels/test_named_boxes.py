"""Boxes get the names of the labels that say where they are."""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import pyale_ma  # noqa: F401 (registers the environments)
from common import rom_path
from pyale_ma.labels import GAMES, Label, Labels, labels_of
from pyale_ma.multi import boxing_v2
from pyale_ma.objects import ObjectBox
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv

FOLDER = Path(__file__).parents[2]
sys.path.append(str(FOLDER / "docs" / "tools"))
PROOF: Any = importlib.import_module("prove_labels")

WITH_ROLES = [game for game in GAMES if any(label.role for label in labels_of(game).labels)]
# Shots that move by several pixels after their byte has been set for the next frame.
NEVER_THERE = {
    ("asteroids", "player_missile2"),
    ("carnival", "player_missile"),
    ("darkchambers", "player_missile"),
    ("phoenix", "player_missile"),
    ("riverraid", "player_missile"),
    ("wizard_of_wor", "player_missile"),
    ("yars_revenge", "player_missile"),
}


def box(register: str, x: int, y: int, width: int = 8, height: int = 10) -> ObjectBox:
    return ObjectBox(register, 14, x, y, width, height)


def ram_with(*values: int) -> np.ndarray:
    ram = np.zeros(128, np.uint8)
    ram[: len(values)] = values
    return ram


# ---- The rule --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edge", "place"), [("left", 20), ("right", 27), ("top", 50), ("bottom", 59)]
)
def test_edges_of_a_box(edge: str, place: int) -> None:
    assert box("GRP0", 20, 50).edge(edge) == place
    kind = "x" if edge in ("left", "right") else "y"
    label = Label("it_x", kind, "it", (0,), box="GRP0", edge=edge, tolerance=2)
    assert [label.fits(box("GRP0", 20, 50), place + by) for by in range(-3, 4)] == [
        *(False, True, True, True, True, True, False)
    ]
    assert not label.fits(box("GRP1", 20, 50), place)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("player_x", "player"),
        ("enemy_car_x_10", "enemy_car_10"),
        ("enemy_x1", "enemy1"),
        ("sprite0_x", "sprite0"),
        ("top_row_iceflow_x", "top_row_iceflow"),
        ("x_ray_y", "x_ray"),
    ],
)
def test_roles_are_names_without_the_axis(name: str, role: str) -> None:
    assert Label(name, "x", "it", (0,), box="GRP0", edge="left").role == role


def test_a_box_fits_all_positions_of_a_thing() -> None:
    labels = Labels(
        "pong",
        (
            Label("player_x", "x", "it", (0,), box="GRP0", edge="left", tolerance=1),
            Label("car_x_0", "x", "it", (1,), box="GRP0", edge="left"),
            Label("car_x_1", "x", "it", (2,), box="GRP0", edge="left"),
            Label("score", "score", "it", (4,)),
            Label("player_y", "y", "it", (3,), box="GRP0", edge="top"),
        ),
    )
    low, high = box("GRP0", 40, 90), box("GRP0", 41, 20)
    boxes = [low, high, box("GRP1", 40, 90), box("ENABL", 40, 90), box("PF", 40, 90)]
    named = labels.named_boxes(ram_with(41, 40, 99, 90), boxes)
    assert named == {"player": [low], "car_0": [low], "car_1": []}
    assert [*named] == ["player", "car_0", "car_1"]
    named = labels.named_boxes(ram_with(41, 41, 41, 20), iter(boxes))
    assert named == {"player": [high], "car_0": [high], "car_1": [high]}
    assert labels.named_boxes(ram_with(41, 41, 41, 21), boxes)["player"] == []
    twice = [low, box("GRP0", 40, 30)]
    assert labels.named_boxes(ram_with(0, 40), twice)["car_0"] == twice


def test_positions_of_a_thing_are_those_of_one_box() -> None:
    for game in WITH_ROLES:
        places: dict[str, list[Label]] = {}
        for label in labels_of(game).labels:
            places.setdefault(label.role, []).append(label)
        for role, labels in places.items():
            kinds = [label.kind for label in labels]
            assert not role or (len({label.box for label in labels}) == 1)
            assert not role or len(set(kinds)) == len(kinds), (game, role)


# ---- Environments ----------------------------------------------------------------------------


def test_an_environment_names_boxes() -> None:
    rom_path("boxing")
    env: Any = gymnasium.make("pyale_ma/Boxing-v5", obs_type="objects").unwrapped
    env.reset(seed=3)
    places = []
    for _ in range(20):
        env.step(3)  # RIGHT
        boxes, labels = env.ale.getObjectBoxes(), env.labels()
        named = env.named_boxes()
        assert [*named] == ["player", "enemy"]
        assert named == labels_of("boxing").named_boxes(env.ale.getRAM(), boxes)
        for name, edge in (("player", "left"), ("enemy", "right")):
            for one in named[name]:
                assert one in boxes
                assert abs(one.edge(edge) - labels[f"{name}_x"]) <= 1
                assert abs(one.y - labels[f"{name}_y"]) <= 1
        places += [one.x for one in named["player"]]
    assert len(places) > 10
    assert places == sorted(places)
    assert places[-1] > places[0] + 20


OPTIONS: dict[str, Any] = {"noop_max": 1, "use_fire_reset": False, "frameskip": 4, "maxpool": False}


@pytest.mark.parametrize("game", ["breakout", "boxing", "ms_pacman", "seaquest"])
@pytest.mark.parametrize("obs_type", ["rgb", "grayscale", "ram", "labels"])
def test_all_layers_have_the_same_boxes(game: str, obs_type: Any) -> None:
    rom_path(game)
    told: Any = AtariEnv(game, obs_type="objects", frameskip=4, repeat_action_probability=0)
    env = AtariEnv(game, obs_type=obs_type, frameskip=4, repeat_action_probability=0)
    envs = AtariVectorEnv(game, 3, obs_type=obs_type, **OPTIONS)
    told.reset(seed=0)
    env.reset(seed=0)
    envs.reset(seed=0)
    chance = np.random.default_rng(1)
    for _ in range(60):
        action = int(chance.integers(told.action_space.n))
        told.step(action)
        env.step(action)
        envs.step(np.full(3, action))
        expected = told.ale.getObjectBoxes()
        assert env.ale.getObjectBoxes() == expected
        assert envs.object_boxes() == [expected] * 3
        named = told.named_boxes()
        assert env.named_boxes() == named
        assert envs.named_boxes([2]) == [named]
    assert any(named.values())


def test_players_and_vectors_have_the_same_boxes() -> None:
    rom_path("boxing")
    told = boxing_v2.parallel_env(obs_type="objects", frame_skip=4)
    env = boxing_v2.parallel_env(frame_skip=4)
    turns = boxing_v2.env(frame_skip=4)
    envs = AtariVectorEnv("boxing_v2", 2, **OPTIONS)
    for each in (told, env, turns, envs):
        each.reset(seed=0)
    for step in range(40):
        first, second = 2 + step % 5, 5 - step % 3
        told.step({"first_0": first, "second_0": second})
        env.step({"first_0": first, "second_0": second})
        turns.step(first)
        turns.step(second)
        envs.step(np.array([[first, second]] * 2))
        named = told.named_boxes()
        assert env.named_boxes() == named
        assert turns.unwrapped.named_boxes() == named
        assert envs.named_boxes() == [named] * 2
    assert named == labels_of("boxing").named_boxes(told.state(), told.ale.getObjectBoxes())
    assert {role: found[0].register for role, found in named.items()} == {
        "player": "GRP0",
        "enemy": "GRP1",
    }


def test_vectors_say_whose_boxes_they_lack() -> None:
    envs = AtariVectorEnv(games=["quartet", "boxing"])
    envs.reset(seed=0)
    assert [len(boxes) > 0 for boxes in envs.object_boxes()] == [True, True]
    with pytest.raises(IndexError, match=r"env_ids\[0\] is 2"):
        envs.object_boxes([2])
    assert [[*named] for named in envs.named_boxes([1])] == [["player", "enemy"]]


# ---- Play ------------------------------------------------------------------------------------


def check_play(game: str, frames: int) -> None:
    """Every thing has a box at some time, and each box is where the labels say."""
    rom_path(game)
    labels = labels_of(game)
    players = max(PROOF.least_players(game), *(label.players for label in labels.labels))
    seen: Counter[str] = Counter()
    roles = {label.role for label in labels.labels} - {""}
    expected_never = {role for role in roles if (game, role) in NEVER_THERE}
    for turn in range(PROOF.ROUNDS):  # some are rare: in other rounds there is other play
        console = PROOF.Console(game, players, 11 + turn)
        for _ in console.play(frames * (turn + 1)):
            ram, boxes = console.ram(), console.ale.getObjectBoxes()
            values, named = labels.named(ram), labels.named_boxes(ram, boxes)
            assert named.keys() == roles
            for role, found in named.items():
                seen[role] += bool(found)
                own = [label for label in labels.labels if label.role == role]
                expected = boxes
                for label in own:
                    expected = [
                        one
                        for one in expected
                        for edges in [
                            {
                                "left": one.x,
                                "right": one.x + one.width - 1,
                                "top": one.y,
                                "bottom": one.y + one.height - 1,
                            }
                        ]
                        if one.register == label.box
                        and abs(edges[label.edge] - values[label.name]) <= label.tolerance
                    ]
                assert found == expected
        never = {role for role in roles if not seen[role]}
        if never == expected_never:
            break
    assert never == expected_never


@pytest.mark.parametrize("game", ["adventure", "breakout", "freeway", "ms_pacman", "pong"])
def test_boxes_in_play(game: str) -> None:
    check_play(game, 400)


@pytest.mark.slow
@pytest.mark.parametrize("game", WITH_ROLES)
def test_boxes_in_play_of_all_games(game: str) -> None:
    check_play(game, 1600)


def test_the_player_in_river_raid_is_no_shot() -> None:
    rom_path("riverraid")
    env = AtariEnv("riverraid", obs_type="objects", frameskip=1, repeat_action_probability=0.0)
    env.reset(seed=0)
    places = []
    for _ in range(100):
        env.step(0)  # nobody shoots
    for action in [3] * 12 + [4] * 12:  # RIGHT, LEFT
        env.step(action)
        player = env.named_boxes()["player"][0]
        assert (player.register, player.y) == ("GRP0", 145)
        places.append(player.x)
    assert max(places) - places[0] >= 3
    assert max(places) - places[-1] >= 3
