"""Ctrl-C in calls of collectors, at every place where it may come, with losses of workers after it.

This process plays Ray's part: an actor is an object, which works while the driver waits.
"""

from __future__ import annotations

import contextlib
import pickle
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray", reason="the collectors run on Ray")

import ray
from ray.core.generated.gcs_pb2 import ActorTableData

from integrations.test_distributed_worker import RAM
from interrupts import interrupt_at
from pyale_ma.distributed import (
    Batch,
    Collector,
    Rollout,
    RolloutCollector,
    core,
    rollouts,
    worker_pool,
)
from pyale_ma.distributed.spec import make_vector_spec
from pyale_ma.distributed.worker import Request, Worker
from pyale_ma.recording import Recording, record
from pyale_ma.vector import AtariVectorEnv

STEPS = 4000
ENVS = 2


@contextlib.contextmanager
def untraced() -> Iterator[None]:
    """Interrupt nothing here: Ctrl-C is the driver's."""
    trace = sys.gettrace()
    sys.settrace(None)
    yield
    sys.settrace(trace)


class Ref:
    """A result, which is there when it has bytes."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = data


class Actor:
    """An actor, and its calls that were not made yet."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make, self.calls = make, deque[tuple[Ref, str, bytes]]()
        self.process: Any = None
        self.is_dead = False
        self.follow, self.call = self._method("follow"), self._method("call")

    def _method(self, name: str) -> Any:
        def remote(*arguments: Any) -> Ref:
            self.calls.append((ref := Ref(), name, pickle.dumps(arguments)))
            return ref

        return SimpleNamespace(remote=remote)

    def _get_local_state(self) -> Any:
        return ActorTableData.ALIVE

    def work(self) -> None:
        """Make all calls."""
        while self.calls:
            ref, name, plain = self.calls.popleft()
            if self.is_dead:
                ref.data = pickle.dumps(None)
                continue
            self.process = self.process or self.make()
            arguments = [
                pickle.loads(it.data) if isinstance(it, Ref) else it for it in pickle.loads(plain)
            ]
            ref.data = pickle.dumps(getattr(self.process, name)(*arguments))

    def lose(self, *, no_restart: bool = False) -> None:
        """Lose the process; Ray keeps the calls for the next one, if there is to be one."""
        self.is_dead |= no_restart
        with untraced():
            if self.process is not None and self.process.worker is not None:
                self.process.worker.close()
            self.process = None


@pytest.fixture
def actors(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Actor]]:
    """Take Ray's place; yields the actors that are made."""
    made: list[Actor] = []

    def remote(host: Any) -> Any:
        def make(*arguments: Any) -> Actor:
            made.append(Actor(lambda: host(*arguments)))
            return made[-1]

        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=make))

    def wait(refs: list[Ref], **_: Any) -> tuple[list[Ref], list[Ref]]:
        with untraced():
            for actor in made:
                actor.work()
        return [ref for ref in refs if ref.data], [ref for ref in refs if not ref.data]

    context = SimpleNamespace(get_node_id=lambda: "a node", get_worker_id=lambda: "the driver")
    stand_in = SimpleNamespace(
        put=lambda thing: Ref(pickle.dumps(thing)),
        get=lambda ref: pickle.loads(ref.data),
        kill=lambda actor, no_restart=True: actor.lose(no_restart=no_restart),
        is_initialized=lambda: True,
        get_runtime_context=lambda: context,
        wait=wait,
        remote=remote,
    )
    for module in (worker_pool, core, rollouts):
        monkeypatch.setattr(module, "ray", stand_in)
    monkeypatch.setattr(ray, "get_runtime_context", lambda: context)
    monkeypatch.setattr(worker_pool, "_plays_here", lambda _: False)
    yield made
    for actor in made:
        actor.lose()


class Steps:
    """A collector with one worker, and its batches, by number.

    Attributes:
        number: That of the batch that was received last.
    """

    def __init__(self, actors: list[Actor]) -> None:
        self._actors = actors
        self.collector = Collector(
            "pong", ENVS, workers=1, seed=3, snapshot_every=4, retries=10**6, **RAM
        )
        self._actions = np.random.default_rng(0).integers(0, 6, (STEPS, ENVS))
        self._envs = AtariVectorEnv("pong", ENVS, **RAM)
        self._expected = [self._envs.reset(seed=3)[0]]
        self.number = -1

    def send(self) -> None:
        """Send the actions of the next batch."""
        self.collector.send(0, self._actions[self.number + 1])

    def recv(self) -> None:
        """Receive the next batch."""
        self.check(self.collector.recv())

    def check(self, batch: Batch, *others: int) -> None:
        """See that a batch is the next, or one of these others."""
        assert batch.number in (self.number + 1, *others)
        self.number = batch.number
        while len(self._expected) <= batch.number:
            self._expected.append(self._envs.step(self._actions[len(self._expected)])[0])
        assert np.array_equal(batch.observations, self._expected[batch.number])

    def was_received(self) -> bool:
        """Whether a batch more was received than `number`; if so, go on from it."""
        try:
            self.collector.send(0, self._actions[self.number + 2])
        except RuntimeError:
            return False
        self.number += 1
        return True

    def interrupt(self, place: int, call: Callable[[], Any]) -> bool:
        """See `interrupt_at`; afterwards the worker's process is lost."""
        came = interrupt_at(place, call)
        for actor in self._actors:
            actor.lose()
        return came


def verify(folder: Path) -> None:
    """See that recordings are true; they may be empty."""
    for file in folder.iterdir():
        verdict = Recording.open(file).verify()
        assert bool(verdict) or not verdict.steps, str(verdict)


def test_recv(actors: list[Actor], tmp_path: Path) -> None:
    """The batch comes with the next call, or it was received; no recording has a step twice."""
    steps = Steps(actors)
    came, place = True, 0
    while came:
        with record(steps.collector, tmp_path / f"{place}", check_every=2):
            steps.recv()
            steps.send()
            came = steps.interrupt(place, steps.collector.recv)
            if not steps.was_received():
                steps.recv()
                steps.send()
        verify(tmp_path / f"{place}")
        place += 7
    assert place > 50


def test_send(actors: list[Actor]) -> None:
    """The actions were sent, or can be sent again."""
    steps = Steps(actors)
    came, place = True, 0
    while came:
        steps.recv()
        came = steps.interrupt(place, steps.send)
        with contextlib.suppress(RuntimeError):
            steps.send()
        place += 1
    for wrong in (0.0, True, "0"):
        with pytest.raises(TypeError, match="worker must be a whole number"):
            steps.collector.send(wrong, np.zeros(ENVS, int))  # type: ignore[arg-type]
    assert place > 20


def test_save_state_and_restore_state(actors: list[Actor], tmp_path: Path) -> None:
    """The collector goes on from the file, or as if nothing had been called."""
    steps, file = Steps(actors), tmp_path / "state"
    recorder = record(steps.collector, tmp_path / "recording", check_every=2)
    came, place = True, 0
    while came:
        steps.recv()
        steps.send()
        steps.collector.save_state(file)
        steps.recv()
        steps.send()
        steps.interrupt(place, lambda: steps.collector.save_state(tmp_path / "other"))
        came = steps.interrupt(place, lambda: steps.collector.restore_state(file))
        steps.check(steps.collector.recv(), steps.number)
        steps.send()
        place += 17
    assert place > 100
    recorder.close()
    verify(tmp_path / "recording")


def play(observations: Any, random: np.random.Generator) -> Any:
    return random.integers(0, 6, len(observations)), {"sums": observations.sum(axis=(1, 2))}


def test_rollouts(actors: list[Actor], tmp_path: Path) -> None:
    """Rollouts of all workers come with the next call, or were received."""
    options = {**RAM, "extra_infos": ["episode"]}
    spec = make_vector_spec(["pong"] * ENVS, 3, options)
    workers = [Worker(spec, number, 1) for number in range(2)]
    for worker in workers:
        worker.follow(None, [])
    expected: list[list[Any]] = [[], []]

    def check(rollout: Rollout, numbers: Collection[int]) -> None:
        assert rollout.number in numbers
        played = expected[rollout.worker]
        while len(played) <= rollout.number:
            stamp = {"worker": rollout.worker, "number": len(played), "version": 0}
            parts, _ = workers[rollout.worker].rollout(play, 2, stamp, Request())
            played.append({name: np.array(parts[name]) for name in ("observations", "actions")})
        for name, array in played[rollout.number].items():
            assert np.array_equal(getattr(rollout, name), array)

    collector = RolloutCollector(
        play, "pong", ENVS, steps=2, workers=2, seed=3, snapshot_every=6, retries=10**6, **RAM
    )
    file = tmp_path / "state"
    first = 0
    calls: list[Callable[[], Any]] = [
        collector.gather,
        lambda: collector.set_policy(play),
        lambda: collector.save_state(tmp_path / "other"),
        lambda: collector.restore_state(file),
    ]
    for call in calls:
        came, place = True, 0
        while came:
            recorder = record(collector, tmp_path / f"{calls.index(call)}-{place}", check_every=2)
            collector.save_state(file)
            collector.gather()
            version = collector.version
            came = interrupt_at(place, call)
            for actor in actors:
                actor.lose()
            together = collector.gather()
            numbers = {rollout.number for rollout in together}
            assert len(numbers) == 1
            for rollout in together:
                assert rollout.version in (version, collector.version)
                check(rollout, range(first, first + 3))
            first = together[0].number + 1
            recorder.close()
            verify(recorder.path)
            place += 83
        assert place > 10
    collector.close()
    for worker in workers:
        worker.close()


def test_close(actors: list[Actor]) -> None:
    """An interrupted close is completed by the next one."""
    came, place = True, 0
    while came:
        collector = Collector("pong", 1, workers=2, seed=3, **RAM)
        came = interrupt_at(place, collector.close)
        collector.close()
        assert all(actor.is_dead for actor in actors)
        place += 7
    assert place > 10
