"""PufferLib: the native vector as a `PufferEnv`.

::

    from pyale_ma.integrations.puffer import make_env

    env = make_env("breakout", 64)
    observations, _ = env.reset(seed=0)
    observations, rewards, terminals, truncations, infos = env.step(env.action_space.sample())
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyale_ma._base.arguments import integer, known_names
from pyale_ma._base.text import shown
from pyale_ma.integrations.adapters import missing_library, vector_options
from pyale_ma.integrations.common import Array, PlayerRows, check_vector
from pyale_ma.vector import AtariVectorEnv

try:
    from pufferlib import PufferEnv
except ModuleNotFoundError as missing:
    raise missing_library("puffer", missing) from missing

__all__ = ["AtariPufferEnv", "make_env"]


@known_names
def make_env(
    game: str,
    num_envs: int,
    *,
    agent_indicator: bool = False,
    buf: Any = None,
    seed: int | None = 0,
    **kwargs: Any,
) -> AtariPufferEnv:
    """Make a vector for PufferLib, with "SameStep" resets and the returns of episodes in the infos.

    This is what ``pufferlib.vector.make`` takes, with ``env_args=["breakout", 64]``.

    Args:
        game: The game's name, such as "ms_pacman".
        num_envs: Number of environments.
        agent_indicator: See `AtariPufferEnv`.
        buf: See `AtariPufferEnv`.
        seed: See `AtariPufferEnv`.
        **kwargs: Further arguments of `AtariVectorEnv`.

    Raises:
        TypeError: An argument is not known, or of the wrong type.
        ValueError: An argument does not fit; the text says which would.

    Examples:
        ```python
        import pufferlib.vector

        from pyale_ma.integrations.puffer import make_env

        env = pufferlib.vector.make(make_env, env_args=["quartet", 8])
        observations, infos = env.reset(seed=0)
        actions = env.action_space.sample()
        observations, rewards, terminals, truncations, infos = env.step(actions)
        env.close()
        ```
    """
    envs = AtariVectorEnv(game, num_envs, **vector_options("puffer.AtariPufferEnv", kwargs))
    return AtariPufferEnv(envs, agent_indicator=agent_indicator, buf=buf, seed=seed)


class AtariPufferEnv(PufferEnv):
    """An `AtariVectorEnv` as PufferLib's `PufferEnv`, which steps many agents at once.

    One player: agent i plays environment i.  Several players: agent ``i * num_players + p`` is
    player p of environment i.  One who is out gets a terminal, and has a mask of False and rewards
    of 0 from the next step on until the game is over.

    Observations are those of the vector.  Infos are a list, with a dict for each agent whose
    episode ended in this step: ``episode_return`` before clipping, and ``episode_length``.

    Args:
        envs: The vector, made with ``autoreset_mode="SameStep"``.
        agent_indicator: Add a plane for each player to the stack, 255 in the plane of the agent's
            player and 0 in the others, so that one network can play all of them.
        buf: PufferLib's dict of arrays for results, in the shapes that `step` returns; None: arrays
            of its own.
        seed: Of a first reset without a seed; None: none.

    Attributes:
        envs: The vector.

    Raises:
        TypeError: `envs` is not an `AtariVectorEnv`, or `seed` not an integer.
        ValueError: The vector was made with unsuitable arguments, and the text says which to use;
            or `seed` is out of range, or an array in `buf` of another shape.

    Examples:
        ```python
        from pyale_ma.integrations.puffer import AtariPufferEnv
        from pyale_ma.vector import AtariVectorEnv

        envs = AtariVectorEnv("quartet", 8, num_players=2, autoreset_mode="SameStep")
        env = AtariPufferEnv(envs, agent_indicator=True)
        observations, _ = env.reset(seed=0)
        assert len(observations) == env.num_agents == 16
        env.close()
        ```
    """

    def __init__(
        self,
        envs: AtariVectorEnv,
        *,
        agent_indicator: bool = False,
        buf: Any = None,
        seed: int | None = 0,
    ) -> None:
        check_vector(envs, "puffer.AtariPufferEnv")
        self.envs = envs
        self._rows = PlayerRows(envs, agent_indicator=agent_indicator)
        self._first = self._seed_of_first(seed)
        self._out = np.zeros((envs.num_envs, self._rows.players), np.bool_)
        self.single_observation_space = self._rows.observation_space
        self.single_action_space = self._rows.action_space
        self.num_agents = self._rows.count
        self.render_mode = envs.render_mode
        super().__init__(buf)
        for name in ("observations", "rewards", "terminals", "truncations", "masks"):
            each = self.single_observation_space.shape if name == "observations" else ()
            shape = (self.num_agents, *each)
            if getattr(self, name).shape != shape:
                raise ValueError(
                    f"buf[{name!r}] must have shape {shape}, not {getattr(self, name).shape}"
                )

    def __repr__(self) -> str:
        return shown(self, self.envs)

    def _seed_of_first(self, seed: Any) -> int | None:
        """Return the vector's seed for the seed of its first environment."""
        if seed is None:
            return None
        count = self.envs.num_envs
        return integer("seed", seed, 0, 2**32 // count - 1) * count

    def reset(self, seed: int | None = None) -> tuple[Array, list[dict[str, Any]]]:
        """Start episodes.

        Args:
            seed: Environment i gets ``seed * num_envs + i``, which has 32 bits, so that vectors
                with different seeds share none.  (PufferLib's Multiprocessing gives equal seeds to
                some vectors where it has several in a worker.)  None: go on with the random
                numbers of before.

        Returns:
            Observations, uint8 (num_agents, *single_observation_space.shape), and an empty list.
            The array is written again by the next step.

        Raises:
            TypeError: `seed` is not an integer.
            ValueError: `seed` is out of range.
            ClosedEnvironmentError: The vector is closed.
        """
        first = self._first if seed is None else self._seed_of_first(seed)
        observations, _ = self.envs.reset(seed=first)
        self._first = None
        self._out[:] = False
        self._put(observations, 0, False, False, True)
        return self.observations, []

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, list[dict[str, Any]]]:
        """Play one action of each agent; the arrays are written again by the next step.

        Args:
            actions: Integers (num_agents,); for continuous actions floats
                (num_agents, *single_action_space.shape).

        Returns:
            Observations, uint8 (num_agents, *single_observation_space.shape); rewards, float32;
            terminals and truncations, bool, all (num_agents,); and the infos.

        Raises:
            IndexError: There is no such action.
            ValueError: Actions are of the wrong shape.
            TypeError: They are of the wrong type.
            RuntimeError: There was no reset yet.
            ClosedEnvironmentError: The vector is closed.
        """
        chosen = self._rows.actions(actions)
        observations, rewards, out, truncations, infos = self.envs.step(chosen)
        out = out.reshape(self._out.shape)
        cut_short = truncations[:, None] & ~out
        over = out.all(axis=1, keepdims=True) | truncations[:, None]
        waiting = self._out & ~over
        self._put(observations, rewards, out & ~self._out, cut_short, ~waiting)
        self._out = out & ~over
        return (
            self.observations,
            self.rewards,
            self.terminals,
            self.truncations,
            self._episodes(infos),
        )

    def _put(
        self, observations: Array, rewards: Any, terminals: Any, truncations: Any, masks: Any
    ) -> None:
        """Write results into PufferLib's arrays."""
        self.observations[:] = self._rows.observations(observations)
        for array, values in (
            (self.rewards, rewards),
            (self.terminals, terminals),
            (self.truncations, truncations),
            (self.masks, masks),
        ):
            array[:] = np.reshape(values, -1)

    def _episodes(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        if "episode" not in infos:
            return []
        spread = self._rows.spread
        returns, lengths = (spread(infos["episode"][name]) for name in ("r", "l"))
        return [
            {"episode_return": float(returns[row]), "episode_length": int(lengths[row])}
            for row in np.flatnonzero(spread(infos["_episode"]))
        ]

    def render(self) -> Array:
        """The first environment's screen, uint8 (height, width, 3).

        Raises:
            gymnasium.error.Error: The vector was made without ``render_mode="rgb_array"``.
            ClosedEnvironmentError: It is closed.
        """
        return self.envs.render()[0]

    def close(self) -> None:
        """Close the vector."""
        self.envs.close()
