"""The rules of docs/spec/games, which say what the game files no longer say in words."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest

from common import load
from pyale_ma.multi import ALEInterface as MultiInterface
from pyale_ma.single import ALEInterface
from random_play import cartridge_ram, saved
from spec_rules import Watched, multiplayer, rules

FRAMES = 1_000


def poked(interface: Any, cells: set[int], step: Any, chance: random.Random, count: int) -> None:
    """Change some of the bytes that a rule reads, mostly to numbers that stand in its code."""
    numbers = [it for it in step.__code__.co_consts if isinstance(it, int)]
    known = [0, 0xFF, *(it for it in numbers if 0 <= it <= 0xFF)]
    known += [int(str(it), 16) for it in numbers if 10 <= it <= 99]  # in packed decimals
    for byte in chance.sample(sorted(cells), min(count, len(cells))):
        own = int(interface.getRAM()[byte])
        values = [*known, own - 1 & 0xFF, own + 1 & 0xFF, chance.randrange(256)]
        interface.setRAM(byte, chance.choice(values))


@pytest.mark.parametrize("game", rules.RULES)
def test_rules(game: str) -> None:
    """They say reward, lives and end of each frame, also where what they read is changed."""
    interface, chance = load(ALEInterface(), game), random.Random(game)
    place = cartridge_ram(interface._env, (54, 53, 52)) if game == "klax" else None
    interface.reset_game()
    rule, seen = rules.Game(game), set[int]()

    def step() -> None:
        ram = Watched(interface.getRAM().tolist())
        ram.seen = seen
        ext = [] if place is None else [saved(interface._env).serialize()[place : place + 128]]
        rule.rule.step(ram, rule.vars, *ext)

    step()
    rule.vars["reward"] = -2 if game == "word_zapper" else 0  # as rules.py says of a reset
    start, variables = interface.cloneState(), dict(rule.vars)
    for frame in range(FRAMES):
        if rule.over:
            interface.restoreState(start)
            rule.vars = dict(variables)
        poked(interface, seen, rule.rule.step, chance, frame % 4)
        reward = interface.act(chance.choice(interface.getMinimalActionSet()))
        step()
        found = (reward, interface.lives(), interface.game_over())
        assert found == (rule.reward, rule.lives, rule.over), f"frame {frame}"


def first_modes() -> Iterator[tuple[str, int]]:
    """Yield each game's first mode for one, two and four players."""
    for name, game in multiplayer.GAMES.items():
        for modes in filter(None, (game.one, game.two, game.four)):
            yield name, modes[0]


@pytest.mark.parametrize(("game", "mode"), [*first_modes()])
def test_rules_of_several_players(game: str, mode: int) -> None:
    """The same; a rule has seen another number of frames at first, so turns have no limit."""
    interface, chance = load(MultiInterface(), game, max_turn_time=0), random.Random(game)
    interface.setMode(mode)
    interface.reset_game()
    players, actions = interface.numPlayersActive(), interface.getMinimalActionSet()
    rule, seen = multiplayer.GAMES[game](max_turn_time=0), set[int]()
    assert players == rule.players(mode)
    rule.configure(mode)

    def play() -> list[int]:
        rewards = interface.act([chance.choice(actions) for _ in range(players)])
        ram = Watched(interface.getRAM().tolist())
        ram.seen = seen
        rule.frame(ram)
        return list(rewards)

    for _ in range(150):
        play()
    start, variables = interface.cloneState(), copy.deepcopy(vars(rule))
    for frame in range(FRAMES):
        if rule.over:
            interface.restoreState(start)
            vars(rule).update(copy.deepcopy(variables))
        poked(interface, seen, rule.frame, chance, frame % 4)
        found = (play(), interface.allLives().tolist(), interface.game_over())
        expected = (rule.r[:players], rule.lives()[:players], rule.over)
        assert found == expected, f"frame {frame}"
