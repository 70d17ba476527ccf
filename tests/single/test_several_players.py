"""`ALEInterface` with several players: the multi-player calls, and whose games it plays."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyale_ma
from common import load, rom_path
from known_games import modes_alone, modes_for, modes_of
from pyale_ma import multi, roms
from pyale_ma.single import Action, ALEInterface

GAMES = roms.game_names()
SEVERAL = [
    (game, players, mode)
    for game in GAMES
    for players in (2, 4)
    for mode in modes_of(game, players)
]
LESS = ("pong", "space_invaders", "mario_bros", "tennis", "othello")


def start(game: str = "pong", mode: int | None = None, **settings: Any) -> ALEInterface:
    """A console at the start of an episode in a mode."""
    ale: ALEInterface = load(ALEInterface(), game, **settings)
    if mode is not None:
        ale.setMode(mode)
        ale.reset_game()
    return ale


# ---- Modes -----------------------------------------------------------------------------------


def test_available_modes() -> None:
    ale = start()
    assert ale.getAvailableModes() == ale.getAvailableModes(1) == [0, 1]
    assert ale.getAvailableModes(2)[:3] == [2, 3, 8]
    assert ale.getAvailableModes(num_players=4)[:2] == [4, 5]
    assert ale.getAvailableModes(np.int64(3)) == []
    ale.setMode(4)
    assert ale.getAvailableModes() == [0, 1]
    for players in (0, 5, -1):
        with pytest.raises(RuntimeError, match=f"num_players is {players}"):
            ale.getAvailableModes(players)
    assert start("breakout").getAvailableModes(2) == []


def test_players_follow_the_mode_at_once() -> None:
    ale = start()
    assert ale.numPlayersActive() == 1
    for mode, players in ((2, 2), (4, 4), (1, 1), (3, 2)):
        ale.setMode(mode)
        assert ale.numPlayersActive() == players
        assert len(ale.allLives()) == players
        assert len(ale.act([0] * players)) == players
    for mode in (50, 51, 1000):
        with pytest.raises(RuntimeError, match=rf"Invalid.*requested: {mode}"):
            ale.setMode(mode)
    assert ale.numPlayersActive() == 2


@pytest.mark.parametrize(
    ("make", "mode", "message"),
    [
        (ALEInterface, 50, "42-45 for 2 players, .* multi-agent-ale-py's mode 50 is 49 here"),
        (multi.ALEInterface, 0, "there are 1-2 for 1 player, .*; ale-py's mode 0 is 1 here"),
    ],
)
def test_errors_name_both_numbers(make: Any, mode: int, message: str) -> None:
    ale = load(make(), "pong", random_seed=1)
    with pytest.raises((RuntimeError, ValueError), match=message):
        ale.setMode(mode)


@pytest.mark.parametrize(("game", "players"), [("combat", 2), ("maze_craze", 2)])
def test_games_for_several_players_load(game: str, players: int) -> None:
    ale = start(game)
    assert ALEInterface.isSupportedROM(rom_path(game)) == game
    assert (ale.getAvailableModes(), ale.numPlayersActive()) == ([], players)
    assert ale.act([Action.UP] * players) == [0] * players


@pytest.mark.parametrize("game", ["joust", "warlords"])
def test_games_without_rules_of_ale_py_load(game: str) -> None:
    ale = start(game)
    assert ALEInterface.isSupportedROM(rom_path(game)) == game
    assert ale.numPlayersActive() == 1
    assert ale.act(1) == 0
    older = load(multi.ALEInterface(), game, random_seed=7)
    assert ale.getAvailableModes() == older.getAvailableModes().tolist()


def test_numbers_mean_one_thing_in_each_game() -> None:
    for name in GAMES:
        ours = {n: modes_of(name, n) for n in (1, 2, 3, 4)}
        numbers = [*itertools.chain(*ours.values())]
        assert len(numbers) == len(set(numbers)), name
        alone = modes_alone(name) or modes_for(name, 1)
        assert ours[1] == alone
        for players in (2, 3, 4):
            less = 1 if name in LESS else 0
            assert ours[players] == [m - less for m in modes_for(name, players)], name
        for number in numbers:
            older = pyale_ma.translate_mode(name, number, to="multi_agent_ale_py")
            assert pyale_ma.translate_mode(name, older, to="ale_py") == number


def test_translation() -> None:
    assert pyale_ma.translate_mode("pong", 4, to="ale_py") == 3
    assert pyale_ma.translate_mode("pong", 0, to="multi_agent_ale_py") == 1
    assert pyale_ma.translate_mode("surround", 5, to="ale_py") == 5
    assert pyale_ma.translate_mode("basic_math", 2, to="ale_py") == 7
    with pytest.raises(ValueError, match=r"pong.*mode 0"):
        pyale_ma.translate_mode("pong", 0, to="ale_py")
    with pytest.raises(ValueError, match=r"'ale_py'.*'multi_agent_ale_py'"):
        pyale_ma.translate_mode("pong", 1, to="envpool")  # type: ignore[arg-type]


# ---- Playing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_actions_of_several(kind: Any) -> None:
    ale = start(mode=2)
    assert ale.act(kind([1, 3])) == [0, 0]
    assert ale.act(kind([1, 3]), kind([1.0, 0.5])) == [0, 0]
    assert ale.act(kind([1, 3]), paddle_strengths=kind([1.0, 0.5])) == [0, 0]
    assert all(type(reward) is int for reward in ale.act(kind([0, 0])))
    assert ale.act([Action.FIRE, np.int64(3)]) == [0, 0]


@pytest.mark.parametrize(
    ("actions", "strengths", "error"),
    [
        ([0], None, RuntimeError),
        ([0, 0, 0], None, RuntimeError),
        ([], None, RuntimeError),
        (0, None, RuntimeError),
        ([0, 18], None, RuntimeError),
        ([0, 40], None, RuntimeError),
        ([-1, 0], None, RuntimeError),
        ([0, 0], [1.0], RuntimeError),
        ([0, 0], [1.0, 1.0, 1.0], RuntimeError),
        ([0, 0], 0.5, TypeError),
        ([0, 0], [1.0, "a"], (TypeError, ValueError)),
        ([0, 1.0], None, TypeError),
        ([[0], [1]], None, TypeError),
        ("01", None, TypeError),
        ({0, 1}, None, (TypeError, ValueError)),
        ([0, 0], "12", TypeError),
        ([0, 0], {1: 0.5, 2: 0.5}, TypeError),
    ],
)
def test_bad_actions_of_several(actions: Any, strengths: Any, error: Any) -> None:
    ale = start(mode=2)
    frame = ale.getFrameNumber()
    with pytest.raises(error):
        ale.act(actions, paddle_strengths=strengths) if strengths else ale.act(actions)
    assert ale.getFrameNumber() == frame
    assert ale.act([0, 0]) == [0, 0]


def test_strengths_are_for_lists() -> None:
    for first in ([0.5], 0.5, np.array([0.5])):
        with pytest.raises(TypeError, match="give one of them"):
            start().act([3], first, [1.0])
    with pytest.raises(TypeError, match=r"paddle_strengths.*list.*actions"):
        start().act(3, paddle_strengths=[1.0])  # type: ignore[call-overload]
    with pytest.raises(RuntimeError, match=r"expected.*length 2"):
        start(mode=2).act(3, 0.5)


def test_lives() -> None:
    ale = start("space_invaders", 32)
    assert ale.allLives() == [2, 2]
    with pytest.raises(RuntimeError, match=r"mode 32.*2 players.*allLives"):
        ale.lives()
    ale.setMode(0)
    assert ale.lives() == 2
    ale.reset_game()
    assert (ale.lives(), ale.allLives()) == (3, [3])


def test_frames_of_several_are_saved(tmp_path: Path) -> None:
    ale = start(mode=2, record_screen_dir=str(tmp_path), frame_skip=2)
    twin = start(mode=2, frame_skip=2)
    for _ in range(3):
        assert ale.act([1, 3]) == twin.act([1, 3])
    assert len([*tmp_path.iterdir()]) == 6
    assert np.array_equal(ale.getRAM(), twin.getRAM())


# ---- States ----------------------------------------------------------------------------------


@pytest.mark.parametrize("include_rng", [False, True])
def test_states_bring_their_players(include_rng: bool) -> None:
    modes = {0: 1, 2: 2, 4: 4}
    for mode, other in itertools.product(modes, repeat=2):
        ale, target = start(mode=mode), start(mode=other)
        ale.act([3] * modes[mode])
        state = ale.cloneState(include_rng)
        target.restoreState(state)
        assert state.getCurrentMode() == mode
        assert target.numPlayersActive() == modes[mode]
        for _ in range(50):
            assert ale.act([3] * modes[mode]) == target.act([3] * modes[mode])
        assert np.array_equal(ale.getRAM(), target.getRAM())
        assert target.cloneState(include_rng) == ale.cloneState(include_rng)


# ---- Whose games they are --------------------------------------------------------------------


def play_both(ours: Any, theirs: Any, acts: int, seed: int) -> None:
    """Play random actions on both; all that is seen is equal."""
    random = np.random.default_rng(seed)
    players = ours.numPlayersActive()
    for _ in range(acts):
        actions = random.integers(18, size=players).tolist()
        assert ours.act(actions) == list(theirs.act(actions))
        assert ours.allLives() == list(theirs.allLives())
        assert ours.game_over() == theirs.game_over()
        assert ours.getRAM().tobytes() == theirs.getRAM().tobytes()
        if ours.game_over():
            ours.reset_game()
            theirs.reset_game()
    assert ours.getScreen().tobytes() == theirs.getScreen().tobytes()
    assert ours.getEpisodeFrameNumber() == theirs.getEpisodeFrameNumber()


def compare_with_the_older(game: str, mode: int, acts: int) -> None:
    settings = {"random_seed": 7 + mode, "repeat_action_probability": 0.25}
    ours = start(game, mode, **settings)
    theirs = load(multi.ALEInterface(), game, **settings)
    theirs.setMode(pyale_ma.translate_mode(game, mode, to="multi_agent_ale_py"))
    theirs.reset_game()
    play_both(ours, theirs, acts, mode)


@pytest.mark.parametrize(
    ("game", "mode"),
    [(g, m) for g, p, m in SEVERAL if m == modes_of(g, p)[-1]],
)
def test_plays_as_the_older_package(game: str, mode: int) -> None:
    compare_with_the_older(game, mode, 60)


@pytest.mark.slow
@pytest.mark.parametrize("game", [*dict.fromkeys(game for game, _, _ in SEVERAL)])
def test_all_modes_play_as_the_older_package(game: str) -> None:
    for mode in (mode for name, _, mode in SEVERAL if name == game):
        compare_with_the_older(game, mode, 300)


def test_one_player_again_is_a_new_start() -> None:
    original = pytest.importorskip("ale_py")
    ours = start("pong", 2, random_seed=5, repeat_action_probability=0.25)
    for _ in range(100):
        ours.act([1, 3])
    ours.setMode(1)
    ours.reset_game()
    generator = np.random.MT19937()
    generator._legacy_seeding(5)
    seed = int(generator.random_raw())
    theirs = load(
        original.ALEInterface(),
        "pong",
        random_seed=seed - 2**32 * (seed >> 31),
        repeat_action_probability=0.25,
    )
    theirs.setMode(1)
    theirs.reset_game()
    random = np.random.default_rng(1)
    for action in random.integers(18, size=500).tolist():
        assert ours.act(action) == theirs.act(action)
        assert np.array_equal(ours.getRAM(), theirs.getRAM())
    assert np.array_equal(ours.getScreen(), theirs.getScreen())
