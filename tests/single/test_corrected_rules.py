"""`corrected_rules` corrects rewards and ends; ordinary play stays as it is."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import known_games
import pyale_ma.integrations.envpool.pool as pool
from common import rom_path
from pyale_ma import _native
from pyale_ma._native import Env, Rules
from pyale_ma.multi import parallel_env, vector_options
from pyale_ma.recording import Recording, record
from pyale_ma.single import ALEInterface, AtariEnv
from pyale_ma.vector import AtariVectorEnv
from random_play import at_random, cartridge_ram, scoring
from saved_states import mended

MILLION = 1_000_000
# RAM that is set for the highest score, and the number of scores that the game's counter has.
COUNTERS = {
    "entombed": ({99: 0xFF}, 256),
    "ice_hockey": ({10: 0x99}, 100),
    "krull": (dict.fromkeys((28, 29, 30), 0x99), MILLION),
    "robotank": ({53: 11, 54: 0xFF}, 3072),
    "turmoil": ({9: 0x99, 10: 0x99}, 100_000),
    "carnival": ({45: 0x99, 46: 0x99}, 100_000),
    "wizard_of_wor": ({6: 0x99, 8: 0x19}, 200_000),
}
# Bytes of the score in RAM, its highest digits first.
SCORES = {
    "asterix": (94, 95, 96),
    "atlantis2": (33, 34, 35),
    "bank_heist": (88, 89, 90),
    "demon_attack": (1, 3, 5),
    "frostbite": (72, 73, 74),
    "gopher": (48, 49, 50),
    "up_n_down": (0, 1, 2),
    "video_pinball": (52, 50, 48),
}


def make(game: str, corrected: bool, mode: int | None = None, difficulty: int = 0) -> Env:
    """A game for one player, without sticky actions."""
    rom = _native.shared_rom(rom_path(game).read_bytes())
    env = Env(rom, repeat_action_probability=0.0, corrected_rules=corrected)
    if mode is not None:
        env.set_mode(mode)
        env.set_difficulty(difficulty)
    env.reset()
    return env


def actions_of(env: Env) -> list[int]:
    return _native.bits(env.info.minimal_actions)


def wrapped(game: str, corrected: bool) -> tuple[int, int]:
    """The reward that passes the highest score, and what it would be below it."""
    env = make(game, corrected)
    state, played, usual = next(scoring(env))
    env.restore(state)
    for byte in SCORES[game]:
        env.set_ram(byte, 0x99)
    return [env.act_alone(action) for action in played][-1], usual


@pytest.mark.parametrize("game", SCORES)
def test_scores_that_wrap(game: str) -> None:
    reward, usual = wrapped(game, corrected=True)
    assert reward == usual > 0
    reward, usual = wrapped(game, corrected=False)
    assert reward == usual - MILLION


def near_the_highest(game: str, ram: dict[int, int], corrected: bool) -> tuple[list[int], int, Env]:
    """The rewards from high values of RAM to a reward, and what that is below them."""
    env = make(game, corrected)
    state, played, usual = next(scoring(env))
    env.restore(state)
    for byte, value in ram.items():
        env.set_ram(byte, value)
    return [env.act_alone(action) for action in played], usual, env


@pytest.mark.parametrize("game", COUNTERS)
def test_other_counters_that_wrap(game: str) -> None:
    ram, size = COUNTERS[game]
    rewards, usual, _ = near_the_highest(game, ram, corrected=True)
    assert rewards[-1] == usual > 0
    rewards, _, _ = near_the_highest(game, ram, corrected=False)
    assert rewards[-1] == usual - size


@pytest.mark.parametrize(("game", "highest"), [("et", 95), ("montezuma_revenge", 19)])
def test_falls_where_random_play_does_not_score(game: str, highest: int) -> None:
    for corrected in (False, True):
        env = make(game, corrected)
        env.set_ram(highest, 0x99)
        env.act_alone(0)
        env.set_ram(highest, 0)
        assert env.act_alone(0) == (10_000 if corrected else -990_000)


def test_a_wrap_to_0_in_the_frame_of_the_end() -> None:
    """Points may come when Donkey Kong's last life is lost."""
    env = make("donkey_kong", corrected=False)
    wrapped = make("donkey_kong", corrected=True)
    ends = 0
    for state, played, usual in itertools.islice(scoring(env), 12):
        wrapped.restore(state)
        for byte in (7, 8):
            wrapped.set_ram(byte, 0x99)
        assert [wrapped.act_alone(action) for action in played][-1] == usual
        ends += bool(wrapped.report.terminated)
    assert ends > 0


def test_the_score_of_private_eye_begins_again_at_800000() -> None:
    """The cartridge sets a score of 800,000 or more to 0; points that it takes away are no wrap."""
    for corrected in (False, True):
        env = make("private_eye", corrected)
        env.act_alone(0, 60)
        state = env.saved(_native.State, include_random=True)
        for score in (0x000050, 0x799999, 0x800000):
            env.restore(state)
            for i, byte in enumerate((74, 73, 72)):
                env.set_ram(byte, score >> 8 * i & 255)
            env.act_alone(0)
            while not (reward := env.act_alone(3)):  # to the right, against what stands there
                pass
            assert reward == -1
            assert not env.report.terminated
        env.restore(state)
        for value in (0x79, 0):  # a prize makes 790,000 points 800,000
            env.set_ram(72, value)
            reward = env.act_alone(0)
        assert reward == (10_000 if corrected else -790_000)


@pytest.mark.parametrize(("day", "after", "paid"), [(0x09, 0x10, 1800), (0x99, 0x00, -45_800)])
def test_days_of_enduro_are_decimal(day: int, after: int, paid: int) -> None:
    for corrected in (False, True):
        env = make("enduro", corrected)
        env.act_alone(1, 100)
        for byte, value in ((43, 1), (44, 0), (45, day)):  # one car to pass
            env.set_ram(byte, value)
        env.act_alone(1)
        while env.ram[45] == day:
            reward = env.act_alone(1)
            assert reward in (0, 1) or env.ram[45] != day
        assert env.ram[45] == after
        assert reward == (0 if corrected else paid)


def test_klax_has_a_score_in_the_cartridge() -> None:
    score = (54, 53, 52)
    place = cartridge_ram(make("klax", False), score)
    for corrected in (False, True):
        env = make("klax", corrected)
        state, played, usual = next(scoring(env))
        data = bytearray(state.serialize())
        for byte in score:
            data[place + byte] = 0x99
        env.restore(_native.State(mended(bytes(data))))
        rewards = [env.act_alone(action) for action in played]
        assert rewards[-1] == (usual if corrected else usual - MILLION)


def test_points_past_9999_in_tetris() -> None:
    for corrected in (False, True):
        rewards, usual, _ = near_the_highest("tetris", {113: 0x99, 114: 0x99}, corrected)
        assert rewards[-1] == (usual if corrected else 0)


def test_an_end_of_tetris_at_a_high_score() -> None:
    """The score that the end clears is no wrap."""
    env = make("tetris", corrected=True)
    env.act_alone(0, 200)  # before, the cartridge clears the score
    for byte in (113, 114):
        env.set_ram(byte, 0x98)
    total = env.act_alone(0)
    while not env.report.terminated:
        total += env.act_alone(0)
    assert total == 9898


def test_dark_chambers_goes_on_at_100000() -> None:
    for corrected in (False, True):
        rewards, usual, env = near_the_highest("darkchambers", {76: 0x99, 79: 0x99}, corrected)
        assert rewards[-1] == (usual if corrected else 0)
        assert bool(env.report.terminated) is not corrected
    while not env.report.terminated:  # until health is gone
        assert env.act_alone(0) >= 0


@pytest.mark.parametrize("difficulty", range(4))
@pytest.mark.parametrize("mode", [0, 5, 11, 17, 23])
def test_a_word_is_rewarded_once(mode: int, difficulty: int) -> None:
    for corrected in (False, True):
        env = make("word_zapper", corrected, mode, difficulty)
        env.set_ram(92, 1)
        rewards = [env.act_alone(0)]
        env.set_ram(79, 0)  # the wall clock
        rewards.append(env.act_alone(0))
        assert rewards == ([1, 0] if corrected else [1, 1])


# ---- Several players -----------------------------------------------------------------------------

# By game: the mode, RAM of each player's highest score, and the number of scores.
TOGETHER = {
    "atlantis": (102, [dict.fromkeys((33, 34, 35), 0x99)] * 2, 100 * MILLION),
    "casino": (100, [{12: 0x99, 21: 0x99}, {13: 0x99, 22: 0x99}], 10_000),
    "demon_attack": (
        109,
        [dict.fromkeys((1, 3, 5), 0x99), dict.fromkeys((2, 4, 6), 0x99)],
        MILLION,
    ),
    "double_dunk": (16, [{118: 0x99}, {119: 0x99}], 100),
    "ice_hockey": (1, [{10: 0x99}, {11: 0x99}], 100),
    "mario_bros": (2, [{9: 0x99, 10: 0x99}, {11: 0x99, 12: 0x99}], MILLION),
    "wizard_of_wor": (1, [{6: 0x99, 8: 0x19}, {5: 0x99, 7: 0x19}], 200_000),
}
LEADS = ("double_dunk", "ice_hockey")


def together(game: str, corrected: bool, mode: int | None = None) -> Env:
    """A game for two players in a mode, by default that of `TOGETHER`, without sticky actions."""
    rom = _native.shared_rom(rom_path(game).read_bytes())
    env = Env(
        rom,
        rules=Rules.MULTI,
        random_seed=5,
        repeat_action_probability=0.0,
        corrected_rules=corrected,
    )
    env.set_mode(TOGETHER[game][0] if mode is None else mode)
    env.reset()
    return env


def rewards_of(env: Env, moves: list[list[int]]) -> list[list[int]]:
    """The rewards of both players in each frame."""
    rewards = []
    for actions in moves:
        env.play(actions)
        rewards.append(list(env.report.rewards[:2]))
    return rewards


def scored(game: str, player: int) -> tuple[_native.State, list[list[int]], int]:
    """A state, moves from it that end with a reward of a player, and that reward."""
    env = together(game, corrected=False)
    for seed in range(100):
        env.reset()
        random = np.random.default_rng(seed)
        states: list[tuple[_native.State, list[list[int]]]] = []
        actions = [0, 0]
        for frame in range(40_000):
            if frame % 16 == 0:
                states = [*states[-1:], (env.saved(_native.State, include_random=True), [])]
            for p in range(2):
                if random.random() < 0.1:
                    actions[p] = int(random.choice([1, 1, 1, *range(18)]))
            for _, moves in states:
                moves.append([*actions])
            env.play(actions)
            reward = env.report.rewards[player]
            if reward > 0:
                state, moves = states[0]
                env.restore(state)
                earlier = rewards_of(env, moves)[:-1]
                if len(moves) >= 8 and not np.any(earlier):
                    return state, moves, reward
                env.restore(state)
                rewards_of(env, moves)
            if env.report.terminated:
                break
    pytest.fail(f"player {player} of {game} did not score")


@pytest.mark.parametrize("player", range(2))
@pytest.mark.parametrize("game", TOGETHER)
def test_scores_of_several_players(game: str, player: int) -> None:
    _, highest, size = TOGETHER[game]
    state, moves, usual = scored(game, player)
    for corrected in (False, True):
        env = together(game, corrected)
        env.restore(state)
        for byte, value in highest[player].items():
            env.set_ram(byte, value)
        rewards = rewards_of(env, moves)[-1]
        assert rewards[player] == (usual if corrected else usual - size)
        if game in LEADS:
            assert rewards[1 - player] == -rewards[player]


def test_parallel_env(tmp_path: Path) -> None:
    """The option of environments for several agents, also in vectors and recordings."""
    rom_path("mario_bros")
    highest = TOGETHER["mario_bros"][1][1]
    for options, reward in (({}, -990_000), ({"corrected_rules": True}, 10_000)):
        env = parallel_env(game="mario_bros", num_players=2, obs_type="ram", **options)
        assert ("corrected_rules=True" in repr(env)) is bool(options)
        record(env, tmp_path / f"{reward}.zip")
        env = pickle.loads(pickle.dumps(env))
        env.reset(seed=1)
        for value in (0, 0x99, 0):
            env.ale.setRAM(min(highest), value)
            rewards = env.step({"first_0": 0, "second_0": 0})[1]
        assert rewards["second_0"] == reward
        chosen = vector_options(game="mario_bros", num_players=2, **options)
        assert chosen["corrected_rules"] is bool(options)
    with pytest.raises(TypeError, match=r"corrected_rules.*'yes'"):
        parallel_env(game="mario_bros", num_players=2, corrected_rules="yes")


def test_recording_of_several_agents(tmp_path: Path) -> None:
    rom_path("mario_bros")
    env = parallel_env(game="mario_bros", num_players=2, corrected_rules=True, obs_type="ram")
    record(env, tmp_path / "two.zip")
    env.reset(seed=1)
    for _ in range(100):
        env.step({"first_0": 1, "second_0": 2})
    env.close()
    recording = Recording.open(tmp_path / "two.zip")
    assert recording.header.options["corrected_rules"] is True
    assert recording.verify()


# ---- Signs and ends ------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "mode", "score", "shown"), [
    *(("hero", mode, (55, 56, 57), 222_222) for mode in range(5)),
    ("kung_fu_master", 0, (24, 25, 26), 666_666),
])  # fmt: skip
def test_signs_instead_of_a_score(game: str, mode: int, score: tuple[int, ...], shown: int) -> None:
    for corrected in (False, True):
        env = make(game, corrected, mode)
        state, played, _ = next(scoring(env))
        env.restore(state)
        for byte in score:
            env.set_ram(byte, 0x99)
        assert [env.act_alone(action) for action in played][-1] == (1 if corrected else shown)
        assert bool(env.report.terminated) is corrected


def until_end(env: Env, most: int) -> int:
    """Frames without an action until the end."""
    for frame in range(most):
        if env.report.terminated:
            return frame
        env.act_alone(0)
    return most


def test_clock_of_pitfall() -> None:
    for corrected in (False, True):
        env = make("pitfall", corrected)
        env.set_ram(88, 0)
        env.set_ram(89, 2)
        assert (until_end(env, 1000) < 200) is corrected
    assert until_end(make("pitfall", True), 72_100) > 71_900  # 20 minutes


def test_last_life_that_is_lost_to_the_cold() -> None:
    assert until_end(make("frostbite", False), 20_000) == 20_000
    assert until_end(make("frostbite", True), 20_000) < 12_600


@pytest.mark.parametrize("mode", [0, 2])
def test_cold_in_all_modes(mode: int) -> None:
    """In mode 2 a bear comes before the cold, unless the degrees are few already."""
    for corrected in (False, True):
        env = make("frostbite", corrected, mode)
        env.set_ram(76, int(env.ram[76]) & 0xF0)  # no spare life
        env.act_alone(0, 30)
        env.set_ram(101, 1)  # degrees
        assert (until_end(env, 1000) < 400) is corrected


def play_until_end(env: Env, actions: Iterator[int], most: int) -> int:
    """The sum of rewards until the end."""
    total = 0
    for action in itertools.islice(actions, most):
        total += env.act_alone(action)
        if env.report.terminated:
            break
    return total


@pytest.mark.parametrize(("mode", "difficulty"), [(0, 0), (0, 1), (0, 2), (0, 3), (2, 0), (2, 3)])
def test_last_chips_of_casino(mode: int, difficulty: int) -> None:
    """All chips that are won or lost are rewarded, also those whose change ends the game."""
    for corrected, (chips, end) in itertools.product((False, True), [(20, 0), (9980, 10_000)]):
        lost = 0 if corrected else -10 if end else 10
        env = make("casino", corrected, mode, difficulty)
        for seed in range(100):
            env.reset()
            choices = at_random(actions_of(env), 8, seed)
            while env.ram[12] == 0x10:  # until the first chips change
                env.act_alone(next(choices))
            env.set_ram(12, chips // 1000 << 4 | chips // 100 % 10)
            env.set_ram(21, chips // 10 % 10 << 4)
            env.act_alone(0)
            before = 100 * _decimal(env.ram[12]) + _decimal(env.ram[21])
            total = before + play_until_end(env, choices, 3000)
            if env.report.terminated and abs(total - end) < 1000:
                break
        assert total == end + lost


def _decimal(byte: int) -> int:
    return 10 * (int(byte) >> 4) + (int(byte) & 15)


def test_last_life_of_sir_lancelot() -> None:
    """Many episodes of the originals end in the air, where the figure still obeys."""
    lives: dict[bool, set[tuple[int, bool]]] = {False: set(), True: set()}
    for corrected, seed in itertools.product((False, True), range(6)):
        env = make("sir_lancelot", corrected)
        play_until_end(env, at_random(actions_of(env), 15, seed), 30_000)
        assert env.report.terminated
        lives[corrected].add((int(env.ram[41]), int(env.ram[7]) > 0))
    assert (0, True) in lives[False]
    assert lives[True] == {(255, False)}


@pytest.mark.parametrize("mode", [6, 7])
def test_tenth_point_of_the_other_side(mode: int) -> None:
    for corrected in (False, True):
        env = make("space_war", corrected, mode)
        play_until_end(env, at_random(actions_of(env), 15, mode), 10_000)
        assert env.ram[40] == 0x10
        assert bool(env.report.terminated) is corrected


@pytest.mark.parametrize("mode", [0, 20, 44])
def test_nobody_plays_breakout_for_long(mode: int) -> None:
    """The cartridge counts to 65,535, and then ends the game with five balls left."""
    for corrected in (False, True):
        env = make("breakout", corrected, mode)
        env.act_alone(0, 65_534)
        assert not env.report.terminated
        env.act_alone(0, 2)
        assert bool(env.report.terminated) is corrected
        if not corrected:
            assert play_until_end(env, at_random(actions_of(env), 15, mode), 3000) == 0
            assert env.report.lives[0] == 5


@pytest.mark.parametrize(
    ("game", "mode", "last"),
    [*(("basic_math", mode, 8064) for mode in (5, 8)), ("video_pinball", 0, 65_465)],
)
def test_a_cartridge_that_stops_ends_the_episode(game: str, mode: int, last: int) -> None:
    """Without actions they change colors at last, and read the controls no more."""
    for corrected in (False, True):
        env = make(game, corrected, mode)
        env.act_alone(0, last - 1)
        assert not env.report.terminated
        env.act_alone(0)
        assert bool(env.report.terminated) is corrected
        if corrected:
            continue
        seen, state = set(), _native.State()
        env.save(state)
        for seed in range(3):
            env.restore(state)
            assert play_until_end(env, at_random(actions_of(env), 5, seed), 600) == 0
            seen.add(env.ram.tobytes())
        assert len(seen) == 1
        assert not env.report.terminated


@pytest.mark.parametrize("spare", [0, 1])
@pytest.mark.parametrize("reference", [False, True])
def test_the_treasure_room_does_not_take_the_last_life(spare: int, reference: bool) -> None:
    """When its time is up the stack looks as at the end of the game; the next level follows."""
    if reference:
        ale_py = pytest.importorskip("ale_py")
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    for corrected in (False,) if reference else (False, True):
        ale: Any = ale_py.ALEInterface() if reference else ALEInterface()
        ale.setFloat("repeat_action_probability", 0.0)
        if not reference:
            ale.setBool("corrected_rules", corrected)
        ale.loadROM(rom_path("montezuma_revenge"))
        for _ in range(120):
            ale.act(0)
        for cell, value in {58: spare, 3: 16, 42: 1}.items():  # spare lives, room, column
            ale.setRAM(cell, value)
        for _ in range(30):
            ale.act(4)
        assert ale.getRAM()[3] == 15
        frames = 0
        while not ale.game_over() and frames < 700:
            ale.act(0)
            frames += 1
        room, level, left = (int(ale.getRAM()[cell]) for cell in (3, 57, 58))
        if spare or corrected:
            assert (frames, room, level, left) == (700, 1, 1, spare + 1)
        else:
            assert (frames, room, level, left) == (599, 15, 0, 0)


@pytest.mark.parametrize("mode", [3, 5, 7])
def test_modes_that_are_over_as_soon_as_they_begin(mode: int) -> None:
    assert make("demon_attack", False, mode).report.terminated
    env = make("demon_attack", True, mode)
    assert not env.report.terminated
    assert play_until_end(env, at_random(actions_of(env), 1, mode), 20_000) > 0
    assert env.report.terminated


def test_initials_of_the_author() -> None:
    """A player who hits the Swirl in flight and flies to the dark line ends the game."""
    for corrected in (False, True):
        env = make("yars_revenge", corrected, 32)
        env.reload(1)
        env.reset()
        choices = at_random(range(18), 15, 147)
        assert play_until_end(env, choices, 1294) > 6000
        play_until_end(env, at_random([0, *range(2, 10)], 80, 278), 260)
        assert bool(env.report.terminated) is corrected
        if not corrected:
            assert env.report.lives[0] > 0
            assert play_until_end(env, at_random(range(18), 8, 1), 3000) == 0


# Men of both sides, by the numbers of their squares, and whether black soon blocks white.
BLOCKED = [({1, 6, 18}, {5}, True), ({21}, {18, 24, 25, 27, 30, 31}, False)]


def set_board(env: Env, black: set[int], white: set[int]) -> None:
    for square in range(32):
        man = 0x10 if square + 1 in black else 0x90 if square + 1 in white else 0
        env.set_ram(square // 8 * 9 + square % 8, man)


@pytest.mark.parametrize("mode", [1, 9, 11, 19])
@pytest.mark.parametrize(("black", "white", "is_win"), BLOCKED)
def test_checkers_without_a_move(black: set[int], white: set[int], is_win: bool, mode: int) -> None:
    for corrected in (False, True):
        rewards = set()
        for seed in range(4):
            env = make("video_checkers", corrected, mode)
            env.act_alone(0, 30)
            set_board(env, black, white)
            rewards.add(play_until_end(env, at_random([1, 6, 7, 8, 9], 12, seed), 6000))
        if corrected:
            assert (1 if is_win is (mode < 11) else -1) in rewards
        else:
            assert 0 in rewards
            assert rewards == {0} or mode in (9, 19)  # where pieces may be lost before


@pytest.mark.parametrize(("black", "white", "is_win"), BLOCKED)
def test_checkers_of_two_without_a_move(black: set[int], white: set[int], is_win: bool) -> None:
    for corrected in (False, True):
        rewards = set()
        for seed in range(6):
            env = together("video_checkers", corrected, mode=10)
            rewards_of(env, [[0, 0]] * 30)
            set_board(env, black, white)
            moves = [at_random([1, 6, 7, 8, 9], 12, seed + 100 * p) for p in range(2)]
            for actions in itertools.islice(zip(*moves, strict=True), 8000):
                env.play(actions)
                if env.report.terminated:
                    rewards.add(tuple(env.report.rewards[:2]))
                    break
        assert rewards == ({(1, -1) if is_win else (-1, 1)} if corrected else set())


ENDS_OTHERWISE = ("sir_lancelot", "space_war")  # which random play soon ends by a fault


@pytest.mark.parametrize("game", known_games.ALONE)
def test_ordinary_play_is_the_same(game: str) -> None:
    plain, corrected = make(game, False), make(game, True)
    random = np.random.default_rng(3)
    for action in random.choice(actions_of(plain), 3000).tolist():
        assert corrected.act_alone(action, 2) == plain.act_alone(action, 2)
        if corrected.report.terminated != plain.report.terminated and game in ENDS_OTHERWISE:
            return
        assert bytes(corrected.report) == bytes(plain.report)
        if plain.report.terminated:
            plain.reset()
            corrected.reset()


# ---- The ways to ask for it ----------------------------------------------------------------------


def reward_of(env: Any) -> float:
    """The reward of the step in which the score passes 999,999, of an `AtariEnv` of Gopher."""
    for byte in SCORES["gopher"]:
        env.ale.setRAM(byte, 0)
    env.step(0)
    env.ale.setRAM(SCORES["gopher"][0], 0x99)
    env.step(0)
    env.ale.setRAM(SCORES["gopher"][0], 0)
    return float(env.step(0)[1])


def test_atari_env() -> None:
    rom_path("gopher")
    for options, reward in (({}, -990_000), ({"corrected_rules": True}, 10_000)):
        env: Any = gymnasium.make("pyale_ma/Gopher-v5", **options).unwrapped
        env.reset(seed=1)
        assert reward_of(env) == reward
        assert ("corrected_rules=True" in repr(env)) is bool(options)
        assert reward_of(pickle.loads(pickle.dumps(env))) == reward


def ended(envs: Any, step: Callable[[], Any]) -> bool:
    return any(bool(step()[2].any()) for _ in range(3500))


def test_vector() -> None:
    rom_path("frostbite")
    for corrected in (False, True):
        envs = AtariVectorEnv(
            "frostbite",
            2,
            corrected_rules=corrected,
            obs_type="ram",
            reward_clipping=False,
            use_fire_reset=False,
        )
        envs.reset(seed=1)
        idle = np.zeros(2, np.int64)
        assert ended(envs, lambda: envs.step(idle)) is corrected  # noqa: B023
        state = envs.save_state()
        other = AtariVectorEnv(
            "frostbite",
            2,
            corrected_rules=not corrected,
            obs_type="ram",
            reward_clipping=False,
            use_fire_reset=False,
        )
        with pytest.raises(ValueError, match="options"):
            other.restore_state(state)


def test_pool() -> None:
    rom_path("gopher")
    made = pool.EnvPool("Gopher-v5", {"corrected_rules": True})
    assert made.envs._native.options["corrected_rules"]


def test_recording(tmp_path: Path) -> None:
    rom_path("frostbite")
    env = AtariEnv("frostbite", corrected_rules=True, repeat_action_probability=0.0, obs_type="ram")
    record(env, tmp_path / "one.zip")
    env.reset(seed=1)
    ends = [env.step(0)[2] for _ in range(3200)]
    env.close()
    assert ends[-1]
    recording = Recording.open(tmp_path / "one.zip")
    assert recording.header.options["corrected_rules"] is True
    assert recording.verify()
