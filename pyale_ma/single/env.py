"""`AtariEnv`: a game as a Gymnasium environment for one agent, equal to ale-py's."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, TypedDict

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import error, spaces
from gymnasium.utils import EzPickle, seeding

from pyale_ma import _native, atomic, cards, roms
from pyale_ma._native import AUDIO_SIZE, FULL, Rules
from pyale_ma.actions import Action, joystick_action
from pyale_ma.arguments import is_one_of, number, truth, whole
from pyale_ma.locks import Alone
from pyale_ma.observations import OBSERVATIONS, ObsType
from pyale_ma.single.action import index_of, no_action
from pyale_ma.single.interface import ALEInterface, read_rom
from pyale_ma.single.state import ALEState
from pyale_ma.text import listed

_MOST_FRAMES = 2**31 - 1  # of a step
# The settings of `ALEInterface` that the arguments change, and what sets them.
_SETTERS: Mapping[str, Callable[..., None]] = MappingProxyType(
    {
        "repeat_action_probability": ALEInterface.setFloat,
        "max_num_frames_per_episode": ALEInterface.setInt,
        "display_screen": ALEInterface.setBool,
        "sound": ALEInterface.setBool,
        "sound_obs": ALEInterface.setBool,
        "objects_obs": ALEInterface.setBool,
    }
)


class KeysError(error.Error, AttributeError):
    """No keys can play these actions.  ale-py raises AttributeError."""


class _AlwaysInInfo(TypedDict):
    lives: int
    episode_frame_number: int
    frame_number: int


class AtariEnvStepMetadata(_AlwaysInInfo, total=False):
    """What `info` holds; `seeds` only after a seeded reset."""

    seeds: tuple[np.uint32, np.uint32]


class AtariEnv(gymnasium.Env[Any, Any], EzPickle):
    """A game for one agent.

    Observations are uint8 arrays, as `obs_type` says.  With `sound_obs` they are dicts of this
    array (``"image"``) and the 512 samples of the last frame (``"sound"``).  Actions are indices
    into the game's minimal action set, or, with `continuous`, arrays of radius, angle and fire.

    Args:
        game: The game's name, such as "ms_pacman", or the path of a card (docs/cards.md).
        mode: One of the game's modes; None for its default.
        difficulty: One of the game's difficulties; None for 0.
        obs_type: What is observed: "rgb", the screen in colour ``(height, 160, 3)``, where height
            is 210 in most games; "grayscale", in gray ``(height, 160)``; "ram", the console's RAM
            ``(128,)``; or "objects", those that cover each pixel ``(height, 160)``, as
            `ALEInterface.getScreenObjects` returns them.
        frameskip: Frames per step; or ``(low, high)``: each step draws low to high - 1 frames.
        repeat_action_probability: The probability, in each frame, that the previous action is
            repeated.
        full_action_space: Use all legal actions instead of those that have an effect.
        continuous: Actions are float32 (3,): radius 0..1, angle -pi..pi, fire 0..1.
        continuous_action_threshold: How far the joystick must be moved along an axis to count.
        max_num_frames_per_episode: Truncate an episode at this frame; None: never.
        render_mode: None, "human" (a window with sound, which needs pygame) or "rgb_array".
        sound_obs: Observations are dicts of image and sound.
        variation: One of the card's variations; None: no variation.

    Raises:
        gymnasium.error.Error: `obs_type`, `frameskip` or `render_mode` is not an allowed value.
        ValueError: There is no such game or variation, it is not for one player, or the card has an
            error.
        RuntimeError: The game has no such mode or difficulty.
        FileNotFoundError: The game's ROM file was not found; the text says how to get one.
    """

    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 30}  # noqa: RUF012

    def __init__(
        self,
        game: str | os.PathLike[str],
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
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name != "self"}
        if not is_one_of(obs_type, OBSERVATIONS):
            raise error.Error(
                f"Invalid observation type: {obs_type!r}. Expecting: {', '.join(OBSERVATIONS)}."
            )
        _check_frameskip(frameskip)
        if not is_one_of(render_mode, (None, *self.metadata["render_modes"])):
            raise error.Error(f"Invalid render mode: {render_mode!r}. Expecting: human, rgb_array.")
        full_action_space = truth("full_action_space", full_action_space)
        continuous = truth("continuous", continuous)
        threshold = number("continuous_action_threshold", continuous_action_threshold)
        EzPickle.__init__(self, **arguments)

        self.render_mode = render_mode
        self.sound_obs = sound_obs
        self.continuous = continuous
        self.continuous_action_threshold = continuous_action_threshold
        self._game = game
        self._variation = variation
        self._game_mode = mode
        self._game_difficulty = difficulty
        self._frameskip = frameskip
        self._obs_type = obs_type
        self._threshold = np.float32(threshold)

        self.ale = ALEInterface()
        in_window = True if render_mode == "human" else None
        settings = {
            "repeat_action_probability": repeat_action_probability,
            "max_num_frames_per_episode": max_num_frames_per_episode,
            "display_screen": in_window,
            "sound": in_window,
            "sound_obs": sound_obs,
            "objects_obs": OBSERVATIONS[obs_type].has_objects,
        }
        for name, value in settings.items():
            if value is not None:
                _SETTERS[name](self.ale, name, value)
        known = roms.game_of(game)
        cards.check_variation(known, variation)
        _check_alone(known, mode)
        # Likewise: loaded again is what was read first, whatever has become of the file.
        self._rom_path = str(roms.find_rom(game).absolute())
        self._rom = cards.shared_rom(read_rom(self._rom_path), known, variation)
        self._alone = Alone("an environment that is being reset")
        self._np_random_seed = None  # `_undo` takes back what was there before
        self.seed_game()
        self.load_game()

        legal = full_action_space or continuous
        self._action_set = self.ale.getLegalActionSet() if legal else self.ale.getMinimalActionSet()
        self._action_numbers = [action.value for action in self._action_set]
        self.action_space = (
            spaces.Box(
                np.array([0, -math.pi, 0], np.float32), np.array([1, math.pi, 1], np.float32)
            )
            if continuous
            else spaces.Discrete(len(self._action_set))
        )
        self._make_observations()

    def _make_observations(self) -> None:
        """What is observed, how it is read, and its space."""
        kind = OBSERVATIONS[self._obs_type]
        self._pixels = kind.pixels
        self._observe = getattr(self.ale, kind.getter)
        height, _ = self.ale.getScreenDims()
        image = kind.space(kind.shape(height))
        self.observation_space = (
            spaces.Dict(image=image, sound=spaces.Box(0, 255, (AUDIO_SIZE,), np.uint8))
            if self.sound_obs
            else image
        )

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
        atomic.update(
            [
                (vars(self), {"_np_random": generator}),
                self.ale._settings.holding(random_seed=str(number)),
            ]
        )
        return np_seed, ale_seed

    def load_game(self) -> None:
        """Start the console anew, and choose mode and difficulty: all of it, or nothing.

        The ROM is the one that was read first, whatever has become of its file.
        """
        self.ale._load(
            self._rom_path, self._rom, mode=self._game_mode, difficulty=self._game_difficulty
        )

    def _undo(self) -> Callable[[], None]:
        """What takes back all that a reset changes from now on."""
        before = atomic.kept(vars(self)) + self.ale._kept()
        console, state = self.ale._env, self.ale.cloneSystemState()

        def undo() -> None:
            console.restore(state)
            atomic.update(before)

        return undo

    @atomic.all_or_nothing
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode.

        An error or an interrupt leaves everything as it was.

        Args:
            seed: A non-negative number: load the ROM again with this seed, so that everything that
                follows depends only on the seed.  None: all random generators continue.
            options: Not used.

        Returns:
            The first observation, and `info` with lives, episode_frame_number and frame_number,
            after a seed also seeds.
        """
        super().reset(seed=seed, options=options)
        seeds = None
        if seed is not None:
            seeds = self.seed_game(seed)
            self.load_game()
        self.ale.reset_game()
        info = self._get_info()
        if seeds is not None:
            info["seeds"] = seeds
        observation = self._observe()
        return self._with_sound(observation) if self.sound_obs else observation, info

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
        """
        frames = self._frameskip
        if isinstance(frames, tuple):
            frames = int(self.np_random.integers(*frames))
        if self.continuous:
            number, strength = self._joystick(action)
        else:
            try:
                index = action if type(action) is int else index_of(action)
            except TypeError:
                raise no_action(action, len(self._action_numbers)) from None
            if not 0 <= index < len(self._action_numbers):
                raise IndexError(
                    f"action is {index}; it must be 0 to {len(self._action_numbers) - 1}"
                )
            number, strength = self._action_numbers[index], FULL
        ale = self.ale
        image, reward, outcome = ale._step(self._pixels, number, strength, frames)
        observation: Any = ale.getRAM() if image is None else image
        if self.sound_obs:
            observation = self._with_sound(observation)
        _, _, _, _, _, over, truncated, _, _ = outcome
        return observation, float(reward), over != 0, truncated != 0, self._get_info()

    def _joystick(self, action: Any) -> tuple[int, float]:
        """Action number and strength of a continuous action."""
        if not isinstance(action, np.ndarray) or action.dtype != np.float32:
            given = getattr(action, "dtype", type(action).__name__)
            raise TypeError(f"a continuous action is a numpy array of float32, not {given}")
        if action.shape != (3,):
            raise ValueError(f"a continuous action has shape (3,), not {action.shape}")
        radius, angle, fire = action
        x, y, least = radius * np.cos(angle), radius * np.sin(angle), self._threshold
        chosen = self.map_action_idx(
            int(x > least) - int(x < -least), int(y > least) - int(y < -least), bool(fire > least)
        )
        return chosen.value, float(radius)

    def _with_sound(self, image: npt.NDArray[np.uint8]) -> Any:
        return {"image": image, "sound": self.ale.getAudio()}

    def _get_info(self) -> dict[str, Any]:
        _, _, _, _, lives, _, _, frame, frame_of_episode = self.ale._env.outcome()
        return {"lives": lives, "episode_frame_number": frame_of_episode, "frame_number": frame}

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

    def close(self) -> None:
        """Close the window, if there is one."""
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
        return self.ale.cloneState(include_rng=include_rng)

    def restore_state(self, state: ALEState) -> None:
        """Restore a state of this environment, or of another one of the same game.

        Raises:
            ValueError: The state is empty, or another game's.
        """
        self.ale.restoreState(state)


def _check_alone(game: _native.Game | cards.Card, mode: Any) -> None:
    """Raise an exception unless one player plays the game, and the mode, if it is not None."""
    alone = game.modes(Rules.SOLO)
    if not alone:
        raise ValueError(
            f"{cards.place_of(game)} cannot be played alone; pyale_ma.multi plays it, and "
            "AtariVectorEnv with num_players"
        )
    if mode is not None and whole("mode", mode) not in alone:
        raise RuntimeError(f"Invalid game mode requested: {mode}; there are {listed(alone)}")


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
