"""Datasets: windows of recordings, compared with what was observed while they were recorded."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec

from common import rom_path
from pyale_ma.recording import Dataset, RecordingError, Windows, record
from pyale_ma.recording.data.dataset import common_spec
from pyale_ma.recording.replay import timelines
from pyale_ma.recording.replay.window_players import WindowPlayer
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv
from recording.playing import (
    agents,
    change_json,
    console,
    play_agents,
    play_one,
    play_vector,
    quartet,
    recorded,
    rewrite,
    vector,
)

ENVS, LENGTH = 5, 8
KEYFRAMES: dict[str, Any] = {"keyframes": True, "steps_per_chunk": 32}
VARIANTS: dict[str, dict[str, Any]] = {
    "next step": {"max_num_frames_per_episode": 120},
    "same step": {"autoreset_mode": "SameStep", "stack_num": 1, "max_num_frames_per_episode": 120},
    "own resets": {"autoreset_mode": "Disabled", "obs_type": "rgb", "img_width": 9},
    "lives": {"game": "breakout", "episodic_life": True, "repeat_action_probability": 0.25},
    "lost lives": {"game": "breakout", "life_loss_info": True, "obs_type": "ram"},
    "players": {"game": "pong", "num_players": 2, "mirror": True, "agent_indicator": True},
    "positions": {"game": "breakout", "continuous": True, "frameskip": 5},
    "objects": {"obs_type": "objects", "mode": 1, "difficulty": 1, "noop_max": 0},
}


class Story:
    """Observations of a vector before and after each step."""

    def __init__(self) -> None:
        self.before: list[np.ndarray[Any, Any]] = []
        self.after: list[np.ndarray[Any, Any]] = []
        self.rewards: list[np.ndarray[Any, Any]] = []


def make(game: str = "quartet", **options: Any) -> AtariVectorEnv:
    rom_path(game)
    return AtariVectorEnv(game, ENVS, **{"img_height": 12, "img_width": 10, **options})


def play(envs: AtariVectorEnv, steps: int, *, copies: bool = False) -> Story:
    """Random play, with resets of some environments, and on request copies and restored states."""
    story, random = Story(), np.random.default_rng(3)
    envs.action_space.seed(2)
    seen = envs.reset(seed=4)[0].copy()
    nobody = np.zeros(ENVS, np.bool_)
    over, state = nobody, b""
    for step in range(steps):
        mask = over.copy() if envs.autoreset_mode.value == "Disabled" else nobody.copy()
        if step % 70 == 69:
            mask[step % ENVS] = True
        if mask.any():
            seeds = random.integers(1000, size=mask.sum()) if step % 2 else None
            seen = envs.reset(seed=seeds, options={"reset_mask": mask})[0].copy()
        if copies and step % 100 == 50:
            envs.copy_envs([0, 1], [3, 4])
            state = envs.save_state()
        if copies and step % 100 == 75:
            envs.restore_state(state)
        if copies and step % 100 in (50, 75):
            seen = envs.reset(options={"reset_mask": nobody})[0].copy()
        story.before.append(seen)
        observations, rewards, ends, cuts, infos = envs.step(envs.action_space.sample())
        last = observations.copy()
        if "final_obs" in infos:
            last[infos["_final_obs"]] = infos["final_obs"][infos["_final_obs"]]
        story.after.append(last)
        story.rewards.append(rewards)
        over = ends.reshape(ENVS, -1).all(1) | cuts
        seen = observations.copy()
    return story


def compare(dataset: Dataset, story: Story, across: bool) -> None:
    timeline = dataset._timelines[0]
    windows = dataset.sample(24, LENGTH, np.random.default_rng(1), across_episodes=across)
    assert windows.observations.shape == (24, LENGTH + 1, *dataset.observation_shape)
    for row, first in enumerate(windows.indices):
        env = timeline.index.envs[first]
        steps = timeline.index.steps[first : first + LENGTH]
        for place, step in enumerate(steps):
            assert (windows.observations[row, place] == story.before[step][env]).all()
            assert (windows.rewards[row, place] == story.rewards[step][env]).all()
        assert (windows.observations[row, -1] == story.after[steps[-1]][env]).all()
    assert across or not windows.starts[:, 1:].any()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("keyframes", [False, True])
def test_windows_show_what_was_observed(tmp_path: Path, variant: str, keyframes: bool) -> None:
    envs = make(**VARIANTS[variant])
    with record(envs, tmp_path / "a.zip", **(KEYFRAMES if keyframes else {})):
        story = play(envs, 160, copies=keyframes)
    dataset = Dataset(tmp_path / "a.zip", **({} if keyframes else {"keyframe_every": 30}))
    # All steps are there but resets, and those after states that were restored.
    assert len(dataset) >= ENVS * 160 * (0.7 if keyframes else 0.9)
    for across in (False, True):
        compare(dataset, story, across)
    dataset.close()


def test_other_observations(tmp_path: Path) -> None:
    envs = make(**VARIANTS["next step"])
    with record(envs, tmp_path / "a.zip", **KEYFRAMES):
        play(envs, 150)
    others: dict[str, Any] = {"obs_type": "rgb", "img_height": 16, "stack_num": 3, "maxpool": False}
    envs = make(**VARIANTS["next step"], **others)
    story = play(envs, 150)
    compare(Dataset(tmp_path / "a.zip", **others), story, across=True)


def test_episodes_and_players_of_other_layers(tmp_path: Path) -> None:
    def observe_one(env: Any, steps: int) -> None:
        env.action_space.seed(1)
        seen.append(env.reset(seed=1)[0].copy())
        for number in range(steps):
            observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
            after.append(observation.copy())
            if terminated or truncated or number % 40 == 39:
                observation = env.reset()[0]
            seen.append(observation.copy())

    seen: list[Any] = []
    after: list[Any] = []
    recorded(tmp_path / "one.zip", quartet(obs_type="grayscale"), observe_one, 200, **KEYFRAMES)
    dataset = Dataset(tmp_path / "one.zip")
    assert len(dataset) == 200
    assert dataset.observation_shape == (210, 160)
    for start in (0, 33, 80, 190):
        windows = dataset.windows([start], 7)
        assert windows.actions.shape == windows.rewards.shape == (1, 7)
        assert (windows.observations[0, :-1] == np.array(seen[start : start + 7])).all()
        assert (windows.observations[0, -1] == after[start + 6]).all()
    assert [episode.start for episode in dataset.episodes] == [0, 40, 80, 120, 160]
    whole = dataset.episode(dataset.episodes[1])
    assert whole.observations.shape == (41, 210, 160)
    assert (whole.observations[-1] == after[79]).all()

    recorded(tmp_path / "agents.zip", agents(num_players=4), play_agents, 150)
    dataset = Dataset(tmp_path / "agents.zip", keyframe_every=40)
    windows = dataset.sample(3, 20, np.random.default_rng(0), across_episodes=True)
    assert windows.observations.shape == (3, 21, 4, 128)
    assert windows.actions.shape == windows.terminations.shape == (3, 20, 4)

    played = console()
    with record(played, tmp_path / "console.zip"):
        played.env.reset()
        rams = []
        for number in range(90):
            rams.append(played.env.ram.copy())
            played.env.actions[:2] = [number % 6, 0]
            played.env.strengths[:2] = [number % 11 / 10, 0.5]
            played.env.act(2)
    dataset = Dataset(tmp_path / "console.zip", obs_type="ram", keyframe_every=25)
    for start in (60, 3):
        windows = dataset.windows([start], 20)
        assert (windows.observations[0, :-1] == np.array(rams[start : start + 20])).all()


def test_several_files_and_games(tmp_path: Path) -> None:
    rom_path("pong")
    for number, games in enumerate((["pong", "quartet"], ["quartet"])):
        envs = AtariVectorEnv(games=games, num_envs=2, img_height=8, img_width=8)
        recorded(tmp_path / f"{number}.zip", envs, play_vector, 100, **KEYFRAMES)
    dataset = Dataset(tmp_path)
    alone = [Dataset(tmp_path / f"{number}.zip") for number in range(2)]
    assert len(dataset) == sum(map(len, alone))
    indices = [0, len(alone[0]) // 2 + 50, len(alone[0]) + 3]
    windows = dataset.windows(indices, 5)
    for row, (one, offset) in enumerate(((alone[0], 0), (alone[0], 0), (alone[1], len(alone[0])))):
        same = one.windows([indices[row] - offset], 5)
        for name in ("observations", "actions", "rewards", "starts"):
            assert (getattr(same, name)[0] == getattr(windows, name)[row]).all()
    assert {episode.file for episode in dataset.episodes} == {0, 1}

    again = pickle.loads(pickle.dumps(dataset))
    assert_equal(again.windows(indices, 5), windows)
    dataset.close()
    assert_equal(dataset.windows(indices, 5), windows)


def assert_equal(one: Windows, other: Windows) -> None:
    for name, array in one._asdict().items():
        np.testing.assert_array_equal(array, getattr(other, name), name)


def test_memory_of_the_caller(tmp_path: Path) -> None:
    envs = make()
    with record(envs, tmp_path / "a.zip", **KEYFRAMES):
        play(envs, 60)
    dataset = Dataset(tmp_path / "a.zip")
    fresh = dataset.sample(3, LENGTH, np.random.default_rng(0))
    out = np.full_like(fresh.observations, 7)
    drawn = dataset.sample(3, LENGTH, np.random.default_rng(0), out=out)
    again = dataset.windows(fresh.indices, LENGTH, out=np.full_like(out, 7))
    assert drawn.observations is out
    assert_equal(fresh, drawn)
    np.testing.assert_array_equal(again.observations, out)
    with pytest.raises(ValueError, match=r"out must be .* not uint8 \(2, 9"):
        dataset.windows(fresh.indices, LENGTH, out=out[1:])
    assert repr(fresh).startswith("Windows(observations: uint8 (3, ")
    assert repr(fresh).endswith("indices: int64 (3,), probabilities: float64 (3,))")


def test_any_number_of_threads_draws_the_same(tmp_path: Path) -> None:
    recorded(tmp_path / "a.zip", vector(6), play_vector, 150, **KEYFRAMES)
    drawn = [
        Dataset(tmp_path / "a.zip", num_threads=threads).sample(33, 9, np.random.default_rng(0))
        for threads in (1, 8)
    ]
    assert_equal(*drawn)


def test_a_second_call_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded(tmp_path / "a.zip", vector(2), play_vector, 50, **KEYFRAMES)
    dataset, play, refused = Dataset(tmp_path / "a.zip"), WindowPlayer.play, []

    def play_and_ask(player: WindowPlayer, *arguments: Any) -> None:
        for method, given in ((dataset.sample, 1), (dataset.windows, [0])):
            with pytest.raises(RuntimeError, match="Dataset is in use"):
                method(given, 2)  # type: ignore[arg-type]
            refused.append(method)
        play(player, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(WindowPlayer, "play", play_and_ask)
        dataset.sample(1, 2)
    assert len(refused) == 2
    dataset.sample(1, 2)


def test_recorded_without_keyframes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timelines, "_FARTHEST", 200)
    path = tmp_path / "a.zip"
    recorded(path, vector(1, frameskip=1, obs_type="ram"), play_vector, 250)
    with pytest.raises(RecordingError, match=r"keyframes .*: 250.* keyframe_every=128"):
        Dataset(path)
    few = tmp_path / "b.zip"  # one keyframe does not make up for those that are missing elsewhere
    with record(envs := vector(1, frameskip=1), few, keyframes=True, steps_per_chunk=220):
        play_vector(envs, 230)
    with pytest.raises(RecordingError, match=r"keyframes .*: 220.* keyframe_every=128"):
        Dataset(few)
    windows = Dataset(path, keyframe_every=100).windows([240], 9)
    assert windows.rewards.shape == (1, 9)


def test_what_diverges_is_refused(tmp_path: Path) -> None:
    envs = make("pong", max_num_frames_per_episode=None)
    with record(envs, tmp_path / "a.zip", **KEYFRAMES):
        play(envs, 120)

    def cheat(members: dict[str, bytes]) -> None:
        name = "chunks/000002/rewards.npy"
        members[name] = members[name][:-4] + b"\7\0\0\0"

    dataset = Dataset(rewrite(tmp_path / "a.zip", cheat))
    last = np.flatnonzero(dataset._timelines[0].index.envs == ENVS - 1)[90]
    with pytest.raises(RecordingError, match=r"step 95.*environment 4"):
        dataset.windows([last], 9)
    assert dataset.windows([0], 9).rewards.shape == (1, 9)  # it can be used further


@pytest.mark.parametrize("layer", ["vector", "single"])
def test_another_truncation_is_found(tmp_path: Path, layer: str) -> None:
    path = tmp_path / "a.zip"
    if layer == "vector":
        recorded(path, vector(1), play_vector, 30, **KEYFRAMES)
    else:
        recorded(path, quartet(), play_one, 30, **KEYFRAMES)

    def cheat(members: dict[str, bytes]) -> None:
        name = "chunks/000000/truncations.npy"
        members[name] = members[name][:-5] + b"\1" + members[name][-4:]

    assert Dataset(path).windows([10], 17)
    dataset = Dataset(rewrite(path, cheat))
    with pytest.raises(RecordingError, match=r"step 25.*environment 0"):
        dataset.windows([10], 17)


def test_resets_with_too_few_modes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    recorded(path, vector(3), play_vector, 20)

    def shorten(chunk: dict[str, Any]) -> None:
        chunk["resets"][0]["mode"] = [0]

    with pytest.raises(RecordingError, match=r"reset.*1 modes.*3"):
        Dataset(change_json(path, "chunks/000000/chunk.json", shorten))


def test_a_card_with_its_image(tmp_path: Path) -> None:
    """Resets with a seed load both again, and write them nowhere."""
    (tmp_path / "rich.bin").write_bytes(rom_path("quartet").read_bytes())
    card = tmp_path / "rich.toml"
    card.write_text('name = "rich"\nrom = "rich.bin"\nreward = "100"\n')
    env = AtariEnv(card, obs_type="ram", frameskip=1)
    recorded(tmp_path / "a.zip", env, play_one, 300, keyframes=True, steps_per_chunk=100)
    for keyframe_every in (None, 50):
        with Dataset(tmp_path / "a.zip", keyframe_every=keyframe_every) as dataset:
            windows = dataset.windows([0, 110], 20)
            assert (windows.rewards == 100).all()
            again = pickle.loads(pickle.dumps(dataset)).windows([0, 110], 20)
            assert (again.observations == windows.observations).all()


@pytest.mark.parametrize(
    ("make", "play", "options"),
    [
        (quartet, play_one, {"max_num_frames_per_episode": 200}),
        (agents, play_agents, {"max_cycles": 30}),
        (vector, play_vector, {"max_num_frames_per_episode": 120}),
        (vector, play_vector, {"max_num_frames_per_episode": 120, "num_players": 2}),
    ],
)
def test_the_recorded_environment(
    make: Any, play: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    recorded(tmp_path / "a.zip", make(**options), play, 60, keyframes=True)
    with Dataset(tmp_path / "a.zip", num_threads=1) as dataset:
        spec = common_spec(dataset)
        assert spec is not None
        first = dataset.episode(dataset.episodes[0])
        env: Any = gymnasium.make(EnvSpec.from_json(spec.to_json()), render_mode="rgb_array")
        assert "quartet" in repr(env.unwrapped)
        observation, _ = env.reset(seed=0)
        for action, rewards, before, after in zip(
            first.actions, first.rewards, first.observations, first.observations[1:], strict=False
        ):
            assert env.action_space.contains(action.astype(np.int64) if action.ndim else action)
            assert (observation == before).all()
            observation, reward, *ends, _ = env.step(action)
            assert reward == rewards.sum()
            assert env.observation_space.contains(observation)
            assert (observation == after).all()
        assert any(ends)
        assert env.render().shape == (210, 160, 3)
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(action)
        env.close()
