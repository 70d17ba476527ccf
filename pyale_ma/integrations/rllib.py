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
        .callbacks(on_episode_end=rllib.log_games)  # returns before clipping
    )
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from pyale_ma._base.text import shown
from pyale_ma.console.observations import VECTOR_OBSERVATIONS
from pyale_ma.integrations.adapters import missing_library, vector_options
from pyale_ma.integrations.common import (
    Array,
    PlayerRows,
    agent_names,
    check_vector,
)
from pyale_ma.vector import AtariVectorEnv

try:
    from ray.rllib.connectors.env_to_module.observation_preprocessor import (
        SingleAgentObservationPreprocessor,
    )
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
except ImportError as missing:
    cause = missing.__cause__  # what Ray raises for a package of its extras comes of another error
    absent = cause if isinstance(cause, ModuleNotFoundError) else missing
    if not isinstance(absent, ModuleNotFoundError):
        raise
    raise missing_library("rllib", absent) from missing

__all__ = [
    "AtariMultiAgentEnv",
    "AtariVector",
    "ScaleBytes",
    "log_games",
    "scale_bytes",
]


def log_games(
    *,
    episode: Any,
    env_runner: Any,
    metrics_logger: Any,
    prev_episode_chunks: Iterable[Any] = (),
    **kwargs: Any,
) -> None:
    """Log returns before reward clipping: the value of ``on_episode_end`` of ``callbacks``.

    RLlib's own ``episode_return_mean`` sums the rewards that the learner gets, which are clipped
    unless the vector has ``reward_clipping=False``, and with ``life_loss_info`` only those of one
    life.  Beside it, ``env_runners`` in the results gets ``game_return_mean`` and ``game_len_mean``
    of whole games, and with several agents ``agent_game_return_mean`` of each.
    """
    window = env_runner.config.metrics_num_episodes_for_smoothing
    chunks = [*prev_episode_chunks, episode]
    if isinstance(episode, MultiAgentEpisode):
        games = {
            agent: game
            for chunk in chunks
            for agent, part in chunk.agent_episodes.items()
            if len(part) and (game := part.get_infos(-1).get("episode"))
        }
        for agent, game in games.items():
            metrics_logger.log_value(("agent_game_return_mean", agent), game["r"], window=window)
    else:
        game = episode.get_infos(-1).get("episode")
        games = {} if game is None else {"the only agent": game}
    if games:
        total = sum(game["r"] for game in games.values())
        length = max(game["l"] for game in games.values())
        metrics_logger.log_value("game_return_mean", total, window=window)
        metrics_logger.log_value("game_len_mean", length, window=window)


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
    """Observations as RLlib's default networks take them: channels last, the rest in one row."""

    def __init__(self, envs: AtariVectorEnv) -> None:
        self._flat = not VECTOR_OBSERVATIONS[envs.obs_type].is_picture
        rows = PlayerRows(envs).observation_space
        low, high = (self(bound[np.newaxis])[0] for bound in (rows.low, rows.high))
        self.space = spaces.Box(low, high, dtype=rows.dtype)

    def __call__(self, batch: Array) -> Array:
        if self._flat:
            return batch.reshape(len(batch), -1)
        pictures = np.moveaxis(batch, 1, 3)
        return pictures.reshape(*pictures.shape[:3], -1)


class AtariVector(VectorEnv[Array, Array, Array]):
    """An `AtariVectorEnv` as a Gymnasium vector for RLlib, for one agent.

    It needs ``gym_env_vectorize_mode="vector_entry_point"``.

    Pictures are (height, width, stack_num), for RGB (height, width, 3 * stack_num); RAM is
    (128 * stack_num,), and labels likewise.  Infos have ``episode``, the return ``r`` before
    clipping and the length ``l``, where a game ends, and in every step what ``extra_infos`` names;
    nothing else, because RLlib splits infos in every step.

    Args:
        config: Arguments of `AtariVectorEnv`: RLlib's ``env_config``, and ``num_envs``, which RLlib
            adds.

    Attributes:
        envs: The vector.

    Raises:
        TypeError: An argument is not known, or of the wrong type.
        ValueError: Arguments do not fit; the text says which would.

    Examples:
        ```python
        from ray.rllib.algorithms.ppo import PPOConfig

        from pyale_ma.integrations import rllib

        config = (
            PPOConfig()
            .environment(rllib.AtariVector, env_config={"game": "quartet"})
            .env_runners(
                num_envs_per_env_runner=8,
                gym_env_vectorize_mode="vector_entry_point",
                env_to_module_connector=rllib.scale_bytes,
            )
            .callbacks(on_episode_end=rllib.log_games)
        )  # config.build_algo().train() plays and learns

        envs = rllib.AtariVector({"game": "quartet", "num_envs": 8})  # what RLlib makes of it
        observations, infos = envs.reset(seed=1)
        assert observations.shape == (8, 84, 84, 4)
        envs.close()
        ```
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.closed = True  # there is nothing to close yet
        self._extra_infos = [name for name in config.get("extra_infos", ()) if name != "episode"]
        options = vector_options("rllib.AtariVector", config)
        options["extra_infos"] = [*self._extra_infos, "episode"]
        envs = self.envs = AtariVectorEnv(**options)
        self.closed = False
        check_vector(envs, "rllib.AtariVector")
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

    def __repr__(self) -> str:
        return shown(self, self.envs)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Start episodes: `AtariVectorEnv.reset`."""
        observations, infos = self.envs.reset(seed=seed, options=options)
        return self._layout(observations), self._infos(infos)

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Play one action in each environment: `AtariVectorEnv.step`."""
        results = self.envs.step(self._rows.actions(actions))
        observations, rewards, terminations, truncations, infos = results
        rewards, terminations = rewards.reshape(-1), terminations.reshape(-1)
        seen = self._layout(observations)
        return seen, rewards, terminations, truncations, self._infos(infos)

    def _infos(self, infos: dict[str, Any]) -> dict[str, Any]:
        chosen = {name: infos[name] for name in self._extra_infos if name in infos}
        if "unclipped_reward" in chosen:
            chosen["unclipped_reward"] = chosen["unclipped_reward"].reshape(-1)
        if "_episode" in infos:
            episode = {name: array.reshape(-1) for name, array in infos["episode"].items()}
            chosen.update(episode=episode, _episode=infos["_episode"])
        return chosen

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
    `AtariVector`.  One who is out leaves the game.  An agent's last infos have ``episode``: the
    return ``r`` before clipping and the length ``l``.

    Args:
        config: See `AtariVector`; among the arguments is ``num_players``.

    Attributes:
        envs: See `AtariVector`.

    Raises:
        Exception: See `AtariVector`.

    Examples:
        ```python
        from ray.rllib.algorithms.ppo import PPOConfig

        from pyale_ma.integrations import rllib

        duel = {"game": "quartet", "num_players": 2}
        config = (
            PPOConfig()
            .environment(rllib.AtariMultiAgentEnv, env_config=duel)
            .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
            .env_runners(env_to_module_connector=rllib.scale_bytes)
        )  # config.build_algo().train() plays and learns

        env = rllib.AtariMultiAgentEnv(duel)  # what RLlib makes of it
        observations, infos = env.reset(seed=1)
        results = env.step({"first_0": 0, "second_0": 1})
        env.close()
        ```
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        options = vector_options("rllib.AtariMultiAgentEnv", config)
        options["extra_infos"] = {*options.get("extra_infos", ()), "unclipped_reward"}
        envs = AtariVectorEnv(**options)
        check_vector(envs, "rllib.AtariMultiAgentEnv")
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
        self._returns = np.zeros(envs.num_players, np.int64)
        self._length = 0

    def __repr__(self) -> str:
        return shown(self, self.envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        """Start an episode: observations of all agents."""
        observations, _ = self.envs.reset(seed=seed, options=options)
        self.agents = self.possible_agents.copy()
        self._returns[:] = self._length = 0
        return self._seen(observations, self.agents), {}

    def _seen(self, observations: Array, agents: list[str]) -> dict[str, Array]:
        """Return the agents' observations, from the vector's batch of one environment."""
        laid_out = self._layout(self._rows.observations(observations))
        return {agent: laid_out[self.possible_agents.index(agent)] for agent in agents}

    def step(self, action_dict: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play one action of each agent that is still in the game."""
        for player, agent in enumerate(self.possible_agents):
            if agent in self.agents:
                self._actions[0, player] = action_dict[agent]
        observations, rewards, terminations, truncations, infos = self.envs.step(self._actions)
        self._returns += infos["unclipped_reward"][0]
        self._length += 1
        playing = self.agents
        out = dict(zip(self.possible_agents, terminations[0].tolist(), strict=True))
        earned = dict(zip(self.possible_agents, rewards[0].tolist(), strict=True))
        cut_short = bool(truncations[0])
        self.agents = [] if cut_short else [agent for agent in playing if not out[agent]]
        returns = dict(zip(self.possible_agents, self._returns.tolist(), strict=True))
        return (
            self._seen(observations, playing),
            {agent: earned[agent] for agent in playing},
            {**{agent: out[agent] for agent in playing}, "__all__": all(out.values())},
            {**{agent: cut_short and not out[agent] for agent in playing}, "__all__": cut_short},
            {
                agent: {"episode": {"r": returns[agent], "l": self._length}}
                for agent in playing
                if agent not in self.agents
            },
        )

    def close(self) -> None:
        """Close the vector."""
        self.envs.close()
