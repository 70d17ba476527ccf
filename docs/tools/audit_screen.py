"""Compares rewards with the score that a game draws: a part of audit_rules.py.

No shape of a digit is written down.  The labels, or a table in this file, say which bytes of RAM
hold the score's digits.  The script changes one digit after the other in copies of one moment.  The
differences between the screens show the digits' places and shapes.  Then it plays, reads the screen
in every frame, and compares the number with the sum of the rewards.  It also sets two numbers one
after the other, and compares their difference with the reward.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from audit_play import HELD, PAUSE, at_random, make, planned, saved

from pyale_ma import _native
from pyale_ma._native import RAM_SIZE, Env, Pixels
from pyale_ma.labels import GAMES, Label, Labels, labels_of

sys.path.append(str(Path(__file__).parents[2] / "tests" / "support"))
from saved_states import mended

Screen = npt.NDArray[np.uint8]
Cell = tuple[int, int]  # a byte of RAM, and the lowest of the four bits that hold a digit

LAG = 3  # frames within which a score is drawn
SLOW = 600  # frames that a screen may take to count up to the score
FRAMES = 10_000  # that each random policy plays
PLANNED = 4000  # frames of play that scores
EARLY = 1200  # frames of it in which digits are looked for
SAMPLES = 40  # moments of play in which a number of any digits must be read


@dataclass(frozen=True)
class Dial:
    """Bits of a byte of RAM that the screen shows as one sign, mostly a digit.

    Attributes:
        byte: The byte of RAM; from `RAM_SIZE` on, of the cartridge's RAM.
        codes: The values of these bits for the numbers 0, 1, 2, ...
        worth: The value of 1.
        mask: The bits.
    """

    byte: int
    codes: tuple[int, ...]
    worth: int
    mask: int = 255


Row = tuple[Dial, ...]  # signs that stand in one row of the screen


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


DECIMAL = tuple(16 * high + low for high in range(10) for low in range(10))
TANKS = 12  # that Robot Tank shows in a row


def digits(label: Label, sign: int = 1) -> Row:
    """Return the digits of a label's number, which counts as that much."""
    return tuple(
        Dial(byte, tuple(digit << shift for digit in range(10)), sign * worth, 15 << shift)
        for (byte, shift), worth in places(label).items()
    )


def pictures(bytes_: tuple[int, ...], first: int, step: int) -> Row:
    """Return digits of which RAM holds the addresses of their pictures."""
    codes = tuple(first + step * digit for digit in range(10))
    return tuple(Dial(byte, codes, 10**i) for i, byte in enumerate(reversed(bytes_)))[::-1]


def drawn_rows() -> dict[str, list[Row]]:
    """Return what the screen shows, where it is not simply the digits of the score's label."""
    cars = digits(Label("cars", "score", "", (44, 43), "bcd", 0x0FFF), -1)
    minutes, rest = (
        digits(Label("", "score", "", (104,), "bcd", 15), -6000),
        digits(bcd(105, 106), -1),
    )
    cartridge = digits(bcd(*(RAM_SIZE + place for place in (54, 53, 52))))
    return {
        "enduro": [cars, (Dial(45, DECIMAL, 300),)],  # the frame of the day is as wide as the day
        "entombed": [pictures((63, 65), 3, 8)],
        "hangman": [digits(bcd(107)), digits(bcd(108), -1)],
        "haunted_house": [digits(bcd(2), -1)],
        "klax": [cartridge],
        # The digits overlap, so that some numbers look alike.
        "koolaid": [(Dial(1, DECIMAL, 100),)],
        "robotank": [
            (Dial(53, tuple(range(TANKS)), 1),),
            (Dial(54, tuple(range(TANKS)), TANKS),),
        ],
        "quartet": [digits(bcd(24)), digits(bcd(25), -1)],
        "skiing": [minutes + rest],
    }


def rows_of(game: str) -> list[Row]:
    """Return the rows of signs that a game's score is drawn with."""
    labels = scores_of(game)
    return drawn_rows().get(game) or [
        digits(label, -1 if i else 1) for i, label in enumerate(labels)
    ]


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


def held_by(rows: list[Row], env: Env) -> int:
    """Return the number that RAM holds."""
    total = 0
    for dial in [dial for row in rows for dial in row if dial.byte < RAM_SIZE]:
        code = int(env.ram[dial.byte]) & dial.mask
        total += dial.worth * (dial.codes.index(code) if code in dial.codes else 0)
    return total


@cache
def cartridge_ram(game: str, score: tuple[int, ...]) -> int:
    """Return where saved states hold the cartridge's RAM: a score there follows the rewards."""
    env = make(game)
    total, places = 0, None
    for action in planned(env, _native.bits(env.info.minimal_actions), PLANNED):
        reward = env.act_alone(action)
        if env.report.terminated:
            break
        total += reward
        if reward:
            data = saved(env).serialize()
            codes = [int(str(total // 100**i % 100), 16) for i in range(len(score))]
            now = {
                at - score[-1]
                for at in range(len(data) - max(score))
                if [data[at - score[-1] + byte] for byte in reversed(score)] == codes
            }
            places = now if places is None else places & now
    if places is None or len(places) != 1:
        raise LookupError(f"the score of {game} was not found in saved states")
    return places.pop()


def turn(env: Env, dials: Mapping[Dial, int], cartridge: int | None) -> None:
    """Set dials to numbers."""
    console = {dial: number for dial, number in dials.items() if dial.byte < RAM_SIZE}
    for dial, number in console.items():
        env.set_ram(dial.byte, (int(env.ram[dial.byte]) & ~dial.mask & 255) | dial.codes[number])
    if cartridge is not None:
        data = bytearray(saved(env).serialize())
        for dial, number in dials.items():
            at = cartridge + dial.byte - RAM_SIZE
            data[at] = data[at] & ~dial.mask & 255 | dial.codes[number]
        env.restore(_native.State(mended(bytes(data))))


def drawn(
    env: Env, dials: Mapping[Dial, int], wait: int, cartridge: int | None
) -> tuple[Screen, int]:
    """Return the screen that shows dials, some frames after the present moment, and the rewards."""
    total = 0
    for _ in range(wait):
        turn(env, dials, cartridge)
        total += env.act_alone(0)
    return env.screen(Pixels.INDEXED), total


def run_of(places: npt.NDArray[Any]) -> tuple[int, int] | None:
    """Return the first and last place of the run, with gaps of one at most, that has the most."""
    if not len(places):
        return None
    starts = np.unique(places)
    runs = np.split(starts, np.nonzero(np.diff(starts) > 2)[0] + 1)
    best = max(runs, key=lambda run: np.isin(places, run).sum())
    return int(best[0]), int(best[-1])


def box_of(changed: npt.NDArray[Any], wide: bool) -> tuple[int, int, int, int] | None:
    """Return the first and last row and column of what changes with a sign."""
    rows, columns = np.nonzero(changed >= (1 if wide else 2))
    if wide:
        across = (int(columns.min()), int(columns.max())) if len(columns) else None
    else:
        across = run_of(columns)
    if across is None or not 2 <= across[1] - across[0] <= (100 if wide else 24):
        return None
    down = run_of(rows[(across[0] <= columns) & (columns <= across[1])])
    return None if down is None or not 3 <= down[1] - down[0] <= 40 else (*down, *across)


@dataclass(frozen=True)
class Score:
    """A number on the screen.

    Attributes:
        shapes: The number that each picture of a sign stands for.
        top: The first row.
        lefts: The first columns of the signs, from left to right.
        size: The height and width of a sign.
        background: A column with nothing but background.
        worth: The value of 1 in each sign, from left to right.
        hidden: The dials that the screen does not show.
        shifts: Whether digits stand further left where there are less of them.
        is_empty_zero: Whether nothing is drawn for 0.
    """

    shapes: Mapping[bytes, int]
    top: int
    lefts: tuple[int, ...]
    size: tuple[int, int]
    background: int
    worth: tuple[int, ...]
    hidden: tuple[Dial, ...]
    shifts: bool
    is_empty_zero: bool

    @property
    def modulus(self) -> int:
        """The numbers that the screen can show; as many as the counter's if no digit is hidden."""
        highest = max(map(abs, self.worth))
        above = [abs(dial.worth) for dial in self.hidden if abs(dial.worth) > highest]
        return min(above, default=10**9)

    def read(self, screen: Screen) -> int | None:
        """Return the score; None: there is none."""
        height, _ = self.size
        for top in (self.top, self.top + 1, self.top - 1):  # Yars' Revenge draws it a line lower
            if 0 <= top <= len(screen) - height:
                number: int | None = self._cached(screen[top : top + height].tobytes())
                if number is not None:
                    return number
        return None

    @cached_property
    def _cached(self) -> Any:
        """Return a cached reader of rows, as most frames show the same ones as before."""
        return lru_cache(maxsize=1000)(self._read)

    def _read(self, pixels: bytes) -> int | None:
        height, width = self.size
        rows = np.frombuffer(pixels, np.uint8).reshape(height, -1)
        ink = rows != rows[:, self.background, None]
        signs: list[int | None] = []
        for left in self.lefts:
            cell = ink[:, left : left + width]
            signs.append(self.shapes.get(cell.tobytes()))
            if signs[-1] is None and cell.any():
                return None
        while signs and signs[0] is None:
            signs.pop(0)
        while self.shifts and signs and signs[-1] is None:
            signs.pop()
        if not signs:
            return 0 if self.is_empty_zero else None
        worth = self.worth[-len(signs) :]
        total = 0
        for sign, one in zip(signs, worth, strict=True):
            if sign is None:
                return None
            total += sign * one
        return total


def learned(
    env: Env, row: Row, state: _native.State, wait: int, cartridge: int | None
) -> Iterator[Score]:
    """Yield ways to read a row, with the background in different columns."""

    def screen_of(dials: Mapping[Dial, int]) -> Screen:
        env.restore(state)
        return drawn(env, dials, wait, cartridge)[0]

    wide = any(len(dial.codes) > 10 for dial in row)
    ones = dict.fromkeys(row, 1)
    plain = screen_of(ones)
    screens = {
        dial: [screen_of(ones | {dial: number}) for number in range(len(dial.codes))]
        for dial in row
    }
    boxes = {}
    for dial in row:
        box = box_of(np.sum([screen != plain for screen in screens[dial][2:]], axis=0), wide)
        if box is not None:
            boxes[dial] = box
    if not boxes:
        return
    order = sorted(boxes, key=lambda dial: boxes[dial][2])
    top, bottom = min(box[0] for box in boxes.values()), max(box[1] for box in boxes.values())
    width = max(box[3] - box[2] for box in boxes.values()) + 1
    lefts = tuple(boxes[dial][3] - width + 1 for dial in order)
    if bottom - top > 40 or lefts[0] < 0 or any(np.diff(lefts) < 2):
        return
    shown = [
        (number, left, screen)
        for i, (dial, left) in enumerate(zip(order, lefts, strict=True))
        for number, screen in enumerate(screens[dial])
        if number or i
    ]
    # Some games draw a score of 0 with a sign of its own.
    nothing = screen_of(dict.fromkeys(row, 0))
    worth = tuple(dial.worth for dial in order)
    hidden = tuple(dial for dial in row if dial not in boxes)
    beside = [*range(lefts[0]), *range(lefts[-1] + width, 160)]
    beside.sort(key=lambda column: max(lefts[0] - column, column - lefts[-1] - width))
    rows = slice(top, bottom + 1)
    for background in beside[:40]:
        shapes: dict[bytes, int] = {}
        unclear: set[bytes] = set()  # pictures of several numbers
        is_clear = True
        for number, left, screen in shown:
            ink = screen[rows, left : left + width] != screen[rows, background, None]
            is_same = shapes.setdefault(ink.tobytes(), number) == number
            if wide and not is_same:
                unclear.add(ink.tobytes())
            else:
                is_clear &= ink.any() and is_same
        is_empty = True
        for left in lefts:
            ink = nothing[rows, left : left + width] != nothing[rows, background, None]
            if ink.any():
                is_empty = False
                shapes.setdefault(ink.tobytes(), 0)
        if is_clear:
            shapes = {shape: number for shape, number in shapes.items() if shape not in unclear}
            size = (bottom - top + 1, width)
            place = shapes, top, lefts, size, background, worth, hidden
            for shifts in (False, True) if len(row) > 1 else (False,):
                yield Score(*place, shifts=shifts, is_empty_zero=wide and is_empty)


def moments(env: Env, actions: list[int]) -> Iterator[_native.State]:
    """Yield moments of play, of which some may show the score."""
    for seed, hold in enumerate((*HELD[1:3], HELD[0], HELD[3], None)):
        env.reset()
        choices = (
            iter(planned(env, actions, EARLY)) if hold is None else at_random(actions, hold, seed)
        )
        lives, pause = env.report.lives[0], 0
        for frame in range(2400 if hold else EARLY):
            env.act_alone(0 if pause else next(choices))
            if env.report.terminated:
                break
            pause = PAUSE if env.report.lives[0] < lives else max(0, pause - 1)
            lives = env.report.lives[0]
            if frame in (0, 60) or frame % 240 == 239 or pause == PAUSE // 2:
                yield saved(env)


Number = dict[Dial, int]
Sample = tuple[Number, Screen, Number, Screen, int | None]  # two numbers, and the reward in between


def sampled(
    env: Env, row: Row, state: _native.State, random: np.random.Generator, cartridge: int | None
) -> Sample:
    """Return two random numbers in one moment, of which the second is the higher one."""

    def any_number() -> Number:
        number = {dial: int(random.integers(len(dial.codes))) for dial in row}
        if random.random() < 0.5:  # zeros at its head
            number |= dict.fromkeys(row[: random.integers(len(row))], 0)
        return number

    first, second = sorted((any_number(), any_number()), key=worth_of)
    env.restore(state)
    before, _ = drawn(env, first, 8, cartridge)
    after, reward = drawn(env, second, 8, cartridge)
    return first, before, second, after, None if env.report.terminated else reward


def worth_of(number: Number) -> int:
    """Return what a number is worth."""
    return sum(dial.worth * sign for dial, sign in number.items())


def reader(
    env: Env, row: Row, states: list[_native.State], cartridge: int | None
) -> tuple[Score | None, int, list[int]]:
    """Return the way to read a row that is right in most moments, and the number of these.

    The third is how often the reward was the difference of two numbers on the screen, in how many
    moments.
    """
    random = np.random.default_rng(0)
    samples = [
        sampled(env, row, states[i], random, cartridge)
        for i in random.permutation(len(states))[:SAMPLES]
    ]
    best, most = None, 0
    some = range(0, len(states), max(1, len(states) // 10))
    for i in [*some, *(i for i in range(len(states)) if i not in some)]:
        if best is not None and i not in some:
            break
        state = states[i]
        for wait in (2, 3, 8):
            for score in learned(env, row, state, wait, cartridge):
                right = 0
                for number, screen, *_ in samples:
                    value = worth_of({d: n for d, n in number.items() if d not in score.hidden})
                    right += score.read(screen) == value
                if right > most:
                    best, most = score, right
        if most >= 0.9 * len(samples):
            break
    jumps = [0, 0]
    for _, before, _, after, reward in samples if best is not None else ():
        assert best is not None
        numbers = best.read(before), best.read(after)
        if None in numbers or reward is None or best.hidden:
            continue
        jumps[0] += reward == numbers[1] - numbers[0]
        jumps[1] += 1
    return best, most, jumps


@dataclass(frozen=True)
class Board:
    """A game's score on the screen.

    Attributes:
        rows: The rows of signs, of which the sum is the score.
        scores: How each is read.
        samples: In how many moments the worst of them was read.
        jumps: Of each, how often the reward was the difference of two numbers that were set, in how
            many moments.
        modulus: How many numbers there are.
    """

    rows: list[Row]
    scores: list[Score]
    samples: int
    jumps: list[list[int]]
    modulus: int

    def read(self, screen: Screen) -> int | None:
        """Return the score; None: there is none, or it is not shown."""
        shown = [score.read(screen) for score in self.scores]
        if None in shown:
            return None
        number = sum(part for part in shown if part is not None)
        may_be_hidden = number == 0 and any(score.is_empty_zero for score in self.scores)
        return None if may_be_hidden else number


def board(env: Env, game: str, actions: list[int]) -> Board | None:
    """Return how a score is read; None: it was not found on the screen."""
    rows = rows_of(game)
    if not rows:
        return None
    outside = tuple(dial.byte - RAM_SIZE for dial in rows[0] if dial.byte >= RAM_SIZE)
    cartridge = cartridge_ram(game, tuple(dict.fromkeys(outside))) if outside else None
    states = [*moments(env, actions)]
    read = [reader(env, row, states, cartridge) for row in rows]
    scores = [score for score, _, _ in read if score is not None]
    if len(scores) < len(rows):
        return None
    # Of a plain number, as Pong's, the last digit is read.
    binary = any(label.code == "binary" for label in scores_of(game)) and game not in drawn_rows()
    modulus = 10 if binary else min(score.modulus for score in scores)
    samples = min(right for _, right, _ in read)
    return Board(rows, scores, samples, [jumps for _, _, jumps in read], modulus)


def follow(
    env: Env, board: Board, choices: Iterator[int], frames: int, facts: dict[str, Any]
) -> None:
    """Play from a reset on, and count frames in which the screen shows the sum of rewards."""
    screen = env.screen(Pixels.INDEXED)
    is_over = False
    for frame in range(frames):
        if is_over:
            env.reset()
        if is_over or frame == 0:
            total, base, start = 0, None, held_by(board.rows, env)
            sums = deque([total], maxlen=SLOW)
            facts["episodes"] += 1
        total += env.act_alone(next(choices))
        sums.append(total)
        is_over = env.report.terminated
        facts["frames"] += 1
        number = board.read(env.screen(Pixels.INDEXED, screen))
        if number is None:
            continue
        facts["read"] += 1
        if number not in facts["values"]:
            facts["values"].append(number)
        if base is None:  # some games begin with points, which are no reward
            base = start if (number - start - total) % board.modulus == 0 else 0
        number -= base
        near = [*sums][-LAG - 1 :]
        if any((number - one) % board.modulus == 0 for one in near):
            continue
        if min(sums) % board.modulus <= number <= max(sums) % board.modulus:
            facts["counting"] += 1
            continue
        facts["wrong"] += 1
        if len(facts["examples"]) < 5:
            at = env.report.episode_frame_number
            facts["examples"].append([facts["episodes"], at, number, total])


def nothing_read() -> dict[str, Any]:
    """Return what `follow` counts, before it has."""
    counts = dict.fromkeys(("frames", "read", "counting", "wrong", "episodes"), 0)
    return {**counts, "values": [], "examples": []}


def compare(env: Env, game: str, actions: list[int]) -> dict[str, Any]:
    """Return how the number on the screen and the sum of rewards go together in play."""
    if not rows_of(game):
        return {"read": 0, "why": "no label"}
    shown = board(env, game, actions)
    if shown is None:
        return {"read": 0, "why": "no digits"}
    facts = nothing_read()
    for seed, hold in enumerate((*HELD, None)):
        env.reset()
        if hold:
            follow(env, shown, at_random(actions, hold, seed), FRAMES, facts)
        else:
            follow(env, shown, iter(planned(env, actions, PLANNED, seed)), PLANNED, facts)
    values = facts.pop("values")
    return facts | {
        "hidden": [[dial.worth for dial in score.hidden] for score in shown.scores],
        "samples": shown.samples,
        "jumps": shown.jumps,
        "values": len(values),
        "highest": max(values, key=abs, default=0),
    }
