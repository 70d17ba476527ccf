"""Ctrl-C at any moment, in every layer: each is then as its twin that nobody interrupted."""

from __future__ import annotations

import functools
import random
import signal
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest

import pyale_ma  # noqa: F401 (registers)
from common import load, rom_path
from interrupts import state_of
from pyale_ma import multi
from pyale_ma.multi.interface import ALEInterface as MultiInterface
from pyale_ma.opponents import VersusEnv
from pyale_ma.single import ALEInterface, AtariEnv
from pyale_ma.vector import AtariVectorEnv

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


def is_swallowed(frame: Any) -> bool:
    """Whether an interrupt would only be printed: of finalizers, and of what they call."""
    while frame:
        if frame.f_code.co_name in ("__del__", "remove"):
            return True
        frame = frame.f_back
    return False


class Timer:
    """Interrupts calls after some time."""

    def __init__(self) -> None:
        self._is_armed = False

    def __enter__(self) -> Timer:
        self._before = signal.signal(signal.SIGALRM, self._ring)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)

    def _ring(self, _: int, frame: Any) -> None:
        if not self._is_armed:
            return
        if is_swallowed(frame):
            signal.setitimer(signal.ITIMER_REAL, 1e-5)
            return
        self._is_armed = False
        raise KeyboardInterrupt

    def interrupts(self, call: Callable[[], Any], delay: float) -> tuple[bool, Any]:
        """Make a call: whether it was interrupted, else what it returned."""
        self._is_armed = True
        try:
            signal.setitimer(signal.ITIMER_REAL, delay)
            result = call()
            self._is_armed = False
        except KeyboardInterrupt:
            return True, None
        return False, result


class Layer(NamedTuple):
    """Description of a layer, and how it is tried.

    Attributes:
        make: Makes an environment.
        calls: What is interrupted; each is given the environment and a number.
        moment: All that what follows depends on; None: it must be reset after an interrupt.
        seconds: How long after the begin of a call it is interrupted, at most.
    """

    make: Callable[[], Any]
    calls: list[Callable[[Any, int], Any]]
    moment: Callable[[Any], Any] | None
    seconds: float


def step_one(env: Any, number: int) -> Any:
    return env.step(number % env.action_space.n)


def step_several(env: Any, number: int) -> Any:
    if not env.agents:
        return env.reset()
    return env.step({agent: (number + seat) % 6 for seat, agent in enumerate(env.agents)})


def step_vector(env: Any, number: int) -> Any:
    return env.step((np.arange(8) + number).reshape(4, 2) % 6)


def step_turn(env: Any, number: int) -> Any:
    if not env.agents:
        return env.reset()
    over = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
    env.step(None if over else number % 6)
    return env.last() if env.agents else None


def step_versus(env: Any, number: int) -> Any:
    result = step_one(env, number)
    return env.reset(seed=number) if result[2] or result[3] else result


def seeded(env: Any, number: int) -> Any:
    return env.reset(seed=number)


def unseeded(env: Any, _: int) -> Any:
    return env.reset()


def one(env: Any) -> Any:
    inner = env.unwrapped
    settings = dict(inner.ale._settings.texts)
    return state_of(inner.ale._env), settings, inner.np_random.bit_generator.state


def played(env: Any) -> Any:
    """Where it is, without what is kept for the next picture."""
    ale = env.ale
    numbers = ale.getFrameNumber(), ale.getEpisodeFrameNumber(), ale.lives(), ale.game_over()
    return numbers, ale.getRAM(), ale.getScreenRGB(), one(env)[1:]


def several(env: Any) -> Any:
    playing = list(env.agents), list(env._seats), env.frame, env._is_reset
    return state_of(env._env), playing, env._env is env.ale.env


def loaded(ale: Any) -> Any:
    return state_of(getattr(ale, "_env", None) or ale.env), ale.getString("rom_file")


def load_another(ale: Any, number: int) -> Any:
    ale.loadROM(str(rom_path("quartet" if number % 2 else "pong")))


def act(ale: Any, number: int) -> Any:
    players = getattr(ale, "numPlayersActive", lambda: 1)()
    return ale.act(number % 6) if players == 1 else ale.act(np.full(players, number % 6))


LAYERS = {
    "AtariEnv": Layer(
        lambda: AtariEnv("quartet", mode=3, difficulty=1, frameskip=3),
        [seeded, unseeded, step_one, step_one],
        *(one, 2e-3),
    ),
    "long steps": Layer(
        lambda: AtariEnv("quartet", frameskip=1500), [seeded, step_one], played, 2e-2
    ),
    "gymnasium.make": Layer(
        lambda: gymnasium.make("pyale_ma/Quartet-v0", mode=3), [seeded, step_one], one, 2e-3
    ),
    "ALEInterface": Layer(
        lambda: load(ALEInterface(), "pong", random_seed=7, repeat_action_probability=0.25),
        [load_another, act, act, lambda ale, _: ale.reset_game()],
        *(loaded, 1e-3),
    ),
    "ALEInterface for several": Layer(
        lambda: load(MultiInterface(), "pong", random_seed=7, repeat_action_probability=0.25),
        [load_another, act, act, lambda ale, _: ale.reset_game()],
        *(loaded, 1e-3),
    ),
    "ParallelAtariEnv": Layer(
        lambda: multi.parallel_env(
            game="quartet", num_players=4, mode=18, difficulty=1, frame_skip=4, max_cycles=20
        ),
        [seeded, unseeded, step_several, step_several, step_several],
        *(several, 1.5e-3),
    ),
    "AEC": Layer(
        lambda: multi.env(game="quartet", num_players=2, max_cycles=20),
        [seeded, step_turn, step_turn, step_turn],
        *(None, 1e-3),
    ),
    "AtariVectorEnv": Layer(
        lambda: AtariVectorEnv("quartet", 4, num_players=2, obs_type="ram"),
        [seeded, step_vector, step_vector],
        *(None, 3e-3),
    ),
    "VersusEnv": Layer(
        lambda: VersusEnv("quartet", "random", obs_type="ram", noop_max=3),
        [seeded, step_versus, step_versus],
        *(None, 1.5e-3),
    ),
}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other))


def try_layer(layer: Layer, wanted: int, seed: int) -> dict[str, int]:
    """Interrupt so many calls, and count what came of them."""
    draw = random.Random(seed)
    env, twin = layer.make(), layer.make()
    met = {"nothing": 0, "all": 0, "reset": 0}
    for each in (env, twin):
        if layer.moment is not loaded:
            seeded(each, 0)
    with Timer() as timer:
        while sum(met.values()) < wanted:
            call, number = draw.choice(layer.calls), draw.randrange(10**6)
            was, result = timer.interrupts(
                functools.partial(call, env, number), draw.uniform(0, layer.seconds)
            )
            if not was:
                assert same(result, call(twin, number))
            elif layer.moment is None:
                met["reset"] += 1
                assert same(seeded(env, number), seeded(twin, number))
            elif same(layer.moment(env), layer.moment(twin)):
                met["nothing"] += 1
            else:
                met["all"] += 1
                call(twin, number)
                assert same(layer.moment(env), layer.moment(twin)), call
    for number in range(5):
        assert same(layer.calls[-1](env, number), layer.calls[-1](twin, number))
    for each in (env, twin):
        if hasattr(each, "close"):
            each.close()
    return met


@pytest.mark.parametrize("name", LAYERS)
def test_interrupts(name: str) -> None:
    assert sum(try_layer(LAYERS[name], 40, 1).values()) == 40


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYERS)
def test_many_interrupts(name: str) -> None:
    """11,000 in all."""
    counts = {"AEC": 600, "AtariVectorEnv": 600, "VersusEnv": 800}
    count = counts.get(name, 1500)
    met = try_layer(LAYERS[name], count, 2)
    print(name, met)  # for -s
    assert sum(met.values()) == count
