"""Vectors on a Ray cluster of several nodes on this machine, which are killed at random."""

from __future__ import annotations

import contextlib
import os
import re
import runpy
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from common import module_at

pytest.importorskip("ray", reason="the collectors run on Ray")

import ray
from ray.cluster_utils import Cluster

from pyale_ma import roms
from pyale_ma.distributed import Collector, NodeError, Rollout, RolloutCollector, WorkerError, host
from pyale_ma.distributed.collector import spread_games
from pyale_ma.distributed.worker import Worker, make_recipe
from pyale_ma.vector import AtariVectorEnv

EXAMPLES = Path(__file__).parents[2] / "examples"
RAM = {"obs_type": "ram", "stack_num": 1, "max_num_frames_per_episode": 200}
NODE = {"object_store_memory": 80 * 2**20, "include_dashboard": False}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A head, on which nothing but the driver runs, and two nodes with room for a worker each."""
    # Ray's processes import from the driver's folder, where a clone would hide the package.
    here = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("driver"))
    config = {"prestart_worker_first_driver": False, "enable_worker_prestart": False}
    config |= {"health_check_period_ms": 1000, "health_check_timeout_ms": 5000}
    cluster = Cluster()
    cluster.add_node(num_cpus=0, _system_config=config, **NODE)
    for _ in range(2):
        cluster.add_node(num_cpus=1, **NODE)
    ray.init(address=cluster.address, log_to_driver=False)
    os.chdir(here)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def bare_nodes(tmp_path: Path) -> dict[str, Any]:
    """Options of actors that find no ROMs on their nodes."""
    for name in ("ale_py", "multi_agent_ale_py", "AutoROM"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    variables = {"PYTHONPATH": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    return {"runtime_env": {"env_vars": variables}}


def kill(collector: Collector | RolloutCollector, random: np.random.Generator) -> set[int]:
    """Kill one of the workers that are there; returns its pid."""
    pids = [place["pid"] for place in collector.places if place]
    if not pids:
        return set()
    pid = int(random.choice(pids))
    with contextlib.suppress(ProcessLookupError):  # it was killed before
        os.kill(pid, signal.SIGKILL)
    return {pid}


def assert_gone(pids: list[int]) -> None:
    """Processes end, if not at once."""
    end = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < end, "an actor outlives its collector"
        time.sleep(0.05)


@pytest.mark.parametrize("ordered", [False, True])
def test_nothing_is_lost(cluster: Cluster, bare_nodes: dict[str, Any], ordered: bool) -> None:
    """Whoever is killed, workers play what one vector of all environments does."""
    workers, num_envs, steps = 2, 3, 30
    games = {"breakout": 2, "pong": 1}
    options = {"max_num_frames_per_episode": 60, "episodic_life": True, "extra_infos": ["ram"]}
    same = AtariVectorEnv(games=["breakout", "breakout", "pong"] * workers, **options)
    observations, infos = same.reset(seed=7)
    expected = [(observations, infos)]
    random = np.random.default_rng(0)
    actions = random.integers(0, 4, (steps, workers * num_envs))
    for row in actions:
        observations, *rest, infos = same.step(row)
        expected.append((observations, infos, *rest))
    deaths = set(random.choice(np.arange(5, steps), 3, replace=False))
    killed: set[int] = set()
    threads = threading.active_count()

    with Collector(
        games=games,
        num_envs=num_envs,
        workers=workers,
        seed=7,
        ordered=ordered,
        snapshot_every=5,
        ray_options=bare_nodes,
        **options,
    ) as collector:
        seen = []
        for received in range(workers * (steps + 1)):
            if received in deaths:
                killed |= kill(collector, random)
            if received == steps and not ordered:
                node = next(iter(cluster.worker_nodes))
                cluster.add_node(num_cpus=1, **NODE)
                cluster.remove_node(node, allow_graceful=False)
            batch = collector.recv(timeout=300)
            seen.append((batch.worker, batch.number))
            rows = slice(batch.worker * num_envs, (batch.worker + 1) * num_envs)
            observations, infos, *rest = expected[batch.number]
            assert np.array_equal(batch.observations, observations[rows])
            assert batch.infos.keys() == infos.keys()
            for name, array in infos.items():
                assert np.array_equal(batch.infos[name], array[rows]), name
            arrays = (batch.rewards, batch.terminations, batch.truncations)
            for array, wanted in zip(arrays, rest or [np.zeros(6)] * 3, strict=True):
                assert np.array_equal(array, wanted[rows])
                assert array.flags.writeable
            assert not batch.observations.flags.writeable
            if batch.number < steps:
                collector.send(batch.worker, actions[batch.number, rows])
        progress = collector.progress
        pids = [place["pid"] for place in collector.places if place]
    assert sorted(seen) == [(w, n) for w in range(workers) for n in range(steps + 1)]
    if ordered:
        assert seen == [(w, n) for n in range(steps + 1) for w in range(workers)]
    assert progress.restarts >= len(killed) > 0
    assert progress.steps == workers * steps * num_envs
    assert "180 steps" in str(progress)
    assert len(pids) == workers
    assert_gone(pids)
    assert threading.active_count() == threads


def make_guess() -> Any:
    """A policy of both players of pong, by what they see and by chance, that travels by value."""

    def guess(observations: Any, random: np.random.Generator) -> Any:
        chosen = (random.integers(6, size=(len(observations), 2)) + observations[:, -1, :2]) % 6
        return chosen, {"sum": observations.sum(axis=(1, 2))}

    return guess


def only_here(observations: Any, random: np.random.Generator) -> Any:
    """A policy of a module that nodes do not have."""


def receive_until(collector: RolloutCollector, problem: type[Exception]) -> None:
    """Receive until there is a problem of some kind; rollouts asked for before may have others."""
    for _ in range(100):
        try:
            collector.recv(timeout=300)
        except Exception as other:
            if isinstance(other, problem):
                raise


def test_rollouts(cluster: Cluster) -> None:
    """They are those of workers in this process, lost or not; policies are as old as promised."""
    workers, num_envs, steps, rounds = 2, 2, 4, 6
    options = {**RAM, "num_players": 2, "max_num_frames_per_episode": 60}
    random, killed = np.random.default_rng(0), set()
    guess = make_guess()
    recipe = make_recipe(["pong"] * num_envs, 3, {**options, "extra_infos": ["episode"]})
    with RolloutCollector(
        guess,
        "pong",
        num_envs,
        workers=workers,
        seed=3,
        steps=steps,
        snapshot_every=2 * steps,
        **options,
    ) as collector:
        gathered: list[Rollout] = []
        for number in range(rounds):
            if number in (1, 3, 4):
                killed |= kill(collector, random)
            gathered += collector.gather()
        assert collector.progress.restarts >= len(killed) > 0

        collector.set_policy(lambda observations, random: np.zeros((num_envs, 2), int))
        newer = [collector.recv(timeout=300) for _ in range(4 * workers)]
        assert collector.set_policy(guess) == 2
        newest = [collector.recv(timeout=300) for _ in range(4 * workers)]
        collector.set_policy(lambda *_: np.zeros(num_envs, int))
        with pytest.raises(ValueError, match=r"policy's actions must have shape \(2, 2\)"):
            receive_until(collector, ValueError)
        collector.set_policy(only_here)
        with pytest.raises(RuntimeError, match=r"could not read what it was sent.*importable"):
            receive_until(collector, RuntimeError)

    assert [rollout.worker for rollout in gathered] == [0, 1] * rounds
    for rollout in newer:
        assert rollout.version == 1
        assert not rollout.actions.any()
        assert rollout.number >= rounds
    for worker in range(workers):
        versions = [rollout.version for rollout in newest if rollout.worker == worker]
        assert versions == [*[1] * (len(versions) - versions.count(2)), *[2] * versions.count(2)]
        assert versions.count(1) <= 2  # of the two that were asked for ahead

        alone = Worker(recipe, worker, 1)
        alone.follow(None, [])
        for number, rollout in enumerate(gathered[worker::workers]):
            stamp = {"worker": worker, "number": number, "version": 0}
            fields, _ = alone.rollout(guess, steps, stamp, snapshot=False)
            assert_same(vars(rollout), fields)
            assert rollout.observations.shape == (steps, num_envs, 1, 128)
            assert rollout.extras["sum"].shape == (steps, num_envs)
        alone.close()
    ends = [rollout.episodes for rollout in gathered if rollout.episodes]
    assert {int(env) for episodes in ends for env in episodes["env_id"]} == {0, 1, 2, 3}
    assert all(episodes["r"].shape == (len(episodes["l"]), 2) for episodes in ends)


def assert_same(seen: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert seen.keys() == expected.keys()
        for name in expected:
            assert_same(seen[name], expected[name])
    else:
        assert np.array_equal(seen, expected)


def test_misuse(cluster: Cluster) -> None:
    with Collector("pong", 2, workers=1, seed=0, **RAM) as collector:
        with pytest.raises(RuntimeError, match="worker 0 has a batch to give"):
            collector.send(0, [0, 0])
        assert collector.recv(timeout=300).number == 0
        with pytest.raises(RuntimeError, match="send actions first"):
            collector.recv()
        with pytest.raises(IndexError, match="worker is 1; they are numbered 0 to 0"):
            collector.send(1, [0, 0])
        with pytest.raises(ValueError, match=r"actions must have shape \(2,\), not \(1, 2\)"):
            collector.send(0, [[0, 0]])
        with pytest.raises(IndexError, match=r"actions\[1\] is 6; there are 0 to 5"):
            collector.send(0, [0, 6])
        with pytest.raises(TypeError, match="whole numbers, not float64"):
            collector.send(0, [0.0, 1.0])
        collector.send(0, [1, 2])
        assert collector.recv(timeout=300).number == 1
    with pytest.raises(RuntimeError, match="closed"):
        collector.recv()


def test_a_node_without_the_package(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "pyale_ma.py").write_text("raise ModuleNotFoundError('there is no pyale_ma')")
    options = {"runtime_env": {"env_vars": {"PYTHONPATH": str(tmp_path)}}}
    with pytest.raises(NodeError, match=r"cannot import pyale_ma: there is no.*pip install"):
        Collector("pong", 1, workers=1, ray_options=options)


def test_nodes_that_differ(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {"pyale_ma": "99.0"}
    monkeypatch.setattr(host, "own_versions", lambda: wanted)
    with pytest.raises(NodeError, match=r"node \w{12} \(host .*has pyale_ma .*driver has 99.0"):
        Collector("pong", 1, workers=1)


@pytest.fixture
def example(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Have an example run in this process and on this cluster; returns its file."""
    monkeypatch.setattr(ray, "init", lambda *_, **__: None)
    monkeypatch.setattr(ray, "shutdown", lambda: None)

    def prepare(name: str, *options: str) -> Path:
        monkeypatch.setattr(sys, "argv", [name, "--address", cluster.address, *options])
        return EXAMPLES / name

    return prepare


def test_ppo_learns(example: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="the example's learner is one of PyTorch")
    runpy.run_path(str(example("ray_ppo.py", "--updates", "10")), run_name="__main__")
    before, *_, after = re.findall(r"return \w+ (\S+)", capsys.readouterr().out)
    assert float(after) > float(before) + 1


def test_self_play(example: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    """With a margin that everybody reaches, each iteration's self is the next one's past."""
    pytest.importorskip("ray.rllib", reason="the example is one of RLlib")
    tiny = ["--iterations", "2", "--batch", "64", "--envs", "2", "--frames", "128"]
    file = example("rllib_self_play.py", "--margin", "-99", *tiny)
    program = module_at(file)
    become_past = program.become_past
    alike = []

    def become_past_and_compare(algorithm: Any) -> None:
        def selves_are_alike(runner: Any) -> bool:
            past, main = (runner.module[name].get_state() for name in ("past", "main"))
            return all(np.array_equal(past[part], main[part]) for part in main)

        for step in (lambda _: None, become_past):
            step(algorithm)
            alike.append(algorithm.env_runner_group.foreach_env_runner(selves_are_alike))

    program.become_past = become_past_and_compare
    program.main()
    points = r"iteration (\d): [+-]\d+\.\d+ points against generation (\d)"
    assert re.findall(points, capsys.readouterr().out) == [("0", "0"), ("1", "1")]
    assert [set(answers) for answers in alike] == [{False}, {True}] * 2


def test_benchmark(
    cluster: Cluster,
    example: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It runs and computes; no time is looked at."""
    example("distributed.py")
    monkeypatch.setattr(sys, "argv", "distributed.py --quick --nodes 1 --obs-type ram".split())
    monkeypatch.setattr(ray.cluster_utils, "Cluster", lambda: cluster)
    for name in ("add_node", "shutdown"):
        monkeypatch.setattr(cluster, name, lambda **_: None)
    monkeypatch.chdir(EXAMPLES)  # and back
    runpy.run_path(str(EXAMPLES.parent / "benchmarks" / "distributed.py"), run_name="__main__")
    printed = capsys.readouterr().out
    for sent in ("batches", "rollouts of 256 steps"):
        assert re.search(rf"^\| ram \| {sent} \| 1 \| \d+\.\d\d ms ", printed, re.MULTILINE)
        assert re.search(rf"^\| ram \| {sent} \| \d+\.\d million", printed, re.MULTILINE)


@pytest.mark.parametrize(
    "options",
    [
        {"autoreset_mode": "SameStep", "extra_infos": ["episode", "sound"]},
        {"continuous": True, "full_action_space": True},
        {"num_players": 1, "obs_type": "rgb", "repeat_action_probability": 0.25},
    ],
    ids=str,
)
def test_a_worker_follows_another(options: dict[str, Any]) -> None:
    """From its snapshot and the actions since, to the same results and the same future."""
    options = {"max_num_frames_per_episode": 40, **options}
    recipe = make_recipe(["breakout", "breakout"], 5, options)
    first = Worker(recipe, 3, 1)
    first.follow(None, [])
    space = first.describe().action_space
    space.seed(0)
    snapshot, played = None, []
    for step in range(30):
        actions = np.asarray(space.sample())
        _, state = first.step(actions, snapshot=step % 10 == 0)
        snapshot, played = (state, []) if state else (snapshot, [*played, actions[None]])
        if step % 7 == 0:
            other = Worker(recipe, 3, 2)
            other.follow(snapshot, played)
            assert_alike(first.look(), other.look())
            actions = np.asarray(space.sample())
            results, _ = first.step(actions, snapshot=False)
            played.append(actions[None])
            assert_alike(results, other.step(actions, snapshot=False)[0])
            other.close()
    first.close()


def assert_alike(seen: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for one, other in zip(seen, expected, strict=True):
            assert_alike(one, other)
    else:
        assert_same(seen, expected)


def test_cards_travel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A card's text and ROM come with the recipe."""
    card = tmp_path / "breakout.toml"
    card.write_bytes((Path(__file__).parents[1] / "cards" / "breakout.toml").read_bytes())
    same = AtariVectorEnv(games=[card, "pong"], **RAM)
    recipe = make_recipe([card, "pong"], 1, RAM)
    card.unlink()
    monkeypatch.setattr(roms, "_package_folders", lambda: ())
    worker = Worker(recipe, 0, 1)
    worker.follow(None, [])
    assert np.array_equal(worker.look()[0], same.reset(seed=1)[0])
    for action in range(3):
        actions = np.full(2, action)
        assert_same(worker.step(actions, snapshot=False)[0][1], same.step(actions)[1])
    worker.close()


def test_no_rom_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roms, "_package_folders", lambda: ())
    recipe = make_recipe(["pong"], 0, {})
    with pytest.raises(FileNotFoundError, match=r"neither the driver nor.*\n.*pip install"):
        Worker(recipe, 0, 1)


def test_no_room(cluster: Cluster) -> None:
    """An actor that Ray has no place for is named; the error of one that dies is its own."""
    with Collector("pong", 1, workers=3, seed=0, **RAM) as collector:
        for _ in range(2):
            collector.recv(timeout=300)
        with pytest.raises(TimeoutError, match=r"workers \[\d\] have no place yet: .*1 free CPUs"):
            collector.recv(timeout=0.1)


def test_a_worker_that_is_lost_again_and_again(cluster: Cluster) -> None:
    def die(observations: Any, random: Any) -> Any:
        os._exit(1)

    with (
        RolloutCollector(die, "pong", 1, workers=1, retries=1, **RAM) as collector,
        pytest.raises(WorkerError, match="worker 0 was lost 2 times in succession"),
    ):
        collector.recv(timeout=300)


@pytest.mark.parametrize(
    ("arguments", "problem", "message"),
    [
        ({"games": "pong"}, TypeError, "games must be a list of names"),
        ({"game": "pong", "games": ["pong"]}, ValueError, "either a game or several"),
        ({"games": {"pong": 1, "boxing": 0}}, ValueError, "weight of 'boxing' is 0"),
        ({"games": ["pong", "boxing"], "num_envs": 1}, ValueError, "make num_envs larger"),
        ({"game": "pong", "num_envs": 0}, ValueError, "num_envs is 0"),
        ({"game": "pong", "batch_size": 2}, ValueError, "batch_size is not for collectors"),
        ({"game": "pong", "autoreset_mode": AutoresetMode.DISABLED}, ValueError, "SameStep"),
        ({"game": "bong"}, ValueError, "did you mean .* 'pong'"),
        ({"game": "pong", "workers": 0}, ValueError, "workers is 0"),
        ({"game": "pong", "seed": -1}, ValueError, "seed is -1"),
    ],
    ids=str,
)
def test_arguments(arguments: dict[str, Any], problem: type[Exception], message: str) -> None:
    with pytest.raises(problem, match=message):
        Collector(**{"num_envs": 4, **arguments})


def test_policies_that_are_none() -> None:
    with pytest.raises(TypeError, match="policy must be a function"):
        RolloutCollector("random", "pong")  # type: ignore[arg-type]


def test_games_by_weight() -> None:
    def counts(games: Any, num_envs: int) -> dict[Any, int]:
        rows = spread_games(None, games, num_envs)
        assert rows == sorted(rows, key=list(games).index)
        return {name: rows.count(name) for name in games}

    assert counts({"pong": 3, "boxing": 1}, 8) == {"pong": 6, "boxing": 2}
    assert counts({"pong": 1000, "boxing": 1}, 8) == {"pong": 7, "boxing": 1}
    assert counts(["pong", "boxing", "tennis"], 7) == {"pong": 3, "boxing": 2, "tennis": 2}
