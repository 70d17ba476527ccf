"""PPO learns Pong from the console's memory: from -21 to +4 in three minutes on two CPU cores.

    pip install '.[roms,torch]' matplotlib
    python ppo_pong.py -o curve.png
    python ppo_pong.py --observations pixels --device cuda --steps 2600000 \\
        --learning-rate 5e-4 --epochs 4 --minibatches 16

The whole of it: 64 games in one `AtariVectorEnv`, a small network that sees the 128 bytes of RAM
and how they changed, and the clipped objective of Schulman et al. (2017) with generalised
advantages.  With a GPU it can learn from pixels instead, by the network of Mnih et al. (2015).
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributions import Categorical
from torch.optim import Optimizer

from pyale_ma.vector import AtariVectorEnv


@dataclass
class Settings:
    """Parameters that determine the result."""

    game: str = "pong"
    observations: str = "ram"  # or "labels", or "pixels", for which a CPU is too slow
    device: str = "cpu"  # or "cuda": where the network is, and observations are copied to
    steps: int = 3_000_000
    envs: int = 64
    rollout: int = 128  # steps of each environment between two updates
    epochs: int = 3
    minibatches: int = 8
    learning_rate: float = 1e-3
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    threads: int = 1  # of PyTorch; those of the vector wait while it computes
    seed: int = 1

    def __post_init__(self) -> None:
        counts = ("steps", "envs", "rollout", "epochs", "minibatches")
        for name, least in {"seed": 0, **dict.fromkeys(counts, 1)}.items():
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be {least} or more")


class RamFeatures(nn.Module):
    """RAM or labels as the network sees them: the last numbers and their change, each in units of
    its usual deviation.

    Args:
        numbers: How many numbers there are.
    """

    def __init__(self, numbers: int) -> None:
        super().__init__()
        self.size = 2 * numbers
        self.register_buffer("mean", torch.zeros(self.size))
        self.register_buffer("square", torch.ones(self.size))
        self.register_buffer("count", torch.tensor(1e-4))

    def forward(self, observations: Tensor) -> Tensor:
        is_second = observations[:, -2].any(1, keepdim=True)  # of an episode, or later
        before, now = observations[:, -2].float(), observations[:, -1].float()
        raw = torch.cat((now, (now - before) * is_second), 1)
        if self.training:
            count = self.count + len(raw)
            share = len(raw) / count
            self.mean += (raw.mean(0) - self.mean) * share
            self.square += (raw.square().mean(0) - self.square) * share
            self.count = count
        deviation = (self.square - self.mean.square()).clamp(min=1e-2).sqrt()
        return ((raw - self.mean) / deviation).clamp(-5, 5)


class RamAgent(nn.Module):
    """A policy and the value of states, side by side."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, actions))
        self.value = nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 1))
        nn.init.normal_(self.policy[-1].weight, std=0.01)

    def forward(self, features: Tensor) -> tuple[Categorical, Tensor]:
        return Categorical(logits=self.policy(features)), self.value(features).squeeze(-1)


class PixelAgent(nn.Module):
    """A policy and the value of states, which share what they see in four frames of 84 x 84."""

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.see = nn.Sequential(
            nn.Conv2d(4, 32, 8, stride=4),
            nn.ReLU(),
            nn.Conv2d(32, 64, 4, stride=2),
            nn.ReLU(),
            nn.Conv2d(64, 64, 3),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(64 * 7 * 7, 512),
            nn.ReLU(),
        )
        self.policy, self.value = nn.Linear(512, actions), nn.Linear(512, 1)
        nn.init.normal_(self.policy.weight, std=0.01)

    def forward(self, pixels: Tensor) -> tuple[Categorical, Tensor]:
        seen = self.see(pixels / 255)
        return Categorical(logits=self.policy(seen)), self.value(seen).squeeze(-1)


def advantages_of(
    rewards: Tensor, values: Tensor, ends: Tensor, last: Tensor, settings: Settings
) -> Tensor:
    """Generalised advantage estimates, (steps, envs)."""
    advantages = torch.zeros_like(rewards)
    advantage = torch.zeros_like(last)
    for t in reversed(range(len(rewards))):
        follows = last if t + 1 == len(rewards) else values[t + 1]
        goes_on = 1.0 - ends[t]
        delta = rewards[t] + settings.gamma * follows * goes_on - values[t]
        advantage = delta + settings.gamma * settings.gae_lambda * goes_on * advantage
        advantages[t] = advantage
    return advantages


def improve(
    agent: nn.Module, optimizer: Optimizer, played: Sequence[Tensor], settings: Settings
) -> float:
    """Learn from what was played: states, actions, their log probabilities, advantages and targets
    of the values, each (steps, envs, ...).

    Returns:
        The mean loss.
    """
    batch = [part.flatten(0, 1) for part in played]
    losses = []
    for _ in range(settings.epochs):
        order = torch.randperm(len(batch[0]), device=settings.device)
        for rows in order.chunk(settings.minibatches):
            states, actions, log_probs, advantages, targets = (part[rows] for part in batch)
            policy, values = agent(states)
            ratio = (policy.log_prob(actions) - log_probs).exp()
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
            gain = torch.min(ratio * advantages, clipped * advantages).mean()
            loss = (
                0.5 * (values - targets).square().mean()
                - gain
                - settings.entropy * policy.entropy().mean()
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
            losses.append(loss.detach())
    return float(torch.stack(losses).mean())


def make_envs(settings: Settings) -> Any:
    """Make the vector, for tensors; it refuses what cannot be played."""
    memory = {"obs_type": settings.observations, "stack_num": 2}
    return AtariVectorEnv(
        settings.game,
        settings.envs,
        autoreset_mode="SameStep",
        extra_infos=["episode"],
        **({} if settings.observations == "pixels" else memory),
    ).torch(device=settings.device)


def train(envs: Any, settings: Settings) -> list[tuple[int, float, float]]:
    """Learn, and print how it goes; the vector is closed.

    Returns:
        Steps so far, seconds so far, mean return of the last 100 episodes; after each update.
    """
    torch.manual_seed(settings.seed)
    ram = settings.observations != "pixels"
    choices = envs.env.num_actions[0]
    features: nn.Module = nn.Identity()
    agent: nn.Module = PixelAgent(choices)
    if ram:
        features = RamFeatures(envs.env.single_observation_space.shape[-1])
        agent = RamAgent(features.size, choices)
    features.to(settings.device)
    agent.to(settings.device)
    optimizer = torch.optim.Adam(agent.parameters(), settings.learning_rate, eps=1e-5)
    returns: deque[float] = deque(maxlen=100)
    curve: list[tuple[int, float, float]] = []
    updates = max(1, settings.steps // (settings.envs * settings.rollout))
    began = time.perf_counter()

    seen = features(envs.reset(seed=settings.seed)[0])
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = settings.learning_rate * (1 - update / updates)

        # Play.
        steps = []
        with torch.no_grad():
            for _ in range(settings.rollout):
                policy, values = agent(seen)
                actions = policy.sample()
                observations, rewards, terminated, truncated, infos = envs.step(actions)
                ends = terminated | truncated
                steps.append(
                    (seen, actions, policy.log_prob(actions), values, rewards.float(), ends.float())
                )
                returns.extend(infos["episode"]["r"][infos["_episode"]].tolist())
                seen = features(observations)
            last = agent(seen)[1]
        columns = zip(*steps, strict=True)
        states, actions, log_probs, values, rewards, ends = map(torch.stack, columns)
        advantages = advantages_of(rewards, values, ends, last, settings)
        loss = improve(
            agent,
            optimizer,
            (states, actions, log_probs, advantages, advantages + values),
            settings,
        )

        done = (update + 1) * settings.envs * settings.rollout
        seconds = time.perf_counter() - began
        mean = sum(returns) / len(returns) if returns else float("nan")
        curve.append((done, seconds, mean))
        if update % 10 == 0 or update + 1 == updates:
            print(
                f"{done:>9,} steps  {seconds:5.0f} s  {done / seconds:6,.0f} steps/s  "
                f"return {mean:6.1f}  loss {loss:7.4f}",
                flush=True,
            )
    envs.close()
    return curve


def draw(curve: list[tuple[int, float, float]], settings: Settings, file: Path) -> None:
    """The curve as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.plot([seconds / 60 for _, seconds, _ in curve], [mean for _, _, mean in curve])
    axes.set_xlabel("minutes")
    axes.set_ylabel("return, mean of 100 episodes")
    axes.set_title(f"PPO on {settings.game}, {settings.observations}, {curve[-1][0]:,} steps")
    axes.grid(alpha=0.3)
    figure.savefig(file, dpi=120)


def main() -> None:
    """The command line: every setting is an option."""
    parser = argparse.ArgumentParser(
        description="PPO on Pong.", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    choices = {"observations": ["ram", "labels", "pixels"]}
    for name, default in vars(Settings()).items():
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=type(default),
            default=default,
            choices=choices.get(name),
            help=" ",  # which shows the default
        )
    parser.add_argument("-o", "--output", type=Path, help="where to draw the curve")
    arguments = vars(parser.parse_args())
    output = arguments.pop("output")
    try:
        settings = Settings(**arguments)
        envs = make_envs(settings)
    except (OSError, RuntimeError, ValueError) as problem:  # no such game, ROM file, device
        parser.error(str(problem))
    if output:
        importlib.import_module("matplotlib")  # should it be missing, say so now, not in the end
    torch.set_num_threads(settings.threads)
    curve = train(envs, settings)
    if output:
        draw(curve, settings, output)


if __name__ == "__main__":
    main()
