"""Games for several players that no other package has: what they pay is what the screen shows."""

from __future__ import annotations

import hashlib
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from multi.reference import our_module
from multi.scoreboard import Number
from pyale_ma.multi import ParallelAtariEnv

NOOP, FIRE, UP, RIGHT, LEFT, DOWN = range(6)
RIGHTFIRE, LEFTFIRE = 11, 12
WITHOUT_FIRE = (NOOP, *range(UP, 10))
LAG = 3  # frames within which a score is drawn


def own(numbers: list[int | None], won: list[int]) -> bool:
    """To each agent its own points."""
    return all(n is None or n == w for n, w in zip(numbers, won, strict=True))


def lead(numbers: list[int | None], won: list[int]) -> bool:
    """To each agent its points and as much less for the other's."""
    first, second = numbers
    return first is None or second is None or won == [first - second, second - first]


def common(numbers: list[int | None], won: list[int]) -> bool:
    """To all agents what all have."""
    return all(n is None or n == w for n in numbers for w in won)


def stack_of(chips: int) -> Callable[[list[int | None], list[int]], bool]:
    """To each agent what its chips are more than those it had at first; shown are those it has."""
    return lambda numbers, won: own([None if n is None else n - chips for n in numbers], won)


@dataclass(frozen=True)
class Shown:
    """Where a module's game shows what.

    Attributes:
        module: The module's name.
        numbers: Each agent's score, or that of all.
        fits: Whether numbers, None for those not shown, can be what the agents have won.
        arguments: The module's own, of each game to play.
        favourites: Actions that score, played more often than others.
        frames: To play of each game.
        select: Until when SELECT is to be pressed, as a card says it, and for how many frames.
        nearly: RAM that brings the end near.
        after_end: Actions of each agent that do nothing after the end; the first one's FIRE often
            starts another game.
    """

    module: str
    numbers: Sequence[Number]
    fits: Callable[[list[int | None], list[int]], bool] = own
    arguments: Sequence[dict[str, Any]] = field(default_factory=lambda: [{}])
    favourites: Sequence[int] = ()
    frames: int = 1500
    select: tuple[str, int] = ("1", 1)
    nearly: dict[int, int] = field(default_factory=dict)
    after_end: tuple[Sequence[int], Sequence[int]] = (WITHOUT_FIRE, range(18))


def two(font: str, top: int, first: Sequence[int], second: Sequence[int], background: int) -> Any:
    """The scores of two agents, in the same rows."""
    return [Number(font, top, first, background), Number(font, top, second, background)]


GAMES = [
    Shown(
        "atlantis_v0",
        [Number("atlantis", 188, range(56, 104, 8), 10)],
        common,
        favourites=[FIRE, RIGHTFIRE, LEFTFIRE],
        select=("ram[13] == mode % 100", 2),
    ),
    Shown(
        "blackjack_v0",
        two("blackjack", 44, (41, 45, 49), (73, 77, 81), 4),
        stack_of(200),
        favourites=[NOOP, FIRE, LEFT, RIGHT],
    ),
    Shown(
        "bowling_v0",
        two("bowling", 19, (16, 32, 48), (96, 112, 128), 4),
        arguments=[{"game_version": version} for version in (2, 4, 6)],
        favourites=[FIRE, UP, DOWN],
        frames=6000,
        select=("ram[2] == mode % 100", 2),
    ),
    Shown(
        "casino_v0",
        [Number("blackjack", top, range(44, 60, 4), 20) for top in (53, 129)],
        stack_of(1000),
        arguments=[{"game_version": version} for version in (1, 2, 3)],
        favourites=[NOOP, FIRE, LEFT, RIGHT],
        frames=5000,
    ),
    Shown(
        "demon_attack_v0",
        [Number("demon_attack", 7, range(56, 104, 8), 8, ink) for ink in (44, 122)],
        favourites=[FIRE, RIGHTFIRE, LEFTFIRE],
        frames=4000,
        select=("ram[106] == mode % 100", 1),
    ),
    Shown(
        "fishing_derby_v0",
        two("fishing_derby", 8, (41, 49), (105, 113), 80),
        lead,
        favourites=[DOWN, UP],
        frames=5000,
        select=("ram[0] == mode - 1", 1),
        nearly={61: 0x90, 62: 0x93},
    ),
    Shown(
        "freeway_v0",
        two("freeway", 5, (41, 49), (105, 113), 80),
        arguments=[{"game_version": version} for version in range(1, 9)],
        favourites=[UP],
        select=("ram[0] == mode % 100", 1),
    ),
    Shown(
        "hangman_v0",
        [Number("hangman", 6, (16, 32), 60), Number("hangman", 7, (96, 112), 60)],
        arguments=[{"game_version": version} for version in (5, 6, 7, 8)],
        favourites=[FIRE, UP, DOWN],
        frames=12000,
        select=("ram[110] == mode % 100", 2),
        after_end=((NOOP, RIGHT, LEFT), range(18)),
    ),
    Shown(
        "human_cannonball_v0",
        two("human_cannonball", 6, (32,), (112,), 20),
        arguments=[{"game_version": version} for version in range(1, 9)],
        favourites=[FIRE],
        frames=4000,
        select=("ram[54] == mode % 100 + 1 and ram[55] == 2", 2),
        nearly={54: 6, 55: 6},
        after_end=((NOOP, FIRE, RIGHT, LEFT),) * 2,  # whose turn it is can still aim
    ),
]


def play(game: Shown, arguments: dict[str, Any], seed: int, frames: int) -> tuple[int, int, int]:
    """Random play; frames on which numbers were compared, points and ends that came."""
    env = our_module(game.module).parallel_env(obs_type="ram", full_action_space=True, **arguments)
    rng = random.Random(seed)
    actions: dict[str, int] = {}
    screen = env.ale.getScreen()
    rows = screen.reshape(-1, 160)
    compared = points = ends = 0
    for t in range(frames):
        if not env.agents:
            env.reset(seed=seed + t)
            won = dict.fromkeys(env.agents, 0)
            latest = deque([list(won.values())], maxlen=LAG + 1)
        for agent in env.agents:
            if rng.random() < 0.1:
                choices = game.favourites if rng.random() < 0.7 else range(18)
                actions[agent] = rng.choice(choices or range(18))
        _, rewards, terminations, _, _ = env.step({agent: actions.get(agent, 0) for agent in won})
        for agent, reward in rewards.items():
            won[agent] += int(reward)
            points += abs(int(reward))
        latest.append(list(won.values()))
        env.ale.getScreen(screen)
        shown = [number.read(rows) for number in game.numbers]
        assert any(game.fits(shown, won_then) for won_then in latest), (t, shown, latest)
        compared += any(number is not None for number in shown)
        ends += any(terminations.values())
    return compared, points, ends


@pytest.mark.parametrize("game", GAMES, ids=[game.module for game in GAMES])
def test_random_play(game: Shown) -> None:
    compared = points = 0
    for seed, arguments in enumerate(game.arguments):
        more, won, _ = play(game, arguments, seed, game.frames)
        compared += more
        points += won
    assert points > 0
    assert compared > 0.8 * game.frames * len(game.arguments)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=[game.module for game in GAMES])
def test_random_play_for_long(game: Shown) -> None:
    frames = 20000
    plays = [
        play(game, arguments, 100 + seed, frames) for seed, arguments in enumerate(game.arguments)
    ]
    assert sum(points for _, points, _ in plays) > 0
    assert all(compared > 0.8 * frames for compared, _, _ in plays)


class Endless:
    """The same game by a card that knows no end, which goes on where the module's is over."""

    def __init__(self, env: Any, select: tuple[str, int], folder: Path) -> None:
        md5 = hashlib.md5(Path(env.rom_path).read_bytes()).hexdigest()
        until, frames = select
        card = folder / "endless.toml"
        card.write_text(
            f"""
            name = "endless"
            md5 = "{md5}"
            modes = {{ {env.num_players} = [{env.mode}] }}
            [select]
            until = "{until}"
            frames = {frames}
            """,
            encoding="utf-8",
        )
        self.env = ParallelAtariEnv(card, env.num_players, obs_type="ram", full_action_space=True)

    def responds(self, first: Sequence[int] = range(18), second: Sequence[int] = range(18)) -> bool:
        """Whether it matters for the picture which of these actions the players choose."""
        start = self.env.clone_state()
        pictures = []
        for seed in range(3):
            rng = random.Random(seed)
            self.env.restore_state(start)
            seen = []
            for _ in range(30):
                actions = {"first_0": rng.choice(first), "second_0": rng.choice(second)}
                for _ in range(8):
                    self.env.step(actions)
                    seen.append(self.env.ale.getScreen().tobytes())
            pictures.append(seen)
        self.env.restore_state(start)
        return pictures != pictures[:1] * 3


# No card has the paddles of Blackjack; where chips count, those who have none are seen to leave.
ENDING = [game for game in GAMES if game.module not in ("blackjack_v0", "casino_v0")]


@pytest.mark.parametrize("game", ENDING, ids=[game.module for game in ENDING])
def test_ends(game: Shown, tmp_path: Path) -> None:
    """A game is over when it does not matter any more what the players do, and not before."""
    env = our_module(game.module).parallel_env(obs_type="ram", full_action_space=True)
    endless = Endless(env, game.select, tmp_path)
    env.reset(seed=1)
    endless.env.reset(seed=1)
    for index, value in game.nearly.items():
        env.ale.setRAM(index, value)
        endless.env.ale.setRAM(index, value)
    rng = random.Random(1)
    responded = 0
    actions: dict[str, int] = dict.fromkeys(env.possible_agents, 0)
    for t in range(30000):
        if t % 2000 in (60, 240, 600):
            responded += endless.responds()
        for agent in actions:
            if rng.random() < 0.1:
                actions[agent] = rng.choice(game.favourites)
        ram, _, terminations, _, _ = env.step({agent: actions[agent] for agent in env.agents})
        endless.env.step(
            {a: actions[a] if a in env.agents or a in terminations else 0 for a in actions}
        )
        assert np.array_equal(next(iter(ram.values())), endless.env.ale.getRAM()), t
        if all(terminations.values()):
            break
    assert all(terminations.values())
    assert responded
    for _ in range(300):  # for what is still in the air
        endless.env.step(dict.fromkeys(actions, 0))
    assert not endless.responds(*game.after_end)


@pytest.mark.parametrize(
    ("module", "arguments", "few"),
    [
        ("blackjack_v0", {}, {6: 0, 7: 0, 9: 0x09, 10: 0x01}),
        ("casino_v0", {"game_version": 1}, {12: 0, 13: 0, 21: 0x60, 22: 0x10}),
        ("casino_v0", {"game_version": 2}, {12: 0, 13: 0, 21: 0x10, 22: 0x90}),
        ("casino_v0", {"game_version": 3}, {12: 0, 13: 0, 21: 0x50, 22: 0x10}),
    ],
)
def test_players_without_chips_leave(
    module: str, arguments: dict[str, int], few: dict[int, int]
) -> None:
    """Who has no chips left has no number on the screen, and is out; so, at last, is the other."""
    game = next(game for game in GAMES if game.module == module)
    env = our_module(module).parallel_env(obs_type="ram", **arguments)
    env.reset(seed=1)
    for t in range(30):  # for the second to take its seat
        env.step({"first_0": NOOP, "second_0": FIRE if t < 4 else NOOP})
    for index, value in few.items():
        env.ale.setRAM(index, value)
    rng = random.Random(1)
    playing = {2, 1}
    while env.agents:
        env.step({agent: rng.choice(game.favourites) for agent in env.agents})
        screen = env.ale.getScreen().reshape(-1, 160)
        shown = [number.read(screen) is not None for number in game.numbers]
        assert sum(shown) == len(env.agents) or not env.agents
        playing.add(len(env.agents))
    assert playing == {2, 1, 0}
    assert shown == [False, False]


def test_somebody_breaks_the_bank() -> None:
    env = our_module("blackjack_v0").parallel_env(obs_type="ram")
    env.reset(seed=1)
    rng = random.Random(1)
    while env.agents:
        if env.ale.getRAM()[7] < 9 or env.ale.getRAM()[10] < 0x90:
            env.ale.setRAM(7, 9)
            env.ale.setRAM(10, 0x99)
        ram, rewards, terminations, _, _ = env.step(
            {agent: rng.choice((NOOP, FIRE, LEFT, RIGHT)) for agent in env.agents}
        )
    assert all(terminations.values())
    assert ram["second_0"][7] == 10  # hundreds
    assert rewards["second_0"] == 1


def test_backgammon_is_over_when_somebody_has_borne_off_all_men() -> None:
    """No number tells it; the rules are compared with the original's in test_check_values.py."""
    for board, sign in (({0: -14, 1: -1, 14: 2, 15: 13}, 1), ({0: -2, 9: -13, 14: 14, 13: 1}, -1)):
        env = our_module("backgammon_v0").parallel_env(obs_type="ram")
        env.reset(seed=1)
        for index in range(29):
            env.ale.setRAM(index, board.get(index, 0) % 256)
        env.step(dict.fromkeys(env.agents, NOOP))
        assert len(env.agents) == 2
        for index, men in {0: -15 if sign > 0 else -2, 14: 15 if sign < 0 else 2}.items():
            env.ale.setRAM(index, men % 256)
        env.ale.setRAM(1 if sign > 0 else 13, 0)
        _, rewards, terminations, _, _ = env.step(dict.fromkeys(env.agents, NOOP))
        assert rewards == {"first_0": sign, "second_0": -sign}
        assert all(terminations.values())
