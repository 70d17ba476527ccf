"""Who plays what: `resolve`, and what a selection keeps of the files that it was read from."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pyale_ma import multi, roms
from pyale_ma._native import Rules
from pyale_ma.evaluation import Arena
from pyale_ma.games.selection import resolve
from pyale_ma.opponents import VersusEnv, VersusVectorEnv
from pyale_ma.recording import Recording, record
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv

# Pong for two, by whose rules a frame is worth some points; its image stands beside it.
CARD = 'name = "mine"\nrom = "mine.bin"\nmodes = {{ 1 = [0], 2 = [4] }}\nreward = ["{0}", "{0}"]\n'


@pytest.mark.parametrize(
    ("arguments", "options", "players", "mode", "rules"),
    [
        (("pong", 2), {}, 2, 4, Rules.MULTI),
        (("pong", 4), {}, 4, 6, Rules.MULTI),
        (("pong", None, 11), {}, 4, 11, Rules.MULTI),
        (("pong",), {"counts": (2, 3, 4)}, 2, 4, Rules.MULTI),
        (("pong",), {"counts": ()}, None, 0, Rules.SOLO),
        (("pong", 1), {"counts": ()}, 1, 1, Rules.MULTI),
        (("pong",), {"rules": None}, 1, 0, Rules.SOLO),
        (("pong", 2), {"rules": None}, 2, 4, Rules.MULTI),
        (("pong_v3",), {"rules": None}, 2, 4, Rules.MULTI),
        (("pong_v3",), {"counts": ()}, 2, 4, Rules.MULTI),
        (("pong_v3", None, 11), {}, 4, 11, Rules.MULTI),
        (("foozpong_v3",), {}, 4, 21, Rules.MULTI),
        (("foozpong_v3", 2), {}, 2, 19, Rules.MULTI),
        (("quadrapong_v4", None, 6), {}, 4, 6, Rules.MULTI),
    ],
)
def test_what_is_left_open(
    arguments: Any, options: Any, players: int | None, mode: int, rules: Rules
) -> None:
    played = resolve(*arguments, **options)
    assert (played.source, played.num_players, played.mode) == ("pong", players, mode)
    assert played.rules is rules
    assert played.rom() is resolve("pong").rom()


def test_what_a_name_brings() -> None:
    played = resolve("backgammon_v0")
    assert (played.difficulty, played.full_action_space) == (3, True)
    assert len(played.action_set) == 18
    assert played.environment == "backgammon_v0"
    plain = resolve("backgammon", 2)
    assert (plain.difficulty, plain.full_action_space, plain.environment) == (None, False, "")
    assert resolve("casino_v0", difficulty=1).difficulty == 1


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("pong", 3), {}, "num_players is 3; pong only supports 1, 2, 4 players"),
        (("breakout", 2), {}, "num_players is 2; breakout only supports 1 player"),
        (("breakout",), {"counts": (2, 3, 4)}, "breakout has no modes for several players"),
        (
            ("pong_v3", 3),
            {},
            "num_players is 3; pong_v3 is for 2, 4 players: 'pong' names the game",
        ),
        (("pong", 2, 6), {}, "no mode 6 for 2 players; it has 3-4, .*; with num_players=4 it has"),
        (("pong", None, 77), {"counts": ()}, "pong has no mode 77; it has 0-1$"),
        (("pong", None, 99), {}, "pong has no mode 99; modes by players: "),
        (("warlords",), {"counts": ()}, "warlords cannot be played alone; pyale_ma.multi plays it"),
        (("pong", 2, None, 9), {}, "pong has no difficulty 9; it has 0-3"),
    ],
)
def test_what_there_is_not(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(multi.ArgumentError, match=message):
        resolve(*arguments, **options, error=multi.ArgumentError)


# ---- Cards and images are read once -------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which has a card and its image."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "mine.bin").write_bytes(roms.read(roms.find_rom("pong")))
    (here / "mine.toml").write_text(CARD.format(7))
    monkeypatch.chdir(here)
    return here


def mislead(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the files, and go where the same names lead to others."""
    other = folder.parent / "other"
    other.mkdir()
    for place in (folder, other):
        (place / "mine.toml").write_text(CARD.format(700))
        (place / "mine.bin").write_bytes(b"\0" * 4096)
    monkeypatch.chdir(other)


def rewards_of(env: Any) -> list[float]:
    """The rewards of a step of each player."""
    env.reset(seed=1)
    if isinstance(env, multi.ParallelAtariEnv):
        return [*map(float, env.step(dict.fromkeys(env.agents, 0))[1].values())]
    return [float(env.step(0)[1])]


MAKERS: list[Callable[[], Any]] = [
    lambda: AtariEnv("mine.toml", frameskip=1, obs_type="ram"),
    lambda: multi.parallel_env(game="mine.toml", obs_type="ram"),
    lambda: VersusEnv("mine.toml", "still", frameskip=1, noop_max=0, obs_type="ram"),
]


@pytest.mark.parametrize("make", MAKERS)
def test_copies_play_what_was_read(
    make: Callable[[], Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = make()
    before = rewards_of(env)
    assert set(before) == {7}
    data = pickle.dumps(env)
    mislead(folder, monkeypatch)
    for again in (env, copy.deepcopy(env), pickle.loads(data)):
        assert rewards_of(again) == before
    for file in (folder / "mine.toml", folder / "mine.bin"):
        file.unlink()
    assert rewards_of(copy.deepcopy(pickle.loads(data))) == before


def test_a_selection_is_pickled_with_what_was_read(folder: Path) -> None:
    played = resolve("mine.toml", 2)
    rom = played.rom()
    data = pickle.dumps(played)
    (folder / "mine.bin").unlink()
    (folder / "mine.toml").unlink()
    again = pickle.loads(data)
    assert again == played
    assert again.source == str(folder / "mine.toml")
    assert again.image.path == str(folder / "mine.bin")
    assert again.rom() is rom
    assert resolve(again, 1).rom() is rom


def test_the_place_of_an_image_is_absolute(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "images").mkdir()
    (folder / "mine.bin").rename(folder / "images" / "pong.bin")
    env = multi.parallel_env(game="pong", num_players=2, auto_rom_install_path="images")
    assert env.rom_path == str(folder / "images" / "pong.bin")
    monkeypatch.chdir(folder.parent)
    assert copy.deepcopy(env).rom_path == env.rom_path


def test_vectors_of_an_arena_play_what_was_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena = Arena("mine.toml", 2, max_num_frames_per_episode=20)
    policies = {"one": "still", "other": "random"}
    before = arena.play(policies, seed=3).matches[0].returns
    mislead(folder, monkeypatch)
    assert arena.play(policies, seed=3).matches[0].returns == before
    assert before[0] % 700


def test_headers_have_the_card_that_was_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    envs: dict[str, Any] = {
        "single": AtariEnv("mine.toml", obs_type="ram"),
        "multi": multi.parallel_env(game="mine.toml", obs_type="ram"),
        "vector": AtariVectorEnv("mine.toml", 2, num_players=2, obs_type="ram"),
        "versus": VersusVectorEnv("mine.toml", 2, "still", obs_type="ram").envs,
    }
    mislead(folder, monkeypatch)
    for name, env in envs.items():
        file = folder / f"{name}.zip"
        with record(env, file):
            env.reset(seed=1)
            for _ in range(3):
                actions = getattr(env, "action_space", None)
                if name == "multi":
                    env.step(dict.fromkeys(env.agents, 0))
                else:
                    assert actions
                    env.step(actions.sample() * 0)
        recording = Recording.open(file)
        assert recording.header.games[0].card == CARD.format(7), name
