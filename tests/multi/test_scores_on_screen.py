"""Games for several players that no other package has: what they pay is what the screen shows."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from multi.reference import our_module
from multi.scoreboard import Number

NOOP, FIRE, UP, RIGHT, LEFT, DOWN = range(6)
LAG = 3  # frames within which a score is drawn


@dataclass(frozen=True)
class Shown:
    """Where a module's game shows what.

    Attributes:
        module: The module's name.
        numbers: Each agent's score.
        total: What the agents have won when the numbers are these.
        arguments: The module's own, of each game to play.
        favourites: Actions that score, played more often than others.
        frames: To play of each game.
    """

    module: str
    numbers: Sequence[Number]
    total: Callable[[list[int]], list[int]] = list
    arguments: Sequence[dict[str, Any]] = field(default_factory=lambda: [{}])
    favourites: Sequence[int] = ()
    frames: int = 1500


def lead(numbers: list[int]) -> list[int]:
    """Each agent's points and as much less for the other's."""
    return [numbers[0] - numbers[1], numbers[1] - numbers[0]]


def two(font: str, top: int, first: Sequence[int], second: Sequence[int], background: int) -> Any:
    """The scores of two agents, in the same rows."""
    return [Number(font, top, first, background), Number(font, top, second, background)]


GAMES = [
    Shown(
        "fishing_derby_v0",
        two("fishing_derby", 8, (41, 49), (105, 113), 80),
        lead,
        favourites=[DOWN, UP],
        frames=5000,
    ),
    Shown(
        "freeway_v0",
        two("freeway", 5, (41, 49), (105, 113), 80),
        arguments=[{"game_version": version} for version in range(1, 9)],
        favourites=[UP],
    ),
]


def play(game: Shown, arguments: dict[str, Any], seed: int, frames: int) -> tuple[int, int, int]:
    """Random play; frames on which numbers were compared, points and ends that came."""
    env = our_module(game.module).parallel_env(obs_type="ram", full_action_space=True, **arguments)
    rng = random.Random(seed)
    actions: dict[str, int] = {}
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
        screen = env.ale.getScreen().reshape(-1, 160)
        shown = [number.read(screen) for number in game.numbers]
        if None not in shown:
            total = game.total(shown)
            assert total in latest, (t, shown, latest)
            compared += 1
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
    for seed, arguments in enumerate(game.arguments):
        compared, points, _ = play(game, arguments, 100 + seed, 20000)
        assert points > 0
        assert compared > 0.8 * 20000
