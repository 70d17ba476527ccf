"""Compares rewards with a score that a game shows only after its end: a part of audit_rules.py."""

from __future__ import annotations

import itertools
from typing import Any

from audit_ends import endless
from audit_play import at_random, saved
from audit_screen import drawn, held_by, learned, rows_of, turn, worth_of

from pyale_ma._native import Env, Pixels

LONGEST = 108_000  # frames within which an end must come
POLICIES = ((0, 4), (1, 15), (3, 1))  # seeds and longest holds of actions
SHOWN = 120  # frames after the end until the score is read


def compare_after(env: Env, game: str, actions: list[int]) -> dict[str, Any]:
    """Return after how many ends the sum of rewards stands on the screen.

    A card without ends plays beside the game.  Some digits of the score are changed at the start,
    because few policies score.
    """
    (row,) = rows_of(game)
    facts: dict[str, Any] = {"ends": 0, "equal": 0, "numbers": []}
    for seed, hold in POLICIES:
        env.reload(1)
        env.reset()
        twin = endless(env, game)
        if twin is None:
            return facts
        start = held_by([row], env)
        for console in (env, twin):
            for dial, digit in zip(row, itertools.cycle((seed, 4, 2, 7)), strict=False):
                turn(console, {dial: digit}, None)
        total = 0
        choices = at_random(actions, hold, seed)
        for _ in range(LONGEST):
            action = next(choices)
            total += env.act_alone(action)
            twin.act_alone(action)
            if env.report.terminated:
                break
        if not env.report.terminated:
            continue
        facts["ends"] += 1
        twin.act_alone(0, SHOWN)
        screen = twin.screen(Pixels.INDEXED)
        state = saved(twin)
        for score in learned(twin, row, state, 2, None):
            number = dict(zip(row, itertools.cycle((3, 1, 4, 5, 9, 2)), strict=False))
            twin.restore(state)
            if score.read(drawn(twin, number, 2, None)[0]) == worth_of(number):
                facts["numbers"].append([score.read(screen), start + total])
                facts["equal"] += score.read(screen) == start + total
                break
    return facts
