"""Tests of the `repr` of environments and players, and of results in notebooks."""

from __future__ import annotations

import re
from contextlib import closing

import numpy as np

from pyale_ma import multi, opponents, single
from pyale_ma.benchmarks import Report
from pyale_ma.evaluation.crossplay import CrossPlay
from pyale_ma.evaluation.matches import Match, Results
from pyale_ma.vector import AtariVectorEnv


def test_environments_say_what_they_play() -> None:
    assert repr(single.AtariEnv("quartet", mode=3)) == (
        "AtariEnv('quartet', mode=3, difficulty=0, obs_type='rgb', frameskip=4)"
    )
    env = multi.quartet_v0.parallel_env(num_players=4, kind="teams")
    assert repr(env) == (
        "ParallelAtariEnv('quartet', num_players=4, mode_num=10, obs_type='rgb_image', "
        "frame_skip=1)"
    )
    assert repr(opponents.VersusEnv("quartet", "random", 1, num_players=2)) == (
        "VersusEnv(game='quartet', num_players=2, mode=2, seat=1, obs_type='rgb')"
    )


def test_vectors_say_what_they_play() -> None:
    with closing(AtariVectorEnv("quartet", 3, num_players=2, mode=8, obs_type="ram")) as envs:
        told = "AtariVectorEnv('quartet', num_envs=3, num_players=2, mode=8, obs_type='ram')"
        assert repr(envs) == str(envs) == told
    with closing(AtariVectorEnv("quartet", 2, num_players=2, mode=[2, 4])) as envs:
        assert repr(envs) == (
            "AtariVectorEnv('quartet', num_envs=2, num_players=2, obs_type='grayscale')"
        )
    with closing(opponents.VersusVectorEnv("quartet", 2, "random")) as versus:
        assert repr(versus) == (
            "VersusVectorEnv(num_envs=2, game='quartet', num_players=4, mode=6, "
            "obs_type='grayscale')"
        )


def test_interfaces_say_what_they_play() -> None:
    env = single.AtariEnv("quartet")
    assert repr(env.ale) == "ALEInterface('quartet', num_players=1, mode=1, difficulty=0)"
    several = multi.parallel_env(game="quartet", mode=18).ale
    assert repr(several) == "ALEInterface('quartet', num_players=4, mode=18, difficulty=0)"
    for interface in (single.ALEInterface, multi.ALEInterface):
        assert repr(interface()) == "ALEInterface(no ROM)"


def test_numbers_of_trained_players_are_rounded() -> None:
    told = repr(opponents.available())
    assert "score=0.99, low=0.964, high=0.997" in told
    assert not re.search(r"\d\.\d{4}", told)


def test_notebooks_show_tables() -> None:
    match = Match(("a", "b"), 0, (1, 0), False, np.zeros((1, 2), np.uint8))
    results = Results([match])
    for table in (results, results.matrix()):
        assert table._repr_markdown_() == str(table)
        assert table._repr_markdown_().startswith("| ")
    for kind in (Report, CrossPlay, opponents.RatingTable, opponents.Rated):
        assert callable(kind._repr_markdown_)
