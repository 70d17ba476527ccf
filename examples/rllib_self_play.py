"""Self-play with RLlib: pong for two, against a past self, on all nodes of a Ray cluster.

    pip install '.[roms]' 'ray[rllib]' torch
    python rllib_self_play.py                    # on this machine
    python rllib_self_play.py --address auto     # on the cluster that this machine belongs to

One player is learning ("main"), on the left in some episodes and on the right in others; the other
is what it was some iterations ago ("past").  Whenever it beats that one by a margin, it becomes the
past itself.
"""

from __future__ import annotations

import argparse
from typing import Any

import ray
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

from pyale_ma.integrations import rllib

AGENTS = ("first_0", "second_0")


def which_self(agent: str, episode: Any, **_: Any) -> str:
    """Who plays an agent: sides change with episodes."""
    return "main" if agent == AGENTS[hash(episode.id_) % 2] else "past"


def become_past(algorithm: Algorithm) -> None:
    """Give the past the weights of the present, where it learns and wherever it plays."""

    def become(holder: Any) -> None:
        holder.module["past"].set_state(holder.module["main"].get_state())

    algorithm.learner_group.foreach_learner(become)
    algorithm.env_runner_group.foreach_env_runner(become)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Self-play of pong with RLlib.")
    parser.add_argument("--address", default="local", help="of a cluster, or auto")
    parser.add_argument("--runners", type=int, default=2, help="actors that play")
    parser.add_argument("--envs", type=int, default=8, help="of each")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--batch", type=int, default=2048, help="steps of an iteration")
    parser.add_argument("--frames", type=int, default=4096, help="of an episode, at most")
    parser.add_argument("--margin", type=float, default=1.0, help="points by which to beat")
    arguments = parser.parse_args()

    here = {"num_cpus": arguments.runners, "include_dashboard": False}
    ray.init(
        arguments.address, log_to_driver=False, **(here if arguments.address == "local" else {})
    )
    config = (
        PPOConfig()
        .environment(
            rllib.AtariMultiAgentEnv,
            env_config={
                "game": "pong",
                "num_players": 2,
                "obs_type": "ram",
                "stack_num": 2,
                "frameskip": 8,
                "max_num_frames_per_episode": arguments.frames,
            },
        )
        .multi_agent(
            policies={"main", "past"},
            policy_mapping_fn=which_self,
            policies_to_train=["main"],
        )
        .env_runners(
            num_env_runners=arguments.runners,
            num_envs_per_env_runner=arguments.envs,
            env_to_module_connector=rllib.scale_bytes,
        )
        .training(
            train_batch_size_per_learner=arguments.batch,
            minibatch_size=min(256, arguments.batch),
            num_epochs=4,
            lr=1e-3,
            entropy_coeff=0.01,
        )
        .rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[64]))
        .fault_tolerance(restart_failed_env_runners=True)
    )
    algorithm = config.build_algo()
    generation = 0
    for iteration in range(arguments.iterations):
        results = algorithm.train()
        returns = results["env_runners"].get("module_episode_returns_mean", {})
        if "main" not in returns:
            continue
        lead = returns["main"]
        print(f"iteration {iteration}: {lead:+.2f} points against generation {generation}")
        if lead >= arguments.margin:
            generation += 1
            become_past(algorithm)
            print(f"it is the past now, generation {generation}", flush=True)
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
