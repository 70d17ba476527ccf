"""The lines of libale/tests/checksums.txt: how each is read, played and written.

A line is a play and, after the colon, what came of it:

    solo pong mode=0 difficulty=0 random_seed=1 acts=300 : rewards=-2 resets=1 ram=5f0c21ab ...

The same line can be played on our classes and on those of the original packages, for both have the
same methods; libale/tests/test_checksums.c plays it on the C interface alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).parents[2] / "libale" / "tests" / "checksums.txt"

Options = Mapping[str, int | float | str]
STRENGTHS = (1.0, 0.5, 0.25, -0.75, 1.5)
SCREEN_EVERY, RGB_EVERY = 4, 25  # acts


@dataclass(frozen=True)
class Case:
    """A line of the file.

    Attributes:
        kind: "solo" or "multi", an environment of one or several players; "vector"; or "module",
            one of PettingZoo's modules, which is made of Python and no concern of the C test.
        name: Of the game, or of the module.
        options: In the order of the line.  Without those of the play itself, they have the names
            that `ale_env_options` or `ale_vector_options` has, or the module.
        sums: What came of it, as text.
    """

    kind: str
    name: str
    options: Options
    sums: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        options = " ".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.kind} {self.name} {options}"

    @property
    def line(self) -> str:
        """As it stands in the file."""
        return f"{self} : {' '.join(f'{key}={value}' for key, value in self.sums)}"


def read(kind: str | None = None) -> Iterator[Case]:
    """The cases of a kind, or all, in the order of the file."""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        play, _, sums = line.partition(" : ")
        found, name, *options = play.split()
        if kind in (None, found):
            pairs = (option.split("=") for option in options)
            given = tuple(tuple(part.split("=")) for part in sums.split())
            yield Case(found, name, {key: _value(text) for key, text in pairs}, given)  # type: ignore[arg-type]


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Sum:
    """CRC-32 of a series of arrays.

    Attributes:
        series: The checksum of each array with those before it.
    """

    def __init__(self) -> None:
        self.series: list[int] = []

    def add(self, array: Any) -> None:
        before = self.series[-1] if self.series else 0
        self.series.append(zlib.crc32(np.ascontiguousarray(array).tobytes(), before))

    def numbers(self, *values: Any) -> None:
        """Add integers, each of 32 bits, the lowest byte first."""
        self.add(np.array([int(value) for value in values], "<i8").astype("<i4"))

    def __str__(self) -> str:
        return f"{self.series[-1] if self.series else 0:08x}"


class Sums(dict[str, str]):
    """Checksums by name, as text; `series` has those of each moment."""

    def __init__(self, sums: dict[str, Any]) -> None:
        super().__init__({key: str(value) for key, value in sums.items()})
        self.series = {key: sum_.series for key, sum_ in sums.items() if isinstance(sum_, Sum)}

    def first_difference(self, other: Sums) -> str:
        """Say where the first array that differs from another play's stands in its series."""
        for name, series in self.series.items():
            pairs = zip(series, other.series[name], strict=False)
            for number, (ours, theirs) in enumerate(pairs, 1):
                if ours != theirs:
                    return f"{name} differs from the original's in array {number} of {len(series)}"
        return "no array differs from the original's"


class Choice:
    """Random actions of some players, which change now and then."""

    def __init__(self, seed: int, players: int) -> None:
        self._random = seed
        self.held = [0] * players

    def draw(self) -> int:
        """A number below 65536."""
        self._random = (self._random * 1664525 + 1013904223) % 2**32
        return self._random >> 16

    def next(self, player: int, actions: list[int]) -> int:
        """One of the actions."""
        number = self.draw()
        if number % 4 == 0:
            self.held[player] = actions[number // 4 % len(actions)]
        return self.held[player]


# ---- Environments --------------------------------------------------------------------------------

_OF_THE_PLAY = ("mode", "difficulty", "acts", "strengths")
_SETTERS = {int: "setInt", float: "setFloat", bool: "setBool"}
_NAMES = {"sound": "sound_obs", "system_seed": "system_random_seed"}  # where they differ from C's
_FLAGS = ("sound_obs", "color_averaging", "truncate_on_loss_of_life")


def settings(options: Options) -> Options:
    """Return the options to set before the ROM is loaded: all but those of the play itself."""
    return {key: value for key, value in options.items() if key not in _OF_THE_PLAY}


def load(interface: Any, rom: Path | str, options: Options) -> Any:
    """Set up and load an `ALEInterface`, which is returned."""
    for name, value in settings(options).items():
        key = _NAMES.get(name, name)
        given = bool(value) if key in _FLAGS else value
        getattr(interface, _SETTERS[type(given)])(key, given)
    interface.loadROM(rom)
    return interface


def _start(interface: Any, options: Options) -> tuple[int, int]:
    """Reset a loaded interface in its mode; acts to play, and whether with strengths."""
    mode, difficulty, acts, strengths = (int(options.get(key, 0)) for key in _OF_THE_PLAY)
    interface.setMode(mode)
    interface.setDifficulty(difficulty)
    interface.reset_game()
    return acts, strengths


def play_solo(interface: Any, options: Options) -> Sums:
    """On pyale_ma.single.ALEInterface or ale-py's, after `load`."""
    acts, strengths = _start(interface, options)
    choice = Choice(int(options["random_seed"]), 1)
    actions = sorted(action.value for action in interface.getMinimalActionSet())
    report, ram, screen, rgb, sound = Sum(), Sum(), Sum(), Sum(), Sum()
    rewards = resets = 0
    for t in range(1, acts + 1):
        action = choice.next(0, actions)
        strength = STRENGTHS[choice.draw() % len(STRENGTHS)] if strengths else 1.0
        reward = interface.act(action, strength)
        rewards += reward
        over = interface.game_over()
        frames = interface.getFrameNumber(), interface.getEpisodeFrameNumber()
        report.numbers(reward, interface.lives(), over, *frames)
        ram.add(interface.getRAM())
        if t % SCREEN_EVERY == 0:
            screen.add(interface.getScreen())
        if t % RGB_EVERY == 0:
            rgb.add(interface.getScreenRGB())
        if "sound" in options:
            sound.add(interface.getAudio())
        if over:
            interface.reset_game()
            resets += 1
    sums: dict[str, Any] = {"rewards": rewards, "resets": resets, "report": report}
    sums |= {"ram": ram, "screen": screen, "rgb": rgb}
    if "sound" in options:
        sums["sound"] = sound
    return Sums(sums)


def play_multi(interface: Any, options: Options) -> Sums:
    """On pyale_ma.multi.ALEInterface or multi-agent-ale-py's, after `load`."""
    acts, _ = _start(interface, options)
    players = len(interface.allLives())
    choice = Choice(int(options["random_seed"]), players)
    actions = sorted(int(action) for action in interface.getMinimalActionSet())
    report, ram, screen, rgb = Sum(), Sum(), Sum(), Sum()
    rewards, resets = [0] * players, 0
    for t in range(1, acts + 1):
        gained = [int(r) for r in interface.act([choice.next(p, actions) for p in range(players)])]
        rewards = [a + b for a, b in zip(rewards, gained, strict=True)]
        over = interface.game_over()
        frames = interface.getFrameNumber(), interface.getEpisodeFrameNumber()
        report.numbers(*gained, *interface.allLives(), over, *frames)
        ram.add(interface.getRAM())
        if t % SCREEN_EVERY == 0:
            screen.add(interface.getScreen())
        if t % RGB_EVERY == 0:
            rgb.add(interface.getScreenRGB())
        if over:
            interface.reset_game()
            resets += 1
    sums: dict[str, Any] = {"rewards": ",".join(map(str, rewards)), "resets": resets}
    sums |= {"report": report, "ram": ram, "screen": screen, "rgb": rgb}
    return Sums(sums)


# ---- Vectors -------------------------------------------------------------------------------------

_AUTORESETS = ("NextStep", "SameStep")
_VECTOR_NAMES = {"frame_skip": "frameskip"}
_VECTOR_FLAGS = (
    "episodic_life", "full_action_space", "life_loss_info", "maxpool", "reward_clipping",
    "use_fire_reset",
)  # fmt: skip


def known_to_original_vectors(case: Case) -> bool:
    """Whether ale-py's vectors can do this: several players and RAM are ours alone."""
    return case.options.get("players", 1) == 1 and case.options.get("observation") != 2


def play_vector(make: Any, game: str, options: Options) -> Sums:
    """On what `make` makes: pyale_ma.vector.AtariVectorEnv or ale-py's."""
    options = dict(options)
    seed, steps, num_envs = (int(options.pop(key)) for key in ("seed", "steps", "num_envs"))
    arguments: dict[str, Any] = {
        "autoreset_mode": _AUTORESETS[int(options.pop("autoreset", 0))],
    }
    players = int(options.pop("players", 1))
    if players > 1:
        arguments["num_players"] = players
    observation = options.pop("observation", 0)
    if observation == 2:
        arguments["obs_type"] = "ram"
    else:
        arguments["grayscale"] = observation == 0
    for key, value in options.items():
        arguments[_VECTOR_NAMES.get(key, key)] = bool(value) if key in _VECTOR_FLAGS else value
    envs = make(game, num_envs, **arguments)
    space = envs.single_action_space
    actions = [*range(int(space.nvec[0] if players > 1 else space.n))]
    choice = Choice(seed, num_envs * players)
    shape = (num_envs, players) if players > 1 else (num_envs,)
    observations, ends, infos = Sum(), Sum(), Sum()
    total = ended = 0

    def look(observation: Any, info: Any) -> None:
        observations.add(observation)
        for key in ("lives", "frame_number", "episode_frame_number"):
            infos.numbers(*np.ravel(info[key]))

    look(*envs.reset(seed=seed))
    for _ in range(steps):
        chosen = [choice.next(p, actions) for p in range(num_envs * players)]
        observation, rewards, terminations, truncations, info = envs.step(
            np.array(chosen).reshape(shape)
        )
        look(observation, info)
        for array in (rewards, terminations, truncations):
            ends.numbers(*np.ravel(array))
        total += int(rewards.sum())
        ended += int(terminations.sum()) + int(truncations.sum())
    envs.close()
    sums = {"rewards": total, "ends": ended, "observations": observations}
    return Sums({**sums, "reports": ends, "infos": infos})


# ---- PettingZoo's modules ------------------------------------------------------------------------


def play_module(module: Any, options: Options) -> Sums:
    """On a module of pyale_ma.multi or of pettingzoo.atari."""
    arguments = dict(options)
    seed, steps = int(options["seed"]), int(arguments.pop("steps"))
    env = module.parallel_env(**arguments)
    agents = env.possible_agents
    choice = Choice(seed, len(agents))
    seen, ends = Sum(), Sum()
    sums, resets = dict.fromkeys(agents, 0), 0
    observations, _ = env.reset()
    for t in range(steps):
        for observation in observations.values():
            seen.add(observation)
        chosen = {
            agent: choice.next(p, [*range(env.action_space(agent).n)])
            for p, agent in enumerate(agents)
        }
        observations, rewards, terminations, truncations, _ = env.step(
            {agent: chosen[agent] for agent in env.agents}
        )
        for agent, reward in rewards.items():
            sums[agent] += int(reward)
            ends.numbers(reward, terminations[agent], truncations[agent], agents.index(agent))
        if not env.agents:
            observations, _ = env.reset(seed=seed + t if resets % 2 else None)
            resets += 1
    env.close()
    found = {"rewards": ",".join(map(str, sums.values())), "resets": resets}
    return Sums({**found, "seen": seen, "reports": ends})
