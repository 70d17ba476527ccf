"""3-D Tic-Tac-Toe for two, which no other package has: who wins is seen on the board."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from multi.reference import our_module

FIRE, UP, RIGHT, LEFT, DOWN = 1, 2, 3, 4, 5
INK = 142  # of the pieces and the grid
SHAPES = {
    "x": ("#..#...", ".#.#...", "..##...", "...#...", "...##..", "...#.#.", "...#..#"),
    "o": ("###...", "#..#..", ".#..#.", ".#..#.", "..#..#", "..#..#", "...###"),
}
SQUARES = list(itertools.product(range(4), repeat=3))  # board, row, column


def rows() -> list[list[tuple[int, ...]]]:
    """The 76 rows of four."""
    found = []
    for step in itertools.product((-1, 0, 1), repeat=3):
        if step <= (0, 0, 0):
            continue
        for start in SQUARES:
            row = [tuple(s + i * d for s, d in zip(start, step, strict=True)) for i in range(4)]
            if all(0 <= c < 4 for square in row for c in square):
                found.append(row)
    return found


def pieces(screen: Any) -> dict[tuple[int, ...], str]:
    """Read the pieces on the squares from a screen of palette indices."""
    found: dict[tuple[int, ...], str] = {}
    for board, row, column in SQUARES:
        top, left = 18 + 46 * board + 10 * row, 59 + 5 * row + 8 * column
        for name, shape in SHAPES.items():
            drawn = np.array([[cell == "#" for cell in line] for line in shape])
            height, width = drawn.shape
            if (screen[top : top + height, left : left + width][drawn] == INK).all():
                found[board, row, column] = name
    return found


def owner(screen: Any) -> str | None:
    """Whose row of four the screen shows."""
    on_board = pieces(screen)
    for row in rows():
        kinds = {on_board.get(square) for square in row}
        if len(kinds) == 1 and None not in kinds:
            return kinds.pop()
    return None


@pytest.mark.parametrize(("difficulty", "seed"), [(0, 1), (0, 2), (2, 3), (2, 4)])
def test_the_winner_has_four_in_a_row(difficulty: int, seed: int) -> None:
    env = our_module("tic_tac_toe_3d_v0").parallel_env(obs_type="ram", difficulty=difficulty)
    env.reset(seed=seed)
    rng = random.Random(seed)
    actions = dict.fromkeys(env.agents, 0)
    seen: dict[tuple[int, ...], set[str]] = {}
    total = dict.fromkeys(env.agents, 0)
    for t in range(100_000):
        if t % 8 == 0:
            actions = {agent: rng.choice((0, FIRE, UP, RIGHT, LEFT, DOWN)) for agent in actions}
        _, rewards, terminations, _, _ = env.step(actions)
        for agent, reward in rewards.items():
            total[agent] += int(reward)
        if t % 50 == 0:
            for square, kind in pieces(env.ale.getScreen().reshape(-1, 160)).items():
                seen.setdefault(square, set()).add(kind)
        if terminations["first_0"]:
            break
        assert not any(rewards.values())
    assert len(seen) >= 7
    winner = owner(env.ale.getScreen().reshape(-1, 160))
    assert winner is not None
    sign = 1 if winner == "x" else -1
    assert total == {"first_0": sign, "second_0": -sign}
