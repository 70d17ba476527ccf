"""Every game against the reference at length: all modes, long play, settings, states."""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest

from common import Settings, configure
from differential import long_play
from differential.pair import (
    LIVE,
    SOME_FAST_PATHS,
    SUBJECT_NAME,
    Pair,
    games,
    make_reference,
    make_subject,
    reference_rom,
    report,
)

pytestmark = pytest.mark.slow

PADDLE_GAMES = ("backgammon", "blackjack", "breakout", "casino", "kaboom", "pong", "video_pinball")
PAL_GAMES = ("air_raid",)
# States of the reference lack variables of their rules; video_cube's too, whose resets take long.
STATES_LACK_VARIABLES = ("hangman", "miniature_golf")
# Their rules start with more lives than the game shows: the reference truncates at once.
STARTS_WITH_FEWER_LIVES = (
    "amidar", "atlantis2", "bank_heist", "demon_attack", "et", "galaxian", "mario_bros", "turmoil",
)  # fmt: skip


@pytest.mark.parametrize("game", games())
def test_modes_and_loading_again(game: str) -> None:
    """All modes and difficulties; then a load, which forgets them.

    It takes the settings of the moment, among these that a lost life truncates the episode.
    """
    path = reference_rom(game)
    pair = Pair(path, {"random_seed": 3, "repeat_action_probability": 0.0})
    for side in pair.sides:
        assert side.getAvailableModes() == pair.reference.getAvailableModes()
        assert side.getAvailableDifficulties() == pair.reference.getAvailableDifficulties()
    modes = pair.reference.getAvailableModes()
    difficulties = pair.reference.getAvailableDifficulties()
    for mode in modes:
        for difficulty in difficulties if len(modes) < 50 else difficulties[:1]:
            for side in pair.sides:
                side.setMode(mode)
                side.setDifficulty(difficulty)
            try:
                pair.reset()
                pair.play(50, seed=mode * 8 + difficulty)
            except AssertionError as error:
                raise AssertionError(f"mode {mode}, difficulty {difficulty}: {error}") from error
    new: Settings = {
        "random_seed": 4,
        "repeat_action_probability": 0.25,
        "frame_skip": 4,
        "truncate_on_loss_of_life": game not in STARTS_WITH_FEWER_LIVES,
    }
    for side in pair.sides:
        side.setMode(modes[-1])
        side.setDifficulty(difficulties[-1])
        configure(side, new)
        side.loadROM(path)
    pair.compare("loaded again")
    pair.play(40, seed=2)
    pair.reset()
    pair.play(250, seed=21)


@pytest.mark.parametrize("game", games())
def test_long_play(game: str) -> None:
    """As it was recorded, and the beginning, or with PYALE_MA_TEST_LIVE=1 all, as the reference."""
    as_recorded = SUBJECT_NAME == "ale_py" or long_play.play(game) == long_play.recorded()[game]
    pair = Pair(reference_rom(game), long_play.SETTINGS)
    pair.play(long_play.ACTS if LIVE or not as_recorded else 1_000, **long_play.PLAY)
    assert as_recorded, "as the reference does: is long_play.py to be run?"


@pytest.mark.parametrize("game", [game for game in games() if game != "video_cube"])
def test_rules_read_any_memory(game: str) -> None:
    """Each byte with values about its own and at the ends, half of the time another one too."""
    chance = random.Random(game)
    pair = Pair(reference_rom(game), {"random_seed": 3, "repeat_action_probability": 0.0})
    pair.play(90, seed=3)
    states = [side.cloneState() for side in pair.sides]
    before = pair.reference.getRAM().tolist()
    zeros = [index for index, value in enumerate(before) if value == 0]
    compared = 0
    for index, own in enumerate(before):
        for value in {0, 1, 0x40, 0x41, 0x99, 0xFF, own - 1 & 0xFF, own + 1 & 0xFF}:
            for side, state in zip(pair.sides, states, strict=True):
                if game in STATES_LACK_VARIABLES:
                    side.reset_game()
                else:
                    side.restoreState(state)
            pair.setRAM(index, value)
            if value % 2:
                pair.setRAM(chance.choice(zeros or [0]), chance.randrange(256))
            theirs, ours = ((it.act(0), report(it), it.getRAM().tolist()) for it in pair.sides)
            if ours[2] == theirs[2]:  # the reference stops at what it calls an illegal instruction
                compared += 1
                assert ours == theirs, (index, value)
    assert compared > 200


# The frame from which on nobody who has not played yet sees anything new.
WAITING = {"montezuma_revenge": 32_701, "sir_lancelot": 65_468, "beam_rider": 130_558}


@pytest.mark.parametrize("game", WAITING)
def test_games_that_wait_for_a_player(game: str) -> None:
    """They read the joystick or a switch in a loop that ends no frame; then somebody plays."""
    pair = Pair(reference_rom(game), {"random_seed": 1, "repeat_action_probability": 0.0})
    for side in pair.sides:
        for _ in range(WAITING[game] - 50):
            side.act(0)
    for _ in range(300):
        pair.act(0)
    pair.compare_pictures()
    for action in (1, 0, 2, 0, 3, 5, 0, 1, 17, 0):
        for _ in range(30):
            pair.act(action)
    pair.compare_pictures()


@pytest.mark.parametrize("fast_paths", SOME_FAST_PATHS)
@pytest.mark.parametrize("game", games())
def test_without_some_fast_paths(game: str, fast_paths: int) -> None:
    """As with all of them, with which the other tests play beside the reference."""
    make = functools.partial(make_subject, fast_paths)
    settings = {"random_seed": 6, "sound_obs": True}
    pair = Pair(reference_rom(game), settings, reference=make_subject, subject=make)
    pair.play(250, seed=6, force_reset=200, pictures=50, audio=10, detours=100)


@pytest.mark.parametrize("game", games())
def test_states_do_not_tell_the_fast_paths(game: str) -> None:
    """States of the same play are equal: ALEState compares the machine byte by byte."""
    sides = [make_subject(fast_paths) for fast_paths in (None, *SOME_FAST_PATHS)]
    actions = random.Random(7)
    for side in sides:
        configure(side, {"random_seed": 7})
        side.loadROM(reference_rom(game))
    legal = sides[0].getLegalActionSet()
    for frame in range(60):
        action = actions.choice(legal)
        for side in sides:
            side.act(action)
        if frame % 15 == 14:
            states = [side.cloneSystemState() for side in sides]
            assert all(state == states[0] for state in states), f"frame {frame}"


# Several at a time where they do not hide each other: to load a ROM takes the reference longest.
SETTINGS: dict[str, Settings] = {
    "skip 4 with sound, clipped rewards": {
        "frame_skip": 4,
        "sound_obs": True,
        "reward_min": -1,
        "reward_max": 1,
        "random_seed": 2**31 - 1,
    },
    "skip 3, half sticky, another power-on": {
        "frame_skip": 3,
        "repeat_action_probability": 0.5,
        "random_seed": -7,
        "system_random_seed": 7,
    },
    "averaged colours, never sticky": {"color_averaging": True, "repeat_action_probability": 0.0},
    "truncated, a third sticky": {
        "max_num_frames_per_episode": 73,
        "frame_skip": 2,
        "repeat_action_probability": 1 / 3,
    },
    "never an action": {"repeat_action_probability": 1.0},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("game", games())
def test_settings(game: str, settings: Settings) -> None:
    if game in PAL_GAMES and "color_averaging" in settings:
        pytest.skip("the reference averages the colours of PAL games with uninitialised memory")
    pair = Pair(reference_rom(game), {"random_seed": 5, **settings})
    audio = 1 if "sound_obs" in settings else 0
    pair.play(160, seed=9, force_reset=120, pictures=40, audio=audio, detours=50)


@pytest.mark.parametrize("game", PADDLE_GAMES)
@pytest.mark.parametrize(
    "limits", [(-1, -1), (100_000, 300_000), (500_000, 400_000), (-1, 500_000)]
)
def test_paddles(game: str, limits: tuple[int, int]) -> None:
    settings = {"random_seed": 1, "paddle_min": limits[0], "paddle_max": limits[1]}
    pair = Pair(reference_rom(game), settings)
    pair.play(600, seed=3, force_reset=400, strengths=True, detours=100)


@pytest.mark.parametrize("game", games())
def test_state_in_another_interface(game: str) -> None:
    """A serialized state goes on in an interface with another past as if it had stayed."""
    if SUBJECT_NAME == "ale_py":
        pytest.skip("the reference's states lack pictures, sound and the sticky action")
    path = reference_rom(game)
    pair = Pair(path, {"random_seed": 1, "sound_obs": True}, reference=make_subject)
    for turn in range(3):
        pair.play(150, seed=turn, force_reset=100, audio=1)
        other = make_subject()
        configure(other, {**pair.settings, "random_seed": 77})
        other.loadROM(path)
        rng = random.Random(turn)
        for _ in range(rng.randrange(30)):
            other.act(rng.randrange(18))
        state = pair.subject.cloneState(include_rng=True)
        other.restoreState(type(state)(state.serialize()))
        pair.subject = other
        pair.compare("in another interface")
        pair.compare_audio()
    pair.play(150, seed=9, force_reset=100, audio=1)


@pytest.mark.parametrize(
    "game", ["breakout", "pong", "seaquest", "space_invaders", "ms_pacman", "enduro"]
)
def test_both_return(game: str) -> None:
    """Cloning and restoring on both sides, with and without the generator."""
    pair = Pair(reference_rom(game), {"random_seed": 1, "repeat_action_probability": 0.0})
    for turn in range(6):
        pair.play(60, seed=turn)
        states: list[Any] = [side.cloneState(include_rng=turn % 2 == 0) for side in pair.sides]
        pair.play(20, seed=100 + turn)
        for side, state in zip(pair.sides, states, strict=True):
            side.restoreState(state)
        # The reference shows the picture from before the restore until the next frame.
        assert (pair.reference.getRAM() == pair.subject.getRAM()).all()
        pair.play(60, seed=200 + turn)


def test_two_interfaces_do_not_meet() -> None:
    """Two games side by side in one process play as each alone."""
    pairs = [Pair(reference_rom(game), {"random_seed": 2}) for game in ("pong", "pitfall2")]
    alone = make_reference()
    configure(alone, {"random_seed": 2})
    alone.loadROM(reference_rom("pong"))
    for t in range(300):
        for pair in pairs:
            pair.act(t % 6)
        alone.act(t % 6)
    assert (alone.getRAM() == pairs[0].subject.getRAM()).all()
