"""Print what examples/c/play.c prints for a ROM image and a seed, by the Python package.

    python .ci/play.py ROM SEED

The C program draws its actions by the `rand` of its C library, which is asked here, too.
"""

import ctypes
import sys

from pyale_ma.single import ALEInterface

rom, seed = sys.argv[1], int(sys.argv[2])
ale = ALEInterface()
ale.setInt("random_seed", seed)
ale.setInt("frame_skip", 4)
ale.setInt("max_num_frames_per_episode", 108000)
ale.loadROM(rom)
actions = ale.getMinimalActionSet()
libc = ctypes.CDLL(None)
libc.srand(seed)
score = 0
while not ale.game_over():
    score += ale.act(actions[libc.rand() % len(actions)])
print(f"score {score} in {ale.getEpisodeFrameNumber()} frames, {ale.lives()} lives left")
