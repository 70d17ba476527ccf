"""dm_env: the pool of `pyale_ma.envpool` whose steps are `TimeStep`s."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import error

from pyale_ma.envpool import Array, Batch, Pool, PoolMethods

try:
    import dm_env
    from dm_env import specs
except ModuleNotFoundError as missing:
    raise error.DependencyNotInstalled(
        f"{missing.name} is missing; run `pip install dm-env`"
    ) from missing

__all__ = ["DMEnvPool", "Players", "State"]


class Players(NamedTuple):
    """Whose player it is."""

    env_id: Any


class State(NamedTuple):
    """What is observed, one row an environment."""

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

    def __init__(self, pool: Pool) -> None:
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
        """Screens of some environments, by default the first: uint8 (environments, 210, 160, 3)."""
        return self._pool.render(env_ids)

    def close(self) -> None:
        """Stop the threads."""
        self._pool.envs.close()

    def observation_spec(self) -> State:
        """Of one environment."""
        number = np.iinfo(np.int32)
        numbers = {"dtype": np.int32, "minimum": number.min, "maximum": number.max}
        most = np.finfo(np.float32).max
        return State(
            env_id=specs.BoundedArray((), name="env_id", **numbers),
            players=Players(specs.BoundedArray((), name="env_id", **numbers)),
            obs=specs.BoundedArray(self.spec.observation_space.shape, np.uint8, 0, 255, "obs"),
            lives=specs.BoundedArray((), name="lives", **numbers),
            reward=specs.BoundedArray((), np.float32, -most, most, "reward"),
            terminated=specs.DiscreteArray(2, np.int32, "terminated"),
            ram=specs.BoundedArray((128,), np.uint8, 0, 255, "ram"),
        )

    def action_spec(self) -> specs.DiscreteArray:
        """Of one environment."""
        return specs.DiscreteArray(int(self.spec.action_space.n), np.int32, "action")


def _time_step(batch: Batch) -> dm_env.TimeStep:
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
