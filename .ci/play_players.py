"""Print what examples/c/players.c prints for a ROM image, a number of players and a seed.

    python .ci/play_players.py ROM PLAYERS SEED

The C program draws its actions by the `rand` of its C library, which is asked here, too.
"""

import ctypes
import sys

from pyale_ma.single import ALEInterface

rom, players, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ale = ALEInterface()
ale.setInt("random_seed", seed)
ale.setInt("frame_skip", 4)
ale.setInt("max_num_frames_per_episode", 20000)
ale.loadROM(rom)
modes = ale.getAvailableModes(players)
print(f"{len(modes)} modes, of which this is {modes[0]}")
ale.setMode(modes[0])
ale.reset_game()
libc = ctypes.CDLL(None)
libc.srand(seed)
scores = [0] * players
while not ale.game_over():
    rewards = ale.act([libc.rand() % 18 for _ in range(players)])
    scores = [score + reward for score, reward in zip(scores, rewards, strict=True)]
for player, (score, lives) in enumerate(zip(scores, ale.allLives(), strict=True)):
    print(f"player {player}: score {score}, {lives} lives left")
