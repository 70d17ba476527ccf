"""`AtariEnv`: a game as a Gymnasium environment for one agent, equal to ale-py's."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypedDict

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import error, spaces
from gymnasium.utils import EzPickle, seeding

from pyale_ma import _native
from pyale_ma._base.arguments import (
    flag,
    integer,
    known_names,
    number,
    whole,
)
from pyale_ma._base.tap import Tap
from pyale_ma._base.text import shown
from pyale_ma._native import AUDIO_SIZE, FULL, OrderError, Rules
from pyale_ma.console.base_interface import console_of
from pyale_ma.console.interrupted import Interruptible
from pyale_ma.console.labelled import Labelled
from pyale_ma.console.observations import (
    OBSERVATIONS,
    ObsType,
    check_observation,
    check_render_mode,
    no_observation,
)
from pyale_ma.console.starts import AnyStarts, Starting
from pyale_ma.console.state import ALEState
from pyale_ma.games import cards
from pyale_ma.games.actions import Action, joystick_action
from pyale_ma.games.selection import AnyGame, resolve
from pyale_ma.single.action import index_of, no_action
from pyale_ma.single.interface import ALEInterface

_MOST_FRAMES = 2**31 - 1  # of a step
# The settings of `ALEInterface` that the arguments change, and what sets them.
_SETTERS: Mapping[str, str] = MappingProxyType(
    {
        "repeat_action_probability": "setFloat",
        "max_num_frames_per_episode": "setInt",
        "corrected_rules": "setBool",
        "display_screen": "setBool",
        "sound": "setBool",
        "sound_obs": "setBool",
        "objects_obs": "setBool",
    }
)
# What looks at these arguments, and returns what is meant.
_CHECKS: Mapping[str, Callable[[str, Any], Any]] = MappingProxyType(
    {
        "mode": lambda name, value: None if value is None else whole(name, value),
        "difficulty": lambda name, value: None if value is None else whole(name, value),
        "full_action_space": flag,
        "continuous": flag,
        "sound_obs": flag,
        "corrected_rules": flag,
    }
)
_PIXELS = {name: kind.pixels for name, kind in OBSERVATIONS.items()}


class KeysError(error.Error, AttributeError):
    """No keys can play these actions.  ale-py raises AttributeError."""


class _AlwaysInInfo(TypedDict):
    lives: int
    episode_frame_number: int
    frame_number: int


class AtariEnvStepMetadata(_AlwaysInInfo, total=False):
    """Contents of `info`; `seeds` only after a seeded reset."""

    seeds: tuple[np.uint32, np.uint32]


class AtariEnv(Labelled, Starting, Interruptible, gymnasium.Env[Any, Any], EzPickle):
    """A game for one agent.

    Observations are uint8 arrays (labels: int32), as `obs_type` says.  With `sound_obs` they are
    dicts of this array (``"image"``) and the 512 samples of the last frame (``"sound"``).  Actions
    are indices into the game's minimal action set, or, with `continuous`, arrays of radius, angle
    and fire.

    Args:
        game: The game's name, such as "ms_pacman", or the path of a card (docs/cards.md).
        mode: One of the game's modes; None for its default.
        difficulty: One of the game's difficulties; None for 0.
        obs_type: What is observed: "rgb", the screen in colour ``(height, 160, 3)``, where height
            is 210 in most games; "grayscale", in gray ``(height, 160)``; "ram", the console's RAM
            ``(128,)``; "objects", those that cover each pixel ``(height, 160)``, as
            `ALEInterface.getScreenObjects` returns them; or "labels", int32
            ``(number of labels,)``, in the order of ``labels_of(game).names`` (docs/labels.md).
        frameskip: Frames per step; or ``(low, high)``: each step draws low to high - 1 frames.
        repeat_action_probability: The probability, in each frame, that the previous action is
            repeated.
        full_action_space: Use all legal actions instead of those that have an effect.
        continuous: Actions are float32 (3,): radius 0..1, angle -pi..pi, fire 0..1.
        continuous_action_threshold: How far the joystick must be moved along an axis to count.
        max_num_frames_per_episode: Truncate an episode at this frame; None: never.
        render_mode: None, "human" (a window with sound, which needs pygame-ce) or "rgb_array".
        sound_obs: Observations are dicts of image and sound.
        variation: One of the card's variations; None: no variation.
        terminal_on: Labels that end the episode, each with "changes", "rises" or "falls", or with a
            number of frames: it has not changed for so many (docs/labels.md).
        corrected_rules: Correct the faults of the originals' rewards and ends that
            docs/rules-audit.md lists, such as scores that wrap.  Results are then not comparable
            with published ones.
        starts: Where episodes begin, instead of where a reset leads: a state, a list of states, a
            dict of their weights, or a function (docs/starts.md).

    Examples:
        ```python
        from pyale_ma.single import AtariEnv

        env = AtariEnv("quartet", obs_type="grayscale")
        observation, info = env.reset(seed=42)
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        ```

    Raises:
        gymnasium.error.Error: `obs_type`, `frameskip` or `render_mode` is not an allowed value.
        ValueError: There is no such game or variation, it is not for one player, the card has an
            error, or labels are observed of a game that has none.
        RuntimeError: The game has no such mode or difficulty.
        FileNotFoundError: The game's ROM file was not found; the text says how to get one.
    """

    ale: ALEInterface
    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 30}  # noqa: RUF012

    @known_names
    def __init__(
        self,
        game: AnyGame,
        mode: int | None = None,
        difficulty: int | None = None,
        obs_type: ObsType = "rgb",
        frameskip: tuple[int, int] | int = 4,
        repeat_action_probability: float = 0.25,
        full_action_space: bool = False,
        continuous: bool = False,
        continuous_action_threshold: float = 0.5,
        max_num_frames_per_episode: int | None = None,
        render_mode: Literal["human", "rgb_array"] | None = None,
        sound_obs: bool = False,
        variation: str | None = None,
        corrected_rules: bool = False,
        starts: AnyStarts | None = None,
        terminal_on: _native.TerminalOn | None = None,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name != "self"}
        check_observation(obs_type)
        check_render_mode(render_mode, *self.metadata["render_modes"])
        _check_frameskip(frameskip)
        checked = {name: check(name, arguments[name]) for name, check in _CHECKS.items()}
        number("repeat_action_probability", repeat_action_probability)
        number("continuous_action_threshold", continuous_action_threshold)
        self._terminals = _native.checked_terminals(terminal_on)
        checked["terminal_on"] = dict(self._terminals) or None
        # With what was read: a copy plays the same, whatever has become of the files.
        self._played = resolve(
            game,
            full_action_space=checked["full_action_space"],
            variation=variation,
            counts=(),
            rules=Rules.SOLO,
        )
        EzPickle.__init__(self, **(arguments | checked | {"game": self._played}))
        self.tap: Tap | None = None

        self.render_mode = render_mode
        self.sound_obs = checked["sound_obs"]
        self.continuous = checked["continuous"]
        self.continuous_action_threshold = continuous_action_threshold
        self._corrected_rules = checked["corrected_rules"]
        self._game_mode = checked["mode"]
        self._game_difficulty = checked["difficulty"]
        self._frameskip = self._checked_frameskip = frameskip
        self._obs_type = obs_type

        self._make_console(repeat_action_probability, max_num_frames_per_episode)
        self._rom = self._played.rom(self._terminals)
        self.seed_game()
        self.load_game()

        self._make_actions(checked["full_action_space"] or self.continuous)
        self._make_observations()
        self.set_starts(starts)

    def _make_console(
        self, repeat_action_probability: float, max_num_frames_per_episode: int | None
    ) -> None:
        """Make the console, with its settings."""
        self.ale = _console_class()()
        in_window = True if self.render_mode == "human" else None
        settings = {
            "repeat_action_probability": repeat_action_probability,
            "max_num_frames_per_episode": max_num_frames_per_episode,
            # A console of ale-py's has no such setting.
            "corrected_rules": self._corrected_rules or None,
            "display_screen": in_window,
            "sound": in_window,
            "sound_obs": self.sound_obs,
            "objects_obs": OBSERVATIONS[self._obs_type].has_objects,
        }
        for name, value in settings.items():
            if value is not None:
                getattr(self.ale, _SETTERS[name])(name, value)

    def _make_actions(self, legal: bool) -> None:
        """Make the space of the actions."""
        self._action_set = self.ale.getLegalActionSet() if legal else self.ale.getMinimalActionSet()
        self.action_space = (
            spaces.Box(
                np.array([0, -math.pi, 0], np.float32), np.array([1, math.pi, 1], np.float32)
            )
            if self.continuous
            else spaces.Discrete(len(self._action_set))
        )

    def _make_observations(self) -> None:
        """Make the space of the observations."""
        kind = OBSERVATIONS[self._obs_type]
        kind = kind.of_game(self._played.game)
        height, _ = self.ale.getScreenDims()
        image = kind.space(kind.shape(height))
        self.observation_space = (
            spaces.Dict(image=image, sound=spaces.Box(0, 255, (AUDIO_SIZE,), np.uint8))
            if self.sound_obs
            else image
        )

    @property
    def _game(self) -> str:
        """The game, as it was given: a name that ale-py's environments have, too."""
        return self._played.source

    def seed_game(self, seed: int | None = None) -> tuple[np.uint32, np.uint32]:
        """Seed the generators of frame skips and, for the next `load_game`, of sticky actions.

        Args:
            seed: A non-negative number; None for the operating system's randomness.

        Returns:
            The two seeds.
        """
        np_seed, ale_seed = np.random.SeedSequence(seed).generate_state(2)
        generator, _ = seeding.np_random(int(np_seed))
        # -1 would mean the time.
        number = min(int(ale_seed), 2**32 - 2) - 2**32 * int(ale_seed >> 31)
        self.ale.setInt("random_seed", number)
        self._np_random = generator
        return np_seed, ale_seed

    def load_game(self) -> None:
        """Start the console anew, and choose mode and difficulty.

        The ROM is the one that was read first, whatever has become of its file.
        """
        mode, difficulty = self._game_mode, self._game_difficulty
        ale, played = self.ale, self._played
        if type(ale) is ALEInterface and not ALEInterface._is_patched:
            ale._load(played.image.path, self._rom, mode=mode, difficulty=difficulty)
            return
        if self._terminals:
            raise ValueError(
                "terminal_on is given, and env.ale is not pyale_ma's console with its own methods: "
                "leave it out, or wrap the environment instead of replacing its console"
            )
        path = Path(played.image.path)
        if isinstance(played.game, cards.Card):
            ale.loadROM(path, game=played.game, variation=played.variation)
        else:
            ale.loadROM(path)  # which takes no more, if it was written for ale-py
        if mode is not None:
            ale.setMode(mode)
        if difficulty is not None:
            ale.setDifficulty(difficulty)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: A non-negative number: load the ROM again with this seed, so that everything that
                follows depends only on the seed.  None: all random generators continue.
            options: ``"starts"`` says where this episode begins, as the argument of that name.
                Those of vectors are refused: choose mode and difficulty when you make the
                environment.

        Returns:
            The first observation, and `info` with lives, episode_frame_number and frame_number,
            after a seed also seeds, and with `starts` the number of this ``start``, unless a
            function returned it.

        Raises:
            TypeError: `options` is not a dict.
            ValueError: It has an option of vectors, or a start is another game's.
        """
        self._check_reset(seed, options)
        _getter_of(self._obs_type)
        starts = self._starts_of(seed, options)
        tap = self.tap
        if tap is not None:
            begun = tap.before_reset(seed, options)
        self._interrupted = True
        super().reset(seed=seed, options=options)
        seeds = None
        if seed is not None:
            seeds = self.seed_game(seed)
            self.load_game()
        at_start, told = False, dict[str, int]()
        if starts is not None:
            at_start, told = self._begin_at(starts, seed)
            if not at_start and seed is not None:
                self.load_game()  # the generator has drawn
        if not at_start:
            self.ale.reset_game()
        observation, info = self._get_obs(), self._get_info()
        info.update(told)
        if seeds is not None:
            info["seeds"] = seeds
        self._interrupted = False
        if tap is not None:
            tap.after_reset(begun)
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action for `frameskip` frames.

        After the end of an episode, steps have no effect until `reset`.

        Args:
            action: An index into the action set; with `continuous` a float32 array (radius, angle,
                fire).

        Returns:
            Observation, reward, whether the game is over, whether it was truncated, and `info` with
            lives, episode_frame_number and frame_number.

        Raises:
            IndexError: `action` is outside the action set.
            ValueError: `action` is an array of another shape.
            TypeError: `action` is something else.
            RuntimeError: Another call of the environment runs, in another thread.
            gymnasium.error.ResetNeeded: An earlier call was interrupted in the middle.
        """
        if self._interrupted:
            self._ensure_ready()
        tap = self.tap
        if tap is not None:
            begun = tap.before_step(action)
        frames = self._frameskip
        if frames is not self._checked_frameskip:  # it was set later
            _check_frameskip(frames)
            self._checked_frameskip = frames
        chosen: Any
        if self.continuous:
            chosen, strength = self._joystick(action)
        else:
            actions = self._action_set
            try:
                index = action if type(action) is int else index_of(action)
            except TypeError:
                raise no_action(action, len(actions)) from None
            if not 0 <= index < len(actions):
                raise IndexError(f"action is {index}; it must be 0 to {len(actions) - 1}")
            chosen, strength = actions[index], FULL
        try:
            pixels = _PIXELS[self._obs_type]
        except (KeyError, TypeError):
            raise no_observation(self._obs_type) from None
        self._interrupted = True
        repeat = frames if isinstance(frames, int) else int(self.np_random.integers(*frames))
        ale = self.ale
        if (
            type(ale) is not ALEInterface
            or ALEInterface._is_patched
            or getattr(self._get_obs, "__func__", None) is not _GET_OBS
            or getattr(self._get_info, "__func__", None) is not _GET_INFO
            or type(chosen) is not Action
        ):
            results = self._step_by_methods(chosen, strength, repeat)
        else:
            step = ale._step if ale._is_watched else ale._env.step_alone
            try:
                image, outcome = step(pixels, chosen._value_, repeat, strength)
            except OrderError:  # before it began
                self._interrupted = False
                raise
            reward, _, _, _, lives, _, _, _, over, truncated, frame, episode_frame = outcome
            observation: Any = image
            if image is None:
                console, is_ram = ale._env, self._obs_type == "ram"
                observation = console.ram.copy() if is_ram else console.labels()
            if self.sound_obs:
                observation = {"image": observation, "sound": ale.getAudio()}
            info = {"lives": lives, "episode_frame_number": episode_frame, "frame_number": frame}
            if self._terminals:
                info["ended_by"] = ale._env.report.ended_by
            results = observation, float(reward), over != 0, truncated != 0, info
        self._interrupted = False
        if tap is not None:
            tap.after_step(begun, results)
        return results

    def _step_by_methods(
        self, action: Any, strength: float, frames: int
    ) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step as ale-py does, by the public methods, whoever overrides them."""
        reward: Any = 0.0
        for _ in range(frames):
            reward += self.ale.act(action, strength)
        over, truncated = self.ale.game_over(with_truncation=False), self.ale.game_truncated()
        return self._get_obs(), reward, over, truncated, self._get_info()

    def _joystick(self, action: Any) -> tuple[Action, float]:
        """Action and strength of a continuous action."""
        if not isinstance(action, np.ndarray) or action.dtype != np.float32:
            kind = getattr(action, "dtype", type(action).__name__)
            raise TypeError(f"a continuous action is a numpy array of float32, not {kind}")
        if action.shape != (3,):
            raise ValueError(f"a continuous action has shape (3,), not {action.shape}")
        radius, angle, fire = action
        least = np.float32(self.continuous_action_threshold)
        x, y = radius * np.cos(angle), radius * np.sin(angle)
        chosen = self.map_action_idx(
            int(x > least) - int(x < -least), int(y > least) - int(y < -least), bool(fire > least)
        )
        return chosen, float(radius)

    def _get_obs(self) -> Any:
        """The present observation."""
        image = getattr(self.ale, _getter_of(self._obs_type))()
        return {"image": image, "sound": self.ale.getAudio()} if self.sound_obs else image

    def _get_info(self) -> dict[str, Any]:
        """Return the present `info`."""
        ale = self.ale
        info = {
            "lives": ale.lives(),
            "episode_frame_number": ale.getEpisodeFrameNumber(),
            "frame_number": ale.getFrameNumber(),
        }
        return info | {"ended_by": ale._env.report.ended_by} if self._terminals else info

    def render(self) -> npt.NDArray[np.uint8] | None:
        """The screen, uint8 (height, 160, 3), for the mode "rgb_array"; None for "human".

        Raises:
            gymnasium.error.Error: The environment was made without a render mode.
        """
        if self.render_mode == "rgb_array":
            return self.ale.getScreenRGB()
        if self.render_mode == "human":
            return None
        raise error.Error(
            "the environment was made without a render mode: give it render_mode='rgb_array'"
        )

    def __repr__(self) -> str:
        report = self.ale._env.report
        return shown(
            self,
            self._played.source,
            mode=report.mode,
            difficulty=report.difficulty,
            obs_type=self._obs_type,
            frameskip=self._frameskip,
            variation=self._played.variation,
            corrected_rules=self._corrected_rules or None,
            terminal_on=dict(self._terminals) or None,
        )

    def close(self) -> None:
        """Close the window, if there is one."""
        tap = self.tap
        if tap is not None:
            tap.before_close()
        self.ale.close()
        super().close()

    def get_keys_to_action(self) -> dict[tuple[str, ...], int]:
        """The action index of each combination of keys: w, a, s, d, space, and e for no action.

        Raises:
            KeysError: The actions are continuous (an AttributeError, as ale-py's, and a
                gymnasium.error.Error).
        """
        if self.continuous:
            raise KeysError("continuous actions cannot be played with keys")
        keys = {"UP": "w", "DOWN": "s", "RIGHT": "d", "LEFT": "a", "FIRE": " "}

        def pressed(action: Action) -> tuple[str, ...]:
            return tuple(key for word, key in keys.items() if word in action.name) or ("e",)

        return {pressed(action): index for index, action in enumerate(self._action_set)}

    @staticmethod
    @functools.lru_cache(18)
    def map_action_idx(left_center_right: int, down_center_up: int, fire: bool) -> Action:
        """The number of the action for a joystick position.

        Args:
            left_center_right: -1, 0 or 1.
            down_center_up: -1, 0 or 1.
            fire: Whether the button is pressed.

        Raises:
            LookupError: A joystick has no such position.
        """
        try:
            return joystick_action(left_center_right, down_center_up, fire)
        except (LookupError, TypeError):
            raise LookupError(
                f"no action: {left_center_right=}, {down_center_up=}, {fire=}"
            ) from None

    def get_action_meanings(self) -> list[str]:
        """The names of the actions, by index."""
        return [action.name for action in self._action_set]

    def clone_state(self, include_rng: bool = False) -> ALEState:
        """The current state of the console.

        It does not include the generator of stochastic frame skips, `np_random`.

        Args:
            include_rng: Include the random generator of the sticky actions.
        """
        self._ensure_ready()
        return self.ale.cloneState(include_rng=include_rng)

    def branches(self, n: int, *, num_threads: int = 1) -> Any:
        """Make a pool of consoles onto which this game is copied, to play on from there.

        Args:
            n: How many.
            num_threads: Threads that play; 0: one for each CPU.

        Returns:
            `pyale_ma.vector.Branches`, which have no limit of frames.

        Raises:
            ValueError: `n` is below 1, frame skips are random, or actions continuous.
            TypeError: `n` is no whole number.
        """
        from pyale_ma.vector import Branches  # which imports Gymnasium's vectors

        if not isinstance(self._frameskip, int) or self.continuous:
            raise ValueError("branches have neither random frame skips nor continuous actions")
        options = self._branch_options(self._frameskip, num_threads)
        return Branches(self._played, 1, lambda _: self.save_state(), n, "random", options)

    def save_state(self) -> ALEState:
        """The current state of the console, with the random generator of the sticky actions."""
        return self.clone_state(include_rng=True)

    def restore_state(self, state: ALEState, seed: int | None = None) -> None:
        """Restore a state of one player, of any layer, of the same game and card.

        Args:
            state: The state.
            seed: Of the random generator of the sticky actions, 0 to 2^32 - 1, so that what follows
                is another play; None: the state's, if it includes one.

        Raises:
            ValueError: The state is empty, or one of another game or of other numbers of players.
        """
        if seed is not None:
            seed = integer("seed", seed, 0, 2**32 - 1)
        if isinstance(state, ALEState):  # others are of an `ale` that somebody replaced
            self._check_players("state", state)
        self.ale.restoreState(state)
        if seed is not None:
            console_of(self.ale).seed(seed)
        self._interrupted = False


def _console_class() -> type[ALEInterface]:
    """Ours, or what somebody has made ``ale_py.ALEInterface``, where we stand in ale-py's place."""
    package: Any = sys.modules.get("ale_py")
    return package.ALEInterface if hasattr(package, "_is_pyale_ma") else ALEInterface


_GET_OBS, _GET_INFO = AtariEnv._get_obs, AtariEnv._get_info


def _getter_of(obs_type: Any) -> str:
    """Return the method of `ALEInterface` for an `obs_type`, which somebody may have set."""
    try:
        return OBSERVATIONS[obs_type].getter
    except (KeyError, TypeError):
        raise no_observation(obs_type) from None


def _check_frameskip(frameskip: Any) -> None:
    """Raise gymnasium's Error unless it is a positive int or an ascending pair of them."""
    if type(frameskip) is int:
        if frameskip <= 0:
            raise error.Error(f"Invalid frameskip of {frameskip}, frameskip must be positive.")
        if frameskip > _MOST_FRAMES:
            raise error.Error(
                f"Invalid frameskip of {frameskip}, frameskip must be at most {_MOST_FRAMES}."
            )
        return
    if type(frameskip) is not tuple:
        raise error.Error(f"Invalid frameskip type: {type(frameskip)}. Expecting int or tuple.")
    if len(frameskip) != 2 or not all(
        isinstance(frames, (int, np.integer)) and not isinstance(frames, bool)
        for frames in frameskip
    ):
        raise error.Error(f"Invalid stochastic frameskip: {frameskip}. Expecting two ints.")
    if not 0 < frameskip[0] < frameskip[1] <= _MOST_FRAMES:
        raise error.Error(
            f"Invalid stochastic frameskip: {frameskip}. Expecting 0 < low < high (excluded), and "
            f"high at most {_MOST_FRAMES}."
        )
