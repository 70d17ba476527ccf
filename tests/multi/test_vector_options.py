"""`vector_options`: with these arguments a vector plays as an environment for several agents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from multi.reference import our_module
from pyale_ma import multi
from pyale_ma.multi import ArgumentError
from pyale_ma.objects import Object
from pyale_ma.vector import AtariVectorEnv


def whole_screen(frame: np.ndarray[Any, Any], obs_type: str) -> np.ndarray[Any, Any]:
    """Return a vector's observation as an environment for several agents gives it."""
    if obs_type == "objects":
        covered = (frame > 0) * (1 << np.arange(len(Object)))
        return np.asarray(covered.sum(-1, keepdims=True), np.uint8)
    return frame[..., None] if obs_type == "grayscale_image" else frame


def assert_plays_the_same(module: Any, steps: int = 40, **arguments: Any) -> None:
    """A game with sticky actions, truncated at its end, and the beginning of the next one."""
    arguments = {"max_cycles": steps, "repeat_action_probability": 0.25, **arguments}
    env = module.parallel_env(**arguments)
    vector = AtariVectorEnv(
        num_envs=1,
        autoreset_mode="Disabled",
        extra_infos=["ram"],
        **module.vector_options(**arguments),
    )
    rng = np.random.default_rng(2)
    seen, _ = env.reset(seed=5)
    frames, infos = vector.reset(seed=5)
    agents = env.possible_agents
    counts = [int(env.action_space(agent).n) for agent in agents]
    ends = 0
    while ends < 2:
        last = not env.agents
        assert np.array_equal(env.state(), infos["ram"][0])
        if not last and "obs_type" in arguments:
            shown = whole_screen(frames[0, 0], arguments["obs_type"])
            assert np.array_equal(seen[agents[0]], shown)
        if last:
            ends += 1
            seen, _ = env.reset()
            frames, infos = vector.reset()
            continue
        chosen = rng.integers(counts)
        playing, by_agent = env.agents, dict(zip(agents, chosen.tolist(), strict=True))
        seen, rewards, ended, cut, _ = env.step({agent: by_agent[agent] for agent in playing})
        frames, earned, over, truncated, infos = vector.step(chosen[None])
        assert [rewards.get(agent, 0) for agent in agents] == earned[0].tolist()
        assert [ended.get(agent, True) for agent in agents] == over[0].tolist()
        assert truncated[0] == (any(cut.values()) and not any(ended.values()))


@pytest.mark.parametrize("obs_type", ["rgb_image", "grayscale_image", "objects", "ram"])
def test_observations(obs_type: str) -> None:
    assert_plays_the_same(our_module("boxing_v2"), obs_type=obs_type)


def test_arguments() -> None:
    module = our_module("pong_v3")
    assert_plays_the_same(
        module,
        num_players=4,
        game_version="quadrapong",
        frame_skip=4,
        full_action_space=True,
        difficulty=2,
        obs_type="ram",
    )
    options = module.vector_options(num_players=4, frame_skip=3, max_cycles=7)
    assert options["mode"] == module.parallel_env(num_players=4).mode
    assert (options["frameskip"], options["max_num_frames_per_episode"]) == (3, 21)
    endless = module.vector_options(max_cycles=2**40)
    assert endless["max_num_frames_per_episode"] is None
    assert not {"obs_type", "img_height"} & options.keys()  # those are the caller's


def test_any_game() -> None:
    options = multi.vector_options(game="joust", num_players=2)
    assert (options["game"], options["num_players"], options["frameskip"]) == ("joust", 2, 1)
    assert_plays_the_same(multi, game="joust", num_players=2)


def test_what_differs_in_a_game() -> None:
    options = our_module("backgammon_v0").vector_options()
    assert (options["difficulty"], options["full_action_space"]) == (3, True)
    with pytest.raises(ArgumentError, match=r"backgammon.*difficulty 0"):
        our_module("backgammon_v0").vector_options(difficulty=0)
