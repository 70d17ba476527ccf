"""PPO of Stable-Baselines3 helps a chicken across the road, in a minute on one core.

python examples/integrations/sb3_ppo.py

Freeway from the console's memory, an action every half second: at random the chicken gets nowhere.
Pictures and CnnPolicy take the same few lines, and a GPU.
"""

from __future__ import annotations

import argparse

from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecEnv

from pyale_ma.integrations.sb3 import make_vec_env


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--steps", type=int, default=12_288)
    arguments = parser.parse_args()

    try:
        env = make_vec_env(
            "freeway",
            arguments.envs,
            obs_type="ram",
            stack_num=1,
            frameskip=32,
            max_num_frames_per_episode=1024,
        )
    except (OSError, ValueError) as problem:  # no ROM file, no environments
        parser.error(str(problem))
    env.seed(0)
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=32,
        batch_size=128,
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=0.01,
        seed=0,
        device="cpu",
    )
    print(f"return before {evaluate(model, env):.2f}", flush=True)
    model.learn(arguments.steps)
    print(f"return after {evaluate(model, env):.2f}")
    env.close()


def evaluate(model: PPO, env: VecEnv) -> float:
    mean, _ = evaluate_policy(model, env, n_eval_episodes=16, deterministic=False)
    return float(mean)


if __name__ == "__main__":
    main()
