"""Train one network for all seats of a game by PPO.

The objective is the clipped one of Schulman et al. (2017), with generalised advantages.  The
network is of a shape that `league.export` can turn into whole numbers without a loss: it sees
bytes of RAM and how they changed, and between its layers negative values become 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from pyale_ma.opponents.network import LARGEST_INPUT, UNIT_BITS

LARGEST = LARGEST_INPUT / 2**UNIT_BITS  # of what the network sees, in standard deviations


def _setting(default: float, low: float, high: float, text: str) -> Any:
    """A setting: what it is unless another value is given, its range, and what it means."""
    return field(default=default, metadata={"range": (low, high), "help": text})


@dataclass
class Settings:
    """Parameters that determine the result, apart from the game.

    Raises:
        ValueError: A setting is out of its range.
    """

    steps: int = _setting(6_000_000, 1, 10**12, "of games, in each of which all players act")
    envs: int = _setting(64, 1, 10**6, "games at a time")
    past: float = _setting(0.25, 0, 1, "share of the games that are against past selves")
    selves: int = _setting(24, 1, 10**6, "past selves that are kept")
    scripted: int = _setting(
        0, 0, 10**6, "of the games against past selves, those against one who learns nothing"
    )
    rollout: int = _setting(64, 1, 10**6, "steps of each game between two updates")
    epochs: int = _setting(3, 1, 10**6, "how often an update learns from what was played")
    minibatches: int = _setting(8, 1, 10**6, "parts of what was played, each a step of Adam")
    hidden: int = _setting(
        0, 0, 10**6, "neurons of a layer; 0: as many as the file of players has room for"
    )
    learning_rate: float = _setting(1e-3, 1e-9, 10, "of Adam, at first; it falls to 0")
    rivalry: float = _setting(
        0.0, -1000, 1000, "how much of the others' mean reward is taken from a player's own"
    )
    points: int = _setting(
        0, 0, 1, "1: rewards are points, in units of what is usual; 0: they are -1, 0 or 1"
    )
    gamma: float = _setting(0.99, 0, 1, "what a reward counts one step earlier")
    gae_lambda: float = _setting(0.95, 0, 1, "lambda of generalised advantage estimation")
    clip: float = _setting(0.2, 1e-6, 100, "how far a ratio of probabilities may be from 1")
    entropy: float = _setting(0.01, 0, 100, "weight of the entropy, at first; it falls to a tenth")
    seed: int = _setting(1, 0, 2**31 - 1, "of all that is drawn")

    def __post_init__(self) -> None:
        for each in fields(self):
            value: Any = getattr(self, each.name)
            kind: Any = type(each.default)
            low, high = each.metadata["range"]
            if type(value) not in (int, kind) or not low <= value <= high:  # nor is NaN
                number = "a whole number" if kind is int else "a number"
                raise ValueError(
                    f"{each.name} is {value!r}; it must be {number}, {low:,} to {high:,}"
                )
            setattr(self, each.name, kind(value))
        if self.scripted > self.past_games:
            raise ValueError(
                f"scripted is {self.scripted}; it must be at most the number of games against "
                f"past selves, {self.past_games} (past {self.past} of envs {self.envs})"
            )

    @property
    def past_games(self) -> int:
        """Number of games against past selves."""
        return int(self.past * self.envs)

    @property
    def updates(self) -> int:
        """Number of updates of the network."""
        return max(1, self.steps // (self.envs * self.rollout))


class Network(nn.Module):
    """A policy and the value of states for all seats of a game.

    Each seat has a first layer of its own, for what the bytes mean to it; the rest is shared.

    Args:
        used: The bytes of RAM that it sees, of those from 0 to 127.
        players: Seats.
        hidden: Neurons of each of the two layers between.
        actions: Number of actions.
    """

    def __init__(self, used: list[int], players: int, hidden: int, actions: int) -> None:
        super().__init__()
        self.players = players
        size = 2 * len(used)
        self.register_buffer("used", torch.tensor(used))
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("square", torch.ones(size))
        self.register_buffer("count", torch.tensor(1e-4))
        self.seats = nn.Linear(size, players * 2 * hidden)
        self.between = nn.Linear(hidden, hidden)
        self.policy = nn.Linear(hidden, actions)
        self.value = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        nn.init.normal_(self.policy.weight, std=0.01)

    def deviation(self) -> Tensor:
        """Divisors of the bytes and of their changes."""
        return (self.square - self.mean.square()).clamp(min=1e-2).sqrt()

    def features(self, observations: Tensor, *, learn: bool = False) -> Tensor:
        """Memory (n, 2, 128) as the network takes it, in units of what is usual."""
        before, now = (observations[:, k, self.used].float() for k in (0, 1))
        begun = observations[:, 0].any(1, keepdim=True)  # else there is no step before
        raw = torch.cat((now, (now - before) * begun), 1)
        if learn:
            self.count += len(raw)
            share = len(raw) / self.count
            self.mean += (raw.mean(0) - self.mean) * share
            self.square += (raw.square().mean(0) - self.square) * share
        return ((raw - self.mean) / self.deviation()).clamp(-LARGEST, LARGEST)

    def forward(self, features: Tensor) -> tuple[Categorical, Tensor]:
        """Policies (n, players) and values (n, players)."""
        first = self.seats(features).relu().unflatten(1, (self.players, 2, -1))
        policy = Categorical(logits=self.policy(self.between(first[:, :, 0]).relu()))
        return policy, self.value(first[:, :, 1]).squeeze(-1)

    def act(self, observations: Tensor) -> Tensor:
        """Actions (n, players) in games whose memory (n, 2, 128) is."""
        actions: Tensor = self(self.features(observations))[0].sample()
        return actions


@dataclass
class Rollout:
    """Played steps: axes are steps, games and, mostly, players."""

    features: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    rewards: Tensor
    ends: Tensor
    learns: Tensor  # 1 where the learner played and was not out, else 0


def advantages_of(played: Rollout, last: Tensor, settings: Settings) -> Tensor:
    """Generalised advantage estimates, (steps, games, players); `last` values what follows."""
    advantages = torch.zeros_like(played.rewards)
    advantage = torch.zeros_like(last)
    for t in reversed(range(len(advantages))):
        follows = last if t + 1 == len(advantages) else played.values[t + 1]
        goes_on = 1 - played.ends[t]
        delta = played.rewards[t] + settings.gamma * follows * goes_on - played.values[t]
        advantage = delta + settings.gamma * settings.gae_lambda * goes_on * advantage
        advantages[t] = advantage
    return advantages


class Learner:
    """A network, and the optimiser that improves it.

    Args:
        network: The network.
        settings: How it learns.
    """

    def __init__(self, network: Network, settings: Settings) -> None:
        self.network = network
        self._settings = settings
        self._optimizer = torch.optim.Adam(network.parameters(), settings.learning_rate, eps=1e-5)

    def learn(self, played: Rollout, last: Tensor, done: float) -> float:
        """Improve the network.

        Args:
            played: What was played.
            last: The values of where it leads.
            done: How much of the training is behind it, 0 to 1.

        Returns:
            The mean entropy of its policy.
        """
        settings = self._settings
        self._optimizer.param_groups[0]["lr"] = settings.learning_rate * (1 - done)
        bonus = settings.entropy * (1 - 0.9 * done)
        advantages = advantages_of(played, last, settings)
        parts = (played.features, played.actions, played.log_probs, advantages)
        parts += (advantages + played.values, played.learns)
        batch = [part.flatten(0, 1) for part in parts]
        entropies = []
        for _ in range(settings.epochs):
            for rows in torch.randperm(len(batch[0])).chunk(settings.minibatches):
                loss, entropy = self._loss(*(part[rows] for part in batch), bonus)
                self._optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
                self._optimizer.step()
                entropies.append(entropy.item())
        return sum(entropies) / len(entropies)

    def _loss(
        self,
        features: Tensor,
        actions: Tensor,
        log_probs: Tensor,
        advantages: Tensor,
        targets: Tensor,
        learns: Tensor,
        bonus: float,
    ) -> tuple[Tensor, Tensor]:
        policy, values = self.network(features)
        count = learns.sum().clamp(min=1)

        def mean(each: Tensor) -> Tensor:
            return (each * learns).sum() / count

        centred = advantages - mean(advantages)
        advantages = centred / (mean(centred.square()).sqrt() + 1e-8)
        ratio = (policy.log_prob(actions) - log_probs).exp()
        clip = self._settings.clip
        gain = torch.min(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
        entropy = mean(policy.entropy())
        loss = mean(0.5 * (values - targets).square() - gain) - bonus * entropy
        return loss, entropy

    def state(self) -> dict[str, Any]:
        """All of it, for `restore`."""
        optimizer = self._optimizer.state_dict()["state"]  # the rest are settings
        return {"network": self.network.state_dict(), "optimizer": optimizer}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state."""
        self.network.load_state_dict(state["network"])
        whole = {**self._optimizer.state_dict(), "state": state["optimizer"]}
        self._optimizer.load_state_dict(whole)
