"""Plays on after the ends of episodes, and looks at idle ones: two parts of audit_rules.py.

After ends: a card that knows no end plays beside the game, with the same actions, and its RAM must
be the same until the end.  From there, copies of it are played by several policies.  If the first
change of the score is a rise, points were still to come, or the game went on.

Idle: two minutes without an action, and ten seconds more in which the pictures are counted.
"""

from __future__ import annotations

import itertools
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from audit_screen import lead, places, scores_of

from pyale_ma import _native, roms
from pyale_ma._native import Env, Pixels, Rules
from pyale_ma.games import cards

GAMES = Path(__file__).parents[2] / "libale" / "src" / "games"
AFTER = 2000  # frames that are played after an end
LONGEST = 20_000  # frames within which an end must come
IDLE, WATCHED = 7200, 600  # frames without an action, and those of which the pictures are counted
ENDS = ((0, 4), (1, 15), (2, 60))  # seeds and longest holds of the policies that bring ends
# How a reset selects the mode: not at all, at once, after a press of SELECT.
SELECTIONS = ("", '[select]\nuntil = "1"', '[select]\nuntil = "1"\nfirst_press = 1')

Policy = Callable[[list[int], int, int], Iterator[int]]


def starting_actions(game: str) -> list[str]:
    """Return the actions after each reset, as the game's C file lists them."""
    text = (GAMES / f"{game}.c").read_text(encoding="utf-8")
    found = re.search(r"starting_actions\[(\w*)\] = \{(.*?)\}", text, re.DOTALL)
    if not found:
        return []
    actions: list[str] = []
    for index, name in re.findall(r"(?:\[(\d+)\] = )?ACTION_(\w+)", found[2]):
        actions += ["NOOP"] * (int(index or len(actions)) - len(actions)) + [name]
    size = re.search(rf"{found[1]} = (\d+)", text) if found[1].isidentifier() else None
    length = int(size[1]) if size else int(found[1] or 0)
    return actions + ["NOOP"] * (length - len(actions))


def endless(env: Env, game: str) -> Env | None:
    """Return the same game without ends, reset like `env`; None: no card plays like it."""
    mode = env.report.mode
    image = roms.read(roms.find_rom(game))
    for selection in SELECTIONS:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "endless.toml"
            file.write_text(
                f'name = "endless"\nmd5 = "{_native.games()[game].md5}"\nmodes = [{mode}]\n'
                f"starting_actions = {starting_actions(game)}\n{selection}\n",
                encoding="utf-8",
            )
            rom = cards.shared_rom(image, cards.load_card(file))
        twin = Env(rom, rules=Rules.SOLO, random_seed=1, repeat_action_probability=0.0)
        twin.reset()
        if np.array_equal(twin.ram, env.ram):
            return twin
    return None


def later(env: Env, game: str, actions: list[int], policy: Policy) -> dict[str, Any]:
    """Return by how much scores rise after ends, and after how many frames."""
    labels = scores_of(game)
    if not labels:
        return {"why": "no label"}
    ends = 0
    rises: list[list[Any]] = []
    for seed, hold in ENDS:
        env.reload(1)
        env.reset()
        twin = endless(env, game)
        if twin is None:
            return {"why": "no card"}
        choices = policy(actions, hold, seed)
        for _ in range(LONGEST):
            action = next(choices)
            env.act_alone(action)
            twin.act_alone(action)
            if env.report.terminated:
                break
        if not np.array_equal(twin.ram, env.ram):
            return {"why": "the card plays differently"}
        if not env.report.terminated:
            continue
        ends += 1
        if not lead(labels, twin.ram):  # a new game would not show as a fall
            for byte, shift in places(labels[0]):
                twin.set_ram(byte, (int(twin.ram[byte]) & ~(15 << shift) & 255) | 1 << shift)
        state = twin.saved(_native.State, include_random=True)
        still: list[tuple[str, Iterator[int]]] = [("nothing", itertools.repeat(0))]
        still += [(f"held {n}", policy(list(range(18)), n, 7)) for n in (1, 15)]
        still += [(f"without FIRE {n}", policy([0, *range(2, 10)], n, 7)) for n in (4, 60)]
        for name, moves in still:
            twin.restore(state)
            before = lead(labels, twin.ram)
            for frame in range(AFTER):
                twin.act_alone(next(moves))
                score = lead(labels, twin.ram)
                if score != before:
                    if score > before:
                        rises.append([name, frame, before, score])
                    break
    return {"ends": ends, "rises": rises}


def idle(env: Env) -> dict[str, int]:
    """Return how many pictures an idle player sees; those that differ in colours only are one."""
    for _ in range(IDLE):
        env.act_alone(0)
    pictures = set()
    for _ in range(WATCHED):
        env.act_alone(0)
        screen = env.screen(Pixels.INDEXED)
        pictures.add((screen[:, 1:] != screen[:, :-1]).tobytes())
    return {"pictures": len(pictures)}
