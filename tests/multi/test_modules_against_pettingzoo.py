"""Every module with every combination of its arguments, step by step beside PettingZoo's own."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np
import pytest

from multi.reference import (
    COMBINATIONS,
    MODULES,
    compare_steps,
    held_actions,
    name_of,
    original_module,
    our_module,
)

OBS_TYPES = ("rgb_image", "grayscale_image", "ram")


class ModulePair:
    """The same environment twice; the original `bare` where that is said (reference.py)."""

    def __init__(self, module: str, arguments: dict[str, Any], *, bare: bool = False) -> None:
        self.where: tuple[Any, ...] = (module, arguments)
        original = original_module(module, bare=bare)
        self.sides = [original.parallel_env(**arguments)]
        self.sides.append(our_module(module).parallel_env(**arguments))
        theirs, ours = self.sides
        assert theirs.possible_agents == ours.possible_agents
        assert theirs.unwrapped.mode == ours.unwrapped.mode
        assert str(theirs) == str(ours)
        assert theirs.unwrapped.action_mapping.tolist() == ours.action_mapping.tolist()
        for agent in ours.possible_agents:
            assert theirs.observation_space(agent) == ours.observation_space(agent)
            assert theirs.action_space(agent) == ours.action_space(agent)
        self.actions = [int(ours.action_space(agent).n) for agent in ours.possible_agents]

    def reset(self, seed: int | None = None) -> None:
        compare_steps((*self.where, "reset"), *(side.reset(seed=seed) for side in self.sides))

    def set_ram(self, index: int, value: int) -> None:
        for side in self.sides:
            side.unwrapped.ale.setRAM(index, value)

    def play(
        self, steps: int, seed: int, *, seeded: Container[int] = (), resets: bool = True
    ) -> int:
        """Random actions, each kept for some steps.

        Args:
            steps: How many.
            seed: Of the actions.
            seeded: After which episodes, counted from 1, the reset has a seed, which starts the
                console anew and takes the original 0.15 s.
            resets: Go on after the end of an episode.

        Returns:
            How many episodes ended.
        """
        rng = np.random.default_rng(seed)
        theirs, ours = self.sides
        ends = 0
        for t, held in enumerate(held_actions(rng, steps, self.actions)):
            chosen = dict(zip(ours.possible_agents, held, strict=True))
            actions = {agent: chosen[agent] for agent in ours.agents}
            compare_steps((*self.where, t), theirs.step(actions), ours.step(actions))
            assert theirs.agents == ours.agents, (*self.where, t)
            if not ours.agents:
                ends += 1
                if not resets:
                    break
                self.reset(seed + t if ends in seeded else None)
        return ends


# Each module as it is, and some with arguments of their own; the slow test has them all.
QUICK = [
    (number, case) for number, case in enumerate(COMBINATIONS) if not case[1] or number % 8 == 0
]


@pytest.mark.parametrize("case", QUICK, ids=lambda c: name_of(c[1]))
def test_arguments(case: tuple[int, tuple[str, dict[str, Any]]]) -> None:
    number, (module, arguments) = case
    obs_type = OBS_TYPES[number % 3]
    full = bool(number % 2)
    arguments = {**arguments, "obs_type": obs_type, "full_action_space": full, "max_cycles": 25}
    pair = ModulePair(module, {**arguments, "seed": 11 + number})
    pair.reset()
    assert pair.play(60, seed=number, seeded=[1]) == 2


# Each action space goes with one kind of observation, in turn.
@pytest.mark.slow
@pytest.mark.parametrize("full", [False, True], ids=["minimal", "full"])
@pytest.mark.parametrize("case", list(enumerate(COMBINATIONS)), ids=lambda c: name_of(c[1]))
def test_arguments_longer(case: tuple[int, tuple[str, dict[str, Any]]], full: bool) -> None:
    number, (module, arguments) = case
    obs_type = OBS_TYPES[(number + full) % 3]
    arguments = {**arguments, "obs_type": obs_type, "full_action_space": full, "max_cycles": 90}
    pair = ModulePair(module, {**arguments, "seed": 1 + number}, bare=True)
    pair.reset()
    pair.play(280, seed=1 + number, seeded=[1] if full else [])


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_whole_episodes(module: str) -> None:
    pair = ModulePair(module, {"obs_type": "ram", "max_cycles": 20000}, bare=True)
    pair.reset(seed=3)
    pair.play(8000, seed=3, seeded=range(1, 8000, 3))


# Forged losses: RAM index and value, and who is left one step later.
LOSSES: dict[str, list[tuple[int, int, list[str]]]] = {
    "joust_v3": [(1, 0xFF, ["second_0"]), (2, 0xFF, ["first_0"])],
    "mario_bros_v3": [(7, 0, ["second_0"]), (8, 0, ["first_0"])],
    "warlords_v3": [
        (110, 0x80, ["second_0", "third_0", "fourth_0"]),
        (110, 0x50, ["first_0", "third_0"]),
        (110, 0xA0, ["second_0", "fourth_0"]),
    ],
    "maze_craze_v3": [(106, 0x40, ["second_0"]), (107, 0x40, ["first_0"])],
    "entombed_competitive_v3": [(71, 0x30, [])],
    "entombed_cooperative_v3": [(71, 0x03, [])],
    "wizard_of_wor_v3": [(13, 0, ["second_0"])],
}


@pytest.mark.parametrize("module", LOSSES)
def test_one_is_out_while_others_play_on(module: str) -> None:
    pair = ModulePair(module, {"obs_type": "ram"})
    for index, value, left in LOSSES[module]:
        pair.reset(seed=4)
        pair.play(20, seed=1)
        pair.set_ram(index, value)
        pair.play(1, seed=2, resets=False)
        assert pair.sides[1].agents == left
        pair.play(300, seed=3, resets=False)
        pair.reset()
        pair.play(20, seed=4)


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("pong_v3", {"num_players": 4, "max_cycles": 15}),
        ("warlords_v3", {"max_cycles": 40}),
        ("joust_v3", {"max_cycles": 40}),
        ("boxing_v2", {"max_cycles": 10}),
    ],
)
@pytest.mark.parametrize("constructor", ["env", "raw_env"])
def test_turns(module: str, arguments: dict[str, Any], constructor: str) -> None:
    """Agents' order, what each is told at its turn, and the steps of who is out."""
    arguments = {**arguments, "obs_type": "ram", "seed": 3}
    sides = [getattr(m(module), constructor)(**arguments) for m in (original_module, our_module)]
    rng = np.random.default_rng(0)
    for seed in (None, 4):
        for side in sides:
            side.reset(seed=seed)
        for turn in range(250):
            theirs, ours = sides
            assert theirs.agents == ours.agents
            if not ours.agents:
                break
            assert theirs.agent_selection == ours.agent_selection
            assert (theirs.rewards, theirs.terminations, theirs.truncations, theirs.infos) == (
                ours.rewards, ours.terminations, ours.truncations, ours.infos
            )  # fmt: skip
            (seen, *told), (our_seen, *our_told) = theirs.last(), ours.last()
            assert np.array_equal(seen, our_seen)
            assert told == our_told
            if turn == 30 and module in ("joust_v3", "warlords_v3"):
                for side in sides:
                    side.unwrapped.ale.setRAM(*{"j": (1, 0xFF), "w": (110, 0x20)}[module[0]])
            action = int(rng.integers(6))
            for side in sides:
                side.step(None if told[1] or told[2] else action)
        assert not sides[1].agents
