"""Measure what adapters to learners cost, and the same library on other environments.

python benchmarks/integrations.py [adapters] [rollouts]

adapters     steps through each adapter against steps of the same vector without it
rollouts  a small network chooses the actions: each library on ale-py, a program for EnvPool on
          EnvPool, and all of them on ours

Random actions and how sides take turns are those of vector.py.  What is not installed is said not
to be measured.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from pyale_ma.games.rom_files import env_name
from pyale_ma.vector import AtariVectorEnv
from vector import (
    ENVPOOL,
    FRAMESKIP,
    OURS,
    PLAN,
    AbsentError,
    Effort,
    Row,
    Side,
    _module,
    about,
    race,
    throughput_table,
)

Step: TypeAlias = Callable[[], object]

BARE = "bare vector"


class Adapters:
    """Each method makes a bare vector's step and an adapter's, with the same arguments."""

    def __init__(self, game: str, num_envs: int, threads: int) -> None:
        self.game = game
        self.num_envs = num_envs
        self.options = {"num_threads": threads}

    def _bare(self, **options: Any) -> Step:
        envs = AtariVectorEnv(self.game, self.num_envs, **self.options, **options)
        envs.reset(seed=0)
        actions = self._actions(envs.num_actions[0])
        return lambda: envs.step(next(actions))

    def _actions(self, count: int) -> Iterator[Any]:
        numbers = np.random.default_rng(0).integers(0, count, (PLAN, self.num_envs))
        return itertools.cycle(numbers)

    def sb3(self) -> tuple[Step, Step]:
        """Stable-Baselines3"""
        _module("stable_baselines3")
        from pyale_ma.integrations.sb3 import make_vec_env

        env = make_vec_env(self.game, self.num_envs, **self.options)
        env.seed(0)
        env.reset()
        actions = self._actions(env.action_space.n)
        bare = self._bare(autoreset_mode="SameStep", extra_infos=["episode"])
        return bare, lambda: env.step(next(actions))

    def torchrl(self) -> tuple[Step, Step]:
        """TorchRL, step_and_maybe_reset"""
        _module("torchrl")
        import torch

        from pyale_ma.integrations.torchrl import make_env

        env = make_env(self.game, self.num_envs, **self.options)
        env.set_seed(0)
        state = env.reset()
        actions = self._actions(env.action_spec.n)

        def step() -> None:
            nonlocal state
            state["action"] = torch.from_numpy(next(actions))
            _, state = env.step_and_maybe_reset(state)

        return self._bare(), step

    def puffer(self) -> tuple[Step, Step]:
        """PufferLib"""
        _module("pufferlib")
        from pyale_ma.integrations.puffer import make_env

        env = make_env(self.game, self.num_envs, **self.options)
        env.reset(seed=0)
        actions = self._actions(env.single_action_space.n)
        # Neither keeps observations, so the adapter's own copy of them counts.
        bare = self._bare(autoreset_mode="SameStep", extra_infos=["episode"], copy=False)
        return bare, lambda: env.step(next(actions))

    def rllib(self) -> tuple[Step, Step]:
        """RLlib, AtariVector"""
        _module("ray.rllib")
        from pyale_ma.integrations.rllib import AtariVector

        envs = AtariVector({"game": self.game, "num_envs": self.num_envs, **self.options})
        envs.reset(seed=0)
        actions = self._actions(envs.single_action_space.n)
        return self._bare(), lambda: envs.step(next(actions))

    def envpool(self) -> tuple[Step, Step]:
        """EnvPool's interface"""
        return self._pool("gymnasium")

    def dm(self) -> tuple[Step, Step]:
        """EnvPool's interface, dm"""
        _module("dm_env")
        return self._pool("dm")

    def dm_single(self) -> tuple[Step, Step]:
        """dm_env, over one environment of Gymnasium"""
        _module("dm_env")
        import gymnasium

        import pyale_ma
        from pyale_ma.integrations.dm import DMEnv

        pyale_ma.register_ale_ids()
        name = f"ALE/{env_name(self.game)}-v5"
        bare, inside = (gymnasium.make(name, disable_env_checker=True) for _ in range(2))
        through = DMEnv(inside)
        count = int(getattr(bare.action_space, "n", 0))
        actions = np.random.default_rng(0).integers(0, count, (2, PLAN * self.num_envs))
        ours, theirs = (itertools.cycle(row.tolist()) for row in actions)
        bare.reset(seed=0)
        through.reset()

        def step() -> None:
            for _ in range(self.num_envs):
                _, _, terminated, truncated, _ = bare.step(next(theirs))
                if terminated or truncated:
                    bare.reset()

        def through_the_adapter() -> None:
            for _ in range(self.num_envs):
                through.step(next(ours))

        return step, through_the_adapter

    def _pool(self, env_type: Any) -> tuple[Step, Step]:
        step = pool(_module("pyale_ma.envpool"), self.game, self.num_envs, env_type, **self.options)
        actions = self._actions(step.actions)
        extra = ["unclipped_reward", "ram", "episode"]
        return self._bare(extra_infos=extra), lambda: step(next(actions))


class pool:  # noqa: N801 - used as a function
    """Steps of a program for EnvPool."""

    def __init__(
        self, package: Any, game: str, num_envs: int, env_type: str = "gymnasium", **options: Any
    ) -> None:
        name = f"{env_name(game)}-v5"
        envs = package.make(name, env_type=env_type, num_envs=num_envs, **{**ENVPOOL, **options})
        self.actions = int(package.make_spec(name).action_space.n)
        first = envs.reset()
        self.observations = first[0] if env_type == "gymnasium" else first.observation.obs
        self._step = envs.step

    def __call__(self, actions: Any) -> Any:
        return self._step(actions)[0]


ADAPTERS = ("sb3", "torchrl", "puffer", "rllib", "envpool", "dm", "dm_single")


def adapters(setting: argparse.Namespace, effort: Effort) -> list[Row]:
    """Frames per second through the adapters"""
    rows = []
    for name in ADAPTERS:
        make = getattr(Adapters(setting.game, setting.num_envs, setting.threads), name)
        title = make.__doc__.splitlines()[0]
        try:
            bare, through = make()
        except (AbsentError, ImportError) as problem:
            print(f"{title} is not measured: {problem}\n", flush=True)
            continue
        frames = setting.num_envs * FRAMESKIP
        sides = {title: partial(Side, through, frames), BARE: partial(Side, bare, frames)}
        row = race({"adapter": title}, sides, effort)
        cost = row.ratios[title] - 1
        cpu = row.cpu_ratios[title] - 1
        print(f"| {title} | {100 * cost:+.1f} % | {100 * cpu:+.1f} % |", flush=True)
        rows.append(row)
    return rows


# ---- Rollouts ------------------------------------------------------------------------------------


def small_policy(channels: int, actions: int) -> Callable[[Any], Any]:
    """A network of two convolutions that chooses actions."""
    import torch
    from torch import nn

    network = nn.Sequential(
        nn.Conv2d(channels, 8, 8, 8), nn.ReLU(), nn.Flatten(), nn.Linear(800, actions)
    )

    def choose(observations: Any) -> Any:
        with torch.inference_mode():
            logits = network(torch.from_numpy(observations) / 255)
            return torch.distributions.Categorical(logits=logits).sample().numpy()

    return choose


def rolling(env: Any, observations: Any, actions: int) -> Step:
    """Steps with the network's actions."""
    choose = small_policy(observations.shape[1], actions)

    def step() -> None:
        nonlocal observations
        observations = env(choose(observations))

    return step


def preprocessed(setting: argparse.Namespace) -> Any:
    """One environment of ale-py with Gymnasium's wrappers."""
    import gymnasium.wrappers

    env = gymnasium.wrappers.AtariPreprocessing(single_ale_py(setting))
    return gymnasium.wrappers.FrameStackObservation(env, 4)


def single_ale_py(setting: argparse.Namespace) -> Any:
    ale_py = _module("ale_py")
    return ale_py.AtariEnv(setting.game, frameskip=1, repeat_action_probability=0.0)


def sb3_on_ale_py(setting: argparse.Namespace) -> Step:
    """SB3's own wrappers over ale-py, as its `make_atari_env` puts them."""
    _module("stable_baselines3")
    _module("ale_py")
    from stable_baselines3.common.atari_wrappers import AtariWrapper
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecTransposeImage

    def make() -> Any:
        return AtariWrapper(Monitor(single_ale_py(setting)), terminal_on_life_loss=False)

    envs = DummyVecEnv([make] * setting.num_envs)
    envs = VecTransposeImage(VecFrameStack(envs, 4))
    return rolling(lambda actions: envs.step(actions)[0], envs.reset(), envs.action_space.n)


def sb3_on_ours(setting: argparse.Namespace) -> Step:
    """The same by our adapter."""
    _module("stable_baselines3")
    from pyale_ma.integrations.sb3 import make_vec_env

    envs = make_vec_env(setting.game, setting.num_envs, num_threads=setting.threads)
    return rolling(lambda actions: envs.step(actions)[0], envs.reset(), envs.action_space.n)


def torchrl_rolling(env: Any, actions: int) -> Step:
    """Steps of a batched environment, which resets by itself what has ended."""
    import torch

    choose = small_policy(4, actions)
    state = env.reset()

    def step() -> None:
        nonlocal state
        state["action"] = torch.from_numpy(choose(state["observation"].numpy()))
        _, state = env.step_and_maybe_reset(state)

    return step


def torchrl_on_ale_py(setting: argparse.Namespace) -> Step:
    """TorchRL's wrapper over ale-py's own vector."""
    _module("torchrl")
    _module("ale_py")
    from ale_py.vector_env import AtariVectorEnv as Theirs
    from gymnasium.vector import AutoresetMode
    from torchrl.envs import GymWrapper

    same_step = AutoresetMode.SAME_STEP  # TorchRL takes no other one that ale-py has
    envs = Theirs(
        setting.game, setting.num_envs, num_threads=setting.threads, autoreset_mode=same_step
    )
    count = int(envs.single_action_space.n)
    return torchrl_rolling(GymWrapper(envs, categorical_action_encoding=True), count)


def torchrl_on_ours(setting: argparse.Namespace) -> Step:
    """The same by our adapter."""
    _module("torchrl")
    from pyale_ma.integrations.torchrl import make_env

    env = make_env(setting.game, setting.num_envs, num_threads=setting.threads)
    return torchrl_rolling(env, env.action_spec.n)


def puffer_on_ale_py(setting: argparse.Namespace) -> Step:
    """PufferLib's emulation over ale-py."""
    _module("pufferlib")
    _module("ale_py")
    import pufferlib.vector
    from pufferlib.emulation import GymnasiumPufferEnv

    make = partial(GymnasiumPufferEnv, env_creator=partial(preprocessed, setting))
    return puffer_rolling(pufferlib.vector.make(make, backend="Serial", num_envs=setting.num_envs))


def puffer_on_ours(setting: argparse.Namespace) -> Step:
    """The same by our adapter."""
    _module("pufferlib")
    from pyale_ma.integrations.puffer import make_env

    return puffer_rolling(make_env(setting.game, setting.num_envs, num_threads=setting.threads))


def puffer_rolling(env: Any) -> Step:
    observations, _ = env.reset()
    return rolling(lambda actions: env.step(actions)[0], observations, env.single_action_space.n)


def rllib_runner(setting: argparse.Namespace, environment: Any, **options: Any) -> Step:
    """RLlib's env runner with its default network for pictures."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

    config = PPOConfig().environment(environment, env_config={"game": setting.game})
    config.env_runners(
        num_env_runners=0,
        num_envs_per_env_runner=setting.num_envs,
        **options,
    )
    runner = SingleAgentEnvRunner(config=config)
    return lambda: runner.sample(num_timesteps=setting.num_envs)


def rllib_on_ale_py(setting: argparse.Namespace) -> Step:
    """RLlib's own wrappers over ale-py."""
    _module("ray.rllib")
    _module("ale_py")
    from ray.rllib.env.wrappers.atari_wrappers import wrap_atari_for_new_api_stack
    from ray.tune import register_env

    def make(_: Any) -> Any:
        import gymnasium

        name = f"ale_py:ALE/{env_name(setting.game)}-v5"
        env = gymnasium.make(name, frameskip=1, repeat_action_probability=0.0)
        return wrap_atari_for_new_api_stack(env, dim=84, framestack=4)

    register_env("on_ale_py", make)
    return rllib_runner(setting, "on_ale_py")


def rllib_on_ours(setting: argparse.Namespace) -> Step:
    """The same by our adapter."""
    _module("ray.rllib")
    from pyale_ma.integrations.rllib import AtariVector, scale_bytes

    return rllib_runner(
        setting,
        AtariVector,
        gym_env_vectorize_mode="vector_entry_point",
        env_to_module_connector=scale_bytes,
    )


def pool_on(package: str, setting: argparse.Namespace) -> Step:
    """A program for EnvPool."""
    step = pool(_module(package), setting.game, setting.num_envs, num_threads=setting.threads)
    return rolling(step, step.observations, step.actions)


ROLLOUTS: dict[str, Mapping[str, Callable[[argparse.Namespace], Step]]] = {
    "Stable-Baselines3": {"ale-py": sb3_on_ale_py, OURS: sb3_on_ours},
    "TorchRL": {"ale-py": torchrl_on_ale_py, OURS: torchrl_on_ours},
    "PufferLib": {"ale-py": puffer_on_ale_py, OURS: puffer_on_ours},
    "RLlib": {"ale-py": rllib_on_ale_py, OURS: rllib_on_ours},
    "EnvPool's interface": {
        "EnvPool": partial(pool_on, "envpool"),
        OURS: partial(pool_on, "pyale_ma.envpool"),
    },
}


def rollouts(setting: argparse.Namespace, effort: Effort) -> list[Row]:
    """Frames per second with a small network"""
    rows = []
    for program, makers in ROLLOUTS.items():
        frames = setting.num_envs * FRAMESKIP
        try:
            steps = {name: make(setting) for name, make in makers.items()}
        except (AbsentError, ImportError) as problem:
            print(f"{program} is not measured: {problem}\n", flush=True)
            continue
        sides = {name: partial(Side, step, frames) for name, step in steps.items()}
        rows.append(race({"program": program}, sides, effort))
        print(throughput_table(rows[-1:]), end="\n\n", flush=True)
    return rows


SECTIONS = {"adapters": adapters, "rollouts": rollouts}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", nargs="*", metavar="what", help="adapters, rollouts; all")
    parser.add_argument("--quick", action="store_true", help="see whether all works, not how fast")
    parser.add_argument("--game", default="breakout")
    parser.add_argument("--num-envs", type=int, default=64, metavar="N", help="default: 64")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="default: 1")
    parser.add_argument("--rounds", type=int, default=9, metavar="N", help="default: 9")
    setting = parser.parse_args()
    chosen = setting.what or list(SECTIONS)
    if unknown := set(chosen) - set(SECTIONS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    effort = Effort(0.01, 2) if setting.quick else Effort(0.3, setting.rounds)

    with contextlib.suppress(ImportError):
        import torch

        torch.set_num_threads(setting.threads)
    facts = about()
    print(
        f"{facts['processor']}, {facts['cpus']} CPUs; {setting.game}, {setting.num_envs} "
        f"environments, {setting.threads} thread(s).\n"
    )
    warnings.simplefilter("ignore")  # of the libraries
    for name in chosen:
        section = SECTIONS[name]
        print(f"## {(section.__doc__ or '').splitlines()[0]}\n")
        if section is adapters:
            print(
                "| adapter | more time than the bare vector | more CPU time |\n"
                "| --- | ---: | ---: |"
            )
        section(setting, effort)
        print()


if __name__ == "__main__":
    main()
