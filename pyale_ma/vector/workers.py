"""`TorchVectorizedEnv`: any Gymnasium environments, in worker processes, as one batch of tensors.

It is for environments other than Atari games, of which `AtariVectorEnv` plays more in less time.

A worker process runs a group of environments one after the other, and is to Gymnasium's
`AsyncVectorEnv` one environment whose observations are batches.  The group resets its members
itself; to the layer above it never ends.  Workers do not import PyTorch.
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import multiprocessing.connection
import operator
import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import error, spaces
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import (
    CloudpickleWrapper,
    batch_space,
    concatenate,
    create_empty_array,
    iterate,
)

from pyale_ma import install_hints
from pyale_ma.arguments import integer

if TYPE_CHECKING:
    from torch import Tensor

    _AsyncVectorEnv = AsyncVectorEnv[Any, Any]
else:
    _AsyncVectorEnv = AsyncVectorEnv  # which takes no types before Gymnasium 1.4

Space: TypeAlias = spaces.Space[Any]
Infos: TypeAlias = dict[str, Any]
Factory: TypeAlias = Callable[[], gymnasium.Env[Any, Any]]
Results: TypeAlias = tuple[Any, "Tensor", "Tensor", "Tensor", Infos]

_CLOSE_SECONDS = 5.0  # that workers have to close their environments before they are ended


class TorchVectorizedEnv(VectorEnv[Any, Any, Any]):
    """Environments of any kind in worker processes; actions and results are tensors.

    Results have a leading axis of all environments, worker by worker: observations (an array, or a
    dict or tuple of arrays) have the dtypes of the observation space, rewards are float32,
    terminations and truncations bool.  Infos are those of Gymnasium's vector environments, each
    entry ``x`` with a mask ``_x``; numbers become tensors, anything else stays an array of objects.
    With "SameStep", ``infos["final_obs"]`` is a batch of observations, 0 where no episode ended.

    Args:
        env_factory: Makes one environment.  It is called in every worker for each of its
            environments, and once in the calling process, to learn the spaces.
        num_workers: Number of processes.
        envs_per_worker: Environments of each.
        device: Where results are put: "cpu", "cuda" or another name or `torch.device`.
        autoreset_mode: What follows the end of an episode: "NextStep", "SameStep" or "Disabled".
        context: How processes are started: "forkserver", "spawn" or "fork"; None: the first of
            these that the system has.  With the first two, the program needs the usual
            ``if __name__ == "__main__":``.

    Attributes:
        num_envs: All environments: `num_workers` * `envs_per_worker`.
        device: Where results are put.

    Raises:
        gymnasium.error.DependencyNotInstalled: PyTorch is not installed.
        TypeError: The factory cannot be pickled, or an argument is of the wrong type.
        ValueError: A number is less than 1, or the spaces do not make tensors.
        RuntimeError: A worker failed or died at its start; no process is left.
    """

    def __init__(
        self,
        env_factory: Factory,
        num_workers: int,
        envs_per_worker: int = 1,
        *,
        device: Any = "cpu",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        context: str | None = None,
    ) -> None:
        self.closed = True  # until there is something to close
        try:
            import torch
        except ModuleNotFoundError as missing:
            raise error.DependencyNotInstalled(
                f"{missing.name} is missing, which TorchVectorizedEnv needs; "
                f"run `{install_hints.install('torch')}`"
            ) from missing
        self._torch = torch
        self.device = torch.device(device)
        self._num_workers = integer("num_workers", num_workers, 1)
        self._envs_per_worker = integer("envs_per_worker", envs_per_worker, 1)
        self.num_envs = self._num_workers * self._envs_per_worker
        autoreset = AutoresetMode(autoreset_mode)
        if context is None:
            methods = multiprocessing.get_all_start_methods()
            context = "forkserver" if "forkserver" in methods else "spawn"
        _check_factory(env_factory, context)

        probe = env_factory()
        self.single_observation_space = probe.observation_space
        self.single_action_space = probe.action_space
        self.metadata = {**probe.metadata, "autoreset_mode": autoreset}
        self.render_mode = probe.render_mode
        probe.close()
        _check_space("observation", self.single_observation_space)
        _check_space("action", self.single_action_space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

        self._was_reset = False
        make_group = _MakeGroup(
            env_factory,
            self._envs_per_worker,
            self.single_observation_space,
            self.single_action_space,
            autoreset,
        )
        self._workers = _Workers(make_group, self._num_workers, context)
        self.closed = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | Tensor | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, Infos]:
        """Start episodes.

        Args:
            seed: Seed s gives environment i the seed s + i; otherwise one for each environment.
            options: Passed on to the environments, except ``"reset_mask"``, bool ``(num_envs,)``,
                which says which environments are reset; the others stay as they are.

        Returns:
            Observations and infos.

        Raises:
            ValueError: The seeds or the mask are of the wrong shape.
            RuntimeError: A worker died; or the first reset is not of all environments.
        """
        self._check_open()
        seeds = self._seeds(seed)
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        if mask is not None:
            mask = self._array(mask)
            if mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
                raise ValueError(
                    f"reset_mask is {mask.dtype} {mask.shape}; it must be bool ({self.num_envs},)"
                )
            if not self._was_reset and not mask.all():
                raise RuntimeError("the first reset must be of all environments")
        count = self._envs_per_worker
        groups = [slice(first, first + count) for first in range(0, self.num_envs, count)]
        # With its seeds a worker gets its part of the mask: of all arguments only seeds differ.
        each: Any = [(seeds[group], None if mask is None else mask[group]) for group in groups]
        with self._working():
            observations, infos = self._workers.reset(seed=each, options=options or None)
        self._was_reset = True
        return self._joined(observations), self._merged([info["group"] for info in _rows(infos)])

    def step(self, actions: Any) -> Results:
        """Play one action in each environment.

        Args:
            actions: An element of `action_space`, its arrays as tensors on any device or as arrays.

        Returns:
            Observations, rewards, terminations, truncations and infos.

        Raises:
            ValueError: There is not one action for each environment, or the shape is wrong;
                nothing was played.
            TypeError: They are of the wrong type; nothing was played.
            RuntimeError: A worker died, or there was no reset.  An exception of an environment is
                raised as it is.  After either the environment is closed.
        """
        self._check_open()
        if not self._was_reset:
            raise RuntimeError("reset must be called before step")
        actions = self._split("actions", self.single_action_space, actions)
        with self._working():
            observations, *_, infos = self._workers.step(actions)
        groups = [info["group"] for info in _rows(infos)]
        rewards, terminations, truncations = (
            self._tensor(np.concatenate([group[i] for group in groups])) for i in range(3)
        )
        merged = self._merged([group[3] for group in groups])
        return self._joined(observations), rewards, terminations, truncations, merged

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of every environment, or get an attribute: one result for each."""
        self._check_open()
        with self._working():
            groups = self._workers.call("call", name, *args, **kwargs)
        return tuple(itertools.chain.from_iterable(groups))

    def render(self) -> tuple[Any, ...]:
        """What each environment renders."""
        return self.call("render")

    def close_extras(self, **kwargs: Any) -> None:
        """Close the environments and end the processes, whatever they are doing."""
        self._workers.close(**kwargs)

    # ---- Inside ----------------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self.closed:
            raise error.ClosedEnvironmentError("the environment was closed")

    @contextlib.contextmanager
    def _working(self) -> Iterator[None]:
        """Workers that did not all answer are of no use any more, and must not be left running."""
        try:
            yield
        except BaseException as failure:
            dead = _is_broken_pipe(failure) and self._workers.describe_dead()
            self.close(terminate=True)
            if dead:
                raise RuntimeError(f"{dead}; the environment is closed") from failure
            raise

    def _seeds(self, seed: Any) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if np.ndim(seed) == 0:
            return [operator.index(seed) + index for index in range(self.num_envs)]
        seeds = [None if one is None else operator.index(one) for one in seed]
        if len(seeds) != self.num_envs:
            raise ValueError(f"there are {len(seeds)} seeds for {self.num_envs} environments")
        return seeds

    def _split(self, place: str, space: Space, actions: Any) -> Any:
        """Actions with an axis of workers and one of each worker's environments."""
        if isinstance(space, spaces.Dict):
            if not isinstance(actions, Mapping) or set(actions) != set(space.spaces):
                raise ValueError(f"{place} must be a dict with the keys {list(space.spaces)}")
            return {
                name: self._split(f"{place}[{name!r}]", part, actions[name])
                for name, part in space.spaces.items()
            }
        if isinstance(space, spaces.Tuple):
            if not isinstance(actions, (tuple, list)) or len(actions) != len(space.spaces):
                raise ValueError(f"{place} must be a tuple of {len(space.spaces)}")
            return tuple(
                self._split(f"{place}[{index}]", part, actions[index])
                for index, part in enumerate(space.spaces)
            )
        array = self._array(actions)
        each = space.shape or ()
        if array.shape != (self.num_envs, *each):
            raise ValueError(
                f"{place} must have shape {(self.num_envs, *each)}, for {self._num_workers} workers"
                f" with {self._envs_per_worker} environments each, not {array.shape}"
            )
        assert space.dtype is not None
        if not np.can_cast(array.dtype, space.dtype, "same_kind"):
            raise TypeError(f"{place} must be {space.dtype}, not {array.dtype}")
        groups = array.reshape(self._num_workers, self._envs_per_worker, *each)
        return groups.astype(space.dtype, copy=False)

    def _joined(self, observations: Any) -> Any:
        """Tensors with one axis of all environments in place of two."""
        if isinstance(observations, Mapping):
            return {name: self._joined(part) for name, part in observations.items()}
        if isinstance(observations, tuple):
            return tuple(map(self._joined, observations))
        return self._tensor(observations.reshape(self.num_envs, *observations.shape[2:]))

    def _merged(self, groups: list[Any]) -> Infos:
        """Infos of all environments, as Gymnasium makes them, with tensors."""
        merged: Infos = {}
        final: list[Any] = [None] * self.num_envs
        for worker, group in enumerate(groups):
            for index, info in group.items():
                env = worker * self._envs_per_worker + index
                final[env] = info.pop("final_obs", None)
                merged = self._add_info(merged, info, env)
        infos: Infos = self._tensors(merged)
        ended = np.array([observation is not None for observation in final])
        if ended.any():
            space = self.single_observation_space
            zeros: Any = create_empty_array(space, n=self.num_envs, fn=np.zeros)
            rows = [
                zero if observation is None else observation
                for zero, observation in zip(
                    iterate(self.observation_space, zeros), final, strict=True
                )
            ]
            batch: Any = create_empty_array(space, n=self.num_envs)
            infos["final_obs"] = self._tensors(concatenate(space, rows, batch))
            infos["_final_obs"] = self._tensor(ended)
        return infos

    def _tensors(self, tree: Any) -> Any:
        if isinstance(tree, Mapping):
            return {name: self._tensors(part) for name, part in tree.items()}
        if isinstance(tree, tuple):
            return tuple(map(self._tensors, tree))
        if isinstance(tree, np.ndarray) and tree.dtype.kind in "biuf":
            return self._tensor(tree)
        return tree

    def _tensor(self, array: Any) -> Tensor:
        return self._torch.from_numpy(array).to(self.device)

    def _array(self, given: Any) -> Any:
        if isinstance(given, self._torch.Tensor):
            given = given.detach().cpu().numpy()
        return np.asarray(given)


# ---- Workers -------------------------------------------------------------------------------------


class _RawInfos:
    """Keeps infos as they are, by the number of the environment, to be merged once."""

    def _add_info(self, infos: Any, env_info: Infos, env_num: int) -> Any:
        infos.setdefault(env_num, {}).update(env_info)
        return infos


def _rows(infos: Any) -> list[Infos]:
    return [infos[number] for number in sorted(infos)]


class _Members(_RawInfos, SyncVectorEnv):
    """The environments of one worker."""


class _Group(gymnasium.Env[Any, Any]):
    """The environments of one worker as one, with batches for observations and actions.

    All but the observations goes through the infos.
    """

    def __init__(self, make: _MakeGroup) -> None:
        self._make = make
        self._members: _Members | None = None
        self.observation_space = batch_space(make.observation_space, make.count)
        self.action_space = batch_space(make.action_space, make.count)

    def start(self) -> None:
        """Make the environments.

        Not in the constructor: its exceptions would not reach the calling process, where moreover
        `AsyncVectorEnv` makes a group only to look at it.
        """
        make = self._make
        self._members = members = _Members(
            [make.env_factory] * make.count, copy=False, autoreset_mode=make.autoreset
        )
        for here, there in (
            (members.single_observation_space, make.observation_space),
            (members.single_action_space, make.action_space),
        ):
            if here != there:
                raise ValueError(f"env_factory makes different spaces: {here} and {there}")

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start episodes; `seed` is the seeds and the mask."""
        assert self._members
        seeds, mask = seed
        if mask is not None:
            if not mask.any():
                return self._members._observations, {"group": {}}
            options = {**(options or {}), "reset_mask": mask}
        observations, infos = self._members.reset(seed=seeds, options=options)
        return observations, {"group": infos}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action in each environment."""
        assert self._members
        observations, rewards, terminations, truncations, infos = self._members.step(action)
        results = rewards.astype(np.float32), terminations, truncations, infos
        return observations, 0.0, False, False, {"group": results}

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each environment, or get an attribute."""
        assert self._members
        return self._members.call(name, *args, **kwargs)

    def close(self) -> None:
        """Close the environments."""
        if self._members:
            self._members.close()


@dataclass(frozen=True)
class _MakeGroup:
    """Makes a group in the process that calls it."""

    env_factory: Factory
    count: int
    observation_space: Space
    action_space: Space
    autoreset: AutoresetMode

    def __call__(self) -> _Group:
        return _Group(self)


class _Workers(_RawInfos, _AsyncVectorEnv):
    """The processes, which never outlive a failure or `close`."""

    def __init__(self, make_group: _MakeGroup, count: int, context: str) -> None:
        try:
            super().__init__([make_group] * count, context=context)
            self.call("start")
        except BaseException as failure:
            dead = _is_broken_pipe(failure) and self.describe_dead()
            self.close(terminate=True)
            if dead:
                raise RuntimeError(
                    f"{dead} at its start; what it said is on stderr.  If that is about"
                    ' bootstrapping, put your program under `if __name__ == "__main__":`'
                ) from failure
            if isinstance(failure, Exception):
                raise RuntimeError(
                    f"a worker could not start: {type(failure).__name__}: {failure}"
                ) from failure
            raise

    def describe_dead(self) -> str:
        """Which worker died, and how; empty if none did."""
        ended = multiprocessing.connection.wait(
            [process.sentinel for process in self.processes], _CLOSE_SECONDS
        )
        for number, process in enumerate(self.processes):
            if process.sentinel in ended:
                # It closes its pipes a moment before it has an exit code.
                process.join(_CLOSE_SECONDS)
                return f"worker {number} died with exit code {process.exitcode}"
        return ""

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:
        """Let workers close their environments; end those that have not after `timeout` seconds."""
        pipes = [pipe for pipe in getattr(self, "parent_pipes", []) if pipe and not pipe.closed]
        started = [process for process in getattr(self, "processes", []) if process.pid]
        if not terminate:
            for pipe in pipes:
                with contextlib.suppress(OSError):
                    pipe.send(("close", None))
        end = time.monotonic() + (_CLOSE_SECONDS if timeout is None else timeout)
        for process in started:
            if not terminate:
                process.join(max(0.0, end - time.monotonic()))
            process.terminate()
        for process in started:
            process.join(1.0)
            process.kill()
            process.join()
        for pipe in pipes:
            pipe.close()


# ---- Checks --------------------------------------------------------------------------------------


def _is_broken_pipe(failure: BaseException) -> bool:
    return isinstance(failure, (EOFError, ConnectionError))


def _check_factory(env_factory: Any, context: str) -> None:
    if not callable(env_factory):
        raise TypeError(f"env_factory must be a function, not {env_factory!r}")
    if context == "fork":
        return
    try:
        pickle.dumps(CloudpickleWrapper(env_factory))  # as workers get it
    except Exception as failure:
        raise TypeError(
            f"env_factory cannot be pickled, so it cannot go to the workers: {failure}; "
            "make inside of it what it needs"
        ) from failure


def _check_space(what: str, space: Space) -> None:
    if isinstance(space, spaces.Dict):
        parts: Sequence[Space] = list(space.spaces.values())
    elif isinstance(space, spaces.Tuple):
        parts = space.spaces
    elif isinstance(space, (spaces.Box, spaces.Discrete, spaces.MultiBinary, spaces.MultiDiscrete)):
        parts = []
    else:
        raise ValueError(f"the {what} space has {space}, which does not make tensors")
    for part in parts:
        _check_space(what, part)
