"""`ALEInterface`: one console, with the methods of ale-py's class of that name, for any players.

Where ale-py ends the process or reads outside its memory, this class raises an exception and leaves
the object unchanged.
"""

from __future__ import annotations

import gzip
import io
import operator
import os
import reprlib
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, ClassVar, NoReturn, SupportsFloat, SupportsIndex, TypeAlias, cast, overload

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._base.arguments import no_flag, number, whole
from pyale_ma._base.text import printable
from pyale_ma._native import (
    FULL,
    LEAST_REWARD,
    RAM_SIZE,
    REWARD,
    SCREEN_WIDTH,
    Outcome,
    Pixels,
    Rules,
    act_alone,
    restore,
)
from pyale_ma.console.base_interface import Interface, rom_by_name, shared_options
from pyale_ma.console.screen_recorder import ScreenRecorder
from pyale_ma.console.state import ALEState
from pyale_ma.games import cards, rom_files
from pyale_ma.games.actions import Action
from pyale_ma.screen.window import Window, frame_rate
from pyale_ma.single.action import LoggerMode, no_action
from pyale_ma.single.settings_table import SettingsTable

Bytes: TypeAlias = npt.NDArray[np.uint8]
Path_: TypeAlias = "str | os.PathLike[str]"
RomPath: TypeAlias = "str | bytes | os.PathLike[str]"
Several: TypeAlias = "Sequence[Action | SupportsIndex] | npt.NDArray[Any]"
Strengths: TypeAlias = "Sequence[SupportsFloat] | npt.NDArray[Any]"

_ACTIONS = len(Action)
_INDEXED, _RGB, _GRAYSCALE, _OBJECTS = Pixels  # looked up once
_UINT8 = np.dtype(np.uint8)
_NO_LISTS = (str, bytes, Mapping, Set)  # iterables that say nothing of an order of players
_RESET_SWITCH = 40  # ale-py takes this number as an action that does nothing


class ALEInterface(Interface):
    """A console with one to four players, depending on the mode.

    Modes for one player have ale-py's numbers and rules.  Modes for several have the rules of
    multi-agent-ale-py, and its numbers, less 1 in Pong, Space Invaders, Mario Bros., Tennis and
    Othello; `pyale_ma.translate_mode` translates them.  A reset that changes from one player to
    several, or back, starts the console anew, as loading the ROM does.

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
    | `max_turn_time` | int | -1; frames for a move, in four games for several players |
    | `color_averaging` | bool | False; True: each frame is blended with the previous one |
    | `corrected_rules` | bool | False; True: rewards and ends without the faults of the originals |
    | `sound_obs` | bool | False; True: `getAudio` has samples |
    | `objects_obs` | bool | False; True: `getScreenObjects` works |
    | `display_screen`, `sound` | bool | False; True: show a window, play the sound (needs pygame) |
    | `record_screen_dir` | str | `""`; a folder: each frame is saved there as a PNG file |

    ale-py's other settings are kept but have no effect.  A call that comes while another one runs,
    in another thread or a signal handler, is refused with a RuntimeError.  After an `act` that was
    interrupted in the middle, calls raise gymnasium.error.ResetNeeded until `reset_game`, `loadROM`
    or `restoreState`.

    Examples:
        ```python
        from pyale_ma import roms
        from pyale_ma.single import ALEInterface

        ale = ALEInterface()
        ale.setInt("random_seed", 123)
        ale.loadROM(roms.find_rom("quartet"))
        reward = ale.act(0)
        screen = ale.getScreenRGB()
        ```
    """

    __slots__ = ("_is_watched", "_on_frame", "_path", "_settings", "_window")
    _logger_mode: ClassVar[LoggerMode] = LoggerMode.Error
    _other = (Rules.MULTI, "multi-agent-ale-py")

    def __init__(self) -> None:
        super().__init__("ROM not set: call loadROM first")
        self._settings = SettingsTable()
        self._path = ""
        self._window: Window | None = None
        self._on_frame: Callable[[_native.Env], None] | None = None
        self._is_watched = False

    def close(self) -> None:
        """Close the window, if there is one.  The console can still be used."""
        if self._window is not None:
            self._window.close()

    # ---- Settings ----------------------------------------------------------------------------

    @classmethod
    def setLoggerMode(cls, mode: LoggerMode | int) -> None:
        """Does nothing; it exists because ale-py has it.  This library prints nothing.

        Raises:
            TypeError: `mode` is not a `LoggerMode`.
        """
        try:
            cls._logger_mode = LoggerMode(mode)
        except ValueError:
            raise TypeError(f"{mode!r} is no LoggerMode") from None

    def getString(self, key: str) -> str:
        """A setting as text; "" for an unknown one."""
        return self._settings.get(_key(key), "")

    def getInt(self, key: str) -> int:
        """A setting as a whole number; -1 for an unknown one."""
        return self._settings.get_int(_key(key))

    def getFloat(self, key: str) -> float:
        """A setting as a number; -1.0 for an unknown one."""
        return self._settings.get_float(_key(key))

    def getBool(self, key: str) -> bool:
        """A setting as a truth value; False for an unknown one."""
        return self._settings.get_bool(_key(key))

    def setString(self, key: str, value: str) -> None:
        """Change a text setting.  RuntimeError: there is no such one, or of another type."""
        if not isinstance(value, str):
            raise TypeError(f"{key} takes a str, not {value!r}")
        self._settings.set(key, value, str)

    def setInt(self, key: str, value: SupportsIndex) -> None:
        """Change a whole-number setting, 32 bits.  RuntimeError as `setString`."""
        number = whole(key, value)
        if not -(2**31) <= number < 2**31:
            raise TypeError(f"{key} takes an int of 32 bits, not {number}")
        self._settings.set(key, number + 0, int)

    def setFloat(self, key: str, value: SupportsFloat) -> None:
        """Change a number setting, a float32 of six digits.  RuntimeError as `setString`."""
        self._settings.set(key, number(key, value), float)

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
            **shared_options(self._settings),
            "rules": Rules.BY_MODE,
            "random_seed": (int(time.time()) if seed == -1 else seed) % 2**32,
            "system_seed": get_int("system_random_seed") % 2**32,
            "truncate_on_loss_of_life": get_bool("truncate_on_loss_of_life"),
            "reward_min": get_int("reward_min"),
            "reward_max": get_int("reward_max"),
            "sound": get_bool("sound_obs") or get_bool("sound"),
        }

    # ---- Loading -----------------------------------------------------------------------------

    @staticmethod
    def isSupportedROM(path: RomPath) -> str | None:
        """The name of the game whose ROM a file is, None if it is that of no game.

        Raises:
            RuntimeError: There is no such file.
        """
        file = os.fsdecode(path)
        if not os.path.isfile(file):
            raise RuntimeError(f"ROM file doesn't exist: {printable(file)}")
        return rom_files.identify(file)

    def loadROM(
        self,
        path: RomPath,
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
            ValueError: The file is no cartridge, its game is unknown, the card has a mistake, or a
                setting is out of range.
            RuntimeError: The cartridge does not behave like the game whose rules were chosen.
        """
        file = os.fsdecode(path) or self._path
        if not file:
            raise FileNotFoundError("loadROM('') loads the present ROM again, but there is none")
        try:
            data = read_rom(file)
        except FileNotFoundError:
            raise rom_files.no_file(file) from None
        rules: cards.Card | str | None = None
        if isinstance(game, str) and not cards.is_card(game):
            rules = game
        elif game is not None:
            rules = game if isinstance(game, cards.Card) else cards.load_card(game)
        self._load(file, self._rom_of(data, file, rules, variation))

    def _load(
        self,
        file: str,
        rom: _native.Rom,
        mode: SupportsIndex | None = None,
        difficulty: SupportsIndex | None = None,
    ) -> None:
        """Let a console play that is as new; see `_console_for`."""
        options = self._env_options()
        folder = self.getString("record_screen_dir")
        recorder = ScreenRecorder(folder, rom, options) if folder else None
        env = self._console_for(rom, options, mode, difficulty)
        if self._window is None and self.getBool("display_screen"):
            self._window = self._open_window(file, env)
        self._path, self._recorder = file, recorder
        self._settings["rom_file"] = file
        watchers = (self._window, recorder, self._on_frame)
        self._is_watched = any(watcher is not None for watcher in watchers)
        self._replace_console(env)

    def _watch(self, see: Callable[[_native.Env], None]) -> None:
        """Have a function called with the console after every frame that is played from now on."""
        self._on_frame, self._is_watched = see, True

    def _rom_of(
        self, data: bytes, file: str, rules: cards.Card | str | None, variation: str | None
    ) -> _native.Rom:
        if isinstance(rules, cards.Card):
            return cards.shared_rom(data, rules, variation)
        if rules is not None or variation is not None:
            return _native.shared_rom(data, rules, variation=variation)
        advice = "; loadROM(path, game='') plays it without rewards"
        return rom_by_name(data, file, Path(file).stem.lower(), advice)

    def _open_window(self, file: str, env: _native.Env) -> Window | None:
        """Open a window; where there is no display or no pygame, warn and play unseen."""
        info, sound = env.info, self.getBool("sound")
        try:
            return Window(Path(file).stem, info.screen_height, fps=frame_rate(info), sound=sound)
        except (ImportError, RuntimeError) as missing:
            warnings.warn(f"the game is played unseen: {missing}", stacklevel=2)
            return None

    # ---- Playing -----------------------------------------------------------------------------

    @overload
    def act(  # type: ignore[overload-overlap]  # an array is no index, whatever its class says
        self, action: Action | SupportsIndex, paddle_strength: SupportsFloat = FULL
    ) -> int: ...
    @overload
    def act(
        self,
        action: Several,
        paddle_strength: Strengths | float = FULL,
        paddle_strengths: Strengths | None = None,
    ) -> list[int]: ...
    def act(
        self, action: Any, paddle_strength: Any = FULL, paddle_strengths: Any = None
    ) -> int | list[int]:
        """Play one action of each active player for the frames of the setting frame_skip.

        Args:
            action: An `Action` or its number, 0 to 17, where there is one player; or a list, tuple
                or array of them, one for each player.
            paddle_strength: How far RIGHT and LEFT turn a paddle; of a list of actions, a list.
            paddle_strengths: The same of a list of actions, under its plural name: one for each
                player; None: all 1.0.

        Returns:
            The reward; of a list of actions, the list of all players' rewards.

        Raises:
            ValueError: There is no such action.
            TypeError: Both `paddle_strength` and `paddle_strengths` are given.
            RuntimeError: There are more or fewer actions, or strengths, than players; or a list has
                an action that does not exist.
        """
        kind = type(action)
        if kind is Action:
            action = action._value_
        elif kind is not int or not 0 <= action < _ACTIONS:
            try:
                action = operator.index(action)
            except TypeError:
                return self._act_each(action, paddle_strength, paddle_strengths)
            if action == _RESET_SWITCH:
                action = 0
            if not 0 <= action < _ACTIONS:
                raise ValueError(f"there is no action {action}; actions are 0 to {_ACTIONS - 1}")
        if paddle_strengths is not None:
            raise TypeError("paddle_strengths are for a list of actions; there is one action")
        full = paddle_strength is FULL or (
            type(paddle_strength) is float and paddle_strength == FULL
        )
        env = self._env
        try:
            if full and not self._is_watched:
                if env.tap is None:
                    reward: int = act_alone(env.alone, action, 1)
                    if reward >= LEAST_REWARD:
                        return reward
                return env.act_alone(action)  # which tells the tap, or says what is wrong
            return self._step(None, action, 1, paddle_strength)[1][REWARD]
        except ValueError:
            self._check_actions([action])
            raise

    def _act_each(self, actions: Any, strength: Any, strengths: Any) -> list[int]:
        """`act` of a list, tuple or array of actions."""
        if isinstance(actions, _NO_LISTS) or not isinstance(actions, Iterable):
            raise no_action(actions, _ACTIONS)
        try:
            numbers = [a._value_ if isinstance(a, Action) else operator.index(a) for a in actions]
        except TypeError:
            raise TypeError(
                f"action is {reprlib.repr(actions)}; each must be a whole number, 0 to "
                f"{_ACTIONS - 1}"
            ) from None
        if not (strength is None or (isinstance(strength, float) and strength == FULL)):
            if strengths is not None:
                raise TypeError(
                    f"paddle_strength is {strength!r} and paddle_strengths is {strengths!r}; give "
                    "one of them"
                )
            strengths = strength
        if strengths is None or (isinstance(strengths, float) and strengths == FULL):
            turns = None
        elif isinstance(strengths, Iterable) and not isinstance(strengths, _NO_LISTS):
            turns = [float(strength) for strength in strengths]
        else:
            raise TypeError(f"paddle_strengths is {strengths!r}; it must have one for each player")
        if not self._is_watched:
            return self._play(numbers, turns)
        self._check_actions(numbers, turns)
        _, outcome = self._watched(lambda env, _: (None, env.play(numbers, turns)), 1)
        return list(outcome[: len(numbers)])  # the rewards are first

    def _step(
        self, pixels: Pixels | None, action: int, repeat: int, strength: SupportsFloat
    ) -> tuple[Bytes | None, Outcome]:
        """Do what `_native.Env.step_alone` does, seen by who watches."""
        if not self._is_watched:
            return self._env.step_alone(pixels, action, repeat, strength)
        return self._watched(
            lambda env, pixels: env.step_alone(pixels, action, 1, strength), repeat, pixels
        )

    def _watched(
        self,
        play: Callable[[_native.Env, Pixels | None], tuple[Bytes | None, Outcome]],
        repeat: int,
        pixels: Pixels | None = None,
    ) -> tuple[Bytes | None, Outcome]:
        """`_step`, each act seen by who watches."""
        env, reward = self._env, 0
        while True:
            if self._recorder is not None:
                self._recorder.record(env, lambda double: play(double, None))
            last = repeat <= 1
            image, outcome = play(env, pixels if last else None)
            reward += outcome[REWARD]
            if self._window is not None:
                self._window.show(env.screen(Pixels.RGB), env.audio)
            if self._on_frame is not None:
                self._on_frame(env)
            repeat -= 1
            if last:
                return image, (reward, *outcome[1:])

    def lives(self) -> int:
        """The lives left; 0 in games that have none.

        Raises:
            RuntimeError: The mode is for several players, whose lives `allLives` has.
        """
        env = self._env
        report = env.report
        if report.players > 1:
            raise RuntimeError(
                f"mode {report.mode} is for {report.players} players; call allLives for all lives"
            )
        return env.lives[0]

    def allLives(self) -> list[int]:
        """The lives of each active player; negative: out, while others may play on."""
        return self._lives()

    def setMode(self, mode: SupportsIndex) -> None:
        """Choose a mode: the number of players changes at once, the cartridge at the next reset.

        Raises:
            RuntimeError: The game has no such mode for any number of players.
            TypeError: `mode` is no number of 32 bits without a sign.
        """
        super().setMode(_unsigned("mode", mode))

    def setDifficulty(self, difficulty: SupportsIndex) -> None:
        """Choose a difficulty; it applies from the next frame on.

        Raises:
            RuntimeError: The game has no such difficulty.
            TypeError: `difficulty` is no number of 32 bits without a sign.
        """
        super().setDifficulty(_unsigned("difficulty", difficulty))

    def game_truncated(self) -> bool:
        """Whether the episode was cut off by a limit."""
        return bool(self._env.report.truncated)

    def getLegalActionSet(self) -> list[Action]:
        """All actions that the game allows, ascending."""
        return [Action(bit) for bit in _native.bits(self._env.info.legal_actions)]

    def getMinimalActionSet(self) -> list[Action]:
        """The actions that have an effect in this game, ascending."""
        return [Action(bit) for bit in _native.bits(self._env.info.minimal_actions)]

    def getAvailableModes(self, num_players: SupportsIndex = 1) -> list[int]:
        """The modes for a number of players, 1 to 4, ascending.

        Raises:
            RuntimeError: `num_players` is another number.
        """
        return self._modes(num_players)

    def getAvailableDifficulties(self) -> list[int]:
        """The difficulties that `setDifficulty` accepts."""
        return _native.bits(self._env.info.difficulties)

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
        self._check_objects()
        return self._screen("getScreenObjects", _OBJECTS, buffer)

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

    @overload
    def getRAM(self, buffer: None = None) -> Bytes: ...
    @overload
    def getRAM(self, buffer: Any) -> None: ...
    def getRAM(self, buffer: Any = None) -> Bytes | None:
        """The console's RAM, uint8 (128,), into a new array or into `buffer`.

        Raises:
            TypeError: `buffer` is not a C-contiguous, writable uint8 buffer of this shape.
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

    # ---- States --------------------------------------------------------------------------------

    def cloneState(self, include_rng: bool = False) -> ALEState:
        """The current state; `include_rng`: with the random generator of the sticky actions."""
        if include_rng is not False and include_rng is not True:
            raise no_flag("include_rng", include_rng)
        return self._env.saved(ALEState, include_rng)

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
        env = self._env
        if env.tap is not None or restore(env.alone, state._handle):
            env.restore(state)  # which tells the tap, or says what is wrong

    restoreSystemState: ClassVar[Callable[[ALEInterface, ALEState], None]] = restoreState  # noqa: N815


def _key(key: Any) -> str:
    """The name of a setting."""
    if not isinstance(key, str):
        raise TypeError(f"the name of a setting is a str, not {key!r}")
    return key


def _unsigned(name: str, value: Any) -> int:
    number = whole(name, value)
    if not 0 <= number < 2**32:
        raise TypeError(f"{name} takes a number of 32 bits without a sign, not {number}")
    return number


def read_rom(file: str) -> bytes:
    """The contents of a ROM file, plain or compressed, cut to what a cartridge can hold."""
    if os.path.isdir(file):
        raise IsADirectoryError(f"{printable(file)} is a folder, not a ROM file")
    data = rom_files.read(file)
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
    if type(buffer) is np.ndarray and buffer.dtype is _UINT8 and buffer.flags.carray:
        return buffer
    if isinstance(buffer, np.ndarray):
        buffer = array = np.asarray(buffer)  # a class of the user's may say anything of itself
        writable = array.flags.writeable
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
    kind = f"{buffer.dtype} {buffer.shape}" if isinstance(buffer, np.ndarray) else type(buffer)
    raise TypeError(
        f"{name}(): incompatible function arguments. The following argument types are supported: "
        f"a C-contiguous, writable buffer of uint8 {shape}; given {kind}"
    )
