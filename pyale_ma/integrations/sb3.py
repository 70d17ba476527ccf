"""Stable-Baselines3: the native vector as a `VecEnv`.

::

    from pyale_ma.integrations.sb3 import make_vec_env
    from stable_baselines3 import PPO

    model = PPO("CnnPolicy", make_vec_env("breakout", 64), n_steps=128, batch_size=256)
    model.learn(10_000_000)
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from pyale_ma._base.arguments import flag, known_names
from pyale_ma._base.text import shown
from pyale_ma._native import MAX_PLAYERS
from pyale_ma.console.observations import VECTOR_OBSERVATIONS
from pyale_ma.evaluation import Turn
from pyale_ma.integrations.adapters import missing_library, vector_options
from pyale_ma.integrations.common import Array, PlayerRows, check_vector
from pyale_ma.single import Action
from pyale_ma.vector import AtariVectorEnv

# Entries of ``extra_infos`` that have a value for each player, where there are several.
_OF_PLAYERS = ("unclipped_reward",)

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as missing:
    raise missing_library("sb3", missing) from missing

__all__ = ["AtariVecEnv", "ModelPolicy", "make_vec_env"]

Indices = None | int | Iterable[int]


@known_names
def make_vec_env(
    game: str,
    num_envs: int,
    *,
    agent_indicator: bool = False,
    fire_after_life_loss: bool = False,
    **kwargs: Any,
) -> AtariVecEnv:
    """Make a vector for SB3, with "SameStep" resets and the returns of episodes in the infos.

    ``life_loss_info=True`` is SB3's ``terminal_on_life_loss``: a lost life ends what the learner
    takes for an episode, the game goes on, and ``episode`` tells of whole games.

    Args:
        game: The game's name, such as "ms_pacman".
        num_envs: Number of environments.
        agent_indicator: See `AtariVecEnv`.
        fire_after_life_loss: See `AtariVecEnv`.
        **kwargs: Further arguments of `AtariVectorEnv`.

    Examples:
        ```python
        from stable_baselines3 import PPO

        from pyale_ma.integrations.sb3 import make_vec_env

        envs = make_vec_env("quartet", 8)
        model = PPO("CnnPolicy", envs, n_steps=4, batch_size=16, n_epochs=1)
        model.learn(32)
        ```
    """
    envs = AtariVectorEnv(game, num_envs, **vector_options("sb3.AtariVecEnv", kwargs))
    return AtariVecEnv(
        envs, agent_indicator=agent_indicator, fire_after_life_loss=fire_after_life_loss
    )


class AtariVecEnv(VecEnv):
    """An `AtariVectorEnv` as SB3's `VecEnv`.

    Observations are those of the vector; RGB needs ``stack_num=1``, which makes them the usual
    pictures (height, width, 3).  Infos have ``lives``, ``frame_number``, ``episode_frame_number``
    and, at the end of an episode, ``terminal_observation``, ``TimeLimit.truncated`` and, with
    ``extra_infos=["episode"]``, ``episode`` like that of the `Monitor` wrapper, from rewards before
    clipping.  Other entries of ``extra_infos`` are in the infos of all rows.  As in SB3, infos at
    the end of an episode are those of its last step; ``reset_infos`` has those of the next one's
    beginning.

    Several players are several rows: player p of environment i is row ``i * num_players + p``.  A
    player who is out gets rewards of 0 until the end of the game.

    Args:
        envs: The vector, made with ``autoreset_mode="SameStep"``.
        agent_indicator: Add a plane for each player to the stack, 255 in the plane of the row's
            player and 0 in the others, so that one network can play all of them.
        fire_after_life_loss: In the step after a lost life, play FIRE in place of the given action,
            if the game has this action.  Many games wait for it, so that a deterministic policy
            that never presses it plays on until the limit of frames.

    Attributes:
        envs: The vector.

    Raises:
        TypeError: `envs` is not an `AtariVectorEnv`.
        ValueError: It was made with unsuitable arguments; the text says which to use.
    """

    def __init__(
        self,
        envs: AtariVectorEnv,
        *,
        agent_indicator: bool = False,
        fire_after_life_loss: bool = False,
    ) -> None:
        check_vector(envs, "sb3.AtariVecEnv")
        self._fire = None
        if flag("fire_after_life_loss", fire_after_life_loss):
            self._fire = _Fire(envs)
        rows = PlayerRows(envs, agent_indicator=agent_indicator)
        self._flat = VECTOR_OBSERVATIONS[envs.obs_type].preprocessed_channels > 0
        if self._flat and rows.observation_space.shape[0] > 1:
            raise ValueError(
                "SB3 knows no stacks of pictures in colour or of objects: make the vector with "
                "stack_num=1 (and wrap it in SB3's VecFrameStack), or with obs_type='grayscale'; "
                "without agent_indicator"
            )
        self.envs = envs
        self._rows = rows
        self._more = envs.extra_infos - {"episode"}
        self._started = time.time()
        self._actions: Array | None = None
        space = rows.observation_space
        if self._flat:
            space = spaces.Box(0, 255, space.shape[1:], np.uint8)
        super().__init__(rows.count, space, rows.action_space)
        self.metadata["render_fps"] = envs.metadata["render_fps"]

    def __repr__(self) -> str:
        return shown(self, self.envs)

    # ---- Episodes --------------------------------------------------------------------------------

    def reset(self) -> Array:
        """Start episodes, with the seeds and options that were set since the last reset."""
        observations, infos = self.envs.reset(
            seed=self._seeds_of_envs(), options=self._options_of_envs()
        )
        self._reset_seeds()
        self._reset_options()
        if self._fire is not None:
            self._fire.note(infos)
        self.reset_infos = self._infos(infos)
        return self._observed(observations)

    def step_async(self, actions: Array) -> None:
        """Have these actions, one of each row, played by `step_wait`."""
        chosen = self._rows.actions(actions)
        self._actions = chosen if self._fire is None else self._fire.pressed(chosen)

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Observations, rewards (float32), dones and infos of all rows.

        Raises:
            RuntimeError: There was no `step_async` since the last one.
        """
        if self._actions is None:
            raise RuntimeError("no actions are to be played: call step_async first")
        actions, self._actions = self._actions, None
        observations, rewards, terminations, truncations, infos = self.envs.step(actions)
        if self._fire is not None:
            self._fire.note(infos)
        dones, cut_short = self._rows.ends(terminations, truncations)
        rows = self._infos(infos)
        if dones.any():
            final = self._observed(infos["final_obs"])
            final_rows = self._infos(infos["final_info"])
            for row in np.flatnonzero(dones):
                self.reset_infos[row] = rows[row]
                rows[row] = {
                    **rows[row],
                    **final_rows[row],
                    "terminal_observation": final[row],
                    "TimeLimit.truncated": bool(cut_short[row]),
                }
            if "episode" in infos:
                self._add_episodes(rows, infos)
        rewards = rewards.reshape(-1).astype(np.float32)
        return self._observed(observations), rewards, dones, rows

    def _observed(self, batch: Array) -> Array:
        rows = self._rows.observations(batch)
        return rows[:, 0] if self._flat else rows

    def _infos(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        lives, frames, of_episode = (
            self._rows.spread(infos[name]).tolist()
            for name in ("lives", "frame_number", "episode_frame_number")
        )
        rows = [
            {"lives": life, "frame_number": frame, "episode_frame_number": since}
            for life, frame, since in zip(lives, frames, of_episode, strict=True)
        ]
        for name in self._more.intersection(infos):
            values = infos[name]
            if name in _OF_PLAYERS:
                values = self._rows.spread(values)
            elif self._rows.players > 1:
                values = np.repeat(values, self._rows.players, 0)
            for row, value in zip(rows, values, strict=True):
                row[name] = value
        return rows

    def _add_episodes(self, rows: list[dict[str, Any]], infos: dict[str, Any]) -> None:
        seconds = round(time.time() - self._started, 6)
        returns, lengths, ends = (
            self._rows.spread(array)
            for array in (infos["episode"]["r"], infos["episode"]["l"], infos["_episode"])
        )
        for row in np.flatnonzero(ends):
            rows[row]["episode"] = {
                "r": float(returns[row]),
                "l": int(lengths[row]),
                "t": seconds,
            }

    # ---- Seeds and options -----------------------------------------------------------------------

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the next reset: environment i with ``seed + i``, which all its players share."""
        first = int(np.random.SeedSequence().generate_state(1)[0] >> 1) if seed is None else seed
        self._seeds = [first + row // self._rows.players for row in range(self.num_envs)]
        return self._seeds

    def _seeds_of_envs(self) -> list[int] | None:
        seeds = self._seeds[:: self._rows.players]
        if all(seed is None for seed in seeds):
            return None
        return [-1 if seed is None else seed for seed in seeds]

    def _options_of_envs(self) -> dict[str, list[int]] | None:
        options = self._options[:: self._rows.players]
        names = {name for each in options for name in each}
        for name in names:
            if name not in ("mode", "difficulty") or not all(name in each for each in options):
                raise ValueError(
                    f"options have {name!r}; they may have 'mode' and 'difficulty', "
                    "and must then have them for every environment"
                )
        return {name: [each[name] for each in options] for name in names} or None

    # ---- What SB3 asks of single environments ----------------------------------------------------

    def get_images(self) -> Sequence[Array]:
        """The environments' screens."""
        return self.envs.render()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of the vector, once for each row."""
        owner = self if attr_name in ("observation_space", "action_space") else self.envs
        value = getattr(owner, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Not possible.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(
            f"{attr_name} cannot be set: games in a native vector are no objects of Python; give "
            "arguments when the vector is made, and 'mode' and 'difficulty' by set_options()"
        )

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call "render" or "get_action_meanings" of rows' environments.

        Raises:
            AttributeError: It is another method.
        """
        methods = {"render": self._render, "get_action_meanings": self._action_meanings}
        if method_name not in methods:
            raise AttributeError(
                f"a native vector has no method {method_name!r} of single environments; "
                f"it has {', '.join(methods)}"
            )
        method = methods[method_name]
        return [
            method(row // self._rows.players, *method_args, **method_kwargs)
            for row in self._get_indices(indices)
        ]

    def _render(self, env: int) -> Array:
        return self.envs.render()[env]

    def _action_meanings(self, env: int) -> list[str]:
        return self.envs.get_action_meanings()[env]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Whether rows do what a wrapper does: `Monitor`, if the vector tells of episodes."""
        monitored = wrapper_class is Monitor and "episode" in self.envs.extra_infos
        return [monitored for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Close the vector."""
        self.envs.close()


class _Fire:
    """Presses FIRE after lost lives.

    Args:
        envs: The vector.
    """

    def __init__(self, envs: AtariVectorEnv) -> None:
        if envs.continuous:
            raise ValueError("fire_after_life_loss is for discrete actions")
        fire = int(Action.FIRE.value)
        # The index of FIRE in each environment; -1: there is none.
        self._index = np.array(
            [codes.index(fire) if fire in codes else -1 for codes in envs.action_sets]
        )
        self._lives: Array | None = None
        self._frames: Array | None = None
        self._is_due: Array = np.zeros(0, np.bool_)

    def note(self, infos: dict[str, Any]) -> None:
        """Note in which environments a player lost a life, and the game goes on."""
        lives, frames = infos["lives"], infos["episode_frame_number"]
        if self._lives is None or self._frames is None:
            self._is_due = np.zeros(lives.shape, np.bool_)
        else:
            goes_on = (frames > self._frames) & (self._index >= 0)
            if lives.ndim > 1:
                goes_on = goes_on[:, np.newaxis]
            self._is_due = (lives < self._lives) & (lives > 0) & goes_on
        self._lives, self._frames = lives.copy(), frames.copy()

    def pressed(self, actions: Array) -> Array:
        """Return actions with FIRE where it is due."""
        if not self._is_due.any():
            return actions
        fire = self._index if actions.ndim == 1 else self._index[:, np.newaxis]
        pressed: Array = np.where(self._is_due, fire, actions)
        return pressed


class ModelPolicy:
    """A model of SB3 as a policy for `pyale_ma.evaluation.Arena`.

    The arena observes what the model learned from: the same ``obs_type``, size and ``stack_num``.
    Planes of `AtariVecEnv`'s ``agent_indicator`` are added where the model expects them.
    Recurrent models (of sb3-contrib) get their state, and the starts of matches.

    Args:
        model: Anything with SB3's ``predict``.
        deterministic: Take the best action.  False: draw one, from PyTorch's generator, so that
            matches depend on each other's order.

    Examples:
        ```python
        from stable_baselines3 import PPO

        from pyale_ma.evaluation import Arena
        from pyale_ma.integrations.sb3 import ModelPolicy, make_vec_env

        model = PPO("CnnPolicy", make_vec_env("quartet", 8, num_players=2))
        arena = Arena("quartet", 2, mode=2, max_num_frames_per_episode=400)
        results = arena.play({"mine": ModelPolicy(model), "random": "random"})
        ```

    Raises:
        ValueError: In a match, the model learned from observations of another shape.
    """

    def __init__(self, model: Any, *, deterministic: bool = True) -> None:
        self._model = model
        self._deterministic = deterministic

    def __call__(self, observations: Array, seats: Array, /, turn: Turn) -> Any:
        """The model's actions."""
        actions, states = self._model.predict(
            self._observed(observations, seats),
            state=_stacked(turn.states),
            episode_start=turn.starts,
            deterministic=self._deterministic,
        )
        if states is not None:
            for row in range(len(seats)):
                turn.states[row] = tuple(part[:, row] for part in states)
        return actions

    def _observed(self, observations: Array, seats: Array) -> Array:
        if observations.ndim == 5:  # pictures in colour, which AtariVecEnv does not stack either
            return observations[:, 0]
        model_shape = tuple(self._model.observation_space.shape)
        if len(model_shape) == observations.ndim:  # it learned from stacks of one
            observations = observations[:, None]
        elif len(model_shape) == observations.ndim - 2 and observations.shape[1] == 1:
            observations = observations[:, 0]
        shape = observations.shape[1:]
        if sorted(shape) == sorted(model_shape):  # SB3 itself moves the axis of colours
            return observations
        planes = model_shape[0] - shape[0]
        if shape[1:] != model_shape[1:] or not 2 <= planes <= MAX_PLAYERS:
            raise ValueError(
                f"the model learned from observations of shape {model_shape}, and here are some of "
                f"{shape}: take the obs_type, size and stack_num that it learned with"
            )
        own = np.zeros((len(seats), planes, *observations.shape[2:]), observations.dtype)
        own[np.arange(len(seats)), seats] = 255
        return np.concatenate((observations, own), axis=1)


def _stacked(states: list[tuple[Array, ...] | None]) -> tuple[Array, ...] | None:
    """States of players, (layers, width) each, as one state (layers, players, width)."""
    present = next((state for state in states if state is not None), None)
    if present is None:
        return None
    blank = tuple(np.zeros_like(part) for part in present)
    parts = zip(*(blank if state is None else state for state in states), strict=True)
    return tuple(np.stack(part, axis=1) for part in parts)
