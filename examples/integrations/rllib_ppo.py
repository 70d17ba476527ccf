"""PPO of RLlib helps a chicken across the road, in a minute or two on one core.

python examples/integrations/rllib_ppo.py

Freeway from the console's memory, an action every half second: at random the chicken gets nowhere.
The native vector runs inside of RLlib's env runner; more runners are more processes.
"""

from __future__ import annotations

import argparse

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

from pyale_ma.integrations import rllib


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--runners", type=int, default=0, help="processes that play; 0: this one")
    parser.add_argument("--iterations", type=int, default=20)
    arguments = parser.parse_args()

    # "local": not a cluster that runs already, which would refuse num_cpus.
    cpus = max(1, arguments.runners + 1)
    ray.init("local", num_cpus=cpus, include_dashboard=False, log_to_driver=False)
    config = (
        PPOConfig()
        .environment(
            rllib.AtariVector,
            env_config={
                "game": "freeway",
                "obs_type": "ram",
                "stack_num": 1,
                "frameskip": 32,
                "max_num_frames_per_episode": 1024,
            },
        )
        .env_runners(
            num_env_runners=arguments.runners,
            num_envs_per_env_runner=arguments.envs,
            gym_env_vectorize_mode="vector_entry_point",
            env_to_module_connector=rllib.scale_bytes,
        )
        .callbacks(on_episode_end=rllib.log_games)
        .training(
            train_batch_size_per_learner=512,
            minibatch_size=128,
            num_epochs=4,
            lr=3e-3,
            gamma=0.9,
            entropy_coeff=0.01,
        )
        .rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[64]))
        .debugging(seed=0)
    )
    algorithm = config.build_algo()
    for iteration in range(arguments.iterations):
        mean = algorithm.train()["env_runners"].get("game_return_mean")
        if mean is not None:
            when = "after" if iteration > 2 else "before"
            print(f"return {when} {mean:.2f}", flush=True)
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
