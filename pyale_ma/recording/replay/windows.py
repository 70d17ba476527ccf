"""Windows: consecutive steps of one environment, and where they may begin."""

from __future__ import annotations

import math
import sys
import zlib
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import integer
from pyale_ma.recording.file.format import MOST_STATE

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

    def torch(self, device: Any = "cpu") -> Windows:
        """The same as tensors of PyTorch, of the same dtypes, but indices of actions are int64.

        PyTorch takes these as indices; uint8 it takes for a mask, or refuses.  On the CPU the other
        tensors share the arrays' memory.
        """
        import torch

        actions = self.actions
        if actions.dtype == np.uint8:
            actions = actions.astype(np.int64)
        told = self._replace(actions=actions)
        return Windows(*(torch.from_numpy(array).to(device) for array in told))


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
        length = max(len(played), 1)
        self.envs, self.steps = np.divmod(places, length)
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


class Packed(NamedTuple):
    """A saved state, packed.

    Attributes:
        data: Deflated.
        base: Another state of the same environment, from which it differs little; b"": none.
    """

    data: bytes
    base: bytes

    @classmethod
    def of(cls, state: bytes, base: bytes = b"") -> Packed:
        """Pack a state."""
        packer = zlib.compressobj(1, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, base)
        return cls(packer.compress(state) + packer.flush(), base)

    def state(self) -> bytes:
        """The state; ValueError: it is none."""
        unpacker = zlib.decompressobj(-15, self.base)
        try:
            state = unpacker.decompress(self.data, MOST_STATE)
        except zlib.error as error:
            raise ValueError(f"a keyframe is damaged: {error}") from None
        if not unpacker.eof:
            raise ValueError(f"a keyframe has more than {MOST_STATE} bytes, or is damaged")
        return state


def pick(
    weights: npt.NDArray[np.float64] | None, count: int, batch: int, rng: np.random.Generator
) -> tuple[Numbers, npt.NDArray[np.float64]]:
    """Draw places with replacement, and tell the probability of each.

    Args:
        weights: Of each place; None: all are as likely.
        count: How many places there are, at least 1.
        batch: How many to draw.
        rng: Draws them.
    """
    if weights is None:
        return rng.integers(count, size=batch), np.full(batch, 1 / count)
    largest = weights.max(initial=0)
    if not largest > 0:
        raise ValueError("the weights of all windows are 0: give some windows a weight above 0")
    weights = weights / largest  # whose sum may be more than there are numbers for
    sums = np.cumsum(weights)
    total = sums[-1]
    places = np.searchsorted(sums, rng.random(batch) * total, "right")
    # What was drawn may round up to the sum of all.
    places = np.minimum(places, np.flatnonzero(weights)[-1])
    return places, weights[places] / total


def generator(rng: Any) -> np.random.Generator:
    """Return the generator that draws windows; a new one for None."""
    if rng is None:
        return np.random.default_rng()
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng must be a generator of NumPy, such as np.random.default_rng(0), not {rng!r}"
        )
    return rng


def batch_of(given: Any, length: int, shape: tuple[int, ...]) -> int:
    """Return the number of windows to draw: no more than arrays can be made for.

    Args:
        given: What was asked for.
        length: Steps of a window.
        shape: Of an observation.
    """
    return integer("batch", given, 1, sys.maxsize // (8 * (length + 1) * math.prod(shape)))


def observations_of(
    out: Any, batch: int, length: int, each: tuple[int, ...], dtype: npt.DTypeLike
) -> Array:
    """Where observations of windows go.

    Args:
        out: The caller's array, which is checked; None: a new one.
        batch: How many windows.
        length: Steps of a window.
        each: The shape of an observation.
        dtype: Its type.
    """
    shape, kind = (batch, length + 1, *each), np.dtype(dtype)
    if out is None:
        return np.empty(shape, kind)
    given = type(out).__name__
    if isinstance(out, np.ndarray) and not isinstance(out, np.ma.MaskedArray):
        # A class of the user's may say what is not so.
        array: Array = out if type(out) is np.ndarray else np.ndarray.view(out, np.ndarray)
        contiguous, writeable = array.flags.c_contiguous, array.flags.writeable
        if array.dtype == kind and array.shape == shape and contiguous and writeable:
            return array
        given = f"{array.dtype} {array.shape}"
        given += ("" if contiguous else ", not contiguous") + ("" if writeable else ", read-only")
    raise ValueError(
        f"out must be an array of {kind} {shape}, contiguous and writeable, not {given}"
    )


def numbers_of(name: str, given: Any) -> Numbers:
    """A list of whole numbers, as int64; IndexError: one has more bits."""
    try:
        array = np.asarray(given)
    except ValueError:  # lists of different lengths
        array = np.empty(0)
    if array.ndim == 1 and array.dtype.kind in "Ofu":
        for place, number in enumerate(given):
            if isinstance(number, (int, np.integer)) and not -(2**63) <= number < 2**63:
                raise IndexError(f"{name}[{place}] is {number}: there is no such step")
    if array.ndim != 1 or array.dtype.kind not in "iu" or not array.size:
        raise TypeError(f"{name} must be a list of whole numbers, not {given!r}")
    return array.astype(np.int64)
