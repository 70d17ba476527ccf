"""Vectors of games for several players against `pyale_ma.multi`, preprocessed in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pyale_ma.multi import ParallelAtariEnv
from pyale_ma.vector import AtariVectorEnv

FRAMESKIP = 4
NOOP = 0


class Preprocessed:
    """One environment of `pyale_ma.multi`: four frames a step, the last two pooled."""

    def __init__(self, game: str, players: int, mode: int | None, **options: Any) -> None:
        self.env = ParallelAtariEnv(game, players, mode, obs_type="grayscale_image", **options)
        self.agents = self.env.possible_agents

    def reset(self, seed: int | None = None) -> npt.NDArray[np.uint8]:
        self.env.reset(seed=seed)
        self.picture = self.screen()
        return self.picture

    def screen(self) -> npt.NDArray[np.uint8]:
        return self.env.ale.getScreenGrayscale()[..., 0]

    def lives(self) -> list[int]:
        return [int(lives) for lives in self.env.ale.allLives()]

    def step(self, actions: Any) -> tuple[Any, list[int], list[bool]]:
        rewards = dict.fromkeys(self.agents, 0)
        before: Any = None
        for frame in range(1, FRAMESKIP + 1):
            chosen = {a: int(actions[self.agents.index(a)]) for a in self.env.agents}
            for agent, reward in self.env.step(chosen)[1].items():
                rewards[agent] += int(reward)
            if frame == FRAMESKIP - 1:
                before = self.screen()
            if not self.env.agents:
                if frame == FRAMESKIP and before is not None:
                    self.picture = np.maximum(self.picture, before)
                break
        else:
            self.picture = np.maximum(before, self.screen())
        over = [agent not in self.env.agents for agent in self.agents]
        return self.picture, list(rewards.values()), over


CASES = [
    ("pong", 2, None),
    ("pong", 4, 6),
    ("space_invaders", 2, 33),
    ("boxing", 2, None),
    ("warlords", 4, None),
    ("joust", 2, 3),
    ("mario_bros", 2, None),
    ("combat", 2, None),
    ("freeway", 2, 103),
    ("blackjack", 2, 100),
]


@pytest.mark.parametrize(("game", "players", "mode"), CASES)
def test_equals_environments_stepped_in_python(game: str, players: int, mode: int | None) -> None:
    check(game, players, mode, steps=60)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "players", "mode"),
    [*CASES, ("surround", 2, None), ("tennis", 2, None), ("warlords", 2, None)],
)
def test_equals_environments_stepped_in_python_for_long(
    game: str, players: int, mode: int | None
) -> None:
    check(game, players, mode, steps=900, repeat_action_probability=0.25)


def check(game: str, players: int, mode: int | None, steps: int, **options: Any) -> None:
    count = 2
    options["full_action_space"] = True
    singles = [Preprocessed(game, players, mode, **options) for _ in range(count)]
    envs = AtariVectorEnv(
        game,
        count,
        num_players=players,
        mode=mode,
        img_height=singles[0].env.ale.getScreenDims()[1],
        img_width=160,
        stack_num=1,
        noop_max=0,
        use_fire_reset=False,
        reward_clipping=False,
        **options,
    )
    assert envs.action_space.shape == (count, players)
    observations, infos = envs.reset(seed=11)
    for i, single in enumerate(singles):
        assert np.array_equal(observations[i, 0], single.reset(seed=11 + i))
        assert infos["lives"][i].tolist() == single.lives()
    pending = [False] * count
    rng = np.random.default_rng(3)
    actions = rng.integers(0, 18, (count, players))
    for _ in range(steps):
        if rng.random() < 0.3:
            actions = rng.integers(0, 18, (count, players))
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert rewards.shape == terminations.shape == (count, players)
        assert truncations.shape == (count,)
        for i, single in enumerate(singles):
            if pending[i]:
                # An episode that begins by itself goes on with the random numbers.
                picture, expected, over = single.reset(), [0] * players, [False] * players
            else:
                picture, expected, over = single.step(actions[i])
            assert np.array_equal(observations[i, 0], picture)
            assert rewards[i].tolist() == expected
            assert terminations[i].tolist() == over
            assert infos["lives"][i].tolist() == single.lives()
            pending[i] = all(over)
    envs.close()


def test_players_who_are_out() -> None:
    """In Warlords castles fall one after another, and the others play on."""
    envs = AtariVectorEnv("warlords", 3, num_players=4, noop_max=0)
    envs.reset(seed=0)
    rng = np.random.default_rng(0)
    some_out = False
    out = np.zeros((3, 4), bool)
    for _ in range(1500):
        actions = rng.integers(0, envs.num_actions[0], (3, 4))
        actions[out] = 10**6  # not looked at
        _, rewards, terminations, _, infos = envs.step(actions)
        assert not rewards[out].any()
        continued = ~out.all(axis=1)
        assert terminations[continued][out[continued]].all()
        assert np.array_equal(terminations, (infos["lives"] < 0) | terminations.all(1)[:, None])  # type: ignore[index]
        out = terminations
        some_out = some_out or bool((out.any(axis=1) & ~out.all(axis=1)).any())
    assert some_out


def test_one_player_with_the_rules_of_several() -> None:
    envs = AtariVectorEnv("space_invaders", 2, num_players=1)
    assert envs.reset(seed=0)[1]["lives"].shape == (2, 1)
    assert envs.step(np.zeros((2, 1), int))[1].shape == (2, 1)


def test_continuous_hands() -> None:
    envs = AtariVectorEnv("pong", 2, num_players=2, continuous=True)
    assert envs.action_space.shape == (2, 2, 3)
    envs.reset(seed=0)
    assert envs.step(envs.action_space.sample())[1].shape == (2, 2)


def test_games_of_several_players_together() -> None:
    envs = AtariVectorEnv(games=["boxing", "pong", "warlords"], num_players=2)
    assert len(set(envs.num_actions)) > 1
    assert envs.action_space.shape == (3, 2)
    envs.reset(seed=0)
    for _ in range(5):
        envs.step(envs.action_space.sample())


def test_too_many_players() -> None:
    with pytest.raises(ValueError, match=r"num_players is 4.*supports 1, 2"):
        AtariVectorEnv("boxing", 2, num_players=4)
    with pytest.raises(ValueError, match="num_players is 5"):
        AtariVectorEnv("pong", 2, num_players=5)
