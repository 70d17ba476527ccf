"""`ALEInterface`: one console with one to four players, with the methods of multi-agent-ale-py.

Imported in that package's place it carries PettingZoo's own Atari modules.  Where the original ends
the process or reads past its memory, an exception is raised here and the object stays as it was.
"""
# ruff: noqa: N802 (the names are those of multi-agent-ale-py)

from __future__ import annotations

import os
import reprlib
import time
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType
from typing import Any, SupportsIndex, SupportsInt, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._base.arguments import number, whole
from pyale_ma._base.text import nearest
from pyale_ma._native import RAM_SIZE, SCREEN_WIDTH, Pixels, Rules
from pyale_ma.console.base_interface import Interface, rom_by_name, shared_options
from pyale_ma.console.screen_recorder import ScreenRecorder
from pyale_ma.console.settings import CORE, Settings, text_of
from pyale_ma.console.state import ALEState
from pyale_ma.games import rom_files

Bytes: TypeAlias = npt.NDArray[np.uint8]
Numbers: TypeAlias = npt.NDArray[np.int32]

_ACTIONS = _native.ACTION_COUNT
_NO_ROM = "there is no ROM yet: call loadROM first"
_LOGGER_MODES = ("info", "warning", "error")
# Games whose files the original knows by another name.
_RENAMED_GAMES = MappingProxyType({"videochess": "video_chess", "videocube": "video_cube"})
# All settings with what they are at first.  Those without a comment are kept but do nothing.
_SETTINGS = MappingProxyType(
    {
        "random_seed": "0",  # of everything random; 0: the time in seconds
        "repeat_action_probability": "0.25",  # that a player's action stays in force for a frame
        "frame_skip": "1",  # frames of an act
        "max_num_frames_per_episode": "0",  # 0: no limit
        "paddle_min": "-1",  # -1: the usual limits of a paddle
        "paddle_max": "-1",
        "max_turn_time": "-1",  # frames for a move, in four games; -1: the game's own limit
        "color_averaging": "0",  # 1: each frame is blended with the previous one
        "record_screen_dir": "",  # a folder: each frame is saved there as a PNG file
        "corrected_rules": "0",  # not in the original: 1: rewards and ends without known faults
        "sound_obs": "0",  # likewise: 1: `getAudio` has samples
        "objects_obs": "0",  # likewise: 1: `getScreenObjects` answers
        "max_num_frames": "0",
        "display_screen": "0",
        "record_sound_filename": "",
        "restricted_action_set": "0",
        "run_length_encoding": "1",
        "send_rgb": "0",
        "rom_file": "",
        "cpu": "low",
        **CORE,
    }
)


class ALEInterface(Interface):
    """A console with one to four players, depending on the mode.

    Settings take effect at the next `loadROM`.  Their keys and text values may be str or bytes.
    A call that comes while another one runs, in another thread or a signal handler, is refused with
    a RuntimeError.  After an `act` that was interrupted in the middle, calls raise
    gymnasium.error.ResetNeeded until `reset_game`, `loadROM` or `restoreState`.

    Examples:
        ```python
        from pyale_ma import roms
        from pyale_ma.multi import ALEInterface

        ale = ALEInterface()
        ale.loadROM(roms.find_rom("quartet"))
        ale.setMode(ale.getAvailableModes(4)[0])
        ale.reset_game()
        rewards = ale.act([0, 1, 2, 3])  # one action for each player
        ```
    """

    __slots__ = ("_saved", "_settings")
    _error = ValueError
    _other = (Rules.BY_MODE, "ale-py")

    def __init__(self) -> None:
        super().__init__(_NO_ROM)
        self._settings = Settings(_SETTINGS)
        self._saved: list[ALEState] = []

    @property
    def env(self) -> _native.Env:
        """The library's environment; it may be another one when a ROM is loaded."""
        return self._env

    # ---- Settings --------------------------------------------------------------------------------

    class Logger:
        """The modes that `setLoggerMode` takes."""

        Info = 0
        Warning = 1
        Error = 2

    @staticmethod
    def setLoggerMode(mode: str | int) -> None:
        """Does nothing; it exists because the original has it.  This library prints nothing.

        Raises:
            ValueError: `mode` is neither 0, 1, 2 nor "info", "warning", "error".
        """
        if mode not in (*_LOGGER_MODES, *range(len(_LOGGER_MODES))):
            raise ValueError(f"there is no logger mode {mode!r}; there are {_LOGGER_MODES}")

    def getString(self, key: str | bytes) -> bytes:
        """A setting as text; b"" for an unknown one."""
        return self._settings.get(_text(key), "").encode()

    def getInt(self, key: str | bytes) -> int:
        """A setting as a whole number, 0 if it is none; -1 for an unknown one."""
        return self._settings.get_int(_text(key))

    def getFloat(self, key: str | bytes) -> float:
        """A setting as a number, float32, 0.0 if it is none; -1.0 for an unknown one."""
        return self._settings.get_float(_text(key))

    def getBool(self, key: str | bytes) -> bool:
        """A setting as a truth value; False for an unknown one."""
        return self._settings.get_bool(_text(key))

    def setString(self, key: str | bytes, value: str | bytes) -> None:
        """Change a setting.  ValueError: there is no such one."""
        name = _text(key)
        if name not in self._settings:
            raise ValueError(f"there is no setting {name!r}; {nearest(name, _SETTINGS)}")
        self._settings[name] = _text(value)

    def setInt(self, key: str | bytes, value: int) -> None:
        """Change a setting to a whole number, the low 32 bits of which are kept."""
        self.setString(key, _int32(whole(_text(key), value)))

    def setFloat(self, key: str | bytes, value: float) -> None:
        """Change a setting to a number, a float32 of six digits."""
        self.setString(key, text_of(number(_text(key), value)))

    def setBool(self, key: str | bytes, value: bool) -> None:
        """Change a setting to a truth value."""
        self.setString(key, text_of(bool(value)))

    def _env_options(self) -> dict[str, float]:
        """The settings in the library's words."""
        seed = self._settings.get_int("random_seed")
        return {
            **shared_options(self._settings),
            "rules": Rules.MULTI,
            "random_seed": (seed or int(time.time())) % 2**32,
        }

    # ---- Loading ---------------------------------------------------------------------------------

    def loadROM(self, rom_file: str | bytes | os.PathLike[str]) -> None:
        """Load a ROM with the current settings, and reset once in its default mode.

        Args:
            rom_file: An uncompressed ROM file.  The game is found by MD5, else by the file's name.

        Raises:
            FileNotFoundError: There is no such file.
            NotADirectoryError: The setting record_screen_dir names no folder.
            ValueError: The file is not a cartridge, its game is unknown, or a setting out of range.
            RuntimeError: The cartridge does not behave like the game whose rules were chosen.
        """
        file = Path(os.fsdecode(rom_file))
        try:
            data = rom_files.read(file)
        except FileNotFoundError:
            raise rom_files.no_file(file) from None
        name = file.name.partition(".")[0].lower()
        self._load(str(file), rom_by_name(data, str(file), _RENAMED_GAMES.get(name, name)))

    def _load(
        self,
        file: str,
        rom: _native.Rom,
        mode: SupportsIndex | None = None,
        difficulty: SupportsIndex | None = None,
        **more: int,
    ) -> None:
        """Let a console play that is as new, with the settings and more options of the library.

        See `_console_for`.
        """
        options = self._env_options() | more
        folder = self._settings["record_screen_dir"]
        recorder = ScreenRecorder(folder, rom, options) if folder else None
        env = self._console_for(rom, options, mode, difficulty)
        self._settings["rom_file"], self._recorder, self._saved = file, recorder, []
        self._replace_console(env)

    def isSupportedRom(self) -> bool:
        """Whether the cartridge's contents are those of a known game."""
        rom = self._env.rom
        return any(rom.info.md5.decode() == game.md5 for game in _native.games().values())

    # ---- Playing ---------------------------------------------------------------------------------

    def act(self, action: SupportsInt | Iterable[SupportsInt]) -> Numbers:
        """Play one action of each player for the frames of the setting frame_skip.

        Args:
            action: Numbers 0 to 17, one for each active player; for one player, a single number.

        Returns:
            The reward of each active player, int32.

        Raises:
            RuntimeError: There are more or fewer actions than players.
            ValueError: There is no such action.
        """
        actions = _actions(action)
        if self._recorder is not None:
            self._check_actions(actions)
            self._recorder.record(self._env, lambda double: double.play(actions))
        return _numbers(self._play(actions))

    def allLives(self) -> Numbers:
        """The lives of each active player, int32; negative: out, while others may play on."""
        return _numbers(self._lives())

    def lives(self) -> np.int32:
        """The first player's lives."""
        return cast(np.int32, self.allLives()[0])

    def getLegalActionSet(self) -> Numbers:
        """All actions that the game allows any player, ascending, int32."""
        return _numbers(_native.bits(self._env.info.legal_actions))

    def getMinimalActionSet(self) -> Numbers:
        """The actions that have an effect in this game, ascending, int32."""
        return _numbers(_native.bits(self._env.info.minimal_actions))

    def getAvailableModes(self, num_players: int = 1) -> Numbers:
        """The modes for a number of players, 1 to 4, int32."""
        return _numbers(self._modes(num_players))

    def getAvailableDifficulties(self) -> Numbers:
        """The difficulties that `setDifficulty` accepts, int32."""
        return _numbers(_native.bits(self._env.info.difficulties))

    # ---- What can be seen and heard --------------------------------------------------------------

    def getScreenDims(self) -> tuple[int, int]:
        """Columns and rows of the screen: (160, 210) in most games."""
        return (SCREEN_WIDTH, self._env.info.screen_height)

    def getScreen(self, screen_data: Bytes | None = None) -> Bytes:
        """The screen as palette indices, uint8 (height * 160,).

        Args:
            screen_data: Where to write it: a C-contiguous, writable uint8 array of its size.
                None: a new array.
        """
        return self._screen(Pixels.INDEXED, (-1,), screen_data)

    def getScreenRGB(self, screen_data: Bytes | None = None) -> Bytes:
        """The screen in red, green and blue, uint8 (height, 160, 3).  See `getScreen`."""
        return self._screen(Pixels.RGB, (-1, SCREEN_WIDTH, 3), screen_data)

    def getScreenGrayscale(self, screen_data: Bytes | None = None) -> Bytes:
        """The screen in shades of gray, uint8 (height, 160, 1).  See `getScreen`."""
        return self._screen(Pixels.GRAYSCALE, (-1, SCREEN_WIDTH, 1), screen_data)

    def getScreenObjects(self, screen_data: Bytes | None = None) -> Bytes:
        """The objects that cover each pixel, uint8 (height, 160, 1).  See `getScreen`.

        Not in the original.  Bit n is set where object n of `pyale_ma.objects.Object` is, visible
        or not.

        Raises:
            RuntimeError: The setting objects_obs was off when the ROM was loaded.
        """
        self._check_objects()
        return self._screen(Pixels.OBJECTS, (-1, SCREEN_WIDTH, 1), screen_data)

    def _screen(self, pixels: Pixels, shape: tuple[int, ...], out: Bytes | None) -> Bytes:
        if out is None:
            return self._env.screen(pixels).reshape(shape)
        size = self._env.info.screen_height * SCREEN_WIDTH * (3 if pixels == Pixels.RGB else 1)
        self._env.screen(pixels, _writable(out, size))
        return out

    def getRAM(self, ram: Bytes | None = None) -> Bytes:
        """The console's RAM, uint8 (128,), as a new array or in `ram`.  See `getScreen`."""
        return _copy(self._env.ram, ram)

    def setRAM(self, memory_index: int, value: int) -> None:
        """Change one byte of RAM at once; rewards, lives and ends follow with the next frame.

        Raises:
            RuntimeError: `memory_index` is not within 0 to 127, or `value` not within 0 to 255.
        """
        if not 0 <= memory_index < RAM_SIZE:
            raise RuntimeError(f"Index out of bounds: {memory_index} is not within 0 to 127.")
        if not 0 <= value < 256:
            raise RuntimeError(f"Invalid ram value: {value} is not within 0 to 255.")
        self._env.set_ram(memory_index, value)

    def getAudio(self, audio: Bytes | None = None) -> Bytes:
        """The samples of the latest act, uint8 (512,).  Not in the original.  See `getScreen`.

        All 0 unless the setting sound_obs is on.
        """
        return _copy(self._env.audio, audio)

    # ---- States ----------------------------------------------------------------------------------

    def cloneState(self) -> ALEState:
        """The current state, without the random generator."""
        return self._env.saved(ALEState)

    def cloneSystemState(self) -> ALEState:
        """The current state, with the random generator."""
        return self._env.saved(ALEState, True)

    def restoreState(self, state: ALEState) -> None:
        """Restore a state of `cloneState`.

        Raises:
            ValueError: The state is another game's, or one of `cloneSystemState`.
        """
        self._restore(state, include_random=False)

    def restoreSystemState(self, state: ALEState) -> None:
        """Restore a state of `cloneSystemState`.  See `restoreState`."""
        self._restore(state, include_random=True)

    def _restore(self, state: ALEState, *, include_random: bool) -> None:
        if not isinstance(state, ALEState):
            raise TypeError(f"{state!r} is no state: cloneState and decodeState make them")
        info = state.info
        if not info.empty and bool(info.includes_random) != include_random:
            kind = ("without", "with")[info.includes_random]
            raise ValueError(f"the state was kept {kind} its random generator; restore it so")
        self._env.restore(state)

    def deleteState(self, state: ALEState) -> None:
        """Free a state."""
        state.close()

    def encodeStateLen(self, state: ALEState) -> int:
        """Return the number of bytes that `encodeState` gives."""
        return state.info.serialized_size

    def encodeState(self, state: ALEState, buf: Bytes | None = None) -> Bytes:
        """A state as bytes, uint8, as a new array or in `buf`."""
        return _copy(np.frombuffer(state.serialize(), np.uint8), buf)

    def decodeState(self, serialized: Bytes) -> ALEState:
        """The state in these bytes.  ValueError: they are not a state, or damaged."""
        return ALEState(np.asarray(serialized, np.uint8).tobytes())

    def saveState(self) -> None:
        """Push the current state, without the random generator, on a stack."""
        self._saved.append(self.cloneState())

    def loadState(self) -> None:
        """Restore the state on top of the stack, and remove it.

        Raises:
            RuntimeError: The stack is empty.
        """
        if not self._saved:
            raise RuntimeError("there is no saved state: call saveState first")
        self.restoreState(self._saved[-1])
        self._saved.pop()


def _int32(value: int) -> str:
    """The low 32 bits of a number."""
    return str((value + 2**31) % 2**32 - 2**31)


def _text(text: str | bytes) -> str:
    return text.decode() if isinstance(text, bytes) else text


def _actions(action: Any) -> list[int]:
    """The numbers in a list, or the one that is given."""
    try:
        try:
            return [int(a) for a in action]
        except TypeError:
            return [int(action)]
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"action is {reprlib.repr(action)}; it must be a number, 0 to {_ACTIONS - 1}, "
            "for each active player"
        ) from None


def _numbers(numbers: list[int]) -> Numbers:
    return np.array(numbers, np.int32)


def _copy(source: Bytes, out: Bytes | None) -> Bytes:
    if out is None:
        return np.array(source)
    _writable(out, source.size).reshape(-1)[:] = source
    return out


def _writable(out: Any, size: int) -> Bytes:
    array: npt.NDArray[Any] = np.asarray(out)  # a class of the user's may say anything of itself
    if (
        not isinstance(out, np.ndarray)
        or array.dtype != np.uint8
        or array.size != size
        or not (array.flags.c_contiguous and array.flags.writeable)
    ):
        kind = f"{array.dtype} {array.shape}" if isinstance(out, np.ndarray) else repr(out)
        raise ValueError(f"the buffer must be a writable uint8 array of {size} elements: {kind}")
    return array
