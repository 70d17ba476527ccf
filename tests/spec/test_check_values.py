"""The check values written down in docs/spec: what the reference answered, without the reference.

The specification lists results of ale-py 0.12.1 for every game; here ours are compared with them,
so that an installation without the reference package can be tested as well.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from common import crc, load, rom_path

# pytest itself brings tomli where Python has no tomllib yet.
tomllib: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
single: Any = pytest.importorskip("pyale_ma.single", reason="pyale_ma is not installed")

SPEC = Path(__file__).parents[2] / "docs" / "spec"
GAMES: dict[str, dict[str, Any]] = tomllib.loads(
    (SPEC / "games" / "solo.toml").read_text(encoding="utf-8")
)


def summary(interface: Any) -> list[Any]:
    """[episode frame number, lives, over, CRC-32 of RAM], as in the game files."""
    over = interface.game_over(with_truncation=False)
    ram = f"{crc(interface.getRAM()):08x}"
    return [interface.getEpisodeFrameNumber(), interface.lives(), over, ram]


def pattern(t: int, actions: list[Any]) -> Any:
    """The action that all check values take in step t."""
    return actions[(t // 7 * 5 + t // 3) % len(actions)]


@pytest.mark.parametrize("game", GAMES)
class TestGame:
    def test_facts(self, game: str) -> None:
        interface, facts = load(single.ALEInterface(), game), GAMES[game]
        assert single.ALEInterface.isSupportedROM(rom_path(game)) == game
        assert [a.name for a in interface.getMinimalActionSet()] == facts["minimal_actions"]
        assert interface.getAvailableModes() == facts.get("modes", [0])
        assert interface.getAvailableDifficulties() == facts.get("difficulties", [0])
        legal = [a.name for a in interface.getLegalActionSet()]
        assert legal == facts.get("legal_actions", [a.name for a in single.Action])

    def test_load(self, game: str) -> None:
        found = summary(load(single.ALEInterface(), game))
        assert found == GAMES[game].get("reset_load", GAMES[game]["reset_check"][0][1:])

    def test_reset_in_every_mode(self, game: str) -> None:
        for mode, *expected in GAMES[game]["reset_check"]:
            interface = load(single.ALEInterface(), game)
            interface.setMode(mode)
            interface.reset_game()
            assert summary(interface) == expected, f"mode {mode}"

    def test_play(self, game: str) -> None:
        interface = load(single.ALEInterface(), game, repeat_action_probability=0.25)
        actions = interface.getMinimalActionSet()
        resets = reward = ram = screen = 0
        for t in range(600):
            if t == 300:
                interface.reset_game()
                resets += 1
            reward += interface.act(pattern(t, actions))
            ram, screen = crc(interface.getRAM(), ram), crc(interface.getScreen(), screen)
            if interface.game_over():
                interface.reset_game()
                resets += 1
        frame, lives = interface.getFrameNumber(), interface.lives()
        found = [frame, resets, reward, lives, f"{ram:08x}", f"{screen:08x}"]
        assert found == GAMES[game]["play_check"]


def tables(name: str, after: str) -> Iterator[list[str]]:
    """The cells of each row of the first table behind a text in a document."""
    text = (SPEC / name).read_text(encoding="utf-8").split(after, 1)[1]
    table = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert table, f"no table after {after!r} in {name}"
    for row in table.group().splitlines()[2:]:
        yield [cell.strip() for cell in row.strip("|").split("|")]


@pytest.mark.parametrize("row", [*tables("environment.md", "Method A:")], ids=lambda row: row[0])
def test_thousand_acts(row: list[str]) -> None:
    """environment.md 13, method A."""
    game, lives, *expected = row
    interface = load(single.ALEInterface(), game, sound_obs=True)
    assert interface.lives() == int(lives)
    actions = interface.getMinimalActionSet()
    reward = ram = screen = audio = 0
    for t in range(1000):
        reward += interface.act(pattern(t, actions))
        ram, screen = crc(interface.getRAM(), ram), crc(interface.getScreen(), screen)
        audio = crc(interface.getAudio(), audio)
        if interface.game_over():
            interface.reset_game()
    crcs = [f"{value:08x}" for value in (ram, screen, audio)]
    assert [str(interface.getFrameNumber()), str(reward), *crcs] == expected


@pytest.mark.parametrize(
    ("game", "reward", "expected"), [("breakout", 2, 0x0D921B00), ("seaquest", 20, 0x3CE264D6)]
)
def test_sticky_actions(game: str, reward: int, expected: int) -> None:
    """environment.md 13, method B."""
    interface = load(single.ALEInterface(), game, repeat_action_probability=0.25)
    actions = interface.getMinimalActionSet()
    total = ram = 0
    for t in range(1000):
        total += interface.act(pattern(t, actions))
        ram = crc(interface.getRAM(), ram)
        if interface.game_over():
            interface.reset_game()
    assert (interface.getFrameNumber(), total, ram) == (1000, reward, expected)


# environment.md 13, method C: game, settings, acts, strength, frame number, sum of returns, number
# of ends, CRC of RAM, of screens.
METHOD_C: list[tuple[str, dict[str, Any], int, float, int, int, int, str, str]] = [
    ("breakout", {"frame_skip": 4, "repeat_action_probability": 0.25, "random_seed": 123},
     400, 1.0, 1597, 2, 2, "403eb2b3", "e845cf06"),
    ("breakout", {"frame_skip": 3, "truncate_on_loss_of_life": True},
     400, 0.7, 1180, 0, 10, "ac862d3a", "ccc959e9"),
    ("seaquest", {"frame_skip": 4, "max_num_frames_per_episode": 210, "reward_min": -1,
                  "reward_max": 1},
     200, 1.0, 794, 0, 3, "ff5c2f25", "357fd1b3"),
    ("space_invaders", {"color_averaging": True}, 300, 1.0, 300, 0, 0, "06effd0c", "5bc06dad"),
    ("breakout", {"system_random_seed": 7}, 200, 1.0, 200, 0, 0, "c98410ff", "5ca7d692"),
]  # fmt: skip


@pytest.mark.parametrize("case", METHOD_C, ids=lambda case: f"{case[0]}-{','.join(case[1])}")
def test_settings(case: tuple[Any, ...]) -> None:
    game, settings, acts, strength, *expected = case
    interface = load(single.ALEInterface(), game, **settings)
    actions = interface.getMinimalActionSet()
    reward = ends = ram = screen = 0
    for t in range(acts):
        reward += interface.act(pattern(t, actions), strength)
        ram, screen = crc(interface.getRAM(), ram), crc(interface.getScreen(), screen)
        if interface.game_over():
            interface.reset_game()
            ends += 1
    found = [interface.getFrameNumber(), reward, ends, f"{ram:08x}", f"{screen:08x}"]
    assert found == expected


@pytest.mark.parametrize("game", ["breakout", "space_invaders", "air_raid"])
def test_outputs(game: str) -> None:
    """ale-interface.md 10."""
    rows = [
        row for row in tables("ale-interface.md", "## 10. Check values") if row[0].startswith(game)
    ]
    interface = load(single.ALEInterface(), game)
    for row, acts in zip(rows, ((), (1,) * 10 + (3,) * 10), strict=True):
        for action in acts:
            interface.act(action)
        outputs = [
            interface.getRAM(),
            interface.getScreen(),
            interface.getScreenRGB(),
            interface.getScreenGrayscale(),
        ]
        assert [f"{crc(output):08x}" for output in outputs] == row[2 : 2 + len(outputs)]


def test_states() -> None:
    """ale-interface.md 10, the paragraph on states."""
    interface = load(single.ALEInterface(), "seaquest", repeat_action_probability=0.25)
    for t in range(100):
        interface.act(t % 18)
    state, without = interface.cloneState(include_rng=True), interface.cloneState()

    def play_on(player: Any) -> int:
        ram = 0
        for t in range(100):
            player.act(5 * t % 18)
            ram = crc(player.getRAM(), ram)
        return ram

    assert play_on(interface) == 0xC2ABA92D
    interface.restoreState(state)
    assert play_on(interface) == 0xC2ABA92D
    other = load(single.ALEInterface(), "seaquest", repeat_action_probability=0.25, random_seed=99)
    other.restoreState(type(state)(state.serialize()))
    assert play_on(other) == 0xC2ABA92D
    interface.restoreState(without)
    assert play_on(interface) != 0xC2ABA92D


def tia_images() -> Iterator[Any]:
    """The images of tia.md 16 and the rows they draw."""
    text = (SPEC / "tia.md").read_text(encoding="utf-8").split("## 16. Check values", 1)[1]
    for title, block in re.findall(
        r"^\*\*(.+?)\*\*\n```\n(.*?)```", text, re.MULTILINE | re.DOTALL
    ):
        lines = block.splitlines()
        code = bytes.fromhex("".join(line for line in lines if not line.startswith("row")))
        rows = {}
        for number, runs in re.findall(r"^row +(\d+): (.*)$", block, re.MULTILINE):
            pairs = (run.split("*") for run in runs.split())
            rows[int(number)] = b"".join(bytes([int(v, 16)]) * int(count) for v, count in pairs)
        yield pytest.param(code, rows, id=title)


@pytest.mark.parametrize(("code", "rows"), [*tia_images()])
def test_tia(code: bytes, rows: dict[int, bytes], tmp_path: Path) -> None:
    image = bytearray(4096)
    image[: len(code)] = code
    image[0xFFD] = 0xF0
    path = tmp_path / "enduro.bin"
    path.write_bytes(image)
    interface = load(single.ALEInterface(), path, random_seed=1)
    for _ in range(3):
        interface.act(0)
    screen = interface.getScreen()
    expected = b""
    for number in (0, 1, 100, 101, 102, 103):
        expected = rows.get(number, expected)
        assert screen[number].tobytes().hex() == expected.hex(), f"row {number}"
