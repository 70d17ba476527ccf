"""Lets scores pass the highest one: a part of audit_rules.py."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import audit_screen
import numpy as np
from audit_play import HELD, at_random, saved

from pyale_ma import _native
from pyale_ma._native import RAM_SIZE, Env

SEARCH = 40_000  # frames in which each policy must score
REPLAY = 24  # frames before a score from which it is played again
LATER = 3600  # frames that are played after it, in case something else scores
SETTLED = 4  # of them at least, so that the rules have seen the changed bytes before
DECIMAL = [16 * high + low for high in range(10) for low in range(10)]
STIRS = 1000  # changes of RAM after which a game may score
STIRRED = 400  # frames that are played after each
# Bytes with their highest values, where these are not the digits of the label.
HIGHEST = {
    "alien": dict.fromkeys((3, 5, 7, 9, 11), 9 << 3),
    "battle_zone": {29: 0x90, 30: 0x99},  # the hundreds are blank before the first points, then 0
    "entombed": {99: 255},
    "private_eye": {72: 0x79, 73: 0x99, 74: 0},  # a sum of 800,000 is cleared
    "robotank": {53: 11, 54: 255},
    "wizard_of_wor": {6: 0x99, 8: 0x19},
}


def scoring(env: Env, actions: list[int]) -> Iterator[tuple[_native.State, list[int], int]]:
    """Yield moments before rewards: a state, the actions up to the reward, and the reward."""
    for seed, hold in itertools.product(range(2), HELD):
        env.reset()
        states: list[tuple[int, _native.State]] = [(0, saved(env))]
        played: list[int] = []
        policy = at_random(actions, hold, seed)
        for frame in range(SEARCH):
            action = next(policy)
            reward = env.act_alone(action)
            played.append(action)
            if reward > 0:
                old = [(at, state) for at, state in states if frame - at >= SETTLED]
                if old and not any(env_rewards(env, old[-1], played)[:-1]):
                    at, state = old[-1]
                    yield state, played[at:], reward
                env.restore(states[-1][1])
                for again in played[states[-1][0] :]:
                    env.act_alone(again)
            if env.report.terminated:
                env.reset()
                states = [(frame + 1, saved(env))]
            elif frame % 8 == 7:
                states = [*states[-REPLAY // 8 :], (frame + 1, saved(env))]


def stirred(
    env: Env, actions: list[int], avoid: set[int]
) -> Iterator[tuple[_native.State, list[int], int]]:
    """Yield moments before rewards as `scoring` does, after a change of one byte of RAM."""
    random = np.random.default_rng(0)
    for attempt in range(STIRS):
        env.reset()
        policy = at_random(actions, HELD[attempt % len(HELD)], attempt)
        for _ in range(random.integers(30, 600)):
            env.act_alone(next(policy))
        byte, value = random.integers(RAM_SIZE), random.integers(256)
        if byte in avoid or env.report.terminated:
            continue
        env.set_ram(byte, value)
        states: list[tuple[_native.State, list[int]]] = []
        for frame in range(STIRRED):
            if frame % 16 == 0:
                states = [*states[-1:], (saved(env), [])]
            action = next(policy)
            for _, played in states:
                played.append(action)
            reward = env.act_alone(action)
            if reward or env.report.terminated:
                state, played = states[0]
                if reward > 0 and len(played) > 16:
                    yield state, played, reward
                break


def env_rewards(env: Env, since: tuple[int, _native.State], played: list[int]) -> list[int]:
    """Return the rewards of actions that are played again."""
    at, state = since
    env.restore(state)
    return [env.act_alone(action) for action in played[at:]]


def responses(env: Env, state: _native.State, action: int) -> dict[int, list[int]]:
    """Return how the reward of a frame changes with each value of the bytes that change it."""
    env.restore(state)
    usual = env.act_alone(action)

    def change(byte: int, value: int) -> int:
        env.restore(state)
        env.set_ram(byte, value)
        reward = env.act_alone(action) - usual
        return 0 if env.report.terminated else reward

    probes = [0, 1, 2, 5, 0x10, 0x11, 0x25, 0x50, 0x55, 0x90, 0x99]
    moving = [i for i in range(RAM_SIZE) if any(change(i, probe) for probe in probes)]
    return {i: [change(i, value) for value in range(256)] for i in moving}


def highest_of(changes: list[int]) -> int | None:
    """Return the highest value of a byte of the score; None: it is no such byte."""
    low = {changes[digit + 1] - changes[digit] for digit in range(9)}
    high = {changes[16 * digit + 16] - changes[16 * digit] for digit in range(9)}
    is_digit = [len(steps) == 1 and min(steps) > 0 for steps in (low, high)]
    if any(is_digit):
        return 9 * is_digit[0] + 9 * 16 * is_digit[1]
    # Other ways to write digits: whatever rises with the byte, in steps of any size.
    distinct = [*dict.fromkeys(changes)]
    if len(distinct) >= 9 and distinct == sorted(distinct):
        return changes.index(distinct[-1])
    return None


def highest_by_label(env: Env, game: str, state: _native.State) -> tuple[dict[int, int], int]:
    """Return the bytes of the first score with all digits 9, and the score that they hold."""
    labels = audit_screen.scores_of(game)
    if not labels:
        return {}, 0
    if game in HIGHEST:
        env.restore(state)
        for byte, value in HIGHEST[game].items():
            env.set_ram(byte, value)
        return HIGHEST[game], env.act_alone(0)
    if labels[0].code == "binary":
        return dict.fromkeys(labels[0].bytes, 255), 256 ** len(labels[0].bytes) - 1
    env.restore(state)
    values = {byte: int(env.ram[byte]) for byte in labels[0].bytes}
    places = audit_screen.places(labels[0])
    for byte, shift in places:
        values[byte] = values[byte] & ~(15 << shift) & 255 | 9 << shift
    return values, 9 * sum(places.values())


def highest_by_search(env: Env, state: _native.State, action: int) -> tuple[dict[int, int], int]:
    """Return the bytes that change the score with their highest values, and the score they hold."""
    highest, reach = {}, 0
    for byte, changes in responses(env, state, action).items():
        value = highest_of(changes)
        if value is not None:
            highest[byte] = value
            reach += max(changes[value] - changes[0], 0)
    return highest, reach


def wrap(env: Env, game: str, actions: list[int], by_change: bool = False) -> dict[str, Any]:
    """Return what happens when a score passes the highest one."""
    tried = 0
    best: dict[str, Any] = {"found": "no score"}
    moments = scoring(env, actions)
    if by_change:
        labels = audit_screen.scores_of(game)
        moments = stirred(env, actions, {byte for label in labels for byte in label.bytes})
    for state, played, reward in itertools.islice(moments, 12):
        tried += 1
        highest, reach = highest_by_label(env, game, state)
        if not highest:
            highest, reach = highest_by_search(env, state, played[0])
        env.restore(state)
        for byte, value in highest.items():
            env.set_ram(byte, value)
        rewards = [env.act_alone(action) for action in played]
        policy = at_random(actions, 15, 3)
        later = [env.act_alone(next(policy)) for _ in range(LATER)]
        told: dict[str, Any] = {
            "bytes": {str(byte): value for byte, value in highest.items()},
            "jump": rewards[0],
            "expected": reward,
            "reward": rewards[-1],
            "between": sum(rewards[1:-1]),
            "later": [reward for reward in later if reward][:4],
            "over": bool(env.report.terminated),
        }
        # A game may take points, but not most of the highest score.
        if rewards[-1] < -reach // 2 < 0:
            return {"found": "wraps", "range": reward - rewards[-1], **told}
        if min(later) < -reach // 2 < 0:
            return {"found": "wraps", "range": -min(later), **told}
        if rewards[-1] == reward and rewards[0] > 0:
            best = {"found": "no wrap", **told}
        elif best["found"] != "no wrap":
            best = {"found": "unclear", **told}
    return best | {"tried": tried}
