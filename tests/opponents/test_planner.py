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
from pyale_ma.labels import labels_of
from pyale_ma.multi import human_cannonball_v0, maze_craze_v3, warlords_v3
from pyale_ma.opponents import Planner, VersusEnv, VersusVectorEnv
from pyale_ma.opponents.values import VALUES

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


def test_a_value_says_where_to_go() -> None:
    labels = labels_of("boxing")
    own, other = labels.names.index("player_x"), labels.names.index("enemy_x")
    ends = []
    for sign in (1, -1):
        planner = Planner(value=lambda ram: sign * labels.values(ram)[:, [own, other]], **SMALL)  # noqa: B023
        env = VersusEnv("boxing_v2", planner, seat=1, obs_type="labels", noop_max=0)
        env.reset(seed=1)
        for _ in range(60):
            observation = env.step(0)[0]
        ends.append(int(observation[own]))
        env.close()
    assert ends[0] > ends[1] + 20


@pytest.mark.parametrize("seed", range(3))
def test_ways_out_of_mazes_are_those_of_the_picture(seed: int) -> None:
    """A search from the gap in the right wall, through all that has not the walls' colour."""
    env = maze_craze_v3.parallel_env()
    env.reset(seed=seed)
    for _ in range(200):  # the maze is drawn in this time
        picture = env.step(dict.fromkeys(env.agents, 0))[0]["first_0"]
    ram = env.state()
    env.close()
    lines = picture[67:217:6, 2:156:4].astype(int)
    is_wall = (lines == lines[0, 0]).all(axis=2)
    ways = {(int(row), 38): 0 for row in np.flatnonzero(~is_wall[:, 38])}
    assert len(ways) == 1
    found = [*ways]
    for row, column in found:  # it grows
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        for place in around:
            inside = 0 <= place[0] < 25 and 0 <= place[1] < 39
            if inside and not is_wall[place] and place not in ways:
                ways[place] = ways[row, column] + 1
                found.append(place)
    for row in range(12):
        for column in range(19):
            ram[71:73], ram[78:80] = 4 * row, 4 + 8 * column  # both players
            rooms = (ways[23 - 2 * row, 2 * column + 1] - 1) / 2
            assert VALUES["maze_craze"](ram[None]) == pytest.approx(-0.01 * rooms)


def test_a_shot_is_worth_a_hit_before_its_reward() -> None:
    """A shot that is seen to hit brings its shooter a reward, and there are no others."""
    env = human_cannonball_v0.parallel_env(obs_type="ram", frame_skip=4)
    ram = env.reset(seed=1)[0]["first_0"]
    generator, before, seen, misses = np.random.default_rng(1), np.zeros(2), np.zeros(2), 0
    rewarded = np.zeros(2)
    for _ in range(1200):
        worth = VALUES["human_cannonball"](ram[None])[0]
        seen += (worth == 1) & (before < 1)
        misses += int((before < 0).any() and not worth.any())
        actions = {agent: int(generator.integers(18)) for agent in env.agents}
        observations, rewards, *_ = env.step(actions)
        rewarded += [*rewards.values()]
        assert (seen >= rewarded).all()
        assert (seen <= rewarded + 1).all()
        ram, before = observations["first_0"], worth
    assert rewarded.min() >= 1
    assert misses > 3
    env.close()


def test_bricks_of_castles_are_those_of_the_picture() -> None:
    env = warlords_v3.parallel_env(frame_skip=4)
    picture = env.reset(seed=1)[0]["first_0"]
    corners = [(slice(0, 105), slice(0, 80)), (slice(0, 105), slice(80, 160))]
    corners += [(slice(105, 210), column) for _, column in corners]

    def red(picture: Any) -> Any:
        is_red = (picture[..., 0] > 120) & (picture[..., 1:] < 90).all(axis=2)
        return np.array([is_red[corner].sum() for corner in corners])

    generator, whole = np.random.default_rng(0), red(picture)
    assert VALUES["warlords"](env.state()[None]).tolist() == [[1, 1, 1, 1]]
    for _ in range(420):
        actions = {agent: int(generator.integers(6)) for agent in env.agents}
        picture = env.step(actions)[0]["first_0"]
    left = VALUES["warlords"](env.state()[None])[0] ** 2
    assert left == pytest.approx(red(picture) / whole, abs=0.1)  # bits have several heights
    assert left.max() - left.min() > 0.2
    env.close()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda ram: np.zeros(len(ram)), r"value returned an array \(4,\); .* \(4, 2\)"),
        (lambda ram: np.full((len(ram), 2), np.nan), "value returned nan; .* finite numbers"),
        (
            lambda ram: np.full((len(ram), 2), 1j),
            "value returned an array of complex128; ",
        ),
        (lambda ram: [[0], [0, 1]], r"value returned \[\[0\], \[0, 1\]\]; .* finite numbers"),
        (lambda ram: None, "value returned None; it must return finite numbers"),
        (lambda ram: 1 // 0, r"value raised ZeroDivisionError: .* by zero; .* finite numbers"),
        ("maze_craze", "value is 'maze_craze', which is of another game than space_war"),
    ],
)
def test_wrong_values_are_refused(value: Any, message: str) -> None:
    planner = Planner(value=value, **SMALL)
    with pytest.raises(ValueError, match=message) as refused:
        arena(num_envs=1).play({"planner": planner, "random": "random"}, games=1)
    assert isinstance(refused.value.__cause__, ZeroDivisionError) == ("raised" in message)


def test_players_who_share_rewards_are_no_rivals() -> None:
    """In Atlantis a rival's plans are all worth the same, so it plays at random."""
    arena = Arena(
        "atlantis_v0", obs_type="ram", stack_num=1, num_envs=4, max_num_frames_per_episode=700
    )
    planner = opponents.load("atlantis_v0", "planner")
    assert isinstance(planner, Planner)
    rival = dataclasses.replace(planner, rivalry=1)
    returns = [
        sum(it.returns[0] for it in arena.play({"": it}, lineups=[("", "")], games=4).matches)
        for it in (planner, rival)
    ]
    assert returns[0] > returns[1]


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
    with pytest.raises(ValueError, match="rivalry is inf"):
        Planner(rivalry=np.inf)
    with pytest.raises(ValueError, match=r"value is 'maze'; .* 'maze_craze', 'warlords'"):
        Planner(value="maze")
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
