"""States from strangers, by the public calls: refused by name, whatever their checksum says."""

from __future__ import annotations

import random

import pytest

from common import load
from pyale_ma.single import ALEInterface, ALEState
from saved_states import mended


def start(game: str, mode: int = 0) -> ALEInterface:
    ale: ALEInterface = load(ALEInterface(), game)
    ale.setMode(ale.getAvailableModes()[mode])
    ale.reset_game()
    return ale


@pytest.mark.parametrize("game", ["video_checkers", "othello"])
def test_forged_accesses_are_refused(game: str) -> None:
    ale = start(game)
    for _ in range(10):
        ale.act(1)
    state = ale.cloneState()
    data = state.serialize()
    assert mended(data) == data, "this test computes another checksum than the library"
    before = ale.getRAM().tobytes()
    # The bytes end with the accesses of a frame, of four bytes each: value, register, time.
    for register in (0x41, 0x80, 0xFF):
        forged = bytearray(data)
        for access in range(1, 200):
            forged[-4 * access + 1] = register
        with pytest.raises(ValueError, match=r"log\.access \(register\)"):
            ale.restoreState(ALEState(mended(bytes(forged))))
    assert ale.getRAM().tobytes() == before
    assert ale.cloneState() == state
    ale.restoreState(state)
    for _ in range(3):
        ale.act(1)


@pytest.mark.parametrize("game", ["video_checkers", "othello", "pitfall2", "pong"])
def test_random_forgeries_do_no_harm(game: str) -> None:
    ale = start(game)
    for _ in range(30):
        ale.act(1)
    good = ale.cloneState()
    data = good.serialize()
    generator = random.Random(0)
    refused = accepted = 0
    for _ in range(200):
        forged = bytearray(data)
        for _ in range(generator.randint(1, 2)):
            # Half of the damage goes to the last frame's log, which is long.
            at = generator.randrange(len(data) // 2 if generator.random() < 0.5 else 256, len(data))
            forged[at] = generator.randrange(256)
        try:
            ale.restoreState(ALEState(mended(bytes(forged))))
        except ValueError:
            refused += 1
            continue
        accepted += 1
        for _ in range(3):
            ale.act(1)
        ale.getScreenRGB()
    assert refused
    assert accepted
    ale.restoreState(good)
    assert ale.cloneState() == good


@pytest.mark.parametrize(
    "game", ["adventure", "skiing", "pitfall2", "video_checkers", "tutankham", "surround"]
)
def test_every_state_that_is_saved_is_accepted(game: str) -> None:
    generator = random.Random(1)
    for mode in (0, -1):
        ale = start(game, mode)
        other = start(game)
        for frame in range(150):
            ale.act(generator.choice(ale.getLegalActionSet()))
            if ale.game_over():
                ale.reset_game()
            if frame % 7 == 0:
                state = ale.cloneSystemState() if frame % 2 else ale.cloneState()
                other.restoreState(ALEState(state.serialize()))
                assert other.getRAM().tobytes() == ale.getRAM().tobytes()
