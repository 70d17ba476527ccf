"""Conversion of actions to batches, and of batches to arrays and infos."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeAlias

import numpy as np

from pyale_ma import _native
from pyale_ma._base.arguments import refuse_masked, whole_numbers
from pyale_ma._native import Batch
from pyale_ma.vector.infos import Array, Infos, add_episodes, add_final, has_any
from pyale_ma.vector.results import ResultBuffers

StepResult: TypeAlias = tuple[Array, Array, Array, Array, Infos]

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


class Stepper:
    """Takes the actions of one vector environment, and makes results of its batches.

    Args:
        native: The library's object.
        results: Makes the memory that it writes to.
        num_players: None for one player and arrays without an axis for it.
        joystick: What the positions of continuous actions press; None: actions are indices.
        same_step: Whether environments are reset in the step that ends their episode.
        extra_infos: Which of `EXTRA_INFOS` are wanted.

    Attributes:
        results: As given.
        actions_shape: Of the actions of a batch.
    """

    def __init__(
        self,
        native: _native.Vector,
        results: ResultBuffers,
        num_players: int | None,
        *,
        joystick: Callable[[Array], Array] | None,
        same_step: bool,
        extra_infos: Collection[str],
    ) -> None:
        self.results = results
        self._native = native
        self._joystick = joystick
        self._same_step = same_step
        self._has_episodes = "episode" in extra_infos
        self._has_rare_infos = self._has_episodes or same_step
        self._single = num_players is None
        native.take = results.take

        self._size = native.info.batch_size
        each = (self._size,) if num_players is None else (self._size, num_players)
        self.actions_shape = (*each, 3) if joystick else each
        self._shape = each
        self._actions = np.zeros(each, np.int32)
        self._widened = np.zeros(each, np.int64)  # the same, to be compared with what was given
        self._action_address = self._actions.ctypes.data
        self._strengths = np.ones(each, np.float32)
        self._strength_address = self._strengths.ctypes.data if joystick else None
        self._arguments = (  # of a step
            _native.memory_argument(self._actions),
            _native.memory_argument(self._strengths) if joystick else None,
        )

    # ---- Playing ---------------------------------------------------------------------------------

    def step(self, actions: Any) -> StepResult:
        """Play one action of each environment of the batch; errors are those of the environment."""
        self._take(actions)
        return self.unpack(self._native.step(*self._arguments))

    def send(self, actions: Any) -> None:
        """Start to play one action of each environment of the batch received last."""
        self._take(actions)
        self._native.send(self._action_address, self._strength_address)

    def send_to(self, env_ids: Array, actions: Array) -> None:
        """Start to play one action in each of some environments whose results were received.

        Args:
            env_ids: int32, no two alike.
            actions: Whole numbers, as many.
        """
        self._refuse_width(actions)
        self._native.send_to(env_ids, np.ascontiguousarray(actions, np.int32))

    # ---- Actions ---------------------------------------------------------------------------------

    def _take(self, actions: Any) -> None:
        """Put actions where the library reads them."""
        if self._joystick:
            self._take_positions(actions, self._joystick)
            return
        taken = self._actions
        if (
            type(actions) is np.ndarray
            and actions.dtype is _INT64  # the usual one: bytes are compared faster than numbers
            and actions.shape == self._shape
        ):
            taken[...] = actions
            self._widened[...] = taken
            if self._widened.tobytes() != actions.tobytes():
                self._refuse_width(actions)
            return
        array = actions
        if type(array) is not np.ndarray or array.dtype.kind not in "iu":
            array = whole_numbers("actions", actions)
            if array.dtype.kind == "O":
                self._refuse_width(array)
        if array.shape != taken.shape:
            raise ValueError(f"actions must have shape {taken.shape}, not {array.shape}")
        taken[...] = array
        if array.dtype.itemsize > 2 and array.dtype != _INT32:
            self._refuse_width(array)

    def _refuse_width(self, array: Array) -> None:
        limits = np.iinfo(np.int32)
        wrong = np.flatnonzero((array < limits.min) | (array > limits.max))
        if wrong.size:
            raise IndexError(
                f"actions[{wrong[0]}] is {array.flat[wrong[0]]}, which does not fit in int32"
            )

    def _take_positions(self, actions: Any, joystick: Callable[[Array], Array]) -> None:
        if not isinstance(actions, np.ndarray) or actions.dtype != np.float32:
            kind = getattr(actions, "dtype", type(actions).__name__)
            raise TypeError(f"continuous actions are a numpy array of float32, not {kind}")
        refuse_masked("actions", actions)
        if actions.shape != self.actions_shape:
            raise ValueError(f"actions must have shape {self.actions_shape}, not {actions.shape}")
        self._actions[...] = joystick(actions)
        self._strengths[...] = actions[..., 0]

    # ---- Results ---------------------------------------------------------------------------------

    def unpack(self, batch: Batch) -> StepResult:
        """Return what a step returns of a batch."""
        results = self._usual(batch)
        return self._with_rare_infos(results, batch) if self._has_rare_infos else results

    def observed(self, batch: Batch) -> tuple[Array, Infos]:
        """Return what a reset returns of a batch."""
        observations, *_, infos = self._usual(batch)
        return observations, infos

    def _usual(self, batch: Batch) -> StepResult:
        """The results without the infos that come at times."""
        # Loops, and dictionaries of views, would take twice as long.
        observations, rewards, terminations, truncations, env_ids, lives, frames, of_episode = (
            batch.usual
        )
        infos = {
            "env_id": env_ids.view(),
            "lives": lives.view(),
            "frame_number": frames.view(),
            "episode_frame_number": of_episode.view(),
        }
        for name, array in batch.extra.items():
            infos[name] = array.view()
        if self.results.tells_starts:
            infos["start"] = batch.numbers.arrays["starts"].view()
        return (
            observations.view(),
            rewards.view(),
            terminations.view(),
            truncations.view(),
            infos,
        )

    def _with_rare_infos(self, results: StepResult, batch: Batch) -> StepResult:
        observations, rewards, terminations, truncations, infos = results
        numbers = batch.numbers.views()
        if self._same_step and (has_any(terminations) or has_any(truncations)):
            flagged = terminations if self._single else terminations.any(axis=1)
            images = batch.images.views()["final_observations"]
            add_final(infos, numbers, images, flagged | truncations)
        if self._has_episodes:
            add_episodes(infos, numbers)
        return observations, rewards, terminations, truncations, infos

    def examples(self) -> tuple[StepResult, Infos]:
        """Return a result of `step`, all 0, without the infos that come at times; and these."""
        batch = self.results.take(())
        numbers, images = batch.numbers.views(), batch.images.views()
        rare: Infos = {}
        if self._same_step:
            nobody = np.zeros(self._size, np.bool_)
            add_final(rare, numbers, images["final_observations"], nobody)
        if self._has_episodes:
            numbers["episode_ends"][:] = True
            add_episodes(rare, numbers)
        return _zeros(self._usual(batch)), _zeros(rare)


def _zeros(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {name: _zeros(value) for name, value in tree.items()}
    return tuple(map(_zeros, tree)) if isinstance(tree, tuple) else np.zeros_like(tree)
