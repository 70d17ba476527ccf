"""A suite is evaluated on a Ray cluster as it is in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pyale_ma import benchmarks
from pyale_ma.evaluation import RandomPolicy

ray = pytest.importorskip("ray", reason="needs Ray")


@pytest.fixture
def cluster() -> Iterator[None]:
    ray.init("local", num_cpus=2, include_dashboard=False)
    yield
    ray.shutdown()


def test_evaluation_on_a_cluster(cluster: None, tmp_path: Path) -> None:
    options: dict[str, Any] = {"suite": ["breakout", "pong"], "episodes": 2, "obs_type": "ram"}

    def policy(game: str, num_actions: int) -> RandomPolicy:
        return RandomPolicy(num_actions)

    report = benchmarks.evaluate(policy, **options, ray=True, recordings=tmp_path)
    assert report == benchmarks.evaluate(policy, **options)
    report.check(tmp_path)


def test_evaluation_without_a_cluster() -> None:
    with pytest.raises(RuntimeError, match=r"Ray.*ray.init\(\)"):
        benchmarks.evaluate(lambda game, count: RandomPolicy(count), suite=["pong"], ray=True)
