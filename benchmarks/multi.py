"""Several agents on one core: `parallel_env.step` of ours against PettingZoo's, in the same run.

python benchmarks/multi.py [--obs rgb_image ram] [--record]

PettingZoo's environments run on multi-agent-ale-py.  Episodes that end are started anew.
"""

from __future__ import annotations

import argparse
import importlib
import tempfile
import warnings
from pathlib import Path
from typing import Any

from timing import Table, Work, add_record_option, microseconds, progress

from pyale_ma import roms

CASES: list[tuple[str, dict[str, Any]]] = [
    ("pong_v3", {"num_players": 2}),
    ("pong_v3", {"num_players": 4}),
    ("warlords_v3", {}),
    ("space_invaders_v2", {}),
    ("boxing_v2", {}),
]
OBS_TYPES = ("rgb_image", "grayscale_image", "ram")


def stepping(env: Any) -> Work:
    """Steps with actions that change all the time."""
    env.reset(seed=1)
    count = int(env.action_space("first_0").n)
    cycle = [
        {agent: (i * 7 + 3 * p) % count for p, agent in enumerate(env.possible_agents)}
        for i in range(count)
    ]

    def work(steps: int) -> None:
        for i in range(steps):
            env.step(cycle[i % count])
            if not env.agents:
                env.reset()

    return work


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--obs", nargs="+", choices=OBS_TYPES, default=["rgb_image", "ram"])
    add_record_option(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for obs in arguments.obs:
            table = Table(f"parallel_env.step(), {obs}", reference="PettingZoo")
            for done, (name, own) in enumerate(CASES):
                label = " ".join([name, *(f"{key}={value}" for key, value in own.items())])
                progress(done, len(CASES), f"{label} {obs}")
                game = name.rpartition("_")[0]
                link = Path(folder, f"{game}.bin")
                if not link.exists():
                    link.symlink_to(roms.find_rom(game))
                theirs = importlib.import_module(f"pettingzoo.atari.{name}")
                ours = importlib.import_module(f"pyale_ma.multi.{name}")
                sides = [
                    theirs.parallel_env(obs_type=obs, auto_rom_install_path=folder, **own),
                    ours.parallel_env(obs_type=obs, **own),
                ]
                table.add(label, *microseconds([stepping(side) for side in sides]))
            progress(1, 1, "")
            print(table, end="\n\n")
            if arguments.record:
                table.record(arguments.record, f"multi {obs}", f"multi.py --obs {obs}")


if __name__ == "__main__":
    main()
