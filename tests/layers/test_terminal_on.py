"""Labels that end episodes of one player: `AtariEnv` and vectors against single frames.

Several players are in test_layers.py.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from pyale_ma.multi import parallel_env, pong_v3
from pyale_ma.recording import Recording, record
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv

GAME, SKIP = "breakout", 3
COMMON: dict[str, Any] = {"obs_type": "ram", "repeat_action_probability": 0.0}
TERMINAL_ON: dict[str, str | int] = {"score": "rises", "lives": "falls", "ball_y": 200}
Step = tuple[float, bool, bytes]


class Frames:
    """The game by single frames, of which none is played after a label has ended the episode."""

    def __init__(self) -> None:
        self.env = AtariEnv(GAME, frameskip=1, **COMMON)

    def reset(self, seed: int | None = None) -> None:
        self.env.reset(seed=seed)
        self.stayed, self.over, self.ended_by = 0, False, -1

    def step(self, action: int) -> Step:
        total = 0.0
        for _ in range(SKIP):
            if not self.over:
                before = self.env.labels()
                _, reward, self.over, *_ = self.env.step(action)
                total += reward
                now = self.env.labels()
                self.stayed = self.stayed + 1 if now["ball_y"] == before["ball_y"] else 0
                ends = [now["score"] > before["score"], now["lives"] < before["lives"]]
                ends.append(self.stayed >= 200)
                if True in ends:
                    self.over, self.ended_by = True, ends.index(True)
        return total, self.over, self.env.ale.getRAM().tobytes()


def actions(count: int) -> list[int]:
    return [*map(int, np.random.default_rng(2).integers(4, size=count))]


def test_one_environment_ends_with_the_frame() -> None:
    frames, env = Frames(), AtariEnv(GAME, frameskip=SKIP, terminal_on=TERMINAL_ON, **COMMON)
    for game in (frames, env):
        game.reset(seed=1)
    ends, seen = 0, set[int]()
    for action in actions(3000):
        expected = frames.step(action)
        ram, reward, over, _, info = env.step(action)
        assert (reward, over, ram.tobytes()) == expected
        assert info["ended_by"] == frames.ended_by
        if over:
            assert env.ale.game_over()
            seen.add(info["ended_by"])
            again = env.step(action)
            assert (again[0].tobytes(), *again[1:]) == (expected[2], 0.0, True, False, info)
            ends += 1
            frames.reset()
            assert env.reset()[1]["ended_by"] == -1
    assert ends > 5
    assert seen == {0, 1}


@pytest.mark.parametrize("mode", AutoresetMode)
def test_vectors_end_with_the_frame(mode: AutoresetMode) -> None:
    frames = Frames()
    envs = AtariVectorEnv(
        *(GAME, 2),
        num_threads=1,
        frameskip=SKIP,
        noop_max=0,
        use_fire_reset=False,
        autoreset_mode=mode,
        extra_infos=["ram", "episode"],
        terminal_on=TERMINAL_ON,
        repeat_action_probability=0.0,
    )
    frames.reset(seed=1)
    assert envs.reset(seed=1)[1]["ended_by"].tolist() == [-1, -1]
    for action in actions(3000):
        reward, over, ram = frames.step(action)
        _, rewards, terminations, truncations, infos = envs.step([action, action])
        assert rewards.tolist() == [min(reward, 1)] * 2
        assert terminations.tolist() == [over, over]
        assert not truncations.any()
        assert infos["ended_by"].tolist() == [frames.ended_by] * 2
        if over:
            frames.reset()
            assert infos["_episode"].all()
            if mode == AutoresetMode.SAME_STEP:
                ram = frames.env.ale.getRAM().tobytes()
        assert infos["ram"][1].tobytes() == ram
        if over and mode == AutoresetMode.NEXT_STEP:
            _, rewards, terminations, _, infos = envs.step([action, action])
            assert not rewards.any()
            assert not terminations.any()
            assert infos["ended_by"].tolist() == [-1, -1]
            assert infos["ram"][0].tobytes() == frames.env.ale.getRAM().tobytes()
        elif over and mode == AutoresetMode.DISABLED:
            envs.reset(options={"reset_mask": np.ones(2, np.bool_)})
    envs.close()


def test_first_frames_of_a_vectors_episode_end_nothing() -> None:
    envs = AtariVectorEnv(GAME, 1, frameskip=1, noop_max=30, terminal_on={"ball_x": "changes"})
    for seed in range(20):
        _, infos = envs.reset(seed=seed)
        assert infos["episode_frame_number"][0] > 0
    envs.close()


def test_states_keep_the_end() -> None:
    """In an environment without such labels the game goes on from there."""
    env = AtariEnv(GAME, frameskip=1, terminal_on={"ball_y": 50}, **COMMON)
    assert "ball_y" in repr(env)
    env.reset(seed=1)
    for _ in range(49):
        assert not env.step(0)[2]
    early = env.clone_state()
    assert env.step(0)[2]
    late = env.clone_state()
    assert early != late
    copy = pickle.loads(pickle.dumps(env))
    for other in (env, copy):
        other.reset()
        other.restore_state(early)
        assert other.step(0)[2]
        other.reset()
        other.restore_state(late)
        assert other.step(0)[2]
    plain = AtariEnv(GAME, frameskip=1, **COMMON)
    plain.restore_state(late)
    before = plain.ale.getEpisodeFrameNumber()
    assert not plain.step(0)[2]
    assert plain.ale.getEpisodeFrameNumber() == before + 1


def test_a_start_at_an_end_begins_an_episode() -> None:
    env = AtariEnv(GAME, frameskip=1, terminal_on={"ball_y": 50}, **COMMON)
    env.reset(seed=1)
    while not env.step(0)[2]:
        pass
    end = env.clone_state()
    started = AtariEnv(GAME, frameskip=1, terminal_on={"ball_y": 50}, starts=end, **COMMON)
    envs = AtariVectorEnv(GAME, 1, frameskip=1, terminal_on={"ball_y": 50}, starts=end)
    started.reset(seed=1)
    envs.reset(seed=1)
    for frame in range(1, 51):
        over = started.step(0)[2]
        assert over == (frame == 50)
        assert envs.step([0])[2].tolist() == [over]
    envs.close()


def test_recordings_have_the_arguments(tmp_path: Path) -> None:
    options: dict[str, Any] = {"stack_fill": "reset", "crop": (34, 16, 0, 0)}
    envs = AtariVectorEnv(GAME, 2, terminal_on={"ball_y": 60}, **options)
    file = tmp_path / "vector.zip"
    with record(envs, file):
        seen = [envs.reset(seed=1)[0]]
        seen += [envs.step([action, action])[0] for action in actions(100)]
    recording = Recording.open(file)
    assert recording.verify()
    observed = [step.observation for step in recording.steps()]
    assert all(np.array_equal(*pair) for pair in zip(observed, seen, strict=False))
    whole = next(iter(recording.steps(crop=(0, 0, 0, 0), stack_fill="zeros"))).observation
    assert not whole[:, :3].any()


LAYERS: list[Callable[..., Any]] = [
    lambda **options: AtariEnv("pong", **options),
    lambda **options: AtariVectorEnv("pong", 1, **options),
    pong_v3.parallel_env,
    pong_v3.env,
]


@pytest.mark.parametrize("make", LAYERS)
@pytest.mark.parametrize(
    ("terminal_on", "message"),
    [
        ({"room": "changes"}, 'terminal_on has "room"; the labels of pong are player_score, .*'),
        ({"ball_x": "moves"}, r"terminal_on\['ball_x'\] is 'moves'; it must be 'changes', 'rises'"),
        ({"ball_x": 0}, r"terminal_on\['ball_x'\] is 0; it must be 'changes'"),
        ({"ball_x": 1.5}, r"terminal_on\['ball_x'\] is 1.5; it must be 'changes'"),
        ({"ball_x": 9, "ball_y": 9}, "terminal_on has 2 labels with a number of frames; one may"),
        ({f"a{i}": "rises" for i in range(9)}, "terminal_on has 9 labels; it may have 8"),
        (["ball_x"], r"terminal_on must be a dict by labels, such as .*, not \['ball_x'\]"),
    ],
)
def test_what_is_refused(make: Callable[..., Any], terminal_on: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        make(terminal_on=terminal_on)


def test_every_game_needs_the_labels() -> None:
    AtariVectorEnv(games=["pong", "boxing"], terminal_on={"player_score": "rises"}).close()
    with pytest.raises(ValueError, match=r'"player_score".*labels.*breakout'):
        AtariVectorEnv(games=["pong", GAME], terminal_on={"player_score": "rises"})
    card = Path(__file__).parents[1] / "cards" / "pong_players.toml"
    with pytest.raises(ValueError, match=r'"score"; .*labels'):
        parallel_env(game=card, num_players=2, terminal_on={"score": "rises"})


def test_a_console_of_somebody_else_is_refused() -> None:
    env = AtariEnv("pong", terminal_on={"ball_x": "changes"})

    class Replaced(type(env.ale)):  # type: ignore[misc]
        pass

    env.ale = Replaced()
    with pytest.raises(ValueError, match=r"terminal_on.*env\.ale"):
        env.reset(seed=1)
