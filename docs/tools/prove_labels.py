"""Proves the labels of games on the emulator.

    python docs/tools/prove_labels.py [GAME ...]

Without names, all games are proven, in a few minutes.  Where a label fails, the program ends with
an error; what cannot be proven is not shipped.  A game is played in up to six rounds, with other
seeds and for longer each, as long as labels are not proven.  The proofs:

* **Positions.** Random play is stopped at many moments.  `shown` is the share of them at which a
  box of the label's register has its edge where the label says, within its tolerance, now or in the
  next frames.  From each of these moments, copies play on: one as it is, the others with another
  value in the byte.  `moved` is the share of changes, of those that change where any box is, after
  which a box that was at the label's place is gone from there, and as far away as the byte says.
  Bytes that the program writes anew in
  each frame, such as those of paddles, cannot be changed.  There, copies are played with opposite
  actions, and `steered` is the share of pairs of copies with different labels in which each has a
  box where its own label says, and none where the other's does.
  A thing that is shown at few moments must be moved by more changes.
  A change may move several boxes: copies, or parts of a shape.  `elsewhere` is how often it moved
  a box at the place at which it did so most often, outside of the tolerance.  It must not be more
  often than at the label's place.
* **Scores.** In play, the rewards are the changes of the scores: `paid` is the share of frames with
  either of them in which they are equal.  In copies with other digits, the reward of the next frame
  is the difference: `counted`.
* **Lives.** `paid` is the share of frames in which `lives()` is the label; `counted` is the share
  of copies with another value in which `lives()` follows.
* **Counts.** `drawn` is the share of changes after which the picture is another one, in a
  small area alone.  places.toml says where the number is: in rows and columns, or on a
  thing whose look it is.  `placed` is the share of these changes that are drawn there.  A count has
  several values in play; of a series, such as the squares of a board, one has.
* **Rooms**, which are counts of the name `room`.  `turned` is the share of changes of the number
  after which the whole picture is another, and `alike` the share of those in which it is the one
  that the same number had before.  The changes are those of play, or of copies with another value
  where play stays in one room.
"""

from __future__ import annotations

import argparse
import functools
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pyale_ma import _native, roms
from pyale_ma._native import Rules
from pyale_ma.labels import GAMES, Label, Labels, labels_of
from pyale_ma.objects import ObjectBox
from pyale_ma.single import ALEInterface

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ATARI_ARI = Path(__file__).with_name("atari_ari.toml")
PLACES = Path(__file__).with_name("places.toml")
MOMENTS = 26  # of a round, at which play is stopped
ROUNDS = 6  # at most; the second and later ones for labels that are not proven yet
GAP = 61  # frames from one to the next; in the second round twice as many, and so on
START = 90  # frames before the first
FRAMES = 4  # played on from there; objects may flicker
OPPOSITES = ((3, 4), (2, 5))  # RIGHT and LEFT, UP and DOWN
STEERED = 8  # frames
STEPS = (-8, 4)  # by which a position is changed
LEAST_SHOWN = 0.15
LEAST_MOVED = 0.75
LEAST_STEERED_SHOWN = 0.6
LEAST_EXACT = 0.95
LEAST_CHANGES = 6
RARE_CHANGES = 12  # of what is shown at fewer moments than LEAST_SHOWN
LEAST_PAID = 2
TURN = 8  # frames, twice as many as a room takes to be drawn
LEAST_TURNED = 0.05  # of the pixels of the screen, which another room changes
AREA = (28, 100)  # rows and columns, of the largest area in which a number is drawn
# Actions without which nobody scores, played more often than others.
FAVOURITES = {"enduro": [1] * 30, "freeway": [2] * 30}


@dataclass
class Tally:
    """Count of trials, and of those in which something held."""

    held: int = 0
    asked: int = 0

    def add(self, held: bool) -> None:
        """Count one case."""
        self.held += held
        self.asked += 1

    @property
    def share(self) -> float:
        """The share of cases in which it held; 0 if there was none."""
        return self.held / self.asked if self.asked else 0.0

    def __str__(self) -> str:
        return f"{self.held} of {self.asked}"


class Area(NamedTuple):
    """A part of the screen: its first and last rows and columns."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def is_small(self) -> bool:
        """Whether it is small enough for a number or a row of marks."""
        return self.bottom - self.top < AREA[0] and self.right - self.left < AREA[1]

    @classmethod
    def of_box(cls, box: ObjectBox) -> Area:
        """The area of a box."""
        return cls(box.y, box.y + box.height - 1, box.x, box.x + box.width - 1)

    def is_within(self, other: Area) -> bool:
        """Whether all of it is in another area."""
        return (
            other.top <= self.top
            and self.bottom <= other.bottom
            and other.left <= self.left
            and self.right <= other.right
        )


Place: TypeAlias = Area | str  # a number's; of a look, the name of the thing


@dataclass
class Evidence:
    """All that is known of a label.  The module's text says what the names mean."""

    label: Label
    shown: Tally = field(default_factory=Tally)
    moved: Tally = field(default_factory=Tally)
    steered: Tally = field(default_factory=Tally)
    distances: Counter[int] = field(default_factory=Counter)
    paid: Tally = field(default_factory=Tally)
    counted: Tally = field(default_factory=Tally)
    drawn: Tally = field(default_factory=Tally)
    values: set[int] = field(default_factory=set)
    place: Place | None = None
    placed: Tally = field(default_factory=Tally)
    turned: Tally = field(default_factory=Tally)
    alike: Tally = field(default_factory=Tally)
    rooms: dict[int, np.ndarray] = field(default_factory=dict)  # the picture of each number
    latest: list[tuple[int, np.ndarray]] = field(default_factory=list)  # of numbers and pictures
    has_walked: bool = False  # whether the number has changed in play

    @property
    def is_room(self) -> bool:
        """Whether the label is the number of a room."""
        return self.label.name == "room"

    @property
    def problem(self) -> str:
        """Why the label is not proven; "" if it is."""
        kind = self.label.kind
        if kind in ("x", "y"):
            if len(self.values) < 4:
                return f"only {len(self.values)} values in play"
            if self.shown.share < LEAST_SHOWN and self.moved.asked < RARE_CHANGES:
                return f"shown at {self.shown.share:.0%} of the moments, moved by {self.moved}"
            if self._is_enough(self.steered) and self.shown.share >= LEAST_STEERED_SHOWN:
                return ""
            if not self._is_enough(self.moved):
                return f"moved by {self.moved} changes"
            distance, times = self.elsewhere
            if times > self.moved.held:
                return (
                    f"moved {self.moved.held} times, but {times} times a box {distance} pixels away"
                )
            return ""
        if kind in ("score", "lives"):
            if self.paid.asked and self.paid.share < LEAST_EXACT:
                return f"equal to the rules' in {self.paid.share:.1%} of the frames"
            # In some games the rules count in another way than by differences.
            few = self.drawn.share < LEAST_MOVED
            if kind == "score" and self.paid.asked >= LEAST_PAID + few:
                return ""
            if self.counted.asked < LEAST_CHANGES or self.counted.share < LEAST_MOVED:
                return f"followed by the rules in {self.counted}"
            return ""
        if self.is_room:
            is_proven = self._is_enough(self.turned) and self._is_enough(self.alike)
            return "" if is_proven else f"turned in {self.turned}, alike in {self.alike}"
        if self.drawn.asked < LEAST_CHANGES or self.drawn.share < LEAST_MOVED:
            return f"drawn in {self.drawn}"
        if self.place is None:
            return "without a place in places.toml"
        if not self._is_enough(self.placed):
            return f"drawn at its place in {self.placed}"
        return "" if len(self.values) > 1 else "only one value in play"

    @property
    def elsewhere(self) -> tuple[int, int]:
        """The distance of the place where changes moved a box most often, and how often."""
        near = 2 * self.label.tolerance
        others = {
            distance: times for distance, times in self.distances.items() if abs(distance) > near
        }
        return max(others.items(), key=lambda item: item[1], default=(0, 0))

    def enter(self, room: int, before: np.ndarray, now: np.ndarray) -> None:
        """Compare the pictures of the room before and of the one that was entered."""
        self.turned.add(_is_another(before, now))
        if room in self.rooms:
            self.alike.add(not _is_another(self.rooms[room], now))
        self.rooms[room] = now

    @staticmethod
    def _is_enough(tally: Tally) -> bool:
        return tally.asked >= LEAST_CHANGES and tally.share >= LEAST_MOVED

    def __str__(self) -> str:
        tallies = (
            *("shown", "moved", "steered", "paid", "counted", "drawn", "placed"),
            *("turned", "alike"),
        )
        told = (
            f"{name} {tally.share:.0%} of {tally.asked}"
            for name in tallies
            if (tally := getattr(self, name)).asked
        )
        return f"{self.label.name}: {', '.join(told)}; {len(self.values)} values"


def _is_another(picture: np.ndarray, other: np.ndarray) -> bool:
    """Whether two pictures show different rooms."""
    return float((picture != other).mean()) >= LEAST_TURNED


class Console:
    """A game for so many players, played at random.

    Args:
        game: The game's name.
        players: How many play.
        seed: Of the play.
    """

    def __init__(self, game: str, players: int = 1, seed: int = 11) -> None:
        ale = self.ale = ALEInterface()
        ale.setBool("objects_obs", True)
        ale.setFloat("repeat_action_probability", 0.0)
        ale.setInt("random_seed", 0)
        ale.loadROM(roms.find_rom(game))
        self.players = players
        if players > 1:
            ale.setMode(ale.getAvailableModes(players)[0])
        ale.reset_game()
        self.random = random.Random(seed)
        self.actions = [int(action) for action in ale.getMinimalActionSet()]
        self.actions += FAVOURITES.get(game, [])
        self.rewards = [0] * players

    def act(self, actions: Sequence[int] | None = None) -> None:
        """Play a frame; None: nobody does anything."""
        chosen = [0] * self.players if actions is None else list(actions)
        if self.players == 1:
            self.rewards = [self.ale.act(chosen[0])]
        else:
            self.rewards = self.ale.act(chosen)

    def play(self, frames: int) -> Iterator[int]:
        """Play at random, frame by frame, and start anew after an end.

        Yields:
            The frame's number; -1 for one after an end.
        """
        number = 0
        while number < frames:
            actions = self.random.choices(self.actions, k=self.players)
            for _ in range(self.random.choice((1, 2, 4, 8, 16, 24))):
                self.act(actions)
                over = self.ale.game_over()
                if over:
                    self.ale.reset_game()
                number += 1
                yield -1 if over else number

    def ram(self) -> np.ndarray:
        """The console's RAM."""
        return self.ale.getRAM()

    def boxes(self) -> list[ObjectBox]:
        """The boxes of what moves, without their colors, which change where nothing moves."""
        return [
            box._replace(color=None) for box in self.ale.getObjectBoxes() if box.register != "PF"
        ]

    def frames(self) -> list[list[ObjectBox]]:
        """The boxes of the next frames, in which nobody does anything."""
        shown = []
        for _ in range(FRAMES):
            self.act()
            shown.append(self.boxes())
        return shown


def prove(labels: Labels, players: int = 1, seed: int = 11) -> list[Evidence]:
    """Play, and collect the evidence for labels.

    Args:
        labels: Those to prove, whose `game` is played.
        players: How many play.
        seed: Of the first round; each round has the next one.
    """
    values: defaultdict[tuple[Any, ...], set[int]] = defaultdict(set)
    places = _places().get(labels.game, {})
    found = unproven = [
        Evidence(label, values=values[_series(label)], place=places.get(label.name))
        for label in labels.labels
    ]
    for turn in range(ROUNDS):
        console = Console(labels.game, players, seed + turn)
        _play(console, labels, found, unproven, GAP * (turn + 1))
        unproven = [evidence for evidence in found if evidence.problem]
        if not unproven:
            break
    return found


@functools.cache
def _places() -> dict[str, dict[str, Place]]:
    """The places of counts, by game and name."""
    games = tomllib.loads(PLACES.read_text(encoding="utf-8"))
    return {
        game: {
            name: place if isinstance(place, str) else Area(*place)
            for name, place in places.items()
        }
        for game, places in games.items()
    }


def _series(label: Label) -> tuple[Any, ...]:
    """The same for all labels that are counts of one kind, such as the squares of a board."""
    name = re.sub(r"_\d+$", "", label.name) if label.kind == "count" else label.name
    return name, label.code, label.mask


def _play(
    console: Console, labels: Labels, found: list[Evidence], unproven: list[Evidence], gap: int
) -> None:
    """Play a round, and change the bytes of labels that are not proven."""
    moment = START
    before = labels.values(console.ram())
    for number in console.play(START + MOMENTS * gap):
        now = labels.values(console.ram())
        for evidence, value in zip(found, now.tolist(), strict=True):
            evidence.values.add(value)
        if number > START:
            _pay(console, found, before.tolist(), now.tolist())
        for evidence, value in zip(found, now.tolist(), strict=True):
            if evidence.is_room and (number < 0 or number % TURN == 0):
                _walk(console, evidence, value, is_new_game=number < 0)
        if number >= moment:
            moment += gap
            _change(console, labels, unproven)
        before = now


def _walk(console: Console, evidence: Evidence, room: int, *, is_new_game: bool) -> None:
    """See whether another room was entered in play, and is drawn now."""
    latest = evidence.latest
    if is_new_game:
        latest.clear()
        return
    latest.append((room, console.ale.getScreen()))
    if len(latest) == 3:
        (old, before), (new, _), (settled, now) = latest
        if old != new == settled:
            if not evidence.has_walked:  # until now, the evidence was that of copies
                evidence.has_walked = True
                evidence.turned, evidence.alike, evidence.rooms = Tally(), Tally(), {}
            evidence.enter(new, before, now)
        del latest[0]


def _turn(console: Console, state: Any, evidence: Evidence, room: int) -> None:
    """Enter another room by writing its number into a copy."""
    pictures = []
    other = random.Random(int(console.ram().sum())).choice([n for n in range(8) if n != room])
    for number in (room, other):
        console.ale.restoreState(state)
        console.ale.setRAM(evidence.label.bytes[0], number)
        for _ in range(TURN):
            console.act()
        pictures.append(console.ale.getScreen())
    evidence.enter(other, *pictures)


def _pay(console: Console, found: list[Evidence], before: list[int], now: list[int]) -> None:
    """See whether rewards and lives are what labels say."""
    changes = [0] * max(2, console.players)
    is_new_game = False  # its points are not the price of anything
    scores = [e for e in found if e.label.kind == "score"]
    for evidence, old, new in zip(found, before, now, strict=True):
        if evidence.label.kind == "score":
            changes[max(evidence.label.player, 1) - 1] += new - old
            is_new_game |= new == 0 < old
        elif evidence.label.kind == "lives":
            player = max(evidence.label.player, 1) - 1
            lives = console.ale.allLives()
            if player < len(lives):
                evidence.paid.add(lives[player] == new)
    if scores and not is_new_game and (any(changes) or any(console.rewards)):
        held = _is_paid(console, changes)
        for evidence in scores:
            evidence.paid.add(held)


def _is_paid(console: Console, changes: list[int]) -> bool:
    """Whether the rewards are each player's own points, or its lead."""
    first, second, *_ = changes
    if console.players == 1:
        return console.rewards[0] == first - second
    return console.rewards in (changes[: console.players], [first - second, second - first])


def _change(console: Console, labels: Labels, found: list[Evidence]) -> None:
    """Change bytes in copies of the present state, and see what happens."""
    ale = console.ale
    state, ram = ale.cloneSystemState(), console.ram()
    values = labels.named(ram)
    rewards = console.rewards
    present, base = console.boxes(), console.frames()
    for evidence in found:
        label, value = evidence.label, values[evidence.label.name]
        if label.kind in ("x", "y"):
            evidence.shown.add(any(_near(label, boxes, value) for boxes in (present, *base)))
            _move(console, state, ram, base, evidence, value)
        elif evidence.is_room:
            if not evidence.has_walked:
                _turn(console, state, evidence, value)
        else:
            _count(console, labels, state, ram, evidence)
    _steer(console, labels, state, found)
    ale.restoreState(state)
    console.rewards = rewards


def _steer(console: Console, labels: Labels, state: Any, found: list[Evidence]) -> None:
    """Play copies with opposite actions."""
    positions = [evidence for evidence in found if evidence.label.kind in ("x", "y")]
    for player in range(console.players if positions else 0):
        for pair in OPPOSITES:
            copies = []
            for action in pair:
                actions = [0] * console.players
                actions[player] = action
                console.ale.restoreState(state)
                for _ in range(STEERED):
                    console.act(actions)
                values = dict(zip(labels.names, labels.values(console.ram()).tolist(), strict=True))
                boxes = console.boxes()
                console.act()
                copies.append((values, [boxes, console.boxes()]))
            for evidence in positions:
                _compare(evidence, *copies)


def _compare(
    evidence: Evidence,
    one: tuple[dict[str, int], list[list[ObjectBox]]],
    other: tuple[dict[str, int], list[list[ObjectBox]]],
) -> None:
    """See whether two copies have a box where their own label says, and not at the other's."""
    label = evidence.label
    places = [values[label.name] for values, _ in (one, other)]
    if abs(places[0] - places[1]) <= 2 * label.tolerance + 2:
        return
    there = [
        [any(_near(label, boxes, place) for boxes in frames) for place in places]
        for _, frames in (one, other)
    ]
    if there[0][0] or there[1][1]:
        evidence.steered.add(there == [[True, False], [False, True]])


def _move(
    console: Console,
    state: Any,
    ram: np.ndarray,
    base: list[list[ObjectBox]],
    evidence: Evidence,
    value: int,
) -> None:
    """Change a position."""
    label = evidence.label
    mine = [_near(label, boxes, value) for boxes in base]
    byte = label.bytes[0]
    for step in STEPS:
        changed = _stepped(label, int(ram[byte]), step)
        if changed is None or not min(evidence.values) <= value + step <= max(evidence.values):
            continue  # the program may correct a place to which nothing comes in play
        console.ale.restoreState(state)
        console.ale.setRAM(byte, changed)
        frames = _moves(console, label, base, value, step)
        if frames is None:
            continue
        if any(mine):
            evidence.moved.add(any(abs(at) <= label.tolerance for at in set().union(*frames)))
        # What moves by itself is farther away in later frames.
        evidence.distances.update(next(filter(None, frames), ()))


def _moves(
    console: Console, label: Label, base: list[list[ObjectBox]], value: int, step: int
) -> list[set[int]] | None:
    """Play a changed copy.

    Returns:
        For each frame, the distances from the label's place of the boxes that the change has moved;
        None: all boxes are where they were.
    """
    is_same = True
    distances = []
    for before in base:
        console.act()
        after = console.boxes()
        distances.append(_went(label, before, after, value, step))
        is_same = is_same and before == after
    return None if is_same else distances


def _near(label: Label, boxes: list[ObjectBox], value: int) -> list[ObjectBox]:
    """The boxes that are where a label says."""
    return [box for box in boxes if label.fits(box, value)]


def _went(
    label: Label, before: list[ObjectBox], after: list[ObjectBox], value: int, step: int
) -> set[int]:
    """Return the distances from the label's place of boxes that went as far as the byte says."""
    across = "top" if label.kind == "x" else "left"  # of the other axis, on which they stay
    new = [box for box in after if box.register == label.box and box not in before]
    return {
        box.edge(label.edge) - value
        for box in before
        if box.register == label.box and box not in after
        for to in new
        if abs(to.edge(label.edge) - box.edge(label.edge) - step) <= 1
        and abs(to.edge(across) - box.edge(across)) <= 1
    }


@functools.cache
def _table(label: Label, place: int) -> np.ndarray:
    """The label's value by that of one of its bytes, where the others are 0."""
    rams = np.zeros((256, 128), np.uint8)
    rams[:, label.bytes[place]] = np.arange(256)
    return Labels("", (label,)).values(rams)[:, 0]


def _stepped(label: Label, byte: int, step: int) -> int | None:
    """A byte that stands for a place so far away; None: there is no such."""
    table = _table(label, 0)
    wanted = table[byte] + step
    same = [
        other
        for other in range(256)
        if table[other] == wanted and not (other ^ byte) & ~label.mask & 255
    ]
    return min(same, key=lambda other: abs(other - byte), default=None)


def _count(
    console: Console, labels: Labels, state: Any, ram: np.ndarray, evidence: Evidence
) -> None:
    """Change a byte of a number."""
    label, ale = evidence.label, console.ale
    chance = random.Random(int(ram.sum()))
    place = chance.randrange(len(label.bytes))
    byte, table = label.bytes[place], _table(label, place)
    mask = label.mask >> 8 * (len(label.bytes) - 1 - place)
    old = int(ram[byte])
    others = [
        other
        for other in range(256)
        if not (other ^ old) & ~mask & 255
        and table[other] != table[old]
        and _is_usual(label, other)
    ]
    if label.kind in ("lives", "count") and label.code in ("binary", "signed"):
        least = label.kind == "lives"  # without any the game may end
        nothing = table[0] if label.code == "signed" else table.min()
        others = [other for other in others if least <= table[other] - nothing < 8]
    elif label.kind == "count" and len(label.bytes) == 1:  # the program may not draw more
        most = max(*evidence.values, 10 * label.scale)
        others = [other for other in others if table[other] <= most]
    if not others:
        return
    other = chance.choice(others)
    by = int(table[other] - table[old])
    ale.restoreState(state)
    console.act()
    rewards, lives = console.rewards, ale.allLives()
    as_it_was = int(ale.getRAM()[byte])
    console.act()
    screen = ale.getScreen()
    ale.restoreState(state)
    ale.setRAM(byte, other)
    console.act()
    changed_rewards, changed_lives = console.rewards, ale.allLives()
    now = int(ale.getRAM()[byte])
    console.act()
    changed_screen = ale.getScreen()
    player = max(label.player, 1) - 1
    if label.kind == "score" and as_it_was == old:
        sign = 1 if console.players > 1 or player == 0 else -1
        paid = rewards[player if console.players > 1 else 0]
        changed = changed_rewards[player if console.players > 1 else 0]
        evidence.counted.add(
            changed - paid == sign * int(table[now] - table[as_it_was]) and now == other
        )
    if label.kind == "lives" and as_it_was == old and player < len(lives):
        evidence.counted.add(changed_lives[player] - lives[player] == by)
    rows, columns = np.nonzero(screen != changed_screen)
    area = Area(rows.min(), rows.max(), columns.min(), columns.max()) if len(rows) else None
    if now != as_it_was or other == as_it_was:  # else the program has undone the change
        evidence.drawn.add(area is not None and area.is_small)
        if area and area.is_small and label.kind == "count":
            evidence.placed.add(
                any(area.is_within(place) for place in _drawn_places(console, labels, evidence))
            )


def _drawn_places(console: Console, labels: Labels, evidence: Evidence) -> list[Area]:
    """Where a count may be drawn in the present frame."""
    if isinstance(evidence.place, str):
        boxes = labels.named_boxes(console.ram(), console.ale.getObjectBoxes())
        return [Area.of_box(box) for box in boxes.get(evidence.place, [])]
    return [evidence.place] if evidence.place else []


def _is_usual(label: Label, byte: int) -> bool:
    """Whether the digits in a byte are decimal."""
    if label.code == "bcd":
        return byte >> 4 < 10 and byte & 15 < 10
    return label.code != "digits" or byte & 15 < 10


# ---- All games ---------------------------------------------------------------------------------


def least_players(game: str) -> int:
    """The least number of players that can play a game."""
    known = _native.games()[game]
    if known.modes(Rules.SOLO):
        return 1
    return next(
        count for count in range(2, _native.MAX_PLAYERS + 1) if known.modes(Rules.MULTI, count)
    )


def proofs(game: str, seed: int = 11) -> list[Evidence]:
    """The evidence for all labels of a game, each in play of as many as it says."""
    labels = labels_of(game)
    least = least_players(game)
    found = []
    for players in sorted({label.players or least for label in labels.labels}):
        chosen = tuple(label for label in labels.labels if (label.players or least) == players)
        found += prove(Labels(game, chosen), players, seed)
    order = labels.names
    return sorted(found, key=lambda evidence: order.index(evidence.label.name))


def main() -> None:
    """Prove the labels of games."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", nargs="*", help="prove these alone")
    parser.add_argument("--seed", type=int, default=11, help="of the play")
    arguments = parser.parse_args()
    failed = 0
    for game in arguments.game or GAMES:
        for evidence in proofs(roms.known_game(game), arguments.seed):
            failed += bool(evidence.problem)
            mark = f"  NOT PROVEN: {evidence.problem}" if evidence.problem else ""
            print(f"{game}: {evidence}{mark}", flush=True)
    if failed:
        sys.exit(f"{failed} labels were not proven")


if __name__ == "__main__":
    main()
