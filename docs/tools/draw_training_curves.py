"""Draws docs/images/training_curves.png of training_curves.json beside it.

    python docs/tools/draw_training_curves.py
    python docs/tools/draw_training_curves.py --measure runs/pong-2-4 runs2/pong-2-4 ...

With ``--measure`` it first plays the matches anew and writes the JSON: the past selves in the
checkpoints of these folders, in which ``python -m league`` has trained, play random play and the
player at the end of the first training of their game.  Needs matplotlib; to measure, PyTorch.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyale_ma._base.files import written_aside
from pyale_ma.evaluation import RandomPolicy
from pyale_ma.opponents import Contest, TrainedPolicy

ROOT = Path(__file__).parents[2]
IMAGE = ROOT / "docs" / "images" / "training_curves.png"
DATA = IMAGE.with_suffix(".json")
OPPONENTS = {"random": "random play", "final": "the final player of the first training"}
COLORS = {"random": "tab:blue", "final": "tab:red"}
STYLES = ("-", "--", ":", "-.")  # of the trainings


def measured(folders: Sequence[Path], points: int, matches: int, frames: int) -> dict[str, Any]:
    """Return the data to draw.

    Args:
        folders: Of trainings; the first of a game is the one that has the final player.
        points: At most so many past selves of each, at equal distances, beside the final one.
        matches: Of each against each opponent.
        frames: After how many a match is ended.
    """
    sys.path.append(str(ROOT))  # where league/ is; behind the installed package
    from league.export import arena_for, duel, players_of
    from league.training import CHECKPOINT, Past, read_checkpoint

    final: dict[Contest, TrainedPolicy] = {}
    runs = []
    for folder in folders:
        state = read_checkpoint(folder / CHECKPOINT)
        contest, settings = Contest(**state["contest"]), state["settings"]
        now = Past(state["update"], state["minutes"], state["learner"]["network"])
        selves = [it for it in (Past(**it) for it in state["selves"]) if it.update < now.update]
        chosen = [*selves[:: -(-len(selves) // points)], now]
        names = [str(past.update) for past in chosen]
        trained = players_of(contest, dict(zip(names, chosen, strict=True)))
        arena = arena_for(contest, frames, matches)
        players = [TrainedPolicy(trained, name) for name in names]
        final.setdefault(contest, players[-1])
        random = RandomPolicy(arena.num_actions)
        run: dict[str, Any] = {
            **state["contest"],
            "seed": settings["seed"],
            "steps": [past.update * settings["envs"] * settings["rollout"] for past in chosen],
        }
        for name, other in (("random", random), ("final", final[contest])):
            found = [duel(arena, each, other, matches) for each in players]
            run[name] = [[round(it, 4) for it in (one.score, one.low, one.high)] for one in found]
        print(folder, run["random"][-1], run["final"][-1], flush=True)
        runs.append(run)
    return {"matches": matches, "frames": frames, "runs": runs}


def write(data: dict[str, Any]) -> None:
    """Write the JSON, a line for each training."""
    runs = ",\n  ".join(map(json.dumps, data["runs"]))
    rest = json.dumps({name: value for name, value in data.items() if name != "runs"})
    with written_aside(DATA) as aside:
        aside.write_text(f'{rest[:-1]}, "runs": [\n  {runs}\n]}}\n', encoding="utf-8")


def draw(data: dict[str, Any]) -> None:
    """Draw the picture: a part for each game, a line for each training and opponent."""
    from matplotlib.figure import Figure

    contests = list(dict.fromkeys(contest_of(run) for run in data["runs"]))
    figure = Figure(figsize=(3.6 * len(contests), 3.8), layout="constrained")
    parts = figure.subplots(1, len(contests), sharey=True, squeeze=False)[0]
    for axes, contest in zip(parts, contests, strict=True):
        runs = [run for run in data["runs"] if contest_of(run) == contest]
        for run, style in zip(runs, STYLES, strict=False):
            steps = [step / 1e6 for step in run["steps"]]
            for name, color in COLORS.items():
                scores, low, high = zip(*run[name], strict=True)
                label = f"seed {run['seed']} against {OPPONENTS[name]}"
                axes.plot(steps, scores, style, color=color, linewidth=1.3, label=label)
                axes.fill_between(steps, low, high, color=color, alpha=0.12, linewidth=0)
        axes.axhline(0.5, color="0.6", linewidth=0.7, zorder=0)
        axes.set_title(str(contest), fontsize=10)
        axes.set_xlabel("million steps")
    parts[0].set_ylim(0, 1.02)
    parts[0].set_ylabel("score")
    most = max(parts, key=lambda axes: len(axes.lines))  # a game may have fewer trainings
    figure.legend(
        *most.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8
    )
    with written_aside(IMAGE) as aside:
        figure.savefig(aside, dpi=120)


def contest_of(run: dict[str, Any]) -> Contest:
    """Return the contest that a run trained for."""
    return Contest(run["game"], run["players"], run["mode"])


def main() -> None:
    """Measure, if asked to, and draw."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--measure", type=Path, nargs="+", metavar="FOLDER", help="of trainings")
    parser.add_argument(
        "--points", type=int, default=6, help="past selves of each training, at most"
    )
    parser.add_argument("--matches", type=int, default=40, help="of each pair")
    parser.add_argument("--match-frames", type=int, default=2000, help="that a match may take")
    options = parser.parse_args()
    if options.measure:
        write(measured(options.measure, options.points, options.matches, options.match_frames))
    draw(json.loads(DATA.read_text(encoding="utf-8")))
    print(IMAGE)


if __name__ == "__main__":
    main()
