"""PPO in one file, written for EnvPool; all that was changed is the import.

python examples/integrations/envpool_ppo.py

Freeway, an action every half second: at random the chicken gets nowhere.
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np
import torch
from torch import nn

from pyale_ma import envpool


class EpisodeReturns(gymnasium.Wrapper):
    """Keeps the unclipped returns of games that are over."""

    def reset(self, **kwargs):
        observations, infos = super().reset(**kwargs)
        self.running = np.zeros(len(self.unwrapped))
        self.finished = []
        return observations, infos

    def step(self, action):
        observations, rewards, terminated, truncated, infos = super().step(action)
        self.running += infos["reward"]
        over = (infos["terminated"] == 1) | truncated
        self.finished += self.running[over].tolist()
        self.running *= ~over
        return observations, rewards, terminated, truncated, infos


class Agent(nn.Module):
    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(inputs, 32), nn.Tanh())
        self.policy, self.value = nn.Linear(32, actions), nn.Linear(32, 1)

    def forward(self, observations):
        hidden = self.body(observations / 255.0)
        logits = self.policy(hidden)
        return torch.distributions.Categorical(logits=logits), self.value(hidden)[:, 0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=16_384)
    steps = parser.parse_args().steps

    num_envs, rollout, discount, trace, clip = 16, 32, 0.9, 0.95, 0.2
    envs = envpool.make(
        "Freeway-v5",
        env_type="gymnasium",
        num_envs=num_envs,
        frame_skip=32,
        max_episode_steps=32,
        stack_num=1,
        img_height=21,
        img_width=16,
        reward_clip=True,
        episodic_life=True,
        seed=1,
    )
    envs = EpisodeReturns(envs)
    torch.manual_seed(1)
    agent = Agent(int(np.prod(envs.observation_space.shape)), envs.action_space.n)
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3, eps=1e-5)

    observation = torch.as_tensor(envs.reset()[0])
    done = torch.zeros(num_envs)
    for update in range(steps // (num_envs * rollout)):
        batch = []
        for _ in range(rollout):
            with torch.no_grad():
                policy, value = agent(observation)
                action = policy.sample()
            following, reward, terminated, truncated, _ = envs.step(action.numpy())
            log_probability = policy.log_prob(action)
            batch.append((observation, action, log_probability, torch.tensor(reward), value, done))
            observation = torch.as_tensor(following)
            done = torch.as_tensor(terminated | truncated, dtype=torch.float32)
        observations, actions, log_probabilities, rewards, values, dones = map(
            torch.stack, zip(*batch, strict=True)
        )
        with torch.no_grad():
            following_value, following_done = agent(observation)[1], done
            advantages, advantage = torch.zeros_like(values), torch.zeros(num_envs)
            for t in reversed(range(rollout)):
                going_on = 1 - following_done
                delta = rewards[t] + discount * going_on * following_value - values[t]
                advantage = delta + discount * trace * going_on * advantage
                advantages[t] = advantage
                following_value, following_done = values[t], dones[t]
        data = [
            part.flatten(0, 1)
            for part in (observations, actions, log_probabilities, advantages, advantages + values)
        ]
        for _ in range(4):
            for rows in torch.randperm(num_envs * rollout).split(128):
                seen, chosen, before, gain, target = (part[rows] for part in data)
                policy, value = agent(seen)
                ratio = (policy.log_prob(chosen) - before).exp()
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                loss = torch.max(-gain * ratio, -gain * ratio.clamp(1 - clip, 1 + clip)).mean()
                loss += 0.5 * (value - target).square().mean() - 0.01 * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        if len(envs.finished) >= num_envs:
            when = "after" if update > 1 else "before"
            print(f"return {when} {np.mean(envs.finished):.2f}", flush=True)
            envs.finished.clear()


if __name__ == "__main__":
    main()
