"""EnvPool's interface to the native vector: `make` with EnvPool's ids, options and info keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import gymnasium
from gymnasium import error
from gymnasium.vector import AutoresetMode, VectorEnv

from pyale_ma._base.arguments import check_reset_options
from pyale_ma.integrations.envpool.pool import (
    OWN_SPELLINGS,
    Array,
    EnvPool,
    EnvSpec,
    PoolBatch,
    PoolMethods,
    games,
)

if TYPE_CHECKING:
    from pyale_ma.integrations.dm import DMEnvPool


def list_all_envs() -> list[str]:
    """The ids of all games."""
    return sorted(games().keys() - OWN_SPELLINGS)


@overload
def make(
    task_id: str, env_type: Literal["gymnasium", "gym"], **options: Any
) -> GymnasiumEnvPool: ...


@overload
def make(task_id: str, env_type: Literal["dm"], **options: Any) -> DMEnvPool: ...


def make(task_id: str, env_type: str, **options: Any) -> GymnasiumEnvPool | DMEnvPool:
    """Make a pool of environments.

    Args:
        task_id: The game, such as "MsPacman-v5".
        env_type: "gymnasium" and "gym": five results a step, as in EnvPool 1.2; "dm": a `TimeStep`.
        **options: Those of EnvPool, see `EnvSpec.config`; ``render_mode``, None or "rgb_array";
            ``render_env_id``, what `render` shows; ``render_width`` and ``render_height``,
            multiples of the screen's; and ``corrected_rules``, as of `AtariVectorEnv`.

    Examples:
        ```python
        from pyale_ma import envpool

        envs = envpool.make("Quartet-v5", env_type="gymnasium", num_envs=8)
        observations, infos = envs.reset()
        ```

    Raises:
        ValueError: There is no such game or type, or an option has a value that is not supported.
        TypeError: There is no such option, or it is of the wrong type.
        FileNotFoundError: The game's ROM file was not found; the text says how to get one.
    """
    if env_type in ("gymnasium", "gym"):
        return make_gymnasium(task_id, **options)
    if env_type == "dm":
        return make_dm(task_id, **options)
    raise ValueError(f"env_type is {env_type!r}; it should be one of 'dm', 'gym' or 'gymnasium'")


def make_gymnasium(task_id: str, **options: Any) -> GymnasiumEnvPool:
    """`make` with ``env_type="gymnasium"``."""
    return GymnasiumEnvPool(EnvPool(task_id, options))


make_gym = make_gymnasium


def make_dm(task_id: str, **options: Any) -> DMEnvPool:
    """`make` with ``env_type="dm"``.

    Raises:
        gymnasium.error.DependencyNotInstalled: dm_env is not installed.
    """
    from pyale_ma.integrations.dm import DMEnvPool

    return DMEnvPool(EnvPool(task_id, options))


def make_spec(task_id: str, **options: Any) -> EnvSpec:
    """Return the options and spaces of the environment that `make` would make."""
    pool = EnvPool(task_id, options)
    pool.envs.close()
    return pool.spec


class GymnasiumEnvPool(PoolMethods, VectorEnv[Array, Array, Array], gymnasium.Env[Array, Array]):  # type: ignore[misc]
    """A pool with the results of Gymnasium; made by `make`.

    As in EnvPool ``observation_space`` and ``action_space`` are those of one environment, and an
    environment that ended is reset by the next step, whatever the action.

    Attributes:
        spec: Options and spaces.
        config: The options as a dict.
        is_vector_env: True.
    """

    is_vector_env = True

    def __init__(self, pool: EnvPool) -> None:
        self._pool = pool
        self.spec = pool.spec  # type: ignore[assignment]
        self.num_envs = len(pool.env_ids)
        self.observation_space = self.single_observation_space = pool.spec.observation_space
        self.action_space = self.single_action_space = pool.spec.action_space
        self.render_mode = pool.envs.render_mode
        self.metadata = {
            "render_modes": ["rgb_array"],
            "autoreset_mode": AutoresetMode.NEXT_STEP,
        }

    def reset(
        self,
        env_id: Array | None = None,
        *,
        seed: int | list[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Any]]:
        """Start episodes: in all environments, or in some of them, whose results are returned.

        Args:
            env_id: Numbers of environments; None: all.
            seed: As of `AtariVectorEnv.reset`; None: the first reset uses those given to `make`.
            options: There are none; options of vectors are errors.

        Raises:
            IndexError: There is no environment with such a number.
            ValueError: `env_id` is empty or has a number twice, or the pool's batches have fewer
                than all environments.
            TypeError: An argument is of the wrong type.
        """
        check_reset_options(options)
        batch = self._pool.reset(env_id, seed)
        return batch.obs, _infos(batch)

    def step(  # type: ignore[override]
        self, action: Any, env_id: Array | None = None
    ) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """`send` and `recv`."""
        return _results(self._pool.step(action, env_id))

    def recv(
        self, reset: bool = False, return_info: bool = True
    ) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Wait for the next results."""
        return _results(self._pool.recv())

    def render(self, env_ids: Any = None, camera_id: int | None = None) -> Any:
        """Screens of some environments, by default ``render_env_id``'s.

        Returns:
            uint8 (environments, 210, 160, 3), or enlarged to ``render_height, render_width``.
        """
        if self.render_mode is None:
            raise error.Error("give make a render_mode='rgb_array'")
        return self._pool.render(env_ids)

    def close_extras(self, **kwargs: Any) -> None:
        """Free nothing, as in EnvPool: a pool that was closed still plays, and goes when unused."""


def _results(batch: PoolBatch) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
    return batch.obs, batch.reward, batch.terminated, batch.truncated, _infos(batch)


def _infos(batch: PoolBatch) -> dict[str, Any]:
    return {
        "env_id": batch.env_id,
        "players": {"env_id": batch.env_id},
        "lives": batch.lives,
        "reward": batch.unclipped,
        "terminated": batch.game_over,
        "ram": batch.ram,
        "elapsed_step": batch.elapsed_step,
    }
