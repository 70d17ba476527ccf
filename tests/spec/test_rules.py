"""The rules of docs/spec/games/rules.py, which say what the game files no longer say in words."""

from __future__ import annotations

import random

import pytest

from common import load
from pyale_ma.single import ALEInterface
from random_play import cartridge_ram, saved
from spec_rules import RULES, Watched

FRAMES = 1_000


@pytest.mark.parametrize("game", RULES.NAMES)
def test_rules(game: str) -> None:
    """They say reward, lives and end of each frame, also where what they read is changed."""
    interface, chance = load(ALEInterface(), game), random.Random(game)
    place = cartridge_ram(interface._env, (54, 53, 52)) if game == "klax" else None
    interface.reset_game()
    rule, seen = RULES.Game(game), set[int]()
    numbers = [it for it in rule.rule.step.__code__.co_consts if isinstance(it, int)]
    known = [0, 0xFF, *(it for it in numbers if 0 <= it <= 0xFF)]
    known += [int(str(it), 16) for it in numbers if 10 <= it <= 99]  # in packed decimals

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
        for byte in chance.sample(sorted(seen), min(frame % 4, len(seen))):
            own = int(interface.getRAM()[byte])
            values = [*known, own - 1 & 0xFF, own + 1 & 0xFF, chance.randrange(256)]
            interface.setRAM(byte, chance.choice(values))
        reward = interface.act(chance.choice(interface.getMinimalActionSet()))
        step()
        found = (reward, interface.lives(), interface.game_over())
        assert found == (rule.reward, rule.lives, rule.over), f"frame {frame}"
