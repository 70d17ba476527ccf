"""RLlib (its new API stack): the native vector for one agent, and for several.

::

    from pyale_ma.integrations import rllib

    config = (
        PPOConfig()
        .environment(rllib.AtariVector, env_config={"game": "breakout"})
        .env_runners(
            num_envs_per_env_runner=64,
            gym_env_vectorize_mode="vector_entry_point",
            env_to_module_connector=rllib.scale_bytes,
        )
    )
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import error, spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from pyale_ma.integrations.common import (
    Array,
    PlayerRows,
    agent_names,
    check_vector,
    required_copies,
)
from pyale_ma.vector import AtariVectorEnv

try:
    from ray.rllib.connectors.env_to_module.observation_preprocessor import (
        SingleAgentObservationPreprocessor,
    )
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ModuleNotFoundError as missing:
    raise error.DependencyNotInstalled(
        f"{missing.name} is missing; run `pip install 'ray[rllib]'`"
    ) from missing

__all__ = [
    "AtariMultiAgentEnv",
    "AtariVector",
    "ScaleBytes",
    "scale_bytes",
]


def scale_bytes(env: Any, *arguments: Any, **kwargs: Any) -> ScaleBytes:
    """Make a `ScaleBytes`: the value of ``env_to_module_connector``."""
    return ScaleBytes()


class ScaleBytes(SingleAgentObservationPreprocessor):
    """A connector from bytes, 0 to 255, to float32, 0 to 1; for one agent or several.

    It accepts the uint8 observations of any environment, pictures and RAM.
    """

    def recompute_output_observation_space(
        self, input_observation_space: Any, input_action_space: Any
    ) -> Any:
        """The space with boxes of bytes scaled."""
        return _scaled(input_observation_space)

    def preprocess(self, observation: Array, episode: Any) -> Array:
        """Scale one observation."""
        scaled: Array = np.multiply(observation, 1 / 255, dtype=np.float32)
        return scaled


def _scaled(space: spaces.Space[Any]) -> spaces.Space[Any]:
    if isinstance(space, spaces.Dict):
        return spaces.Dict({name: _scaled(part) for name, part in space.items()})
    if isinstance(space, spaces.Box) and space.dtype == np.uint8:
        return spaces.Box(0, 1, space.shape, np.float32)
    raise ValueError(f"scale_bytes takes observations of uint8, not {space}")


class _Layout:
    """Observations as RLlib's default networks take them: channels last, memory in one row."""

    def __init__(self, envs: AtariVectorEnv) -> None:
        self._flat = envs.obs_type == "ram"
        shape = PlayerRows(envs).observation_space.shape
        example = self(np.broadcast_to(np.uint8(0), (1, *shape)))
        self.space = spaces.Box(0, 255, example.shape[1:], np.uint8)

    def __call__(self, batch: Array) -> Array:
        if self._flat:
            return batch.reshape(len(batch), -1)
        pictures = np.moveaxis(batch, 1, 3)
        return pictures.reshape(*pictures.shape[:3], -1)


class AtariVector(VectorEnv[Array, Array, Array]):
    """An `AtariVectorEnv` as a Gymnasium vector for RLlib, for one agent.

    It needs ``gym_env_vectorize_mode="vector_entry_point"``.

    Pictures are (height, width, stack_num), for RGB (height, width, 3 * stack_num); RAM is
    (128 * stack_num,).  Infos are empty, because RLlib would split them in every step.

    Args:
        config: Arguments of `AtariVectorEnv`: RLlib's ``env_config``, and ``num_envs``, which RLlib
            adds.

    Attributes:
        envs: The vector.

    Raises:
        TypeError: An argument is not known, or of the wrong type.
        ValueError: Arguments do not fit; the text says which would.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.closed = True  # there is nothing to close yet
        envs = self.envs = AtariVectorEnv(**config)
        self.closed = False
        check_vector(envs, "AtariVector", autoreset=AutoresetMode.NEXT_STEP, several_players=False)
        required_copies(envs, "RLlib")
        self.metadata = envs.metadata
        self.render_mode = envs.render_mode
        self.num_envs = envs.num_envs
        self._layout = _Layout(envs)
        rows = PlayerRows(envs)
        self.single_observation_space = self._layout.space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.single_action_space = rows.action_space
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._rows = rows

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Start episodes: `AtariVectorEnv.reset`."""
        observations, _ = self.envs.reset(seed=seed, options=options)
        return self._layout(observations), {}

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Play one action in each environment: `AtariVectorEnv.step`."""
        results = self.envs.step(self._rows.actions(actions))
        observations, rewards, terminations, truncations, _ = results
        rewards, terminations = rewards.reshape(-1), terminations.reshape(-1)
        return self._layout(observations), rewards, terminations, truncations, {}

    def render(self) -> Any:
        """The screens: `AtariVectorEnv.render`."""
        return self.envs.render()

    def close_extras(self, **kwargs: Any) -> None:
        """Close the vector."""
        self.envs.close()


class AtariMultiAgentEnv(MultiAgentEnv):
    """A vector of one environment with several players as RLlib's `MultiAgentEnv`.

    Agents are "first_0", "second_0" and so on, as in PettingZoo; all see one screen, unless the
    vector has ``agent_indicator`` or ``mirror``, preprocessed as in every vector and laid out as by
    `AtariVector`.  One who is out leaves the game.

    Args:
        config: Arguments of `AtariVectorEnv`, among them ``num_players``: RLlib's ``env_config``.

    Attributes:
        envs: The vector.

    Raises:
        TypeError: An argument is not known, or of the wrong type.
        ValueError: Arguments do not fit; the text says which would.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        options = {"autoreset_mode": AutoresetMode.DISABLED, "num_threads": 1, **config}
        envs = AtariVectorEnv(**options)
        check_vector(envs, "AtariMultiAgentEnv", autoreset=AutoresetMode.DISABLED, own_views=True)
        required_copies(envs, "RLlib")
        if envs.num_envs > 1 or envs.num_players is None:
            raise ValueError(
                f"AtariMultiAgentEnv plays one game for several, not {envs.num_envs} with "
                f"num_players={envs.num_players}: leave num_envs out (RLlib's "
                "num_envs_per_env_runner makes several), and give num_players"
            )
        self.envs = envs
        self._layout = _Layout(envs)
        self.possible_agents = agent_names(envs.num_players)
        self.agents = self.possible_agents.copy()
        self._rows = PlayerRows(envs)
        action_space = self._rows.action_space
        observation_space: spaces.Space[Any] = self._layout.space
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation_space)
        self.action_spaces = dict.fromkeys(self.possible_agents, action_space)
        self.observation_space = spaces.Dict(self.observation_spaces)
        self.action_space = spaces.Dict(self.action_spaces)
        self._actions = np.zeros(envs.action_space.shape or (), envs.action_space.dtype)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        """Start an episode: observations of all agents."""
        observations, _ = self.envs.reset(seed=seed, options=options)
        self.agents = self.possible_agents.copy()
        return self._seen(observations, self.agents), {}

    def _seen(self, observations: Array, agents: list[str]) -> dict[str, Array]:
        """What agents see, from the vector's batch of one environment."""
        laid_out = self._layout(self._rows.observations(observations))
        return {agent: laid_out[self.possible_agents.index(agent)] for agent in agents}

    def step(self, action_dict: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play one action of each agent that is still in the game."""
        for player, agent in enumerate(self.possible_agents):
            if agent in self.agents:
                self._actions[0, player] = action_dict[agent]
        observations, rewards, terminations, truncations, _ = self.envs.step(self._actions)
        playing = self.agents
        out = dict(zip(self.possible_agents, terminations[0].tolist(), strict=True))
        earned = dict(zip(self.possible_agents, rewards[0].tolist(), strict=True))
        cut_short = bool(truncations[0])
        self.agents = [] if cut_short else [agent for agent in playing if not out[agent]]
        return (
            self._seen(observations, playing),
            {agent: earned[agent] for agent in playing},
            {**{agent: out[agent] for agent in playing}, "__all__": all(out.values())},
            {**{agent: cut_short and not out[agent] for agent in playing}, "__all__": cut_short},
            {},
        )

    def close(self) -> None:
        """Close the vector."""
        self.envs.close()
