"""Recordings replay bit by bit: every layer, option and way to begin."""

from __future__ import annotations

import errno
import inspect
import io
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from common import rom_path
from pyale_ma import multi
from pyale_ma._native import Rules
from pyale_ma.recording import Recording, RecordingError, record
from pyale_ma.recording.file import zip_writer
from pyale_ma.recording.file.format import OBSERVATION, OPTIONS
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv
from recording.all_games import kinds
from recording.playing import (
    agents,
    console,
    play_agents,
    play_frames,
    play_one,
    play_vector,
    quartet,
    recorded,
    small_single,
    solo_console,
    vector,
)

CARD = Path(__file__).parents[1] / "cards" / "pong.toml"


def holds(recording: Recording, steps: int) -> None:
    verdict = recording.verify()
    assert verdict, verdict
    assert verdict.complete
    assert verdict.steps == len(recording) == steps


# ---- One agent -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"repeat_action_probability": 0.0, "frameskip": 1},
        {"frameskip": (2, 5)},
        {"mode": 3, "difficulty": 1, "full_action_space": True},
        {"max_num_frames_per_episode": 200, "obs_type": "rgb", "sound_obs": True},
    ],
    ids=str,
)
def test_one_agent(tmp_path: Path, options: dict[str, Any]) -> None:
    holds(recorded(tmp_path / "a.zip", quartet(**options), play_one, 400, check_every=50), 400)


def test_paddles(tmp_path: Path) -> None:
    rom_path("breakout")
    options: dict[str, Any] = {"continuous": True, "continuous_action_threshold": 0.3}
    env = gymnasium.make("pyale_ma/Breakout-v5", obs_type="ram", **options)
    recording = recorded(tmp_path / "a.zip", env, play_one, 300)
    assert recording.array("actions").shape == (300, 1, 1, 3)
    assert recording.array("actions").dtype == np.float32
    holds(recording, 300)


def test_observations_are_those_seen(tmp_path: Path) -> None:
    env: Any = quartet(obs_type="grayscale")
    seen = []
    with record(env, tmp_path / "a.zip"):
        first, _ = env.reset(seed=5)
        for action in np.random.default_rng(0).integers(env.action_space.n, size=60):
            seen.append(env.step(action))
    recording = Recording.open(tmp_path / "a.zip")
    before = first
    for step, (after, reward, terminated, truncated, info) in zip(
        recording.steps(), seen, strict=True
    ):
        assert (step.observation == before).all()
        assert (step.next_observation == after).all()
        assert (step.reward, step.terminated, step.truncated) == (reward, terminated, truncated)
        assert step.info == info
        assert step.starts == (step.number == 0)
        before = after
    other = [step.next_observation.shape for step in recording.steps(obs_type="rgb", start=50)]
    assert other == [(210, 160, 3)] * 10
    assert [step.number for step in recording.steps(10, 13)] == [10, 11, 12]


def test_an_unseeded_beginning_and_middle(tmp_path: Path) -> None:
    env = quartet(frameskip=(2, 5))
    play_one(env, 30)
    with record(env, tmp_path / "a.zip"):
        play_one(env, 50, reset=False)
        env.reset()
        play_one(env, 50, reset=False)
    recording = Recording.open(tmp_path / "a.zip")
    assert recording.verify().given == 1
    holds(recording, 100)


def test_whatever_else_is_done_to_the_game(tmp_path: Path) -> None:
    env = quartet()
    with record(env, tmp_path / "a.zip"):
        play_one(env, 50)
        state = env.clone_state(include_rng=True)
        plain = env.clone_state()
        play_one(env, 20, reset=False)
        env.restore_state(state)
        play_one(env, 20, reset=False)
        env.restore_state(plain)
        env.ale.setRAM(3, 77)
        play_one(env, 20, reset=False)
        env.ale.act(1)
        env.ale.setDifficulty(env.ale.getAvailableDifficulties()[-1])
        play_one(env, 20, reset=False)
        env.ale.setMode(env.ale.getAvailableModes()[-1])
        env.reset()
        play_one(env, 20, reset=False)
        env.load_game()
        env.reset()
        play_one(env, 20, reset=False)
    recording = Recording.open(tmp_path / "a.zip")
    assert recording.verify().given == 5
    holds(recording, 170)


def test_a_failed_step_is_none(tmp_path: Path) -> None:
    env = quartet(frameskip=(2, 5))
    with record(env, tmp_path / "a.zip") as recorder:
        play_one(env, 30)
        with pytest.raises(IndexError, match="action is 99"):
            env.step(99)
        play_one(env, 30, reset=False)
        assert recorder.steps == 60
    holds(Recording.open(tmp_path / "a.zip"), 60)


def test_keyframes_give_the_same_steps(tmp_path: Path) -> None:
    recording = small_single(tmp_path / "a.zip", 300, keyframes=True, steps_per_chunk=40)
    plain = small_single(tmp_path / "b.zip", 300)
    holds(recording, 300)
    for mine, other in zip(recording.steps(190, 230), plain.steps(190, 230), strict=True):
        assert (mine.ram == other.ram).all()
        assert (mine.next_observation == other.next_observation).all()
    # Only the chunk is played in which it lies.
    first = next(iter(recording.steps(201, 202)))
    assert (first.ram == next(iter(plain.steps(201, 202))).ram).all()


@pytest.mark.parametrize("image", [None, "own.bin", "game.toml"])
def test_a_card(tmp_path: Path, image: str | None) -> None:
    rom_path("pong")
    if image is None:
        env = AtariEnv(CARD, obs_type="ram")
    else:
        card = tmp_path / "own.toml"
        card.write_text(
            f'name = "own"\nrom = "{image}"\nscore = "ram[13]"\n[variations.still]\n'
            'hold = { "ram[40]" = 0 }\n',
            encoding="utf-8",
        )
        card.with_name(image).write_bytes(rom_path("pong").read_bytes())
        env = AtariEnv(card, variation="still", obs_type="ram")
    recording = recorded(tmp_path / "a.zip", env, play_one, 100)
    for left in tmp_path.iterdir():
        if left.name != "a.zip":
            left.unlink()
    holds(recording, 100)
    assert recording.header.games[0].card
    name = "own" if image else "pong"
    assert str(recording.verify()) == (
        f"verified, 100 steps, by the file's own rules of {name} (a card)"
    )


@pytest.mark.parametrize(
    ("game", "options"),
    [("quartet", {}), ("warlords", {"random_seed": 5, "repeat_action_probability": 0.0})],
)
def test_frame_by_frame(tmp_path: Path, game: str, options: dict[str, Any]) -> None:
    played = console(game, **options)
    recording = recorded(tmp_path / "a.zip", played, play_frames, 500, check_every=50)
    assert recording.header.options["repeat_action_probability"] == (0.0 if options else 0.25)
    assert (recording.array("strengths") > 0).any()  # both have paddles
    holds(recording, 500)


def test_strengths_are_those_of_paddles(tmp_path: Path) -> None:
    played = solo_console("pong")
    assert played.env.info.paddles
    recorded(tmp_path / "a.zip", played, play_frames, 20)
    joystick = recorded(tmp_path / "b.zip", console("combat"), play_frames, 20)
    with pytest.raises(ValueError, match="name is 'strengths'"):
        joystick.array("strengths")


# ---- Several agents ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2},
        {"num_players": 4},
        {"repeat_action_probability": 0.25, "frame_skip": 4, "noop_max": 20, "max_cycles": 70},
        {"difficulty": 1, "full_action_space": True, "detailed_infos": True},
    ],
    ids=str,
)
def test_agents(tmp_path: Path, options: dict[str, Any]) -> None:
    env = agents(**options)
    recording = recorded(tmp_path / "a.zip", env, play_agents, 300, check_every=70)
    holds(recording, 300)
    assert recording.header.agents == env.possible_agents


def test_agents_restored_in_the_middle(tmp_path: Path) -> None:
    env = agents(num_players=4)
    play_agents(env, 20)
    with record(env, tmp_path / "a.zip"):
        play_agents(env, 40, reset=False)
        state, full = env.clone_state(), env.clone_full_state()
        play_agents(env, 40, reset=False)
        env.restore_state(state)
        play_agents(env, 40, reset=False)
        env.restore_full_state(full)
        play_agents(env, 40, reset=False)
        env.reset()
        play_agents(env, 40, reset=False)
    recording = Recording.open(tmp_path / "a.zip")
    holds(recording, 200)
    assert recording.verify().given == 3


def test_agents_that_leave(tmp_path: Path) -> None:
    """In Warlords players are out one by one."""
    rom_path("warlords")
    env = multi.warlords_v3.parallel_env(obs_type="ram", frame_skip=4)
    recording = recorded(
        tmp_path / "a.zip", env, play_agents, 1500, keyframes=True, steps_per_chunk=100
    )
    assert recording.array("terminations").any()
    holds(recording, 1500)
    plain = [step.ram for step in recording.steps(0, 1450)][-50:]
    for step, ram in zip(recording.steps(1400, 1450), plain, strict=True):
        assert (step.ram == ram).all()


@pytest.mark.parametrize("cycles", [20, 21])
def test_keyframes_by_turns(tmp_path: Path, cycles: int) -> None:
    """Also right after an episode that `max_cycles` ended, when the agents have yet to leave.

    PettingZoo's converter sets attributes of its own, which change no play.
    """
    env = multi.quartet_v0.env(num_players=2, obs_type="ram", max_cycles=cycles)
    with record(env, tmp_path / "a.zip", keyframes=True, steps_per_chunk=cycles, check_every=7):
        for seed in (3, None, None):
            env.reset(seed=seed)
            for agent in env.agent_iter():
                *_, terminated, truncated, _ = env.last()
                env.step(None if terminated or truncated else env.action_space(agent).sample())
    recording = Recording.open(tmp_path / "a.zip")
    holds(recording, 3 * cycles)
    assert recording.verify().given == 0


# ---- Vectors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_players": 2, "mode": 2, "mirror": True, "agent_indicator": True},
        {"num_players": 4, "repeat_action_probability": 0.25, "obs_type": "ram"},
        {"autoreset_mode": "SameStep", "max_num_frames_per_episode": 100, "frameskip": 3},
        {"continuous": True, "noop_max": 1, "use_fire_reset": False, "maxpool": False},
        {"episodic_life": True, "life_loss_info": True, "reward_clipping": False, "noop_max": 9},
        {"full_action_space": True, "grayscale": False, "stack_num": 1},
    ],
    ids=str,
)
def test_vectors(tmp_path: Path, options: dict[str, Any]) -> None:
    envs = vector(**options)
    holds(recorded(tmp_path / "a.zip", envs, play_vector, 120, check_every=30), 120)


def test_a_vector_of_several_games_modes_and_resets(tmp_path: Path) -> None:
    for game in ("pong", "breakout"):
        rom_path(game)
    envs = AtariVectorEnv(
        games=["pong", "breakout"], num_envs=2, obs_type="ram", stack_num=1, difficulty=[0, 1, 0, 1]
    )
    with record(envs, tmp_path / "a.zip"):
        envs.reset()  # from the seeds that it was made with
        play_vector(envs, 40, reset=False)
        envs.reset(
            seed=[7, -1],
            options={
                "reset_mask": np.array([True, False, True, False]),
                "mode": [1, 0, 4, 0],
                "difficulty": 1,
            },
        )
        play_vector(envs, 40, reset=False)
        envs.send(envs.action_space.sample())
        envs.recv()
    recording = Recording.open(tmp_path / "a.zip")
    holds(recording, 81)
    assert recording.verify().given == 0
    assert {episode.seed for episode in recording.episodes if episode.env == 0} >= {7}


@pytest.mark.parametrize("seed", [None, 5, [7]])
@pytest.mark.parametrize("keyframes", [False, True])
def test_steps_that_are_discarded(tmp_path: Path, seed: Any, keyframes: bool) -> None:
    """Steps that a reset or a restored state discards have moved the games."""
    envs = vector(repeat_action_probability=0.25)
    options = {"reset_mask": np.arange(envs.num_envs) == 0} if isinstance(seed, list) else None
    with record(envs, tmp_path / "a.zip", keyframes=keyframes, steps_per_chunk=15):
        play_vector(envs, 20)
        state = envs.save_state()
        for discard in (
            lambda: envs.reset(seed=seed, options=options),
            lambda: envs.restore_state(state),
            lambda: envs.reset(options={"reset_mask": np.arange(envs.num_envs) == 1}),
        ):
            envs.send(envs.action_space.sample())
            discard()
            play_vector(envs, 20, reset=False)
        envs.send(envs.action_space.sample())
        with pytest.raises(ValueError, match="no mode 99"):
            envs.reset(options={"mode": 99})
        with pytest.raises(ValueError, match="saved vector"):
            envs.restore_state(b"bad")
        envs.recv()  # nothing is lost
        play_vector(envs, 19, reset=False)
    holds(Recording.open(tmp_path / "a.zip"), 100)


def test_a_vector_copied_and_restored(tmp_path: Path) -> None:
    envs = vector(repeat_action_probability=0.25)
    play_vector(envs, 10)
    with record(envs, tmp_path / "a.zip", keyframes=True, steps_per_chunk=15):
        play_vector(envs, 20, reset=False)
        state = envs.save_state()
        envs.copy_envs([0], [2])
        play_vector(envs, 20, reset=False)
        envs.restore_state(state)
        play_vector(envs, 20, reset=False)
    recording = Recording.open(tmp_path / "a.zip")
    assert recording.verify().given == 3
    holds(recording, 60)
    with pytest.raises(RecordingError, match="cannot be restored"):
        list(recording.steps(img_height=9))
    late = list(recording.steps(52))
    for step, other in zip(late, list(recording.steps())[52:], strict=True):
        assert (step.next_observation == other.next_observation).all()


def test_modes_chosen_before_a_keyframe(tmp_path: Path) -> None:
    """A reset that names only a mode keeps the difficulty that an earlier one chose."""
    envs = vector(2)
    with record(envs, tmp_path / "a.zip", keyframes=True, steps_per_chunk=10):
        play_vector(envs, 5)
        envs.reset(options={"mode": 7, "difficulty": [1, 2]})
        play_vector(envs, 15, reset=False)
        envs.reset(options={"mode": 3})
        play_vector(envs, 20, reset=False)
    recording = Recording.open(tmp_path / "a.zip")
    holds(recording, 40)
    for late, other in zip(recording.steps(15), list(recording.steps())[15:], strict=True):
        assert (late.ram == other.ram).all()
        assert (late.next_observation == other.next_observation).all()


def test_threads_change_nothing(tmp_path: Path) -> None:
    files = []
    for threads in (1, 8):
        envs = vector(8, num_threads=threads, repeat_action_probability=0.25)
        recorded(tmp_path / f"{threads}.zip", envs, play_vector, 100)
        files.append((tmp_path / f"{threads}.zip").read_bytes())
    assert files[0] == files[1]


def test_a_vector_through_its_tensors(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    envs = vector()
    with record(envs, tmp_path / "a.zip"):
        adapter = envs.torch()
        adapter.reset(seed=1)
        for _ in range(10):
            adapter.step(torch.zeros(3, dtype=torch.int64))
    holds(Recording.open(tmp_path / "a.zip"), 10)


@pytest.mark.parametrize(
    ("layer", "kind", "others"),
    [
        ("single", AtariEnv, "game variation render_mode"),
        (
            "multi",
            multi.ParallelAtariEnv,
            "game variation render_mode seed env_name auto_rom_install_path",
        ),
        (
            "vector",
            AtariVectorEnv,
            "game games variation render_mode num_envs batch_size num_threads "
            "thread_affinity_offset grayscale extra_infos copy",
        ),
    ],
)
def test_no_option_is_forgotten(layer: str, kind: type, others: str) -> None:
    """An argument that changes what is played or observed is in the header."""
    arguments = set(inspect.signature(kind).parameters)
    arguments -= {"starts", *others.split()}  # the state after a start is kept
    assert set(OPTIONS[layer]) == arguments
    assert set(OBSERVATION[layer]) < set(OPTIONS[layer])


# ---- What a recording says -----------------------------------------------------------------------


def test_episodes_and_arrays(tmp_path: Path) -> None:
    env: Any = quartet(max_num_frames_per_episode=400)
    ends, totals, total = [], [], 0.0
    with record(env, tmp_path / "a.zip", steps_per_chunk=37, metadata={"who": ["me", 1.5]}):
        env.reset(seed=9)
        for number in range(250):
            _, reward, terminated, truncated, _ = env.step(number % env.action_space.n)
            total += reward
            if terminated or truncated:
                ends.append(number + 1)
                totals.append(total)
                total = 0.0
                env.reset()
    recording = Recording.open(tmp_path / "a.zip")
    assert recording.metadata == {"who": ["me", 1.5]}
    assert len(ends) >= 2
    found = recording.episodes
    assert [it.stop for it in found] == [*ends, 250]
    assert [it.start for it in found] == [0, *ends]
    assert [it.ended for it in found] == [True] * len(ends) + [False]
    assert [it.seed for it in found] == [9] + [None] * len(ends)
    assert [int(it.returns[0]) for it in found] == [*totals, total]
    actions = recording.array("actions")
    assert actions[:, 0, 0].tolist() == [n % env.action_space.n for n in range(250)]
    assert recording.array("truncations").sum() == len(ends)
    with pytest.raises(ValueError, match="name is 'ram'"):
        recording.array("ram")


def test_recording_changes_nothing(tmp_path: Path) -> None:
    plain, watched = quartet(frameskip=(2, 5)), quartet(frameskip=(2, 5))
    recorder = record(watched, tmp_path / "a.zip", steps_per_chunk=20, keyframes=True)
    for env in (plain, watched):
        play_one(env, 150)
    assert plain.clone_state(True).equals(watched.clone_state(True))
    recorder.close()
    recorder.close()
    assert watched.tap is None
    for env in (plain, watched):
        play_one(env, 20, reset=False)
    assert plain.clone_state(True).equals(watched.clone_state(True))
    assert len(Recording.open(tmp_path / "a.zip")) == 150


# ---- What is refused -----------------------------------------------------------------------------


def test_what_cannot_be_recorded(tmp_path: Path) -> None:
    file = tmp_path / "a.zip"
    with pytest.raises(RecordingError, match=r"CartPoleEnv.*recorded"):
        record(gymnasium.make("CartPole-v1"), file)
    with pytest.raises(RecordingError, match=r"record.*batch_size=0"):
        record(vector(batch_size=2), file)
    changed = quartet()
    changed.ale.setFloat("repeat_action_probability", 0.5)
    changed.reset(seed=1)
    with pytest.raises(RecordingError, match=r"changed.*ALEInterface"):
        record(changed, file)
    with pytest.raises(ValueError, match="check_every is 0"):
        record(quartet(), file, check_every=0)
    with pytest.raises(TypeError, match=r"metadata.*type object"):
        record(quartet(), file, metadata={"a": object()})
    assert not file.exists()
    env = quartet()
    record(env, file)
    with pytest.raises(RecordingError, match=r"being recorded.*kept"):
        record(env, tmp_path / "b.zip")
    with pytest.raises(FileExistsError, match="there is a file"):
        record(quartet(), file)
    env.ale.setInt("frame_skip", 2)
    with pytest.raises(RecordingError, match=r"changed.*ALEInterface"):
        env.reset(seed=3)
    assert env.tap is None
    assert Recording.open(file).complete


@pytest.mark.parametrize("named", [{}, {"difficulty": 1}, {"mode": 3, "difficulty": 1}], ids=str)
def test_modes_of_a_restored_vector(tmp_path: Path, named: dict[str, int]) -> None:
    """A seeded reset that does not name both falls back on those of the state."""
    envs = vector(2)
    envs.reset(seed=1, options={"mode": 3})
    state = envs.save_state()
    envs.reset(seed=1, options={"mode": 1})
    with record(envs, tmp_path / "a.zip"):
        play_vector(envs, 5)
        envs.restore_state(state)
        envs.reset(seed=3, options=named)
        play_vector(envs, 5, reset=False)
    verdict = Recording.open(tmp_path / "a.zip").verify()
    assert verdict, verdict
    assert verdict.given == (len(named) < 2)


def test_large_seeds_and_metadata(tmp_path: Path) -> None:
    env = quartet()
    with record(env, tmp_path / "a.zip"):
        play_one(env, 10)
        env.reset(seed=2**128)
        play_one(env, 10, reset=False)
    recording = Recording.open(tmp_path / "a.zip")
    assert recording.verify().given == 1
    holds(recording, 20)
    with pytest.raises(RecordingError, match="metadata makes a header of"):
        record(quartet(), tmp_path / "b.zip", metadata={"a": "x" * 2**24})


def test_arguments_by_name(tmp_path: Path) -> None:
    env, several = quartet(), agents(num_players=2)
    with record(env, tmp_path / "a.zip"), record(several, tmp_path / "b.zip"):
        env.reset(seed=1)
        env.step(action=1)
        several.reset(1, {})
        several.step(actions={"first_0": 1, "second_0": 2})
    holds(Recording.open(tmp_path / "a.zip"), 1)
    holds(Recording.open(tmp_path / "b.zip"), 1)
    assert Recording.open(tmp_path / "b.zip").array("actions").tolist() == [[[1, 2]]]


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The step that cannot be written fails, and the environment is free of its recorder."""

    class Disk(io.FileIO):
        room = 10**6

        def write(self, data: Any) -> int:
            if self.tell() == self.room:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(data[: self.room - self.tell()])

    monkeypatch.setattr(
        zip_writer, "open", lambda *file: io.BufferedWriter(Disk(*file)), raising=False
    )
    env = quartet()
    record(env, tmp_path / "a.zip", steps_per_chunk=10)
    env.reset(seed=1)
    play_one(env, 10, reset=False)
    Disk.room = (tmp_path / "a.zip").stat().st_size + 100
    with pytest.raises(OSError, match=r"space.*a\.zip"):
        play_one(env, 20, reset=False)
    assert env.tap is None
    assert (tmp_path / "a.zip").stat().st_size == Disk.room
    env.step(0)
    verdict = Recording.open(tmp_path / "a.zip").verify()
    assert (verdict.steps, verdict.complete, bool(verdict)) == (10, False, True)


def test_a_reset_that_fails_ends_no_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = quartet()
    with record(env, tmp_path / "a.zip"):
        play_one(env, 30)

        def fail() -> None:
            raise RuntimeError("no memory for a console")

        with monkeypatch.context() as patch:
            patch.setattr(env, "load_game", fail)
            with pytest.raises(RuntimeError, match="no memory for a console"):
                env.reset(seed=4)
        play_one(env, 30)
    holds(Recording.open(tmp_path / "a.zip"), 60)


# ---- All games -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("game", "rules", "players"), kinds())
def test_all_games(tmp_path: Path, game: str, rules: Rules, players: int) -> None:
    rom_path(game)
    single = rules == Rules.SOLO
    count = None if single else players
    envs = AtariVectorEnv(
        game, 2, num_players=count, obs_type="ram", repeat_action_probability=0.25
    )
    holds(recorded(tmp_path / "v.zip", envs, play_vector, 150), 150)
    if single:
        env = AtariEnv(game, obs_type="ram")
        holds(recorded(tmp_path / "a.zip", env, play_one, 300), 300)
    else:
        parallel = multi.parallel_env(game=game, num_players=players, obs_type="ram", frame_skip=4)
        holds(recorded(tmp_path / "a.zip", parallel, play_agents, 300), 300)
