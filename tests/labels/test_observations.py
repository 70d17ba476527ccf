"""``obs_type="labels"`` in all layers: observations are the labels of RAM, whatever is done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest

import pyale_ma  # noqa: F401 (registers the environments)
from common import rom_path
from known_games import modes_alone, modes_for
from labels.oracle import values_of
from pyale_ma.labels import GAMES, labels_of
from pyale_ma.multi import ParallelAtariEnv, boxing_v2
from pyale_ma.opponents import VersusEnv, VersusVectorEnv
from pyale_ma.recording import Dataset, Recording, SequenceMemory, record
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv

Array = npt.NDArray[Any]


def labels_in(game: str, ram: Array) -> Array:
    """Return the labels, computed with NumPy."""
    return values_of(labels_of(game).labels, ram)


def actions_for(count: int, steps: int, *shape: int) -> Iterator[Array]:
    """Random actions."""
    chance = np.random.default_rng(3)
    for _ in range(steps):
        yield chance.integers(0, count, shape)


def players_of(game: str) -> int:
    """Return the least number of players that can play a game."""
    return 1 if modes_alone(game) else 2 if modes_for(game, 2) else 4


@pytest.mark.parametrize("game", GAMES)
def test_every_game_in_every_layer(game: str) -> None:
    rom_path(game)
    players = players_of(game)
    if players == 1:
        single = AtariEnv(game, obs_type="labels")
        observation, _ = single.reset(seed=1)
        for action in actions_for(single.action_space.n, 20):  # type: ignore[attr-defined]
            assert observation.dtype == np.int32
            assert single.observation_space.contains(observation)
            assert np.array_equal(observation, labels_in(game, single.ale.getRAM()))
            observation = single.step(int(action))[0]
    count = 2 if modes_for(game, 2) else players
    parallel = ParallelAtariEnv(game, count, obs_type="labels")
    observations, _ = parallel.reset(seed=1)
    for action in actions_for(2, 10):
        for agent, observation in observations.items():
            assert parallel.observation_space(agent).contains(observation)
            assert np.array_equal(observation, labels_in(game, parallel.state()))
        observations, *_ = parallel.step(dict.fromkeys(parallel.agents, int(action)))
    options: dict[str, Any] = {} if players == 1 else {"num_players": players}
    envs = AtariVectorEnv(game, 2, obs_type="labels", extra_infos=["ram", "labels"], **options)
    assert envs.label_names == labels_of(game).names
    stacks, infos = envs.reset(seed=1)
    assert infos["labels"].dtype == np.int32
    for actions in actions_for(2, 10, *(envs.action_space.shape or ())):
        assert envs.observation_space.contains(stacks)
        assert np.array_equal(stacks[:, -1], labels_in(game, infos["ram"]))
        assert np.array_equal(stacks[:, -1], infos["labels"])
        stacks, *_, infos = envs.step(actions)
    envs.close()


# ---- One agent -------------------------------------------------------------------------------


def test_gymnasium_makes_it() -> None:
    rom_path("breakout")
    env: Any = gymnasium.make("pyale_ma/Breakout-v5", obs_type="labels", sound_obs=True)
    labels = labels_of("breakout")
    image = env.observation_space["image"]
    assert image == gymnasium.spaces.Box(labels.low, labels.high, dtype=np.int32)
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert dict(zip(labels.names, observation["image"].tolist(), strict=True)) == (
        env.unwrapped.labels()
    )


def test_overridden_methods_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    rom_path("breakout")
    env = AtariEnv("breakout", obs_type="labels")
    env.reset(seed=1)
    nothing = np.zeros(len(labels_of("breakout")), np.int32)
    monkeypatch.setattr(type(env.ale), "getLabels", lambda _: nothing)
    assert not env.step(0)[0].any()


# ---- Vectors ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_a_stack_is_that_of_ram(mode: str) -> None:
    rom_path("breakout")
    options: dict[str, Any] = {"autoreset_mode": mode, "max_num_frames_per_episode": 60}
    seen, told = (
        AtariVectorEnv("breakout", 3, obs_type=kind, stack_num=3, **options)
        for kind in ("labels", "ram")
    )
    labels = labels_of("breakout")
    space: Any = seen.single_observation_space
    assert np.array_equal(space.low, np.minimum(labels.low, 0) * np.ones((3, 1)))
    (stacks, _), (rams, _) = seen.reset(seed=4), told.reset(seed=4)
    empty: Any = ~rams.any(axis=-1)  # frames before the first of an episode are 0
    for actions in actions_for(4, 60, 3):
        expected = np.where(empty[..., None], 0, labels_in("breakout", rams))
        assert np.array_equal(stacks, expected)
        stacks, _, terminated, truncated, infos = seen.step(actions)
        rams, *_, ram_infos = told.step(actions)
        over: Array = np.logical_or(terminated, truncated)
        if mode == "SameStep" and over.any():
            final = labels_in("breakout", ram_infos["final_obs"][over])
            assert np.array_equal(infos["final_obs"][over], final)
        if mode == "Disabled" and over.any():
            options = {"reset_mask": over}
            stacks, rams = (envs.reset(options={**options})[0] for envs in (seen, told))
        empty = ~rams.any(axis=-1)


@pytest.mark.parametrize("copy", [True, False])
def test_batches_that_are_sent_and_received(copy: bool) -> None:
    rom_path("breakout")
    options: dict[str, Any] = {"obs_type": "labels", "extra_infos": ["ram"], "copy": copy}
    envs = AtariVectorEnv("breakout", 6, batch_size=2, **options)
    stacks, infos = envs.reset(seed=4)
    for actions in actions_for(4, 30, 2):
        assert stacks.shape == (2, 4, len(labels_of("breakout")))
        assert np.array_equal(stacks[:, -1], labels_in("breakout", infos["ram"]))
        envs.send(actions)
        stacks, *_, infos = envs.recv()
    envs.close()


def test_indicators_of_players() -> None:
    rom_path("boxing")
    envs = AtariVectorEnv(
        "boxing", 2, num_players=2, obs_type="labels", agent_indicator=True, extra_infos=["ram"]
    )
    stacks, infos = envs.reset(seed=4)
    assert envs.observation_space.contains(stacks)
    expected = labels_in("boxing", infos["ram"])
    for player in range(2):
        assert np.array_equal(stacks[:, player, 3], expected)
        assert (stacks[:, player, 4 + player] == 255).all()
        assert not stacks[:, player, 5 - player].any()
    with pytest.raises(ValueError, match=r"mirror=True.*obs_type.*'labels'"):
        AtariVectorEnv("boxing", num_players=2, obs_type="labels", mirror=True)


def test_tensors() -> None:
    torch = pytest.importorskip("torch")
    rom_path("breakout")
    envs = AtariVectorEnv("breakout", 2, obs_type="labels", extra_infos=["labels"])
    adapter = envs.torch()
    stacks, infos = adapter.reset(seed=4)
    assert stacks.dtype == torch.int32
    assert torch.equal(stacks[:, -1], infos["labels"])


# ---- Several agents and opponents ------------------------------------------------------------


def test_several_agents() -> None:
    rom_path("boxing")
    env = boxing_v2.parallel_env(obs_type="labels", sound_obs=True)
    observations, _ = env.reset(seed=1)
    one, other = (observations[agent]["image"] for agent in env.agents)
    assert np.array_equal(one, labels_in("boxing", env.state()))
    assert not np.shares_memory(one, other)
    turns = boxing_v2.env(obs_type="labels")
    turns.reset(seed=1)
    assert np.array_equal(turns.observe("first_0"), one)
    options = boxing_v2.vector_options(obs_type="labels")
    envs = AtariVectorEnv(**options)
    assert np.array_equal(envs.reset(seed=1)[0][0, 0], one)


def test_opponents() -> None:
    rom_path("boxing")
    env = VersusEnv("boxing", opponent="random", obs_type="labels")
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert np.array_equal(observation, labels_in("boxing", env.env.state()))
    for apart in (False, True):
        options: dict[str, Any] = {"agent_indicator": apart, "extra_infos": ["ram"]}
        envs = VersusVectorEnv("boxing", 3, opponent="random", obs_type="labels", **options)
        stacks, infos = envs.reset(seed=1)
        assert envs.observation_space.contains(stacks)
        assert np.array_equal(stacks[:, 3], labels_in("boxing", infos["ram"]))
        envs.close()


# ---- Recordings ------------------------------------------------------------------------------


def test_recordings_of_one_agent(tmp_path: Path) -> None:
    rom_path("breakout")
    env = AtariEnv("breakout", obs_type="labels")
    with record(env, tmp_path / "a.replay", check_every=2):
        seen = [env.reset(seed=1)[0], *(env.step(a % 4)[0] for a in range(12))]
    check_replay(tmp_path / "a.replay", "breakout", np.array(seen))


def test_recordings_of_several_agents(tmp_path: Path) -> None:
    rom_path("boxing")
    env = boxing_v2.parallel_env(obs_type="labels")
    with record(env, tmp_path / "a.replay"):
        observations = [env.reset(seed=1)[0]]
        for action in range(12):
            observations.append(env.step({"first_0": action, "second_0": 3})[0])
    check_replay(
        tmp_path / "a.replay",
        "boxing",
        np.array([each["first_0"] for each in observations]),
        lambda observation: observation["first_0"],
    )


def check_replay(path: Path, game: str, seen: Array, of: Any = lambda each: each) -> None:
    """A replay observes what was observed, and labels of a recording that observed others."""
    recording = Recording.open(path)
    assert recording.verify()
    steps = [*recording.steps()]
    assert np.array_equal([of(step.observation) for step in steps], seen[:-1])
    assert np.array_equal(of(steps[-1].next_observation), seen[-1])
    assert np.array_equal(labels_in(game, np.array([step.ram[0] for step in steps])), seen[1:])
    assert next(recording.steps(obs_type="ram")) is not None


@pytest.mark.parametrize("keyframes", [False, True])
def test_recordings_of_vectors(tmp_path: Path, keyframes: bool) -> None:
    rom_path("breakout")
    options: dict[str, Any] = {"stack_num": 2, "max_num_frames_per_episode": 40}
    envs = AtariVectorEnv("breakout", 3, obs_type="labels", **options)
    with record(envs, tmp_path / "a.replay", keyframes=keyframes, steps_per_chunk=8):
        seen = [envs.reset(seed=1)[0]]
        seen += [envs.step(actions)[0] for actions in actions_for(4, 30, 3)]
    recording = Recording.open(tmp_path / "a.replay")
    assert recording.verify()
    assert np.array_equal([step.observation for step in recording.steps()], seen[:-1])
    if keyframes:
        return
    dataset = Dataset(tmp_path / "a.replay")
    assert dataset.observation_dtype == np.int32
    windows = dataset.windows(np.arange(3), 5)
    assert windows.observations.dtype == np.int32
    assert np.array_equal(windows.observations[0, :3], np.array(seen)[:3, 0])
    pictures = tmp_path / "b.replay"
    watched = AtariVectorEnv("breakout", 3, **options)
    with record(watched, pictures):
        watched.reset(seed=1)
        for actions in actions_for(4, 30, 3):
            watched.step(actions)
    told = [step.observation for step in Recording.open(pictures).steps(obs_type="labels")]
    assert np.array_equal(told, seen[:-1])


def test_a_memory_of_labels() -> None:
    rom_path("breakout")
    envs = AtariVectorEnv("breakout", 2, obs_type="labels", stack_num=1)
    memory = SequenceMemory(envs, 4096, keyframe_every=8)
    seen = [envs.reset(seed=1)[0]]
    seen += [envs.step(actions)[0] for actions in actions_for(4, 40, 2)]
    assert memory.observation_dtype == np.int32
    windows = memory.sample(8, 5)
    assert windows.observations.dtype == np.int32
    rows = {tuple(row.reshape(-1).tolist()) for step in seen for row in step}
    width = len(labels_of("breakout"))
    assert {tuple(row.tolist()) for row in windows.observations.reshape(-1, width)} <= rows


# ---- What has no labels ----------------------------------------------------------------------


def test_games_without_labels() -> None:
    rom_path("video_cube")
    for make in (
        lambda: AtariEnv("video_cube", obs_type="labels"),
        lambda: gymnasium.make("pyale_ma/VideoCube-v5", obs_type="labels"),
        lambda: AtariVectorEnv("video_cube", obs_type="labels"),
        lambda: ParallelAtariEnv("video_cube", 1, obs_type="labels"),
    ):
        with pytest.raises(ValueError, match=rf"video_cube.*labels; {len(GAMES)}"):
            make()
    with pytest.raises(ValueError, match=r"labels.*one game"):
        AtariVectorEnv(games=["pong", "boxing"], obs_type="labels")
    assert AtariEnv("video_cube").ale.getLabels().shape == (0,)
