"""Workers of collectors without a cluster: they follow each other, and check their arguments."""

from __future__ import annotations

import copy
import os
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

pytest.importorskip("ray", reason="the collectors run on Ray")

import asyncio

from pyale_ma.distributed import Collector, host
from pyale_ma.distributed.spec import make_vector_spec
from pyale_ma.distributed.worker import Request, Worker
from pyale_ma.games import rom_files
from pyale_ma.vector import AtariVectorEnv
from same import same

RAM: dict[str, Any] = {"obs_type": "ram", "stack_num": 1, "max_num_frames_per_episode": 200}


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
    spec = make_vector_spec(["breakout", "breakout"], 5, options)
    first = Worker(spec, 3, 1)
    first.follow(None, [])
    space = first.describe().action_space
    space.seed(0)
    snapshot: bytes | None = None
    played: list[Any] = []
    for step in range(30):
        actions = np.asarray(space.sample())
        _, additions = first.step(actions, Request(snapshot=step % 10 == 0))
        played.append(actions[None])
        if additions.snapshot:
            snapshot, played = additions.snapshot, []
        if step % 7 == 0:
            other = Worker(spec, 3, 2)
            other.follow(snapshot, played)
            same(first.results(), other.results())
            actions = np.asarray(space.sample())
            results, _ = first.step(actions, Request())
            played.append(actions[None])
            same(results, other.step(actions, Request())[0])
            other.close()
    first.close()


def test_cards_travel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A card's text and ROM come with the spec."""
    card = tmp_path / "breakout.toml"
    card.write_bytes((Path(__file__).parents[1] / "cards" / "breakout.toml").read_bytes())
    envs = AtariVectorEnv(games=[card, "pong"], **RAM)
    spec = make_vector_spec([card, "pong"], 1, RAM)
    card.unlink()
    monkeypatch.setattr(rom_files, "_package_folders", lambda: ())
    worker = Worker(spec, 0, 1)
    worker.follow(None, [])
    assert np.array_equal(worker.results()[0], envs.reset(seed=1)[0])
    for action in range(3):
        actions = np.full(2, action)
        same(worker.step(actions, Request())[0][1], envs.step(actions)[1])
    worker.close()


def test_names_of_environments_bring_their_players_and_modes() -> None:
    spec = make_vector_spec(["pong_v3", "boxing_v2"], 0, RAM)
    assert [each.environment for each in spec.games] == ["pong_v3", "boxing_v2"]
    worker = Worker(spec, 0, 1)
    assert (worker._envs.num_players, worker._envs._modes.tolist()) == (2, [4, 2])
    worker.close()


def test_ids_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'ALE/Pong-v5'.*'pong'"):
        make_vector_spec(["ALE/Pong-v5"], 0, RAM)


def test_an_actor_calls_only_from_the_state_that_is_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A restarted actor, and one whose call failed, are told where they are first.

    So is one that Ray brought to its first state again, as the answer of `follow` was lost.
    """
    # Outside of an actor it would start Ray.
    context = SimpleNamespace(get_node_id=lambda: "a node")
    monkeypatch.setattr("ray.get_runtime_context", lambda: context)
    actor = host.make_host()(host.own_versions(), 0, 1)
    spec = pickle.dumps(make_vector_spec(["pong"], 3, RAM))
    step = ("step", np.zeros(1, np.int32), Request(snapshot=True))
    assert actor.call(10, *step) is None
    facts, description = actor.follow(10, spec, None, [])
    assert (facts["pid"], description.action_space.shape) == (os.getpid(), (1,))
    assert actor.call(11, *step) is None
    ((first, additions),) = copy.deepcopy(actor.call(10, *step))
    assert actor.call(10, *step) is None
    assert actor.call(21, *step) is None
    ((second, _),) = copy.deepcopy(actor.call(11, *step))
    with pytest.raises(IndexError):
        actor.call(12, "step", np.full(1, 9, np.int32), Request())
    assert actor.call(12, *step) is None
    assert actor.call(13, *step) is None

    for _ in range(2):
        actor.follow(20, spec, additions.snapshot, [])
        assert actor.call(10, *step) is None
        assert actor.call(21, *step) is None
        (again,) = actor.call(20, "results")
        same(again, first)
    ((again, _),) = actor.call(21, *step)
    same(again, second)
    actor.worker.close()


@pytest.mark.parametrize(
    ("arguments", "problem", "message"),
    [
        ({"game": "pong", "games": ["pong"]}, ValueError, "either a game or several"),
        ({"games": {"pong": 1, "boxing": 0}}, ValueError, "weight of 'boxing' is 0"),
        ({"games": ["pong", "boxing"], "num_envs": 1}, ValueError, "make num_envs larger"),
        ({"game": "pong", "num_envs": 0}, ValueError, "num_envs is 0"),
        ({"game": "pong", "batch_size": 2}, ValueError, "batch_size is not for collectors"),
        ({"game": "pong", "autoreset_mode": AutoresetMode.DISABLED}, ValueError, "SameStep"),
        ({"game": "bong"}, ValueError, "did you mean .* 'pong'"),
        ({"game": "pong", "workers": 0}, ValueError, "workers is 0"),
        ({"game": "pong", "seed": -1}, ValueError, "seed is -1"),
        ({"game": "pong", "start_timeout": 0}, ValueError, "start_timeout is 0"),
        ({"game": "pong", "ordered": "no"}, TypeError, "ordered must be True or False, not 'no'"),
        ({"game": "pong", "worker_timeout": "1"}, TypeError, "worker_timeout must be a number"),
    ],
    ids=str,
)
def test_arguments(arguments: dict[str, Any], problem: type[Exception], message: str) -> None:
    with pytest.raises(problem, match=message):
        Collector(**{"num_envs": 4, **arguments})


def test_a_policy_returns_what_it_returned_first() -> None:
    """Names, dtypes and shapes of further arrays are those of a rollout's first step."""
    worker = Worker(make_vector_spec(["pong"] * 2, 3, RAM), 0, 1)
    worker.follow(None, [])
    stamp = {"worker": 0, "number": 0, "version": 0}

    def play(*returned: Any) -> dict[str, Any]:
        steps = iter(returned)
        return worker.rollout(lambda *_: next(steps), len(returned), stamp, Request())[0]

    none = np.zeros(2, int)
    rollout = play(
        (none, {"value": [0.5, 1.5], "hidden": 3}), (none, {"hidden": 4, "value": [2.0, 3.0]})
    )
    assert rollout["extras"]["value"].tolist() == [[0.5, 1.5], [2.0, 3.0]]
    assert rollout["extras"]["hidden"].tolist() == [3, 4]
    for first, second, message in [
        (
            {"a": 0},
            {"a": 0.7},
            r"'a' is float64 of shape \(\) at step 1, but int64 of shape \(\) at",
        ),
        (
            {"a": [1, 2]},
            {"a": 1},
            r"'a' is int64 of shape \(\) at step 1, but int64 of shape \(2,\)",
        ),
        ({}, {"a": 1}, r"arrays are \['a'\] at step 1, but \[\] at step 0"),
        ({"a": 1}, {}, r"arrays are \[\] at step 1, but \['a'\] at step 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            play((none, first), (none, second))
    wrongs: list[Any] = [(none, none), (none, {}, {})]
    for wrong in wrongs:
        with pytest.raises(TypeError, match=r"return actions.*dict"):
            play(wrong)
    worker.close()


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_a_policy_that_raises_what_is_no_exception(kind: type[BaseException]) -> None:
    """The driver gets an exception, and the worker lives."""
    worker = Worker(make_vector_spec(["pong"], 3, RAM), 0, 1)
    worker.follow(None, [])

    def fail(observations: Any, random: Any) -> Any:
        raise kind("over")

    with pytest.raises(RuntimeError, match=rf"policy.*{kind.__name__}\('over'\)"):
        worker.rollout(fail, 1, {"worker": 0, "number": 0, "version": 0}, Request())
    worker.close()


def test_actions_that_are_not_finite() -> None:
    """As recordings refuse them."""
    options = {**RAM, "continuous": True, "full_action_space": True}
    worker = Worker(make_vector_spec(["pong"] * 2, 3, options), 0, 1)
    worker.follow(None, [])
    actions = np.zeros((2, 3), np.float32)
    actions[1, 2] = np.nan
    with pytest.raises(ValueError, match=r"policy's actions\[1, 2\] is nan"):
        worker.rollout(lambda *_: actions, 1, {"worker": 0, "number": 0, "version": 0}, Request())
    worker.close()
