"""PPO with a learner here and players on all nodes of a Ray cluster.

    pip install '.[roms,ray,torch]'
    python ray_ppo.py                    # on this machine
    python ray_ppo.py --address auto     # on the cluster that this machine belongs to

Freeway from the console's memory, an action every half second: at random the chicken gets nowhere,
in a minute it learns to cross the road.  Workers play with a policy of NumPy alone, so PyTorch is
needed only here.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import ray
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from pyale_ma.distributed import Rollout, RolloutCollector

Array = npt.NDArray[Any]
GAMMA, LAMBDA, CLIP, ENTROPY = 0.9, 0.95, 0.2, 0.01
HIDDEN = 64


@dataclass
class Player:
    """The policy as workers play it; its arrays reach them through Ray's shared memory."""

    weights: list[Array]

    def __call__(self, observations: Array, random: np.random.Generator) -> Any:
        into, bias, out, last_bias = self.weights
        memory = observations.reshape(len(observations), -1).astype(np.float32) / 255
        scores = np.tanh(memory @ into.T + bias) @ out.T + last_bias
        log_probs = scores - np.log(np.exp(scores).sum(1, keepdims=True))
        actions = (log_probs + random.gumbel(size=scores.shape)).argmax(1)
        return actions, {"log_probs": log_probs[range(len(actions)), actions]}


class Agent(nn.Module):
    """Network with a policy head and a value head."""

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(128, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, actions))
        self.value = nn.Sequential(nn.Linear(128, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 1))

    def player(self) -> Player:
        """The policy of this moment, for workers."""
        return Player([part.detach().numpy().copy() for part in self.policy.parameters()])


def memory_of(observations: Array) -> Tensor:
    """RAM as the networks see it, (..., 128)."""
    return torch.tensor(observations[..., 0, :], dtype=torch.float32) / 255


def advantages_of(rewards: Tensor, values: Tensor, ends: Tensor) -> Tensor:
    """Generalised advantage estimates (steps, envs); `values` has one step more."""
    advantages = torch.zeros_like(rewards)
    following = torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        goes_on = 1 - ends[t]
        delta = rewards[t] + GAMMA * values[t + 1] * goes_on - values[t]
        advantages[t] = following = delta + GAMMA * LAMBDA * goes_on * following
    return advantages


def prepare(agent: Agent, rollout: Rollout) -> list[Tensor]:
    """Return the inputs of the loss, with steps and environments flattened into one axis."""
    seen = memory_of(rollout.observations)
    with torch.no_grad():
        everything = torch.cat((seen, memory_of(rollout.last_observations)[None]))
        values = agent.value(everything).squeeze(-1)
    rewards = torch.tensor(rollout.rewards, dtype=torch.float32)
    ends = torch.tensor(rollout.terminations | rollout.truncations, dtype=torch.float32)
    advantages = advantages_of(rewards, values, ends)
    actions = torch.tensor(rollout.actions)
    log_probs = torch.tensor(rollout.extras["log_probs"], dtype=torch.float32)
    parts = (seen, actions, log_probs, advantages, advantages + values[:-1])
    return [part.flatten(0, 1) for part in parts]


def update(agent: Agent, optimizer: torch.optim.Optimizer, rollouts: list[Rollout]) -> None:
    """Some epochs over what the workers have played."""
    batch = [torch.cat(parts) for parts in zip(*(prepare(agent, r) for r in rollouts), strict=True)]
    for _ in range(4):
        for rows in torch.randperm(len(batch[0])).split(128):
            seen, actions, log_probs, advantages, targets = (part[rows] for part in batch)
            policy = Categorical(logits=agent.policy(seen))
            ratio = (policy.log_prob(actions) - log_probs).exp()
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            gain = torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages)
            error = (agent.value(seen).squeeze(-1) - targets).square()
            loss = 0.5 * error.mean() - gain.mean() - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="PPO on a Ray cluster.")
    parser.add_argument("--address", default="local", help="of a cluster, or auto")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--envs", type=int, default=8, help="of each worker")
    parser.add_argument("--updates", type=int, default=16)
    arguments = parser.parse_args()

    here = {"num_cpus": arguments.workers, "include_dashboard": False}
    ray.init(
        arguments.address, log_to_driver=False, **(here if arguments.address == "local" else {})
    )
    torch.manual_seed(0)
    agent = Agent(actions=3)
    optimizer = torch.optim.Adam(agent.parameters(), 3e-3)
    try:
        collector = RolloutCollector(
            agent.player(),
            "freeway",
            arguments.envs,
            workers=arguments.workers,
            seed=0,
            steps=32,
            obs_type="ram",
            stack_num=1,
            frameskip=32,
            max_num_frames_per_episode=1024,
            autoreset_mode="SameStep",
        )
    except (OSError, ValueError) as problem:  # no ROM file, no environments, no workers
        parser.error(str(problem))
    with collector:
        for number in range(arguments.updates):
            rollouts = collector.gather()
            update(agent, optimizer, rollouts)
            collector.set_policy(agent.player())
            returns = [r.episodes["r"] for r in rollouts if r.episodes]
            if returns:
                when = "after" if number else "before"
                print(f"return {when} {np.concatenate(returns).mean():.2f}  {collector.progress}")
    ray.shutdown()


if __name__ == "__main__":
    main()
