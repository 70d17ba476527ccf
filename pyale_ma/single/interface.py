"""`ALEInterface`: one console with one player, with the methods of ale-py's class of that name.

Where ale-py ends the process or reads outside its memory, this class raises an exception and leaves
the object unchanged.
"""

from __future__ import annotations

import gzip
import io
import operator
import os
import time
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, NoReturn, SupportsFloat, SupportsIndex, TypeAlias, cast, overload

import numpy as np
import numpy.typing as npt

from pyale_ma import _native, atomic, cards, roms
from pyale_ma._native import (
    FULL,
    RAM_SIZE,
    REWARD,
    SCREEN_WIDTH,
    Outcome,
    Pixels,
    Rules,
)
from pyale_ma.actions import Action
from pyale_ma.cartridge_cache import CartridgeCache, key_of, no_env, save_png
from pyale_ma.objects import ObjectBox, boxes_of
from pyale_ma.single.action import LoggerMode, no_action
from pyale_ma.single.recorder import Recorder
from pyale_ma.single.settings import Settings
from pyale_ma.single.state import ALEState
from pyale_ma.text import listed, printable
from pyale_ma.window import Window, frame_rate

Bytes: TypeAlias = npt.NDArray[np.uint8]
Path_: TypeAlias = "str | os.PathLike[str]"

_ACTIONS = len(Action)
_INDEXED, _RGB, _GRAYSCALE, _OBJECTS = Pixels  # looked up once
_UINT8 = np.dtype(np.uint8)
_RESET_SWITCH = 40  # ale-py takes this number as an action that does nothing


class ALEInterface:
    """A console with one player.

    Settings (`setInt`, `setFloat`, `setBool`, `setString`) take effect at the next `loadROM`:

    | setting | type | default and meaning |
    | --- | --- | --- |
    | `random_seed` | int | the seed of the sticky actions; -1: the time in seconds |
    | `system_random_seed` | int | 4753849; the seed of RAM and timer at power-on |
    | `repeat_action_probability` | float | 0.25; that an action is repeated, in each frame |
    | `frame_skip` | int | 1; frames per `act` |
    | `max_num_frames_per_episode` | int | 0: no limit |
    | `truncate_on_loss_of_life` | bool | False; True: the loss of a life truncates |
    | `reward_min`, `reward_max` | int | limits to which the reward of an `act` is clamped |
    | `paddle_min`, `paddle_max` | int | -1: the usual limits of a paddle |
    | `color_averaging` | bool | False; True: each frame is blended with the previous one |
    | `sound_obs` | bool | False; True: `getAudio` has samples |
    | `objects_obs` | bool | False; True: `getScreenObjects` and `getObjectBoxes` work |
    | `display_screen`, `sound` | bool | False; True: show a window, play the sound (needs pygame) |
    | `record_screen_dir` | str | `""`; a folder: each frame is saved there as a PNG file |

    ale-py's other settings are kept but have no effect.  Threads may share a console: their calls
    wait for each other.
    """

    _logger_mode: ClassVar[LoggerMode] = LoggerMode.Error

    def __init__(self) -> None:
        self._settings = Settings()
        self._env = no_env("ROM not set: call loadROM first")
        self._path = ""
        self._cache = CartridgeCache()
        self._window: Window | None = None
        self._recorder: Recorder | None = None
        self._on_frame: Callable[[_native.Env], None] | None = None
        self._is_watched = False

    def __reduce__(self) -> NoReturn:
        raise TypeError("an ALEInterface cannot be pickled or copied; clone its state instead")

    def close(self) -> None:
        """Close the window, if there is one.  The console can still be used."""
        if self._window is not None:
            self._window.close()

    # ---- Settings ----------------------------------------------------------------------------

    @classmethod
    def setLoggerMode(cls, mode: LoggerMode | int) -> None:
        """Does nothing; it exists because ale-py has it.  This library prints nothing.

        Raises:
            TypeError: `mode` is no `LoggerMode`.
        """
        try:
            cls._logger_mode = LoggerMode(mode)
        except ValueError:
            raise TypeError(f"{mode!r} is no LoggerMode") from None

    def getString(self, key: str) -> str:
        """A setting as text; "" for an unknown one."""
        return self._settings.get_string(key)

    def getInt(self, key: str) -> int:
        """A setting as a whole number; -1 for an unknown one."""
        return self._settings.get_int(key)

    def getFloat(self, key: str) -> float:
        """A setting as a number; -1.0 for an unknown one."""
        return self._settings.get_float(key)

    def getBool(self, key: str) -> bool:
        """A setting as a truth value; False for an unknown one."""
        return self._settings.get_bool(key)

    def setString(self, key: str, value: str) -> None:
        """Change a text setting.  RuntimeError: there is no such one, or of another type."""
        if not isinstance(value, str):
            raise TypeError(f"{key} takes a str, not {value!r}")
        self._settings.set(key, value, str)

    def setInt(self, key: str, value: SupportsIndex) -> None:
        """Change a whole-number setting, 32 bits.  RuntimeError as `setString`."""
        number = operator.index(value)
        if not -(2**31) <= number < 2**31:
            raise TypeError(f"{key} takes an int of 32 bits, not {number}")
        self._settings.set(key, number + 0, int)

    def setFloat(self, key: str, value: SupportsFloat) -> None:
        """Change a number setting, six digits of which are kept.  RuntimeError as `setString`."""
        if isinstance(value, (str, bytes)):
            raise TypeError(f"{key} takes a float, not {value!r}")
        self._settings.set(key, float(value), float)

    def setBool(self, key: str, value: bool) -> None:
        """Change a yes-or-no setting.  RuntimeError as `setString`."""
        if not isinstance(value, bool):
            raise TypeError(f"{key} takes a bool, not {value!r}")
        self._settings.set(key, value, bool)

    def _env_options(self) -> dict[str, float]:
        """The settings in the library's words."""
        get_int, get_bool = self._settings.get_int, self._settings.get_bool
        seed = get_int("random_seed")
        frame_skip = get_int("frame_skip")
        if frame_skip < 0:
            raise ValueError(f"the setting frame_skip is {frame_skip}; it must be at least 1")
        return {
            "rules": Rules.SOLO,
            "random_seed": (int(time.time()) if seed == -1 else seed) % 2**32,
            "system_seed": get_int("system_random_seed") % 2**32,
            "repeat_action_probability": self._settings.get_float("repeat_action_probability"),
            "frame_skip": max(frame_skip, 1),
            "max_num_frames_per_episode": get_int("max_num_frames_per_episode"),
            "truncate_on_loss_of_life": get_bool("truncate_on_loss_of_life"),
            "reward_min": get_int("reward_min"),
            "reward_max": get_int("reward_max"),
            "paddle_min": get_int("paddle_min"),
            "paddle_max": get_int("paddle_max"),
            "color_averaging": get_bool("color_averaging"),
            "sound": get_bool("sound_obs") or get_bool("sound"),
            "objects": get_bool("objects_obs"),
        }

    # ---- Loading -----------------------------------------------------------------------------

    @staticmethod
    def isSupportedROM(path: Path_) -> str | None:
        """The name of the game whose ROM a file is, None if it is that of no single-player game.

        Raises:
            RuntimeError: There is no such file.
        """
        if not os.path.isfile(path):
            raise RuntimeError(f"ROM file doesn't exist: {printable(os.fspath(path))}")
        name = roms.identify(path)
        return name if name and Rules.SOLO in _native.games()[name].rules else None

    def loadROM(
        self,
        path: Path_,
        *,
        game: Path_ | cards.Card | None = None,
        variation: str | None = None,
    ) -> None:
        """Put a cartridge in, with the present settings, and reset once in its default mode.

        Args:
            path: A ROM file, plain or compressed by gzip; "" for the one that is loaded.
            game: Whose rules give rewards and ends.  None: the game whose ROM it is, by MD5; if
                that is unknown, the game that the file is named after (with a warning).  A name:
                that game's.  A card, or its path: the card's.  "": no rules; the reward is 0 and
                no game ends.
            variation: One of the card's variations; None for none.

        Raises:
            FileNotFoundError: There is no such file or card.
            ValueError: The file is no cartridge, its game is unknown or has no rules for one
                player, the card has a mistake, or a setting is out of range.
            RuntimeError: The cartridge does not behave like the game whose rules were chosen.
        """
        file = os.fspath(path) or self._path
        if not file:
            raise FileNotFoundError("loadROM('') loads the present ROM again, but there is none")
        data = read_rom(file)
        rules: cards.Card | str | None = None
        if isinstance(game, str) and not cards.is_card(game):
            rules = game
        elif game is not None:
            rules = game if isinstance(game, cards.Card) else cards.load_card(game)
        key = key_of(data, rules, variation)
        rom = self._cache.find(key) or self._rom_of(data, file, rules, variation)
        self._load(file, rom, key)

    def _load(
        self,
        file: str,
        rom: _native.Rom,
        key: tuple[object, ...] | None = None,
        mode: SupportsIndex | None = None,
        difficulty: SupportsIndex | None = None,
    ) -> None:
        """Let a new console play, in a mode and difficulty that apply from the next reset on.

        It takes the place of the present one when it is complete, in one step: an exception leaves
        everything as it was, and nobody has to wait for anybody.
        """
        options = self._env_options()
        folder = self.getString("record_screen_dir")
        recorder = Recorder(folder, rom, options) if folder else None
        env = _native.Env(rom, **options)
        if mode is not None:
            _set_mode(env, mode)
        if difficulty is not None:
            _set_difficulty(env, difficulty)
        window = self._window
        if window is None and self.getBool("display_screen"):
            window = self._open_window(file, env)
        watchers = (window, recorder, self._on_frame)
        playing = {
            "_env": env,
            "_path": file,
            "_recorder": recorder,
            "_window": window,
            "_is_watched": any(watcher is not None for watcher in watchers),
        }
        atomic.update(
            [
                (vars(self), playing),
                self._cache.holding(rom, options, key),
                self._settings.holding(rom_file=file),
            ]
        )

    def _kept(self) -> atomic.Changes:
        """What loading and settings change, as it is now."""
        return atomic.kept(vars(self), vars(self._cache), self._settings.texts)

    def _watch(self, see: Callable[[_native.Env], None]) -> None:
        """Have a function called with the console after every frame that is played from now on."""
        self._on_frame, self._is_watched = see, True

    def _rom_of(
        self, data: bytes, file: str, rules: cards.Card | str | None, variation: str | None
    ) -> _native.Rom:
        if isinstance(rules, cards.Card):
            return cards.shared_rom(data, rules, variation)
        rom = _native.shared_rom(data, rules, variation=variation)
        if rom.info.game == _native.GAME_UNKNOWN:
            stem = Path(file).stem.lower()
            if stem not in _native.games():
                raise ValueError(
                    f"{printable(file)} is the ROM of no supported game "
                    f"(its MD5 is {rom.info.md5.decode()}); "
                    "loadROM(path, game='') plays it without rewards"
                )
            warnings.warn(
                f"{printable(file)} has an unknown MD5; "
                f"it is played by the rules of {stem!r} for its name",
                stacklevel=3,
            )
            rom = _native.shared_rom(data, stem)
        return rom

    def _open_window(self, file: str, env: _native.Env) -> Window:
        info, sound = env.info, self.getBool("sound")
        return Window(Path(file).stem, info.screen_height, fps=frame_rate(info), sound=sound)

    # ---- Playing -----------------------------------------------------------------------------

    def act(self, action: Action | SupportsIndex, paddle_strength: SupportsFloat = FULL) -> int:
        """Play one action for the frames of the setting frame_skip.

        Args:
            action: An `Action` or its number, 0 to 17.
            paddle_strength: How far RIGHT and LEFT turn a paddle.

        Returns:
            The reward.

        Raises:
            ValueError: There is no such action.
        """
        if type(action) is not int:
            try:
                action = action._value_ if isinstance(action, Action) else operator.index(action)
            except TypeError:
                raise no_action(action, _ACTIONS) from None
        full = type(paddle_strength) is float and paddle_strength == FULL
        if full and 0 <= action < _ACTIONS and not self._is_watched:
            return self._env.act_alone(action)
        if not 0 <= action < _ACTIONS:
            if action != _RESET_SWITCH:
                raise ValueError(f"there is no action {action}; actions are 0 to {_ACTIONS - 1}")
            action = 0
        return self._step(None, action, paddle_strength, 1)[1]

    def _step(
        self, pixels: Pixels | None, action: int, strength: SupportsFloat, repeat: int
    ) -> tuple[Bytes | None, int, Outcome]:
        """Play an action `repeat` times.

        Returns:
            The screen after it, None without pixels; the sum of the rewards; what came of it.
        """
        env = self._env
        if self._is_watched:
            return self._step_watched(pixels, action, strength, repeat)
        image, outcome = env.step_alone(pixels, action, repeat, strength)
        return image, outcome[REWARD], outcome

    def _step_watched(
        self, pixels: Pixels | None, action: int, strength: SupportsFloat, repeat: int
    ) -> tuple[Bytes | None, int, Outcome]:
        """`_step`, each act seen by who watches; an exception takes back all of them."""
        env, reward = self._env, 0
        before = ALEState.for_saving()
        env.save(before, include_random=True)
        try:
            while True:
                if self._recorder is not None:
                    self._recorder.record(env, action, strength)
                last = repeat <= 1
                image, outcome = env.step_alone(pixels if last else None, action, 1, strength)
                reward += outcome[REWARD]
                if self._window is not None:
                    self._window.show(env.screen(Pixels.RGB), env.audio)
                if self._on_frame is not None:
                    self._on_frame(env)
                repeat -= 1
                if last:
                    return image, reward, outcome
        except BaseException:
            env.restore(before)
            raise

    def reset_game(self) -> None:
        """Start an episode in the mode last set."""
        self._env.reset()

    def game_over(self, with_truncation: bool = True) -> bool:
        """Whether the episode is over; `with_truncation`: or truncated."""
        report = self._env.report
        return bool(report.terminated or (with_truncation and report.truncated))

    def game_truncated(self) -> bool:
        """Whether the episode was cut off by a limit."""
        return bool(self._env.report.truncated)

    def lives(self) -> int:
        """The lives left; 0 in games that have none."""
        return self._env.report.lives[0]

    def getFrameNumber(self) -> int:
        """Frames since the ROM was loaded."""
        return self._env.report.frame_number

    def getEpisodeFrameNumber(self) -> int:
        """Frames since the last reset, including those of the mode selection."""
        return self._env.report.episode_frame_number

    def getLegalActionSet(self) -> list[Action]:
        """All actions that the game allows, ascending."""
        return [Action(bit) for bit in _native.bits(self._env.info.legal_actions)]

    def getMinimalActionSet(self) -> list[Action]:
        """The actions that have an effect in this game, ascending."""
        return [Action(bit) for bit in _native.bits(self._env.info.minimal_actions)]

    def getAvailableModes(self) -> list[int]:
        """The modes that `setMode` accepts."""
        return self._env.modes()

    def setMode(self, mode: SupportsIndex) -> None:
        """Choose a mode; it applies from the next reset on.

        Raises:
            RuntimeError: The game has no such mode.
        """
        _set_mode(self._env, mode)

    def getAvailableDifficulties(self) -> list[int]:
        """The difficulties that `setDifficulty` accepts."""
        return _difficulties(self._env)

    def setDifficulty(self, difficulty: SupportsIndex) -> None:
        """Choose a difficulty; it applies from the next frame on.

        Raises:
            RuntimeError: The game has no such difficulty.
        """
        _set_difficulty(self._env, difficulty)

    # ---- What can be seen and heard ------------------------------------------------------------

    def getScreenDims(self) -> tuple[int, int]:
        """Rows and columns of the screen: (210, 160) in most games."""
        return (self._env.info.screen_height, SCREEN_WIDTH)

    @overload
    def getScreen(self, buffer: None = None) -> Bytes: ...
    @overload
    def getScreen(self, buffer: Any) -> None: ...
    def getScreen(self, buffer: Any = None) -> Bytes | None:
        """The screen as palette indices, uint8 (height, 160).

        Args:
            buffer: Where to write it: a C-contiguous, writable uint8 buffer.  None: a new array.

        Raises:
            TypeError: `buffer` is none of these.
            RuntimeError: `buffer` has another shape.
        """
        return self._screen("getScreen", _INDEXED, buffer)

    @overload
    def getScreenRGB(self, buffer: None = None) -> Bytes: ...
    @overload
    def getScreenRGB(self, buffer: Any) -> None: ...
    def getScreenRGB(self, buffer: Any = None) -> Bytes | None:
        """The screen in red, green and blue, uint8 (height, 160, 3).  See `getScreen`."""
        return self._screen("getScreenRGB", _RGB, buffer)

    @overload
    def getScreenGrayscale(self, buffer: None = None) -> Bytes: ...
    @overload
    def getScreenGrayscale(self, buffer: Any) -> None: ...
    def getScreenGrayscale(self, buffer: Any = None) -> Bytes | None:
        """The screen in shades of gray, uint8 (height, 160).  See `getScreen`."""
        return self._screen("getScreenGrayscale", _GRAYSCALE, buffer)

    @overload
    def getScreenObjects(self, buffer: None = None) -> Bytes: ...
    @overload
    def getScreenObjects(self, buffer: Any) -> None: ...
    def getScreenObjects(self, buffer: Any = None) -> Bytes | None:
        """The objects that cover each pixel, visible or not, uint8 (height, 160).

        Bit n is set where object n of `pyale_ma.objects.Object` is: 1 player 0, 2 player 1, 4 and 8
        their missiles, 16 the ball, 32 the playfield.  0 where there is only background and where
        the picture is blank.  See `getScreen`.

        Raises:
            RuntimeError: The setting objects_obs was off when the ROM was loaded.
        """
        self._cache.check_objects("getScreenObjects")
        return self._screen("getScreenObjects", _OBJECTS, buffer)

    def getObjectBoxes(self) -> list[ObjectBox]:
        """Boxes around the objects of the screen, one for each copy, with its color.

        Pixels of a player, a missile or the ball are in one box if they are in the same row or in
        neighbouring rows and at most 8 columns apart; pixels of the playfield if they share a side.

        Raises:
            RuntimeError: The setting objects_obs was off when the ROM was loaded.
        """
        self._cache.check_objects("getObjectBoxes")
        return boxes_of(self._env)

    def _screen(self, name: str, pixels: Pixels, buffer: Any) -> Bytes | None:
        env = self._env
        if buffer is None:
            return env.screen(pixels)
        shape = env.shapes[pixels]
        out = _writable(name, buffer, shape)
        if out.shape != shape:
            raise RuntimeError(f"{name}: expected a buffer of shape {shape}, given {out.shape}")
        env.screen(pixels, out)
        return None

    def getRAMSize(self) -> int:
        """128."""
        return RAM_SIZE

    @overload
    def getRAM(self, buffer: None = None) -> Bytes: ...
    @overload
    def getRAM(self, buffer: Any) -> None: ...
    def getRAM(self, buffer: Any = None) -> Bytes | None:
        """The console's RAM, uint8 (128,), into a new array or into `buffer`.

        Raises:
            TypeError: `buffer` is no C-contiguous, writable uint8 buffer of this shape.
        """
        return self._samples("getRAM", self._env.ram, buffer)

    def setRAM(self, index: SupportsIndex, value: SupportsIndex) -> None:
        """Change one byte of RAM at once; rewards, lives and ends follow with the next frame.

        Raises:
            RuntimeError: `index` is above 127.
            TypeError: `index` is negative, or `value` not within 0 to 255.
        """
        place, byte = operator.index(index), operator.index(value)
        if place < 0 or not 0 <= byte <= 255:
            raise TypeError(f"setRAM takes an index of 0 to 127 and a byte, not {place}, {byte}")
        if place >= RAM_SIZE:
            raise RuntimeError(f"setRAM index out of bounds: {place} is above {RAM_SIZE - 1}")
        self._env.set_ram(place, byte)

    def getAudioSize(self) -> int:
        """512, the samples of a frame."""
        return len(self._env.audio)

    @overload
    def getAudio(self, buffer: None = None) -> Bytes: ...
    @overload
    def getAudio(self, buffer: Any) -> None: ...
    def getAudio(self, buffer: Any = None) -> Bytes | None:
        """The samples of the latest `act`, uint8 (512,), at 31400 Hz.  See `getRAM`.

        All 0 unless the setting sound_obs is on.
        """
        return self._samples("getAudio", self._env.audio, buffer)

    def _samples(self, name: str, source: Bytes, buffer: Any) -> Bytes | None:
        if buffer is None:
            copy: Bytes = source.copy()
            return copy
        out = _writable(name, buffer, source.shape)
        if out.shape != source.shape:
            _refuse(name, buffer, source.shape)
        out[:] = source
        return None

    def saveScreenPNG(self, filename: Path_) -> None:
        """Write the screen to a PNG file, 320 pixels wide.

        Raises:
            OSError: The file cannot be written.
        """
        save_png(self._env, filename)

    # ---- States --------------------------------------------------------------------------------

    def cloneState(self, include_rng: bool = False) -> ALEState:
        """The current state; `include_rng`: with the random generator of the sticky actions."""
        state = ALEState.for_saving()
        self._env.save(state, include_rng)
        return state

    def cloneSystemState(self) -> ALEState:
        """`cloneState(True)`."""
        return self.cloneState(True)

    def restoreState(self, state: ALEState) -> None:
        """Restore a state of this console, or of another one with the same ROM.

        Raises:
            ValueError: The state is empty, or another ROM's.
        """
        if not isinstance(state, ALEState):
            raise TypeError(f"restoreState takes an ALEState, not {type(state).__name__}")
        self._env.restore(state)

    restoreSystemState: ClassVar[Callable[[ALEInterface, ALEState], None]] = restoreState  # noqa: N815


def _set_mode(env: _native.Env, mode: SupportsIndex) -> None:
    number, modes = operator.index(mode), env.modes()
    if number not in modes:
        raise RuntimeError(f"Invalid game mode requested: {number}; there are {listed(modes)}")
    env.set_mode(number)


def _difficulties(env: _native.Env) -> list[int]:
    return _native.bits(env.info.difficulties)


def _set_difficulty(env: _native.Env, difficulty: SupportsIndex) -> None:
    number, known = operator.index(difficulty), _difficulties(env)
    if number not in known:
        raise RuntimeError(f"Invalid difficulty requested: {number}; there are {listed(known)}")
    env.set_difficulty(number)


def read_rom(file: str) -> bytes:
    """The contents of a ROM file, plain or compressed, cut to what a cartridge can hold."""
    if os.path.isdir(file):
        raise IsADirectoryError(f"{printable(file)} is a folder, not a ROM file")
    data = roms.read(file)
    if data[:2] == b"\x1f\x8b":
        try:
            # The one byte more has the checksum looked at, if this is all there is.
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(_native.MAX_ROM_SIZE + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{printable(file)} is compressed, but damaged: {error}") from error
    return data[: _native.MAX_ROM_SIZE]


def _writable(name: str, buffer: Any, shape: tuple[int, ...]) -> Bytes:
    """`buffer` as an array that shares its memory."""
    array: npt.NDArray[Any]
    if isinstance(buffer, np.ndarray):
        if type(buffer) is not np.ndarray:
            buffer = np.asarray(buffer)  # a class of the user's may say anything of itself
        flags = buffer.flags
        if buffer.dtype is _UINT8 and flags.carray:
            return cast(Bytes, buffer)
        array, writable = buffer, flags.writeable
    else:
        try:
            view = memoryview(buffer)
            array, writable = np.asarray(view), not view.readonly
        except TypeError:
            if not hasattr(buffer, "__dlpack__"):
                _refuse(name, buffer, shape)
            array = np.from_dlpack(buffer)
            if array.dtype == np.uint8 and array.flags.c_contiguous and not array.flags.writeable:
                # Older exchanges do not say whether they may be written to; numpy then says no.
                array = _native.view(array.ctypes.data, array.shape)
            writable = array.flags.writeable
    if array.dtype != np.uint8 or not array.flags.c_contiguous or not writable:
        _refuse(name, buffer, shape)
    return cast(Bytes, array)


def _refuse(name: str, buffer: Any, shape: tuple[int, ...]) -> NoReturn:
    given = f"{buffer.dtype} {buffer.shape}" if isinstance(buffer, np.ndarray) else type(buffer)
    raise TypeError(
        f"{name}(): incompatible function arguments. The following argument types are supported: "
        f"a C-contiguous, writable buffer of uint8 {shape}; given {given}"
    )
