"""A worker on a node: one vector, made from a specification that any node can use.

Nothing here uses Ray.  A worker's results depend only on its spec, its number and the actions that
it played, so another worker can replace it: `Worker.follow` brings a new worker to the state of the
old one, from a snapshot and the actions since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from pyale_ma.distributed.spec import VectorSpec, make_vector
from pyale_ma.recording.file.format import Header
from pyale_ma.recording.replay.layers import layer_of
from pyale_ma.vector.stepper import StepResult

Array: TypeAlias = npt.NDArray[Any]
Policy: TypeAlias = Callable[[Array, np.random.Generator], Any]

# The infos that a rollout has for each step.
_EACH_STEP = (
    "lives",
    "frame_number",
    "episode_frame_number",
    "unclipped_reward",
    "ram",
    "sound",
    "labels",
)


@dataclass(frozen=True)
class Description:
    """Properties of a worker's vector: attributes of `AtariVectorEnv`, and a recording's header."""

    single_observation_space: spaces.Space[Any]
    single_action_space: spaces.Space[Any] | None
    action_space: spaces.Space[Any]
    num_actions: list[int]
    action_sets: list[list[int]]
    header: Header


@dataclass(frozen=True)
class Request:
    """Data that the driver requests of some steps in addition to their results.

    Attributes:
        snapshot: A snapshot after the steps, for `Worker.follow`.
        recording: The number of the recording that will contain the steps.
        begin: The reset or state before the steps, with which a part of the recording begins.
        ram: RAM after the steps.
    """

    snapshot: bool = False
    recording: int | None = None
    begin: bool = False
    ram: bool = False


@dataclass
class Additions:
    """The data of a `Request`; None where nothing was requested.

    Attributes:
        snapshot: The snapshot.
        ram: RAM, uint8 (envs, 128).
        reset: The worker's reset, if a part of the recording begins before its first step.
        state: The worker's state and its entry in the recording, if a part begins later.
    """

    snapshot: bytes | None = None
    ram: Array | None = None
    reset: dict[str, Any] | None = None
    state: tuple[bytes, dict[str, Any]] | None = None


class Worker:
    """One vector and its last results.

    Args:
        spec: The vector's specification.
        number: The worker's number, from 0.
        num_threads: The vector's number of threads, unless the spec's options have one.

    Raises:
        FileNotFoundError: A ROM is neither in the spec nor on this machine.
        Exception: See `AtariVectorEnv`, for wrong arguments.
    """

    def __init__(self, spec: VectorSpec, number: int, num_threads: int) -> None:
        self.number = number
        options = {"num_threads": num_threads, **spec.options}
        self._seed = spec.seed
        self._envs, self._header = make_vector(spec, options)
        self._layer = layer_of(self._envs)
        self._was_reset = False  # and has not played since
        self._first_id = number * self._envs.num_envs
        self._last: StepResult
        self._observations = np.empty(0, np.uint8)

    def describe(self) -> Description:
        """Return the properties of the vector."""
        envs = self._envs
        return Description(
            envs.single_observation_space,
            envs.single_action_space,
            envs.action_space,
            envs.num_actions,
            envs.action_sets,
            self._header,
        )

    def follow(self, snapshot: bytes | None, played: Iterable[Array]) -> None:
        """Continue from the state of another worker.

        Args:
            snapshot: That worker's snapshot; None: begin with a reset.
            played: The actions since, each with a leading axis of steps.
        """
        envs = self._envs
        self._was_reset = snapshot is None
        if snapshot is None:
            observations, infos = envs.reset(seed=self._seed + self._first_id)
            shape = (envs.num_envs, *([envs.num_players] if envs.num_players else []))
            rewards, terminations = np.zeros(shape, np.int32), np.zeros(shape, np.bool_)
            truncations = np.zeros(envs.num_envs, np.bool_)
            self._last = (observations, rewards, terminations, truncations, infos)
        else:
            envs.restore_state(snapshot)
            self._last = envs.recv()
        for steps in played:
            for actions in steps:
                self._play(actions, False)

    def results(self) -> StepResult:
        """Return the last results, valid until the next step; ``env_id`` counts all workers."""
        *arrays, infos = self._last
        infos = {**infos, "env_id": infos["env_id"] + np.int32(self._first_id)}
        return (arrays[0], arrays[1], arrays[2], arrays[3], infos)

    def step(self, actions: Array, request: Request) -> tuple[StepResult, Additions]:
        """Play one action of each environment.

        Args:
            actions: As for `AtariVectorEnv.step`.
            request: Data to return in addition.

        Returns:
            The same as `results`, and the requested data.
        """
        additions = self._begin(request)
        additions.snapshot = self._play(actions, request.snapshot)
        self._end(request, additions)
        return self.results(), additions

    def _begin(self, request: Request) -> Additions:
        """Return the data that is requested before steps."""
        additions = Additions()
        if request.begin and self._was_reset:
            additions.reset, _ = self._layer.entry(self._seed + self._first_id, None)
        elif request.begin:
            additions.state = self._layer.save()
        return additions

    def _end(self, request: Request, additions: Additions) -> None:
        """Add the data that is requested after steps."""
        if request.ram:
            additions.ram = self._layer.rams()

    def _play(self, actions: Any, snapshot: bool) -> bytes | None:
        """Play a step.  Return a snapshot if one is requested; it has the results in it."""
        envs = self._envs
        self._was_reset = False
        if not snapshot:
            self._last = envs.step(actions)
            return None
        # A state that is saved before `recv` contains the results: `recv` returns them after
        # `restore_state`.
        envs.send(actions)
        state = envs.save_state()
        self._last = envs.recv()
        return state

    def rollout(
        self, policy: Policy, steps: int, stamp: Mapping[str, int], request: Request
    ) -> tuple[dict[str, Any], Additions]:
        """Play a policy for some steps.

        Args:
            policy: See `RolloutCollector`.
            steps: How many.
            stamp: The worker, the rollout's number and the policy's version, to be returned.
            request: Data to return in addition.

        Returns:
            The fields of a `Rollout`, whose observations are valid until the next one, and the
            requested data.

        Raises:
            IndexError: The policy's actions are not allowed; so are TypeError and ValueError.
            ValueError: Its further arrays are not those of the first step.
            RuntimeError: It raised what is not an Exception, such as asyncio.CancelledError.
            Exception: What else it raised.
        """
        random = np.random.default_rng((self._seed, stamp["worker"], stamp["number"]))
        observations = self._memory(steps)
        fields: dict[str, Array] = {}
        extras: dict[str, Array] = {}
        infos: dict[str, Array] = {}
        episodes: list[dict[str, Array]] = []
        additions = self._begin(request)
        for step in range(steps):
            current = self._last[0]
            observations[step] = current
            actions, further = _decision(policy, current, random)
            try:
                check_finite(actions)
                additions.snapshot = self._play(actions, request.snapshot and step + 1 == steps)
            except (IndexError, TypeError, ValueError) as problem:
                raise type(problem)(f"the policy's {problem}") from None
            _, rewards, terminations, truncations, info = self._last
            flags = {"terminations": terminations, "truncations": truncations}
            _write(fields, step, steps, {"actions": actions, "rewards": rewards, **flags})
            _check_extras(extras, step, further)
            _write(extras, step, steps, further)
            _write(infos, step, steps, {name: info[name] for name in _EACH_STEP if name in info})
            if "episode" in info:
                ended = np.flatnonzero(info["_episode"])
                episode = {name: info["episode"][name][ended] for name in ("r", "l")}
                env_ids = (ended + self._first_id).astype(np.int32)
                episodes.append({"env_id": env_ids, **episode})
        self._end(request, additions)
        return {
            **stamp,
            **fields,
            "observations": observations,
            "extras": extras,
            "infos": infos,
            "episodes": _joined(episodes),
            "last_observations": self._last[0],
        }, additions

    def _memory(self, steps: int) -> Array:
        """Return memory for observations of `steps` steps; reused, as fresh memory is slow."""
        shape = (steps, *self._last[0].shape)
        if self._observations.shape != shape:
            self._observations = np.empty(shape, self._last[0].dtype)
        return self._observations

    def close(self) -> None:
        """Stop the vector's threads."""
        self._envs.close()


def check_finite(actions: Array) -> None:
    """Raise ValueError, and say where, if a continuous action is not a finite number."""
    if actions.dtype.kind != "f" or np.isfinite(actions).all():
        return
    place = tuple(np.argwhere(~np.isfinite(actions))[0].tolist())
    raise ValueError(f"actions{list(place)} is {actions[place]}; it must be a finite number")


def _decision(
    policy: Policy, observations: Array, random: np.random.Generator
) -> tuple[Array, dict[str, Array]]:
    """Return a policy's actions and its further arrays."""
    try:
        result = policy(observations, random)
    except Exception:
        raise
    except BaseException as problem:  # which would end the process, or never reach the driver
        raise RuntimeError(f"the policy raised {problem!r}") from problem
    actions, further = result if isinstance(result, tuple) and len(result) == 2 else (result, {})
    if isinstance(actions, tuple) or not isinstance(further, Mapping):
        raise TypeError(
            f"the policy must return actions, or actions and a dict of arrays, not {result!r}"
        )
    return np.asarray(actions), {name: np.asarray(value) for name, value in further.items()}


def _check_extras(extras: Mapping[str, Array], step: int, further: Mapping[str, Array]) -> None:
    """Raise ValueError if a policy's further arrays are others than at the first step."""
    if step == 0:
        return
    if further.keys() != extras.keys():
        raise ValueError(
            f"the policy's further arrays are {[*further]} at step {step}, but {[*extras]} at "
            "step 0 of the rollout"
        )
    for name, array in further.items():
        first = extras[name]
        if (array.dtype, array.shape) != (first.dtype, first.shape[1:]):
            raise ValueError(
                f"the policy's {name!r} is {array.dtype} of shape {array.shape} at step {step}, "
                f"but {first.dtype} of shape {first.shape[1:]} at step 0 of the rollout"
            )


def _write(arrays: dict[str, Array], step: int, steps: int, values: Mapping[str, Array]) -> None:
    """Put values of a step into arrays of all steps."""
    for name, value in values.items():
        if name not in arrays:
            arrays[name] = np.empty((steps, *value.shape), value.dtype)
        arrays[name][step] = value


def _joined(parts: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Arrays of the same names, one after the other."""
    names = parts[0] if parts else ()
    return {name: np.concatenate([part[name] for part in parts]) for name in names}
