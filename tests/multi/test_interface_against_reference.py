"""`ALEInterface` beside multi-agent-ale-py's: every mode of every game with several players."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import known_games
from common import rom_path
from multi.reference import (
    GAMES,
    MODES,
    compare_steps,
    held_actions,
    name_of,
    original_interface,
    original_module,
    our_module,
)
from pyale_ma import roms
from pyale_ma.multi import ALEInterface

# What `InterfacePair.compare` looks at.
WATCHED = (
    "getRAM", "getScreen", "allLives", "lives", "game_over", "numPlayersActive", "getFrameNumber",
    "getEpisodeFrameNumber",
)  # fmt: skip


def setter_of(ale: Any, value: float | str) -> Any:
    """Return the method that sets a setting of this type; the original's other ones end."""
    kinds = {bool: ale.setBool, int: ale.setInt, float: ale.setFloat, str: ale.setString}
    return kinds[type(value)]


class InterfacePair:
    """Both interfaces with the same settings and the same game."""

    def __init__(self, game: str, **settings: float | str) -> None:
        self.game, self.acts = game, 0
        self.sides: list[Any] = [original_interface(), ALEInterface()]
        for side in self.sides:
            for key, value in {"random_seed": 7, **settings}.items():
                setter_of(side, value)(key, value)
            side.loadROM(str(rom_path(game)))
        self.watched = [
            (method, *(getattr(side, method) for side in self.sides)) for method in WATCHED
        ]
        self.compare()

    def do(self, method: str, *arguments: Any) -> Any:
        """The same call on both; what they return is equal."""
        theirs, ours = (getattr(side, method)(*arguments) for side in self.sides)
        return self.same(method, theirs, ours)

    def same(self, method: str, theirs: Any, ours: Any) -> Any:
        """Compare what a call returned on both; ours is returned."""
        assert type(theirs) is type(ours), (self.where, method)
        if isinstance(theirs, np.ndarray):
            assert (theirs.dtype, theirs.shape) == (ours.dtype, ours.shape), (self.where, method)
            assert theirs.tobytes() == ours.tobytes(), (self.where, method)
        else:
            assert theirs == ours, (self.where, method)
        return ours

    @property
    def where(self) -> tuple[str, int, int]:
        return self.game, self.sides[1].env.report.mode, self.acts

    def compare(self) -> None:
        for method, theirs, ours in self.watched:
            self.same(method, theirs(), ours())

    def act(self, actions: Any) -> None:
        self.acts += 1
        self.do("act", actions)
        self.compare()

    def program_counter(self) -> int:
        """Of the reference's processor: docs/spec/cpu.md, section 12."""
        reference = self.sides[0]
        state = reference.encodeState(reference.cloneState()).tobytes()
        name = b"M6502Low"
        return int(struct.unpack_from("<6i", state, state.index(name) + len(name))[5])

    def play(self, acts: int, seed: int, *, pokes: float = 0.0) -> int:
        """Random actions; `pokes`: that a byte of RAM is overwritten before an act.

        Returns:
            How many games ended.
        """
        rng = np.random.default_rng(seed)
        players, ends = self.do("numPlayersActive"), 0
        for held in held_actions(rng, acts, [18] * players):
            if pokes and rng.random() < pokes:
                self.do("setRAM", int(rng.integers(128)), int(rng.integers(256)))
            self.act(held)
            # A forged jump can lead to the TIA's addresses.  A frame that begins there sees what
            # the reference's reading of RAM left on the bus: docs/compatibility.md, "The console".
            lost = pokes and self.program_counter() & 0x1080 == 0
            if lost or self.do("game_over"):
                if not lost:
                    self.act(held)  # nothing is played any more
                self.do("reset_game")
                self.compare()
                ends += 1
        return ends


# A load takes the original 0.15 s, as long as a thousand acts: what can follow the same one is in
# one test.
@pytest.mark.parametrize("game", GAMES)
def test_facts_and_some_modes(game: str) -> None:
    pair = InterfacePair(game)
    for method in (
        "getLegalActionSet", "getMinimalActionSet", "getAvailableDifficulties", "getScreenDims",
        "getRAMSize", "isSupportedRom", "getScreenRGB", "getScreenGrayscale",
    ):  # fmt: skip
        pair.do(method)
    for players in (1, 2, 3, 4):
        pair.do("getAvailableModes", players)
    for name, players, mode in [*MODES[::8], MODES[-1]]:
        if name == game:
            pair.do("setMode", mode)
            assert pair.do("numPlayersActive") == players
            pair.do("reset_game")
            pair.compare()
            pair.play(25, seed=mode)


def modes_together() -> list[tuple[str, float, list[int]]]:
    """All modes: a game, how probably an action sticks, and the modes played after one load."""
    together = []
    for game in GAMES:
        for parity in range(2):
            modes = [mode for name, _, mode in MODES if name == game and mode % 2 == parity]
            together += [(game, 0.25 * parity, modes[i : i + 6]) for i in range(0, len(modes), 6)]
    return together


@pytest.mark.slow
@pytest.mark.parametrize("case", modes_together(), ids=lambda case: name_of((case[0], *case[2])))
def test_modes_longer(case: tuple[str, float, list[int]]) -> None:
    game, sticky, modes = case
    pair = InterfacePair(game, repeat_action_probability=sticky, random_seed=modes[0] + 1)
    difficulties = pair.do("getAvailableDifficulties").tolist()
    for mode in modes:
        pair.do("setMode", mode)
        pair.do("reset_game")
        pair.do("setDifficulty", difficulties[mode % len(difficulties)])
        pair.play(300, seed=mode)
        pair.do("reset_game")
        pair.play(300, seed=mode, pokes=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_rules_read_any_memory(game: str) -> None:
    """Each byte with values about its own and at the ends, in the game's first mode."""
    pair = InterfacePair(game, random_seed=3)
    players, mode = next(each[1:] for each in MODES if each[0] == game)
    pair.do("setMode", mode)
    pair.do("reset_game")
    pair.play(60, seed=3)
    states = [side.cloneSystemState() for side in pair.sides]
    compared = 0
    for index, own in enumerate(pair.do("getRAM").tolist()):
        for value in {0, 1, 0x99, 0xFF, own - 1 & 0xFF, own + 1 & 0xFF}:
            for side, state in zip(pair.sides, states, strict=True):
                side.restoreSystemState(state)
            pair.do("setRAM", index, value)
            rewards = [np.asarray(side.act([0] * players)).tolist() for side in pair.sides]
            theirs, ours = (side.getRAM().tobytes() for side in pair.sides)
            if theirs == ours:  # or the program was led astray
                compared += 1
                assert rewards[0] == rewards[1], (index, value)
                for method in ("allLives", "game_over", "numPlayersActive"):
                    pair.do(method)
    assert compared > 200


def solo_games() -> list[str]:
    return [name for name in known_games.SEVERAL if name not in roms.SHIPPED]


@pytest.mark.slow
@pytest.mark.parametrize("game", solo_games())
def test_modes_for_one(game: str) -> None:
    """All games, also those without modes for several players."""
    pair = InterfacePair(game, random_seed=5)
    for mode in known_games.modes_for(game, 1)[:3]:
        pair.do("setMode", mode)
        pair.do("reset_game")
        pair.play(100, seed=mode)


@pytest.mark.parametrize(
    "game", ["pong", "joust", "maze_craze", "tennis", "video_checkers", "double_dunk"]
)
@pytest.mark.parametrize(
    "settings",
    [
        {"frame_skip": 4, "repeat_action_probability": 0.25},
        {"frame_skip": 3, "repeat_action_probability": 0.0, "max_num_frames_per_episode": 500},
        {"repeat_action_probability": 0.9, "random_seed": -7},
        {"paddle_min": 100_000, "paddle_max": 300_000},
        {"max_turn_time": 40},
        {"max_turn_time": 0, "frame_skip": 0},
    ],
    ids=lambda settings: "-".join(settings),
)
def test_settings(game: str, settings: dict[str, float]) -> None:
    pair = InterfacePair(game, **settings)
    for players in (2, 4):
        for mode in pair.sides[1].getAvailableModes(players)[:1]:
            pair.do("setMode", int(mode))
            pair.do("reset_game")
            pair.play(250, seed=players)


@pytest.mark.parametrize("game", ["pong", "joust", "warlords"])  # no PAL: docs/compatibility.md
def test_color_averaging(game: str) -> None:
    pair = InterfacePair(game, color_averaging=True, frame_skip=2)
    pair.play(100, seed=1)


def test_settings_read_back() -> None:
    pair = InterfacePair("pong")
    for key in (
        "random_seed", "frame_skip", "repeat_action_probability", "max_num_frames_per_episode",
        "paddle_min", "max_turn_time", "cpu", "clipvol", "no such setting",
    ):  # fmt: skip
        for getter in ("getInt", "getFloat", "getBool", "getString"):
            pair.do(getter, key)
            pair.do(getter, key.encode())
    pair.do("setInt", b"frame_skip", 2**35 + 5)
    pair.do("getInt", "frame_skip")
    pair.do("setFloat", "repeat_action_probability", 1 / 3)
    pair.do("getString", "repeat_action_probability")


@pytest.mark.parametrize("averages", [False, True])
def test_frames_are_recorded(tmp_path: Path, averages: bool) -> None:
    """Every frame before it is played, none of resets; a load begins at number 0 again."""
    folders = tmp_path / "original", tmp_path / "ours"
    for folder in folders:
        folder.mkdir()
    pair = InterfacePair("pong", repeat_action_probability=0.25, frame_skip=3)
    for side, folder in zip(pair.sides, folders, strict=True):
        side.setString("record_screen_dir", str(folder))
        side.setBool("color_averaging", averages)
        side.loadROM(str(rom_path("pong")))
    pair.do("setMode", 4)
    pair.do("reset_game")
    pair.play(30, seed=1)
    names = [sorted(file.name for file in folder.iterdir()) for folder in folders]
    assert names[0] == names[1] == [f"{number:06}.png" for number in range(90)]
    for name in names[0]:
        theirs, ours = (np.asarray(Image.open(folder / name).convert("RGB")) for folder in folders)
        assert np.array_equal(theirs, ours), name
    ours = pair.sides[1]
    ours.setString("record_screen_dir", str(folders[1] / names[1][0]))
    before = ours.getRAM()
    with pytest.raises(NotADirectoryError, match="record_screen_dir"):
        ours.loadROM(str(rom_path("pong")))
    assert np.array_equal(ours.getRAM(), before)


@pytest.mark.parametrize("mode", [2, 3])
def test_entombed_for_two_while_the_game_for_one_runs(mode: int) -> None:
    pair = InterfacePair("entombed", random_seed=3, repeat_action_probability=0.0)
    pair.do("setMode", mode)
    rewards = [pair.do("act", [0, 0]).tolist() for _ in range(500)]
    assert [1, -1] in rewards
    pair.compare()


def test_settings_of_environments() -> None:
    """The settings that PettingZoo's environments make, and those of ours."""
    theirs = original_module("pong_v3", bare=True).parallel_env()
    ours = our_module("pong_v3").parallel_env()
    for env in (theirs, ours):
        env.reset(seed=7)
    original = theirs.unwrapped.ale
    for name in ("random_seed", "repeat_action_probability", "frame_skip", "max_turn_time"):
        for getter in ("getInt", "getFloat", "getBool", "getString"):
            expected = getattr(original, getter)(name.encode())
            assert getattr(ours.ale, getter)(name.encode()) == expected, (name, getter)


@pytest.mark.parametrize(
    "settings",
    [
        {"repeat_action_probability": 0.3},
        {"frame_skip": 3},
        {"max_num_frames_per_episode": 90},
        {"color_averaging": True},
    ],
    ids="".join,
)
def test_settings_stay_when_environments_are_reset_with_a_seed(
    tmp_path: Path, settings: dict[str, float]
) -> None:
    folders = tmp_path / "original", tmp_path / "ours"
    theirs = original_module("pong_v3", bare=True).parallel_env()
    ours, unchanged = (our_module("pong_v3").parallel_env() for _ in range(2))
    for env, folder in zip((theirs, ours), folders, strict=True):
        folder.mkdir()
        ale = env.unwrapped.ale
        for name, value in settings.items():
            setter_of(ale, value)(name.encode(), value)
        ale.setString(b"record_screen_dir", str(folder).encode())
    for seed in (7, 8):
        same = []
        compare_steps(("reset", settings), theirs.reset(seed=seed), ours.reset(seed=seed))
        unchanged.reset(seed=seed)
        for t, held in enumerate(held_actions(np.random.default_rng(seed), 120, [6, 6])):
            actions = dict(zip(("first_0", "second_0"), held, strict=True))
            step = ours.step(actions)
            compare_steps((settings, seed, t), theirs.step(actions), step)
            other = unchanged.step(actions)
            same.append(
                np.array_equal(step[0]["first_0"], other[0]["first_0"]) and step[2] == other[2]
            )
            if not ours.agents:
                break
        assert not all(same)
        names = [sorted(file.name for file in folder.iterdir()) for folder in folders]
        assert names[0] == names[1] == [f"{n:06}.png" for n in range(max(len(names[0]), 1))]


@pytest.mark.parametrize("game", ["pong", "joust", "double_dunk", "warlords", "wizard_of_wor"])
def test_loading_again(game: str) -> None:
    """Modes and difficulties are forgotten, random numbers start anew."""
    pair = InterfacePair(game, repeat_action_probability=0.25)
    for seed in (7, 8):
        for players in (2, 4):
            for mode in pair.sides[1].getAvailableModes(players)[-1:]:
                pair.do("setMode", int(mode))
                pair.do("reset_game")
                pair.play(30, seed=seed)
        for side in pair.sides:
            side.setInt("random_seed", seed)
            side.loadROM(str(rom_path(game)))
        pair.compare()
        pair.play(20, seed=seed)


@pytest.mark.parametrize("game", ["pong", "joust", "space_invaders", "warlords", "double_dunk"])
def test_states(game: str) -> None:
    """After a restore both go on alike.  (The original shows old RAM and pictures until then.)"""
    pair = InterfacePair(game, repeat_action_probability=0.0)
    mode = int([*pair.sides[1].getAvailableModes(2), *pair.sides[1].getAvailableModes(4)][0])
    pair.do("setMode", mode)
    for kind in ("State", "SystemState"):
        pair.do("reset_game")
        pair.play(60, seed=1)
        states = [getattr(side, f"clone{kind}")() for side in pair.sides]
        lives, frame = pair.do("allLives"), pair.do("getFrameNumber")
        pair.play(90, seed=2)
        for side, state in zip(pair.sides, states, strict=True):
            getattr(side, f"restore{kind}")(side.decodeState(side.encodeState(state)))
            side.deleteState(state)
        assert np.array_equal(pair.do("allLives"), lives)
        assert pair.do("getFrameNumber") == frame
        pair.play(60, seed=3)
        pair.do("saveState")
        pair.play(10, seed=4)
        pair.do("loadState")
        pair.play(10, seed=5)


def test_action_forms() -> None:
    pair = InterfacePair("pong")
    for action in (3, 3.9, np.int64(4), [4], (1,), np.array([12]), np.array(12)):
        pair.act(action)
    pair.do("setMode", 4)
    for action in ([1, 2], (3, 4.7), np.array([11, 12], np.int8)):
        pair.act(action)
    for side in pair.sides:
        with pytest.raises(RuntimeError, match=r"expected.*length 2"):
            side.act([1])
    pair.compare()


def test_buffers() -> None:
    pair = InterfacePair("pong")
    for method, shape in (
        ("getScreen", 33600), ("getScreenRGB", (210, 160, 3)),
        ("getScreenGrayscale", (210, 160, 1)), ("getRAM", 128),
    ):  # fmt: skip
        buffers: list[Any] = [np.zeros(shape, np.uint8) for _ in pair.sides]
        for side, buffer in zip(pair.sides, buffers, strict=True):
            assert getattr(side, method)(buffer) is buffer
        assert np.array_equal(*buffers)
