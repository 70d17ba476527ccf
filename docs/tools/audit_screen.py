"""Compares rewards with the score that a game draws: a part of audit_rules.py.

No shape of a digit is written down.  The labels say which bytes of RAM hold the score's digits.
The script changes one digit after the other in copies of one moment.  The differences between the
screens show the digits' places and shapes.  Then it plays, reads the screen in every frame, and
compares the number with the sum of the rewards.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._native import Env, Pixels
from pyale_ma.labels import GAMES, Label, Labels, labels_of

sys.path.append(str(Path(__file__).parents[2] / "tests"))
from multi.scoreboard import Number

Screen = npt.NDArray[np.uint8]
Cell = tuple[int, int]  # a byte of RAM, and the lowest of the four bits that hold a digit
Policy = Callable[[list[int], int, int], Iterator[int]]

LAG = 3  # frames within which a score is drawn
SLOW = 600  # frames that a screen may take to count up to the score
FRAMES = 10_000  # that each policy plays
SAMPLES = 40  # moments of play in which a number of any digits must be read


def bcd(*places: int, scale: int = 1) -> Label:
    """Return the label of a score in two decimal digits a byte."""
    return Label("score", "score", "the score", places, "bcd", scale=scale)


# Scores that have no label, as the games' C files read them.
SCORES = {
    "ice_hockey": (bcd(10), bcd(11)),
    "riverraid": (Label("score", "score", "", (77, 79, 81, 83, 85, 87), "digits", 0x787878787878),),
    "robotank": (bcd(54, 53),),
    "turmoil": (bcd(10, 9, scale=10),),
    "wizard_of_wor": (bcd(8, 6, scale=100),),
    "space_war": (bcd(39),),
    "human_cannonball": (bcd(54),),
    "freeway": (bcd(103),),
    "bowling": (Label("score", "score", "", (38, 33), "bcd", 0x0FFF),),
    "flag_capture": (bcd(106),),
    "blackjack": (Label("score", "score", "", (6, 9), "bcd", 0x0FFF),),
    "casino": (bcd(12, 21),),
}


def scores_of(game: str) -> list[Label]:
    """Return the labels of the score, or of both scores of which the lead counts."""
    if game in SCORES:
        return [*SCORES[game]]
    labels = labels_of(game).labels if game in GAMES else ()
    return [label for label in labels if label.kind == "score" and label.players <= 1]


def lead(labels: list[Label], ram: npt.NDArray[Any]) -> int:
    """Return the first score, less the second if there is one."""
    first, *others = Labels("", tuple(labels)).values(np.array(ram)).tolist()
    return int(first - sum(others))


def places(label: Label) -> dict[Cell, int]:
    """Return the cell of each decimal digit, and what 1 in it is worth."""
    found = {}
    place = len(label.bytes)
    for byte in label.bytes:
        place -= 1
        mask = label.mask >> 8 * place & 255
        if label.code == "bcd":
            for shift in (4, 0):
                if mask >> shift & 15:
                    found[byte, shift] = label.scale * 100**place * 10 ** (shift // 4)
        else:
            found[byte, (mask & -mask).bit_length() - 1] = label.scale * 10**place
    return found


def drawn(env: Env, state: _native.State, digits: Mapping[Cell, int], wait: int) -> Screen:
    """Return the screen that shows digits in their cells, some frames later."""
    env.restore(state)
    for _ in range(wait):
        for (byte, shift), digit in digits.items():
            env.set_ram(byte, (int(env.ram[byte]) & ~(15 << shift) & 255) | digit << shift)
        env.act_alone(0)
    return env.screen(Pixels.INDEXED)


def run_of(places: npt.NDArray[Any]) -> tuple[int, int] | None:
    """Return the first and last place of the run, with gaps of one at most, that has the most."""
    if not len(places):
        return None
    starts = np.unique(places)
    runs = np.split(starts, np.nonzero(np.diff(starts) > 2)[0] + 1)
    best = max(runs, key=lambda run: np.isin(places, run).sum())
    return int(best[0]), int(best[-1])


def box_of(changed: npt.NDArray[Any]) -> tuple[int, int, int, int] | None:
    """Return the first and last row and column of what changes with a digit."""
    rows, columns = np.nonzero(changed >= 2)
    across = run_of(columns)
    if across is None or not 2 <= across[1] - across[0] <= 24:
        return None
    down = run_of(rows[(across[0] <= columns) & (columns <= across[1])])
    return None if down is None or not 3 <= down[1] - down[0] <= 40 else (*down, *across)


@dataclass(frozen=True)
class Score:
    """A score on the screen.

    Attributes:
        number: How its digits are read.
        worth: The value of 1 in each of its digits, from left to right.
        hidden: The value of 1 in each digit that the screen does not show.
    """

    number: Number
    worth: tuple[int, ...]
    hidden: tuple[int, ...]

    @property
    def modulus(self) -> int:
        """The numbers that the screen can show; as many as the counter's if no digit is hidden."""
        above = [worth for worth in self.hidden if worth > max(self.worth)]
        return min(above, default=10**9)

    def read(self, screen: Screen) -> int | None:
        """Return the score; None: there is none."""
        try:
            number = self.number.read(screen)
        except ValueError:
            return None
        if number is None:
            return None
        digits = f"{number:0{len(self.worth)}}"
        return sum(int(digit) * worth for digit, worth in zip(digits, self.worth, strict=True))


def learned(
    env: Env, cells: Mapping[Cell, int], state: _native.State, wait: int
) -> Iterator[Score]:
    """Yield ways to read a score, with the background in different columns."""
    ones = dict.fromkeys(cells, 1)
    plain = drawn(env, state, ones, wait)
    screens = {
        cell: [drawn(env, state, ones | {cell: digit}, wait) for digit in range(10)]
        for cell in cells
    }
    boxes = {}
    for cell in cells:
        box = box_of(np.sum([screen != plain for screen in screens[cell][2:]], axis=0))
        if box is not None:
            boxes[cell] = box
    if not boxes:
        return
    order = sorted(boxes, key=lambda cell: boxes[cell][2])
    top, bottom = min(box[0] for box in boxes.values()), max(box[1] for box in boxes.values())
    width = max(box[3] - box[2] for box in boxes.values()) + 1
    lefts = tuple(boxes[cell][3] - width + 1 for cell in order)
    if bottom - top > 40 or lefts[0] < 0 or any(np.diff(lefts) < 2):
        return
    shown = [
        (digit, left, screen)
        for i, (cell, left) in enumerate(zip(order, lefts, strict=True))
        for digit, screen in enumerate(screens[cell])
        if digit or i
    ]
    # Some games draw a score of 0 with a sign of its own.
    nothing = drawn(env, state, dict.fromkeys(cells, 0), wait)
    worth = tuple(cells[cell] for cell in order)
    hidden = tuple(cells[cell] for cell in cells if cell not in boxes)
    beside = [*range(lefts[0]), *range(lefts[-1] + width, 160)]
    beside.sort(key=lambda column: max(lefts[0] - column, column - lefts[-1] - width))
    rows = slice(top, bottom + 1)
    for background in beside[:40]:
        shapes: dict[bytes, int] = {}
        is_clear = True
        for digit, left, screen in shown:
            ink = screen[rows, left : left + width] != screen[rows, background, None]
            is_clear &= ink.any() and shapes.setdefault(ink.tobytes(), digit) == digit
        for left in lefts:
            ink = nothing[rows, left : left + width] != nothing[rows, background, None]
            if ink.any():
                shapes.setdefault(ink.tobytes(), 0)
        if is_clear:
            size = (bottom - top + 1, width)
            yield Score(Number(shapes, top, lefts, background, size=size), worth, hidden)


def moments(env: Env, actions: list[int], policy: Policy) -> Iterator[_native.State]:
    """Yield moments of play, of which some may show the score."""
    for seed, hold in enumerate((4, 15, 1, 60)):
        env.reset()
        choices = policy(actions, hold, seed)
        for frame in range(2400):
            env.act_alone(next(choices))
            if env.report.terminated:
                break
            if frame in (0, 60) or frame % 240 == 239:
                yield env.saved(_native.State, include_random=True)


def reader(env: Env, label: Label, actions: list[int], policy: Policy) -> tuple[Score | None, int]:
    """Return the way to read a score that is right in most moments, and the number of these."""
    cells = places(label)
    random = np.random.default_rng(0)
    states = [*moments(env, actions, policy)]
    samples = []
    for state in [states[i] for i in random.permutation(len(states))[:SAMPLES]]:
        digits = dict(zip(cells, random.integers(0, 10, len(cells)).tolist(), strict=True))
        samples.append((digits, drawn(env, state, digits, 8)))
    best, most = None, 0
    for state in states[:: max(1, len(states) // 10)]:
        for wait in (2, 3, 8):
            for score in learned(env, cells, state, wait):
                right = 0
                for digits, screen in samples:
                    value = sum(cells[cell] * digits[cell] for cell in cells)
                    value -= sum(
                        cells[cell] * digits[cell] for cell in cells if cells[cell] in score.hidden
                    )
                    right += score.read(screen) == value
                if right > most:
                    best, most = score, right
        if most >= 0.9 * len(samples):
            break
    return best, most


def compare(env: Env, game: str, actions: list[int], policy: Policy) -> dict[str, Any]:
    """Return how the number on the screen and the sum of rewards go together in play."""
    labels = scores_of(game)
    if not labels:
        return {"read": 0, "why": "no label"}
    read = [reader(env, label, actions, policy) for label in labels]
    scores = [score for score, _ in read if score is not None]
    if len(scores) < len(labels):
        return {"read": 0, "why": "no digits"}
    # Of a plain number, as Pong's, the last digit is read.
    binary = any(label.code == "binary" for label in labels)
    modulus = 10 if binary else min(score.modulus for score in scores)
    facts: dict[str, Any] = dict.fromkeys(("frames", "read", "counting", "wrong", "episodes"), 0)
    facts |= {"hidden": [score.hidden for score in scores], "examples": []}
    facts["samples"] = min(right for _, right in read)
    values: set[int] = set()
    screen = env.screen(Pixels.INDEXED)
    for seed, hold in enumerate((1, 4, 15, 60)):
        choices = policy(actions, hold, seed)
        is_over = True
        for _ in range(FRAMES):
            if is_over:
                env.reset()
                total, base, start = 0, None, lead(labels, env.ram)
                sums = deque([total], maxlen=SLOW)
                facts["episodes"] += 1
            total += env.act_alone(next(choices))
            sums.append(total)
            is_over = env.report.terminated
            facts["frames"] += 1
            env.screen(Pixels.INDEXED, screen)
            shown = [score.read(screen) for score in scores]
            if None in shown:
                continue
            facts["read"] += 1
            number = shown[0] - sum(shown[1:])
            values.add(number)
            if base is None:  # some games begin with points, which are no reward
                base = start if (number - start - total) % modulus == 0 else 0
            number -= base
            near = [*sums][-LAG - 1 :]
            if any((number - one) % modulus == 0 for one in near):
                continue
            if min(sums) % modulus <= number <= max(sums) % modulus:
                facts["counting"] += 1
                continue
            facts["wrong"] += 1
            if len(facts["examples"]) < 5:
                frame = env.report.episode_frame_number
                facts["examples"].append([facts["episodes"], frame, number, total])
    return facts | {"values": len(values)}
