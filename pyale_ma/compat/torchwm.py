"""TorchWM's two makers of vectors: one of Atari games, one of any environments in processes.

A program for TorchWM needs another import::

    from pyale_ma.compat.torchwm import TorchVectorizedEnv, make_atari_vector_env

New programs take `pyale_ma.vector.AtariVectorEnv`, and Gymnasium's `AsyncVectorEnv` for
environments that are not Atari games.
"""

from __future__ import annotations

import functools
import pickle
import signal
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AsyncVectorEnv
from gymnasium.vector.async_vector_env import AsyncState
from gymnasium.vector.utils import CloudpickleWrapper

from pyale_ma._base import install_hints
from pyale_ma._base.arguments import integer
from pyale_ma.console.observations import VectorObsType
from pyale_ma.vector import AtariVectorEnv

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["TorchVectorizedEnv", "make_atari_vector_env"]


def make_atari_vector_env(
    game: str,
    num_envs: int = 1,
    obs_type: VectorObsType = "rgb",
    frameskip: int = 4,
    repeat_action_probability: float = 0.25,
    full_action_space: bool = False,
    max_episode_steps: int | None = None,
    seed: int | None = None,
    **kwargs: Any,
) -> AtariVectorEnv:
    """Make an `AtariVectorEnv`, with sticky actions unless told otherwise.

    Args:
        game: The game's name, such as "ms_pacman".
        num_envs: Number of environments.
        obs_type: What is observed: one of the types of `AtariVectorEnv`.
        frameskip: Frames per step.
        repeat_action_probability: The probability, in each frame, that the previous action is
            repeated.
        full_action_space: Use all 18 actions instead of those that have an effect.
        max_episode_steps: Steps after which an episode is truncated; None: 108000 frames.
        seed: The seed of the first reset, if that gets none; None: a random one.
        **kwargs: Further arguments of `AtariVectorEnv`.

    Examples:
        ```python
        from pyale_ma.compat.torchwm import make_atari_vector_env

        envs = make_atari_vector_env("quartet", num_envs=8, seed=42)
        observations, infos = envs.reset()
        ```

    Raises:
        gymnasium.error.Error: `frameskip` is not a positive int.
        ValueError: There is no such game, or an argument is out of range.
        TypeError: An argument is of the wrong type, or unknown.
        FileNotFoundError: The game's ROM file was not found; the text says how to get one.
    """
    if max_episode_steps is not None:
        if "max_num_frames_per_episode" in kwargs:
            raise TypeError("give max_episode_steps or max_num_frames_per_episode, not both")
        steps = integer("max_episode_steps", max_episode_steps, 1)
        kwargs["max_num_frames_per_episode"] = min(steps * frameskip, 2**31 - 1)
    env = AtariVectorEnv(
        game,
        num_envs,
        obs_type=obs_type,
        frameskip=frameskip,
        repeat_action_probability=repeat_action_probability,
        full_action_space=full_action_space,
        **kwargs,
    )
    env.seed_first_reset(seed)
    return env


class TorchVectorizedEnv:
    """Environments in worker processes; actions and results are tensors.

    Observations are a dict with ``"image"``, float32: that of the environments' dicts, divided by
    255.  Of environments that return arrays it is the array, divided if it is of bytes.  The first
    axis has all environments, worker by worker.

    An environment that is done is not played until the next reset: it goes on to return its last
    observation, a reward of 0 and done.  The environments may be Gymnasium's or older.

    Args:
        env_factory: Makes one environment.  It is called in every worker for each of its
            environments, and once in the calling process, to learn the spaces.
        num_workers: Number of processes.
        envs_per_worker: Environments of each.
        seed: Environment i gets the seed `seed` + i, before its first reset; None: no seeds.

    Attributes:
        total_envs: All environments: `num_workers` * `envs_per_worker`.
        observation_space: Of one environment.
        action_space: Of one environment.

    Raises:
        gymnasium.error.DependencyNotInstalled: PyTorch is not installed.
        TypeError: An argument is of the wrong type.
        ValueError: A number is less than 1.
        RuntimeError: A worker died, and the others were ended; or there was no reset, or none since
            Ctrl-C came in the middle of a step.
        gymnasium.error.ClosedEnvironmentError: The environments are closed.
        Exception: What an environment raised.  The other environments have played that step, and
            all can be played on or reset.  After one about a result that cannot be pickled, they
            are closed.
    """

    def __init__(
        self,
        env_factory: Callable[[], Any],
        num_workers: int = 2,
        envs_per_worker: int = 4,
        seed: int | None = None,
    ) -> None:
        try:
            import torch
        except ModuleNotFoundError as problem:
            command = install_hints.install("torch")
            raise install_hints.missing(problem, command, "TorchVectorizedEnv") from problem
        if not callable(env_factory):
            raise TypeError(f"env_factory must be a function, not {env_factory!r}")
        self._torch = torch
        self.env_factory = env_factory
        self.num_workers = integer("num_workers", num_workers, 1)
        self.envs_per_worker = integer("envs_per_worker", envs_per_worker, 1)
        self.total_envs = self.num_workers * self.envs_per_worker
        self.seed = None if seed is None else integer("seed", seed, None)

        probe = env_factory()
        self.observation_space = probe.observation_space
        self.action_space = probe.action_space
        if hasattr(probe, "close"):
            probe.close()

        self._can_step = False
        counts = range(0, self.total_envs, self.envs_per_worker)
        self._workers = AsyncVectorEnv(
            [functools.partial(_Worker, first) for first in counts], shared_memory=False
        )
        self._ask("make", CloudpickleWrapper(env_factory), self.envs_per_worker, self.seed)

    def reset_batch(self) -> dict[str, Any]:
        """Start an episode in every environment; ``{"obs": {"image": ...}}``."""
        self._can_step = False
        results = {"obs": self._observations(self._ask("answers", "reset"))}
        self._can_step = True
        return results

    def step_batch(self, actions: Tensor) -> dict[str, Any]:
        """Play one action in each environment.

        Args:
            actions: A tensor with a row, or a number, for each environment.

        Returns:
            A dict of "obs" as from `reset_batch`, "reward" (float32), "done" (bool) and "info", a
            list of dicts.

        Raises:
            TypeError: `actions` is not a tensor; nothing was played.
            ValueError: There is not one action for each environment; nothing was played.
        """
        if not isinstance(actions, self._torch.Tensor):
            raise TypeError(f"actions must be a tensor, not {type(actions).__name__}")
        if actions.ndim == 0 or len(actions) != self.total_envs:
            raise ValueError(
                f"actions has the shape {tuple(actions.shape)}; its first axis must have "
                f"{self.total_envs} rows, for {self.num_workers} workers with "
                f"{self.envs_per_worker} environments each"
            )
        if not self._can_step:
            raise RuntimeError("reset_batch must be called before step_batch")
        rows = actions.detach().cpu().numpy()
        self._can_step = False  # as after an interrupt
        try:
            played = self._ask("answers", "step", rows)
        except Exception:  # of an environment
            self._can_step = True
            raise
        images, rewards, dones, infos = zip(*played, strict=True)
        results = {
            "obs": self._observations(images),
            "reward": self._torch.tensor(rewards, dtype=self._torch.float32),
            "done": self._torch.tensor(dones, dtype=self._torch.bool),
            "info": [*infos],
        }
        self._can_step = True
        return results

    def render_batch(self) -> list[npt.NDArray[Any]]:
        """Return what each environment renders."""
        return self._ask("answers", "render")

    def reset(self) -> dict[str, Tensor]:
        """Start an episode in every environment, and return the observations."""
        observations: dict[str, Tensor] = self.reset_batch()["obs"]
        return observations

    def step(self, actions: Tensor) -> tuple[dict[str, Tensor], Tensor, Tensor, list[Any]]:
        """Play one action in each environment; observations, rewards, dones and infos."""
        results = self.step_batch(actions)
        return results["obs"], results["reward"], results["done"], results["info"]

    def close(self) -> None:
        """Close the environments and end the processes."""
        try:
            self._workers.close()
        except (EOFError, OSError):  # of one that has died
            self._end()

    # ---- Inside ----------------------------------------------------------------------------------

    def _observations(self, pictures: Sequence[tuple[npt.NDArray[Any], bool]]) -> dict[str, Tensor]:
        images, are_pixels = zip(*pictures, strict=True)
        batch = self._torch.from_numpy(np.stack(images)).float()
        return {"image": batch / 255 if all(are_pixels) else batch}

    def _ask(self, method: str, *arguments: Any) -> list[Any]:
        """Have every worker do something, and gather the answers of all environments."""
        if self._workers.closed:
            raise ClosedEnvironmentError(
                "the environments are closed: close was called, or a call failed; make new ones"
            )
        try:
            answers = [each for some in self._workers.call(method, *arguments) for each in some]
        except (EOFError, ConnectionError) as failure:
            dead = self._describe_dead()
            self._end()
            raise RuntimeError(f"{dead}; the environments are closed") from failure
        except BaseException:
            self._end()  # who has not answered is of no use any more
            raise
        for _, raised in answers:
            if raised is not None:
                raise raised
        return [result for result, _ in answers]

    def _end(self) -> None:
        """End the processes, whatever they are doing."""
        self._workers._state = AsyncState.DEFAULT  # no answer is waited for
        self._workers.close(terminate=True)

    def _describe_dead(self) -> str:
        for number, process in enumerate(self._workers.processes):
            process.join(0.1)
            if process.exitcode is not None:
                return f"worker {number} died with exit code {process.exitcode}"
        return "a worker died"


_Answer: TypeAlias = tuple[Any, Exception | None]  # a result, or what was raised instead


class _Member:
    """An environment of a worker."""

    def __init__(self, env: Any, seed: int | None) -> None:
        self._env = env
        self._options = {}
        if seed is not None and hasattr(env, "seed"):
            env.seed(seed)
        elif seed is not None:  # Gymnasium's take it with the first reset
            self._options = {"seed": seed}
        self._last: Any = None
        self._done = False

    def answer(self, command: str, row: Any) -> _Answer:
        """Do what is asked for; the result, or what was raised."""
        try:
            return getattr(self, command)(row), None
        except Exception as failure:
            return None, _portable(failure)

    def reset(self, _: Any) -> Any:
        """Start an episode; the observation."""
        options, self._options = self._options, {}
        results = self._env.reset(**options)
        self._done = False
        return self._seen(results[0] if isinstance(results, tuple) else results)

    def step(self, action: Any) -> tuple[Any, float, bool, Any]:
        """Play, unless the episode is over."""
        if self._done:
            return self._last, 0.0, True, {}
        observation, reward, *ends, info = self._env.step(action)
        self._done = any(map(bool, ends))
        return self._seen(observation), float(reward), self._done, info

    def render(self, _: Any) -> Any:
        """Return what the environment renders."""
        return self._env.render()

    def close(self, _: Any) -> None:
        """Close the environment."""
        if hasattr(self._env, "close"):
            self._env.close()

    def _seen(self, observation: Any) -> Any:
        """The image, and whether it is of pixels."""
        is_image = isinstance(observation, dict)
        image = np.asarray(observation["image"] if is_image else observation)
        self._last = image, is_image or image.dtype == np.uint8
        return self._last


class _Worker(gymnasium.Env[Any, Any]):
    """Some environments in a process, for Gymnasium's vector one.

    Args:
        first: The number of the first.
    """

    # Gymnasium wants them; nobody asks this class.
    observation_space = action_space = gymnasium.spaces.Discrete(1)

    def __init__(self, first: int) -> None:
        self._first = first
        self._members: list[_Member] = []

    def make(self, factory: Any, count: int, seed: int | None) -> list[_Answer]:
        """Make them."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller gets it too, and ends this
        try:
            for number in range(self._first, self._first + count):
                self._members.append(_Member(factory(), None if seed is None else seed + number))
        except Exception as failure:
            return [(None, _portable(failure))]
        return []

    def answers(self, command: str, rows: Any = None) -> list[_Answer]:
        """Have each do something, with its row of all."""
        return [
            member.answer(command, None if rows is None else rows[number])
            for number, member in enumerate(self._members, self._first)
        ]

    def close(self) -> None:
        """Close them."""
        for member in self._members:
            member.answer("close", None)


def _portable(failure: Exception) -> Exception:
    """Return an exception as another process can have it."""
    try:
        pickle.loads(pickle.dumps(failure))
    except Exception:
        return RuntimeError(f"{type(failure).__name__}: {failure}")
    return failure
