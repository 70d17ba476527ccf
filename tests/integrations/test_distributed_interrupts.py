"""One caller of collectors, and Ctrl-C in their calls, with losses of workers after it.

This process plays Ray's part: an actor is an object, which works while the driver waits.
"""

from __future__ import annotations

import contextlib
import pickle
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

pytest.importorskip("ray", reason="the collectors run on Ray")

import ray
from ray.core.generated.gcs_pb2 import ActorTableData

from integrations.test_distributed_worker import RAM
from interrupts import interrupt_at
from pyale_ma.distributed import (
    Collector,
    RolloutCollector,
    core,
    liveness,
    rollouts,
    worker_pool,
)
from pyale_ma.recording import Recording, record

ENVS = 2
WAIT = "pyale_ma.distributed.worker_pool.ray.wait"


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
    for module in (worker_pool, liveness, core, rollouts):
        monkeypatch.setattr(module, "ray", stand_in)
    monkeypatch.setattr(ray, "get_runtime_context", lambda: context)
    monkeypatch.setattr(worker_pool, "_plays_here", lambda _: False)
    yield made
    for actor in made:
        actor.lose()


Collectors = Collector | RolloutCollector
Seen = list[tuple[int, int, bytes]]


def policy(observations: Any, random: np.random.Generator) -> Any:
    return random.integers(0, 6, len(observations))


def make(kind: type[Any]) -> Any:
    """Make a collector of two workers."""
    options = {"workers": 2, "seed": 3, "snapshot_every": 4, "retries": 10**6, **RAM}
    if kind is Collector:
        return Collector("pong", ENVS, ordered=True, **options)
    return RolloutCollector(policy, "pong", ENVS, steps=2, **options)


def play(collector: Collectors, rounds: int = 3) -> Seen:
    """Return the worker, the number and the observations of the next results."""
    seen = []
    for _ in range(rounds):
        if isinstance(collector, RolloutCollector):
            results: list[Any] = collector.gather()
        else:
            results = [collector.recv(), collector.recv()]
            for batch in results:
                collector.send(batch.worker, np.full(ENVS, batch.number % 6))
        seen += [(it.worker, it.number, it.observations.tobytes()) for it in results]
    return seen


def verify(folder: Path) -> None:
    """See that recordings are true; they may be empty."""
    for file in folder.iterdir():
        verdict = Recording.open(file).verify()
        assert bool(verdict) or not verdict.steps, str(verdict)


CALLS: list[tuple[type[Any], str, Callable[[Any, Path], Any], int]] = [
    (Collector, "recv", lambda it, _: it.recv(), 11),
    (Collector, "send", lambda it, _: it.send(it.recv().worker, np.zeros(ENVS, int)), 11),
    (Collector, "save_state", lambda it, file: it.save_state(file.with_name("other")), 47),
    (Collector, "restore_state", lambda it, file: it.restore_state(file), 37),
    (Collector, "reset", lambda it, _: it.reset(), 7),
    (RolloutCollector, "recv", lambda it, _: it.recv(), 13),
    (RolloutCollector, "gather", lambda it, _: it.gather(), 17),
    (RolloutCollector, "set_policy", lambda it, _: it.set_policy(policy), 1),
    (RolloutCollector, "restore_state", lambda it, file: it.restore_state(file), 29),
    (RolloutCollector, "reset", lambda it, _: it.reset(), 13),
]


@pytest.mark.parametrize(
    ("kind", "name", "call", "stride"), CALLS, ids=[f"{it[0].__name__}-{it[1]}" for it in CALLS]
)
def test_ctrl_c(
    actors: list[Actor],
    tmp_path: Path,
    kind: type[Any],
    name: str,
    call: Callable[[Any, Path], Any],
    stride: int,
) -> None:
    """A collector goes on as if nothing had come, or asks for a reset, and is new after it."""
    collector, file = make(kind), tmp_path / "state"
    first = play(collector)
    collector.save_state(file)
    asked, came, place = 0, True, 0
    while came:
        with record(collector, tmp_path / f"{place}", check_every=2):
            came = interrupt_at(place, lambda: call(collector, file))
            for actor in actors:
                actor.lose()
            try:
                assert_goes_on(play(collector))
            except ResetNeeded:
                asked += 1
                with pytest.raises(ResetNeeded, match=r"last step.*interrupted"):
                    collector.save_state(tmp_path / "other")
            except RuntimeError as problem:
                if "send it actions first" not in str(problem):  # the call was made in whole
                    raise
            collector.reset()
            assert play(collector) == first
        verify(tmp_path / f"{place}")
        place += stride
    assert place > 10
    assert bool(asked) == (name not in ("save_state", "set_policy"))
    collector.close()


def assert_goes_on(seen: Seen) -> None:
    """Results have the numbers of one worker after the other, none twice and none left out."""
    for worker in range(2):
        numbers = [number for whose, number, _ in seen if whose == worker]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_ctrl_c_while_waiting_loses_nothing(
    actors: list[Actor], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it nearly always comes there: the next call waits on."""
    collector = make(Collector)
    first = play(collector)
    collector.reset()

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(WAIT, interrupted)
            with pytest.raises(KeyboardInterrupt):
                collector.recv()
    assert play(collector) == first
    collector.close()


@pytest.mark.parametrize("kind", [Collector, RolloutCollector])
def test_one_caller(actors: list[Actor], monkeypatch: pytest.MonkeyPatch, kind: type[Any]) -> None:
    """A second call is refused, of this or another thread; `close` is not, and ends the first."""
    collector, wait = make(kind), vars(worker_pool)["ray"].wait
    refused: list[str] = []

    def call() -> None:
        for method in ("recv", "reset"):
            try:
                getattr(collector, method)()
            except RuntimeError as problem:
                refused.append(str(problem))

    def wait_and_call(*arguments: Any, **options: Any) -> Any:
        call()
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        return wait(*arguments, **options)

    def close(*_: Any, **__: Any) -> Any:
        monkeypatch.setattr(WAIT, wait)
        collector.close()
        return [], []

    with monkeypatch.context() as patch:
        patch.setattr(WAIT, wait_and_call)
        collector.recv()
    assert len(refused) >= 4
    wanted = f"{kind.__name__} is in use by another call"
    assert {text.split(":")[0] for text in refused} == {wanted}

    collector.reset()
    monkeypatch.setattr(WAIT, close)
    with pytest.raises(RuntimeError, match="the collector was closed"):
        play(collector)
    assert all(actor.is_dead for actor in actors)


def test_a_fork(actors: list[Actor], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its calls are refused, and its `close` leaves the workers to the parent."""
    collector = make(Collector)
    with monkeypatch.context() as patch:
        patch.setattr("os.getpid", lambda: -1)
        for call in (collector.recv, collector.reset, lambda: collector.save_state("never")):
            with pytest.raises(RuntimeError, match=r"made.*process \d+"):
                call()
        collector.close()
    assert not any(actor.is_dead for actor in actors)
    play(collector)
    collector.close()


def test_continuous_actions_are_finite(actors: list[Actor]) -> None:
    with Collector("pong", 1, workers=1, continuous=True, **RAM) as collector:
        collector.recv()
        with pytest.raises(ValueError, match=r"actions\[0, 1\] is inf"):
            collector.send(0, np.array([[0, np.inf, 0]], np.float32))
        collector.send(0, np.zeros((1, 3), np.float32))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"actions": np.zeros((2, ENVS), complex)}, r"actions is an array of complex128"),
        ({"actions": np.full((2, ENVS), 6)}, "outside the action set"),
        ({"rewards": np.zeros((2, ENVS), bool)}, r"rewards is an array of bool"),
        ({"truncations": np.zeros((2, ENVS))}, r"truncations is an array of float64"),
        ({"extras": {"a": np.zeros(3)}}, r"extras is .*shapes begin with \(2,\)"),
        ({"infos": {"lives": np.zeros(2)}}, r"infos is .*shapes begin with \(2, 2\)"),
    ],
    ids=str,
)
def test_forged_rollouts(
    actors: list[Actor], tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    """A state's rollouts that no policy has played are refused, and nothing has changed."""
    file = tmp_path / "state"
    with make(RolloutCollector) as collector:
        collector.recv()
        collector.set_policy(policy)
        collector.save_state(file)
        tree = core.STATE_FILE.read(file).values
        assert tree["kept"]
        tree["kept"][0] |= change
        core.STATE_FILE.write(tmp_path / "forged", tree)
        with pytest.raises(ValueError, match=message):
            collector.restore_state(tmp_path / "forged")
        collector.restore_state(file)
        assert play(collector)
