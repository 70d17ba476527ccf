"""Print what examples/c/vector.c prints for a ROM image and a step count, by the package.

    python .ci/play_vector.py ROM STEPS

Its games begin with seeds 0, 1 and so on, and its actions are those of a small generator.
"""

import sys
from pathlib import Path

import numpy as np

from pyale_ma.vector import AtariVectorEnv

game, steps = Path(sys.argv[1]).stem, int(sys.argv[2])
envs = AtariVectorEnv(game, 64, extra_infos=["episode"])
envs.reset(seed=0)
state, episodes, returned = 1, 0, 0
for _ in range(steps):
    actions = []
    for _ in range(envs.num_envs):
        state = (state * 1664525 + 1013904223) % 2**32
        actions.append((state >> 16) % envs.num_actions[0])
    *_, infos = envs.step(np.array(actions))
    if "episode" in infos:
        episodes += int(infos["_episode"].sum())
        returned += int(infos["episode"]["r"][infos["_episode"]].sum())
print(f"{episodes} episodes, which returned {returned} together")
