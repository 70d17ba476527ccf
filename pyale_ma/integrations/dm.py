"""dm_env: one environment, and the pool of `pyale_ma.envpool`, whose steps are `TimeStep`s.

::

    from pyale_ma.integrations.dm import make_env

    env = make_env("ALE/Breakout-v5", seed=1, obs_type="ram")
    time_step = env.reset()
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces

from pyale_ma._base.text import shown
from pyale_ma.integrations.adapters import missing_library
from pyale_ma.integrations.envpool.pool import Array, EnvPool, PoolBatch, PoolMethods

try:
    import dm_env
    from dm_env import specs
except ModuleNotFoundError as missing:
    raise missing_library("dm", missing) from missing

__all__ = ["DMEnv", "DMEnvPool", "Players", "State", "make_env"]


def make_env(id: str, *, seed: int | None = None, **kwargs: Any) -> DMEnv:  # noqa: A002
    """Make an environment from its Gymnasium id.

    Args:
        id: An id such as "pyale_ma/Pong-v5" or "ALE/Pong-v5".
        seed: The seed of the first episode; later ones follow from it.
        **kwargs: Arguments of `gymnasium.make`: the environment's, and ``max_episode_steps``.

    Examples:
        ```python
        from pyale_ma.integrations.dm import make_env

        env = make_env("pyale_ma/Quartet-v0", seed=42)
        time_step = env.reset()
        time_step = env.step(1)
        ```
    """
    # dm_env says itself what may be called when.
    return DMEnv(gymnasium.make(id, disable_env_checker=True, **kwargs), seed=seed)


class DMEnv(dm_env.Environment):
    """A Gymnasium environment of one player as a `dm_env.Environment`.

    Observations and actions are those of the environment.  A step after the last of an episode, or
    before a reset, starts the next episode, whatever the action.  The discount is 0 if the game
    is over, and 1 if it was only truncated.

    Args:
        env: An environment with a discrete or a box action space, and box observations.
        seed: The seed of the first episode.

    Attributes:
        env: The environment.

    Raises:
        TypeError: It is not an environment of Gymnasium, or its spaces are of other kinds.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], *, seed: int | None = None) -> None:
        if not isinstance(env, gymnasium.Env):
            raise TypeError(
                f"DMEnv takes a Gymnasium environment, not {env!r}; make_env takes an id"
            )
        if not isinstance(env.observation_space, spaces.Box):
            raise TypeError(
                f"DMEnv knows observations in a Box, not in {env.observation_space}: several "
                "agents go through pyale_ma.integrations.torchrl or rllib"
            )
        if not isinstance(env.action_space, (spaces.Discrete, spaces.Box)):
            raise TypeError(f"DMEnv knows actions in Discrete or Box, not {env.action_space}")
        self.env = env
        self._seed = seed
        self._goes_on = False
        self._observations, self._actions = env.observation_space, env.action_space

    def __repr__(self) -> str:
        return shown(self, self.env)

    def reset(self) -> dm_env.TimeStep:
        """Start an episode."""
        observation, _ = self.env.reset(seed=self._seed)
        self._seed = None  # not before, as a reset may fail
        self._goes_on = True
        return dm_env.restart(observation)

    def step(self, action: Any) -> dm_env.TimeStep:
        """Play one action."""
        if not self._goes_on:
            return self.reset()
        observation, reward, terminated, truncated, _ = self.env.step(action)
        self._goes_on = not (terminated or truncated)
        if terminated:
            return dm_env.termination(float(reward), observation)
        if truncated:
            return dm_env.truncation(float(reward), observation)
        return dm_env.transition(float(reward), observation)

    def observation_spec(self) -> specs.BoundedArray:
        """Bytes of a picture or of memory."""
        return _bounded(self._observations, "observation")

    def action_spec(self) -> specs.BoundedArray:
        """The number of an action; continuous ones are three numbers."""
        if isinstance(self._actions, spaces.Box):
            return _bounded(self._actions, "action")
        return specs.DiscreteArray(int(self._actions.n), np.int64, "action")

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


def _bounded(space: spaces.Box, name: str) -> specs.BoundedArray:
    return specs.BoundedArray(space.shape, space.dtype, space.low, space.high, name)


class Players(NamedTuple):
    """Whose player it is."""

    env_id: Any


class State(NamedTuple):
    """Observations, one row per environment."""

    env_id: Any
    players: Players
    obs: Any
    lives: Any
    reward: Any  # before clipping
    terminated: Any  # whether the game is over, not only a life
    ram: Any


class DMEnvPool(PoolMethods, dm_env.Environment):
    """A pool with time steps; made by ``envpool.make(..., env_type="dm")``.

    Each field of a `TimeStep` has a row for each environment.

    Attributes:
        spec: Options and spaces.
    """

    def __init__(self, pool: EnvPool) -> None:
        self._pool = pool
        self.spec = pool.spec

    def reset(self, env_id: Array | None = None) -> dm_env.TimeStep:
        """Start episodes: in all environments, or in some of them, whose results are returned."""
        return _time_step(self._pool.reset(env_id))

    def step(self, action: Any, env_id: Array | None = None) -> dm_env.TimeStep:
        """`send` and `recv`."""
        return _time_step(self._pool.step(action, env_id))

    def recv(self, reset: bool = False, return_info: bool = True) -> dm_env.TimeStep:
        """Wait for the next results."""
        return _time_step(self._pool.recv())

    def render(self, env_ids: Any = None, camera_id: int | None = None) -> Array:
        """Screens of some environments, by default ``render_env_id``'s, as of Gymnasium's pool."""
        return self._pool.render(env_ids)

    def close(self) -> None:
        """Free nothing, as in EnvPool: a pool that was closed still plays, and goes when unused."""

    def observation_spec(self) -> State:
        """Return the spec of one environment."""
        return self.spec.observation_spec()

    def action_spec(self) -> specs.DiscreteArray:
        """Return the spec of one environment."""
        return self.spec.action_spec()


def observation_spec(shape: tuple[int, ...]) -> State:
    """Return the spec of what an environment of a pool observes, with pictures of this shape."""
    number = np.iinfo(np.int32)
    numbers = {"dtype": np.int32, "minimum": number.min, "maximum": number.max}
    most = np.finfo(np.float32).max
    return State(
        env_id=specs.BoundedArray((), name="env_id", **numbers),
        players=Players(specs.BoundedArray((), name="env_id", **numbers)),
        obs=specs.BoundedArray(shape, np.uint8, 0, 255, "obs"),
        lives=specs.BoundedArray((), name="lives", **numbers),
        reward=specs.BoundedArray((), np.float32, -most, most, "reward"),
        terminated=specs.DiscreteArray(2, np.int32, "terminated"),
        ram=specs.BoundedArray((128,), np.uint8, 0, 255, "ram"),
    )


def action_spec(actions: int) -> specs.DiscreteArray:
    """Return the spec of the actions of a pool's environment, of which there are this number."""
    return specs.DiscreteArray(actions, np.int32, "action")


def _time_step(batch: PoolBatch) -> dm_env.TimeStep:
    step_type = np.full(len(batch.env_id), dm_env.StepType.MID, np.int32)
    step_type[batch.first] = dm_env.StepType.FIRST
    step_type[batch.terminated | batch.truncated] = dm_env.StepType.LAST
    observation = State(
        env_id=batch.env_id,
        players=Players(batch.env_id),
        obs=batch.obs,
        lives=batch.lives,
        reward=batch.unclipped,
        terminated=batch.game_over,
        ram=batch.ram,
    )
    return dm_env.TimeStep(step_type, batch.reward, batch.discount, observation)
