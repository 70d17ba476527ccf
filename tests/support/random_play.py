"""Random play of a console, and moments at which it scores."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from pyale_ma import _native
from pyale_ma._native import Env

HELD = (1, 4, 15, 60)  # frames for which policies hold an action
SEARCH = 40_000  # frames in which each must score
REPLAY = 24  # frames before a score from which it is played again
SETTLED = 4  # of them at least, so that the rules have seen the changed bytes before


def at_random(actions: Sequence[int], hold: int, seed: int) -> Iterator[int]:
    """Yield random actions, each for up to `hold` frames."""
    random = np.random.default_rng(seed)
    while True:
        drawn = random.integers(len(actions), size=1024).tolist()
        lengths = random.integers(1, hold + 1, size=1024).tolist()
        for action, length in zip(drawn, lengths, strict=True):
            yield from itertools.repeat(actions[action], length)


def saved(env: Env) -> _native.State:
    """Return the present state."""
    return env.saved(_native.State, include_random=True)


def scoring(env: Env) -> Iterator[tuple[_native.State, list[int], int]]:
    """Yield moments before rewards: a state, the actions up to the reward, and the reward."""
    actions = _native.bits(env.info.minimal_actions)
    for seed, hold in itertools.product(range(2), HELD):
        env.reset()
        states: list[tuple[int, _native.State]] = [(0, saved(env))]
        played: list[int] = []
        policy = at_random(actions, hold, seed)
        for frame in range(SEARCH):
            played.append(next(policy))
            reward = env.act_alone(played[-1])
            if reward > 0:
                old = [(at, state) for at, state in states if frame - at >= SETTLED]
                if old:
                    at, state = old[-1]
                    env.restore(state)
                    if not any([env.act_alone(action) for action in played[at:]][:-1]):
                        yield state, played[at:], reward
                env.restore(states[-1][1])
                for again in played[states[-1][0] :]:
                    env.act_alone(again)
            if env.report.terminated:
                env.reset()
                states = [(frame + 1, saved(env))]
            elif frame % 8 == 7:
                states = [*states[-REPLAY // 8 :], (frame + 1, saved(env))]


def cartridge_ram(env: Env, score: tuple[int, ...]) -> int:
    """Return where saved states hold the cartridge's RAM: a score there follows the rewards."""
    total, places = 0, None
    for action in at_random(_native.bits(env.info.minimal_actions), 15, 0):
        reward = env.act_alone(action)
        if env.report.terminated:
            env.reset()
            total = 0
        elif reward:
            total += reward
            data = saved(env).serialize()
            codes = [int(str(total // 100**i % 100), 16) for i in range(len(score))]
            now = {
                at - score[-1]
                for at in range(len(data) - max(score))
                if [data[at - score[-1] + byte] for byte in reversed(score)] == codes
            }
            places = now if places is None else places & now
            if len(places) < 2:
                return places.pop()
    raise AssertionError("random play has an end")
