"""BenchMARL: games for several players as tasks, on the native vector.

::

    from benchmarl.algorithms import MappoConfig
    from benchmarl.experiment import Experiment, ExperimentConfig
    from benchmarl.models.mlp import MlpConfig
    from pyale_ma.integrations.benchmarl import make_task

    experiment = Experiment(
        task=make_task("quartet", num_players=4),
        algorithm_config=MappoConfig.get_from_yaml(),
        model_config=MlpConfig.get_from_yaml(),
        seed=0,
        config=ExperimentConfig.get_from_yaml(),
    )
    experiment.run()
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gymnasium import error

from pyale_ma import _native
from pyale_ma._native import Rules
from pyale_ma.games import cards
from pyale_ma.games.environments import ENVIRONMENTS, Environment
from pyale_ma.integrations.adapters import LIBRARIES, missing_library
from pyale_ma.integrations.torchrl import make_env

try:
    import torch
    from benchmarl.environments.common import Task, TaskClass
    from torchrl.data import Composite
    from torchrl.envs import MarlGroupMapType, RewardSum, UnaryTransform
except ModuleNotFoundError as missing:
    raise missing_library("benchmarl", missing) from missing
except ImportError as problem:  # BenchMARL 1.5 uses names that TorchRL 0.12 dropped
    raise error.DependencyNotInstalled(
        f"BenchMARL does not run with the TorchRL that is installed ({problem}); "
        f"run `{LIBRARIES['benchmarl'].install}`, which installs one that fits"
    ) from problem

__all__ = ["AtariClass", "AtariTask", "make_task"]

_DEFAULTS: dict[str, Any] = {
    "num_players": 2,
    "max_steps": 1000,
    "frameskip": 4,
    "obs_type": "ram",
    "stack_num": 1,
    # All players see one screen: a network that plays for several must know for whom.
    "agent_indicator": True,
    "group_map": None,
    "extra_infos": ("episode",),
}
# Arguments of the vector that are not the task's, and where they come from.
_NOT_OURS = {
    "num_envs": "BenchMARL's ExperimentConfig says how many there are",
    "batch_size": "all environments are stepped at once",
    "autoreset_mode": "TorchRL resets environments itself",
    "copy": "BenchMARL keeps observations",
    "games": "a task is one game",
    "max_num_frames_per_episode": "max_steps ends episodes",
}


def make_task(game: str | os.PathLike[str], **config: Any) -> AtariClass:
    """Make a task.

    Args:
        game: The game's name, such as "pong", or the path of a card.
        **config: See `AtariClass`.

    Raises:
        ValueError: There is no such game, or the configuration does not fit.

    Examples:
        ```python
        from benchmarl.algorithms import MappoConfig
        from benchmarl.experiment import Experiment, ExperimentConfig
        from benchmarl.models.mlp import MlpConfig

        from pyale_ma.integrations.benchmarl import make_task

        config = ExperimentConfig.get_from_yaml()
        config.loggers = []  # by default, CSV files and Weights & Biases
        experiment = Experiment(
            task=make_task("quartet", num_players=4),
            algorithm_config=MappoConfig.get_from_yaml(),
            model_config=MlpConfig.get_from_yaml(),
            seed=0,
            config=config,
        )  # experiment.run() plays and learns
        experiment.close()
        ```
    """
    name = Path(game).stem if cards.is_card(game) else str(game)
    return AtariClass(name.upper(), {"game": os.fspath(game), **config})


class AtariClass(TaskClass):
    """A game for several players as BenchMARL's task.

    Agents are "first_0", "second_0" and so on, by default all in one group, "agents".  One who is
    out stays done until the game is over.

    Observations are float32, 0 to 1, laid out as BenchMARL's models want them: memory in one row,
    ``(agents, (stack_num + num_players) * 128)``, for the MLP; pictures ``(agents, height, width,
    channels)`` for the CNN.  With memory, the state for centralised critics and for QMIX's mixer is
    the RAM, float32 ``(128,)``.

    Args:
        name: The task's name, in upper case.
        config: Arguments of `AtariVectorEnv`, with these defaults: ``num_players=2``,
            ``obs_type="ram"``, ``stack_num=1``, ``agent_indicator=True``, ``frameskip=4``; and

            * ``game``: the game's name, or the path of a card; by default the task's name in lower
              case.
            * ``max_steps`` (1000): steps after which an episode is truncated; also of evaluations.
            * ``group_map`` (None): names of agents by group, or a `MarlGroupMapType`; None: all in
              one.

    Raises:
        ValueError: An argument does not fit; the text says which, and why.

    Examples:
        ```python
        from pyale_ma.integrations.benchmarl import AtariClass, AtariTask

        task = AtariClass("QUARTET", {"num_players": 4, "max_steps": 200})
        same = AtariTask.QUARTET.get_task({"num_players": 4, "max_steps": 200})
        assert task.config == same.config
        ```
    """

    def __init__(self, name: str, config: Mapping[str, Any] | None) -> None:
        super().__init__(name, dict(config or {}))
        game = self.config.get("game", name.lower())
        self._card = cards.load_card(game) if cards.is_card(game) else None  # read once
        self._options()  # what is wrong is said here, not in the experiment

    def _options(self) -> dict[str, Any]:
        """The configuration with defaults."""
        for argument, why in _NOT_OURS.items():
            if argument in self.config:
                raise ValueError(
                    f"config has {argument}={self.config[argument]!r}; leave it out: {why}"
                )
        options = {"game": self.name.lower(), **_DEFAULTS, **self.config}
        if self._card is not None:
            options["game"] = self._card
        if "num_players" not in self.config:
            environment = ENVIRONMENTS.get(str(options["game"]), Environment(""))
            options["num_players"] = next(iter(environment.modes))
        for argument, allowed in (("num_players", range(1, 5)), ("max_steps", range(1, 2**31))):
            if options[argument] not in allowed:
                raise ValueError(
                    f"{argument} is {options[argument]!r}; it must be {allowed[0]} to {allowed[-1]}"
                )
        if options["obs_type"] == "labels":
            raise ValueError(
                "obs_type is 'labels', which cannot be scaled as bytes are; take 'ram' or pictures"
            )
        return options

    def get_env_fun(
        self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any
    ) -> Callable[[], Any]:
        """A function that makes a vector of environments, as TorchRL's `EnvBase`."""
        options = self._options()
        steps = options.pop("max_steps")
        if options["group_map"] is None:
            options["group_map"] = MarlGroupMapType.ALL_IN_ONE_GROUP
        options |= {
            "num_envs": num_envs,
            "continuous": continuous_actions,
            "device": device,
            "extra_infos": sorted({*options["extra_infos"], "ram", "episode"}),
            "max_num_frames_per_episode": steps * options["frameskip"],
        }
        return functools.partial(_make, seed, options)

    def supports_continuous_actions(self) -> bool:
        """Whether the configuration has ``continuous=True``."""
        return bool(self.config.get("continuous", False))

    def supports_discrete_actions(self) -> bool:
        """Whether it has not."""
        return not self.supports_continuous_actions()

    def max_steps(self, env: Any) -> int:
        """Steps of an evaluation."""
        return int(self._options()["max_steps"])

    def has_render(self, env: Any) -> bool:
        """Whether the configuration has ``render_mode="rgb_array"``."""
        return bool(self.config.get("render_mode") == "rgb_array")

    @staticmethod
    def render_callback(experiment: Any, env: Any, data: Any) -> Any:
        """The first environment's screen, uint8 (height, 160, 3)."""
        return env.base_env.envs.render()[0]

    def group_map(self, env: Any) -> dict[str, list[str]]:
        """Names of agents by group."""
        return dict(env.group_map)

    def observation_spec(self, env: Any) -> Any:
        """Of each group, "observation"."""
        spec = env.full_observation_spec_unbatched
        groups = {}
        for group in self.group_map(env):
            observation = {"observation": spec[group, "observation"].clone()}
            groups[group] = Composite(observation, shape=spec[group].shape)
        return Composite(groups)

    def action_spec(self, env: Any) -> Any:
        """Of each group, "action"."""
        return env.full_action_spec_unbatched

    def state_spec(self, env: Any) -> Any:
        """The RAM as "state"; None with pictures, of which critics see those of all agents."""
        if not self._sees_ram():
            return None
        return Composite({"state": env.full_observation_spec_unbatched["state"].clone()})

    def info_spec(self, env: Any) -> Any:
        """There is none."""
        return None

    def action_mask_spec(self, env: Any) -> Any:
        """There is none: all agents have all actions."""
        return None

    @staticmethod
    def env_name() -> str:
        """Of all tasks."""
        return "pyale_ma"

    @staticmethod
    def log_info(batch: Any) -> dict[str, float]:
        """Mean returns of games that ended, before rewards were clipped, by group."""
        done = batch["next", "done"].squeeze(-1)
        if not done.any():
            return {}
        return {
            f"collection/{key[1]}/game_return_mean": batch[key][done].mean().item()
            for key in batch.keys(True, True)
            if isinstance(key, tuple) and key[::2] == ("next", "episode_return")
        }

    def get_reward_sum_transform(self, env: Any) -> Any:
        """Sums the rewards that agents learn from."""
        groups = list(self.group_map(env))
        return RewardSum(
            in_keys=[(group, "reward") for group in groups],
            out_keys=[(group, "episode_reward") for group in groups],
            reset_keys=["_reset"] * len(groups),
        )

    def get_env_transforms(self, env: Any) -> list[Any]:
        """Return the transforms that scale observations and lay them out."""
        keys = [(group, "observation") for group in self.group_map(env)]
        spec = env.full_observation_spec_unbatched[keys[0]]
        lay_out = functools.partial(_scaled, dimensions=len(spec.shape) - 1)
        transforms = [UnaryTransform(keys, keys, fn=lay_out)]
        if self._sees_ram():
            scale = functools.partial(_scaled, dimensions=1)
            transforms.append(UnaryTransform(["ram"], ["state"], fn=scale))
        return transforms

    def _sees_ram(self) -> bool:
        return bool(self._options()["obs_type"] == "ram")


def _make(seed: int | None, options: dict[str, Any]) -> Any:
    env = make_env(**options)
    if seed is not None:
        env.set_seed(seed)
    return env


def _scaled(batch: Any, *, dimensions: int) -> Any:
    """Bytes as float32, 0 to 1, with channels last and memory in one row.

    Args:
        batch: uint8, whose last `dimensions` dimensions are an observation's.
        dimensions: 1, a row; 2, rows; 3, gray pictures; 4, pictures with channels.
    """
    scaled = batch.to(torch.float32) / 255
    if dimensions == 2:
        return scaled.flatten(-2)
    if dimensions == 3:
        return scaled.movedim(-3, -1)
    if dimensions == 4:
        return scaled.movedim(-4, -2).flatten(-2)
    return scaled


class _Tasks(Task):
    """Methods and attributes of `AtariTask`, apart from its members."""

    @staticmethod
    def associated_class() -> type[AtariClass]:
        """`AtariClass`."""
        return AtariClass

    def get_task(self, config: Mapping[str, Any] | None = None) -> AtariClass:
        """The task, with a configuration of `AtariClass`; None: its defaults."""
        return AtariClass(self.name, config)

    def get_from_yaml(self, path: str | None = None) -> AtariClass:
        """The task, with the configuration of a YAML file; None: its defaults."""
        if path is None:
            return self.get_task()
        task: AtariClass = super().get_from_yaml(path)
        return task


_GAMES = [
    name
    for name, game in _native.games().items()
    if any(game.modes(Rules.MULTI, players) for players in (2, 4))
]
AtariTask = _Tasks("AtariTask", [(name.upper(), None) for name in _GAMES])
"""BenchMARL's enum: a member for each game for two or four players, such as ``AtariTask.PONG``."""
