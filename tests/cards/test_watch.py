"""``pyale-ma watch``: searching the RAM, and the window in which one does."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import rom_path
from pyale_ma import roms
from pyale_ma.cli import main, watch
from pyale_ma.cli.ram_table import RamTable, labels_of_game
from pyale_ma.labels import RamSearch, labels_of


def ram(**bytes_by_place: int) -> np.ndarray:
    """RAM of zeros, but for bytes such as b3=7."""
    made = np.zeros(128, np.uint8)
    for place, byte in bytes_by_place.items():
        made[int(place[1:])] = byte
    return made


def left(search: RamSearch) -> list[int]:
    found: list[int] = np.flatnonzero(search.candidates).tolist()
    return found


def test_equal_changed_and_same() -> None:
    search = RamSearch(ram(b3=7, b4=7))
    assert search.equal(ram(b3=7, b4=7), 7) == 2
    assert search.same(ram(b3=7, b4=8)) == 1
    assert left(search) == [3]
    assert search.changed(ram(b3=7)) == 0
    search = RamSearch(ram(b3=7, b4=7))
    assert search.changed(ram(b3=7, b4=8)) == 1
    assert left(search) == [4]
    assert search.changed(ram(b3=9, b4=8)) == 0


def test_more_and_less() -> None:
    search = RamSearch(ram(b3=7, b4=7))
    assert search.more(ram(b3=9, b4=8)) == 2
    assert search.less(ram(b3=2, b4=8)) == 1
    assert left(search) == [3]


def test_up_and_down() -> None:
    search = RamSearch(ram(b1=0x09, b2=0x09, b3=9, b4=250))
    assert search.up(ram(b1=0x10, b2=0x0A, b3=8, b4=0), 1) == 2  # 10 in decimal digits, and 10
    assert left(search) == [1, 2]
    assert search.up(ram(b1=0x09, b2=0x0B), -1) == 1
    assert left(search) == [1]
    search = RamSearch(ram(b4=250))
    search.up(ram(b4=4), 10)
    assert left(search) == [4]


def test_digits() -> None:
    search = RamSearch(ram())
    search.digits(ram(b1=0x12, b2=0x50, b3=0x34, b4=0x25), 1250)
    assert {1, 2} <= set(left(search))
    assert 3 not in left(search)
    search.digits(ram(b1=0x13, b2=0x75, b4=0x25), 1375)
    assert {1, 2} <= set(left(search))
    assert 4 not in left(search)


def test_what_is_no_ram_or_number_is_refused() -> None:
    for wrong in (np.zeros(5, np.uint8), np.zeros((4, 128), np.uint8), np.zeros(128), bytes(128)):
        with pytest.raises(ValueError, match="ram must be"):
            RamSearch(wrong)  # type: ignore[arg-type]
    search = RamSearch(ram())
    with pytest.raises(ValueError, match="ram must be"):
        search.same(np.zeros(5, np.uint8))
    with pytest.raises(ValueError, match="number is -3"):
        search.digits(ram(), -3)
    with pytest.raises(TypeError, match=r"number.*1\.5"):
        search.equal(ram(), 1.5)  # type: ignore[arg-type]
    assert len(left(search)) == 128


def test_without_a_window(capsys: pytest.CaptureFixture[str]) -> None:
    """The byte of the paddle is found by moving it."""
    rom_path("breakout")
    steps = ["noop*60", "right*20", "more", "left*10", "less"]
    assert main(["watch", "breakout", "--do", *steps]) == 0
    more, less, found = capsys.readouterr().out.splitlines()
    assert (more, less) == ("more: 4 left", "less: 1 left")
    (byte,) = labels_of("breakout")["player_x"].bytes
    assert re.fullmatch(rf"bytes that fit: ram\[{byte}\] = \d+", found)
    assert (
        main(["watch", "breakout", "--do", "random*60", "+1", "-2", "=3", "digits=12", "more"]) == 0
    )
    assert capsys.readouterr().out.splitlines()[-1] == "bytes that fit: none"


@pytest.mark.parametrize(
    ("step", "why"),
    [
        *((step, "; a step is ACTION*FRAMES") for step in ("JUMP*3", "noop*-1", "=", "rose", "1")),
        *((f"{before}12345678", ": 12345678 must be 0 to 9999999") for before in ("noop*", "=")),
    ],
)
def test_steps_that_there_are_not(step: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "quartet", "--do", "noop*3", step]) == 2
    said = capsys.readouterr()
    assert f"--do has {step!r}{why}" in said.err
    assert not said.out


@pytest.mark.parametrize("what", ["pong", "file", "card", "two agents"])
def test_window(
    what: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    games = {
        "pong": "pong",
        "two agents": "pong_v3",
        "file": str(roms.find_rom("pong")),
        "card": str(Path(__file__).parent / "pong.toml"),
    }
    keys = iter([None, "2", "1", "=", None, "n", "0", "=", "c", " ", "escape"])
    frames: list[bool] = []

    def draw(self: watch.View) -> None:
        original(self)
        frames.append(self.is_paused)
        key = next(keys)
        if key == "escape":
            event = {"key": pygame.K_ESCAPE, "unicode": ""}
        elif key == " ":
            event = {"key": pygame.K_SPACE, "unicode": " "}
        elif key:
            event = {"key": pygame.K_0, "unicode": key}
        else:
            return
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, event))

    original = watch.View.draw
    monkeypatch.setattr(watch.View, "draw", draw)
    assert main(["watch", games[what], "--random"]) == 0
    assert frames == [False] * 10 + [True]
    assert "bytes that fit:" in capsys.readouterr().out


@pytest.mark.parametrize("what", ["game", "file", "card"])
def test_labels_beside_bytes(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.font.init()
    places = {
        "game": "qbert",
        "file": str(roms.find_rom("qbert")),  # played without rules
        "card": str(Path(__file__).parent / "pong.toml"),
    }
    chosen = {"game": places[what], "seed": 0, "players": None, "mode": None, "rom": None}
    chosen |= {"variation": None, "difficulty": None, "full_action_space": False}
    env = watch.open_any(argparse.Namespace(**chosen))
    texts: list[str] = []

    class Font:
        def render(self, text: str, *_: object) -> Any:
            texts.append(text)
            return pygame.Surface((7 * len(text), 12))

    monkeypatch.setattr(pygame.font, "Font", lambda *_: Font())
    table = RamTable(pygame, env)
    screen = pygame.Surface((10 + table.width, RamTable.HEIGHT))
    table.draw(screen, 10, env.ram)
    underlined = (pygame.surfarray.array2d(screen) == screen.map_rgb((130, 180, 255))).sum()
    rows = texts[128 + 16 :]
    if what != "game":
        assert labels_of_game(env) is None
        assert not rows
        assert not underlined
        return
    labels = labels_of("qbert")
    assert labels_of_game(env) is labels
    assert rows[0] == f"{labels.labels[0].bytes[0]}+"  # the score has several bytes
    assert rows[3] == f"{labels.labels[1].bytes[0]}"
    assert rows[1::3] == labels.names
    assert [int(value) for value in rows[2::3]] == labels.values(env.ram).tolist()
    assert underlined == 18 * len({byte for label in labels.labels for byte in label.bytes})
