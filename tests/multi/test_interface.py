"""`ALEInterface` where the original ends the process: exceptions, and an object as it was."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import rom_path
from pyale_ma.multi import ALEInterface


@pytest.fixture
def ale() -> ALEInterface:
    interface = ALEInterface()
    interface.setInt("random_seed", 3)
    interface.loadROM(rom_path("pong"))
    return interface


@pytest.mark.parametrize(
    "call",
    [
        lambda ale: ale.act(0),
        lambda ale: ale.reset_game(),
        lambda ale: ale.getScreenRGB(),
        lambda ale: ale.getScreenDims(),
        lambda ale: ale.getAvailableModes(2),
        lambda ale: ale.cloneState(),
        lambda ale: ale.isSupportedRom(),
        lambda ale: ale.numPlayersActive(),
    ],
)
def test_without_a_rom(call: Any) -> None:
    with pytest.raises(RuntimeError, match="call loadROM first"):
        call(ALEInterface())


@pytest.mark.parametrize("action", [18, -1, 22, 40, 2**40])
@pytest.mark.parametrize("player", [0, 1])
def test_actions_out_of_range(ale: ALEInterface, action: int, player: int) -> None:
    ale.setMode(4)
    ale.reset_game()
    before, frame = ale.getRAM(), ale.getFrameNumber()
    actions = [3, 3]
    actions[player] = action
    with pytest.raises(ValueError, match=str(action)):
        ale.act(actions)
    assert np.array_equal(ale.getRAM(), before)
    assert ale.getFrameNumber() == frame


def test_modes(ale: ALEInterface) -> None:
    for mode in (0, 51, -1):
        with pytest.raises(ValueError, match=str(mode)):
            ale.setMode(mode)
    for players in (0, 5, -1):
        with pytest.raises(ValueError, match=str(players)):
            ale.getAvailableModes(players)
    with pytest.raises(ValueError, match="4"):
        ale.setDifficulty(4)
    assert ale.numPlayersActive() == 1


def test_settings(ale: ALEInterface) -> None:
    for setter, value in (("setInt", 1), ("setFloat", 0.5), ("setBool", True), ("setString", "x")):
        with pytest.raises(ValueError, match="setting 'speed'"):
            getattr(ale, setter)("speed", value)
    with pytest.raises(ValueError, match="logger mode"):
        ale.setLoggerMode("loud")
    for mode in ("info", "warning", "error", 0, 1, 2):
        ale.setLoggerMode(mode)


def test_files(ale: ALEInterface, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ale.loadROM(tmp_path / "none.bin")
    junk = tmp_path / "junk.bin"
    junk.write_bytes(bytes(4096))
    with pytest.raises(ValueError, match=r"'junk'.*game's"):
        ale.loadROM(str(junk))
    ale.act(0)  # still Pong
    # The MD5 decides, not the name; an unknown one is played as what it is called.
    renamed = tmp_path / "boxing.v1.bin"
    data = rom_path("pong").read_bytes()
    renamed.write_bytes(data)
    ale.loadROM(str(renamed).encode())
    assert len(ale.getAvailableModes(4)) == 26
    assert ale.isSupportedRom()
    renamed = tmp_path / "PONG.v1.bin"
    renamed.write_bytes(data[:-10] + bytes(2) + data[-8:])
    with pytest.warns(UserWarning, match="unknown MD5"):
        ale.loadROM(renamed)
    assert len(ale.getAvailableModes(4)) == 26
    assert not ale.isSupportedRom()


def test_states(ale: ALEInterface) -> None:
    with pytest.raises(RuntimeError, match="saveState first"):
        ale.loadState()
    with pytest.raises(ValueError, match="with its random generator"):
        ale.restoreState(ale.cloneSystemState())
    with pytest.raises(ValueError, match="without its random generator"):
        ale.restoreSystemState(ale.cloneState())
    with pytest.raises(TypeError):
        ale.restoreState(12345)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="state"):
        ale.decodeState(np.zeros(100, np.uint8))
    state = ale.cloneState()
    assert ale.encodeStateLen(state) == len(ale.encodeState(state))
    out = np.zeros(ale.encodeStateLen(state), np.uint8)
    assert ale.encodeState(state, out) is out
    ale.deleteState(state)
    ale.deleteState(state)
    with pytest.raises(TypeError, match="pickled"):
        copy.copy(ale)


def test_ram_and_buffers(ale: ALEInterface) -> None:
    for index, value in ((128, 0), (-1, 0), (0, 256), (0, -1)):
        with pytest.raises(RuntimeError):
            ale.setRAM(index, value)
    for method in ("getRAM", "getScreen", "getScreenRGB", "getScreenGrayscale"):
        for buffer in (np.zeros(5, np.uint8), np.zeros(128), "x", np.zeros(33600, np.float32)):
            with pytest.raises(ValueError, match="the buffer must be"):
                getattr(ale, method)(buffer)
    ram = ale.getRAM()
    ram[:] = 0
    assert ale.getRAM().any()


def test_random_seed_zero_is_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    images = []
    for now in (1000.0, 1000.9, 1007.0):
        monkeypatch.setattr("time.time", lambda now=now: now)
        interface = ALEInterface()
        interface.loadROM(rom_path("maze_craze"))
        images.append(interface.getScreen().tobytes())
    assert images[0] == images[1] != images[2]


def test_sound_and_pictures(ale: ALEInterface, tmp_path: Path) -> None:
    assert not ale.getAudio().any()
    ale.setBool("sound_obs", True)
    ale.loadROM(rom_path("joust"))
    for _ in range(60):
        ale.act(1)
    assert ale.getAudio().shape == (512,)
    ale.saveScreenPNG(tmp_path / "screen.png")
    assert (tmp_path / "screen.png").read_bytes().startswith(b"\x89PNG")
