"""Make a failing program small: take out what it fails without."""

from __future__ import annotations

import copy
from collections.abc import Callable

from differential.machine_code import Loop, Node
from differential.programs import Noise, Program

Fails = Callable[[Program | Noise], bool]


def shrink(program: Program | Noise, fails: Fails, attempts: int = 600) -> Program | Noise:
    """The smallest program found that still fails, after about `attempts` trials at most."""
    if isinstance(program, Noise):
        return _shrink_noise(program, fails, attempts)
    best = copy.deepcopy(program)
    budget = [attempts]

    def still_fails() -> bool:
        budget[0] -= 1
        return fails(best)

    changed = True
    while changed and budget[0] > 0:
        changed = False
        for nodes in _bodies(best):
            changed |= _thin_out(nodes, still_fails, budget)
            changed |= _unwrap(nodes, still_fails)
    return best


def _bodies(program: Program) -> list[list[Node]]:
    """The node lists of a program, outer ones first."""
    bodies = [program.nodes, program.subroutine]
    for body in bodies:
        bodies += [node.body for node in body if isinstance(node, Loop)]
    return bodies


def _thin_out(nodes: list[Node], still_fails: Callable[[], bool], budget: list[int]) -> bool:
    """Take out runs of nodes, long ones first."""
    changed = False
    length = len(nodes)
    while length:
        at = 0
        while at < len(nodes) and budget[0] > 0:
            taken = nodes[at : at + length]
            del nodes[at : at + length]
            if still_fails():
                changed = True
            else:
                nodes[at:at] = taken
                at += length
        length //= 2
    return changed


def _unwrap(nodes: list[Node], still_fails: Callable[[], bool]) -> bool:
    """Replace loops by their body, once."""
    changed = False
    for at in range(len(nodes) - 1, -1, -1):
        node = nodes[at]
        if isinstance(node, Loop):
            nodes[at : at + 1] = node.body
            if still_fails():
                changed = True
            else:
                nodes[at : at + len(node.body)] = [node]
    return changed


def _shrink_noise(noise: Noise, fails: Fails, attempts: int) -> Noise:
    """Replace stretches of bytes by NOPs, long ones first; the vectors stay."""
    best = Noise(noise.seed, noise.family, noise.size, {0: noise.image()})
    length = noise.size // 2
    while length >= 1:
        for at in range(0, noise.size, length):
            if attempts <= 0:
                return best
            image = bytearray(best.image())
            for place in range(at, at + length):
                if place & 0xFFF < 0xFFC:
                    image[place] = 0xEA
            if image != best.image():
                attempts -= 1
                trial = Noise(noise.seed, noise.family, noise.size, {0: bytes(image)})
                if fails(trial):
                    best = trial
        length //= 2
    return best
