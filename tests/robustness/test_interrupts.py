"""Ctrl-C at any moment: a call did nothing or all, or the object asks for a reset."""

from __future__ import annotations

import functools
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from common import interrupt, load, rom_path
from interrupts import interrupt_at, interrupt_everywhere, state_of
from pyale_ma import _native, multi, roms
from pyale_ma._native import Pixels
from pyale_ma.multi import ALEInterface as MultiInterface
from pyale_ma.opponents import VersusEnv
from pyale_ma.single import ALEInterface, AtariEnv
from pyale_ma.vector import AtariVectorEnv

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

YEARS = 2**32 - 1  # acts


# ---- Calls that take long ------------------------------------------------------------------------


def quartet(**options: float) -> _native.Env:
    return _native.Env(_native.Rom(roms.find_rom("quartet").read_bytes()), **options)


CALLS: list[Callable[[_native.Env], Any]] = [
    lambda env: env.act(env.report.players, YEARS),
    lambda env: env.act_alone(1, YEARS),
    lambda env: env.step(Pixels.RGB, env.report.players, YEARS),
    lambda env: env.step_alone(Pixels.RGB, 1, YEARS),
]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_takes_years_ends_at_once(call: Callable[[_native.Env], Any]) -> None:
    env, twin = quartet(), quartet()
    before = state_of(env)
    ends: list[Callable[[], object]] = [
        env.reset,
        lambda: env.reload(0),
        functools.partial(env.restore, _native.State(before)),
    ]
    for end in ends:
        threads = len(sys._current_frames()) + 1  # with the one that interrupts
        start = time.perf_counter()
        interrupt(lambda: call(env), lambda: len(sys._current_frames()) > threads)  # noqa: B023
        assert time.perf_counter() - start < 5
        for refused in (env.act_alone, env.set_mode, env.set_difficulty):
            with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
                refused(0)
        with pytest.raises(ResetNeeded):
            state_of(env)
        end()
        env.act_alone(1)
    env.reload(7)
    twin.reload(7)
    assert state_of(env) == state_of(twin)


def test_long_calls_do_what_short_ones_do() -> None:
    at_once, by_parts, elsewhere = (quartet(frame_skip=2) for _ in range(3))
    at_once.act_alone(1, 700)
    rewards: Any = np.zeros(4, np.int64)
    for _ in range(14):
        by_parts.act_alone(1, 50)
        rewards += by_parts.report.rewards
    assert list(at_once.report.rewards) == list(rewards)
    thread = threading.Thread(target=elsewhere.act_alone, args=(1, 700))  # no signal reaches it
    thread.start()
    thread.join()
    assert at_once.outcome() == by_parts.outcome() == elsewhere.outcome()
    assert state_of(at_once) == state_of(by_parts) == state_of(elsewhere)


def test_an_error_in_a_long_call_is_told() -> None:
    with pytest.raises(ValueError, match="count is 3; mode"):
        quartet().act(3, YEARS)


def test_a_program_that_draws_nothing_plays() -> None:
    """84 bytes that count down and never end a frame, for which no environment came to be."""
    image = (b"\xca\xd0\xfd" * 28).ljust(0xFFC, b"\xea") + b"\x00\xf0\x00\xf0"
    rom = _native.Rom(image, "", scheme="4K")
    played = set()
    for fast_paths in (0, 15, 31):
        env = _native.Env(rom, fast_paths=fast_paths)
        env.act_alone(0, 5)
        played.add((env.ram.tobytes(), env.outcome()))
    assert len(played) == 1


def test_a_handler_that_uses_what_plays_is_refused() -> None:
    ale = load(ALEInterface(), "pong", frame_skip=2000)
    told: list[str] = []

    def use(*_: object) -> None:
        try:
            ale.act(0)
        except RuntimeError as error:
            told.append(str(error))

    before = signal.signal(signal.SIGALRM, use)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-3)
        frames = [ale.act(0) and ale.getFrameNumber() for _ in range(10)]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(frames) == 10
    assert told
    assert all("the environment of pong is in use" in each for each in told)


# ---- Any moment, any layer -----------------------------------------------------------------------


class Layer(NamedTuple):
    """Description of a layer, and how it is tried.

    Attributes:
        make: Makes an environment.
        reset: Resets it with a seed; what came of it.
        step: Plays a step, given a number; what came of it.
        settings: What a reset keeps.
    """

    make: Callable[[], Any]
    reset: Callable[[Any, int], Any]
    step: Callable[[Any, int], Any]
    settings: Callable[[Any], Any] = lambda env: None


def reset(env: Any, seed: int) -> Any:
    return env.reset(seed=seed)


def reload(ale: Any, seed: int) -> Any:
    ale.setInt("random_seed", seed + 1)
    ale.loadROM(str(rom_path("quartet" if seed % 2 else "pong")))
    return ale.getRAM()


def step_several(env: Any, number: int) -> Any:
    if not env.agents:
        return env.reset()
    return env.step({agent: (number + seat) % 6 for seat, agent in enumerate(env.agents)})


def step_turn(env: Any, number: int) -> Any:
    if not env.agents:
        return env.reset()
    over = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
    env.step(None if over else number % 6)
    return (env.agent_selection, env.agents, *env.last()) if env.agents else None


def act(ale: Any, number: int) -> Any:
    players = ale.numPlayersActive()
    return ale.act(np.full(players, number % 6)), ale.getRAM(), ale.getScreenRGB()


def loaded(make: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: load(make(), "pong", random_seed=7, repeat_action_probability=0.25)


LAYERS = {
    "AtariEnv": Layer(
        lambda: AtariEnv("quartet", mode=3, difficulty=1, frameskip=(2, 5)),
        reset,
        lambda env, number: env.step(number % env.action_space.n),
        lambda env: (env.ale._env.report.mode, env.ale._env.report.difficulty),
    ),
    "long steps": Layer(
        lambda: AtariEnv("quartet", frameskip=600), reset, lambda env, number: env.step(number % 6)
    ),
    "ALEInterface": Layer(loaded(ALEInterface), reload, act),
    "ALEInterface for several": Layer(loaded(MultiInterface), reload, act),
    "ParallelAtariEnv": Layer(
        lambda: multi.parallel_env(
            game="quartet", num_players=4, mode=18, difficulty=1, frame_skip=4, max_cycles=3
        ),
        reset,
        step_several,
        lambda env: (env._env.report.mode, env._env.report.difficulty),
    ),
    "AEC": Layer(lambda: multi.env(game="quartet", num_players=2, max_cycles=2), reset, step_turn),
    "AtariVectorEnv": Layer(
        lambda: AtariVectorEnv("quartet", 2, obs_type="ram", num_threads=1),
        reset,
        lambda env, number: env.step([number % 6] * 2),
    ),
    "VersusEnv": Layer(
        lambda: VersusEnv("quartet", "random", obs_type="ram"),
        reset,
        lambda env, number: env.step(number % 6),
    ),
}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other))


class Trial:
    """An environment that is interrupted, and two that are not.

    Attributes:
        asked: How often it asked for a reset.
    """

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self.env, *self._twins = (layer.make() for _ in range(3))
        self.asked = 0

    def begin(self, seed: int) -> None:
        for env in (self.env, *self._twins):
            self._layer.reset(env, seed)

    def check(self, call: Callable[[Any], Any]) -> None:
        """See what is left of a call that was interrupted."""
        layer, (before, after) = self._layer, self._twins
        call(after)
        try:
            found = layer.step(self.env, 2)
        except ResetNeeded:
            self.asked += 1
        else:
            assert same(found, layer.step(before, 2)) or same(found, layer.step(after, 2))
        results = [layer.reset(env, 5) for env in (self.env, *self._twins)]
        results += [layer.step(env, 3) for env in (self.env, *self._twins)]
        assert same(results[0], results[1])
        assert same(results[3], results[4])
        assert layer.settings(self.env) == layer.settings(before)


@pytest.mark.parametrize("name", LAYERS)
def test_interrupts_at_every_place_of_a_step(name: str) -> None:
    layer, place = LAYERS[name], 0
    trial = Trial(layer)
    for steps in (0, 2):  # the last of these ends episodes
        call = lambda env: layer.step(env, 1)  # noqa: E731
        place = 0
        while True:
            trial.begin(place)
            for env in (trial.env, *trial._twins):
                for number in range(steps):
                    layer.step(env, number)
            if not interrupt_at(place, functools.partial(call, trial.env)):
                break
            trial.check(call)
            place += 1
    assert place > 3
    assert trial.asked or "ALE" in name


@pytest.mark.parametrize("name", LAYERS)
def test_interrupts_at_many_places_of_a_reset(name: str) -> None:
    layer, place = LAYERS[name], 0
    trial = Trial(layer)
    call = lambda env: layer.reset(env, 3)  # noqa: E731
    trial.begin(1)
    while interrupt_at(place, functools.partial(call, trial.env)):
        trial.check(call)
        trial.begin(1)
        place += 7
    assert place > 7


@pytest.mark.parametrize("name", LAYERS)
def test_interrupts_by_a_timer(name: str) -> None:
    draw, layer = random.Random(1), LAYERS[name]
    trial = Trial(layer)

    def ring(_: int, frame: Any) -> None:
        while frame:  # of finalizers it would only be printed
            if frame.f_code.co_name in ("__del__", "remove"):
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, ring)
    try:
        for number in range(60):
            kind = layer.step if number % 2 else layer.reset
            call = functools.partial(lambda env, kind, of: kind(env, of), kind=kind, of=number)
            trial.begin(number)
            try:
                signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-5, 2e-3))
                call(trial.env)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                trial.check(call)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", ["AtariEnv", "ParallelAtariEnv"])
def test_resets_with_a_seed_lose_no_interrupt(name: str) -> None:
    """No console goes, whose finalizer would swallow it; what the console's user chose does."""
    layer = LAYERS[name]
    env = layer.make()
    console, settings = env.ale._env, layer.settings(env)
    for change in (lambda: None, lambda: layer.step(env, 1), console.reset):
        change()
        other = layer.make()
        assert same(layer.reset(env, 4), layer.reset(other, 4))
        assert same(layer.step(env, 3), layer.step(other, 3))
        assert env.ale._env is console
    env.ale.setMode(4)
    env.ale.setDifficulty(0)
    assert same(layer.reset(env, 5), layer.reset(layer.make(), 5))
    assert layer.settings(env) == settings


def test_a_load_that_was_interrupted_leaves_a_console_that_plays() -> None:
    ale, other = loaded(ALEInterface)(), load(ALEInterface(), "quartet", random_seed=7)
    states = {state_of(ale._env), state_of(other._env)}
    for _ in interrupt_everywhere(lambda: ale.loadROM(rom_path("quartet"))):
        assert state_of(ale._env) in states
        assert ale.getString("rom_file")
        ale.loadROM(rom_path("pong"))
    assert state_of(ale._env) == state_of(other._env)


@pytest.mark.parametrize(
    "kind", [_native.Env, lambda rom: _native.Vector([rom], np.zeros(1, np.uint32))]
)
def test_what_was_not_made_is_freed_in_silence(
    monkeypatch: pytest.MonkeyPatch, kind: Callable[[_native.Rom], Any]
) -> None:
    rom = _native.Rom(roms.find_rom("quartet").read_bytes())
    errors: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: errors.append(it.exc_value))
    for place, _ in enumerate(interrupt_everywhere(lambda: kind(rom))):
        others = [it for it in errors if not isinstance(it, KeyboardInterrupt)]  # in a finalizer
        assert not others, place


@pytest.mark.parametrize("make", [lambda: AtariEnv("quartet"), LAYERS["ParallelAtariEnv"].make])
def test_wrong_arguments_leave_all_as_it_was(make: Callable[[], Any]) -> None:
    env, twin = make(), make()
    env.reset(seed=1), twin.reset(seed=1)
    wrong: Any
    for wrong in (99, "x", None, {}, {"first_0": 99}):
        with pytest.raises((ValueError, TypeError, IndexError, KeyError)):
            env.step(wrong)
    for wrong in (-1, "x", 1.5):
        with pytest.raises(Exception, match=r"(?i)seed"):
            env.reset(seed=wrong)
    with pytest.raises(TypeError):
        env.reset(options=3)
    right: Any = dict.fromkeys(env.agents, 1) if hasattr(env, "agents") else 1
    assert same(env.step(right), twin.step(right))


def test_a_state_ends_an_interrupt() -> None:
    env = AtariEnv("quartet", frameskip=(2, 5))
    env.reset(seed=1)
    state, env._interrupted = env.clone_state(), True
    for call in (lambda: env.step(0), env.clone_state):
        with pytest.raises(ResetNeeded):
            call()
    env.restore_state(state)
    env.step(0)
