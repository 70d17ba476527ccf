"""Vectors on a Ray cluster of several nodes on this machine, which are killed at random."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import errno
import os
import re
import runpy
import signal
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import module_at
from integrations.test_distributed_worker import RAM
from same import same as assert_same

pytest.importorskip("ray", reason="the collectors run on Ray")

import ray
from ray.cluster_utils import Cluster

from pyale_ma.distributed import (
    Collector,
    Rollout,
    RolloutCollector,
)
from pyale_ma.distributed.core import STATE_FILE
from pyale_ma.distributed.spec import VectorSpec, make_vector_spec
from pyale_ma.distributed.worker import Request, Worker
from pyale_ma.recording import Recording, RecordingError, record
from pyale_ma.vector import AtariVectorEnv

EXAMPLES = Path(__file__).parents[2] / "examples"
NODE = {"object_store_memory": 80 * 2**20, "include_dashboard": False}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A head, on which nothing but the driver runs, and two nodes with room for a worker each."""
    config: dict[str, Any] = {
        "prestart_worker_first_driver": False,
        "enable_worker_prestart": False,
    }
    config |= {"health_check_period_ms": 1000, "health_check_timeout_ms": 5000}
    cluster = Cluster()
    cluster.add_node(num_cpus=0, _system_config=config, **NODE)
    for _ in range(2):
        cluster.add_node(num_cpus=1, **NODE)
    connect(cluster, tmp_path_factory.mktemp("driver"))
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def connect(cluster: Cluster, folder: Path) -> None:
    """Connect this process to a cluster.

    Ray's processes import from the driver's folder, where a clone would hide the package.
    """
    here = Path.cwd()
    os.chdir(folder)
    ray.init(address=cluster.address, log_to_driver=False)
    os.chdir(here)


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


def members(file: Path) -> dict[str, bytes]:
    """Return a recording's members, without its last screens, which only the worker knows."""
    with zipfile.ZipFile(file) as found:
        return {name: found.read(name) for name in found.namelist() if name != "end.json"}


@pytest.mark.parametrize("ordered", [False, True])
def test_nothing_is_lost(
    cluster: Cluster, bare_nodes: dict[str, Any], tmp_path: Path, ordered: bool
) -> None:
    """Whoever is killed, workers play what one vector does, and are recorded as vectors are."""
    workers, num_envs, steps = 2, 3, 30
    games = {"breakout": 2, "pong": 1}
    options: dict[str, Any] = {
        "max_num_frames_per_episode": 60,
        "episodic_life": True,
        "extra_infos": ["ram"],
    }
    same = AtariVectorEnv(games=["breakout", "breakout", "pong"] * workers, **options)
    observations, infos = same.reset(seed=7)
    expected: list[Any] = [(observations, infos)]
    random = np.random.default_rng(0)
    actions = random.integers(0, 4, (steps, workers * num_envs))
    for row in actions:
        observations, *rest, infos = same.step(row)
        expected.append((observations, infos, *rest))
    deaths = set(random.choice(np.arange(5, steps), 3, replace=False))
    settings: dict[str, Any] = {"check_every": 4, "steps_per_chunk": 10}
    for worker in range(workers):
        rows = slice(worker * num_envs, (worker + 1) * num_envs)
        alone = AtariVectorEnv(games=["breakout", "breakout", "pong"], **options)
        with record(alone, tmp_path / f"{worker}.zip", **settings):
            alone.reset(seed=7 + worker * num_envs)
            for row in actions:
                alone.step(row[rows])
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
        record(collector, tmp_path / "recordings", **settings)
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
    for worker in range(workers):
        file = tmp_path / "recordings" / f"worker-{worker:04}.zip"
        assert str(Recording.open(file).verify()) == f"verified, {steps} steps"
        assert members(file) == members(tmp_path / f"{worker}.zip")
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


def receive_forever(collector: RolloutCollector, seen: list[Rollout]) -> None:
    """Add all rollouts to `seen`, until there is an error."""
    while True:
        seen.append(collector.recv(timeout=300))


def test_rollouts(cluster: Cluster, tmp_path: Path) -> None:
    """They are those of workers in this process, lost or not; policies are as old as promised.

    All are recorded, those that were ready when a policy failed, too.
    """
    workers, num_envs, steps, rounds = 2, 2, 4, 6
    options: dict[str, Any] = {**RAM, "num_players": 2, "max_num_frames_per_episode": 60}
    random, killed = np.random.default_rng(0), set()
    guess = make_guess()
    spec = make_vector_spec(["pong"] * num_envs, 3, {**options, "extra_infos": ["episode"]})
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
        recorder = record(collector, tmp_path, keyframes=True, check_every=5, steps_per_chunk=8)
        for number in range(rounds):
            if number in (1, 3, 4):
                killed |= kill(collector, random)
            rollouts = collector.gather()
            gathered += copy.deepcopy(rollouts)
            for rollout in rollouts:
                rollout.actions.fill(-1)  # they are the caller's: nobody else is to look at them
        assert collector.progress.restarts >= len(killed) > 0

        collector.set_policy(lambda observations, random: np.zeros((num_envs, 2), int))
        newer = [collector.recv(timeout=300) for _ in range(4 * workers)]
        assert collector.set_policy(guess) == 2
        newest = [collector.recv(timeout=300) for _ in range(4 * workers)]
        collector.set_policy(lambda *_: np.zeros(num_envs, int))
        with pytest.raises(ValueError, match=r"policy's.*\(2, 2\)"):
            receive_until(collector, ValueError)
        collector.set_policy(only_here)
        with pytest.raises(RuntimeError, match=r"read.*sent.*importable"):
            receive_until(collector, RuntimeError)
        assert recorder.steps == collector.progress.steps // num_envs

    assert_recorded(tmp_path, gathered + newer + newest)
    assert [rollout.worker for rollout in gathered] == [0, 1] * rounds
    for rollout in newer:
        assert rollout.version == 1
        assert not rollout.actions.any()
        assert rollout.number >= rounds
    for worker in range(workers):
        versions = [rollout.version for rollout in newest if rollout.worker == worker]
        assert versions == [*[1] * (len(versions) - versions.count(2)), *[2] * versions.count(2)]
        assert versions.count(1) <= 2  # of the two that were asked for ahead

    for rollout in gathered:
        assert rollout.observations.shape == (steps, num_envs, 1, 128)
        assert rollout.extras["sum"].shape == (steps, num_envs)
    assert_played_by(spec, {0: guess}, gathered)
    ends = [rollout.episodes for rollout in gathered if rollout.episodes]
    assert {int(env) for episodes in ends for env in episodes["env_id"]} == {0, 1, 2, 3}
    assert all(episodes["r"].shape == (len(episodes["l"]), 2) for episodes in ends)


def assert_played_by(spec: VectorSpec, policies: Mapping[int, Any], seen: list[Rollout]) -> None:
    """Rollouts are those of workers in this process, by policies of some versions, from 0 on."""
    for worker in {rollout.worker for rollout in seen}:
        alone = Worker(spec, worker, 1)
        alone.follow(None, [])
        for number, rollout in enumerate(one for one in seen if one.worker == worker):
            stamp = {"worker": worker, "number": number, "version": rollout.version}
            policy, steps = policies[rollout.version], len(rollout.rewards)
            assert_same(vars(rollout), alone.rollout(policy, steps, stamp, Request())[0])
        alone.close()


def assert_recorded(folder: Path, seen: list[Rollout]) -> None:
    """Recordings have these rollouts, and can be played from their keyframes."""
    for worker, file in enumerate(sorted(folder.glob("*.zip"))):
        recording = Recording.open(file)
        verdict = recording.verify()
        assert (bool(verdict), verdict.complete, verdict.given) == (True, True, 0)
        mine = [rollout for rollout in seen if rollout.worker == worker]
        for name in ("rewards", "terminations", "truncations"):
            expected = np.concatenate([getattr(rollout, name) for rollout in mine])
            assert np.array_equal(recording.array(name)[: len(expected)], expected)
        step = next(recording.steps(17))
        assert np.array_equal(step.next_observation, mine[4].observations[2])


def test_misuse(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with Collector("pong", 2, workers=1, seed=0, **RAM) as collector:
        with pytest.raises(RuntimeError, match=r"worker 0.*batch"):
            collector.send(0, [0, 0])
        assert collector.recv(timeout=300).number == 0
        with pytest.raises(RuntimeError, match="send actions first"):
            collector.recv()
        with pytest.raises(IndexError, match=r"worker is 1.*numbered 0.*0"):
            collector.send(1, [0, 0])
        with pytest.raises(ValueError, match=r"actions.*\(2,\).*\(1, 2\)"):
            collector.send(0, [[0, 0]])
        with pytest.raises(IndexError, match=r"actions\[1\] is 6"):
            collector.send(0, [0, 6])
        with pytest.raises(TypeError, match="float64"):
            collector.send(0, [0.0, 1.0])
        collector.send(0, [1, 2])
        assert collector.recv(timeout=300).number == 1
        collector.send(0, [1, 2])
        collector.reset()
        assert collector.recv(timeout=300).number == 0
        collector.send(0, [1, 2])
        assert collector.recv(timeout=300).number == 1

        (tmp_path / "a").touch()
        with pytest.raises(NotADirectoryError, match=r"path is .*a.*file"):
            record(collector, tmp_path / "a")
        with pytest.raises(TypeError, match="check_every must be a whole number"):
            record(collector, tmp_path / "b", check_every=1.5)  # type: ignore[arg-type]
        assert not (tmp_path / "b").exists()
        recorder: Any = record(collector, tmp_path / "b", steps_per_chunk=2)
        with pytest.raises(RecordingError, match=r"recorded.*close.*recorder"):
            record(collector, tmp_path / "c")
        writer = recorder._tracks[0].chunks._writer
        monkeypatch.setattr(writer._zip, "writestr", refuse)
        collector.send(0, [1, 2])
        collector.recv(timeout=300)
        collector.send(0, [1, 2])
        with pytest.raises(OSError, match=r"space.*b/worker-0000.zip"):
            collector.recv(timeout=300)
        assert collector.recv(timeout=300).number == 3  # which was not lost
        with pytest.raises(FileExistsError, match=r"worker-0000.zip already"):
            record(collector, tmp_path / "b")
    with pytest.raises(RuntimeError, match="closed"):
        collector.recv()


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


def make_fire() -> Any:
    """A policy of one player that travels by value."""

    def fire(observations: Any, random: np.random.Generator) -> Any:
        return random.integers(6, size=len(observations))

    return fire


def test_a_worker_that_hangs(cluster: Cluster) -> None:
    """It is named, replaced when its time is over, and ended with the others."""
    fire = make_fire()
    options: dict[str, Any] = {"workers": 2, "seed": 3, "steps": 2, "retries": 1000}
    with RolloutCollector(fire, "pong", 1, **options, **RAM) as collector:
        rollouts = collector.gather()
        place = collector.places[1]
        assert place is not None
        os.kill(place["pid"], signal.SIGSTOP)
        with pytest.raises(TimeoutError, match=rf"worker 1 \(host .*, pid {place['pid']}\).*\d+"):
            collector.gather(timeout=0.5)
        collector._pool.liveness.worker_timeout = 0.1
        while len(rollouts) < 4:
            if collector.progress.restarts:
                collector._pool.liveness.worker_timeout = None
            with contextlib.suppress(TimeoutError):
                rollouts += collector.gather(timeout=5)
        pids = [place["pid"] for place in collector.places if place]
        os.kill(pids[0], signal.SIGSTOP)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    spec = make_vector_spec(["pong"], 3, {**RAM, "extra_infos": ["episode"]})
    assert_played_by(spec, {0: fire}, rollouts)


def test_policies_that_raise(cluster: Cluster, tmp_path: Path) -> None:
    """Nothing is lost, a repeat is the same, and what is known is not raised again."""
    fire, flag = make_fire(), tmp_path / "raise"

    def raise_once(observations: Any, random: np.random.Generator) -> Any:
        random.integers(6)
        try:
            flag.unlink()
        except FileNotFoundError:
            return random.integers(6, size=len(observations))
        raise KeyError("once")

    def fail(observations: Any, random: np.random.Generator) -> Any:
        raise KeyError("always")

    def cancel(observations: Any, random: np.random.Generator) -> Any:
        raise asyncio.CancelledError

    seen = []
    flag.touch()
    with RolloutCollector(
        raise_once, "pong", 1, workers=2, seed=3, steps=3, snapshot_every=6, **RAM
    ) as collector:
        with pytest.raises(KeyError, match="once"):
            collector.gather()
        seen += collector.gather() + collector.gather()
        flag.touch()
        with pytest.raises(KeyError, match="once"):
            receive_forever(collector, seen)
        seen += [collector.recv(timeout=300) for _ in range(6)]
        assert not flag.exists()

        collector.set_policy(fail)
        for _ in range(2):
            with pytest.raises(KeyError, match="always"):
                receive_forever(collector, seen)
        collector.set_policy(cancel)
        with pytest.raises(RuntimeError, match=r"policy.*CancelledError\(\)"):
            receive_forever(collector, seen)
        collector.set_policy(fire)
        for _ in range(3):  # of which older policies may have played two
            seen += collector.gather()
    spec = make_vector_spec(["pong"], 3, {**RAM, "extra_infos": ["episode"]})
    assert_played_by(spec, {0: raise_once, 3: fire}, seen)
    assert [rollout.version for rollout in seen[-2:]] == [3, 3]


@pytest.mark.parametrize("ordered", [False, True])
def test_batches_go_on_from_a_file(cluster: Cluster, tmp_path: Path, ordered: bool) -> None:
    """Another collector goes on as if it were the same; batches without actions come again."""
    num_envs, steps, file = 2, 20, tmp_path / "state"
    options: dict[str, Any] = {**RAM, "max_num_frames_per_episode": 24, "extra_infos": ["episode"]}
    same = AtariVectorEnv("pong", 2 * num_envs, **options)
    actions = np.random.default_rng(0).integers(0, 6, (steps, 2, num_envs))
    expected: list[Any] = [same.reset(seed=7)]
    for row in actions:
        observations, *rest, infos = same.step(row.reshape(-1))
        expected.append((observations, infos, *rest))

    def make() -> Collector:
        return Collector(
            "pong", num_envs, workers=2, seed=7, ordered=ordered, snapshot_every=5, **options
        )

    def play(collector: Collector, first: int, last: int) -> None:
        """Receive batches of these numbers, and send actions for all but the last."""
        numbers = [first, first]
        while min(numbers) <= last:
            batch = collector.recv(timeout=300)
            assert batch.number == numbers[batch.worker]
            numbers[batch.worker] += 1
            rows = slice(batch.worker * num_envs, (batch.worker + 1) * num_envs)
            observations, infos, *rest = expected[batch.number]
            assert np.array_equal(batch.observations, observations[rows])
            arrays = (batch.rewards, batch.terminations, batch.truncations)
            for array, wanted in zip(arrays, rest, strict=False):
                assert np.array_equal(array, wanted[rows])
            for name in ("lives", "frame_number", "_episode"):
                assert name not in infos or np.array_equal(batch.infos[name], infos[name][rows])
            if batch.number < last:
                collector.send(batch.worker, actions[batch.number, batch.worker])

    def verdicts(part: str) -> set[str]:
        return {str(Recording.open(path).verify()) for path in (parts / part).iterdir()}

    parts = tmp_path / "parts"
    parts.mkdir()
    with make() as collector:
        record(collector, parts / "first")
        play(collector, 0, 8)
        for worker in range(2):
            collector.send(worker, actions[8, worker])
        unsent = collector.recv(timeout=300)
        assert unsent.number == 9
        collector.save_state(file)
        progress = collector.progress
        assert sorted(tmp_path.iterdir()) == [parts, file]
        # All that was received is there, whatever becomes of the driver.
        cut = {
            f"verified, {steps} steps; cut off there, its writer did not end" for steps in (8, 9)
        }
        assert cut >= verdicts("first")
    with make() as collector:
        recorder = record(collector, parts / "second")
        collector.restore_state(file)
        assert collector.progress.steps == progress.steps
        if ordered:
            assert collector.recv(timeout=300).worker == unsent.worker
            collector.restore_state(file)
        play(collector, 9, steps)
        with pytest.raises(RuntimeError, match="actions first"):
            collector.recv(timeout=300)
        again = recorder.steps - (2 * steps - progress.steps // num_envs)
        assert again in range(1 + ordered)  # if a step was received before it was restored
        collector.restore_state(file)  # in place of what was played
        play(collector, 9, 12)
        collector.save_state(tmp_path / "all received")
        collector.restore_state(tmp_path / "all received")
        play(collector, 12, 12)
        for worker in range(2):
            collector.send(worker, actions[12, worker])

        # Files that do not fit change nothing.
        tree = STATE_FILE.read(file).values
        part = tree["workers"][0]
        assert len(part["played"]) > 0  # since its fifth step, the last with a snapshot
        for change, message in [
            ({"snapshot": part["snapshot"][::-1]}, "worker 0 cannot go on from the state: "),
            ({"played": part["played"] + 6}, "outside the action set"),
            (
                {"played": part["played"][:, :1]},
                r"workers\[0\]: played is an array of int64 and shape \(\d, 1\); it must be",
            ),
            ({"order_count": 0.5}, r"order_count is 0.5; it must be a whole number"),
            ({"number": -1}, "number is -1"),
            ({"sent": np.zeros(3, np.int32)}, r"actions must have shape \(2,\), not \(3,\)"),
        ]:
            bad = {**tree, "workers": [{**part, **change}, tree["workers"][1]]}
            STATE_FILE.write(tmp_path / "bad", bad)
            with pytest.raises(ValueError, match=message):
                collector.restore_state(tmp_path / "bad")
        STATE_FILE.write(tmp_path / "bad", {**tree, "collector": {**tree["collector"], "seed": 8}})
        with pytest.raises(ValueError, match=r"seed is 8.*collector's 7"):
            collector.restore_state(tmp_path / "bad")
        play(collector, 13, steps)
    assert all(
        re.fullmatch(r"verified, \d+ steps, from \d saved states", it) for it in verdicts("second")
    )


def test_rollouts_go_on_from_a_file(cluster: Cluster, tmp_path: Path) -> None:
    """Those under way are played again, and those of older policies are in the file."""
    file = tmp_path / "state"
    fire, guess = make_fire(), make_guess()
    options: dict[str, Any] = {**RAM, "num_players": 2, "max_num_frames_per_episode": 60}

    def zeros(observations: Any, random: np.random.Generator) -> Any:
        return np.zeros((2, 2), int)

    def make(policy: Any) -> RolloutCollector:
        return RolloutCollector(
            policy, "pong", 2, workers=2, seed=3, steps=4, snapshot_every=8, **options
        )

    with make(guess) as collector:
        seen = collector.gather() + [collector.recv(timeout=300) for _ in range(5)]
        collector.set_policy(zeros)
        seen.append(collector.recv(timeout=300))  # which has rollouts of both policies under way
        collector.save_state(file)
        progress = collector.progress
        further = [collector.recv(timeout=300) for _ in range(10)]
    with make(zeros) as collector:
        collector.restore_state(file)
        assert (collector.version, collector.progress.batches) == (1, progress.batches)
        again = [collector.recv(timeout=300) for _ in range(10)]
        assert collector.set_policy(fire) == 2
    spec = make_vector_spec(["pong"] * 2, 3, {**options, "extra_infos": ["episode"]})
    for rollouts in (further, again):
        assert {rollout.version for rollout in rollouts} == {0, 1}
        assert_played_by(spec, {0: guess, 1: zeros}, seen + rollouts)
        assert not any(rollout.observations.flags.writeable for rollout in rollouts)
        assert all(rollout.actions.flags.writeable for rollout in rollouts)
    versions = {(rollout.worker, rollout.number): rollout.version for rollout in further}
    assert all(versions.get((r.worker, r.number), r.version) == r.version for r in again)
