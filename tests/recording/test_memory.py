"""`SequenceMemory`: windows of what a vector plays, compared with what was observed of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyale_ma.recording import RecordingError, SequenceMemory, record
from pyale_ma.recording.data import memory_file
from pyale_ma.recording.replay.window_players import VectorPlayer
from pyale_ma.vector import AtariVectorEnv
from recording.playing import play_vector, quartet, vector
from recording.test_dataset import ENVS, LENGTH, VARIANTS, Story, assert_equal, make, play


def keep(room: int = 100, **options: Any) -> tuple[AtariVectorEnv, SequenceMemory]:
    if options.get("life_loss_info"):
        options["extra_infos"] = ["episode"]
    envs = make(**options)
    return envs, SequenceMemory(envs, ENVS * room, keyframe_every=20)


def compare(memory: SequenceMemory, story: Story, across: bool) -> None:
    index, first = memory._current().parts[0].index, memory._timeline.first
    windows = memory.sample(24, LENGTH, np.random.default_rng(1), across_episodes=across)
    for row, number in enumerate(windows.indices):
        step, env = divmod(number, ENVS)
        steps = index.steps[index.envs == env] + first
        steps = steps[steps >= step][:LENGTH]
        for place, now in enumerate(steps):
            assert (windows.observations[row, place] == story.before[now][env]).all()
            assert (windows.rewards[row, place] == story.rewards[now][env]).all()
        assert (windows.observations[row, -1] == story.after[steps[-1]][env]).all()
    assert across or not windows.starts[:, 1:].any()


@pytest.mark.parametrize("variant", VARIANTS)
def test_windows_show_what_was_observed(variant: str) -> None:
    envs, memory = keep(**VARIANTS[variant])
    story = play(envs, 220, copies=True)
    assert len(memory) == memory.capacity == ENVS * 100  # the earliest are forgotten
    assert len(memory.starts(1)) > ENVS * 50
    for across in (False, True):
        compare(memory, story, across)


def test_begins_with_a_vector_that_plays() -> None:
    envs = make()
    play(envs, 30)
    memory = SequenceMemory(envs, ENVS * 80, keyframe_every=20, stack_num=1, obs_type="ram")
    rams = []
    for _ in range(60):
        rams.append(envs._native.rams().copy())
        envs.step(envs.action_space.sample())
    windows = memory.sample(20, 9, np.random.default_rng(0), across_episodes=True)
    assert windows.observations.shape == (20, 10, 1, 128)
    for row, number in enumerate(windows.indices):
        step, env = divmod(number, ENVS)
        assert (windows.observations[row, 0, 0] == rams[step][env]).all()


def test_what_is_kept_stays_when_the_vector_is_closed() -> None:
    envs, memory = keep()
    play(envs, 60)
    before = memory.sample(5, LENGTH, np.random.default_rng(0))
    envs.close()
    assert_equal(memory.sample(5, LENGTH, np.random.default_rng(0)), before)
    assert_equal(
        memory.windows(before.indices, LENGTH)._replace(probabilities=0),
        before._replace(probabilities=0),
    )


def test_memory_of_the_caller() -> None:
    envs, memory = keep()
    play(envs, 60)
    fresh = memory.sample(5, LENGTH, np.random.default_rng(0))
    out = np.full_like(fresh.observations, 7)
    drawn = memory.sample(5, LENGTH, np.random.default_rng(0), out=out)
    assert drawn.observations is out
    assert_equal(drawn, fresh)
    held = out[:]
    held.flags.writeable = False
    rng = np.random.default_rng(0)
    for wrong, told in (
        (out[1:], r"not uint8 \(4, 9"),
        (out.astype(np.int8), "not int8"),
        (out[:, ::-1], r"\), not contiguous$"),
        (held, r"\), read-only$"),
        (out.tolist(), "not list"),
    ):
        with pytest.raises(ValueError, match=r"out must be an array of uint8 \(5, 9, .*" + told):
            memory.sample(5, LENGTH, rng, out=wrong)
    assert_equal(memory.sample(5, LENGTH, rng), fresh)  # nothing was drawn


def test_send_and_recv() -> None:
    played = []
    for sends in (False, True):
        envs, memory = keep()
        envs.action_space.seed(0)
        envs.reset(seed=1)
        for _ in range(60):
            actions = envs.action_space.sample()
            if sends:
                envs.send(actions)
                envs.recv()
            else:
                envs.step(actions)
        played.append(memory.sample(9, LENGTH, np.random.default_rng(0)))
    assert_equal(*played)


def test_steps_that_are_discarded() -> None:
    """Steps that a reset or restored state discards moved the games; a refused one did not."""
    envs, memory = keep()
    played = []

    def step(times: int) -> None:
        for _ in range(times):
            played.append(envs.step(envs.action_space.sample())[0])

    envs.reset(seed=1)
    step(10)
    state = envs.save_state()
    step(20)
    for discard in (
        lambda: envs.reset(options={"reset_mask": np.arange(ENVS) == 0}),
        lambda: envs.restore_state(state),
        lambda: envs.reset(),
    ):
        envs.send(envs.action_space.sample())
        discard()
        step(30)
    envs.send(envs.action_space.sample())
    with pytest.raises(ValueError, match="no mode 99"):
        envs.reset(options={"mode": 99})
    with pytest.raises(ValueError, match="saved vector"):
        envs.restore_state(b"bad")
    played.append(envs.recv()[0])
    step(30)
    assert memory._timeline.count == len(played)
    windows = memory.sample(400, LENGTH, np.random.default_rng(0))
    for row, number in enumerate(windows.indices):
        at, env = divmod(int(number), ENVS)
        for place in range(LENGTH):
            assert (windows.observations[row, place + 1] == played[at + place][env]).all(), number


def test_weights() -> None:
    envs, memory = keep()
    play(envs, 80)
    starts = memory.starts(LENGTH)
    uniform = memory.sample(50, LENGTH, np.random.default_rng(0), weighted=True)
    assert np.allclose(uniform.probabilities, 1 / len(starts))
    memory.set_weights(starts, 0)
    memory.set_weights(starts[[3, 7]], [1, 3])
    windows = memory.sample(400, 2, np.random.default_rng(0), weighted=True)
    found, counts = np.unique(windows.indices, return_counts=True)
    chosen = dict(zip(found, counts, strict=True))
    assert set(starts[[3, 7]]) <= set(chosen)
    for number, weight in ((starts[3], 1), (starts[7], 3)):
        of_it = windows.probabilities[windows.indices == number]
        others = memory.starts(2)
        total = 4 + len(others) - np.isin(others, starts).sum()
        assert np.allclose(of_it, weight / total)
    assert chosen[starts[7]] > chosen[starts[3]]
    memory.set_weights(starts, 1e308)  # the sum is beyond all numbers
    large = memory.sample(50, LENGTH, np.random.default_rng(0), weighted=True)
    assert np.allclose(large.probabilities, 1 / len(starts))
    envs.step(envs.action_space.sample())  # new steps have 1
    memory.set_weights(memory.starts(1), 0)
    with pytest.raises(ValueError, match=r"weights.*0"):
        memory.sample(1, 1, weighted=True)


def test_saved_with_the_run(tmp_path: Path) -> None:
    envs, memory = keep(**VARIANTS["lives"])
    play(envs, 140)
    memory.set_weights(memory.starts(3)[:9], 5)
    memory.save(tmp_path / "memory")
    state = envs.save_state()
    envs.close()

    again, restored = keep(**VARIANTS["lives"])
    again.reset(seed=0)
    again.restore_state(state)
    restored.restore(tmp_path / "memory")
    for weighted in (False, True):
        drawn = [
            each.sample(9, LENGTH, np.random.default_rng(2), weighted=weighted)
            for each in (memory, restored)
        ]
        assert_equal(*drawn)
    assert restored.nbytes == memory.nbytes
    for _ in range(50):
        again.step(again.action_space.sample())
    assert restored.starts(LENGTH).max() > memory.starts(LENGTH).max()
    restored.sample(9, LENGTH, across_episodes=True)

    for other in (keep(room=120, **VARIANTS["lives"])[1], keep(**VARIANTS["next step"])[1]):
        with pytest.raises(RecordingError, match=r"it must be 120|is of another vector: games"):
            other.restore(tmp_path / "memory")
    with record(quartet(), tmp_path / "play.zip"):
        pass
    with pytest.raises(RecordingError, match=r"file.*SequenceMemory"):
        restored.restore(tmp_path / "play.zip")


def changed(path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Write another file with a changed tree, whose checksum is right."""
    tree = memory_file._FILE.read(path).values
    change(tree)
    memory_file._FILE.write(path.with_suffix(".bad"), tree)
    return path.with_suffix(".bad")


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    envs, memory = keep()
    play(envs, 120, copies=True)
    file = tmp_path / "memory"
    memory.save(file)
    good = file.read_bytes()
    for place in (5, 100, len(good) // 2, len(good) - 1):
        for bad in (good[:place], good[:place] + b"?" + good[place + 1 :]):
            file.with_suffix(".bad").write_bytes(bad)
            with pytest.raises(
                RecordingError, match=r"memory.bad is not a file of a Seq.*(is dam|begin)"
            ):
                memory.restore(file.with_suffix(".bad"))
    refused = drawn = 0
    random = np.random.default_rng(0)
    names = ["", "resets", "keyframes", "bases", "packed", "fresh"]
    for number in range(36):
        name = names[number % len(names)]

        def damage(data: Any) -> None:
            for _ in range(1 + random.integers(3)):
                data[random.integers(len(data))] = random.integers(256)

        def damage_array(tree: dict[str, Any], name: str = name) -> None:
            damage((tree | tree["flags"])[name].reshape(-1).view(np.uint8))

        if name:
            bad_file = changed(file, damage_array)
        else:
            title, values, arrays = good[:-32].split(b"\n", 2)
            damaged = bytearray(values)
            damage(damaged)
            body = b"\n".join((title, damaged, arrays))
            bad_file = file.with_suffix(".bad")
            bad_file.write_bytes(body + hashlib.sha256(body).digest())
        _, other = keep()
        try:
            other.restore(bad_file)
            other.sample(3, 3, across_episodes=True)
            drawn += 1
        except RecordingError:
            refused += 1
            assert len(other) in (0, len(memory))
        other._env.close()
    assert refused > 12
    assert refused + drawn == 36


def test_what_no_memory_writes_is_refused(tmp_path: Path) -> None:
    """Tables are bounded, and have nothing twice or for nothing."""
    envs, memory = keep()
    play(envs, 60)
    memory.save(tmp_path / "memory")
    _, other = keep()
    other.restore(tmp_path / "memory")

    def seeded_twice(tree: dict[str, Any]) -> None:
        table = tree["resets"]
        tree["resets"] = np.concatenate([table, table[table[:, 2] >= 0][:1]])

    def too_many(tree: dict[str, Any]) -> None:
        table = tree["resets"]
        table[:, 2] = -1
        tree["resets"] = np.concatenate([table, *[table[:1]] * 4])

    def too_long(tree: dict[str, Any]) -> None:
        tree["resets"] = np.tile(tree["resets"], (1000, 1))

    def of_other_type(tree: dict[str, Any]) -> None:
        tree["resets"] = tree["resets"].astype(np.float64)

    def unused(tree: dict[str, Any]) -> None:
        table = tree["keyframes"]
        table[table[:, 3] == 1, 3] = 0

    def vast(tree: dict[str, Any]) -> None:
        tree["keyframes"][0, 2] = 2**62

    for change, text in (
        (seeded_twice, "has resets that nobody keeps"),
        (too_many, "has resets that nobody keeps"),
        (too_long, r"resets is .*; it must be a table of at most \d+ rows"),
        (of_other_type, r"resets is .*; it must be an array of int64 and shape \(None, 5\)"),
        (unused, "no keyframe uses base 1"),
        (vast, f"a keyframe has {2**62} bytes"),
    ):
        with pytest.raises(RecordingError, match=text):
            other.restore(changed(tmp_path / "memory", change))
    with pytest.raises(RecordingError, match="is no regular file"):
        other.restore(os.devnull)


def step_vector(envs: Any) -> None:
    envs.step(np.ones(envs.num_envs, np.int64))


def test_a_handler_that_uses_a_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the midst of a step, or steps while windows are drawn; it may close it at any time."""
    envs = vector(2)
    memory = SequenceMemory(envs, 400, keyframe_every=4)
    play_vector(envs, 30)
    number = memory.starts(3).tolist()[0]
    used: list[Callable[[], Any]] = [
        lambda: memory.sample(1, 2),
        lambda: memory.windows([number], 2),
        lambda: memory.starts(2),
        lambda: memory.set_weights([number], 1),
        lambda: step_vector(envs),
    ]
    refused = []

    def handle() -> Any:
        for use in used:
            with pytest.raises(RuntimeError, match="is in use") as problem:
                use()
            refused.append(problem)

    add, play = memory._timeline.add, VectorPlayer._play
    with monkeypatch.context() as patch:
        patch.setattr(
            memory._timeline, "add", lambda *given, **more: handle() or add(*given, **more)
        )
        step_vector(envs)
    with monkeypatch.context() as patch:
        patch.setattr(VectorPlayer, "_play", lambda *given: handle() or play(*given))
        memory.sample(2, 3)
    assert len(refused) == 2 * len(used)
    step_vector(envs)
    assert len(memory) == 2 * 32
    with monkeypatch.context() as patch:

        def close_and_play(*given: Any) -> Any:
            memory.close()
            return play(*given)

        patch.setattr(VectorPlayer, "_play", close_and_play)
        memory.sample(2, 3)
    assert envs.tap is None
