"""PPO learns a game from its labels, and from all RAM: the same program, the same network.

    pip install '.[roms,torch]' matplotlib
    python labels_vs_ram.py -o curves.png
    python labels_vs_ram.py --game boxing --steps 300000 --seeds 5

`ppo_pong.py` learns.  This program calls it for each seed with both kinds of observations, and
compares the curves.  Labels (docs/labels.md) are a few numbers with a meaning.  RAM is 128 bytes,
and these numbers are in some of them.  Only the learning rates differ.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
from dataclasses import replace
from pathlib import Path

import torch
from ppo_pong import Settings, make_envs, train

# Adam changes each weight by about the learning rate.  A unit that sums up a few labels needs
# larger changes than one that sums up all RAM.
LEARNING_RATES = {"ram": 1e-3, "labels": 3e-3}
Curve = list[tuple[int, float, float]]  # steps, seconds, mean return of 100 episodes


def table(curves: dict[str, list[Curve]], rows: int = 6) -> str:
    """The returns after so many steps, in Markdown: the mean of the seeds, the least and the most.

    Args:
        curves: Those of all seeds, by kind.
        rows: How many numbers of steps there are.
    """
    lines = ["| steps | " + " | ".join(curves) + " |", "| --- " * (1 + len(curves)) + "|"]
    length = min(len(curve) for seeds in curves.values() for curve in seeds)
    rows = min(rows, length)
    for row in range(1, rows + 1):
        at = row * length // rows - 1
        cells = []
        for seeds in curves.values():
            returns = [curve[at][2] for curve in seeds]
            cells.append(
                f"{statistics.mean(returns):.1f} ({min(returns):.1f} to {max(returns):.1f})"
            )
        steps = next(iter(curves.values()))[0][at][0]
        lines.append(f"| {steps:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(curves: dict[str, list[Curve]], game: str, file: Path) -> None:
    """The curves as a picture: a line for each kind, and a band from the worst seed to the best."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for kind, seeds in curves.items():
        steps = [point[0] for point in seeds[0]]
        columns = [[point[2] for point in points] for points in zip(*seeds, strict=True)]
        axes.plot(steps, [statistics.mean(column) for column in columns], label=kind)
        axes.fill_between(steps, [*map(min, columns)], [*map(max, columns)], alpha=0.25)
    axes.set_xlabel("steps")
    axes.set_ylabel("return, mean of 100 episodes")
    axes.set_title(f"PPO on {game}: {len(seeds)} seeds")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(file, dpi=120)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Labels against RAM.", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--game", default="pong", help="a game with labels")
    parser.add_argument("--steps", type=int, default=800_000, help="of each run")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each kind")
    parser.add_argument("--envs", type=int, default=64, help="of the vector")
    parser.add_argument("--rollout", type=int, default=128, help="steps between two updates")
    parser.add_argument("--json", type=Path, help="where to write the curves after each run")
    parser.add_argument("-o", "--output", type=Path, help="where to draw the curves")
    arguments = parser.parse_args()
    if arguments.output:
        importlib.import_module("matplotlib")  # should it be missing, say so now, not in the end
    torch.set_num_threads(1)
    try:
        settings = Settings(
            game=arguments.game,
            steps=arguments.steps,
            envs=arguments.envs,
            rollout=arguments.rollout,
        )
        runs = [
            replace(settings, observations=kind, learning_rate=rate, seed=seed)
            for seed in range(1, arguments.seeds + 1)
            for kind, rate in LEARNING_RATES.items()
        ]
        vectors = [make_envs(run) for run in runs]
    except (OSError, ValueError) as problem:  # no such game, ROM file, labels
        parser.error(str(problem))
    curves: dict[str, list[Curve]] = {kind: [] for kind in LEARNING_RATES}
    for envs, run in zip(vectors, runs, strict=True):
        print(f"{run.game} from {run.observations}, seed {run.seed}", flush=True)
        curves[run.observations].append(train(envs, run))
        if arguments.json:
            arguments.json.write_text(json.dumps(curves), encoding="utf-8")
    print(table(curves))
    if arguments.output:
        draw(curves, arguments.game, arguments.output)


if __name__ == "__main__":
    main()
