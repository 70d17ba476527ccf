"""`ParallelAtariEnv`: a game as a PettingZoo environment for its players, equal to PettingZoo's.

All of PettingZoo's Atari modules, and `pyale_ma.multi.parallel_env`, are this class with a game, a
number of players and a mode.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import EzPickle, seeding
from pettingzoo import ParallelEnv  # type: ignore[import-untyped]

from pyale_ma import _native
from pyale_ma._base.arguments import (
    flag,
    integer,
    is_one_of,
    known_names,
    number,
    probability,
)
from pyale_ma._base.tap import Tap
from pyale_ma._base.text import listed, printable, shown
from pyale_ma._native import OUT, RAM_SIZE, Pixels
from pyale_ma.console.interrupted import Interruptible
from pyale_ma.console.labelled import Labelled
from pyale_ma.console.observations import AGENT_OBSERVATIONS
from pyale_ma.console.starts import AnyStarts, Starting
from pyale_ma.console.state import ALEState
from pyale_ma.games.actions import action_names
from pyale_ma.games.selection import AnyGame, Selection, resolve
from pyale_ma.multi.multi_interface import ALEInterface

Bytes: TypeAlias = npt.NDArray[np.uint8]
Infos: TypeAlias = dict[str, dict[str, Any]]
_Usual: TypeAlias = tuple[list[str], dict[str, np.int32], dict[str, bool]]
_Results: TypeAlias = tuple[
    dict[str, Any], dict[str, np.int32], dict[str, bool], dict[str, bool], dict[str, Any]
]

AGENTS = ("first_0", "second_0", "third_0", "fourth_0")
_NOOP = 0
_NO_REWARD = np.int32(0)
_RGB = Pixels.RGB  # looked up once


class ArgumentError(ValueError, AssertionError):
    """An argument is not one of those allowed.  PettingZoo's environments raise AssertionError."""


class AgentError(KeyError, ValueError):
    """The actions of a step are not those of the agents.  PettingZoo's raise KeyError."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError's own text has quotation marks around it


class ParallelAtariEnv(
    Labelled,
    Starting,
    Interruptible,
    ParallelEnv[str, Any, int],  # type: ignore[misc]
    EzPickle,
):
    """A PettingZoo `ParallelEnv`: all players act at the same time.

    Every agent observes the whole screen, RAM or labels, as `obs_type` says, in a uint8 array
    (labels: int32) of its own; with `sound_obs` a dict of this array (``"image"``) and the 512
    samples of the last frame (``"sound"``).  Rewards are those of the game, one for each player.
    An agent that is out terminates, while others may play on; from then on its player does action
    0.  A step of several frames plays like that many steps of one, and ends with the frame that
    ends the episode.

    Args:
        game: The game's name, such as "pong"; that of an environment, such as "pong_v3", with its
            mode, difficulty and action set; or the path of a card (docs/cards.md).
        num_players: 1 to 4, as the game's modes allow.  1 plays under the rules for several
            players as well, which are not those of `pyale_ma.single`.
        mode_num: One of the game's modes for this number of players; None for the default.
        seed: The seed of everything random, until `reset` gets another; None: a random one.
        obs_type: "rgb_image", the screen in colour ``(height, 160, 3)``; "grayscale_image", in gray
            ``(height, 160, 1)``; "ram", the console's RAM ``(128,)``; "objects", those that cover
            each pixel ``(height, 160, 1)``, as ``getScreenObjects`` returns them; or "labels",
            int32 ``(number of labels,)``, in the order of ``labels_of(game).names``
            (docs/labels.md).
        full_action_space: Use all 18 actions instead of those that have an effect in this game.
        env_name: The environment's name; None: `game`, or "custom_" and the game's name.
        max_cycles: Number of steps after which an episode is truncated.
        render_mode: None, "human" (a window, which needs pygame) or "rgb_array".
        auto_rom_install_path: The ROM file, or a folder to look in instead of the usual places.
        frame_skip: Frames per step, with the same actions; rewards are summed.
        repeat_action_probability: In each frame, the probability that a player's previous action is
            repeated.
        difficulty: One of the game's difficulties: bit 0 is the left switch, bit 1 the right
            one; the game's page says what they do.  None: both are off.
        sound_obs: Observations are dicts of image and sound.
        detailed_infos: Fill the infos with ``lives``, ``frame_number`` and
            ``episode_frame_number``.
        noop_max: An episode begins with a random number of steps of NOOP, at most this many, so
            that environments that start together do not stay in step.
        variation: One of the card's variations; None: no variation.
        terminal_on: Labels that end the episode for all agents, each with "changes", "rises" or
            "falls", or with a number of frames: it has not changed for so many (docs/labels.md).
        corrected_rules: Correct the faults of the originals' rewards and ends that
            docs/rules-audit.md lists.  Returns are then not comparable with published ones.
        starts: Where episodes begin, instead of where a reset leads: a state, a list of states, a
            dict of their weights, or a function (docs/starts.md).

    Examples:
        ```python
        from pyale_ma.multi import ParallelAtariEnv

        env = ParallelAtariEnv("quartet", num_players=4, obs_type="ram")
        observations, infos = env.reset(seed=42)
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        observations, rewards, terminations, truncations, infos = env.step(actions)
        ```

    Raises:
        ArgumentError: An argument is not allowed (a ValueError and an AssertionError).
        ValueError: There is no such game, the card has an error, or labels are observed of a game
            that has none.
        FileNotFoundError: The game's ROM file was not found; the text says how to get one.
    """

    ale: ALEInterface
    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["human", "rgb_array"],
        "render_fps": 60,
        "is_parallelizable": True,
    }

    frame = 0  # steps of the episode
    _is_reset = False  # whether there was a reset
    _window: Any = None

    # Whether agents whose episode is truncated leave at once.
    _truncated_leave = True

    @known_names
    def __init__(
        self,
        game: AnyGame,
        num_players: int,
        mode_num: int | None = None,
        seed: int | None = None,
        obs_type: str = "rgb_image",
        full_action_space: bool = False,
        env_name: str | None = None,
        max_cycles: int = 100000,
        render_mode: str | None = None,
        auto_rom_install_path: str | None = None,
        *,
        frame_skip: int = 1,
        repeat_action_probability: float = 0.0,
        difficulty: int | None = None,
        sound_obs: bool = False,
        detailed_infos: bool = False,
        noop_max: int = 0,
        variation: str | None = None,
        corrected_rules: bool = False,
        starts: AnyStarts | None = None,
        terminal_on: _native.TerminalOn | None = None,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name != "self"}
        played = resolve(
            game,
            num_players,
            mode_num,
            difficulty,
            full_action_space,
            variation,
            counts=(),
            place=_checked("auto_rom_install_path", auto_rom_install_path, _place),
            error=ArgumentError,
        )
        arguments |= {
            # With what was read: a copy plays the same, whatever has become of the files.
            "game": played,
            "auto_rom_install_path": None,
            "num_players": played.num_players,
            "mode_num": played.mode,
            "difficulty": played.difficulty,
            "full_action_space": played.full_action_space,
        }
        terminals = _native.checked_terminals(terminal_on)
        arguments["terminal_on"] = dict(terminals) or None
        checked = {name: _checked(name, arguments[name], check) for name, check in _CHECKS.items()}
        EzPickle.__init__(self, **(arguments | checked))
        self.tap: Tap | None = None
        name = env_name or played.environment or f"custom_{played.game.name}"
        self.metadata = {**self.metadata, "name": name}
        self._choose(played, terminals)
        self._take(checked)
        self._seed(seed)
        self._make_observations()

        self.agents: list[str] = []
        # Callers may set `agents`.  `_seats` are those of the agents in `_usual`, or of nobody.
        self._seats: list[int] = []  # player numbers
        # Agents, their rewards if there are none, and False for each; steps return copies.
        self._usual: _Usual = [], {}, {}
        self.set_starts(starts)

    def _choose(self, played: Selection, terminals: _native.Terminals) -> None:
        """Keep what is played, by whom, with which actions."""
        self._game, self.rom_path = played.source, played.image.path
        self._played, self._terminals = played, terminals
        try:
            self._rom = played.rom(terminals)
        except ValueError as error:
            raise ArgumentError(str(error)) from None
        self.num_players, self.mode = played.players, played.mode
        self._difficulty = played.difficulty
        self.full_action_space = played.full_action_space
        self.possible_agents = list(AGENTS[: self.num_players])
        self.action_mapping = np.array(played.action_set, np.int32)
        self._codes = dict(enumerate(self.action_mapping.tolist()))  # the console's, by index
        self.action_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Discrete(len(self._codes)) for agent in self.possible_agents
        }

    def _take(self, checked: dict[str, Any]) -> None:
        """Keep the arguments that say how it is played and observed, in the console's settings."""
        self.obs_type, self.render_mode = checked["obs_type"], checked["render_mode"]
        self.max_cycles = checked["max_cycles"]
        self.sound_obs = checked["sound_obs"]
        self._detailed_infos = checked["detailed_infos"]
        self._has_infos = self._detailed_infos or bool(self._terminals)
        self._frame_skip = checked["frame_skip"]
        self._noop_max = checked["noop_max"]
        self._corrected_rules = checked["corrected_rules"]
        self.ale = ALEInterface()
        self.ale.setFloat("repeat_action_probability", checked["repeat_action_probability"])
        self.ale.setBool("corrected_rules", self._corrected_rules)
        self.ale.setBool("sound_obs", self.sound_obs)
        self.ale.setBool("objects_obs", AGENT_OBSERVATIONS[self.obs_type].has_objects)

    def __repr__(self) -> str:
        return shown(
            self,
            self._game,
            num_players=self.num_players,
            mode_num=self.mode,
            difficulty=self._difficulty,
            obs_type=self.obs_type,
            frame_skip=self._frame_skip,
            corrected_rules=self._corrected_rules or None,
        )

    def _make_observations(self) -> None:
        """Make the agents' observations and their space."""
        kind = AGENT_OBSERVATIONS[self.obs_type].of_game(self._played.game)
        self._has_labels = kind.name == "labels"
        self._pixels = kind.pixels
        self._shape = kind.shape(self.ale.env.info.screen_height, least_channels=1)
        space: spaces.Space[Any] = kind.space(self._shape)
        if self.sound_obs:
            space = spaces.Dict({"image": space, "sound": _bytes_space(_native.AUDIO_SIZE)})
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.state_space = _bytes_space(RAM_SIZE)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent: a Box, the same for all."""
        return self._of_agent(self.observation_spaces, agent)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The actions of an agent: Discrete, an index into `action_mapping`."""
        return self._of_agent(self.action_spaces, agent)

    def get_action_meanings(self) -> list[str]:
        """The names of the actions, by index, the same for all agents."""
        return action_names(self.action_mapping.tolist())

    def _of_agent(self, by_agent: Mapping[str, spaces.Space[Any]], agent: str) -> spaces.Space[Any]:
        """One agent's space; AgentError: there is no such agent."""
        try:
            return by_agent[agent]
        except (KeyError, TypeError):
            raise self._no_agent(agent) from None

    def _no_agent(self, agent: Any) -> AgentError:
        return AgentError(f"there is no agent {agent!r}; agents are {listed(self.possible_agents)}")

    # ---- Episodes --------------------------------------------------------------------------------

    def _seed(self, seed: int | None) -> None:
        """Start the console anew, with a seed and the settings of `ale`."""
        self.np_random, entropy = seeding.np_random(seed)
        self.ale.setInt("random_seed", entropy)
        self.ale._load(
            self.rom_path,
            self._rom,
            self.mode,
            self._difficulty,
            random_seed=entropy % 2**32,  # 0, too, which the setting takes for the time
            idle_action=self._codes[0],  # in the frames of a step after a player is out
        )
        self._env = self.ale.env

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], Infos]:
        """Start an episode.

        Args:
            seed: Start the console anew with this seed; the same seed gives the same episode.
                None: continue with the random numbers and the RAM of the previous episode.
            options: ``"starts"`` says where this episode begins, as the argument of that name.
                Those of vectors are refused: choose mode and difficulty when you make the
                environment.

        Returns:
            Observations and infos, by agent; with `starts` the infos have the number of this
            ``start``, unless a function returned it.

        Raises:
            TypeError: `options` is not a dict.
            ValueError: It has an option of vectors, or a start is another game's.
        """
        self._check_reset(seed, options)
        starts = self._starts_of(seed, options)
        tap = self.tap
        if tap is not None:
            begun = tap.before_reset(seed, options)
        self._interrupted = True
        if seed is not None:
            self._seed(seed)
        elif self._is_reset:
            self.np_random, _ = seeding.np_random()
        at_start, told = False, dict[str, int]()
        if starts is not None:
            at_start, told = self._begin_at(starts, seed)
            if not at_start and seed is not None:
                self._seed(seed)  # the generator has drawn
        env = self._env = self.ale.env
        if not at_start:
            if self._difficulty is not None:
                env.set_difficulty(self._difficulty)
            env.reset()
        env.actions[:] = [_NOOP] * _native.MAX_PLAYERS
        if self._noop_max and not at_start:
            noops = int(self.np_random.integers(self._noop_max + 1))
            if noops:
                env.act(self.num_players, noops * self._frame_skip)
        self._go_on_from_here(at_start)
        self._interrupted = False
        if tap is not None:
            tap.after_reset(begun)
        observations = self._observe(len(self.agents))
        infos = self._infos()
        for info in infos.values():
            info.update(told)
        return dict(zip(self.agents, observations, strict=True)), infos

    def _go_on_from_here(self, at_start: bool) -> None:
        """Begin to count steps, with all agents, or at a start with those that are not out."""
        lives = self._env.lives
        self.agents = [
            agent
            for agent, left in zip(self.possible_agents, lives, strict=False)
            if not at_start or left >= 0
        ]
        self._take_seats(self.agents)
        self._is_reset = True
        self.frame = 0

    def step(self, actions: Mapping[str, int]) -> _Results:
        """Play one action of each agent.

        Args:
            actions: Indices by agent.  Those of agents that are out already are ignored.

        Returns:
            Observations, rewards, terminations, truncations and infos, as dicts with an entry for
            each agent that was in the game before the step.  Five empty dicts if there was none
            and `actions` is empty.

        Raises:
            AgentError: An agent's action is missing, or there is no such agent (a KeyError and a
                ValueError).
            ArgumentError: There is no such action (a ValueError and an AssertionError).
            ResetNeeded: There was no reset yet, or the episode is over and there are actions, or an
                earlier call was interrupted in the middle.
            RuntimeError: Another call of the environment runs, in another thread.
        """
        if self._interrupted:
            self._ensure_ready()
        tap = self.tap
        if tap is not None:
            begun = tap.before_step(actions)
        agents, env = self.agents, self._env
        usual_agents, no_rewards, nobody = self._usual
        if usual_agents != agents:  # somebody left, or the caller set `agents`
            _, no_rewards, nobody = self._take_seats(agents)
        played, codes = env.actions, self._codes
        try:
            for seat, agent in zip(self._seats, agents):  # noqa: B905 (they are equally long)
                action = actions[agent]
                if type(action) not in _WHOLE:
                    raise TypeError
                played[seat] = codes[action]
        except (KeyError, TypeError, IndexError):
            self._take_checked(actions)
        if not agents or len(actions) != len(agents):
            self._check_agents(actions)
            if not agents:
                nothing: _Results = {}, {}, {}, {}, {}
                if tap is not None:
                    tap.after_step(begun, nothing)
                return nothing
        self._interrupted = True
        # Loops, because two dictionaries as expressions would take longer.
        observations: dict[str, Any] = {}
        infos: Infos = {}
        if self._pixels is None and not self.sound_obs and self.ale._recorder is None:
            try:
                env.act(self.num_players, self._frame_skip)
            except _native.OrderError:  # before it began
                self._interrupted = False
                raise
            outcome = env.outcome()
            values = env.labels() if self._has_labels else env.ram
            for agent in agents:
                observations[agent] = values.copy()
                infos[agent] = {}
        else:
            images, outcome = self._play(len(agents))
            for agent, image in zip(agents, images):  # noqa: B905
                observations[agent] = image
                infos[agent] = {}
        self.frame += 1
        rewards: defaultdict[str, Any] = defaultdict(int, no_rewards)
        # By name, because slices of a tuple would take longer.
        won1, won2, won3, won4, lives1, lives2, lives3, lives4, over, cut, _, _ = outcome
        if won1 or won2 or won3 or won4:
            won = won1, won2, won3, won4
            for seat, agent in zip(self._seats, agents):  # noqa: B905
                rewards[agent] = np.int32(won[seat])
        terminations = nobody.copy()
        truncated = self.frame >= self.max_cycles
        truncations = dict.fromkeys(agents, True) if truncated else nobody.copy()
        if self._has_infos:
            infos = self._infos()
        if over or cut or lives1 < 0 or lives2 < 0 or lives3 < 0 or lives4 < 0:
            lives = lives1, lives2, lives3, lives4
            for seat, agent in zip(self._seats, agents):  # noqa: B905
                terminations[agent] = over != 0 or cut != 0 or lives[seat] < 0
            observations = self._remove(terminations, observations)
        if truncated and self._truncated_leave:
            self._remove(truncations, observations)
        self._interrupted = False
        if self.render_mode == "human":
            self.render()
        results = observations, rewards, terminations, truncations, infos
        if tap is not None:
            tap.after_step(begun, results)
        return results

    def _play(self, count: int) -> tuple[list[Any], _native.Outcome]:
        """Play the actions of all players.

        Returns:
            The observation after it, in `count` copies, and what came of it.
        """
        env, players, frames = self._env, self.num_players, self._frame_skip
        recorder = self.ale._recorder
        if recorder is not None:
            actions = env.actions[:players]
            recorder.record(env, lambda double: double.play(actions), frames)
        try:
            if self._pixels is None:
                env.act(players, frames)
                outcome = env.outcome()
            else:
                images, outcome = env.step(self._pixels, players, frames, count)
        except _native.OrderError:  # before it began
            self._interrupted = False
            raise
        if self._pixels is None:
            values = env.labels() if self._has_labels else env.ram
            images = [values.copy() for _ in range(count)]
        elif self._pixels is not _RGB:
            images = [image.reshape(self._shape) for image in images]
        return self._with_sound(images) if self.sound_obs else images, outcome

    def _remove(self, out: dict[str, bool], observations: dict[str, Any]) -> dict[str, Any]:
        """Let agents leave; the library plays action 0 for them from now on.

        Returns:
            The observations, those of survivors first and the others sorted by name, as PettingZoo
            has them.
        """
        alive = [(s, agent) for s, agent in zip(self._seats, self.agents) if not out[agent]]  # noqa: B905
        self._seats, self.agents = [seat for seat, _ in alive], [agent for _, agent in alive]
        self._usual = [], {}, {}
        self._empty_seats_but(self._seats)
        order = (*self.agents, *sorted(agent for agent in observations if out[agent]))
        return {agent: observations[agent] for agent in order}

    def _take_seats(self, agents: Sequence[str]) -> _Usual:
        """Seat these agents; leave the other seats empty.

        Raises:
            AgentError: There is no such agent.
        """
        for agent in agents:
            if agent not in self.possible_agents:
                raise self._no_agent(agent)
        self._seats = [self.possible_agents.index(agent) for agent in agents]
        self._empty_seats_but(self._seats)
        self._usual = list(agents), dict.fromkeys(agents, _NO_REWARD), dict.fromkeys(agents, False)
        return self._usual

    def _empty_seats_but(self, seats: Sequence[int]) -> None:
        for seat in set(range(self.num_players)).difference(seats):
            self._env.actions[seat] = OUT

    def _take_checked(self, actions: Any) -> None:
        """Take actions that are not plain numbers, or say what is wrong with them."""
        if not isinstance(actions, Mapping):
            raise TypeError(f"actions must be a dict with one action an agent, not {actions!r}")
        self._check_agents(actions)
        for seat, agent in zip(self._seats, self.agents, strict=True):
            if agent not in actions:
                playing = listed(self.agents)
                raise AgentError(f"the action of {agent!r} is missing; {playing} play")
            try:
                index = np.asarray(actions[agent])
            except ValueError:  # rows of different lengths
                index = np.empty(1)
            if index.shape or index.dtype.kind not in "iu" or int(index) not in self._codes:
                raise ArgumentError(
                    f"{agent}: action {actions[agent]!r} is not in action space; "
                    f"actions are 0 to {len(self._codes) - 1}"
                )
            self._env.actions[seat] = self._codes[int(index)]

    def _check_agents(self, actions: Mapping[str, int]) -> None:
        """Refuse actions of agents that do not exist, or that come when nobody plays."""
        if not self._is_reset:
            raise ResetNeeded("call reset before the first step")
        if not self.agents and actions:
            raise ResetNeeded("the episode is over for all agents; call reset to start another")
        for agent in actions:
            if agent not in self.possible_agents:
                raise self._no_agent(agent)

    # ---- What can be seen ------------------------------------------------------------------------

    def _observe(self, count: int) -> list[Any]:
        """The present observation, as often as there are agents who may each change theirs."""
        if self._pixels is None:
            values = self._env.labels() if self._has_labels else self._env.ram
            return self._with_sound([values.copy() for _ in range(count)])
        image = self._env.screen(self._pixels).reshape(self._shape)
        return self._with_sound([image, *(image.copy() for _ in range(count - 1))])

    def _with_sound(self, images: list[Bytes]) -> list[Any]:
        if not self.sound_obs:
            return images
        audio = self._env.audio
        return [{"image": image, "sound": audio.copy()} for image in images]

    def _infos(self) -> Infos:
        report = self._env.report
        told = {"ended_by": report.ended_by} if self._terminals else {}
        if not self._detailed_infos:
            return {agent: told.copy() for agent in self.agents}
        return {
            agent: {
                "lives": self._env.lives[seat],
                "frame_number": report.frame_number,
                "episode_frame_number": report.episode_frame_number,
                **told,
            }
            for seat, agent in zip(self._seats, self.agents, strict=True)
        }

    def state(self) -> Bytes:
        """The console's RAM, uint8 (128,), for instance for a centralised critic."""
        return np.array(self._env.ram)

    def render(self) -> Bytes | None:
        """The screen, uint8 (height, 160, 3); None, with it in a window, for "human"."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "You are calling render method without specifying any render mode."
            )
            return None
        image = self._env.screen(_RGB)
        if self.render_mode == "rgb_array":
            return image
        if self._window is None:
            from pyale_ma.screen.window import Window  # pygame, only for those who look

            self._window = Window(self.metadata["name"], len(image))
        self._window.show(image)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        tap = self.tap
        if tap is not None:
            tap.before_close()
        if self._window is not None:
            self._window.close()
            self._window = None

    # ---- States ----------------------------------------------------------------------------------

    def clone_state(self) -> Bytes:
        """The state of the console, without the random generator, as uint8 bytes.

        It includes neither the list of agents nor the number of steps, as in PettingZoo: keep
        `agents` and `frame`, too, and set them after `restore_state`.
        """
        self._ensure_ready()
        return self.ale.encodeState(self.ale.cloneState())

    def restore_state(self, state: Bytes | ALEState, seed: int | None = None) -> None:
        """Restore a state.

        One of `clone_state` leaves `agents` and `frame` as they are.  After an `ALEState`, of any
        layer, the agents are those who are not out, and `frame` is 0.

        Args:
            state: The state.
            seed: Of the random generator, 0 to 2^32 - 1, so that what follows is another play;
                None: the state's, if it includes one.

        Raises:
            ValueError: It is no such state, or one of another game or of other numbers of players.
            TypeError: It is neither a state nor an array.
        """
        if seed is not None:
            seed = integer("seed", seed, 0, 2**32 - 1)
        if isinstance(state, ALEState):
            self._check_players("state", state)
            self._env.restore(state)
            self._go_on_from_here(at_start=True)
        elif isinstance(state, np.ndarray):
            self.ale.restoreState(self.ale.decodeState(state))
        else:
            raise TypeError(
                f"state must be an ALEState, or an array of clone_state, not {type(state).__name__}"
            )
        if seed is not None:
            self._env.seed(seed)
        self._interrupted = False

    def save_state(self) -> ALEState:
        """The state of the console with its random generator, for any layer.

        Raises:
            ResetNeeded: There was no reset yet, or the last call was interrupted.
        """
        self._ensure_ready()
        if not self._is_reset:
            raise ResetNeeded("there was no reset yet; call reset() first")
        return self._env.saved(ALEState, True)

    def branches(self, n: int, *, others: Any = "random", num_threads: int = 1) -> Any:
        """Make a pool of consoles onto which this game is copied, to play on from there.

        Args:
            n: How many.
            others: Who chooses in seats that a rollout leaves open: "random", or a trained player
                of this game, by its level or as a `TrainedPolicy`.
            num_threads: Threads that play; 0: one for each CPU.

        Returns:
            `pyale_ma.vector.Branches`, which have no limit of steps.

        Raises:
            ValueError: `n` is below 1, or there is no such player.
            TypeError: `n` is no whole number.
        """
        from pyale_ma.vector import Branches  # which imports Gymnasium's vectors

        options = self._branch_options(self._frame_skip, num_threads)
        return Branches(self._played, 1, lambda _: self.save_state(), n, others, options)

    def clone_full_state(self) -> Bytes:
        """The state of the console and its random generator, as uint8.  See `clone_state`."""
        self._ensure_ready()
        return self.ale.encodeState(self.ale.cloneSystemState())

    def restore_full_state(self, state: Bytes) -> None:
        """Restore a state of `clone_full_state`.  ValueError: the bytes are no such state."""
        self.ale.restoreSystemState(self.ale.decodeState(state))
        self._interrupted = False


class TurnwiseAtariEnv(ParallelAtariEnv):
    """The environment as PettingZoo's converter to turns wants it.

    Agents whose episode is truncated stay until the converter has stepped them a last time, and
    nobody else has a reward.
    """

    _truncated_leave = False

    def step(self, actions: Mapping[str, int]) -> Any:
        """Play a frame; see `ParallelAtariEnv.step`."""
        observations, rewards, *rest = super().step(actions)
        return observations, dict(rewards), *rest


def _bytes_space(count: int) -> spaces.Box:
    return spaces.Box(0, 255, (count,), np.uint8)


# Usual types of an action; others are looked at.
_WHOLE = frozenset((int, bool, np.int64, np.int32))


def _checked(name: str, value: Any, check: Callable[[str, Any], Any]) -> Any:
    """An argument as a check returns it; an `ArgumentError` if it is not allowed."""
    try:
        return check(name, value)
    except ValueError as problem:
        raise ArgumentError(str(problem)) from None


def _one_of(allowed: Iterable[str | None], words: str) -> Callable[[str, Any], Any]:
    def check(name: str, value: Any) -> Any:
        if not is_one_of(value, allowed):
            raise ValueError(f"{name} is {value!r}; it must be {words}")
        return value

    return check


def _within(low: int, high: int) -> Callable[[str, Any], int]:
    return lambda name, value: integer(name, value, low, high)


def _players(name: str, value: Any) -> Any:
    if value is None:
        raise ValueError(f"{name} is None; it must be 1 to 4")
    return value


def step_limit(name: str, value: Any) -> Any:
    """A number of steps, which may be infinite."""
    limit = number(name, value)
    if math.isnan(limit):
        raise ValueError(f"{name} is nan; it must be a number of steps")
    return value if isinstance(value, int) else limit


def _name(name: str, value: Any) -> Any:
    if not (value is None or isinstance(value, str)):
        raise TypeError(f"{name} must be a text, not {value!r}")
    return value


def _place(name: str, value: Any) -> Any:
    """The path of something that is there."""
    if value is None:
        return value
    if not isinstance(value, (str, os.PathLike)):  # a number would be that of an open file
        raise TypeError(f"{name} must be the path of a file or folder, not {value!r}")
    if not os.path.exists(value):
        raise FileNotFoundError(f"{name} is {printable(value)}; there is no such file or folder")
    return value


def _noops(name: str, value: Any) -> int:
    """A number of steps; a negative one means none, as in ale-py's vectors."""
    return integer(name, max(0, integer(name, value, None)), 0, _native.MAX_NOOPS)


# What looks at each argument, and returns what is meant.
_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "num_players": _players,
    "obs_type": _one_of(AGENT_OBSERVATIONS, listed(AGENT_OBSERVATIONS)),
    "env_name": _name,
    "max_cycles": step_limit,
    "render_mode": _one_of((None, "human", "rgb_array"), "human or rgb_array"),
    "frame_skip": _within(1, _native.MAX_FRAME_SKIP),
    "repeat_action_probability": probability,
    "sound_obs": flag,
    "detailed_infos": flag,
    "noop_max": _noops,
    "corrected_rules": flag,
}
