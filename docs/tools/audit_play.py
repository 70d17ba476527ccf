"""Play for audit_rules.py: at random, or so that it scores."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from pyale_ma import _native, roms
from pyale_ma._native import Env, Rules

HELD = (1, 4, 15, 60)  # frames for which random policies hold an action
SEGMENT = 80  # frames of random actions
TRIES = 12  # of which the best is played
TRIED = (1, 8, 30, 80)  # longest holds of actions in a try
PAUSE = 240  # frames without an action after a lost life: some games then show the score


def make(game: str, *, corrected: bool = False) -> Env:
    """Return the game for one player, reset, without sticky actions."""
    rom = _native.shared_rom(roms.read(roms.find_rom(game)))
    env = Env(
        rom,
        rules=Rules.SOLO,
        random_seed=1,
        repeat_action_probability=0.0,
        corrected_rules=corrected,
    )
    env.reset()
    return env


def at_random(actions: list[int], hold: int, seed: int) -> Iterator[int]:
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


def planned(env: Env, actions: list[int], frames: int, seed: int = 0) -> list[int]:
    """Return actions that score, from the present state of `env`, which is restored.

    They must be played with a reset after each end.
    """
    start = saved(env)
    random = np.random.default_rng(seed)
    plan: list[int] = []
    while len(plan) < frames:
        state, lives = saved(env), env.report.lives[0]
        best: tuple[tuple[int, bool, int], list[int], _native.State] | None = None
        for attempt in range(TRIES):
            env.restore(state)
            choices = at_random(actions, TRIED[attempt % len(TRIED)], int(random.integers(2**31)))
            played: list[int] = []
            points = 0
            while (
                len(played) < SEGMENT and not env.report.terminated and env.report.lives[0] >= lives
            ):
                played.append(next(choices))
                points += env.act_alone(played[-1])
            worth = points, not env.report.terminated, env.report.lives[0]
            if best is None or worth > best[0]:
                best = worth, played, saved(env)
        assert best is not None
        env.restore(best[2])
        plan += best[1]
        if env.report.lives[0] < lives:
            for _ in range(PAUSE):
                if env.report.terminated:
                    break
                env.act_alone(0)
                plan.append(0)
        if env.report.terminated:
            env.reset()
            if env.report.terminated:
                break  # a mode without play
    env.restore(start)
    return plan
