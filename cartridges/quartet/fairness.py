"""Whether all sides of Quartet are equally good: many games of melee, four players, all at random.

python cartridges/quartet/fairness.py --games 10000

prints each side's mean return and how often it was the last one left, with standard errors.  Games
are counted as they begin, a fixed number in each environment: counting the first to end would
prefer short ones.
"""

from __future__ import annotations

import argparse

import numpy as np

from pyale_ma.multi.quartet_v0 import MODES
from pyale_ma.vector import AtariVectorEnv

SIDES = ("left", "right", "top", "bottom")
ENVIRONMENTS = 50


def play(games: int, seed: int, threads: int = 1) -> np.ndarray:
    """The returns of all sides in `games` games (rounded up to the number of environments)."""
    envs = AtariVectorEnv(
        "quartet",
        ENVIRONMENTS,
        num_players=len(SIDES),
        mode=MODES[len(SIDES)]["melee"],
        obs_type="ram",
        stack_num=1,
        noop_max=1,
        reward_clipping=False,
        autoreset_mode="SameStep",
        num_threads=threads,
    )
    rng = np.random.default_rng(seed)
    rounds = -(-games // ENVIRONMENTS)
    returns = np.zeros((rounds + 1, ENVIRONMENTS, len(SIDES)), int)
    played = np.zeros(ENVIRONMENTS, int)
    every = np.arange(ENVIRONMENTS)
    envs.reset(seed=seed)
    while played.min() < rounds:
        actions = rng.integers(envs.num_actions[0], size=(ENVIRONMENTS, len(SIDES)))
        _, rewards, terminations, truncations, _ = envs.step(actions)
        returns[np.minimum(played, rounds), every] += rewards
        played += terminations.all(axis=1) | truncations
    envs.close()
    return returns[:rounds].reshape(-1, len(SIDES))


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    returns = play(arguments.games, arguments.seed, arguments.threads)
    won = returns > 0  # the others have lost all five lives
    root = len(returns) ** 0.5
    print(f"{len(returns)} games")
    for side, gained, last in zip(SIDES, returns.T, won.T, strict=True):
        print(
            f"{side:8} return {gained.mean():+.3f} (standard error {gained.std() / root:.3f}), "
            f"last left in {last.mean():.2%} ({last.std() / root:.2%})"
        )


if __name__ == "__main__":
    main()
