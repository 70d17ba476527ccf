"""Writes docs/games/films and docs/games/stills: a film and a picture of each game.

    python docs/tools/film_games.py [GAME ...]

A film is five seconds of random play: those of the first minute in which most rewards come, or most
changes where none do.  It shows exactly what the screen showed, twenty times a second, in a file
without loss; each pixel of the console is two wide, as on a television.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import numpy as np
import numpy.typing as npt
from measure_games import players_of
from PIL import Image

from pyale_ma import _native, roms
from pyale_ma._native import Env, Pixels

FOLDER = Path(__file__).parents[1] / "games"
FRAMES_PER_PICTURE = 3  # of 60 a second; odd, as many games show objects in every other frame
PICTURES = 100
SEARCHED = 1200  # pictures of random play
ACTION_FRAMES = 8  # an action lasts

Picture = npt.NDArray[np.uint8]


def random_play(game: _native.Game, pictures: int) -> tuple[list[Picture], list[int], Picture]:
    """So many screens, the number of rewards up to each of them, and the palette."""
    rom = _native.Rom(roms.read(roms.find_rom(game.name)))
    rules, players = players_of(game)
    env = Env(rom, rules=rules, random_seed=0)
    env.set_mode(game.modes(rules, players)[0])
    env.reset()
    random = np.random.default_rng(0)
    actions = _native.bits(env.info.minimal_actions)
    screens, rewards, count = [], [], 0
    for frame in range(pictures * FRAMES_PER_PICTURE):
        if frame % ACTION_FRAMES == 0:
            env.actions[:players] = random.choice(actions, players).tolist()
        env.act(players)
        count += any(env.report.rewards[:players])
        if env.report.terminated:
            env.reset()
        if frame % FRAMES_PER_PICTURE == FRAMES_PER_PICTURE - 1:
            screens.append(env.screen(Pixels.INDEXED).copy())
            rewards.append(count)
    return screens, rewards, env.palette(Pixels.RGB).copy()


def scene(game: _native.Game) -> tuple[list[Image.Image], int]:
    """The pictures of a film, and which of them shows most."""
    screens, rewards, palette = random_play(game, SEARCHED)
    starts = range(SEARCHED - PICTURES + 1)
    changed = [0, *(int(np.count_nonzero(a != b)) for a, b in itertools.pairwise(screens))]
    changes = np.cumsum(changed).tolist()
    ends = PICTURES - 1
    start = max(
        starts, key=lambda i: (rewards[i + ends] - rewards[i], changes[i + ends] - changes[i])
    )
    screens = screens[start : start + PICTURES]
    edges = [np.count_nonzero(screen[:, 1:] != screen[:, :-1]) for screen in screens]
    pictures = [Image.fromarray(palette[screen.repeat(2, axis=1)]) for screen in screens]
    return pictures, int(np.argmax(edges))


def write(game: _native.Game) -> None:
    """The two files of a game."""
    pictures, still = scene(game)
    pictures[0].save(
        FOLDER / "films" / f"{game.name}.webp",
        save_all=True,
        append_images=pictures[1:],
        duration=round(1000 * FRAMES_PER_PICTURE / 60),
        loop=0,
        lossless=True,
        quality=80,
        method=4,
        minimize_size=True,
    )
    file = FOLDER / "stills" / f"{game.name}.webp"
    pictures[still].save(file, lossless=True, quality=100, method=6)


def main() -> None:
    """Write what is missing, or what is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", nargs="*", help="film these anew")
    wanted = [roms.known_game(name) for name in parser.parse_args().game]
    for folder in ("films", "stills"):
        (FOLDER / folder).mkdir(exist_ok=True)
    for name, game in _native.games().items():
        file = FOLDER / "films" / f"{name}.webp"
        if name in wanted or (not wanted and not file.exists()):
            write(game)


if __name__ == "__main__":
    main()
