"""Checks the corrected rules and the score on the screen in all modes: a part of audit_rules.py.

In each mode, with each difficulty, a game is played with `corrected_rules` until it scores.  The
score's bytes are set to their highest value, and the points are scored again: the reward must be
the same.  So it is with 799,999.  Where no points were scored, the highest score is replaced by 0.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from audit_play import make, planned, saved
from audit_screen import board, digits, follow, nothing_read, scores_of, turn
from audit_wraps import HIGHEST, REPLAY, SETTLED

from pyale_ma import _native
from pyale_ma._native import Env

SOURCES = Path(__file__).parents[2] / "libale" / "src" / "games"
FRAMES = 600  # of each mode and difficulty
ENDS_BEFORE = ("casino",)  # a game that the highest score ends
FIRST_DIGITS = (9, 7)  # a byte from 0x80 on may be taken for a negative number


def is_corrected(game: str) -> bool:
    """Whether `corrected_rules` knows where the game's score begins again."""
    rules = (SOURCES / f"{game}.c").read_text(encoding="utf-8")
    return "score_range = " in rules and game not in ENDS_BEFORE


def set_score(env: Env, game: str, first: int, others: int) -> None:
    """Set the score's first digit and all others; one without digits to the highest, or 0."""
    if game in HIGHEST:
        for byte, value in HIGHEST[game].items():
            env.set_ram(byte, value if first else 0)
    else:
        row = digits(scores_of(game)[0])
        turn(env, {dial: others if i else first for i, dial in enumerate(row)}, None)


def reward_at_the_highest(
    env: Env, plan: list[int], start: _native.State
) -> tuple[int, _native.State, list[int]] | None:
    """Return the first reward of a plan, and a state and the actions that lead to it again."""
    env.restore(start)
    states: list[tuple[int, _native.State]] = [(0, start)]
    quiet = 0  # frame since which there was no reward
    for frame, action in enumerate(plan):
        if frame % 4 == 0:
            states = [*states[-REPLAY // 4 :], (frame, saved(env))]
        reward = env.act_alone(action)
        if env.report.terminated:
            return None
        if reward > 0:
            old = [(at, state) for at, state in states if at >= quiet and frame - at >= SETTLED]
            if old:
                return reward, old[-1][1], plan[old[-1][0] : frame + 1]
        if reward:
            quiet = frame + 1
    return None


def in_modes(game: str) -> dict[str, Any]:
    """Return in how many modes and difficulties a game's score is right."""
    if not is_corrected(game):
        return {}
    env = make(game, corrected=True)
    actions = _native.bits(env.info.minimal_actions)
    shown = board(env, game, actions)
    facts: dict[str, Any] = {"settings": 0, "scored": 0, "set": 0, "faults": []}
    seen = nothing_read()
    for mode, difficulty in itertools.product(env.modes(), _native.bits(env.info.difficulties)):
        env.set_mode(mode)
        env.set_difficulty(difficulty)
        env.reset()
        facts["settings"] += 1
        start = saved(env)
        plan = planned(env, actions, FRAMES)
        if shown is not None:
            wrong = seen["wrong"]
            follow(env, shown, iter(plan), FRAMES, seen)
            if seen["wrong"] > wrong:
                facts["faults"].append([mode, difficulty, "screen", seen["wrong"] - wrong])
        if not scores_of(game):  # it is in the cartridge's RAM
            continue
        found = reward_at_the_highest(env, plan, start)
        facts["set" if found is None else "scored"] += 1
        if found is None:
            env.restore(start)
            env.act_alone(0)
            set_score(env, game, 9, 9)
            env.act_alone(0)
            set_score(env, game, 0, 0)
            paid = env.act_alone(0)
            if paid <= 0:
                facts["faults"].append([mode, difficulty, "set", paid])
        else:
            points, state, played = found
            for first in FIRST_DIGITS:
                env.restore(state)
                set_score(env, game, first, 9)
                paid = [env.act_alone(action) for action in played][-1]
                # The points that are left until a game ends with its highest score are as good.
                if paid != points and not (env.report.terminated and 0 < paid < points):
                    facts["faults"].append([mode, difficulty, first, points, paid])
    seen.pop("values")
    return facts | {"screen": seen}
