"""`Windows`: consecutive steps of one environment; `Index`: where they may begin."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Bools: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.NDArray[np.int64]


class Windows(NamedTuple):
    """Windows of B times L consecutive steps.

    Where the environment had an axis for its players, so have actions, rewards and terminations,
    and observations if each player had its own.

    Attributes:
        observations: uint8, labels int32, (B, L + 1, ...): before each step, and after the last.
        actions: uint8 (B, L), indices as the environment took them; if they are continuous, float32
            (B, L, 3).
        rewards: int32 (B, L), as the environment returned them.
        terminations: bool (B, L).
        truncations: bool (B, L).
        starts: bool (B, L): the step is an episode's first; its observation is that of a reset, and
            not what was observed after the step before.
        indices: int64 (B,): the number of each window's first step.
        probabilities: float64 (B,): how likely each was to be drawn.
    """

    observations: Any
    actions: Any
    rewards: Any
    terminations: Any
    truncations: Any
    starts: Any
    indices: Any
    probabilities: Any

    def __repr__(self) -> str:
        """Return the dtype and shape of each array."""
        fields = ", ".join(
            f"{name}: {array.dtype} {tuple(array.shape)}" for name, array in self._asdict().items()
        )
        return f"Windows({fields})"

    def torch(self, device: Any = "cpu") -> Windows:
        """The same as tensors of PyTorch, of the same dtypes, but indices of actions are int64.

        PyTorch takes these as indices; uint8 it takes for a mask, or refuses.  On the CPU the other
        tensors share the arrays' memory.
        """
        import torch

        actions = self.actions
        if actions.dtype == np.uint8:
            actions = actions.astype(np.int64)
        arrays = self._replace(actions=actions)
        return Windows(*(torch.from_numpy(array).to(device) for array in arrays))


class Index:
    """The steps that windows consist of, those of an environment one after the other.

    Steps in which an environment was only reset are none of them.

    Args:
        played: bool (steps, envs): an action was played, and what was observed before is known.
        starts: bool (steps, envs): the step is an episode's first.
        breaks: bool (steps, envs): the step's state does not come from the step before.

    Attributes:
        steps: int64 (n,): the time of each.
        envs: int64 (n,): the environment of each.
        starts: bool (n,).
    """

    def __init__(self, played: Bools, starts: Bools, breaks: Bools) -> None:
        places = np.flatnonzero(played.T)
        self._length = max(len(played), 1)
        self.envs, self.steps = np.divmod(places, self._length)
        self.starts = starts.T.reshape(-1)[places]
        new_env = np.diff(self.envs, prepend=-1) != 0
        self._breaks = breaks.T.reshape(-1)[places] | new_env
        self._runs: dict[bool, tuple[Numbers, Numbers]] = {}

    def __len__(self) -> int:
        return len(self.steps)

    def runs(self, across_episodes: bool) -> tuple[Numbers, Numbers]:
        """The first and the last step (excluded) of what a window may not leave."""
        if across_episodes not in self._runs:
            begins = self._breaks if across_episodes else self._breaks | self.starts
            first = np.flatnonzero(begins)
            self._runs[across_episodes] = first, np.append(first[1:], len(self))[: len(first)]
        return self._runs[across_episodes]

    def longest(self, across_episodes: bool) -> int:
        """The steps of the longest window."""
        first, stop = self.runs(across_episodes)
        return int((stop - first).max(initial=0))

    def windows(self, length: int, across_episodes: bool) -> Numbers:
        """The steps at which windows of such a length may begin, ascending."""
        first, stop = self.runs(across_episodes)
        length = min(length, len(self) + 1)  # which is too long, too, but has 64 bits
        counts = np.maximum(stop - first - length + 1, 0)
        before = np.cumsum(counts) - counts
        return np.repeat(first - before, counts) + np.arange(counts.sum())

    def find(self, steps: Numbers, envs: Numbers) -> Numbers:
        """Return the places of steps of environments in the index; -1: it does not have the step.

        Args:
            steps: int64 (n,): the time of each, as in `steps`.
            envs: int64 (n,): the environment of each.
        """
        if not len(self):
            return np.full(len(steps), -1)
        is_time = (steps >= 0) & (steps < self._length)
        keys = self.envs * self._length + self.steps
        requested = envs * self._length + np.where(is_time, steps, 0)
        places = np.minimum(np.searchsorted(keys, requested), len(self) - 1)
        return np.where(is_time & (keys[places] == requested), places, -1)

    def following(self, places: Numbers) -> Numbers:
        """Count the steps from places on that a window can have; 0 for the place -1."""
        if not len(self):
            return np.zeros_like(places)
        _, stops = self.runs(True)
        return np.where(places < 0, 0, stops[np.searchsorted(stops, places, "right")] - places)
