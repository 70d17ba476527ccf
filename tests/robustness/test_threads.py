"""Objects that threads share: nothing crashes, and what was closed says so.

Each test runs in a process of its own: a crash is a failed test then, and not the end of them all.
"""

from __future__ import annotations

import contextlib
import os
import threading
from typing import Any

import pytest

from common import run_python
from pyale_ma.console.base_interface import console_of
from pyale_ma.multi import pong_v3
from pyale_ma.single import AtariEnv

START = """
import gc, random, sys, threading, weakref
import numpy as np
from pyale_ma import _native, multi, roms
from pyale_ma.single import ALEInterface, AtariEnv
from pyale_ma.vector import AtariVectorEnv
from gymnasium.error import ClosedEnvironmentError

sys.setswitchinterval(1e-6)
failures = []

def together(*works, times=300):
    def run(work, seed):
        try:
            for i in range(times):
                work(i)
        except BaseException as failure:
            failures.append(failure)
    threads = [threading.Thread(target=run, args=(w, s)) for s, w in enumerate(works)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""


def run(code: str) -> str:
    return run_python(START + code, "-X", "faulthandler")


REFUSED = """
from gymnasium.error import ResetNeeded

def some(use):
    # Refused where another call runs; the error names what is in use, or the step that runs.
    def work(i):
        try:
            use(i)
        except RuntimeError as error:
            assert "the environment of" in str(error) and "is in use" in str(error), error
            refused.append(i)
        except ResetNeeded:
            refused.append(i)
        except ValueError as error:  # between two calls, the other game was loaded
            assert "rom" in str(error).lower(), error
    return work

refused = []
"""


@pytest.mark.parametrize("make", ["ALEInterface()", "multi.ALEInterface()"])
def test_a_second_caller_of_a_console_is_refused(make: str) -> None:
    run(f"""{REFUSED}
files = [roms.find_rom(name) for name in ("pong", "breakout")]
ale = {make}
ale.loadROM(files[0])

def load(i):
    ale.setInt("frame_skip", 20 + i % 3)  # long enough to meet
    ale.loadROM(files[i % 2])

def play(i):
    ale.act([i % 18])
    ale.getScreenRGB(), ale.getRAM(), ale.getAudio(), ale.game_over(), ale.lives()
    ale.getMinimalActionSet(), ale.getEpisodeFrameNumber(), ale.setRAM(5, 1)
    if i % 20 == 0:
        ale.reset_game()

together(*map(some, [load, play, play, lambda i: ale.restoreState(ale.cloneState())]))
assert not failures, failures
assert refused
ale.act([0])
""")


def test_a_second_caller_of_an_environment_is_refused() -> None:
    run(f"""{REFUSED}
for make in lambda: AtariEnv("pong"), lambda: multi.parallel_env(game="pong", num_players=2):
    env, other = make(), make()
    env.reset(seed=0)
    action = 1 if isinstance(env, AtariEnv) else {{"first_0": 1, "second_0": 1}}
    together(*map(some, [
        lambda i: env.step(action), lambda i: env.step(action), lambda i: env.reset(seed=i % 50),
        lambda i: env.clone_state(),
    ]), times=150)
    assert not failures, failures
    for each in env, other:
        each.reset(seed=1)
    for _ in range(5):
        assert str(env.step(action)) == str(other.step(action))
assert refused
""")


def test_views_keep_what_they_show() -> None:
    run("""
def env():
    return _native.Env(_native.shared_rom(roms.find_rom("pong").read_bytes()), sound=True)

for take in (lambda e: e.ram, lambda e: e.audio, lambda e: e.report, lambda e: e.report.rewards,
             lambda e: np.ctypeslib.as_array(e.report.rewards), lambda e: e.ram[3:5]):
    e = env()
    handle = weakref.ref(e._handle._obj.owner)
    seen = take(e)
    e.close()
    assert handle() is not None
    del seen, e
    assert handle() is None  # at once, not at the next garbage collection
""")


def test_closing_a_console_that_plays() -> None:
    run("""
for _ in range(20):
    env = _native.Env(_native.shared_rom(roms.find_rom("pong").read_bytes()))
    began = threading.Event()
    def act(i):
        while True:
            env.act(1, 5)
            began.set()
    def close(i):
        began.wait()
        env.close()
    together(act, close, times=1)
assert len(failures) == 20
assert all(isinstance(failure, ValueError) for failure in failures), failures
""")


@pytest.mark.parametrize("batch_size", [0, 2])
def test_closing_a_vector_that_another_thread_steps(batch_size: int) -> None:
    run(f"""
for times in range(12):
    env = AtariVectorEnv("pong", 4, batch_size={batch_size}, num_threads=2)
    env.reset(seed=0)
    batch = env.batch_size
    began = threading.Event()
    def step(i):
        while True:
            env.send(np.zeros(batch, int)); env.recv()
            began.set()
            env.step(np.zeros(batch, int)); env.save_state()
    def close(i):
        began.wait()
        env.close()
    together(step, close, times=1)
assert len(failures) == 12
for failure in failures:
    assert isinstance(failure, ClosedEnvironmentError), failure
    assert "closed" in str(failure)
""")


def test_many_threads_on_one_vector() -> None:
    """Calls at the same time are refused, and nothing else happens."""
    run("""
env = AtariVectorEnv("pong", 3, render_mode="rgb_array", max_num_frames_per_episode=40)
env.reset(seed=0)
state = env.save_state()
done, refused = [], []

def some(use):
    def work(i):
        try:
            use(i)
            done.append(i)
        except RuntimeError as problem:
            assert "in use by another call" in str(problem)
            refused.append(i)
    return work

together(*map(some, [
    lambda i: env.step(np.array([0, 1, 2])),
    lambda i: env.step(np.array([3, 4, 5])),
    lambda i: env.reset(seed=i),
    lambda i: env.render(),
    lambda i: env.copy_envs([0, 1], [1, 2]),
    lambda i: env.restore_state(state),
]), times=60)
assert not failures, failures
assert done and refused
other = AtariVectorEnv("pong", 3, render_mode="rgb_array", max_num_frames_per_episode=40)
for each in env, other:
    each.reset(seed=1)
assert np.array_equal(env.step([0, 1, 2])[0], other.step([0, 1, 2])[0])
""")


def test_states_are_made_and_dropped_together() -> None:
    run("""
ale = ALEInterface()
ale.loadROM(roms.find_rom("pong"))
together(*[lambda i: [ale.cloneState() for _ in range(20)]] * 4, times=100)
assert not failures, failures
""")


@pytest.mark.parametrize(
    ("make", "act"),
    [
        ("ALEInterface()", "ale.act(1)"),
        ("ALEInterface()", "ale.act(1, 0.5)"),
        ("multi.ALEInterface()", "int(ale.act([1])[0])"),
    ],
)
def test_rewards_are_those_of_the_call(make: str, act: str) -> None:
    """Every frame is won by the call that played it; what was refused is called again."""
    run(f"""
def make():
    ale = {make}
    ale.setInt("random_seed", 1)
    ale.setFloat("repeat_action_probability", 0.0)
    ale.loadROM(roms.find_rom("demon_attack"))
    return ale

ale = make()
expected = [{act} for _ in range(3000)]
assert any(expected)
ale = make()
won = []

def win(i):
    while True:
        try:
            won.append({act})
            return
        except RuntimeError as error:
            assert "is in use" in str(error)

together(*[win] * 3, times=1000)
assert not failures, failures
assert sorted(won) == sorted(expected), (sum(won), sum(expected))
""")


# ---- Forks -------------------------------------------------------------------------------------

FORK = """
import os, signal, time

def forked(use):
    # What `use` raises in a forked process, or "done"; "hangs" if it never ends.
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(20)  # ends it
        try:
            use()
            says = "done"
        except BaseException as error:
            says = f"{type(error).__name__}: {error}"
        os.write(writes, says.encode())
        os._exit(0)
    os.close(writes)
    os.waitpid(child, 0)
    with os.fdopen(reads) as stream:
        return stream.read() or "hangs"

def while_playing(play, use):
    # The same, forked while another thread plays.
    stop = threading.Event()
    def loop():
        while not stop.is_set(): play()
    thread = threading.Thread(target=loop)
    thread.start()
    found = []
    for _ in range(4):
        time.sleep(0.01)
        found.append(forked(use))
    stop.set()
    thread.join()
    return found
"""
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@needs_fork
@pytest.mark.parametrize("threads", [1, 2])
def test_vectors_refuse_after_a_fork_while_they_play(threads: int) -> None:
    run(f"""{FORK}
env = AtariVectorEnv("pong", 16, num_threads={threads})
env.reset(seed=0)
step = lambda: env.step([0] * 16)
for use in step, env.reset, lambda: env.copy_envs([0], [1]), env.save_state:
    for says in while_playing(step, use):
        assert "Error: " in says and "fork" in says, says
assert while_playing(step, env.close) == ["done"] * 4
env.send([0] * 16)
assert "OrderError: " in (says := forked(env.recv)) and "after the fork" in says, says
env.recv(), step()
""")


@needs_fork
@pytest.mark.parametrize("make", ["ALEInterface()", "multi.ALEInterface()"])
def test_consoles_refuse_or_play_after_a_fork(make: str) -> None:
    """One that nobody was playing is the child's; of another it may not have all."""
    run(f"""{FORK}
ale, still = {make}, {make}
for each in ale, still:
    each.loadROM(roms.find_rom("pong"))
env = ale._env if hasattr(ale, "_env") else ale.env
def use():
    ale.act(0)
    ale.getScreenRGB()
found = while_playing(lambda: env.act(1, 1000), use)
assert all(each == "done" or "OrderError: the environment" in each for each in found), found
assert while_playing(lambda: env.act(1, 1000), lambda: still.act(0)) == ["done"] * 4
""")


@needs_fork
def test_roms_are_loaded_after_a_fork_while_others_load() -> None:
    run(f"""{FORK}
ale = ALEInterface()
file = roms.find_rom("pong")
def load():
    ale.setInt("random_seed", random.randrange(100))
    ale.loadROM(file)
load()
found = while_playing(load, load)
assert all(each == "done" or "in use by another call" in each for each in found), found
""")


@pytest.mark.parametrize("layer", ["single", "RAM of several", "pictures of several"])
def test_a_step_that_was_refused_needs_no_reset(layer: str) -> None:
    """While another thread's call is in the library, steps are refused, and change nothing."""
    env: Any
    if layer == "single":
        env = AtariEnv("pong")
    else:
        kind = "ram" if layer.startswith("RAM") else "rgb_image"
        env = pong_v3.parallel_env(obs_type=kind)
    env.reset(seed=0)
    action: Any = 0 if layer == "single" else dict.fromkeys(env.agents, 0)
    console, players = console_of(env.ale), 1 if layer == "single" else 2

    def play() -> None:
        while True:
            with contextlib.suppress(RuntimeError):  # a step was running
                return console.act(players, 20_000)

    said = set[tuple[str, bool]]()
    while not said:
        other = threading.Thread(target=play)
        other.start()
        while other.is_alive():
            try:
                env.step(action)
            except RuntimeError as error:
                said.add((type(error).__name__, "in use by another call" in str(error)))
        other.join()
    assert said == {("OrderError", True)}  # no ResetNeeded
    env.step(action)
