"""PPO by self-play: one network learns to play every side of a game against itself and its past.

    pip install '.[torch,evaluation]' matplotlib
    python self_play.py -o quartet                  # four players; needs no ROM file
    python self_play.py --game pong --players 2 --mode -1 --ram 0-127 -o pong

The whole of it: 64 games in one `AtariVectorEnv`, a small network that sees the console's memory
and how it changed, with an input layer for each seat and the rest shared, and the clipped objective
of Schulman et al. (2017).  In most games all seats are the learner's; in some it has one, and one
of its past selves the others.  When it has learned, its past selves play matches, from which their
ratings come; in Quartet it also plays the cartridge.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from pyale_ma.evaluation import Arena, Policy, RandomPolicy, Results, lineups
from pyale_ma.vector import AtariVectorEnv


@dataclass
class Settings:
    """Parameters that determine the result."""

    game: str = "quartet"
    players: int = 4
    mode: int = 6  # -1: the game's first for so many players
    ram: str = "4-33"  # the bytes that the network sees; all that counts in Quartet
    steps: int = 4_000_000  # of games, in each of which all players act
    envs: int = 64
    past: float = 0.15  # the share of games against past selves
    selves: int = 8  # past selves that are kept, and rated in the end
    matches: int = 120  # of which the ratings are made
    rollout: int = 96  # steps of each game between two updates
    epochs: int = 3
    minibatches: int = 8
    hidden: int = 64
    learning_rate: float = 1e-3
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.004
    threads: int = 1
    seed: int = 1

    def __post_init__(self) -> None:
        counts = ("steps", "envs", "rollout", "epochs", "minibatches", "selves", "matches")
        for name, least in {"seed": 0, **dict.fromkeys(counts, 1)}.items():
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be {least} or more")

    def vector_options(self) -> dict[str, Any]:
        """Options that learning and matches have in common."""
        return {
            "mode": None if self.mode < 0 else self.mode,
            "obs_type": "ram",
            "stack_num": 2,
            "num_threads": self.threads,
        }


class Player(nn.Module):
    """A policy and the value of states for all seats of a game.

    It standardises bytes of memory and their change by running means; what has never changed in
    training, such as the mode, is not looked at.
    """

    def __init__(self, settings: Settings, actions: int) -> None:
        super().__init__()
        first, last = map(int, settings.ram.split("-"))
        self.bytes, self.players = slice(first, last + 1), settings.players
        size, hidden = 2 * (last + 1 - first), settings.hidden
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("square", torch.ones(size))
        self.register_buffer("count", torch.tensor(1e-4))
        self.seats = nn.Linear(size, settings.players * 2 * hidden)
        self.policy = nn.Sequential(
            nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, actions)
        )
        self.value = nn.Sequential(nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1))
        nn.init.normal_(self.policy[-1].weight, std=0.01)

    def features(self, observations: Tensor, *, learn: bool = False) -> Tensor:
        """Memory (n, 2, 128) as the network takes it."""
        before, now = (observations[:, k, self.bytes].float() for k in (0, 1))
        begun = observations[:, 0].any(1, keepdim=True)  # else there is no frame before
        raw = torch.cat((now, (now - before) * begun), 1)
        if learn:
            self.count += len(raw)
            share = len(raw) / self.count
            self.mean += (raw.mean(0) - self.mean) * share
            self.square += (raw.square().mean(0) - self.square) * share
        variance = self.square - self.mean.square()
        scaled = (raw - self.mean) / variance.clamp(min=1e-2).sqrt()
        return torch.where(variance > 1e-2, scaled.clamp(-5, 5), 0.0)

    def forward(self, features: Tensor) -> tuple[Categorical, Tensor]:
        """Policies (n, players) and values (n, players)."""
        hidden = self.seats(features).tanh().unflatten(1, (self.players, 2, -1))
        policy = Categorical(logits=self.policy(hidden[:, :, 0]))
        return policy, self.value(hidden[:, :, 1]).squeeze(-1)

    def best(self) -> Policy:
        """This network's likeliest actions, as an arena wants them."""
        player = copy.deepcopy(self)

        def choose(observations: Any, seats: Any) -> Any:
            with torch.no_grad():
                policy, _ = player(player.features(torch.from_numpy(observations)))
            return policy.logits.argmax(-1).numpy()[range(len(seats)), seats]

        return choose


@dataclass
class Past:
    """Past version of a player."""

    minutes: float  # of CPU time that it had learned
    player: Player


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


class Games:
    """The learner's games, with itself and with its past selves."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        envs = AtariVectorEnv(
            settings.game,
            settings.envs,
            num_players=settings.players,
            autoreset_mode="SameStep",
            **settings.vector_options(),
        )
        self.actions = envs.num_actions[0]
        self.envs = envs.torch()
        self.observations, _ = self.envs.reset(seed=settings.seed)
        # In the first games the learner has one seat each.
        self.with_past = int(settings.past * settings.envs)
        self.mine = torch.ones(settings.envs, settings.players, dtype=torch.bool)
        for game in range(self.with_past):
            self.mine[game] = torch.arange(settings.players) == game % settings.players
        self.out = torch.zeros_like(self.mine)

    @torch.no_grad()
    def play(self, player: Player, past: Player) -> tuple[Rollout, Tensor]:
        """One rollout, and the values of where it leads."""
        steps, count = [], self.with_past
        seen = player.features(self.observations, learn=True)
        for _ in range(self.settings.rollout):
            policy, values = player(seen)
            actions = policy.sample()
            if count:
                theirs = past(past.features(self.observations[:count]))[0].sample()
                actions[:count] = torch.where(self.mine[:count], actions[:count], theirs)
            self.observations, rewards, terminated, truncated, _ = self.envs.step(actions)
            ends = terminated | truncated[:, None]
            learns = self.mine & ~self.out
            step = (seen, actions, policy.log_prob(actions), values, rewards.float())
            steps.append((*step, ends.float(), learns.float()))
            self.out = ends & ~ends.all(1, keepdim=True)  # who is out waits for the others
            seen = player.features(self.observations, learn=True)
        return Rollout(*map(torch.stack, zip(*steps, strict=True))), player(seen)[1]


def advantages_of(played: Rollout, last: Tensor, settings: Settings) -> Tensor:
    """Generalised advantage estimates, (steps, games, players)."""
    advantages = torch.zeros_like(played.rewards)
    advantage = torch.zeros_like(last)
    for t in reversed(range(len(advantages))):
        follows = last if t + 1 == len(advantages) else played.values[t + 1]
        goes_on = 1 - played.ends[t]
        delta = played.rewards[t] + settings.gamma * follows * goes_on - played.values[t]
        advantage = delta + settings.gamma * settings.gae_lambda * goes_on * advantage
        advantages[t] = advantage
    return advantages


def learn(player: Player, optimizer: Any, played: Rollout, last: Tensor, s: Settings) -> float:
    """Improve the player by what was played; the mean loss."""
    advantages = advantages_of(played, last, s)
    targets = advantages + played.values
    parts = (played.features, played.actions, played.log_probs, advantages, targets, played.learns)
    batch = [part.flatten(0, 1) for part in parts]
    losses = []
    for _ in range(s.epochs):
        for rows in torch.randperm(len(batch[0])).chunk(s.minibatches):
            features, actions, log_probs, advantages, targets, learns = (p[rows] for p in batch)
            policy, values = player(features)
            count = learns.sum()
            mean = (advantages * learns).sum() / count
            variance = ((advantages - mean).square() * learns).sum() / count
            advantages = (advantages - mean) / (variance.sqrt() + 1e-8)
            ratio = (policy.log_prob(actions) - log_probs).exp()
            gain = torch.min(ratio * advantages, ratio.clamp(1 - s.clip, 1 + s.clip) * advantages)
            each = 0.5 * (values - targets).square() - gain - s.entropy * policy.entropy()
            loss = (each * learns).sum() / count
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(player.parameters(), 0.5)
            optimizer.step()
            losses.append(loss.item())
    return sum(losses) / len(losses)


def train(games: Games, settings: Settings) -> list[Past]:
    """Learn, and print how it goes; the games are closed.

    Returns:
        Its past selves, and last what became of it.
    """
    torch.manual_seed(settings.seed)
    random.seed(settings.seed)
    player = Player(settings, games.actions)
    optimizer = torch.optim.Adam(player.parameters(), settings.learning_rate, eps=1e-5)
    steps = settings.envs * settings.rollout
    updates = max(1, settings.steps // steps)
    keep = max(1, updates // settings.selves)
    selves: list[Past] = []
    began = time.process_time()
    for update in range(updates):
        minutes = (time.process_time() - began) / 60
        if update % keep == 0:
            selves.append(Past(minutes, copy.deepcopy(player)))
        optimizer.param_groups[0]["lr"] = settings.learning_rate * (1 - update / updates)
        played, last = games.play(player, random.choice(selves).player)
        loss = learn(player, optimizer, played, last, settings)
        if update % 10 == 0 or update + 1 == updates:
            done, over = (update + 1) * steps, played.ends.all(2).sum().item()
            print(
                f"{done:>9,} steps  {minutes:5.1f} min of CPU time  "
                f"{over:>4.0f} games ended  loss {loss:7.4f}",
                flush=True,
            )
    games.envs.close()
    return [*selves, Past((time.process_time() - began) / 60, player)]


# ---- What came of it -----------------------------------------------------------------------------

LONGEST = {"max_num_frames_per_episode": 20_000}  # good players can go on for long


def rate(selves: list[Past], settings: Settings) -> tuple[Arena, Results]:
    """Matches between the selves and a player at random."""
    arena = Arena(settings.game, settings.players, **settings.vector_options(), **LONGEST)
    policies = {f"self {k}": past.player.best() for k, past in enumerate(selves)}
    policies["random"] = RandomPolicy(arena.num_actions, settings.seed)
    everything = lineups(list(policies), settings.players)
    few = random.sample(everything, min(settings.matches, len(everything)))
    games = max(1, settings.matches // len(few))
    return arena, arena.play(policies, lineups=few, games=games, seed=settings.seed)


def against_cartridge(player: Player, settings: Settings) -> None:
    """Print how it does in Quartet on the first seat, with the cartridge on the others."""
    print("\n| the cartridge's strength | last one left | undecided | mean return |")
    print("| --- | ---: | ---: | ---: |")
    for difficulty, strength in enumerate(("weak", "middle", "strong")):
        options = settings.vector_options() | {"mode": 3, "difficulty": difficulty} | LONGEST
        policies = {"trained": player.best()}
        results = Arena("quartet", 1, **options).play(policies, games=settings.matches)
        won = sum(match.returns[0] > 0 for match in results.matches) / len(results.matches)
        undecided = sum(match.truncated for match in results.matches) / len(results.matches)
        [it] = results.table()
        returns = f"{it.mean_return:.2f} ± {it.return_error:.2f}"
        print(f"| {strength} | {won:.0%} | {undecided:.0%} | {returns} |")


def draw(selves: list[Past], results: Results, settings: Settings, file: Path) -> None:
    """The ratings over the time of learning."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    ratings = results.matrix().elo()
    names = {f"self {k}": past.minutes for k, past in enumerate(selves)}
    rated = [name for name in names if name in ratings]  # few matches may leave some out
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(
        [names[name] for name in rated],
        [ratings[name].value for name in rated],
        marker="o",
        label="past selves",
    )
    if "random" in ratings:
        axes.axhline(0, color="gray", linestyle="--", label="random actions")
    axes.set_xlabel("minutes of CPU time")
    axes.set_ylabel("rating (Elo's scale)")
    axes.set_title(f"Self-play in {settings.game}, {settings.players} players")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(file, dpi=120)


def main() -> None:
    """The command line: every setting is an option."""
    parser = argparse.ArgumentParser(
        description="PPO by self-play.", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    for name, default in vars(Settings()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    parser.add_argument("-o", "--output", type=Path, help="folder for curve, film and networks")
    arguments = vars(parser.parse_args())
    output = arguments.pop("output")
    try:
        settings = Settings(**arguments)
        games = Games(settings)
    except (OSError, ValueError) as problem:  # no such game, ROM file, mode, number of players
        parser.error(str(problem))
    if output:  # needed only when it has learned: should it be missing, say so now
        importlib.import_module("matplotlib")
    torch.set_num_threads(settings.threads)

    selves = train(games, settings)
    player = selves[-1].player
    if output:
        output.mkdir(parents=True, exist_ok=True)
        states = [(past.minutes, past.player.state_dict()) for past in selves]
        torch.save(states, output / "selves.pt")
    arena, results = rate(selves, settings)
    print(f"\n{results}")
    for name, rating in results.matrix().elo().items():
        print(f"rating of {name}: {rating}")
    if settings.game == "quartet":
        against_cartridge(player, settings)
    if output:
        draw(selves, results, settings, output / "ratings.png")
        best = results.table()[0].name
        match = next(match for match in results.matches if best in match.lineup)
        arena.film(match, output / "match.gif", steps=300)


if __name__ == "__main__":
    main()
