"""Layers of one console: `AtariEnv`, `ParallelAtariEnv`, and `Console`, a console by itself."""

from __future__ import annotations

import reprlib
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyale_ma import _native
from pyale_ma._base.tap import InnerTap, Tap
from pyale_ma._base.text import printable
from pyale_ma._native import Pixels
from pyale_ma.console.base_interface import console_of
from pyale_ma.console.objects import ObjectBox, boxes_of
from pyale_ma.console.observations import OBSERVATIONS
from pyale_ma.console.starts import has_starts
from pyale_ma.console.state import ALEState
from pyale_ma.games import cards
from pyale_ma.games.selection import AnyGame, Image, image_of
from pyale_ma.multi.base import ParallelAtariEnv, TurnwiseAtariEnv
from pyale_ma.recording.file.format import MOST_SEED, Header, RecordingError
from pyale_ma.recording.replay.games import played_game
from pyale_ma.recording.replay.layers.base import (
    Array,
    Entry,
    Layer,
    Numbers,
    check_finite,
    options_of,
    refuse_change,
)
from pyale_ma.screen.film import Film
from pyale_ma.single import ALEInterface, AtariEnv

_STICKY = 0.25  # unless a console's options say otherwise, as ale.h has it


class _ConsoleLayer(Layer):
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

    def frames(self) -> int | None:
        return int(self.console.report.frame_number)

    def save(self) -> tuple[bytes, dict[str, Any]]:
        state = _native.State()
        self.console.save(state, include_random=True)
        return state.serialize(), {}

    def start(self, env: int) -> ALEState | None:
        return None if self.console.report.terminated else self.console.saved(ALEState, True)

    def same(self, one: bytes, other: bytes) -> bool:
        return _native.State(one).equals(_native.State(other))

    def load(self, state: bytes, extra: dict[str, Any]) -> None:
        self.console.restore(_native.State(state))


class _EnvLayer(_ConsoleLayer):
    """An environment with a console, `env.ale`."""

    env: AtariEnv | ParallelAtariEnv

    def entry(self, seed: Any, options: dict[str, Any] | None) -> Entry:
        if seed is not None and int(seed) > MOST_SEED:
            return None, False
        if has_starts(self.env, options):
            return None, False
        return {"seed": None if seed is None else int(seed)}, seed is not None

    def reset(self, entry: dict[str, Any]) -> Any:
        return self.env.reset(seed=entry["seed"])[0]

    def attach(self, tap: Tap | None) -> None:
        self.console.tap = None if tap is None else InnerTap(tap)
        super().attach(tap)

    def options_in_force(self) -> Any:
        console, others = console_of(self.env.ale), ("sound", "objects", "random_seed")
        options = {name: value for name, value in console.options.items() if name not in others}
        return console.rom is self.env._rom, options


class _SingleLayer(_EnvLayer):
    """`pyale_ma.single.AtariEnv`."""

    env: AtariEnv
    name = "single"
    settings = (
        *("_game_mode", "_game_difficulty", "_frameskip", "_action_set"),
        *("continuous", "continuous_action_threshold"),
    )

    def __init__(self, env: AtariEnv) -> None:
        super().__init__(env)
        self._ale = env.ale
        self._draws_frames = isinstance(env._frameskip, tuple)

    def header(self, metadata: dict[str, Any]) -> Header:
        arguments: dict[str, Any] = self.env._ezpickle_kwargs
        rom = console_of(self.env.ale).rom
        played = played_game(arguments["game"], rom.info.md5.decode(), arguments["variation"])
        options = options_of("single", arguments)
        return Header("single", [played], [0], 1, [], self.env.continuous, options, metadata)

    @classmethod
    def make(cls, header: Header, games: list[Image], observe: dict[str, Any]) -> _SingleLayer:
        options = {**header.options, **observe}
        if isinstance(options["frameskip"], list):
            options["frameskip"] = tuple(options["frameskip"])
        return cls(AtariEnv(games[0], variation=header.games[0].variation, **options))

    def check_settings(self) -> None:
        super().check_settings()
        refuse_change("ale", self.env.ale, self._ale)
        if type(self._ale) is not ALEInterface or ALEInterface._is_patched:
            raise RecordingError(
                "methods of the console (env.ale) were replaced. Nothing was played, as a replay "
                "would play without them: put them back, or wrap the environment instead"
            )

    def beside(self) -> Any:
        return self.env.np_random.bit_generator.state if self._draws_frames else None

    @property
    def console(self) -> _native.Env:
        return console_of(self._ale)

    def actions(self, row: Array) -> Any:
        return row[0, 0] if self.env.continuous else int(row[0, 0])

    def watch(self, function: Callable[[], None]) -> None:
        self.env.ale._watch(lambda _: function())

    def observation(self) -> Any:
        return self.env._get_obs()

    def save(self) -> tuple[bytes, dict[str, Any]]:
        state, extra = super().save()
        if self._draws_frames:
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


class _MultiLayer(_EnvLayer):
    """`pyale_ma.multi.ParallelAtariEnv`."""

    env: ParallelAtariEnv
    name = "multi"
    settings = (
        *("mode", "num_players", "possible_agents", "max_cycles"),
        *("_difficulty", "_frame_skip", "_noop_max", "_codes"),
    )

    def __init__(self, env: ParallelAtariEnv) -> None:
        super().__init__(env)
        self.players = env.num_players
        self.row = (self.players,)

    def header(self, metadata: dict[str, Any]) -> Header:
        env, arguments = self.env, dict[str, Any](self.env._ezpickle_kwargs)
        md5 = env._rom.info.md5.decode()
        played = played_game(arguments["game"], md5, arguments["variation"])
        options = options_of("multi", arguments)
        agents = list(env.possible_agents)
        return Header("multi", [played], [0], self.players, agents, False, options, metadata)

    @classmethod
    def make(cls, header: Header, games: list[Image], observe: dict[str, Any]) -> _MultiLayer:
        options = {**header.options, **observe}
        return cls(ParallelAtariEnv(games[0], variation=header.games[0].variation, **options))

    @property
    def console(self) -> _native.Env:
        return self.env._env

    def entry(self, seed: Any, options: dict[str, Any] | None) -> Entry:
        if seed is None and self.env._noop_max:
            return None, False  # the system's random numbers say how long it rests
        return super().entry(seed, options)

    def beside(self) -> Any:
        return self.env.frame, tuple(self.env.agents)

    def taken(self, actions: Any) -> Any:
        playing = self.env.agents
        if not playing or not isinstance(actions, Mapping):
            return None
        return [
            actions.get(agent, 0) if agent in playing else 0 for agent in self.env.possible_agents
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
        if not agents:
            return {}
        return dict(zip(agents, self.env._observe(len(agents)), strict=True))

    def observation_array(self) -> Array:
        return np.stack(self.env._observe(self.players))

    def save(self) -> tuple[bytes, dict[str, Any]]:
        env = self.env
        if env.agents != [agent for agent in env.possible_agents if agent in env.agents]:
            raise RecordingError(
                f"agents of the environment was set to {printable(reprlib.repr(env.agents))}; a "
                f"recording takes a list of some of {env.possible_agents}, in this order"
            )
        state, extra = super().save()
        # By turns, agents stay after `max_cycles` until the converter has stepped them a last time.
        is_over = isinstance(env, TurnwiseAtariEnv) and env.frame >= env.max_cycles
        return state, {**extra, "frame": env.frame, "agents": [] if is_over else list(env.agents)}

    def load(self, state: bytes, extra: dict[str, Any]) -> None:
        env, frame, agents = self.env, extra["frame"], extra["agents"]
        if type(frame) is not int or not 0 <= frame < 2**53:
            raise ValueError(f"frame is {frame!r}; it must be a whole number")
        if agents != [agent for agent in env.possible_agents if agent in agents]:
            raise ValueError(f"agents is {agents!r}; it must list some of {env.possible_agents}")
        super().load(state, extra)
        env.frame, env.agents, env._is_reset = frame, list(agents), True
        env._env.actions[:] = [_native.OUT] * _native.MAX_PLAYERS  # where no agent plays
        env._take_seats(agents)
        env._interrupted = False


@dataclass
class Console:
    """A game that is played frame by frame, as ``pyale-ma play`` does.

    Attributes:
        env: The console, as new but for mode and difficulty; `act` and `reset` play.
        game: The game's name, or the path of its card, or the game or card itself.
        variation: The card's variation.
    """

    env: _native.Env
    game: AnyGame
    variation: str | None = None


class _FrameLayer(_ConsoleLayer):
    """`Console`."""

    env: _native.Env
    name = "console"

    def __init__(
        self, played: Console, pixels: Pixels | None = None, has_labels: bool = False
    ) -> None:
        super().__init__(played.env)
        self._played = played
        self.players = self.env.report.players
        self.row = (self.players,)
        self._pixels = pixels  # of observations; None: labels or RAM
        self._has_labels = has_labels
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
        again = self.make(self._made, [image_of(self._played.game)], {})
        states = _native.State(), _native.State()
        self.env.save(states[0], include_random=True)
        again.env.save(states[1], include_random=True)
        return states[0].equals(states[1])

    @classmethod
    def make(cls, header: Header, games: list[Image], observe: dict[str, Any]) -> _FrameLayer:
        options, played = header.options, header.games[0]
        observed = observe.get("obs_type", "rgb")
        if observed not in OBSERVATIONS:
            raise ValueError(f"obs_type is {observed!r}; it must be {', '.join(OBSERVATIONS)}")
        image = games[0]
        env = _native.Env(
            cards.shared_rom(image.data, image.game, played.variation),
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
        kind = OBSERVATIONS[observed].of_game(image.game)
        console = Console(env, image, played.variation)
        return cls(console, kind.pixels, kind.name == "labels")

    @property
    def console(self) -> _native.Env:
        return self.env

    def reset(self, entry: dict[str, Any]) -> Any:
        self.env.reset()
        return self.observation()

    def taken(self, actions: Any) -> Any:
        return self.env.actions[: self.players]

    def strengths(self) -> Any:
        return self.env.strengths[: self.players]

    def check_numbers(self, actions: Any) -> None:
        if self._has_paddles:
            check_finite("strengths", self.strengths())

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


LAYERS: dict[type, type[Layer]] = {
    AtariEnv: _SingleLayer,
    ParallelAtariEnv: _MultiLayer,
    TurnwiseAtariEnv: _MultiLayer,
    Console: _FrameLayer,
}
