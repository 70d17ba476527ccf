"""The environments that can be recorded, each behind the same few methods.

The writer asks them what to keep, the reader has them play it again.  Nothing else in this package
knows one layer from another.
"""

from __future__ import annotations

import functools
import os
import reprlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import error
from gymnasium.vector import AutoresetMode

from pyale_ma import _native
from pyale_ma._base.text import printable
from pyale_ma._native import Pixels
from pyale_ma.console.objects import ObjectBox, boxes_of
from pyale_ma.console.observations import OBSERVATIONS
from pyale_ma.console.overrides import changes
from pyale_ma.games import cards, roms
from pyale_ma.multi.base import ParallelAtariEnv, TurnwiseAtariEnv
from pyale_ma.recording.file import npy
from pyale_ma.recording.file.format import (
    MOST_SEED,
    OPTIONS,
    Header,
    RecordingError,
    other_version,
)
from pyale_ma.recording.replay.games import Folder, find_game, played_game
from pyale_ma.recording.replay.settings import (
    NothingPlayedError,
    Settings,
    check_methods,
    refuse_another,
)
from pyale_ma.screen.film import Film
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv
from pyale_ma.vector import checks as check

Array: TypeAlias = npt.NDArray[Any]
Numbers: TypeAlias = tuple[Any, Any, Any]  # rewards, terminations, truncations
Entry: TypeAlias = tuple[dict[str, Any] | None, bool]  # of a reset: see `Layer.entry`

# What an environment may raise that is given what a file says.
REFUSALS = (
    *(ValueError, RuntimeError, TypeError, LookupError, OverflowError, MemoryError),
    error.Error,
)


class Layer(ABC):
    """An environment of a layer.

    Args:
        env: The environment.

    Attributes:
        name: The layer's, as in the header.
        players: Of an environment.
        env: The environment.
        step_name: The method that plays a step.
        row: The shape of a step's rewards.
        lock: Held while the environment is used.
        outside: What else changes the game than `step` and `reset`: objects and their methods.
        folder: Where its cards and their images are.
        arguments: Attributes of the environment that the header's arguments determine, and that say
            how it plays.
        parts: Attributes of it that must stay the same objects while it is recorded.
    """

    name: ClassVar[str]
    arguments: ClassVar[tuple[str, ...]] = ()
    parts: ClassVar[tuple[str, ...]] = ()
    step_name = "step"
    players = 1
    row: tuple[int, ...] = ()
    folder: Folder | None = None

    def __init__(self, env: Any) -> None:
        self.env = env
        self.lock = threading.RLock()
        self.outside: list[tuple[Any, Sequence[str]]] = []
        self._settings = Settings(env, (*self.arguments, *self.parts))

    @abstractmethod
    def header(self, metadata: dict[str, Any]) -> Header:
        """Return the header from which such an environment can be made again."""

    @classmethod
    @abstractmethod
    def make(cls, header: Header, games: list[str], observe: dict[str, Any]) -> Layer:
        """The environment that a header speaks of, with other observations."""

    def options_in_force(self) -> Any:
        """Settings that the arguments gave, to be compared; None: nothing else changes them."""
        return None

    def compare_settings(self, again: Layer) -> None:
        """Refuse attributes that were set since the environment was made.

        Args:
            again: The environment that the header speaks of.

        Raises:
            RecordingError: One was set; the text says which.
        """
        for name in self.arguments:
            refuse_another(name, getattr(self.env, name), getattr(again.env, name))

    def check_settings(self) -> None:
        """Refuse to play on if attributes were set that say how the environment plays.

        Raises:
            NothingPlayedError: One was set; the text says which.
        """
        self._settings.check()

    @abstractmethod
    def trace(self) -> Any:
        """Return values that nearly every change of the game changes, and that are read at once."""

    # ---- Playing ---------------------------------------------------------------------------------

    @abstractmethod
    def entry(self, seed: Any, options: dict[str, Any] | None) -> Entry:
        """Return the data to keep of a reset, and whether all that follows depends on it alone.

        None: it cannot be done again, and the state after it must be kept.
        """

    @abstractmethod
    def reset(self, entry: dict[str, Any]) -> Any:
        """Do a reset again.  The observation."""

    def playing(self) -> list[str]:
        """The agents in the game; if there are none, steps are not kept."""
        return [""]

    def columns(self, actions: Any, playing: list[str]) -> Any:
        """Actions as the environment takes them, for an array (envs, players)."""
        return actions

    def strengths(self) -> Any:
        """Return how far paddles turned in the last step, where actions do not say it."""
        raise NotImplementedError

    def check_numbers(self, actions: Any) -> None:
        """Refuse actions that no file can have; what is no action at all the environment refuses.

        Raises:
            NothingPlayedError: A number is not finite.
        """
        if isinstance(actions, np.ndarray) and actions.dtype.kind == "f":
            _check_finite("actions", actions)

    @abstractmethod
    def actions(self, row: Array) -> Any:
        """An array of actions as the environment takes them."""

    def set_strengths(self, row: Array) -> None:
        """Have paddles turn so far by the next step."""
        raise NotImplementedError

    def step(self, actions: Any) -> Any:
        """Play a step.  Observation, reward, whether it ended and was cut off, infos."""
        return self.env.step(actions)

    def call_reset(self, call: Callable[..., Any], seed: Any, options: Any) -> Any:
        """Have the environment's own `reset` called."""
        return call(seed=seed, options=options)

    def numbers(self, result: Any) -> Numbers:
        """The rewards, terminations and truncations of a step's result."""
        return result[1], result[2], result[3]

    # ---- Looking ---------------------------------------------------------------------------------

    @abstractmethod
    def rams(self) -> Array:
        """RAM, uint8 (envs, 128)."""

    @abstractmethod
    def screen(self, env: int) -> Array:
        """An environment's screen, uint8 (height, 160, 3)."""

    def watch(self, see: Callable[[], None]) -> None:
        """Have a function called after every frame that steps play, which must not change the game.

        Of a vector, and of several agents, it is called after each step.
        """
        play = self.step

        def step(actions: Any) -> Any:
            result = play(actions)
            see()
            return result

        self.step = step  # type: ignore[method-assign]

    @abstractmethod
    def take(self, film: Film, env: int | None) -> None:
        """Have a film take the present frame of an environment; None: of all, side by side."""

    @abstractmethod
    def observation(self) -> Any:
        """The present observation."""

    def boxes(self) -> list[ObjectBox]:
        """The objects on the screen."""
        raise RecordingError("boxes of objects are those of one environment, not of a vector")

    # ---- States ----------------------------------------------------------------------------------

    def frames(self) -> int | None:
        """Count the frames played; None: steps play some even if the episode is over."""
        return None

    @abstractmethod
    def save(self) -> tuple[bytes, dict[str, Any]]:
        """The state of everything, and what is not in its bytes."""

    @abstractmethod
    def same(self, one: bytes, other: bytes) -> bool:
        """Whether two states have the same future; their bytes may differ all the same."""

    @abstractmethod
    def load(self, state: bytes, extra: dict[str, Any]) -> None:
        """Continue from a state; ValueError and others: it is none."""

    def close(self) -> None:
        """Free it."""
        self.env.close()
        if self.folder:
            self.folder.remove()


def _plain(value: Any) -> Any:
    """An option as JSON has it."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [int(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return float(value) if hasattr(value, "__float__") else str(value)


def _check_finite(name: str, numbers: Any) -> None:
    try:
        npy.check_finite(numbers)
    except ValueError as error:
        raise NothingPlayedError(
            f"{name} {error}, as the environment is recorded or kept; the step was not played"
        ) from None


def _chosen(layer: str, given: dict[str, Any]) -> dict[str, Any]:
    return {name: _plain(given[name]) for name in OPTIONS[layer]}


class _One(Layer):
    """A console with the methods of `_native.Env`."""

    @property
    @abstractmethod
    def console(self) -> _native.Env:
        """The console."""

    def rams(self) -> Array:
        return self.console.ram[np.newaxis]

    def screen(self, env: int) -> Array:
        return self.console.screen(Pixels.RGB)

    def take(self, film: Film, env: int | None) -> None:
        film.take(self.console)

    def boxes(self) -> list[ObjectBox]:
        return boxes_of(self.console)

    def entry(self, seed: Any, options: dict[str, Any] | None) -> Entry:
        if seed is not None and int(seed) > MOST_SEED:
            return None, False
        return {"seed": None if seed is None else int(seed)}, seed is not None

    def reset(self, entry: dict[str, Any]) -> Any:
        return self.env.reset(seed=entry["seed"])[0]

    def options_in_force(self) -> Any:
        hidden = ("sound", "objects")  # of what is seen and heard
        options = self.env.ale._cache.options
        own = self.env.ale._cache.rom is self.env._rom
        return own, {name: options[name] for name in options.keys() - set(hidden)}

    def trace(self) -> Any:
        console = self.console
        return bytes(console.report), console.ram.tobytes()

    def frames(self) -> int | None:
        return int(self.console.report.frame_number)

    def save(self) -> tuple[bytes, dict[str, Any]]:
        state = _native.State()
        self.console.save(state, include_random=True)
        return state.serialize(), {}

    def same(self, one: bytes, other: bytes) -> bool:
        return _native.State(one).equals(_native.State(other))

    def load(self, state: bytes, extra: dict[str, Any]) -> None:
        self.console.restore(_native.State(state))


class _Single(_One):
    """`pyale_ma.single.AtariEnv`."""

    name = "single"
    arguments = (
        *("_game_mode", "_game_difficulty", "_frameskip", "_action_set"),
        *("continuous", "continuous_action_threshold"),
    )
    parts = ("ale", "_game", "_variation", "_rom")

    def __init__(self, env: AtariEnv) -> None:
        super().__init__(env)
        self._ale = env.ale
        self._changes = -1  # of methods, when they were looked at
        self.outside = [
            (env, ("seed_game", "load_game")),
            (env.ale, _INTERFACE),
        ]

    def header(self, metadata: dict[str, Any]) -> Header:
        env = self.env
        given = env._ezpickle_kwargs
        played = played_game(
            given["game"], env.ale._cache.rom.info.md5.decode(), given["variation"]
        )
        options = _chosen("single", given)
        return Header("single", [played], [0], 1, [], env.continuous, options, metadata)

    @classmethod
    def make(cls, header: Header, games: list[str], observe: dict[str, Any]) -> _Single:
        options = {**header.options, **observe}
        if isinstance(options["frameskip"], list):
            options["frameskip"] = tuple(options["frameskip"])
        return cls(AtariEnv(games[0], variation=header.games[0].variation, **options))

    def compare_settings(self, again: Layer) -> None:
        env, given = self.env, self.env._ezpickle_kwargs
        refuse_another("_game", env._game, given["game"])
        refuse_another("_variation", env._variation, given["variation"])
        super().compare_settings(again)
        self.check_settings()

    def check_settings(self) -> None:
        self._settings.check()
        if self._changes != changes.count:
            self._changes = -1  # until they are ours
            count = changes.count
            check_methods(self._ale)
            self._changes = count

    def trace(self) -> Any:
        env, ale = self.env, self._ale
        if env.ale is not ale:
            return None
        console = ale._env
        if type(env._frameskip) is tuple:
            drawn = env.np_random.bit_generator.state
            return bytes(console.report), console.ram.tobytes(), drawn
        return bytes(console.report), console.ram.tobytes()

    @property
    def console(self) -> _native.Env:
        console: _native.Env = self.env.ale._env
        return console

    def actions(self, row: Array) -> Any:
        return row[0, 0] if self.env.continuous else int(row[0, 0])

    def watch(self, see: Callable[[], None]) -> None:
        self.env.ale._watch(lambda _: see())

    def observation(self) -> Any:
        return self.env._get_obs()

    def save(self) -> tuple[bytes, dict[str, Any]]:
        state, extra = super().save()
        if isinstance(self.env._frameskip, tuple):
            generator = self.env.np_random.bit_generator
            if type(generator) is not np.random.PCG64:
                raise RecordingError(
                    f"np_random of the environment draws from {type(generator).__name__}, which no "
                    "file can have: set it to np.random.Generator(np.random.PCG64(seed)), or reset "
                    "with a seed"
                )
            extra["generator"] = generator.state
        return state, extra

    def load(self, state: bytes, extra: dict[str, Any]) -> None:
        super().load(state, extra)
        if "generator" in extra:
            self.env.np_random.bit_generator.state = extra["generator"]


class _Multi(_One):
    """`pyale_ma.multi.ParallelAtariEnv`."""

    name = "multi"
    arguments = (
        *("mode", "num_players", "possible_agents", "max_cycles"),
        *("_difficulty", "_frame_skip", "_noop_max", "_codes", "_options"),
    )
    parts = ("ale", "_rom")

    def __init__(self, env: ParallelAtariEnv) -> None:
        super().__init__(env)
        self.players = env.num_players
        self.row = (self.players,)
        self.outside = [(env.ale, _INTERFACE)]

    def header(self, metadata: dict[str, Any]) -> Header:
        env = self.env
        given = env._ezpickle_kwargs
        played = played_game(env._game, env._rom.info.md5.decode(), given["variation"])
        # The name of an environment, which the header does not have, may have brought these.
        brought = {
            "num_players": env.num_players,
            "mode_num": env.mode,
            "difficulty": env._difficulty,
            "full_action_space": env.full_action_space,
        }
        options = _chosen("multi", {**given, **brought})
        agents = list(env.possible_agents)
        return Header("multi", [played], [0], self.players, agents, False, options, metadata)

    @classmethod
    def make(cls, header: Header, games: list[str], observe: dict[str, Any]) -> _Multi:
        options = {**header.options, **observe}
        return cls(ParallelAtariEnv(games[0], variation=header.games[0].variation, **options))

    @property
    def console(self) -> _native.Env:
        console: _native.Env = self.env._env
        return console

    def entry(self, seed: Any, options: dict[str, Any] | None) -> Entry:
        if seed is None and self.env._noop_max:
            return None, False  # the system's random numbers say how long it rests
        return super().entry(seed, options)

    def playing(self) -> list[str]:
        return list(self.env.agents)

    def columns(self, actions: Any, playing: list[str]) -> Any:
        return [
            int(actions[agent]) if agent in playing else 0 for agent in self.env.possible_agents
        ]

    def actions(self, row: Array) -> Any:
        chosen = dict(zip(self.env.possible_agents, row[0].tolist(), strict=True))
        return {agent: chosen[agent] for agent in self.env.agents}

    def numbers(self, result: Any) -> Numbers:
        _, rewards, terminations, truncations, _ = result
        agents = self.env.possible_agents
        return (
            [rewards.get(agent, 0) for agent in agents],
            [terminations.get(agent, False) for agent in agents],
            any(truncations.values()),
        )

    def observation(self) -> Any:
        agents = self.env.agents
        return dict(zip(agents, self.env._observe(len(agents)), strict=True)) if agents else {}

    def trace(self) -> Any:
        env = self.env
        console = env._env
        ram = console.ram.tobytes()
        return bytes(console.report), ram, env.frame, tuple(env.agents)

    def save(self) -> tuple[bytes, dict[str, Any]]:
        env = self.env
        if env._seats != [env.possible_agents.index(agent) for agent in env.agents]:
            raise RecordingError(
                f"agents of the environment was set to {printable(reprlib.repr(env.agents))}, whom "
                "it does not give their own seats: reset it, and let agents leave by their steps"
            )
        state, extra = super().save()
        return state, {**extra, "frame": self.env.frame, "agents": list(self.env.agents)}

    def load(self, state: bytes, extra: dict[str, Any]) -> None:
        env, frame, agents = self.env, extra["frame"], extra["agents"]
        if type(frame) is not int or not 0 <= frame < 2**53:
            raise ValueError(f"frame is {frame!r}; it must be a whole number")
        if agents != [agent for agent in env.possible_agents if agent in agents]:
            raise ValueError(f"agents is {agents!r}; it must list some of {env.possible_agents}")
        super().load(state, extra)
        env.frame, env.agents, env._is_reset = frame, list(agents), True
        env._seats = [env.possible_agents.index(agent) for agent in agents]
        env._env.actions[:] = [_native.OUT] * _native.MAX_PLAYERS  # where no agent plays


@dataclass
class Console:
    """A game that is played frame by frame, as ``pyale-ma play`` does.

    Attributes:
        env: The console, as new but for mode and difficulty; `act` and `reset` play.
        game: The game's name, or the path of its card.
        variation: The card's variation.
    """

    env: _native.Env
    game: str | os.PathLike[str]
    variation: str | None = None


class _Console(_One):
    """`Console`."""

    name = "console"
    step_name = "act"

    def __init__(self, played: Console) -> None:
        super().__init__(played.env)
        self._played = played
        self.players = self.env.report.players
        self.row = (self.players,)
        others = "restore reload set_ram set_mode set_difficulty step step_alone act_alone play"
        self.outside = [(self.env, others.split())]
        self._pixels: Pixels | None = None
        self._has_labels = False
        self._has_paddles = bool(self.env.info.paddles)
        self._made: Header | None = None
        self._is_first = True  # the next reset

    def header(self, metadata: dict[str, Any]) -> Header:
        env, report = self.env, self.env.report
        stated = {"rules", "random_seed", "repeat_action_probability", "corrected_rules"}
        unknown = env.options.keys() - stated - {"sound", "objects"}
        if unknown:
            raise RecordingError(f"options of this console are not recorded: {sorted(unknown)}")
        game, variation = self._played.game, self._played.variation
        state = _native.State()
        env.save(state)
        played = played_game(game, state.info.rom_md5.decode(), variation)
        options = {
            "rules": int(env.options["rules"]),
            "players": self.players,
            "mode": report.mode,
            "difficulty": report.difficulty,
            "random_seed": int(env.options.get("random_seed", 0)),
            "repeat_action_probability": float(
                env.options.get("repeat_action_probability", _STICKY)
            ),
            "corrected_rules": bool(env.options.get("corrected_rules", False)),
        }
        agents: list[str] = []
        self._made = Header(
            "console", [played], [0], self.players, agents, self._has_paddles, options, metadata
        )
        return self._made

    def entry(self, seed: Any, options: dict[str, Any] | None) -> Entry:
        is_first, self._is_first = self._is_first, False
        return {"seed": None}, is_first and self._is_new()

    def _is_new(self) -> bool:
        """Whether another one that is made now would be in the same state."""
        assert self._made
        again = self.make(self._made, [os.fspath(self._played.game)], {})
        states = _native.State(), _native.State()
        self.env.save(states[0], include_random=True)
        again.env.save(states[1], include_random=True)
        return states[0].equals(states[1])

    @classmethod
    def make(cls, header: Header, games: list[str], observe: dict[str, Any]) -> _Console:
        options, played = header.options, header.games[0]
        observed = observe.get("obs_type", "rgb")
        if observed not in OBSERVATIONS:
            raise ValueError(f"obs_type is {observed!r}; it must be {', '.join(OBSERVATIONS)}")
        known = roms.game_of(games[0])
        rom = cards.shared_rom(roms.read(roms.find_rom(games[0])), known, played.variation)
        env = _native.Env(
            rom,
            rules=options["rules"],
            random_seed=options["random_seed"],
            repeat_action_probability=options["repeat_action_probability"],
            corrected_rules=options["corrected_rules"],
            objects=OBSERVATIONS[observed].has_objects,
            sound=bool(observe.get("sound_obs", False)),
        )
        if options["mode"] not in env.modes(options["players"]):
            raise ValueError(
                f"{played.name} has no mode {options['mode']} for this number of players"
            )
        env.set_mode(options["mode"])
        if options["difficulty"] != env.report.difficulty:
            env.set_difficulty(options["difficulty"])
        made = cls(Console(env, games[0], played.variation))
        kind = OBSERVATIONS[observed].of_game(cards.source_of(known))
        made._pixels, made._has_labels = kind.pixels, kind.name == "labels"
        return made

    @property
    def console(self) -> _native.Env:
        console: _native.Env = self.env
        return console

    def options_in_force(self) -> Any:
        return None

    def reset(self, entry: dict[str, Any]) -> Any:
        self.env.reset()
        return self.observation()

    def call_reset(self, call: Callable[..., Any], seed: Any, options: Any) -> Any:
        return call()

    def columns(self, actions: Any, playing: list[str]) -> Any:
        return self.env.actions[: self.players]

    def strengths(self) -> Any:
        return self.env.strengths[: self.players]

    def check_numbers(self, actions: Any) -> None:
        if self._has_paddles:
            _check_finite("strengths", self.strengths())

    def actions(self, row: Array) -> Any:
        return row[0].tolist()

    def set_strengths(self, row: Array) -> None:
        self.env.strengths[: self.players] = row[0].tolist()

    def step(self, actions: Any) -> Any:
        if max(actions) >= _native.ACTION_COUNT:
            raise IndexError(f"action is {max(actions)}; there are {_native.ACTION_COUNT}")
        self.env.actions[: self.players] = actions
        self.env.act(self.players)
        return (self.observation(), *self.numbers(None), {})

    def numbers(self, result: Any) -> Numbers:
        report, players = self.env.report, self.players
        ends = [report.terminated != 0] * players
        return report.rewards[:players], ends, report.truncated != 0

    def observation(self) -> Any:
        image: Array
        if self._pixels is not None:
            image = self.env.screen(self._pixels)
        else:
            image = self.env.labels() if self._has_labels else self.env.ram.copy()
        if self.env.options.get("sound"):
            return {"image": image, "sound": self.env.audio.copy()}
        return image


class _Vector(Layer):
    """`pyale_ma.vector.AtariVectorEnv`."""

    name = "vector"
    parts = ("_native", "_stepper")

    def __init__(self, env: AtariVectorEnv) -> None:
        super().__init__(env)
        self.players = env.num_players or 1
        self.row = (env.num_envs,) if env.num_players is None else (env.num_envs, self.players)
        self.lock = env._stepper.in_use
        self.outside = [(env, ("copy_envs", "restore_state"))]
        self._first: Any = None  # modes and difficulties of the header
        self._has_others = False  # or had: resets that name none fall back on the latest

    def trace(self) -> Any:
        return self.env._native.batches

    def header(self, metadata: dict[str, Any]) -> Header:
        env, given = self.env, self.env._native.options
        for name, made in env._made_with.items():
            refuse_another(name, getattr(env, name), made)
        if env.batch_size < env.num_envs:
            raise RecordingError(
                f"batch_size is {env.batch_size} of {env.num_envs} environments, of which none "
                "knows when another's step comes; record a vector with batch_size=0"
            )
        pairs = list(zip(env.games, env.variations, strict=True))
        distinct = list(dict.fromkeys(pairs))
        games = [
            played_game(game, check.rom_of(game, variation).info.md5.decode(), variation)
            for game, variation in distinct
        ]
        modes = env._modes.tolist()
        self._first = self._modes_now()
        given = {
            **given,
            "num_players": env.num_players,
            # Some games start with a difficulty that cannot be chosen.
            "mode": None if modes == self._first_modes() else modes,
            "difficulty": env._difficulties.tolist() if env._difficulties.any() else None,
            "full_action_space": given["full_action_space"] == 1,
            "continuous": env.continuous,
            "continuous_action_threshold": env.continuous_action_threshold,
            "autoreset_mode": AutoresetMode(env.autoreset_mode).value,
            "obs_type": env.obs_type,
            "frameskip": given["frame_skip"],
        }
        return Header(
            "vector",
            games,
            [distinct.index(pair) for pair in pairs],
            self.players,
            [],
            env.continuous,
            _chosen("vector", given),
            metadata,
        )

    def _modes_now(self) -> Any:
        return self.env._modes.tolist(), self.env._difficulties.tolist()

    def _first_modes(self) -> list[int]:
        """Return the modes that null means in recordings: the first, not a vector's defaults."""
        env, players = self.env, self.env.num_players
        if players is None:
            return [info.default_mode for info in env._env_infos]
        return [env._native.modes(index, players)[0] for index in range(env.num_envs)]

    @classmethod
    def make(cls, header: Header, games: list[str], observe: dict[str, Any]) -> _Vector:
        of_env = [header.games[index] for index in header.game_of_env]
        layer = cls(
            AtariVectorEnv(
                games=[games[index] for index in header.game_of_env],
                variation=[game.variation for game in of_env],
                **{**header.options, **observe},
            )
        )
        if header.options["mode"] is None:
            layer.env._select(layer._first_modes(), None, range(layer.env.num_envs))
        return layer

    def entry(self, seed: Any, options: dict[str, Any] | None) -> Entry:
        env, options = self.env, check.reset_options(options)
        envs = None
        if "reset_mask" in options:
            envs = np.flatnonzero(check.reset_mask(options["reset_mask"], env.num_envs)).tolist()
        chosen = list(range(env.num_envs)) if envs is None else envs
        begins = not env._stepper.was_reset
        if begins and seed is None:
            seed = env._first_seed
        seeds = check.seeds_of(seed, chosen, env.num_envs)
        if begins:  # who is not seeded goes on from the seed that it was made with
            made = env._native.seeds.astype(np.int64)
            seeds = made if seeds is None else np.where(seeds < 0, made, seeds)
        entry = {
            "envs": envs,
            "seeds": None if seeds is None else seeds[chosen].tolist(),
            "mode": _plain(options.get("mode")),
            "difficulty": _plain(options.get("difficulty")),
        }
        alone = seeds is not None and len(chosen) == env.num_envs and bool((seeds >= 0).all())
        named = [entry[name] is not None for name in ("mode", "difficulty")]
        self._has_others |= self._modes_now() != self._first
        alone &= not self._has_others or all(named)
        self._has_others |= any(named)
        return entry, alone

    def reset(self, entry: dict[str, Any]) -> Any:
        options = {name: entry[name] for name in ("mode", "difficulty") if entry[name] is not None}
        if entry["envs"] is not None:
            mask = np.zeros(self.env.num_envs, np.bool_)
            mask[entry["envs"]] = True
            options["reset_mask"] = mask
        return self.env.reset(seed=entry["seeds"], options=options)[0]

    def actions(self, row: Array) -> Any:
        shape: tuple[int, ...] = self.env._stepper.actions_shape
        return np.ascontiguousarray(row).reshape(shape)

    def rams(self) -> Array:
        rams: Array = self.env._native.rams()
        return rams

    def screen(self, env: int) -> Array:
        screen: Array = self.env._screens([env])[0]
        return screen

    def take(self, film: Film, env: int | None) -> None:
        draw = self.env.render_grid if env is None else functools.partial(self.screen, env)
        film.add(draw, self.env._env_infos[env or 0])

    def observation(self) -> Any:
        nobody = np.zeros(self.env.num_envs, np.bool_)
        return self.env.reset(options={"reset_mask": nobody})[0]

    def save(self) -> tuple[bytes, dict[str, Any]]:
        # What a later reset falls back on that names only one of them.
        chosen = {"modes": self.env._modes, "difficulties": self.env._difficulties}
        self._has_others |= self._modes_now() != self._first
        return self.env.save_state(), {name: array.tolist() for name, array in chosen.items()}

    def same(self, one: bytes, other: bytes) -> bool:
        return bool(self.env._native.saved_equal(one, other))

    def load(self, state: bytes, extra: dict[str, Any]) -> None:
        env = self.env
        modes = check.one_each("modes", extra["modes"], env._modes.tolist())
        difficulties = check.one_each("difficulties", extra["difficulties"], modes)
        env.restore_state(state)
        env._modes[:], env._difficulties[:] = modes, difficulties


_STICKY = 0.25  # unless a console's options say otherwise, as ale.h has it
_INTERFACE = (
    *("act", "reset_game", "loadROM", "load", "setMode", "setDifficulty", "setRAM"),
    *("restoreState", "restoreSystemState", "loadState"),
)
_RECORDED: dict[type, type[Layer]] = {
    AtariEnv: _Single,
    ParallelAtariEnv: _Multi,
    TurnwiseAtariEnv: _Multi,
    AtariVectorEnv: _Vector,
    Console: _Console,
}
_LAYERS = {layer.name: layer for layer in _RECORDED.values()}


def layer_of(env: Any) -> Layer:
    """The layer of an environment, under whatever wrappers.

    Raises:
        RecordingError: It is none of this package's.
    """
    inner = getattr(env, "unwrapped", env)
    if type(inner) not in _RECORDED:
        inner = getattr(inner, "env", inner)  # of PettingZoo's converter to turns
    if type(inner) in _RECORDED:
        return _RECORDED[type(inner)](inner)
    within = getattr(inner, "envs", None)
    hint = "; take its `envs`" if type(within) in _RECORDED else ""
    raise RecordingError(
        f"{type(inner).__name__} cannot be recorded: an AtariEnv, a ParallelAtariEnv or an "
        f"AtariVectorEnv can, in any wrappers, but not what is derived from them{hint}"
    )


def layer_for(header: Header, observe: dict[str, Any], name: str = "") -> Layer:
    """The environment that a header speaks of, made anew.

    Args:
        header: Of a recording.
        observe: Arguments that change what is observed.
        name: Of the recording, for messages.

    Raises:
        RecordingError: A game's image is another, or the environment refuses its arguments.
        FileNotFoundError: There is no image.
    """
    has_cards = any(game.card is not None for game in header.games)
    folder = Folder() if has_cards else None
    try:
        games = [
            find_game(game, folder.path / str(number) if folder else Path())
            for number, game in enumerate(header.games)
        ]
        layer = _LAYERS[header.layer].make(header, games, observe)
    except REFUSALS as refusal:
        text = str(refusal)
        if not isinstance(refusal, RecordingError):
            text = f"its environment cannot be made: {printable(refusal)}"
        place = f"{name}: " if name else ""
        raise RecordingError(f"{place}{text}{other_version(header.pyale_ma)}") from refusal
    layer.folder = folder
    return layer
