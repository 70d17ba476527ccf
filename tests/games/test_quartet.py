"""Quartet, the game that ships with this package: its image, rules, memory and fairness."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from common import load, module_at, tool
from pyale_ma import multi, roms, single
from pyale_ma.multi import ALEInterface, ArgumentError, quartet_v0
from pyale_ma.vector import AtariVectorEnv
from quartet_ram import RAM

SOURCE = Path(__file__).parents[2] / "cartridges" / "quartet" / "quartet.asm"
SERVE, PLAY, OVER = 1, 2, 3  # STATE
LEFT, RIGHT, TOP, BOTTOM = range(4)
NOOP, FIRE, TURN_RIGHT, TURN_LEFT = 0, 1, 3, 4
MIRROR = 0x9CFF  # what a place and its mirror image add up to
PADDLES = 136  # the same of paddles


class Console:
    """The game by the rules for several players, with names for its memory."""

    def __init__(self, mode: int, *, seed: int = 1, difficulty: int = 0) -> None:
        self.ale = ALEInterface()
        self.ale.setInt("random_seed", seed)
        self.ale.setFloat("repeat_action_probability", 0.0)
        self.ale.loadROM(str(roms.find_rom("quartet")))
        self.ale.setMode(mode)
        self.ale.setDifficulty(difficulty)
        self.ale.reset_game()
        self.players = int(self.ale.numPlayersActive())

    def __getitem__(self, name: str) -> list[int]:
        ram = self.ale.getRAM()
        return [int(ram[i]) for i in RAM[name]]

    def __setitem__(self, name: str, values: Iterable[int]) -> None:
        for index, value in zip(RAM[name], values, strict=True):
            self.ale.setRAM(index, value)

    def act(self, action: int = NOOP) -> list[int]:
        """All players do the same; their rewards."""
        return [int(reward) for reward in self.ale.act([action] * self.players)]

    def throw(self, side: int, *, at: int | None = None) -> None:
        """Send the ball straight to a side, to the middle of its paddle or past it (`at`)."""
        self["STATE"] = [PLAY]
        towards, along = (0, 1) if side < TOP else (1, 0)
        ball, direction = [78, 78], [0, 0]
        ball[towards] = 120 if side % 2 else 36
        ball[along] = self["PADDLE"][side] + 10 if at is None else at
        direction[towards] = side % 2
        self["BALL"], self["BALLF"], self["DIR"] = ball, [128, 128], direction
        self["VLO"], self["VHI"] = [0, 0], [int(towards == 0), int(towards == 1)]

    def until_decided(self, action: int = NOOP) -> list[int]:
        """Play until the ball is returned or missed; the sum of the rewards."""
        returns, total = self["RETURNS"], np.zeros(self.players, int)
        for _ in range(60):
            total += self.act(action)
            if self["STATE"] != [PLAY] or self["RETURNS"] != returns:
                return [int(reward) for reward in total]
        raise AssertionError("the ball never arrives")

    def miss(self, side: int) -> list[int]:
        self.throw(side, at=140 if self["PADDLE"][side] < 68 else 12)
        return self.until_decided()


# ---- The image -----------------------------------------------------------------------------------


def test_image_is_what_the_source_says(tmp_path: Path) -> None:
    image = tmp_path / "quartet.bin"
    command = [tool("dasm"), SOURCE.name, "-f3", f"-o{image}"]
    subprocess.run(command, cwd=SOURCE.parent, check=True, capture_output=True)
    assert image.read_bytes() == roms.find_rom("quartet").read_bytes()


# ---- What there is to play -----------------------------------------------------------------------


def test_modes() -> None:
    several = load(multi.ALEInterface(), "quartet")
    modes = {players: several.getAvailableModes(players).tolist() for players in (1, 2, 4)}
    assert modes == {1: [1, 3, 7, 11, 15], 2: [2, 4, 8, 12, 16], 4: [6, 10, 14, 18]}
    assert load(single.ALEInterface(), "quartet").getAvailableModes() == modes[1]


@pytest.mark.parametrize("mode", [m for m in range(1, 19) if m not in (5, 9, 13, 17)])
def test_every_mode_is_reached(mode: int) -> None:
    console = Console(mode)
    kind, controllers = (0, mode) if mode < 3 else ((mode + 1) // 4, (mode + 1) % 4 + 1)
    assert (console["MODE"], console["GAME"]) == ([mode], [kind])
    assert console["HUMANS"] == [controllers] == [console.players]
    assert console["STATE"] == [SERVE]


def test_environments() -> None:
    env = gymnasium.make("pyale_ma/Quartet-v0", mode=7)
    assert env.action_space.n == 6  # type: ignore[attr-defined]
    env.reset(seed=1)
    env.step(2)
    assert "ALE/Quartet-v5" not in gymnasium.registry
    for players, kinds in quartet_v0.MODES.items():
        for kind, mode in kinds.items():
            agents = quartet_v0.parallel_env(num_players=players, kind=kind, obs_type="ram")
            observations, _ = agents.reset(seed=3)
            assert len(observations) == players
            assert observations["first_0"][RAM["MODE"]] == mode
    with pytest.raises(ArgumentError, match="duel"):
        quartet_v0.parallel_env(num_players=4, kind="duel")
    with pytest.raises(ArgumentError, match="num_players"):
        quartet_v0.parallel_env(num_players=3)


def test_vector() -> None:
    vector = AtariVectorEnv(
        "quartet", 1, num_players=4, mode=10, obs_type="ram", stack_num=1, reward_clipping=False
    )
    rng = np.random.default_rng(0)
    observations, _ = vector.reset(seed=11)
    total = np.zeros(4, int)
    for _ in range(150):
        observations, rewards, *_ = vector.step(rng.integers(6, size=(1, 4)))
        total += rewards[0]
    points = RAM["POINTS"]
    assert observations[0, 0, points.start : points.stop].view(np.int8).tolist() == total.tolist()
    assert total[LEFT] == total[TOP] == -total[RIGHT] == -total[BOTTOM]
    assert observations[0, 0, RAM["SCORE"].start] > 0


def histories(seed: int) -> list[bytes]:
    console = Console(6, seed=seed)
    rng = np.random.default_rng(0)
    seen = []
    for _ in range(400):
        console.ale.act(rng.choice([NOOP, TURN_RIGHT, TURN_LEFT], 4).tolist())
        seen.append(console.ale.getScreen().tobytes())
    return seen


def test_the_seed_decides_all() -> None:
    assert histories(1) == histories(1)
    assert len({tuple(histories(seed)) for seed in range(1, 7)}) > 3


# ---- Rules ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", range(4))
def test_paddles_return_the_ball(side: int) -> None:
    console = Console(6)
    for at, turned in ((None, None), (-3, 0), (23, 1)):
        place = console["PADDLE"][side]
        console.throw(side, at=None if at is None else place + at)
        assert console.until_decided() == [0, 0, 0, 0]
        assert console["HITTER"] == [side]
        assert console["DIR"][side // 2] == 1 - side % 2
        if turned is not None:
            assert console["DIR"][1 - side // 2] == turned
    for past in (-4, 24):
        console.throw(side, at=console["PADDLE"][side] + past)
        console.until_decided()
        assert console["LOSER"] == [side]


@pytest.mark.parametrize("side", range(4))
def test_controllers_move_paddles(side: int) -> None:
    console = Console(6)
    ends = []
    for action in (TURN_RIGHT, TURN_LEFT):
        for _ in range(40):
            actions = [NOOP] * 4
            actions[side] = action
            console.ale.act(actions)
        ends.append(console["PADDLE"][side])
    assert ends == ([9, 126] if side < TOP else [127, 10])


@pytest.mark.parametrize("mode", [2, 10])
def test_points_of_sides(mode: int) -> None:
    console = Console(mode)
    sides = console.players
    for side in range(sides):
        expected = [-1 if p % 2 == side % 2 else 1 for p in range(sides)]
        assert console.miss(side) == expected
    console["SCORE"] = [0x10, 0x00, 0xAA, 0xAA]
    assert not console.ale.game_over()
    assert console.miss(RIGHT)[LEFT] == 1
    assert console["SCORE"][0] == 0x11
    assert console.ale.game_over()


def test_lives_of_melee() -> None:
    console = Console(6)
    total = np.zeros(4, int)
    for life in range(5):
        assert console.ale.allLives().tolist() == [4 - life, 4, 4, 4]
        total += console.miss(LEFT)
    assert console.ale.allLives().tolist() == [-1, 4, 4, 4]
    assert not console.ale.game_over()
    console.throw(LEFT, at=20)  # a wall by now
    for _ in range(40):
        total += console.act()
    assert console["DIR"][0] == 1
    for side in (TOP, BOTTOM):
        for _ in range(5):
            assert not console.ale.game_over()
            total += console.miss(side)
    assert console.ale.game_over()
    assert total.tolist() == [-5, 5, -5, -5]


def test_melee_ends_with_the_last_controller() -> None:
    console = Console(4)
    for side in (LEFT, RIGHT):
        for _ in range(5):
            assert not console.ale.game_over()
            console.miss(side)
    assert console.ale.game_over()


def test_rally() -> None:
    console = Console(14)
    for side in (LEFT, TOP, RIGHT, BOTTOM):
        console.throw(side)
        assert console.until_decided() == [1, 1, 1, 1]
    assert console["SPEED"] == [1]  # faster after four
    console["SCORE"] = [0x00, 0x99, 3, 2]
    console.throw(LEFT)
    assert console.until_decided() == [1, 1, 1, 1]
    assert console["SCORE"][:2] == [0x01, 0x00]
    for chances in (2, 1, 0):
        assert not console.ale.game_over()
        assert console.miss(TOP) == [0, 0, 0, 0]
        assert console["LIVES"] == [chances] * 4
    assert console.ale.game_over()


@pytest.mark.parametrize("side", range(4))
def test_commons(side: int) -> None:
    console = Console(18)

    def returned(stock: int, action: int = NOOP) -> tuple[list[int], int]:
        console.throw(side)
        console["STOCK"], console["GROWTH"] = [stock], [0]
        return console.until_decided(action), console["STOCK"][0]

    own = [int(p == side) for p in range(4)]
    rewards, left = returned(40)
    assert rewards == own
    assert 36 <= left <= 37  # it grows meanwhile
    rewards, left = returned(40, FIRE)
    assert rewards == [0, 0, 0, 0]
    assert 40 <= left <= 41
    rewards, left = returned(3)
    assert rewards == [0, 0, 0, 0]
    assert 3 <= left <= 4
    assert console.miss(side) == [0, 0, 0, 0]


@pytest.mark.parametrize(("mode", "faster"), [(2, True), (6, True), (10, True), (14, False)])
def test_the_button_makes_it_faster(mode: int, faster: bool) -> None:
    speeds = []
    for action in (NOOP, FIRE):
        console = Console(mode)
        console.throw(LEFT)
        console.until_decided(action)
        (low, _), (high, _) = console["VLO"], console["VHI"]
        speeds.append(high + low / 256)
    assert (speeds[1] > speeds[0] + 0.4) == faster


def test_cartridge_gets_stronger() -> None:
    """The cartridge's paddle goes further in ten frames of a ball that comes its way."""
    ways = []
    for difficulty in (0, 1, 2):
        console = Console(1, difficulty=difficulty)
        console.throw(RIGHT, at=130)
        before = console["PADDLE"][RIGHT]
        for _ in range(10):
            console.act()
        ways.append(console["PADDLE"][RIGHT] - before)
    assert ways == [5, 10, 20]


# ---- The picture ---------------------------------------------------------------------------------


def test_what_is_drawn_is_what_the_memory_says() -> None:
    """The ball and the paddles are seen where RAM has them."""
    console = Console(6)
    rng = np.random.default_rng(4)
    colours: dict[int, Any] = {}
    looked, was = 0, None
    for t in range(600):
        if t % 10 == 0:
            actions = rng.choice([NOOP, TURN_RIGHT, TURN_LEFT], 4).tolist()
        console.ale.act(actions)
        # What is drawn in a frame is what the frame before has left in memory.
        now = console["BALL"], console["PADDLE"], console["STATE"], console["LIVES"]
        if was and was[2] == [PLAY] and was[3] == [5, 5, 5, 5]:
            (x, y), paddles = was[0], was[1]
            width = console.ale.getScreenDims()[0]
            field = console.ale.getScreen().reshape(-1, width)[37:197]
            if 12 <= x <= 144 and 12 <= y <= 144:
                ball = field == field[y, x]
                rows, columns = np.nonzero(ball[8:152, 8:152])
                assert (rows.min() + 8, rows.max() + 8) == (y, y + 3)
                assert (columns.min() + 8, columns.max() + 8) == (x, x + 3)
                looked += 1
            for side, place in enumerate(paddles):
                strip = {
                    LEFT: field[8:152, 4:8].T,
                    RIGHT: field[8:152, 152:156].T,
                    TOP: field[4:8, 8:152],
                    BOTTOM: field[152:156, 8:152],
                }[side]
                colour = colours.setdefault(side, strip[0, place - 8 + 12])
                for line in strip:
                    drawn = np.flatnonzero(line == colour) + 8
                    assert (drawn[0], drawn[-1], len(drawn)) == (place, place + 23, 24)
        was = now
    assert looked > 100
    assert len(set(colours.values())) == 4


# ---- Fairness ------------------------------------------------------------------------------------

Course = list[Any]


def mirrored(high: int, low: int) -> tuple[int, int]:
    place = MIRROR - (high * 256 + low)
    return place >> 8, place & 255


def transform(places: Any, paddles: Any, turned: bool, across: bool, down: bool) -> Any:
    """A situation as the square's symmetry has it: mirrored, then with its axes exchanged."""
    places, paddles = list(places), list(paddles)
    for axis, mirror in enumerate((across, down)):
        if mirror:
            places[axis] = mirrored(*places[axis])
            near, far = (LEFT, RIGHT) if axis == 0 else (TOP, BOTTOM)
            paddles[near], paddles[far] = paddles[far], paddles[near]
            for side in (TOP, BOTTOM) if axis == 0 else (LEFT, RIGHT):
                paddles[side] = PADDLES - paddles[side]
    if turned:
        places.reverse()
        paddles = [paddles[side] for side in (TOP, BOTTOM, LEFT, RIGHT)]
    return places, paddles


def course(console: Console, start: dict[str, Any], symmetry: tuple[bool, ...]) -> Course:
    """Play on from a situation, and undo the symmetry in the result."""
    turned, across, down = symmetry
    places, paddles = transform(start["places"], start["paddles"], *symmetry)
    directions = [start["directions"][0] ^ across, start["directions"][1] ^ down]
    speeds = list(start["speeds"])
    if turned:
        directions.reverse()
        speeds.reverse()
    console["HUMANS"], console["STATE"] = [0], [PLAY]
    console["BALL"], console["BALLF"] = zip(*places, strict=True)
    console["DIR"] = directions
    console["VLO"], console["VHI"] = [v & 255 for v in speeds], [v >> 8 for v in speeds]
    console["PADDLE"] = paddles
    back = (False, down, across) if turned else (False, across, down)
    seen: Course = []
    for _ in range(200):
        console["AIM"] = [7]  # the random aim is nobody's mirror image
        console.act()
        if console["STATE"] != [PLAY]:
            seen.append(sum(console["LIVES"]))
            break
        places = list(zip(console["BALL"], console["BALLF"], strict=True))
        places, paddles = transform(places, console["PADDLE"], *back)
        if turned:
            places, paddles = transform(places, paddles, True, False, False)
        seen.append((places, paddles))
    return seen


def test_all_sides_are_alike() -> None:
    console = Console(6)
    state = console.ale.cloneSystemState()
    rng = np.random.default_rng(8)
    missed = 0
    for _ in range(24):
        start = {
            "places": [tuple(map(int, rng.integers((20, 0), (130, 256)))) for _ in range(2)],
            "directions": rng.integers(2, size=2).tolist(),
            "speeds": rng.integers(60, 700, size=2).tolist(),
            "paddles": rng.integers(9, 128, size=4).tolist(),
        }
        courses = []
        for symmetry in product((False, True), repeat=3):
            console.ale.restoreSystemState(state)
            courses.append(course(console, start, symmetry))
        assert all(other == courses[0] for other in courses)
        missed += len(courses[0]) < 200
    assert missed > 8  # and some are returned before


@pytest.fixture(scope="module")
def fairness() -> Callable[..., Any]:
    play: Callable[..., Any] = module_at(SOURCE.with_name("fairness.py")).play
    return play


def test_random_players_fare_alike(fairness: Callable[..., Any]) -> None:
    """The seed is fixed, so this either always passes or never; 4 standard errors is 1 in 4000."""
    returns = fairness(50, 3)
    assert returns.shape == (50, 4)
    assert (np.sort(returns, axis=1)[:, :3] == -5).all()  # three have lost all their lives
    assert (returns.max(axis=1) > 0).all()
    error = returns.std() / len(returns) ** 0.5
    assert abs(returns.mean(axis=0) - returns.mean()).max() < 4 * error
