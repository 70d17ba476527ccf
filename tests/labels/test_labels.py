"""Bytes with names: how they are read, where they are told, and their proof by play."""

from __future__ import annotations

import importlib
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import pyale_ma  # noqa: F401 (registers the environments)
from common import rom_path
from pyale_ma import labels as named
from pyale_ma.labels import (
    GAMES,
    KINDS,
    Label,
    LabelInfo,
    LabelObservation,
    Labels,
    ParallelLabelInfo,
    labels_of,
)
from pyale_ma.multi import boxing_v2
from pyale_ma.opponents import VersusVectorEnv
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parents[2]
sys.path.append(str(FOLDER / "docs" / "tools"))
PROOF: Any = importlib.import_module("prove_labels")


def ram_with(**cells: int) -> np.ndarray:
    """RAM of zeros but for cells ``b0=1``."""
    ram = np.zeros(128, np.uint8)
    for name, value in cells.items():
        ram[int(name[1:])] = value
    return ram


# ---- Values ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "cells", "value"),
    [
        (Label("a", "x", "it", (3,), offset=-49), {"b3": 60}, 11),
        (Label("a", "y", "it", (3,), scale=-1, offset=193), {"b3": 14}, 179),
        (Label("a", "lives", "it", (3,), mask=0xF0, offset=1), {"b3": 0x35}, 4),
        (Label("a", "count", "it", (3, 4)), {"b3": 1, "b4": 2}, 258),
        (Label("a", "score", "it", (3, 4), code="bcd"), {"b3": 0x12, "b4": 0x34}, 1234),
        (Label("a", "score", "it", (3, 4), code="bcd", mask=0x0FFF), {"b3": 0xF2, "b4": 0x34}, 234),
        (
            Label("a", "score", "it", (4, 3), code="bcd", mask=0xFFF0, scale=100, blank=10),
            {"b4": 0xA8, "b3": 0x67},
            86000,
        ),
        (
            Label("a", "score", "it", (3, 4), code="digits", mask=0x7878, scale=10),
            {"b3": 8, "b4": 72},
            190,
        ),
        (Label("a", "score", "it", (3, 4), code="digits", blank=10), {"b3": 10, "b4": 7}, 7),
        (Label("a", "x", "it", (3,), code="hmove"), {"b3": 0x34}, 57),
        (Label("a", "x", "it", (3,), code="hmove"), {"b3": 0xF4}, 61),
        (Label("a", "count", "it", (3,), code="signed"), {"b3": 0xFE}, -2),
        (Label("a", "count", "it", (3, 4), code="signed", scale=2), {"b3": 0xFF, "b4": 0xFD}, -6),
    ],
)
def test_a_label_is_a_function_of_bytes(label: Label, cells: dict[str, int], value: int) -> None:
    labels = Labels("pong", (Label("first", "count", "it", (0,)), label))
    ram = ram_with(b0=9, **cells)
    assert labels.values(ram).tolist() == [9, value]
    assert labels.values(np.stack([ram, ram])).tolist() == [[9, value]] * 2
    assert labels.named(ram) == {"first": 9, "a": value}
    assert (labels.low <= [9, value]).all()
    assert (labels.high >= [9, value]).all()


@pytest.mark.parametrize(
    ("game", "name", "cells", "value"),
    [
        ("bowling", "frame_number_display", {"b36": 0x10}, 10),
        ("boxing", "clock_minutes", {"b16": 0x1B}, 1),  # its colon is the other digit
        ("frostbite", "igloo_blocks_count", {"b77": 15}, 16),
        ("frostbite", "igloo_blocks_count", {"b77": 255}, 0),
        ("pitfall", "clock_minutes", {"b88": 0x19}, 19),
        ("private_eye", "clock_minutes", {"b67": 0x10}, 10),
    ],
)
def test_counts_are_what_the_screen_shows(
    game: str, name: str, cells: dict[str, int], value: int
) -> None:
    assert labels_of(game).named(ram_with(**cells))[name] == value


def test_tennis_players_change_ends() -> None:
    rom_path("tennis")
    labels, console = labels_of("tennis"), PROOF.Console("tennis", seed=5)
    assert "player_x" not in labels.names
    steered = {}
    for number in console.play(1900):
        if number not in (100, 1900):
            continue
        state, places = console.ale.cloneSystemState(), []
        for action in (3, 4):  # RIGHT and LEFT
            console.ale.restoreState(state)
            for _ in range(12):
                console.act([action])
            places.append(labels.named(console.ram()))
        console.ale.restoreState(state)
        right, left = places
        shifts = {
            end: right[f"{end}_x"] - left[f"{end}_x"] for end in ("far_player", "near_player")
        }
        steered[number] = max(shifts, key=lambda end: shifts[end])
    assert steered == {100: "far_player", 1900: "near_player"}


def test_a_label_by_name_and_by_alias() -> None:
    labels = Labels("pong", (Label("lives", "lives", "it", (3,), aliases=("num_lives",)),))
    assert labels["lives"] is labels["num_lives"]
    with pytest.raises(KeyError, match=r"pong.*'live'.*'lives'"):
        labels["live"]


# ---- Files -----------------------------------------------------------------------------------

FILES = sorted((FOLDER / "pyale_ma" / "labels").glob("*.toml"))
ALLOWED = {
    "kind": KINDS,
    "code": ("binary", "bcd", "digits", "hmove", "signed"),
    "box": ("GRP0", "GRP1", "ENAM0", "ENAM1", "ENABL"),
    "edge": ("left", "right", "top", "bottom"),
    "byte": range(128),
    "mask": range(1, 2**48),
    "blank": range(10, 16),
    "tolerance": range(9),
    "player": range(5),
    "players": range(5),
    "repeat": range(3, 129),
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_labels_are_written_without_mistakes(file: Path) -> None:
    """The package reads its files unchecked."""
    for name, table in tomllib.loads(file.read_text("utf-8")).items():
        assert name.isidentifier(), name
        assert name == name.lower()
        assert {"kind", "about"} <= set(table), name
        assert ("byte" in table) != ("bytes" in table), name
        assert set(table) <= {*ALLOWED, "about", "bytes", "scale", "offset", "aliases"}, name
        for key in set(table) & set(ALLOWED):
            assert table[key] in ALLOWED[key], (name, key)
        places = table.get("bytes") or [table["byte"]]
        assert 0 < len(set(places)) == len(places) <= 8, name
        assert set(places) <= set(range(128)), name
        assert "repeat" not in table or re.search(r"_\d+$", name), name
        assert "repeat" not in table or table["byte"] + table["repeat"] <= 128, name
        assert table.get("mask", 1) < 256 ** len(places), name
        is_position = table["kind"] in "xy"
        assert is_position == ("box" in table), name
        assert is_position or not {"edge", "tolerance"} & set(table), name
        edges = ("left", "right") if table["kind"] == "x" else ("top", "bottom")
        assert table.get("edge", edges[0]) in edges, name


def test_labels_are_found_by_name() -> None:
    """As in a dict; they are pickled with their names."""
    labels = labels_of("pong")
    assert list(labels) == labels.names
    assert len(labels) == len(labels.names)
    assert "ball_x" in labels
    assert "ball" not in labels
    assert dict(labels) == dict(labels.items())
    assert [*dict(labels)] == labels.keys() == labels.names
    assert labels.get("ball_x") is labels["ball_x"]
    assert labels.get("no such label", 1) == 1
    assert pickle.loads(pickle.dumps(labels)).labels == labels.labels
    alias = next(alias for label in labels_of("boxing").labels for alias in label.aliases)
    assert alias in labels_of("boxing")
    assert repr(labels).startswith("Labels('pong', names=['player_score', ")


# ---- Where they are told ---------------------------------------------------------------------


def test_an_environment_tells_its_labels() -> None:
    rom_path("breakout")
    env = LabelInfo(gymnasium.make("pyale_ma/Breakout-v5", frameskip=1))
    _, info = env.reset(seed=3)
    atari: Any = env.unwrapped
    for action in (1, 2, 3, 2, 0):
        labels = labels_of("breakout")
        values = atari.labels()
        assert values == dict(zip(labels.names, labels.values(atari.ale.getRAM()), strict=True))
        assert info["labels"].items() >= values.items()
        assert info["labels"]["lives"] == info["lives"] == 5
        _, _, _, _, info = env.step(action)


def test_labels_as_observations() -> None:
    rom_path("boxing")
    env = LabelObservation(gymnasium.make("pyale_ma/Boxing-v5", obs_type="ram"))
    observation, _ = env.reset(seed=3)
    atari: Any = env.unwrapped
    for action in (2, 3, 1):
        assert env.observation_space.contains(observation)
        assert observation.tolist() == [*atari.labels().values()]
        observation = env.step(action)[0]


def test_a_vector_against_opponents_tells_labels_of_the_game() -> None:
    rom_path("surround")
    envs = VersusVectorEnv("surround", 3, opponent="random", extra_infos=["labels", "ram"])
    _, infos = envs.reset(seed=0)
    for _ in range(5):  # as many labels as players, whose axis they must not be taken for
        assert infos["labels"].shape == (3, 2)
        assert np.array_equal(infos["labels"], labels_of("surround").values(infos["ram"]))
        *_, infos = envs.step(np.zeros(3, np.int32))
    envs.close()


def test_agents_are_told_labels() -> None:
    rom_path("boxing")
    env = ParallelLabelInfo(boxing_v2.parallel_env())
    _, infos = env.reset(seed=0)
    for _ in range(3):
        expected = labels_of("boxing").named(env.unwrapped.state())
        expected["clock"] = expected["clock_seconds"]  # an alias
        assert infos == {agent: {"labels": expected} for agent in env.agents}
        *_, infos = env.step({"first_0": 3, "second_0": 4})


def test_games_without_labels() -> None:
    with pytest.raises(ValueError, match="video_cube has no labels"):
        labels_of("video_cube")
    rom_path("video_cube")
    with pytest.raises(ValueError, match="video_cube has no labels"):
        AtariEnv("video_cube").labels()
    with pytest.raises(ValueError, match="video_cube has no labels"):
        LabelInfo(AtariEnv("video_cube"))
    with pytest.raises(ValueError, match=r"labels.*one game"):
        AtariVectorEnv(games=["pong", "boxing"], extra_infos=["labels"])


@pytest.mark.parametrize("name", ["Pong", "ALE/Pong-v5", "pyale_ma/Pong-v5", "pong_v3"])
def test_games_by_all_their_names(name: str) -> None:
    assert labels_of(name) is labels_of("pong")


def test_cards_have_no_labels() -> None:
    rom_path("pong")
    card = str(Path(__file__).parents[1] / "cards" / "pong.toml")
    with pytest.raises(ValueError, match=r"pong.toml.*no labels"):
        AtariEnv(card).labels()
    with pytest.raises(ValueError, match=r"pong.toml.*no labels"):
        AtariVectorEnv(card, extra_infos=["labels"])


# ---- AtariARI's names --------------------------------------------------------------------------

ATARI_ARI: dict[str, dict[str, int]] = PROOF.tomllib.loads(PROOF.ATARI_ARI.read_text("utf-8"))
# Names whose byte is another one here: theirs does not move or count what the name says.
OTHER_BYTES = {
    ("breakout", "score"),
    ("demon_attack", "player_x"),
}


@pytest.mark.parametrize("game", ATARI_ARI)
def test_programs_find_the_names_of_atari_ari(game: str) -> None:
    rom_path(game)
    env = LabelInfo(AtariEnv(game, obs_type="ram"))
    _, info = env.reset(seed=1)
    labels, told = labels_of(game), info["labels"]
    shared = [name for name in ATARI_ARI[game] if name in told]
    assert shared
    for name in shared:
        assert told[name] == told[labels[name].name]
        same_byte = ATARI_ARI[game][name] in labels[name].bytes
        assert same_byte == ((game, name) not in OTHER_BYTES)
    aliases = {alias for label in labels.labels for alias in label.aliases}
    assert aliases <= ATARI_ARI[game].keys()


# ---- Proof -----------------------------------------------------------------------------------


def check(game: str) -> None:
    rom_path(game)
    problems = [f"{found}: {found.problem}" for found in PROOF.proofs(game) if found.problem]
    assert not problems


SOON_PROVEN = ("boxing", "pong")


@pytest.mark.parametrize("game", SOON_PROVEN)
def test_labels_are_proven(game: str) -> None:
    check(game)


@pytest.mark.slow
@pytest.mark.parametrize("game", [game for game in GAMES if game not in SOON_PROVEN])
def test_labels_of_all_other_games_are_proven(game: str) -> None:
    check(game)


def test_wrong_labels_are_not_proven() -> None:
    rom_path("boxing")
    right = labels_of("boxing")
    wrong = (
        Label("player_x", "x", "it", (34,), box="GRP0", edge="left", offset=5, tolerance=2),
        Label("enemy_y", "y", "it", (35,), box="GRP1", edge="top", offset=57, tolerance=2),
        Label("score", "score", "it", (19,), code="bcd", player=1),
        Label("lives", "lives", "it", (18,)),
        Label("clock", "count", "it", (100,)),
    )
    assert all(found.problem for found in PROOF.prove(Labels("boxing", wrong)))
    assert not any(found.problem for found in PROOF.prove(right))


def test_wrong_rooms_are_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    rom_path("private_eye")
    monkeypatch.setattr(PROOF, "ROUNDS", 1)
    for byte in (63, 69):  # the player's column, and seconds
        (found,) = PROOF.prove(Labels("private_eye", (Label("room", "count", "it", (byte,)),)))
        assert re.fullmatch("turned in [0-9]+ of [0-9]+, alike in .*", found.problem)
    (found,) = PROOF.prove(Labels("private_eye", (labels_of("private_eye")["room"],)))
    assert not found.problem


def test_counts_are_drawn_at_their_places() -> None:
    rom_path("boxing")
    elsewhere = (
        Label("clock_seconds", "count", "the minutes, in truth", (16,)),
        Label("rounds", "count", "a number that nobody has seen", (17,), code="bcd"),
    )
    clock, rounds = PROOF.prove(Labels("boxing", elsewhere))
    assert re.fullmatch("drawn at its place in 0 of [0-9]+", clock.problem)
    assert rounds.problem == "without a place in places.toml"


def test_the_page_counts_what_is_there() -> None:
    text = (FOLDER / "docs" / "labels.md").read_text(encoding="utf-8")
    count = sum(len(labels_of(game)) for game in GAMES)
    assert f"{count:,} labels in {len(GAMES)} games" in text
    assert set(named.KINDS) == {label.kind for game in GAMES for label in labels_of(game).labels}
