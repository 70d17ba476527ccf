"""Ctrl-C during calls of the library that would take minutes, or for ever."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import interrupt, load, rom_path
from interrupts import interrupt_at, interrupt_everywhere, state_of
from pyale_ma import _native, multi
from pyale_ma._native import Pixels
from pyale_ma._native.abi import EnvOptions
from pyale_ma._native.interrupts import ANY, THREAD_NAME, FrameLimit
from pyale_ma.games import roms
from pyale_ma.multi.interface import ALEInterface as MultiInterface
from pyale_ma.single import AtariEnv
from pyale_ma.single.interface import ALEInterface

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

YEARS = 2**32 - 1  # acts


def quartet(**options: float) -> _native.Env:
    return _native.Env(_native.Rom(roms.find_rom("quartet").read_bytes()), **options)


def in_a_thread() -> bool:
    return any(thread.name == THREAD_NAME for thread in threading.enumerate())


def moment(env: _native.Env) -> tuple[bytes, bytes, bytes]:
    state = _native.State()
    env.save(state, include_random=True)
    return state.serialize(), bytes(env.report), env.screen(Pixels.INDEXED).tobytes()


CALLS: list[Callable[[_native.Env], Any]] = [
    lambda env: env.act(env.report.players, YEARS),
    lambda env: env.act_alone(1, YEARS),
    lambda env: env.step(Pixels.RGB, env.report.players, YEARS),
    lambda env: env.step_alone(Pixels.RGB, 1, YEARS),
]


@pytest.mark.parametrize("call", CALLS)
def test_an_interrupted_call_changed_nothing(call: Callable[[_native.Env], Any]) -> None:
    env = quartet()
    env.act_alone(3, 20)
    before = moment(env)
    for _ in range(2):
        interrupt(lambda: call(env), in_a_thread)
        assert moment(env) == before
    env.act_alone(1)
    assert moment(env) != before


def test_long_calls_do_what_short_ones_do() -> None:
    """Beyond the frames that are played at first."""
    at_once, by_parts = quartet(frame_skip=2), quartet(frame_skip=2)
    at_once.act_alone(1, 700)
    rewards: Any = np.zeros(4, np.int64)
    for _ in range(14):
        by_parts.act_alone(1, 50)
        rewards += by_parts.report.rewards
    assert list(at_once.report.rewards) == list(rewards)
    assert at_once.outcome() == by_parts.outcome()
    assert at_once.ram.tobytes() == by_parts.ram.tobytes()
    other = quartet(frame_skip=2)  # in another thread, which no signal reaches
    thread = threading.Thread(target=other.act_alone, args=(1, 700))
    thread.start()
    thread.join()
    assert other.ram.tobytes() == at_once.ram.tobytes()


def test_an_error_in_a_long_call_is_told() -> None:
    env = quartet()
    with pytest.raises(ValueError, match="count is 3; mode"):
        env.limit.run(_native.lib.ale_env_act, env._handle, env.actions, None, 3, 5)


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


def test_interface_answers_in_long_acts() -> None:
    ale = load(ALEInterface(), "pong", frame_skip=10_000)
    assert ale.act(0) == load(ALEInterface(), "pong", frame_skip=10_000).act(0)


def test_limits_are_lifted_for_one_call_at_a_time() -> None:
    """Or the end of one would set the limit for the other."""
    limit = FrameLimit(EnvOptions())
    first_plays, second_played = threading.Event(), threading.Event()
    seen: list[int] = []

    def first() -> int:
        first_plays.set()
        if second_played.wait(0.2):  # not while this one plays
            second.join()
        seen.append(limit._frames.value)
        return 0

    def play_second() -> None:
        first_plays.wait()
        limit.run(lambda: second_played.set() or 0)  # type: ignore[func-returns-value]

    second = threading.Thread(target=play_second)
    second.start()
    limit.run(first)
    second.join()
    assert seen == [ANY]


def test_long_calls_of_several_threads() -> None:
    """Each lifts the limit on frames for itself: no other thread's call ends by it."""
    ale = load(ALEInterface(), "pong", frame_skip=1500)
    problems: list[BaseException] = []

    def act() -> None:
        try:
            for _ in range(12):
                ale.act(0)
                if ale.game_over():
                    ale.reset_game()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=act) for _ in range(3)]
    for thread in threads:
        thread.start()
    act()
    for thread in threads:
        thread.join()
    assert problems == []


# ---- Ctrl-C between two instructions of Python ---------------------------------------------------


def moment_of_single(env: Any) -> Any:
    """All that what follows depends on."""
    console, generator = env.ale._env, env.np_random.bit_generator.state
    return state_of(console), env.ale.getInt("random_seed"), generator, env._np_random_seed


def moment_of_several(env: Any) -> Any:
    console, generator = env._env, env.np_random.bit_generator.state
    assert console is env.ale.env
    out = [console.actions[seat] for seat in range(4) if seat not in env._seats]
    playing = list(env.agents), list(env._seats), env.frame, env._is_reset, out
    return state_of(console), playing, generator, list(env._lives[:])


def play(env: Any, steps: int) -> None:
    for step in range(steps):
        action = step % 6
        env.step(action if isinstance(env, AtariEnv) else dict.fromkeys(env.agents, action))


def single() -> Any:
    env = AtariEnv("quartet", mode=3, difficulty=1, frameskip=(2, 5))
    env.reset(seed=1)
    return env


def several() -> Any:
    env = multi.parallel_env(
        game="quartet", num_players=4, mode=18, difficulty=1, noop_max=5, max_cycles=12
    )
    env.reset(seed=1)
    return env


def outcomes(env: Any, call: Callable[[], Any], moment: Callable[[Any], Any], after: Any) -> None:
    """Interrupt a call everywhere: each time it did nothing, or all."""
    before, seen = moment(env), 0
    for _ in interrupt_everywhere(call):
        seen += 1
        if (now := moment(env)) != before:
            assert now == after
            break
    assert seen > 10
    assert moment(env) == after


@pytest.mark.parametrize(
    ("make", "moment"),
    [(single, moment_of_single), (several, moment_of_several)],
    ids=["single", "several"],
)
def test_an_interrupted_seeded_reset_is_whole_or_did_nothing(
    make: Callable[[], Any], moment: Callable[[Any], Any]
) -> None:
    env, twin = make(), make()
    play(env, 5)
    twin.reset(seed=2)
    outcomes(env, lambda: env.reset(seed=2), moment, moment(twin))


def test_an_interrupted_reset_without_a_seed() -> None:
    env, twin = single(), single()
    for each in (env, twin):
        play(each, 5)
    twin.reset()
    outcomes(env, env.reset, moment_of_single, moment_of_single(twin))
    parallel, other = several(), several()
    for both in (parallel, other):
        play(both, 5)
    before, seen = moment_of_several(parallel), 0
    for _ in interrupt_everywhere(parallel.reset):
        seen += moment_of_several(parallel) == before
    assert seen > 10
    assert (parallel.frame, len(parallel.agents)) == (0, 4)


def test_an_interrupted_reset_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one begins with as many steps of NOOP as the first one would have."""

    def first(interrupted: bool) -> int:
        options: dict[str, Any] = {"seed": 7, "noop_max": 100, "detailed_infos": True}
        env = multi.parallel_env(game="quartet", num_players=2, **options)
        if interrupted:
            with monkeypatch.context() as patch:
                patch.setattr(env._env, "act", lambda *_: signal.raise_signal(signal.SIGINT))
                with pytest.raises(KeyboardInterrupt):
                    env.reset()
        frames: int = env.reset()[1]["first_0"]["episode_frame_number"]
        return frames

    assert first(True) == first(False)


def test_an_interrupted_step_is_whole_or_was_not_played() -> None:
    """Also the last one of an episode."""
    env, twin = several(), several()
    moments = [moment_of_several(twin)]
    while twin.agents:
        play(twin, 1)
        moments.append(moment_of_several(twin))
    assert len(moments) == 13
    reached = 0
    while env.agents:
        for _ in interrupt_everywhere(lambda: play(env, 1)):
            reached = moments.index(moment_of_several(env), reached)
            if not env.agents:
                break
        reached = moments.index(moment_of_several(env), reached)
    assert reached == 12


@pytest.mark.parametrize(("interface", "env"), [(ALEInterface, "_env"), (MultiInterface, "env")])
def test_an_interrupted_load_did_nothing(interface: Any, env: str) -> None:
    ale, twin = (load(interface(), "quartet", random_seed=7) for _ in range(2))

    def moment(ale: Any) -> Any:
        return state_of(getattr(ale, env)), ale.getString("rom_file"), ale._cache.options

    load(twin, "pong", random_seed=7)
    outcomes(ale, lambda: ale.loadROM(str(rom_path("pong"))), moment, moment(twin))


# ---- Handlers that use what is in use ------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "moment"),
    [(single, moment_of_single), (several, moment_of_several)],
    ids=["single", "several"],
)
def test_a_reset_within_a_reset_is_refused(
    make: Callable[[], Any], moment: Callable[[Any], Any]
) -> None:
    env, twin = make(), make()
    whole = []
    for seed in (2, 3, 4):
        twin.reset(seed=seed)
        whole.append(moment(twin))
    place = refused = 0
    there = True
    while there:
        env.reset(seed=4)
        try:
            there = interrupt_at(place, partial(env.reset, seed=2), partial(env.reset, seed=3))
        except RuntimeError:
            refused += 1
            assert moment(env) in (whole[2], whole[0])  # at the very end all has been done
        else:  # before the other one began, or after its end
            assert moment(env) in whole[:2]
        place += 7
    assert refused > 20
    with pytest.raises(RuntimeError, match="by a signal handler"):
        env._alone(env.reset)


@pytest.mark.parametrize("interface", [ALEInterface, MultiInterface])
def test_a_load_within_a_load(interface: Any) -> None:
    """Does not wait for itself; the last to end counts."""
    ale = load(interface(), "quartet", random_seed=7)
    place = 0
    while interrupt_at(
        place,
        lambda: ale.loadROM(str(rom_path("pong"))),
        lambda: ale.loadROM(str(rom_path("quartet"))),
    ):
        assert ale.getAvailableModes() is not None
        game = ale._cache.rom.info.md5.decode()
        assert game in (_native.games()["pong"].md5, _native.games()["quartet"].md5)
        place += 9
    assert place > 30


def test_a_call_within_a_long_one_is_refused() -> None:
    """Where it would wait for itself."""
    limit, playing = FrameLimit(EnvOptions()), threading.Event()
    main = threading.main_thread().ident
    assert main is not None

    def long_call() -> int:
        playing.set()
        while limit._frames.value:
            time.sleep(0.001)
        return 0

    def send() -> None:
        playing.wait()
        signal.pthread_kill(main, signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, lambda *_: limit.run(lambda: 0))
    thread = threading.Thread(target=send)
    thread.start()
    try:
        with pytest.raises(RuntimeError, match="signal handler"):
            limit.run(long_call)
    finally:
        signal.signal(signal.SIGUSR1, before)
        thread.join()
    limit.run(lambda: 0)
    assert limit._frames.value == 1000


def test_the_limit_is_back_after_an_interrupt() -> None:
    """Or the next call would not hear Ctrl-C."""
    limit = FrameLimit(EnvOptions())
    for _ in interrupt_everywhere(lambda: limit.run(lambda: 0)):
        limit._alone(lambda: None)
        for thread in threading.enumerate():
            if thread.name == THREAD_NAME:
                thread.join()
        assert limit._frames.value == 1000


def test_frames_are_recorded_one_act_at_a_time(tmp_path: Path) -> None:
    ale = load(ALEInterface(), "quartet", record_screen_dir=str(tmp_path))
    before, place, refused = state_of(ale._env), 0, 0
    while True:
        try:
            if not interrupt_at(place, lambda: ale.act(0), lambda: ale.act(1)):
                break
        except RuntimeError:
            refused += 1
            assert state_of(ale._env) == before
        before = state_of(ale._env)
        place += 5
    assert refused > 5
