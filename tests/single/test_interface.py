"""`ALEInterface`, `ALEState`, `Action`: what they return, and what they refuse."""

from __future__ import annotations

import copy
import gzip
import os
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import pyale_ma.single as ale_py
from common import load, rom_path
from pyale_ma import roms
from pyale_ma.single import Action, ALEInterface, ALEState, LoggerMode


def start(game: str = "breakout", **settings: Any) -> ALEInterface:
    interface: ALEInterface = load(ALEInterface(), game, **settings)
    return interface


@pytest.fixture
def ale() -> ALEInterface:
    return start()


def test_names_of_ale_py() -> None:
    for name in ("Action", "ALEInterface", "ALEState", "LoggerMode", "AtariEnv", "roms", "env"):
        assert hasattr(ale_py, name)
    assert isinstance(ale_py.SDL_SUPPORT, bool)
    assert isinstance(ale_py.__version__, str)
    assert ale_py.env.AtariEnv is ale_py.AtariEnv


# ---- Names -----------------------------------------------------------------------------------


def test_action() -> None:
    assert len(Action) == 18
    assert [action.value for action in Action] == list(range(18))
    assert Action(2) is Action.UP is Action["UP"]
    assert repr(Action.UP) == str(Action.UP) == "Action.UP"
    assert Action.UP != 2  # type: ignore[comparison-overlap]
    assert int(Action.UP) == 2
    assert pickle.loads(pickle.dumps(Action.UP)) is Action.UP
    with pytest.raises(ValueError, match="18"):
        Action(18)


def test_rom_names() -> None:
    assert len(ale_py.roms.get_all_rom_ids()) == 108
    names = ale_py.roms.get_all_rom_ids()
    assert names.index("atlantis2") == names.index("atlantis") - 1
    assert names == pytest.importorskip("ale_py.roms").get_all_rom_ids()
    assert ale_py.roms.get_rom_path("pong") == roms.find_rom("pong")
    with pytest.warns(UserWarning, match="not supported"):
        assert ale_py.roms.get_rom_path("Pong") is None


# ---- Settings --------------------------------------------------------------------------------

KEYS = """
    random_seed system_random_seed repeat_action_probability frame_skip max_num_frames_per_episode
    truncate_on_loss_of_life reward_min reward_max paddle_min paddle_max color_averaging sound_obs
    display_screen sound record_screen_dir record_sound_filename cpu rom_file volume clipvol
    fragsize freq tiafreq palette max_num_frames run_length_encoding restricted_action_set send_rgb
    nonsense
""".split()
CHANGES: list[tuple[str, Any]] = [
    ("setInt", 7),
    ("setInt", -1),
    ("setInt", True),
    ("setInt", np.int64(3)),
    ("setInt", 2**31 - 1),
    ("setInt", 2**31),
    ("setInt", 2.0),
    ("setBool", True),
    ("setBool", 1),
    ("setFloat", 1 / 3),
    ("setFloat", 1),
    ("setFloat", 1234567.0),
    ("setFloat", 1e-9),
    ("setFloat", float("inf")),
    ("setFloat", float("nan")),
    ("setFloat", "x"),
    ("setString", "abc"),
    ("setString", "12xy"),
    ("setString", " -5.9e1"),
    ("setString", "True"),
    ("setString", "true"),
    ("setString", "99999999999"),
    ("setString", "z26"),
    ("setString", 3),
]


def read(ale: Any, key: str) -> str:
    return repr((ale.getString(key), ale.getInt(key), ale.getFloat(key), ale.getBool(key)))


@pytest.mark.parametrize("key", KEYS)
def test_settings_are_those_of_ale_py(key: str) -> None:
    original = pytest.importorskip("ale_py")
    original.ALEInterface.setLoggerMode(original.LoggerMode.Error)
    theirs = original.ALEInterface()
    ours = ALEInterface()
    assert read(ours, key) == read(theirs, key)
    for name, value in CHANGES:
        outcomes = []
        for ale in (ours, theirs):
            try:
                outcomes.append(getattr(ale, name)(key, value))
            except (RuntimeError, TypeError) as error:
                outcomes.append(type(error))
        assert outcomes[0] == outcomes[1], (name, value)
        assert read(ours, key) == read(theirs, key), (name, value)


def test_settings_take_effect_at_the_next_load(ale: ALEInterface) -> None:
    ale.setInt("frame_skip", 5)
    ale.act(0)
    assert ale.getFrameNumber() == 1
    ale.loadROM("")
    ale.act(0)
    assert ale.getFrameNumber() == 5


@pytest.mark.parametrize(
    ("key", "value"),
    [("frame_skip", -1), ("repeat_action_probability", float("nan"))],
)
def test_bad_settings_are_refused_at_the_load(ale: ALEInterface, key: str, value: Any) -> None:
    ale.act(0)
    (ale.setFloat if isinstance(value, float) else ale.setInt)(key, value)
    with pytest.raises(ValueError, match=key):
        ale.loadROM("")
    assert ale.getFrameNumber() == 1


def test_reward_limits_must_be_in_order(ale: ALEInterface) -> None:
    ale.setInt("reward_min", 5)
    ale.setInt("reward_max", 1)
    with pytest.raises(ValueError, match="reward"):
        ale.loadROM("")


@pytest.mark.parametrize("mode", [LoggerMode.Error, 1])
def test_logger_mode(mode: Any, capfd: pytest.CaptureFixture[str]) -> None:
    ALEInterface.setLoggerMode(mode)
    start().act(0)
    assert capfd.readouterr() == ("", "")


# ---- Loading ---------------------------------------------------------------------------------

NEED_A_ROM: list[Callable[[ALEInterface], object]] = [
    lambda ale: ale.act(0),
    lambda ale: ale.game_over(),
    lambda ale: ale.game_truncated(),
    lambda ale: ale.reset_game(),
    lambda ale: ale.lives(),
    lambda ale: ale.getLegalActionSet(),
    lambda ale: ale.getMinimalActionSet(),
    lambda ale: ale.getAvailableModes(),
    lambda ale: ale.setMode(0),
    lambda ale: ale.getAvailableDifficulties(),
    lambda ale: ale.setDifficulty(0),
    lambda ale: ale.getFrameNumber(),
    lambda ale: ale.getEpisodeFrameNumber(),
    lambda ale: ale.getScreen(),
    lambda ale: ale.getScreenRGB(),
    lambda ale: ale.getScreenGrayscale(),
    lambda ale: ale.getScreenDims(),
    lambda ale: ale.getAudio(),
    lambda ale: ale.getAudioSize(),
    lambda ale: ale.getRAM(),
    lambda ale: ale.setRAM(0, 0),
    lambda ale: ale.cloneState(),
    lambda ale: ale.cloneSystemState(),
    lambda ale: ale.restoreState(ALEState()),
    lambda ale: ale.restoreSystemState(ALEState()),
    lambda ale: ale.saveScreenPNG("/tmp/never.png"),
]


@pytest.mark.parametrize("call", NEED_A_ROM)
def test_before_load(call: Callable[[ALEInterface], object]) -> None:
    with pytest.raises(RuntimeError, match="ROM not set"):
        call(ALEInterface())


REFUSED: list[tuple[str, Any]] = [
    *(("getInt", key) for key in (b"random_seed", 1, None, 1.5)),
    *(("getFloat", key) for key in (b"random_seed", None)),
    *(("getBool", key) for key in (b"random_seed", None)),
    *(("getString", key) for key in (b"random_seed", None)),
    *(("game_over", flag) for flag in (1, 0, "x", None, 1.0, np.True_)),
    *(("cloneState", flag) for flag in (1, 0, "x", None, 1.0)),
    *(("getRAM", buffer) for buffer in (1, "x", b"x" * 128, [0] * 128)),
    *(("setMode", mode) for mode in (-1, 2**32, "x", 1.0)),
    *(("setDifficulty", difficulty) for difficulty in (-1, 2**32, "x", 1.0)),
]


def test_what_the_original_refuses() -> None:
    original = pytest.importorskip("ale_py")
    original.ALEInterface.setLoggerMode(original.LoggerMode.Error)
    for ale in (original.ALEInterface(), ALEInterface()):
        ale.loadROM(rom_path("pong"))
        for method, argument in REFUSED:
            with pytest.raises(TypeError):
                getattr(ale, method)(argument)


@pytest.mark.parametrize("path", ["/nonexistent/pong.bin", ""])
def test_missing_file(path: str) -> None:
    with pytest.raises(FileNotFoundError):
        ALEInterface().loadROM(path)


@pytest.mark.parametrize("data", [b"", b"abc", bytes(4096), b"\x1f\x8bbroken"])
def test_bad_file_leaves_the_game_as_it_was(ale: ALEInterface, tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "unknown.bin"
    file.write_bytes(data)
    ale.act(3)
    before = ale.cloneState(True)
    with pytest.raises(ValueError, match=r"\w"):
        ale.loadROM(file)
    assert ale.cloneState(True) == before
    assert ale.getString("rom_file") == str(rom_path("breakout"))


def test_path_of_bytes() -> None:
    original = pytest.importorskip("ale_py")
    original.ALEInterface.setLoggerMode(original.LoggerMode.Error)
    path = os.fsencode(rom_path("pong"))
    rams = []
    for kind in (ALEInterface, original.ALEInterface):
        assert kind.isSupportedROM(path) == "pong"
        ale = kind()
        ale.loadROM(path)
        assert ale.getString("rom_file") == os.fsdecode(path)
        rams.append(ale.getRAM().tobytes())
    assert rams[0] == rams[1]


def test_path_like_and_compressed(tmp_path: Path) -> None:
    packed = tmp_path / "some name.gz"
    packed.write_bytes(gzip.compress(rom_path("breakout").read_bytes()))
    ale = ALEInterface()
    ale.loadROM(packed)
    assert ale.getMinimalActionSet() == start().getMinimalActionSet()
    assert ale.getString("rom_file") == str(packed)


def test_known_contents_count_more_than_the_name(tmp_path: Path) -> None:
    file = tmp_path / "adventure.bin"
    file.write_bytes(rom_path("breakout").read_bytes())
    ale = ALEInterface()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ale.loadROM(file)
    assert ale.lives() == 5


def test_unknown_contents_are_played_by_name(tmp_path: Path) -> None:
    file = tmp_path / "Tetris.bin"
    file.write_bytes(bytes(4096))
    ale = ALEInterface()
    with pytest.warns(UserWarning, match="unknown MD5"):
        ale.loadROM(file)
    assert len(ale.getMinimalActionSet()) < 18


def test_without_rules(tmp_path: Path) -> None:
    file = tmp_path / "unknown.bin"
    file.write_bytes(rom_path("breakout").read_bytes()[::-1])
    ale = ALEInterface()
    with pytest.raises(ValueError, match="game=''"):
        ale.loadROM(file)
    ale.loadROM(file, game="")
    assert (ale.act(1), ale.lives(), ale.game_over()) == (0, 0, False)
    assert ale.getAvailableModes() == [0]
    assert len(ale.getMinimalActionSet()) == 18


def test_with_the_rules_of_another_game() -> None:
    ale = ALEInterface()
    with pytest.raises(ValueError, match="pang"):
        ale.loadROM(rom_path("breakout"), game="pang")
    ale.loadROM(rom_path("breakout"), game="breakout")
    assert ale.lives() == 5


def test_load_again_is_a_new_start(ale: ALEInterface) -> None:
    start = ale.cloneState(True)
    for action in (1, 3, 3, 4):
        ale.act(action)
    ale.setMode(4)
    ale.loadROM("")
    assert ale.cloneState(True) == start
    assert ale.getFrameNumber() == 0


@pytest.mark.parametrize(("game", "name"), [("pong", "pong"), ("combat", "combat")])
def test_supported(game: str, name: str) -> None:
    assert ALEInterface.isSupportedROM(str(rom_path(game))) == name
    assert ALEInterface.isSupportedROM(rom_path(game)) == name


# ---- Playing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [3, Action.RIGHT, np.int64(3), np.uint8(3), np.array(3)])
def test_actions(action: Any) -> None:
    ale, twin = start(), start()
    assert ale.act(action) == twin.act(3)
    assert ale.cloneState() == twin.cloneState()


def test_reset_switch_does_nothing(ale: ALEInterface) -> None:
    twin = start()
    assert ale.act(40) == twin.act(0)
    assert ale.cloneState() == twin.cloneState()


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (-1, ValueError),
        (18, ValueError),
        (41, ValueError),
        (2**32 + 1, ValueError),
        (1.0, TypeError),
        ("UP", TypeError),
        (None, TypeError),
        ([1.0], TypeError),
        ({1: 2}, TypeError),
    ],
)
def test_bad_action(ale: ALEInterface, action: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        ale.act(action)
    assert ale.getFrameNumber() == 0


def test_strength_is_not_remembered(ale: ALEInterface) -> None:
    twin = start()
    ale.act(3, paddle_strength=0.5)
    for strength in (1.0, float("1.0")):  # the default, and an equal float that is another object
        ale.act(3, strength)
    twin.act(3, np.float32(0.5))
    twin.act(3, 1)
    twin.act(3, np.float32(1))
    assert ale.cloneState() == twin.cloneState()


def test_limits() -> None:
    ale = start("tetris", max_num_frames_per_episode=10)
    for _ in range(12):
        ale.act(0)
    assert ale.getEpisodeFrameNumber() == 10
    assert ale.game_over()
    assert not ale.game_over(False)
    assert not ale.game_over(with_truncation=False)
    assert ale.game_truncated()


def test_tetris() -> None:
    ale = start("tetris")
    ram = ale.getRAM()
    assert len(ale.getLegalActionSet()) == 18
    assert 0 < len(ale.getMinimalActionSet()) < 18
    assert ale.getAvailableModes() == ale.getAvailableDifficulties() == [0]
    assert ale.lives() == 0
    assert ale.getScreenDims() == (210, 160)
    for _ in range(10):
        ale.act(0)
    ale.reset_game()
    assert np.array_equal(ale.getRAM(), ram)


@pytest.mark.parametrize("number", [8, 77, 2**31])
def test_bad_mode_and_difficulty(number: int) -> None:
    ale = start("tetris")
    with pytest.raises(RuntimeError, match="Invalid game mode requested"):
        ale.setMode(number)
    with pytest.raises(RuntimeError, match="Invalid difficulty requested"):
        ale.setDifficulty(number)


def test_mode_and_difficulty() -> None:
    ale = start("space_invaders")
    ale.setMode(3)
    ale.setDifficulty(1)
    ale.reset_game()
    state = ale.cloneState()
    assert (state.getCurrentMode(), state.getDifficulty()) == (3, 1)
    assert (ale.getFrameNumber(), ale.getEpisodeFrameNumber()) == (5, 5)


def test_skiing_has_no_fire() -> None:
    assert len(start("skiing").getLegalActionSet()) == 9


# ---- What can be seen and heard --------------------------------------------------------------

OBSERVATIONS = {
    "getScreen": (210, 160),
    "getScreenRGB": (210, 160, 3),
    "getScreenGrayscale": (210, 160),
    "getRAM": (128,),
    "getAudio": (512,),
}


@pytest.mark.parametrize(("name", "shape"), OBSERVATIONS.items())
def test_arrays(name: str, shape: tuple[int, ...]) -> None:
    ale = start(sound_obs=True)
    ale.act(1)
    get = getattr(ale, name)
    array = get()
    assert (array.shape, array.dtype) == (shape, np.uint8)
    assert array.flags.writeable
    assert array.flags.c_contiguous
    array[:] = 0
    assert get().any()


class Exported:
    """An array that can be had by DLPack only."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


@pytest.mark.parametrize(("name", "shape"), OBSERVATIONS.items())
def test_buffers(name: str, shape: tuple[int, ...]) -> None:
    ale = start(sound_obs=True)
    ale.act(1)
    get = getattr(ale, name)
    size = int(np.prod(shape))
    array, data, exported = np.zeros(shape, np.uint8), bytearray(size), np.zeros(shape, np.uint8)
    for buffer in (array, memoryview(data).cast("B", shape), Exported(exported)):
        assert get(buffer) is None
    assert get(buffer=array) is None
    for filled in (array, np.frombuffer(data, np.uint8).reshape(shape), exported):
        assert np.array_equal(filled, get())


@pytest.mark.parametrize(("name", "shape"), OBSERVATIONS.items())
def test_bad_buffers(ale: ALEInterface, name: str, shape: tuple[int, ...]) -> None:
    read_only = np.zeros(shape, np.uint8)
    read_only.flags.writeable = False
    wide = np.zeros((shape[0], *shape[1:-1], 2 * shape[-1]), np.uint8)
    for buffer in (
        np.zeros(shape, np.int8),
        np.zeros(shape, np.int32),
        wide[..., ::2],
        read_only,
        bytes(int(np.prod(shape))),
        np.zeros(shape).tolist(),
        3,
        "x",
    ):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            getattr(ale, name)(buffer)
    for other in ((1, *shape), (shape[0] - 1, *shape[1:]), (0,)):
        error = RuntimeError if "Screen" in name else TypeError
        with pytest.raises(error):
            getattr(ale, name)(np.zeros(other, np.uint8))


def test_set_ram(ale: ALEInterface) -> None:
    ale.setRAM(np.uint8(5), 77)
    assert ale.getRAM()[5] == 77


@pytest.mark.parametrize(
    ("index", "value", "error"),
    [
        (1000, 10, RuntimeError),
        (128, 0, RuntimeError),
        (-1, 0, TypeError),
        (10, 1000, TypeError),
        (10, -1, TypeError),
        (10, 1.0, TypeError),
        (1.0, 1, TypeError),
    ],
)
def test_bad_set_ram(ale: ALEInterface, index: Any, value: Any, error: type[Exception]) -> None:
    before = ale.getRAM()
    with pytest.raises(error):
        ale.setRAM(index, value)
    assert np.array_equal(ale.getRAM(), before)


def test_audio_is_silent_unless_asked_for(ale: ALEInterface) -> None:
    ale.act(1)
    assert not ale.getAudio().any()
    assert ale.getAudioSize() == 512


def test_png(ale: ALEInterface, tmp_path: Path) -> None:
    for path in (tmp_path / "screen.png", str(tmp_path / "no suffix")):
        ale.saveScreenPNG(path)
        with Image.open(path) as image:
            assert (image.format, image.mode, image.size) == ("PNG", "RGB", (320, 210))
            assert np.array_equal(np.asarray(image)[:, ::2], ale.getScreenRGB())
            assert np.array_equal(np.asarray(image)[:, 1::2], ale.getScreenRGB())
    with pytest.raises(OSError, match="missing"):
        ale.saveScreenPNG(tmp_path / "missing" / "screen.png")


def test_recording(tmp_path: Path) -> None:
    frames = []
    plain = start()
    for action in (1, 1, 1, 3, 3, 3):
        frames.append(plain.getScreenRGB())
        plain.act(action)
    ale = start(record_screen_dir=str(tmp_path), frame_skip=3)
    ale.act(1)
    ale.act(3)
    assert ale.cloneState() == plain.cloneState()
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == [f"{i:06}.png" for i in range(6)]
    for file, frame in zip(files, frames, strict=True):
        with Image.open(file) as image:
            assert np.array_equal(np.asarray(image)[:, ::2], frame)


def test_empty_state(ale: ALEInterface) -> None:
    state = ALEState()
    assert state.getFrameNumber() == state.getEpisodeFrameNumber() == 0
    assert state.getDifficulty() == state.getCurrentMode() == 0
    assert state == ALEState()
    assert pickle.loads(pickle.dumps(state)) == state
    before = ale.cloneState()
    with pytest.raises(ValueError, match="empty"):
        ale.restoreState(state)
    assert ale.cloneState() == before


# ---- States ----------------------------------------------------------------------------------


def unpacked(data: Any) -> ALEState:
    """A state as programs make one that call ale-py's `__setstate__`."""
    state = ALEState.__new__(ALEState)
    state.__setstate__(data)
    return state


def test_state_copies(ale: ALEInterface) -> None:
    for _ in range(10):
        ale.act(1)
    state = ale.cloneState(include_rng=True)
    assert state == ale.cloneSystemState()
    assert state != ale.cloneState()
    for twin in (
        ALEState(state.serialize()),
        pickle.loads(pickle.dumps(state)),
        unpacked(state.__getstate__()),
        copy.copy(state),
        copy.deepcopy(state),
    ):
        assert twin == state
        assert twin.equals(state)
        assert twin.serialize() == state.serialize()
        assert twin.getFrameNumber() == twin.getEpisodeFrameNumber() == 10
        assert twin is not state
    with pytest.raises(ValueError, match="state"):
        unpacked(b"no state")
    for nothing in (None, 0, "", False):
        with pytest.raises(TypeError, match=r"state.*made.*bytes"):
            unpacked(nothing)
    assert unpacked(b"") == ALEState()


def test_nothing_changes_a_state(ale: ALEInterface) -> None:
    state, copied, data = ale.cloneState(), copy.copy(ale.cloneState()), ALEState().serialize()
    for used in (state, copied, ALEState()):
        with pytest.raises(TypeError, match="a state does not change"):
            used.__setstate__(data)
        with pytest.raises(TypeError, match="a state does not change"):
            used.__init__()  # type: ignore[misc]
    copied.close()
    assert state == ale.cloneState()


def test_states_are_keys(ale: ALEInterface) -> None:
    first = ale.cloneState()
    ale.act(0)
    weights = {first: 1, ale.cloneState(): 2}
    assert weights[ALEState(first.serialize())] == 1


@pytest.mark.parametrize("data", [b"", b"abc", bytes(20_000)])
def test_bad_state(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        ALEState(data)


@pytest.mark.parametrize("data", ["abc", 3, [1]])
def test_state_of_another_type(data: Any) -> None:
    with pytest.raises(TypeError):
        ALEState(data)


def test_state_of_another_game(ale: ALEInterface) -> None:
    state = start("pong").cloneState()
    before = ale.cloneState(True)
    with pytest.raises(ValueError, match=r"\w"):
        ale.restoreState(state)
    assert ale.cloneState(True) == before


def test_frame_skip_is_bounded() -> None:
    with pytest.raises(ValueError, match="frame_skip is 10001"):
        start(frame_skip=10_001)
