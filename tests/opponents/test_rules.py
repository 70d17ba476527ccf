"""Players by rules: what they do on boards and with cards, and how well they play."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

import known_games
from pyale_ma import opponents
from pyale_ma._native import Action
from pyale_ma.evaluation import Arena, duels
from pyale_ma.opponents import ConsoleOpponents, VersusEnv, VersusVectorEnv
from pyale_ma.opponents.rules import RULES

FIRST, SECOND = 8, 40  # pieces
# The first 16 digits of the SHA-256 of all actions of the matches below.
RECORDED = {
    "blackjack_v0": "3f62f6c67f9acbf5",
    "casino_v0": "e77f1b329850849a",
    "tic_tac_toe_3d_v0": "195b47a681063e48",
}


@pytest.mark.parametrize("name", RECORDED)
def test_they_beat_random_play(name: str) -> None:
    """On each seat; and their matches are the same on every machine."""
    options: dict[str, Any] = {"obs_type": "ram", "stack_num": 1, "num_threads": 1}
    arena = Arena(name, num_envs=60, max_num_frames_per_episode=5000, **options)
    digest = hashlib.sha256()
    for lineup in duels("rules", "random", 2)[:2]:
        results = arena.play({"rules": "rules", "random": "random"}, lineups=[lineup], games=60)
        row = results.table()[0]
        assert row.name == "rules"
        assert row.low > 0.5
        for match in results.matches:
            digest.update(match.actions.tobytes())
    assert digest.hexdigest()[:16] == RECORDED[name]


def chosen(name: str, cells: dict[int, int], seat: int = 0) -> Action:
    """Return what a player does with these bytes of RAM, and 0 in all others."""
    ram = np.zeros(128, np.uint8)
    for address, value in cells.items():
        ram[address] = value
    return Action(opponents.load(name, "rules", full_action_space=True).solo(seat)(ram))


def board(first: list[int], second: list[int], cursor: int, last: int) -> dict[int, int]:
    """A board on which the last piece and what the cursor hides are dark, the first to move."""
    pieces = {26 + square: FIRST for square in first} | {26 + square: SECOND for square in second}
    under = pieces.pop(26 + cursor, 0)
    pieces.pop(26 + last, None)
    return {**pieces, 1: FIRST, 2: cursor, 4: last, 91: under, 94: SECOND}


@pytest.mark.parametrize("line", [(0, 1, 2, 3), (0, 16, 32, 48), (0, 21, 42, 63), (3, 22, 41, 60)])
def test_lines(line: tuple[int, ...]) -> None:
    *there, free = line
    own = board([*there], [5, 6, 9], cursor=free, last=9)
    assert chosen("tic_tac_toe_3d_v0", own) == Action.FIRE
    others = board([5, 6], [*there], cursor=free, last=there[0])
    assert chosen("tic_tac_toe_3d_v0", others) == Action.FIRE
    assert chosen("tic_tac_toe_3d_v0", others | {1: SECOND}) == Action.NOOP
    both = board([4, 5, 6], [*there], cursor=free, last=there[0])  # 7 wins
    assert chosen("tic_tac_toe_3d_v0", both) not in (Action.FIRE, Action.NOOP)


@pytest.mark.parametrize(
    ("cursor", "action"),
    [
        (4, Action.RIGHT),
        (3, Action.DOWN),
        (2, Action.DOWNRIGHT),
        (11, Action.UP),
        (16, Action.UPRIGHT),
    ],
)
def test_the_cursor_goes_to_the_square(cursor: int, action: Action) -> None:
    """Which is 7; the other's piece may be below the cursor."""
    cells = board([4, 5, 6], [2, 16, 40], cursor=cursor, last=40)
    assert chosen("tic_tac_toe_3d_v0", cells) == action


PRESSED = 8  # of the clock
TABLES = {  # bytes: who has decided, the stake, the total, the choice, the clock, the pause
    "blackjack_v0": ((81, 15, 89, 18, 39, 113), (1, 2, 1)),
    "casino_v0": ((79, 30, 85, 39, 50, 110), (11, 12, 2)),
}


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", TABLES)
def test_cards(name: str, seat: int) -> None:
    (decided, stake, total, choice, clock, pause), (hit, stay, least) = TABLES[name]

    def does(**cells: int) -> Action:
        places = {
            "decided": decided,
            "stake": stake + seat,
            "total": total + seat,
            "choice": choice + seat,
            "clock": clock,
            "pause": pause,
            "third": 18 + 9 * seat if name == "casino_v0" else 127,
        }
        return chosen(name, {places[it]: value for it, value in cells.items()}, seat)

    own = 0x80 >> seat
    assert does(decided=own) == Action.NOOP
    assert does(decided=0xC0 - own, stake=9) == Action.RIGHT
    assert does(stake=least) == Action.NOOP
    assert does(stake=least, clock=PRESSED) == Action.FIRE
    assert does(stake=least, clock=PRESSED, pause=1) == Action.RIGHT
    dealt = {"decided": 8, "third": 1, "clock": PRESSED}
    assert does(**dealt, total=16, choice=hit) == Action.FIRE
    assert does(**dealt, total=16, choice=stay) == Action.RIGHT
    assert does(**dealt, total=17, choice=hit) == Action.LEFT
    assert does(**dealt, total=17, choice=stay) == Action.FIRE
    if name == "casino_v0":
        assert does(**dealt | {"third": 0x77}, total=20, choice=hit) == Action.FIRE
        assert does(**dealt, choice=15) == Action.LEFT
        assert does(**dealt, choice=16) == Action.FIRE


@pytest.mark.parametrize("make", [VersusEnv, VersusVectorEnv])
def test_opponents(make: type) -> None:
    """The agent does nothing, and the other moves all the same."""
    env = make("blackjack_v0", opponent="rules", obs_type="ram", seat=1)
    ram, _ = env.reset(seed=3)
    for _ in range(40):
        ram = env.step(0 if make is VersusEnv else [0])[0]
    assert ram.reshape(-1)[[15, 81]].tolist() == [1, 0xB0]  # the first has staked one chip
    env.close()


def test_consoles() -> None:
    """A contest's own actions lack those of a knob."""
    played = opponents.contest("blackjack_v0")
    ram = np.zeros(128, np.uint8)
    assert ConsoleOpponents(played, "rules", [1]).actions(ram) == [Action.RIGHT]
    with pytest.raises(ValueError, match="needs LEFT and RIGHT: give full_action_space=True"):
        opponents.load(played, "rules")
    assert opponents.load(played, "rules", full_action_space=True).solo(0)(ram) == Action.RIGHT


@pytest.mark.parametrize("name", ["blackjack", "casino"])
def test_names_without_a_version(name: str) -> None:
    """They bring all actions, as those with it do."""
    assert opponents.load(name, "rules")
    with VersusEnv(name, "rules") as env:
        assert env.action_space == VersusEnv(f"{name}_v0", "rules").action_space


def test_repr() -> None:
    assert repr(opponents.load("casino", "rules")).startswith("RulesPolicy(rule=<function _casino")
    assert repr(opponents.load("quartet", "sticky")) == "StickyPolicy(num_actions=6, stay=0.9)"


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"no rules player of pong .*; planner, random"):
        opponents.load("pong", "rules", num_players=4, mode=33)
    with pytest.raises(ValueError, match="there are weak, middle, strong, planner, random"):
        opponents.load("pong", "rules")
    with pytest.raises(ValueError, match=r"no strong player of casino .*; rules, random"):
        opponents.load("casino_v0", "strong")
    with pytest.raises(ValueError, match="seat is 2"):
        opponents.load("casino_v0", "rules").solo(2)
    with pytest.raises(ValueError, match=r"frameskip is 9; the rules of casino .* need 8 at most"):
        opponents.load("casino_v0", "rules", frameskip=9)
    assert opponents.load("casino_v0", "rules", frameskip=8)


def test_rules_are_of_contests() -> None:
    every: Any = [opponents.contest(*each) for each in known_games.ENVIRONMENTS]
    assert {*RULES} <= {(it.game, it.players, it.mode) for it in every}
