"""Writes docs/images/vector.webp: 32 games that one vector plays, a call for each picture.

    python docs/tools/film_vector.py

Needs the games' ROM images and Pillow.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from pyale_ma.vector import AtariVectorEnv

FILE = Path(__file__).parents[1] / "images" / "vector.webp"
COLUMNS, ROWS = 8, 4
SIZE = (72, 84)  # of a game in the film
PICTURES = 34
BEFORE = 40  # steps until the film begins
GAMES = (
    (
        "pong quartet breakout seaquest ms_pacman qbert enduro space_invaders "
        "montezuma_revenge pitfall freeway boxing frostbite hero asterix alien "
        "demon_attack jamesbond kangaroo krull river_raid road_runner tennis venture "
        "video_pinball wizard_of_wor zaxxon gopher battle_zone amidar atlantis berzerk"
    )
    .replace("river_raid", "riverraid")
    .split()
)


def main() -> None:
    """Play and write the film."""
    envs = AtariVectorEnv(
        games=GAMES,
        grayscale=False,
        stack_num=1,
        img_height=SIZE[1],
        img_width=SIZE[0],
        noop_max=1,
        frameskip=4,
    )
    observations, _ = envs.reset(seed=1)
    envs.action_space.seed(1)
    pictures = []
    for step in range(BEFORE + PICTURES):
        if step % 2 == 0:
            actions = envs.action_space.sample()
        observations, *_ = envs.step(actions)
        if step >= BEFORE:
            screens = observations[:, 0].reshape(ROWS, COLUMNS, SIZE[1], SIZE[0], 3)
            wall = np.ascontiguousarray(screens.transpose(0, 2, 1, 3, 4))
            pictures.append(Image.fromarray(wall.reshape(ROWS * SIZE[1], COLUMNS * SIZE[0], 3)))
    pictures[0].save(
        FILE, save_all=True, append_images=pictures[1:], duration=80, loop=0, quality=32, method=6
    )
    print(f"{FILE}: {FILE.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
