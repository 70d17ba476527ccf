"""Changes of an environment outside its recorded methods: refused, or recorded as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from pyale_ma.recording import Recording, RecordingError, SequenceMemory, record
from pyale_ma.single import ALEInterface
from pyale_ma.vector import AtariVectorEnv
from recording.playing import (
    agents,
    play_agents,
    play_one,
    play_vector,
    quartet,
    vector,
)


def step_agents(env: Any) -> None:
    env.step(dict.fromkeys(env.agents, 1))


Change = tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], Any], str]


CHANGES: dict[str, Change] = {
    "frameskip": (
        quartet,
        lambda env: env.step(1),
        lambda env: setattr(env, "_frameskip", 2),
        "_frameskip",
    ),
    "actions": (
        quartet,
        lambda env: env.step(1),
        lambda env: setattr(env, "_action_set", env._action_set[::-1]),
        "_action_set",
    ),
    "an action": (
        quartet,
        lambda env: env.step(1),
        lambda env: env._action_set.reverse(),
        "_action_set",
    ),
    "mode": (
        lambda: quartet(mode=1),
        lambda env: env.reset(seed=1),
        lambda env: setattr(env, "_game_mode", 2),
        "_game_mode",
    ),
    "cycles": (agents, step_agents, lambda env: setattr(env, "max_cycles", 7), "max_cycles"),
    "frames": (agents, step_agents, lambda env: setattr(env, "_frame_skip", 2), "_frame_skip"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_attributes_that_are_set(tmp_path: Path, name: str) -> None:
    """Before recording, and while: nothing is played until they are as the header says."""
    make, step, change, text = CHANGES[name]
    env = make()
    change(env)
    with pytest.raises(RecordingError, match=text):
        record(env, tmp_path / "a.zip")
    env = make()
    with record(env, tmp_path / "a.zip") as recorder:
        env.reset(seed=1)
        for _ in range(3):
            step_agents(env) if hasattr(env, "agents") else env.step(1)
        steps, state = recorder.steps, env.ale.getRAM().tolist()
        change(env)
        for _ in range(2):
            with pytest.raises(RecordingError, match=text):
                step(env)
        assert (recorder.steps, env.ale.getRAM().tolist()) == (steps, state)
    assert Recording.open(tmp_path / "a.zip").verify()


def test_a_console_that_is_replaced(tmp_path: Path) -> None:
    env = quartet()
    with record(env, tmp_path / "a.zip"):
        play_one(env, 10)
        ale, env.ale = env.ale, quartet().ale
        with pytest.raises(RecordingError, match=r"ale.*nothing"):
            env.step(1)
        env.ale = ale
        play_one(env, 10, reset=False)
    verdict = Recording.open(tmp_path / "a.zip").verify()
    assert (bool(verdict), verdict.steps, verdict.given) == (True, 20, 0)


def test_a_class_that_is_patched(tmp_path: Path) -> None:
    """Nothing is played until its methods are ours again."""
    env = quartet()
    with record(env, tmp_path / "a.zip"):
        play_one(env, 10)
        with mock.patch.object(ALEInterface, "act", return_value=1):
            with pytest.raises(RecordingError, match=r"methods.*console .*replaced"):
                env.step(1)
            with pytest.raises(RecordingError, match=r"methods.*console .*replaced"):
                record(quartet(), tmp_path / "b.zip")
        play_one(env, 10, reset=False)
    assert Recording.open(tmp_path / "a.zip").verify().steps == 20


def test_another_cartridge(tmp_path: Path) -> None:
    env = quartet()
    with record(env, tmp_path / "a.zip"):
        play_one(env, 10)
        env.ale.loadROM("", game="")  # without rewards
        with pytest.raises(RecordingError, match=r"loadROM.*cartridge.*rules"):
            env.step(1)
        env.ale.setFloat("repeat_action_probability", 0.0)
        env.load_game()
        with pytest.raises(RecordingError, match=r"settings.*console.*changed"):
            env.step(1)
        env.ale.setFloat("repeat_action_probability", 0.25)
        play_one(env, 10)
    assert Recording.open(tmp_path / "a.zip").verify().steps == 20


def test_another_generator(tmp_path: Path) -> None:
    """That of frame skips: drawn from by others, replaced, or of a kind that no file has."""
    env = quartet(frameskip=(2, 9))
    with record(env, tmp_path / "a.zip"):
        play_one(env, 10)
        env.np_random.random()
        play_one(env, 10, reset=False)
        env.np_random = np.random.Generator(np.random.PCG64(3))
        play_one(env, 10, reset=False)
        env.np_random = np.random.Generator(np.random.MT19937(3))
        with pytest.raises(RecordingError, match="draws from MT19937"):
            env.step(1)
        play_one(env, 10)
    verdict = Recording.open(tmp_path / "a.zip").verify()
    assert (bool(verdict), verdict.steps, verdict.given) == (True, 40, 2), verdict


def test_agents_that_are_set(tmp_path: Path) -> None:
    env = agents(num_players=4)
    with record(env, tmp_path / "a.zip"):
        play_agents(env, 10)
        env.agents = env.agents[1:]
        play_agents(env, 10, reset=False)
        for refused in (env.agents[::-1], ["fifth_0"], tuple(env.agents)):
            env.agents = refused
            with pytest.raises(RecordingError, match=r"agents.*environment.*set"):
                step_agents(env)
        env.reset(seed=2)
        env.frame = 3
        play_agents(env, 10, reset=False)
    verdict = Recording.open(tmp_path / "a.zip").verify()
    assert (bool(verdict), verdict.steps, verdict.given) == (True, 30, 2), verdict


# ---- Around the environment ----------------------------------------------------------------------


def around(name: str, env: Any, act: Callable[..., Any]) -> Callable[[], Any]:
    """Return a call that changes a game otherwise: a method looked up before, or of a class."""
    return {
        "act": lambda: act(1),
        "act of the class": lambda: ALEInterface.act(env.ale, 1),
        "ram": lambda: ALEInterface.setRAM(env.ale, 3, 99),
        "difficulty": lambda: ALEInterface.setDifficulty(env.ale, 1),
        "reset": lambda: ALEInterface.reset_game(env.ale),
    }[name]


@pytest.mark.parametrize("name", ["act", "act of the class", "ram", "difficulty", "reset"])
@pytest.mark.parametrize("last", [False, True])
def test_what_is_done_to_the_console(tmp_path: Path, name: str, last: bool) -> None:
    """The state after it is kept, and at the end nothing is said of the screen."""
    env = quartet()
    change = around(name, env, env.ale.act)
    with record(env, tmp_path / "a.zip"):
        play_one(env, 10)
        change()
        if not last:
            play_one(env, 10, reset=False)
    verdict = Recording.open(tmp_path / "a.zip").verify()
    assert verdict, verdict
    assert (verdict.steps, verdict.given) == ((10, 0) if last else (20, 1))


def test_what_is_done_to_the_library_s_vector(tmp_path: Path) -> None:
    """What does not pass the environment is heard, too."""
    envs = vector(2)
    kept = vector(2)
    with record(envs, tmp_path / "a.zip"), SequenceMemory(kept, 400, keyframe_every=4) as memory:
        for each in (envs, kept):
            play_vector(each, 30)
            each._stepper.step(np.ones(2, np.int64))
            play_vector(each, 30, reset=False)
        for start in memory.starts(10).tolist():
            memory.windows([start], 10)
    verdict = Recording.open(tmp_path / "a.zip").verify()
    assert (bool(verdict), verdict.steps, verdict.given) == (True, 60, 1), verdict


def test_vectors_that_are_changed(tmp_path: Path) -> None:
    envs = AtariVectorEnv("breakout", 2, continuous=True)
    envs.continuous_action_threshold = 0.9
    with pytest.raises(RecordingError, match=r"continuous_action_threshold .* is 0\.9 now"):
        record(envs, tmp_path / "a.zip")
    envs = vector(2)
    envs.games[0] = "pong"
    with pytest.raises(RecordingError, match=r"games.*environment"):
        record(envs, tmp_path / "a.zip")
