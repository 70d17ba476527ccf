"""Measure the planner against random play, as docs/opponents.md has it.

    pip install '.[roms]'
    python -m league planner                      # all contests of planner.toml
    python -m league planner joust_v3 --matches 200

The same arguments play the same matches.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

from pyale_ma.evaluation import Arena, duels
from pyale_ma.opponents import Contest, contest
from pyale_ma.opponents.planner import planner_settings

PLANNER, OTHERS = "planner", "random"
HEAD = """\
| game | mode | score | by seat | lead | matches | ms |
| --- | ---: | --- | --- | ---: | ---: | ---: |"""


def row(played: Contest, matches: int, frames: int, seed: int) -> str:
    """Play matches, the planner alone on each seat in turn, and return a row of the table."""
    lineups = [it for it in duels(PLANNER, OTHERS, played.players) if it.count(PLANNER) == 1]
    arena = Arena(
        played.game,
        played.players,
        mode=played.mode,
        obs_type="ram",
        stack_num=1,
        num_envs=16,
        num_threads=1,
        max_num_frames_per_episode=frames,
    )
    began = time.process_time()
    results = arena.play(
        {PLANNER: PLANNER, OTHERS: OTHERS},
        lineups=lineups,
        games=-(-matches // len(lineups)),
        seed=seed,
    )
    seconds = time.process_time() - began
    (standing,) = (it for it in results.table() if it.name == PLANNER)
    seats = np.array([it.lineup.index(PLANNER) for it in results.matches])
    returns = np.array([it.returns for it in results.matches], float)
    own = returns[np.arange(len(seats)), seats]
    leads = own - (returns.sum(axis=1) - own) / (played.players - 1)
    # A player's own seat counts as a draw with itself.
    won = np.sign(own[:, None] - returns).sum(axis=1) / (played.players - 1) / 2 + 0.5
    by_seat = ", ".join(f"{won[seats == seat].mean():.2f}" for seat in range(played.players))
    error = leads.std(ddof=1) / len(leads) ** 0.5
    steps = sum(len(it.actions) for it in results.matches)
    hold = planner_settings().get(played.stem, {}).get("hold", 4)
    return (
        f"| {played.game} | {played.mode} | {standing.score:.3f} ({standing.low:.3f}-"
        f"{standing.high:.3f}) | {by_seat} | {leads.mean():+.1f} +- {error:.1f} | {len(won)} | "
        f"{1000 * seconds * hold / steps:.1f} |"
    )


def main(arguments: Sequence[str]) -> None:
    """`python -m league planner`."""
    parser = argparse.ArgumentParser(
        prog="python -m league planner", description="Measure the planner against random play."
    )
    parser.add_argument("games", nargs="*", help="contests by name; all of planner.toml")
    parser.add_argument("--players", type=int, help="of the games that are named")
    parser.add_argument("--matches", type=int, default=32)
    parser.add_argument("--frames", type=int, default=1500, help="of a match, at most")
    parser.add_argument("--seed", type=int, default=0, help="of the first match")
    chosen = parser.parse_args(arguments)
    stems = [stem.rsplit("-", 2) for stem in planner_settings()]
    played = [contest(game, chosen.players) for game in chosen.games] or [
        contest(game, int(players), int(mode)) for game, players, mode in stems
    ]
    print(HEAD, flush=True)
    for each in played:
        print(row(each, chosen.matches, chosen.frames, chosen.seed), flush=True)
