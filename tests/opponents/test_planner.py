"""The planner, and other policies that make branches of the game."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest

import known_games
from pyale_ma import opponents
from pyale_ma.evaluation import Arena
from pyale_ma.opponents import Planner, VersusEnv, VersusVectorEnv

SMALL: dict[str, Any] = {"plans": 4, "depth": 12}


def arena(**options: Any) -> Arena:
    options = {"num_envs": 3, "max_num_frames_per_episode": 160, **options}
    return Arena("space_war_v2", obs_type="ram", stack_num=1, num_threads=1, **options)


def test_matches_depend_on_seeds_alone() -> None:
    policies: dict[str, Any] = {"planner": Planner(**SMALL), "random": "random"}
    one = arena().play(policies, games=2, seed=4)
    other = arena(num_envs=1).play(policies, games=2, seed=4)
    assert list(one.matches) == list(other.matches)


def test_it_beats_random_play() -> None:
    played = arena(max_num_frames_per_episode=900, num_envs=4)
    results = played.play({"planner": "planner", "random": "random"}, games=3)
    assert results.table()[0].name == "planner"
    assert results.table()[0].score > 0.8


@pytest.mark.parametrize("make", [VersusEnv, VersusVectorEnv])
def test_opponents_plan(make: type) -> None:
    runs = []
    for _ in range(2):
        env = make("space_war_v2", opponent=Planner(**SMALL), obs_type="ram")
        env.reset(seed=3)
        own = np.random.default_rng(0).integers(18, size=30).tolist()
        runs.append([env.step(it if make is VersusEnv else [it])[0].tobytes() for it in own])
        env.close()
    assert runs[0] == runs[1]


def test_sticky_actions_and_a_trained_player() -> None:
    planner = Planner(others="strong", **SMALL)
    played = Arena(
        "pong_v3",
        obs_type="ram",
        repeat_action_probability=0.25,
        num_envs=2,
        max_num_frames_per_episode=200,
    )
    first = played.play({"planner": planner, "weak": "weak"}, seed=1)
    again = played.play({"planner": pickle.loads(pickle.dumps(planner)), "weak": "weak"}, seed=1)
    assert list(first.matches) == list(again.matches)
    with pytest.raises(ValueError, match="strong player"):
        arena().play({"planner": planner, "random": "random"})


def test_a_budget_chooses_how_many_plans() -> None:
    planner = Planner(budget_ms=0.001)
    env = VersusEnv("space_war_v2", planner, obs_type="ram")
    env.reset(seed=1)
    for _ in range(9):
        env.step(0)
    (_, branches), *_ = planner._pools.values()
    assert len(branches) == planner.plans  # of the first decision; later ones tried two
    assert planner._plan_ms > 0


def test_a_policy_of_ones_own_makes_branches() -> None:
    class Greedy:
        """Takes the action that is best if everyone repeats it for a while."""

        needs = "game"

        def __call__(self, observations: Any, seats: Any, turn: Any) -> list[int]:
            chosen = []
            for row, seat in zip(turn.rows, seats, strict=True):
                branches = turn.game.branches(18)
                branches.copy(int(row))
                actions = np.full((10, 18, 2), -1)
                actions[..., seat] = np.arange(18)
                chosen.append(branches.rollout(actions)[0][:, seat].argmax())
            return chosen

    results = arena(max_num_frames_per_episode=40).play({"own": Greedy(), "random": "random"})
    assert len(results.matches) == 2


def test_refusals() -> None:
    wrong: dict[str, Any] = {"plans": 1, "depth": 3, "hold": 0, "keep": 2, "budget_ms": 0}
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=name):
            Planner(**{name: value})
    with pytest.raises(TypeError, match="plans"):
        Planner(plans=2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="weak, middle, strong, planner"):
        opponents.load("pong", "plan")
    with pytest.raises(ValueError, match="needs the game"):
        Planner().solo(0)
    with pytest.raises(ValueError, match="others is 'still'"):
        Planner(others="still")
    with pytest.raises(
        ValueError, match=r"others is 'strnog'; it must be 'random', a level \('weak'"
    ):
        dataclasses.replace(Planner(), others="strnog")
    policy = Planner()
    policy.needs = "games"
    with pytest.raises(ValueError, match=r"Planner\.needs is 'games'; a policy can only need"):
        arena().play({"a": policy, "b": "random"})


def test_each_contest_has_a_planner_unless_copies_tell_secrets() -> None:
    secret = {"backgammon_v0", "blackjack_v0", "casino_v0", "flag_capture_v2", "hangman_v0"}
    for name, players in known_games.ENVIRONMENTS:
        if name in secret:
            with pytest.raises(ValueError, match=r"no planner of .* copies"):
                opponents.load(name, "planner", num_players=players)
        else:
            assert isinstance(opponents.load(name, "planner", num_players=players), Planner)
