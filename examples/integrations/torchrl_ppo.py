"""PPO of TorchRL helps a chicken across the road, in a minute on one core.

python examples/integrations/torchrl_ppo.py

Freeway from the console's memory, an action every half second: at random the chicken gets nowhere.
"""

from __future__ import annotations

import argparse

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.modules import ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from pyale_ma.integrations.torchrl import make_env


class Scale(nn.Module):
    """Memory and pictures are bytes."""

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return observation.flatten(-2) / 255.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--steps", type=int, default=16_384)
    arguments = parser.parse_args()

    torch.manual_seed(0)
    options = {"frameskip": 32, "max_num_frames_per_episode": 1024, "stack_num": 1}
    try:
        env = make_env("freeway", arguments.envs, obs_type="ram", **options)
    except (OSError, ValueError) as problem:  # no ROM file, no environments
        parser.error(str(problem))
    env.set_seed(0)

    def network(outputs: int) -> nn.Module:
        return nn.Sequential(Scale(), nn.Linear(128, 64), nn.Tanh(), nn.Linear(64, outputs))

    actor = ProbabilisticActor(
        TensorDictModule(network(env.action_spec.n), ["observation"], ["logits"]),
        in_keys=["logits"],
        spec=env.action_spec,
        distribution_class=torch.distributions.Categorical,
        return_log_prob=True,
    )
    critic = ValueOperator(network(1))
    advantage = GAE(gamma=0.9, lmbda=0.95, value_network=critic, average_gae=True)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01)
    optimizer = torch.optim.Adam(loss.parameters(), lr=3e-3)

    frames = arguments.envs * 32
    collector = Collector(env, actor, frames_per_batch=frames, total_frames=arguments.steps)
    for update, batch in enumerate(collector):
        for _ in range(4):
            advantage(batch)
            data = batch.reshape(-1)
            for rows in torch.randperm(len(data)).split(128):
                losses = loss(data[rows])
                optimizer.zero_grad()
                sum(value for name, value in losses.items() if name.startswith("loss_")).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        finished = batch["next", "episode_return"][batch["next", "done"]]
        if len(finished):
            when = "after" if update > 1 else "before"
            print(f"return {when} {finished.mean():.2f}", flush=True)
    collector.shutdown()


if __name__ == "__main__":
    main()
