"""Measure the cost of trained opponents: a `VersusVectorEnv` over the bare vector.

    python benchmarks/opponents.py
    python benchmarks/opponents.py wizard_of_wor boxing --level weak

64 games on one thread, in which the agent plays at random; the bare vector plays the same games
once more, with the actions of opponents who decided in Python.  Both take turns in short blocks, in
processor time.  Decisions are those of one core in a second, for 64 games at once in Python.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pyale_ma import opponents
from pyale_ma.opponents import TrainedPolicy, VersusVectorEnv
from pyale_ma.opponents.policies import Turn
from pyale_ma.vector import AtariVectorEnv

GAMES = ("pong", "boxing", "quartet")
ENVS = 64


def seconds(work: Callable[[], Any], times: int) -> float:
    """Of the processor, for one time."""
    began = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - began) / times


class InPython(TrainedPolicy):
    """A player whose decisions, which are the same, the vector is told."""


def play(env: VersusVectorEnv, agents: Iterator[Any]) -> None:
    """One step."""
    env.step(next(agents))


def overhead(game: str, player: TrainedPolicy, steps: int, rounds: int) -> float:
    """The time of opponents, over that of the bare vector, which then plays the same games."""
    known = InPython(player.trained, player.level, player.action_set)
    versus, told = (VersusVectorEnv(game, ENVS, each, num_threads=1) for each in (player, known))
    played, actions = told.envs, deque[Any]()
    bare = AtariVectorEnv(
        played.games[0],
        ENVS,
        num_players=played.num_players,
        mode=int(played._modes[0]),
        num_threads=1,
    )
    step = played.step

    def step_and_keep(every: Any) -> Any:
        actions.append(every.copy())
        return step(every)

    vars(played)["step"] = step_and_keep
    rng, ratios = np.random.default_rng(0), []
    for env in (versus, told, bare):
        env.reset(seed=0)
    # In the first round the vector finds out which way to pictures is faster.
    for count in (128, *[steps] * rounds):
        agents = rng.integers(versus.num_actions, size=(count, ENVS))
        for chosen in agents:
            told.step(chosen)
        ours = seconds(functools.partial(play, versus, iter(agents)), count)
        theirs = seconds(lambda: bare.step(actions.popleft()), count)
        ratios.append(ours / theirs - 1)
    for env in (versus, told, bare):
        env.close()
    return statistics.median(ratios[1:])


def decisions(player: TrainedPolicy, times: int) -> float:
    """Return the decisions that one core makes in a second."""
    rng = np.random.default_rng(0)
    rams = rng.integers(256, size=(ENVS, 128), dtype=np.uint8)
    seats, begin = np.arange(ENVS) % player.trained.players, np.zeros(ENVS, np.bool_)
    turn = Turn(np.arange(ENVS), begin, [rng] * ENVS, [None] * ENVS)
    each = seconds(lambda: player(rams, seats, turn=turn), times)
    return ENVS / each


def main() -> None:
    """Measure each game."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--level", default="strong", help="of the opponents")
    parser.add_argument("--quick", action="store_true", help="see whether it works")
    options = parser.parse_args()
    steps, rounds = (2, 2) if options.quick else (50, 9)
    print("| game | over the bare vector | decisions a second |\n| --- | ---: | ---: |")
    for game in options.games:
        player = opponents.load(game, options.level)
        assert isinstance(player, TrainedPolicy)
        more = overhead(game, player, steps, rounds)
        rate = decisions(player, 20 * steps)
        print(f"| {game} | {more:.3f} | {rate:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
