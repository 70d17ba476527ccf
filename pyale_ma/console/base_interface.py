"""`Interface`: the base of both `ALEInterface`s; each subclass speaks the dialect of one package.

`pyale_ma.single.ALEInterface` has the names and errors of ale-py, `pyale_ma.multi.ALEInterface`
those of multi-agent-ale-py.  Here is what they do.
"""
# ruff: noqa: N802 (the names are those of ale-py)

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, SupportsIndex

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._base.arguments import no_flag, probability, whole
from pyale_ma._base.text import listed, printable
from pyale_ma._native import ACTION_COUNT, MAX_PLAYERS, RAM_SIZE, Rules
from pyale_ma.console.objects import ObjectBox, boxes_of
from pyale_ma.console.screen_recorder import ScreenRecorder
from pyale_ma.console.settings import Settings
from pyale_ma.console.shared import no_env, save_png, shown_console
from pyale_ma.games.modes import players_in_words, ranges, same_mode

# The settings that both packages have: the option that each becomes, and how it is read.
_SHARED: Mapping[str, tuple[str, Callable[[Settings, str], float]]] = MappingProxyType(
    {
        "repeat_action_probability": ("repeat_action_probability", Settings.get_float),
        "frame_skip": ("frame_skip", Settings.get_int),
        "max_num_frames_per_episode": ("max_num_frames_per_episode", Settings.get_int),
        "paddle_min": ("paddle_min", Settings.get_int),
        "paddle_max": ("paddle_max", Settings.get_int),
        "max_turn_time": ("max_turn_time", Settings.get_int),
        "color_averaging": ("color_averaging", Settings.get_bool),
        "corrected_rules": ("corrected_rules", Settings.get_bool),
        "sound_obs": ("sound", Settings.get_bool),
        "objects_obs": ("objects", Settings.get_bool),
    }
)


class _Noticing(type):
    """A class that notices when its public attributes are replaced, and put back."""

    _made: dict[str, Any]  # its attributes at first
    _is_changed = False

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        type.__setattr__(cls, "_made", dict(vars(cls)))

    def __setattr__(cls, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        cls._look()

    def __delattr__(cls, name: str) -> None:
        super().__delattr__(name)
        cls._look()

    def _look(cls) -> None:
        made, now = cls._made, vars(cls)
        names = [name for name in {**made, **now} if not name.startswith("_")]
        type.__setattr__(cls, "_is_changed", any(made.get(n) is not now.get(n) for n in names))
        kinds: list[type] = [cls, *cls.__subclasses__()]
        for kind in kinds:
            is_patched = any(vars(base).get("_is_changed") for base in kind.__mro__)
            type.__setattr__(kind, "_is_patched", is_patched)


class Interface(metaclass=_Noticing):
    """A console with one to four players, depending on the mode.

    Args:
        no_rom: What is said until a ROM is loaded.
    """

    __slots__ = ("__weakref__", "_env", "_recorder")

    # Whether somebody has replaced a method on the class, or on its base.
    _is_patched: ClassVar[bool] = False
    _error: ClassVar[type[Exception]] = RuntimeError  # for what a game or a player does not have
    _other: ClassVar[tuple[Rules, str]]  # whose numbers of modes may have been meant

    def __init__(self, no_rom: str) -> None:
        self._env = no_env(no_rom)
        self._recorder: ScreenRecorder | None = None  # as the setting record_screen_dir says

    def __repr__(self) -> str:
        return shown_console(self, self._env)

    def __reduce__(self) -> NoReturn:
        raise TypeError("an ALEInterface cannot be pickled or copied; clone its state instead")

    # ---- Cartridges ------------------------------------------------------------------------------

    def _console_for(
        self,
        rom: _native.Rom,
        options: dict[str, float],
        mode: SupportsIndex | None,
        difficulty: SupportsIndex | None,
    ) -> _native.Env:
        """Return a console as new, with a mode and difficulty that apply from the next reset on.

        It is the present one, started anew, if it plays this already; then no object goes that may
        swallow an interrupt.
        """
        env = self._env
        if type(env) is _native.Env and env.rom is rom:
            seed = options["random_seed"]
            chosen = env.info.default_mode if mode is None else mode, difficulty or 0
            now = env.report.mode, env.report.difficulty
            if now == chosen and {**env.options, "random_seed": seed} == options:
                env.reload(int(seed))
                return env
        env.ensure_free()
        env = _native.Env(rom, **options)
        if mode is not None:
            self._set_mode(env, mode)
        if difficulty is not None:
            self._set_difficulty(env, difficulty)
        return env

    def _replace_console(self, env: _native.Env) -> None:
        """Let a console take the place of the present one, after all else was set."""
        if env is not self._env:
            env.tap = self._env.tap
            env._say_changed()
            self._env = env

    # ---- Playing ---------------------------------------------------------------------------------

    def reset_game(self) -> None:
        """Start an episode in the mode last set."""
        self._env.reset()

    def game_over(self, with_truncation: bool = True) -> bool:
        """Whether the episode is over; `with_truncation`: or truncated."""
        if with_truncation is True:
            return self._env.ends[0] != 0
        if with_truncation is not False:
            raise no_flag("with_truncation", with_truncation)
        return self._env.report.terminated != 0

    def numPlayersActive(self) -> int:
        """The players of the mode last set: 1, 2 or 4."""
        return self._env.report.players

    def getFrameNumber(self) -> int:
        """Frames since the ROM was loaded."""
        return self._env.report.frame_number

    def getEpisodeFrameNumber(self) -> int:
        """Frames since the last reset, including those of the mode selection."""
        return self._env.report.episode_frame_number

    def _lives(self) -> list[int]:
        """The lives of each active player."""
        env = self._env
        return env.lives[: env.report.players]

    def _play(self, actions: Sequence[int], strengths: Sequence[float] | None = None) -> list[int]:
        """Play an action of each active player.

        Returns:
            Their rewards.

        Raises:
            RuntimeError: There are more or fewer actions, or strengths, than players.
            Exception: There is no such action.
        """
        self._check_actions(actions, strengths)
        if len(actions) == 1 and strengths is None:  # in a quicker way
            return [self._env.act_alone(actions[0])]
        return list(self._env.play(actions, strengths)[: len(actions)])  # the rewards are first

    def _check_actions(
        self, actions: Sequence[int], strengths: Sequence[float] | None = None
    ) -> None:
        players = self._env.report.players
        if len(actions) != players:
            raise RuntimeError(
                f"expected action of length {players} for game mode, "
                f"got action of length {len(actions)}; act takes a list with one for each player"
            )
        if strengths is not None and len(strengths) != players:
            raise RuntimeError(
                f"there are {len(strengths)} paddle_strengths; this mode is for "
                f"{players_in_words(players)}"
            )
        for action in actions:
            if not 0 <= action < ACTION_COUNT:
                raise self._error(
                    f"there is no action {action}; actions are 0 to {ACTION_COUNT - 1}"
                )

    # ---- Modes and difficulties ------------------------------------------------------------------

    def _modes(self, num_players: SupportsIndex) -> list[int]:
        players = whole("num_players", num_players)
        if not 1 <= players <= MAX_PLAYERS:
            raise self._error(f"num_players is {players}; it must be 1 to {MAX_PLAYERS}")
        return self._env.modes(players)

    def setMode(self, mode: SupportsIndex) -> None:
        """Choose a mode: the number of players changes at once, the cartridge at the next reset.

        Raises:
            RuntimeError: The game has no such mode for any number of players.
        """
        self._set_mode(self._env, mode)

    def _set_mode(self, env: _native.Env, mode: SupportsIndex) -> None:
        number = whole("mode", mode)
        by_players = {n: env.modes(n) for n in range(1, MAX_PLAYERS + 1)}
        if not any(number in modes for modes in by_players.values()):
            raise self._error(
                f"Invalid game mode requested: {number}; there are "
                + listed(
                    f"{ranges(m)} for {players_in_words(n)}" for n, m in by_players.items() if m
                )
                + self._meant(env, number)
            )
        env.set_mode(number)

    def _meant(self, env: _native.Env, mode: int) -> str:
        """Return a hint if a mode's number is one of the other package's."""
        games, number = [*_native.games().values()], env.info.game
        rules, package = self._other
        if number < 0 or rules not in (*games[number].rules, Rules.BY_MODE):
            return ""
        same = same_mode(games[number], mode, rules, Rules(env.info.rules))
        return "" if same is None else f"; {package}'s mode {mode} is {same} here"

    def setDifficulty(self, difficulty: SupportsIndex) -> None:
        """Choose a difficulty; it applies from the next frame on.

        Raises:
            RuntimeError: The game has no such difficulty.
        """
        self._set_difficulty(self._env, difficulty)

    def _set_difficulty(self, env: _native.Env, difficulty: SupportsIndex) -> None:
        number, allowed = whole("difficulty", difficulty), _native.bits(env.info.difficulties)
        if number not in allowed:
            raise self._error(
                f"Invalid difficulty requested: {number}; there are {listed(allowed)}"
            )
        env.set_difficulty(number)

    # ---- What can be seen ------------------------------------------------------------------------

    def getObjectBoxes(self) -> list[ObjectBox]:
        """Boxes around the objects of the screen, one for each copy, with its color.

        Pixels of a player, a missile or the ball are in one box if they are in the same row or in
        neighbouring rows and at most 8 columns apart; pixels of the playfield if they share a side.

        Without the setting objects_obs, a frame that did not end has no boxes (docs/objects.md).
        """
        return boxes_of(self._env)

    def _check_objects(self) -> None:
        """Raise RuntimeError if it is not noted which objects cover each pixel."""
        if not self._env.options.get("objects"):
            raise RuntimeError(
                "getScreenObjects: call setBool('objects_obs', True) before loadROM, or make the "
                "environment with obs_type='objects'"
            )

    def getLabels(self) -> npt.NDArray[np.int32]:
        """The values of the game's labels, int32, in the order of `pyale_ma.labels.labels_of`.

        There are none for a card, and for a game without labels.
        """
        return self._env.labels()

    def getRAMSize(self) -> int:
        """128."""
        return RAM_SIZE

    def saveScreenPNG(self, filename: str | bytes | os.PathLike[str]) -> None:
        """Write the screen to a PNG file, 320 pixels wide: a console's pixels are wide.

        Raises:
            OSError: The file cannot be written.
        """
        save_png(self._env, os.fsdecode(filename))


def shared_options(settings: Settings) -> dict[str, float]:
    """The settings that both packages have, as options of the library."""
    options = {option: get(settings, name) for name, (option, get) in _SHARED.items()}
    name = "repeat_action_probability"
    options[name] = probability(name, options[name])
    options["frame_skip"] = max(options["frame_skip"], 1)
    return options


def console_of(interface: Interface) -> _native.Env:
    """Return the library's environment; it may be another one when a ROM is loaded."""
    return interface._env


def rom_by_name(data: bytes, file: str, name: str, advice: str = "") -> _native.Rom:
    """A cartridge whose game is known by its MD5, or else (with a warning) by its file's name.

    Raises:
        ValueError: It is neither, or no cartridge.
    """
    rom = _native.shared_rom(data)
    if rom.info.game != _native.GAME_UNKNOWN:
        return rom
    if name not in _native.games():
        raise ValueError(
            f"{printable(file)} is the ROM of no supported game: its MD5 is "
            f"{rom.info.md5.decode()}, and {name!r} is no game's name{advice}"
        )
    warnings.warn(
        f"{printable(file)} has an unknown MD5; it is played by the rules of {name!r} for its name",
        stacklevel=3,
    )
    return _native.shared_rom(data, name)
