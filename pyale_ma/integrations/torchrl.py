"""TorchRL: the native vector as a batched `EnvBase`.

::

    from pyale_ma.integrations.torchrl import make_env
    from torchrl.collectors import Collector

    env = make_env("breakout", 64)
    collector = Collector(env, policy, frames_per_batch=64 * 128, total_frames=10_000_000)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyale_ma._base.arguments import known_names
from pyale_ma._base.text import shown
from pyale_ma._native import AUDIO_SIZE, RAM_SIZE
from pyale_ma.integrations.adapters import missing_library, vector_options
from pyale_ma.integrations.common import agent_names, check_vector
from pyale_ma.vector import AtariVectorEnv

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
    from torchrl.envs.utils import MarlGroupMapType, check_marl_grouping
except ModuleNotFoundError as missing:
    raise missing_library("torchrl", missing) from missing

__all__ = ["AtariEnv", "make_env"]

_ENDS = ("done", "terminated", "truncated")


@known_names
def make_env(
    game: str, num_envs: int, *, device: Any = "cpu", group_map: Any = None, **kwargs: Any
) -> AtariEnv:
    """Make a vector for TorchRL, which resets environments itself, with returns of episodes.

    Args:
        game: The game's name, such as "ms_pacman".
        num_envs: Number of environments.
        device: See `AtariEnv`.
        group_map: See `AtariEnv`.
        **kwargs: Further arguments of `AtariVectorEnv`; ``extra_infos`` is ``["episode"]`` unless
            given.

    Examples:
        ```python
        from pyale_ma.integrations.torchrl import make_env

        envs = make_env("quartet", 8)
        played = envs.rollout(10)  # a TensorDict
        ```
    """
    envs = AtariVectorEnv(game, num_envs, **vector_options("torchrl.AtariEnv", kwargs))
    return AtariEnv(envs, device=device, group_map=group_map)


class AtariEnv(EnvBase):
    """An `AtariVectorEnv` as TorchRL's `EnvBase`, with a batch size of ``[num_envs]``.

    One player: "observation" (uint8; labels: int32), "action" (int64 ``[num_envs]``; continuous:
    float32), "reward" (float32) and "done", "terminated", "truncated", ``[num_envs, 1]``, at the
    root.

    Several players, as in TorchRL's `PettingZooWrapper`: agents "first_0", "second_0", ... in
    groups, by default one per group ("first", "second", ...).  Each group is a tensordict of batch
    size ``[num_envs, agents]`` with its own observation, action, reward and ends; the ends at the
    root are those of the games.  An agent that is out stays done until the game is over.

    Infos are entries, too, of each player in the groups and of each environment at the root:

    * "lives": int32 ``[..., 1]`` of each player.
    * With ``extra_infos=["episode"]``, as of `make_env`, where a game ends and elsewhere 0:
      "episode_return", float32 ``[..., 1]`` of each player, before clipping; "episode_length",
      int64 ``[num_envs, 1]``.
    * With "unclipped_reward": a second reward of that name, which `RewardSum` sums.
    * With "ram" and "sound": uint8 ``[num_envs, 128]`` and ``[num_envs, 512]``.
    * With "labels": int32 ``[num_envs, number of labels]``.

    Environments that ended are reset by TorchRL (`step_and_maybe_reset`, collectors), each alone.

    Args:
        envs: The vector, made with ``autoreset_mode="Disabled"``.
        device: Where tensors are put.
        group_map: A `MarlGroupMapType`, or names of agents by group; None: one agent per group.

    Attributes:
        envs: The vector.
        agents: Their names, if the vector was made with `num_players`.
        group_map: Names of agents by group, likewise.

    Raises:
        TypeError: `envs` is not an `AtariVectorEnv`.
        ValueError: It was made with unsuitable arguments; the text says which to use.
    """

    def __init__(
        self,
        envs: AtariVectorEnv,
        *,
        device: Any = "cpu",
        group_map: MarlGroupMapType | Mapping[str, list[str]] | None = None,
    ) -> None:
        check_vector(envs, "torchrl.AtariEnv")
        super().__init__(device=torch.device(device), batch_size=[envs.num_envs])
        self.envs = envs
        self._apart = envs.agent_indicator or envs.mirror  # each player has its own observation
        self._adapter = envs.torch(device)
        self._next_seed: int | None = None
        self.agents: list[str] = [] if envs.num_players is None else agent_names(envs.num_players)
        self.group_map = _group_map(group_map, self.agents)
        self._places = {  # of each group's agents among the players
            group: torch.tensor([self.agents.index(agent) for agent in agents], device=self.device)
            for group, agents in self.group_map.items()
        }
        self._make_specs()

    def __repr__(self) -> str:
        return shown(self, self.envs, device=str(self.device))

    def _make_specs(self) -> None:
        shape: tuple[int, ...] = tuple(self.batch_size)
        infos = self._infos_of_envs(shape)
        if self.envs.num_players is None:
            self.observation_spec = Composite(self._observation(shape) | infos, shape=shape)
            self.action_spec = self._action(shape)
            self.reward_spec = Composite(self._rewards(shape), shape=shape)
            self.done_spec = Composite(self._ends(shape), shape=shape)
            return
        observations, actions, rewards = infos, {}, {}
        ends = self._ends(shape)
        for group, agents in self.group_map.items():
            size = (*shape, len(agents))
            observations[group] = Composite(self._observation(size), shape=size)
            actions[group] = Composite({"action": self._action(size)}, shape=size)
            rewards[group] = Composite(self._rewards(size), shape=size)
            ends[group] = Composite(self._ends(size), shape=size)
        self.observation_spec = Composite(observations, shape=shape)
        self.action_spec = Composite(actions, shape=shape)
        self.reward_spec = Composite(rewards, shape=shape)
        self.done_spec = Composite(ends, shape=shape)

    def _observation(self, shape: Any) -> dict[str, Any]:
        space: Any = self.envs.single_observation_space
        low, high = (bound[0] if self._apart else bound for bound in (space.low, space.high))
        size = (*shape, *low.shape)
        bounds: Any = (0, 255)
        if self.envs.obs_type == "labels":
            bounds = (torch.from_numpy(b).to(self.device).expand(size) for b in (low, high))
        dtype = torch.int32 if self.envs.obs_type == "labels" else torch.uint8
        specs = {
            "observation": Bounded(*bounds, size, self.device, dtype),
            "lives": Unbounded((*shape, 1), self.device, torch.int32),
        }
        if "episode" in self.envs.extra_infos:
            specs["episode_return"] = Unbounded((*shape, 1), self.device)
        return specs

    def _infos_of_envs(self, shape: Any) -> dict[str, Any]:
        specs: dict[str, Any] = {
            name: Bounded(0, 255, (*shape, size), self.device, torch.uint8)
            for name, size in (("ram", RAM_SIZE), ("sound", AUDIO_SIZE))
            if name in self.envs.extra_infos
        }
        if "labels" in self.envs.extra_infos:
            size = (*shape, len(self.envs.label_names))
            specs["labels"] = Unbounded(size, self.device, torch.int32)
        if "episode" in self.envs.extra_infos:
            specs["episode_length"] = Unbounded((*shape, 1), self.device, torch.int64)
        return specs

    def _rewards(self, shape: Any) -> dict[str, Any]:
        names = ["reward"]
        if "unclipped_reward" in self.envs.extra_infos:
            names.append("unclipped_reward")
        return {name: Unbounded((*shape, 1), self.device) for name in names}

    def _action(self, shape: Any) -> Any:
        if not self.envs.continuous:
            return Categorical(self.envs.num_actions[0], shape, self.device, torch.int64)
        size = (*shape, 3)
        space: Any = self.envs.single_action_space
        low, high = (
            torch.tensor(bound.reshape(-1, 3)[0], device=self.device).expand(size)
            for bound in (space.low, space.high)
        )
        return Bounded(low, high, size, self.device, torch.float32)

    def _ends(self, shape: Any) -> dict[str, Any]:
        return {name: Categorical(2, (*shape, 1), self.device, torch.bool) for name in _ENDS}

    # ---- Episodes --------------------------------------------------------------------------------

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        options = {}
        mask = None if tensordict is None else tensordict.get("_reset", None)
        if mask is not None:
            options["reset_mask"] = mask.reshape(-1)
        observations, infos = self._adapter.reset(seed=self._next_seed, options=options)
        self._next_seed = None  # not before, as a reset may fail
        if "episode" in self.envs.extra_infos:
            none, no_steps = torch.zeros_like(infos["lives"]), torch.zeros_like(infos["env_id"])
            infos["episode"] = {"r": none, "l": no_steps}
        nobody = torch.zeros(self.batch_size, dtype=torch.bool, device=self.device)
        return self._result(observations, nobody, nobody, infos)

    def _reset_proc_data(
        self, tensordict: TensorDictBase | None, tensordict_reset: TensorDictBase
    ) -> TensorDictBase:
        """Do as `EnvBase` does, except for observations: those of `_reset` are of all environments.

        It would choose between the old and the new pixel by pixel, which takes longer than a reset.
        """
        if tensordict is None:
            return super()._reset_proc_data(None, tensordict_reset)
        keys = self.observation_keys
        observations = [tensordict_reset.get(key) for key in keys]
        tensordict.exclude(*keys, inplace=True)
        tensordict_reset.exclude(*keys, inplace=True)
        result = super()._reset_proc_data(tensordict, tensordict_reset)
        for key, seen in zip(keys, observations, strict=True):
            result.set(key, seen)
        return result

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        if not self.agents:
            actions = tensordict["action"]
        else:
            shape = self.envs.action_space.shape
            dtype = torch.float32 if self.envs.continuous else torch.int64
            actions = torch.empty(shape, dtype=dtype, device=self.device)
            for group, places in self._places.items():
                actions[:, places] = tensordict[group, "action"]
        observations, rewards, terminations, truncations, infos = self._adapter.step(actions)
        return self._result(observations, terminations, truncations, infos, rewards)

    def _result(
        self,
        observations: Any,
        terminations: Any,
        truncations: Any,
        infos: dict[str, Any],
        rewards: Any = None,
    ) -> TensorDictBase:
        """Return observations and flags as a tensordict; after a step with rewards."""
        numbers = {"lives": infos["lives"]}  # of each player
        if "episode" in infos:
            numbers["episode_return"] = infos["episode"]["r"].float()
        if rewards is not None:
            numbers["reward"] = rewards.float()
            if "unclipped_reward" in infos:
                numbers["unclipped_reward"] = infos["unclipped_reward"].float()
        content: dict[str, Any] = {
            name: infos[name] for name in ("ram", "sound", "labels") if name in infos
        }
        if "episode" in infos:
            content["episode_length"] = infos["episode"]["l"].long().unsqueeze(-1)
        if not self.agents:
            content |= {"observation": observations, **_ends(terminations, truncations)}
            content |= {name: each.unsqueeze(-1) for name, each in numbers.items()}
            return TensorDict(content, self.batch_size, device=self.device)
        if terminations.ndim == 1:
            terminations = terminations.unsqueeze(-1).expand(-1, len(self.agents))
        content |= _ends(terminations.all(dim=1), truncations)
        for group, places in self._places.items():
            size = (*self.batch_size, len(places))
            if self._apart:
                seen = observations[:, places]
            else:
                seen = observations.unsqueeze(1).expand(*size, *observations.shape[1:])
            members = {"observation": seen}
            members |= _ends(terminations[:, places], truncations.unsqueeze(-1).expand(size))
            members |= {name: each[:, places].unsqueeze(-1) for name, each in numbers.items()}
            content[group] = TensorDict(members, size, device=self.device)
        return TensorDict(content, self.batch_size, device=self.device)

    def _set_seed(self, seed: int | None) -> None:
        """Seed the next reset: environment i with ``seed + i``."""
        self._next_seed = seed

    def close(self, **kwargs: Any) -> None:
        """Close the vector."""
        super().close(**kwargs)
        self.envs.close()


def _ends(terminations: Any, truncations: Any) -> dict[str, Any]:
    return {
        "done": (terminations | truncations).unsqueeze(-1),
        "terminated": terminations.unsqueeze(-1),
        "truncated": truncations.unsqueeze(-1),
    }


def _group_map(groups: Any, agents: list[str]) -> dict[str, list[str]]:
    if groups is None:
        return {agent.split("_")[0]: [agent] for agent in agents}
    if isinstance(groups, MarlGroupMapType):
        groups = groups.get_group_map(agents)
    check_marl_grouping(groups, agents)
    return dict(groups)
