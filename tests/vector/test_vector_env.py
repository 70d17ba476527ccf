"""`AtariVectorEnv` beyond ale-py's; what does not change its results; how it takes bad input."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, Error
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings, strategies as st

import known_games
from pyale_ma.single import ALEInterface
from pyale_ma.single.roms import get_rom_path
from pyale_ma.vector import AtariVectorEnv
from same import same
from vector.small import SMALL, play, small

# ---- Independence --------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(
    num_envs=st.integers(1, 6),
    threads=st.integers(1, 6),
    offset=st.sampled_from([-1, 0, 1]),
    autoreset=st.sampled_from(["NextStep", "SameStep"]),
    by_halves=st.booleans(),
    copy=st.booleans(),
    seed=st.integers(0, 2**32 - 10),
)
def test_threads_change_nothing(
    num_envs: int,
    threads: int,
    offset: int,
    autoreset: str,
    by_halves: bool,
    copy: bool,
    seed: int,
) -> None:
    options: dict[str, Any] = {
        "max_num_frames_per_episode": 21,
        "autoreset_mode": autoreset,
        "noop_max": 3,
    }
    one = small(num_envs=num_envs, num_threads=1, **options)
    many = small(
        num_envs=num_envs,
        num_threads=threads,
        thread_affinity_offset=offset,
        copy=copy,
        **options,
    )
    assert np.array_equal(one.reset(seed=seed)[0], many.reset(seed=seed)[0])
    if by_halves:
        many.step = lambda actions: (many.send(actions), many.recv())[1]  # type: ignore[method-assign]
    assert play(one, 15) == play(many, 15)


@settings(max_examples=15, deadline=None)
@given(
    num_envs=st.integers(1, 6),
    batch=st.integers(1, 6),
    threads=st.integers(1, 4),
    copy=st.booleans(),
)
def test_batches_change_nothing(num_envs: int, batch: int, threads: int, copy: bool) -> None:
    """An environment's history depends on its seed and actions, not on the order of batches."""
    steps = 12
    histories = []
    for batch_size in (num_envs, min(batch, num_envs)):
        env = small(
            num_envs=num_envs,
            batch_size=batch_size,
            num_threads=threads,
            copy=copy,
            max_num_frames_per_episode=21,
        )
        history: list[list[bytes]] = [[] for _ in range(num_envs)]
        observations, infos = env.reset(seed=9)
        while min(map(len, history)) < steps:
            for row, env_id in enumerate(infos["env_id"]):
                history[env_id].append(observations[row].tobytes())
            actions = [len(history[env_id]) % 4 for env_id in infos["env_id"]]
            observations, _, _, _, infos = env.step(actions)
        histories.append([one[:steps] for one in history])
    assert histories[0] == histories[1]


# ---- Several games -------------------------------------------------------------------------------


def test_spaces_of_several_games() -> None:
    env = small(None, games=["pong", "breakout"], num_envs=2)
    assert env.num_envs == 4
    assert env.num_actions == [6, 6, 4, 4]
    assert env.single_action_space is None
    assert env.action_space == spaces.MultiDiscrete([6, 6, 4, 4])
    env.reset(seed=0)
    env.step(np.array([5, 5, 3, 3]))
    with pytest.raises(IndexError, match=r"actions\[2\] is 5; environment 2 \(breakout\).*4"):
        env.step(np.array([5, 5, 5, 3]))
    alike = small(None, games=["pong", "boxing", "pong"], full_action_space=True, num_envs=1)
    assert alike.single_action_space == spaces.Discrete(18)
    batches = small(None, games=["pong", "breakout"], num_envs=2, batch_size=2)
    assert batches.action_space == spaces.MultiDiscrete([6, 6, 4, 4])


def test_all_games_together() -> None:
    games = known_games.ALONE
    options: dict[str, Any] = {"repeat_action_probability": 0.25, "extra_infos": ["ram"]}
    env = small(None, games=games, num_envs=1, **options)
    first, _ = env.reset(seed=0)
    assert first.shape == (len(games), 2, 21, 16)
    actions = [np.arange(len(games)) * step % env.num_actions for step in (3, 5, 7)]
    together = [env.step(each) for each in actions]
    assert len({row.tobytes() for row in together[-1][-1]["ram"]}) == len(games)
    for index, game in enumerate(games):
        alone = small(game, 1, **options)
        same(alone.reset(seed=index)[0][0], first[index], game)
        for each, (*arrays, infos) in zip(actions, together, strict=True):
            *expected, expected_infos = alone.step(each[index : index + 1])
            for ours, theirs in zip(arrays, expected, strict=True):
                same(theirs[0], ours[index], game)
            for name in ("lives", "frame_number", "ram"):
                same(expected_infos[name][0], infos[name][index], f"{game}: {name}")
        alone.close()


# ---- Modes and difficulties ----------------------------------------------------------------------


def test_modes_and_difficulties() -> None:
    env = AtariVectorEnv(
        "space_invaders",
        3,
        mode=[0, 3, 5],
        difficulty=1,
        stack_num=1,
        img_height=210,
        img_width=160,
        noop_max=0,
        use_fire_reset=False,
    )
    chosen = [(0, 1), (3, 1), (5, 1)]
    for again in range(2):
        observations, infos = env.reset(seed=4)
        for row, (mode, difficulty) in enumerate(chosen):
            ale = ALEInterface()
            ale.setInt("random_seed", 4 + row)
            ale.loadROM(get_rom_path("space_invaders"))  # type: ignore[arg-type]
            ale.setMode(mode)
            ale.setDifficulty(difficulty)
            ale.reset_game()
            assert np.array_equal(ale.getScreenGrayscale(), observations[row, 0])
            assert infos["frame_number"][row] == ale.getFrameNumber()
        if not again:
            mask = np.array([True, False, True])
            env.reset(options={"mode": [7, 8, 9], "difficulty": 0, "reset_mask": mask})
            chosen = [(7, 0), (3, 1), (9, 0)]


def test_a_mode_where_0_is_not_a_difficulty() -> None:
    """Backgammon begins with a difficulty that cannot be chosen."""
    envs = small("backgammon", num_players=2, mode=4)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="has no difficulty 0"):
        envs.reset(options={"difficulty": 0})
    envs.reset(seed=0, options={"difficulty": 3, "mode": 4})
    envs.reset(seed=0, options={"mode": 4})
    assert envs.save_state()


def test_modes_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match=r"environment 1.*mode 77"):
        small("pong", mode=[0, 77])
    with pytest.raises(ValueError, match="has no mode 19"):
        small("pong", mode=19)
    with pytest.raises(ValueError, match=r"mode 19.*4 players"):
        small("pong", mode=19, num_players=4)
    with pytest.raises(ValueError, match="has no difficulty 3"):
        small("breakout", difficulty=3)
    with pytest.raises(ValueError, match="3 values for 2 environments"):
        small(mode=[0, 0, 0])
    env = small("pong")
    env.reset(seed=0)
    before = env.save_state()
    with pytest.raises(ValueError, match="no mode 5"):
        env.reset(options={"mode": [1, 5]})
    assert env.save_state() == before


# ---- Extra observations and infos ----------------------------------------------------------------


def test_ram_observations() -> None:
    env = small("pong", obs_type="ram", stack_num=3, extra_infos=["ram"])
    assert env.single_observation_space == spaces.Box(0, 255, (3, 128), np.uint8)
    observations, infos = env.reset(seed=0)
    assert not observations[:, :2].any()
    previous = observations
    for _ in range(4):
        observations, _, _, _, infos = env.step([2, 3])
        assert np.array_equal(observations[:, 2], infos["ram"])
        assert np.array_equal(observations[:, :2], previous[:, 1:])
        previous = observations


def test_action_meanings() -> None:
    env = AtariVectorEnv(games=["pong", "freeway"])
    singles = [gymnasium.make(f"pyale_ma/{name}-v5") for name in ("Pong", "Freeway")]
    expected = tuple(single.unwrapped.get_action_meanings() for single in singles)  # type: ignore[attr-defined]
    assert env.get_action_meanings() == expected
    assert AtariVectorEnv("pong", full_action_space=True).get_action_meanings()[0][17] == (
        "DOWNLEFTFIRE"
    )


def test_extra_infos() -> None:
    env = small(
        "space_invaders",
        3,
        extra_infos=["unclipped_reward", "ram", "sound", "episode"],
        max_num_frames_per_episode=400,
    )
    _, infos = env.reset(seed=0)
    assert infos["ram"].shape == (3, 128)
    assert infos["sound"].shape == (3, 512)
    total, ends, heard = np.zeros(3, int), 0, False
    for step in range(1, 203):
        _, rewards, terminations, truncations, infos = env.step([1, 4, 5])
        assert np.array_equal(np.clip(infos["unclipped_reward"], -1, 1), rewards)
        total += infos["unclipped_reward"]
        heard = heard or infos["sound"].std() > 0
        ended = terminations | truncations
        assert ("episode" in infos) == bool(ended.any())
        if ended.any():
            ends += 1
            assert np.array_equal(infos["_episode"], ended)
            assert np.array_equal(infos["episode"]["r"], np.where(ended, total, 0))
            assert (infos["episode"]["l"][ended] == 100).all() or step != 100
            assert not infos["episode"]["l"][~ended].any()
            total[ended] = 0
    assert ends
    assert heard


def test_final_infos_in_the_same_step() -> None:
    env = small(autoreset_mode="SameStep", max_num_frames_per_episode=40, extra_infos=["episode"])
    env.reset(seed=0)
    for step in range(1, 21):
        observations, _, _, truncations, infos = env.step([0, 2])
        if step % 10:
            assert "final_obs" not in infos
            assert "final_info" not in infos
            continue
        assert truncations.all()
        assert infos["_final_obs"].all()
        assert infos["_final_info"].all()
        assert not np.array_equal(infos["final_obs"], observations)
        assert (infos["final_info"]["episode_frame_number"] > infos["episode_frame_number"]).all()
        assert infos["episode"]["l"].tolist() == [10, 10]
        assert infos["final_info"]["_episode"].all()
        for key, values in infos["episode"].items():
            assert np.array_equal(infos["final_info"]["episode"][key], values)


def test_episodes_under_the_wrapper_of_gymnasium() -> None:
    """It tells of episodes itself, or by another key, but not by the key of ours."""
    wrap = gymnasium.wrappers.vector.RecordEpisodeStatistics
    short: dict[str, Any] = {"max_num_frames_per_episode": 40}
    alone: Any = wrap(small(**short))
    both: Any = wrap(small(extra_infos=["episode"], **short), stats_key="statistics")
    same: Any = wrap(small(extra_infos=["episode"], **short))
    for env in (alone, both, same):
        env.reset(seed=0)
        for _ in range(9):
            *_, infos = env.step([0, 2])
            assert "episode" not in infos
    *_, infos = alone.step([0, 2])
    assert infos["episode"]["l"].tolist() == [10, 10]
    *_, infos = both.step([0, 2])
    assert infos["episode"]["l"].tolist() == infos["statistics"]["l"].tolist() == [10, 10]
    with pytest.raises(ValueError, match="key 'episode'"):
        same.step([0, 2])


def test_disabled_autoreset() -> None:
    env = small(num_envs=3, autoreset_mode=AutoresetMode.DISABLED, max_num_frames_per_episode=8)
    env.reset(seed=0)
    env.step([0, 0, 0])
    truncations = env.step([0, 0, 0])[3]
    assert truncations.all()
    with pytest.raises(RuntimeError, match="environment 0 is over"):
        env.step([0, 0, 0])
    env.reset(options={"reset_mask": np.array([True, True, False])})
    with pytest.raises(RuntimeError, match="environment 2 is over"):
        env.step([0, 0, 0])
    env.reset(options={"reset_mask": np.array([False, False, True])})
    assert not env.step([0, 0, 0])[3].any()


def test_no_frame_limit() -> None:
    env = small("pong", max_num_frames_per_episode=None)
    env.reset(seed=0)
    assert not env.step([0, 0])[3].any()


# ---- Memory --------------------------------------------------------------------------------------


def test_results_that_are_kept_stay_as_they_are() -> None:
    env = small(autoreset_mode="SameStep", max_num_frames_per_episode=21)
    env.reset(seed=0)
    kept: list[tuple[Any, ...]] = []
    rng = np.random.default_rng(0)
    copies = []
    for _ in range(30):
        results = env.step(rng.integers(0, 4, 2))
        # Views, slices and buffers keep the memory as well.
        observations, rewards, terminations, _, infos = results
        kept.append(
            (observations[1:], memoryview(rewards), terminations.view(np.uint8), infos["lives"])  # type: ignore[arg-type]
        )
        copies.append(tuple(np.array(array) for array in kept[-1]))
        del results, observations, rewards, terminations, infos
    for kept_one, copied in zip(kept, copies, strict=True):
        for a, b in zip(kept_one, copied, strict=True):
            assert np.array_equal(a, b)
    env.close()
    assert np.array_equal(kept[2][0], copies[2][0])


# ---- Pictures and states -------------------------------------------------------------------------


def test_render() -> None:
    env = small(None, games=["pong", "air_raid"], num_envs=2, render_mode="rgb_array")
    env.reset(seed=0)
    screens = env.render()
    assert len(screens) == 4
    assert all(screen.shape == (250, 160, 3) for screen in screens)
    assert screens[0][:210].any()
    assert not screens[0][210:].any()
    grid = env.render_grid()
    assert grid.shape == (500, 320, 3)
    assert np.array_equal(grid[:250, 160:], screens[1])
    assert env.render_grid([2], columns=3).shape == (250, 480, 3)
    with pytest.raises(Error, match="render mode"):
        small().render()
    with pytest.raises(IndexError):
        env.render_grid([9])


def test_recording(tmp_path: Any) -> None:
    pytest.importorskip("moviepy")
    env: Any = gymnasium.make_vec("pyale_ma/Pong-v5", num_envs=2, render_mode="rgb_array")
    env = gymnasium.wrappers.vector.RecordVideo(env, str(tmp_path), video_length=3)
    env.reset(seed=0)
    for _ in range(4):
        env.step(env.action_space.sample())
    env.close()
    assert list(tmp_path.glob("*.mp4"))


@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"grayscale": False},
        {"obs_type": "ram"},
        {"obs_type": "labels"},
        {"obs_type": "objects"},
        {"num_players": 2},
    ],
)
def test_states(autoreset: str, options: dict[str, Any]) -> None:
    options = {"autoreset_mode": autoreset, "repeat_action_probability": 0.25, **options}
    env = small("pong", 3, max_num_frames_per_episode=21, **options)
    env.reset(seed=0)
    for steps in (3, 6, 1):  # within an episode, and where resets are pending
        play(env, steps)
        state = env.save_state()
        expected = play(env, 15)
        other = small("pong", 3, max_num_frames_per_episode=21, num_threads=3, **options)
        for again in (env, other):
            again.restore_state(state)
            assert play(again, 15) == expected
        env.restore_state(state)


def test_state_with_results_under_way() -> None:
    env = small(num_envs=5, batch_size=2, num_threads=1)
    env.reset(seed=0)
    env.send([0, 1])
    state = env.save_state()
    other = small(num_envs=5, batch_size=2, num_threads=1)
    expected = [env.recv() for _ in range(2)]
    other.restore_state(state)
    for results in expected:
        for a, b in zip(results[:4], other.recv()[:4], strict=True):
            same(a, b)


def test_modes_are_restored() -> None:
    """A reset keeps restored modes and difficulties that it is not given."""
    env = AtariVectorEnv("pong", 2)
    env.reset(seed=0, options={"mode": [1, 0], "difficulty": [0, 2]})
    state = env.save_state()
    env.reset(seed=0, options={"mode": 0, "difficulty": 3})
    env.restore_state(state)
    env.reset(options={"difficulty": [1, 2]})
    infos = [env._native.selected(index) for index in range(2)]
    assert infos == [(1, 1), (0, 2)]


def test_state_in_another_process(tmp_path: Path) -> None:
    env = small()
    env.reset(seed=0)
    state = env.save_state()
    program = (
        "import sys; from vector.small import small, play\n"
        "env = small(); env.restore_state(sys.stdin.buffer.read())\n"
        "sys.stdout.buffer.write(b''.join(play(env, 20)))"
    )
    tests = os.path.dirname(os.path.dirname(__file__))
    path = os.pathsep.join(filter(None, [tests, os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,  # in the clone, `pyale_ma` is the source folder
        input=state,
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.stdout == b"".join(play(env, 20))


COPY_OPTIONS: list[dict[str, Any]] = [
    {"games": ["pong", "breakout", "seaquest"]},
    {"game": "ms_pacman", "autoreset_mode": "SameStep", "grayscale": False},
    {"game": "pitfall2", "obs_type": "ram", "stack_num": 3, "autoreset_mode": "Disabled"},
    {"game": "breakout", "obs_type": "labels"},
    {"game": "seaquest", "obs_type": "objects"},
    {"game": "warlords", "num_players": 4, "maxpool": False},
    {"game": "pong", "num_players": 2, "mirror": True, "agent_indicator": True},
    {"game": "elevator_action", "frameskip": 2, "episodic_life": True, "extra_infos": ["sound"]},
]


@pytest.mark.parametrize("options", COPY_OPTIONS, ids=lambda options: options.get("game", "games"))
def test_copies_are_what_states_are(options: dict[str, Any]) -> None:
    """Copies, at once, are what saving every environment apart and restoring it elsewhere gives."""
    of_each = 8 // len(options.get("games", [None]))
    options = {
        **SMALL,
        "max_num_frames_per_episode": 90,
        "repeat_action_probability": 0.25,
        "noop_max": 3,
        "extra_infos": ["ram", "episode"],
        **options,
    }
    together = AtariVectorEnv(num_envs=of_each, num_threads=2, **options)
    alone = {key: value for key, value in options.items() if key != "games"}
    apart = [AtariVectorEnv(**{**alone, "game": game}) for game in together.games]
    count = together.num_envs
    together.reset(seed=3)
    for index, env in enumerate(apart):
        env.reset(seed=3 + index)
    rng = np.random.default_rng(5)
    over = np.zeros(count, np.bool_)
    for _ in range(40):
        first = rng.integers(0, count // of_each) * of_each  # of the environments of one game
        targets = first + rng.permutation(of_each)[: rng.integers(0, of_each + 1)]
        sources = first + rng.integers(0, of_each, len(targets))
        if rng.random() < 0.3:
            sources = np.roll(targets, 1)
        together.copy_envs(sources, targets)
        states = [apart[source].save_state() for source in sources]
        for state, target in zip(states, targets, strict=True):
            apart[target].restore_state(state)
        over[targets] = over[sources]
        if options.get("autoreset_mode") == "Disabled" and over.any():
            together.reset(options={"reset_mask": over})
            for ended in np.flatnonzero(over):
                apart[ended].reset()
            over[:] = False
        actions = rng.integers(0, 3, together.action_space.shape)
        result = together.step(actions)
        over = (result[2] if options.get("num_players") is None else result[2].all(1)) | result[3]
        for index, env in enumerate(apart):
            expected = env.step(actions[index : index + 1])
            for got, wanted in zip(result[:4], expected[:4], strict=True):
                same(got[index : index + 1], wanted)
            for name in ("lives", "frame_number", "episode_frame_number", "ram", "sound"):
                if name in expected[4]:
                    same(result[4][name][index : index + 1], expected[4][name])
            if "final_obs" in expected[4] and expected[4]["_final_obs"].any():
                final = result[4]["final_obs"][index : index + 1]
                same(final, expected[4]["final_obs"])
    for env in (together, *apart):
        env.close()


def test_copies_take_modes_along() -> None:
    env = small("space_invaders", 2)
    env.reset(seed=0, options={"mode": [5, 0], "difficulty": [1, 0]})
    env.copy_envs([0], [1])
    twin = small("space_invaders", 2)
    twin.reset(seed=[0, 0], options={"mode": 5, "difficulty": 1})
    env.reset(seed=[7, 7], options={"difficulty": 1})  # the mode stays what it was
    twin.reset(seed=[7, 7])
    assert play(env, 20) == play(twin, 20)


BAD_COPIES: list[tuple[Any, Any, type[Exception], str]] = [
    ([0, 4], [1, 2], IndexError, r"sources\[1\] is 4; environments are numbered 0 to 3"),
    ([0, 1], [2, -1], IndexError, r"targets\[1\] is -1; environments are numbered 0 to 3"),
    ([0, 1], [2**40, 1], IndexError, r"targets\[0\] is 1099511627776"),
    ([0, 1], [1, 1], ValueError, r"targets\[1\] is 1, which occurs before"),
    ([0, 1], [1], ValueError, "there are 2 sources, but 1 targets"),
    ([0], [2], ValueError, r"environment 2 \(targets\[0\]\) cannot go on as a copy of 0"),
    ([0.0], [1], TypeError, r"sources must be .*whole numbers, not .*0\.0"),
    ([0], [[1]], TypeError, r"targets must be .*whole numbers, not \[\[1\]\]"),
    (0, 1, TypeError, "sources must be a list of whole numbers"),
]


@pytest.mark.parametrize(("sources", "targets", "kind", "text"), BAD_COPIES)
def test_copies_that_are_refused(
    sources: Any, targets: Any, kind: type[Exception], text: str
) -> None:
    env = small(None, games=["pong", "breakout"])
    env.reset(seed=1)
    before = env.save_state()
    with pytest.raises(kind, match=text):
        env.copy_envs(sources, targets)
    env.copy_envs([], [])
    env.copy_envs([3, 0], [3, 0])
    assert env.save_state() == before
    env.send(np.zeros(4, np.int32))
    with pytest.raises(RuntimeError, match=r"copy.*4 results"):
        env.copy_envs([0], [1])
    env.recv()
    env.close()
    with pytest.raises(ClosedEnvironmentError):
        env.copy_envs([0], [1])


def test_bad_states() -> None:
    env = small()
    env.reset(seed=0)
    state = env.save_state()
    expected = play(env, 5)
    env.restore_state(state)
    middle = len(state) // 2
    damaged = state[:middle] + bytes([state[middle] ^ 1]) + state[middle + 1 :]
    others = [small("pong"), small(num_envs=3), small(frameskip=2), small(batch_size=1)]
    for other in others:
        other.reset(seed=0)
    foreign = [other.save_state() for other in others]
    for bad in (b"", b"nonsense" * 50, state[:-1], damaged, *foreign):
        with pytest.raises(ValueError, match=r"\w"):
            env.restore_state(bad)
    assert play(env, 5) == expected


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("autoreset", {"autoreset_mode": "SameStep"}),
        ("observation", {"grayscale": False}),
        ("img_height", {"img_height": 60}),
        ("img_width", {"img_width": 60}),
        ("stack_num", {"stack_num": 2}),
        ("frame_skip", {"frameskip": 3}),
        ("maxpool", {"maxpool": False}),
        ("noop_max", {"noop_max": 5}),
        ("use_fire_reset", {"use_fire_reset": False}),
        ("episodic_life", {"episodic_life": True}),
        ("life_loss_info", {"life_loss_info": True}),
        ("reward_clipping", {"reward_clipping": False}),
        ("max_num_frames_per_episode", {"max_num_frames_per_episode": 100}),
        ("repeat_action_probability", {"repeat_action_probability": 0.25}),
        ("full_action_space", {"full_action_space": True}),
        ("sound", {"extra_infos": ["sound"]}),
        ("batch_size", {"batch_size": 1}),
        ("rules", {"num_players": 2}),
        ("corrected_rules", {"corrected_rules": True}),
        ("fill_stack", {"stack_fill": "reset"}),
        ("crop", {"crop": (1, 0, 0, 0)}),
    ],
)
def test_states_of_other_vectors_say_what_differs(field: str, arguments: dict[str, Any]) -> None:
    envs, other = AtariVectorEnv("quartet", 2), AtariVectorEnv("quartet", 2, **arguments)
    other.reset(seed=1)
    with pytest.raises(ValueError, match=rf"vector.*options: {field}"):
        envs.restore_state(other.save_state())


# ---- Bad input -----------------------------------------------------------------------------------

# What every argument refuses is in robustness/test_hostile_arguments.py and layers/test_options.py.
BAD_ARGUMENTS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"game": "Pung"}, ValueError, "pong"),
    ({"game": "brekout"}, ValueError, "did you mean 'breakout'"),
    ({"game": "warlords"}, ValueError, "cannot be played alone"),
    ({"game": None}, ValueError, "either a game or a list"),
    ({"games": ["pong"]}, ValueError, "either a game or a list"),
    ({"game": None, "games": []}, ValueError, "empty"),
    ({"batch_size": 3}, ValueError, "batch_size is 3; it must be 0 to 2"),
    ({"batch_size": 1, "autoreset_mode": "Disabled"}, ValueError, "batch"),
    ({"frameskip": (2, 5)}, Error, "frameskip"),
    ({"autoreset_mode": "Never"}, ValueError, "Invalid autoreset_mode"),
    ({"img_width": 10**6}, ValueError, "img_width"),
    ({"stack_fill": "first"}, ValueError, "stack_fill is 'first'; it must be 'zeros', 'reset'"),
    ({"crop": (1, 2)}, ValueError, r"crop is \(1, 2\); it must have four numbers: rows at the top"),
    ({"crop": (1, -2, 0, 0)}, ValueError, r"crop\[1\] is -2; it must be 0 to 299"),
    ({"crop": (0, 300, 0, 0)}, ValueError, r"crop\[1\] is 300; it must be 0 to 299"),
    ({"crop": (0, 0, 0, 160)}, ValueError, r"crop\[3\] is 160; it must be 0 to 159"),
    ({"crop": (1, 0, 0, 0), "obs_type": "ram"}, ValueError, r"crop needs pictures, .* 'ram'"),
    ({"crop": [0, 0, 8, 0], "obs_type": "labels"}, ValueError, r"crop needs pictures, .*labels"),
    ({"crop": (200, 10, 0, 0)}, ValueError, "crop leaves out 200 and 10 rows; the screen of env"),
    ({"crop": (0, 0, 80, 80)}, ValueError, "crop leaves out 80 and 80 columns; the screen has 160"),
    ({"max_num_frames_per_episode": 2**31}, ValueError, "max_num_frames_per_episode"),
    ({"obs_type": "text"}, ValueError, "obs_type"),
    ({"extra_infos": ["lifes"]}, ValueError, "lifes"),
    ({"extra_infos": "ram"}, TypeError, "extra_infos"),
    ({"render_mode": "human"}, Error, "render mode"),
    ({"seed": 3}, TypeError, "seed"),
]


@pytest.mark.parametrize(("arguments", "kind", "text"), BAD_ARGUMENTS)
def test_bad_arguments(arguments: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        AtariVectorEnv(**{"game": "breakout", "num_envs": 2, **arguments})


BAD_CALLS: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda env: env.step([0, 9]), IndexError, r"actions\[1\] is 9; environment 1 \(breakout\)"),
    (lambda env: env.step([-1, 0]), IndexError, r"actions\[0\] is -1"),
    (lambda env: env.step(np.array([0, 2**32])), IndexError, "4294967296"),
    (lambda env: env.step([0]), ValueError, r"shape \(2,\), not \(1,\)"),
    (lambda env: env.step(np.zeros((2, 1), int)), ValueError, "shape"),
    (lambda env: env.step([0.0, 1.0]), TypeError, "float64"),
    (lambda env: env.step([True, False]), TypeError, "bool"),
    (lambda env: env.step(None), TypeError, "object"),
    (
        lambda env: env.step(np.ma.array([0, 1], mask=[False, True])),
        TypeError,
        "actions is a masked",
    ),
    (lambda env: env.reset(seed=np.ma.array([0, 1], mask=[False, True])), TypeError, "seed"),
    (
        lambda env: env.reset(
            options={"reset_mask": np.ma.array([True, False], mask=[False, True])}
        ),
        TypeError,
        "`reset_mask` is a masked",
    ),
    (lambda env: env.recv(), RuntimeError, "outstanding"),
    (lambda env: (env.send([0, 0]), env.send([0, 0])), RuntimeError, "sent already"),
    (lambda env: env.reset(seed="x"), TypeError, "seed"),
    (lambda env: env.reset(seed=1.0), TypeError, "seed"),
    (lambda env: env.reset(seed=-1), ValueError, "negative"),
    (lambda env: env.reset(seed=2**32 - 1), ValueError, "`seed` is 4294967295; seeds have 32"),
    (lambda env: env.reset(seed=2**64), ValueError, "`seed` is 18446744073709551616; seeds"),
    (lambda env: env.reset(seed=np.uint64(2**64 - 1)), ValueError, "32 bits, 0 to 4294967295"),
    (lambda env: env.reset(seed=[0, 2**64]), ValueError, "`seed` has 18446744073709551616"),
    (lambda env: env.reset(seed=np.array([1, 2, 3])), ValueError, r"expected shape \(2,\)"),
    (lambda env: env.reset(seed=np.array([1.0, 2.0])), TypeError, "seed"),
    (lambda env: env.reset(options={"reset_mask": [True, False]}), TypeError, "reset_mask"),
    (lambda env: env.reset(options={"reset_mask": None}), TypeError, "reset_mask"),
    (lambda env: env.reset(options={"reset_mask": np.ones(2)}), TypeError, "float64"),
    (lambda env: env.reset(options={"reset_mask": np.ones(3, bool)}), ValueError, "shape"),
    (lambda env: env.reset(options={"mode": "a"}), TypeError, "mode"),
    (lambda env: env.reset(options=3), TypeError, "options must be a dict, not 3"),
    (
        lambda env: env.reset(options={"mode": 0, "difficuly": 0}),
        ValueError,
        "options has 'difficuly'; it may have 'reset_mask', 'mode', 'difficulty'",
    ),
    (lambda env: env.render_grid([]), ValueError, "env_ids is empty"),
    (lambda env: env.render_grid([0, -1]), IndexError, r"env_ids\[1\] is -1; environments are"),
    (lambda env: env.render_grid([2]), IndexError, r"env_ids\[0\] is 2; environments are"),
    (lambda env: env.render_grid(1), TypeError, "env_ids must be a list of whole numbers"),
    (lambda env: env.render_grid(["a"]), TypeError, "env_ids must be .*whole numbers, not .*'a'"),
    (lambda env: env.render_grid(columns=-1), ValueError, "columns is -1; it must be 0 to 1024"),
    (lambda env: env.render_grid(columns=10**30), ValueError, "columns is 10*; it must be 0 to 1"),
    (lambda env: env.render_grid(columns="a"), TypeError, "columns must be a whole number"),
    (lambda env: env.render_grid(columns=2.5), TypeError, "columns must be a whole number"),
]


@pytest.mark.parametrize(("call", "kind", "text"), BAD_CALLS)
def test_bad_calls(call: Callable[[AtariVectorEnv], Any], kind: type[Exception], text: str) -> None:
    env, untouched = small(), small()
    for one in (env, untouched):
        one.reset(seed=0)
    with pytest.raises(kind, match=text):
        call(env)
    if "sent" in text:
        env.recv()
        untouched.step([0, 0])
    assert play(env, 5) == play(untouched, 5)


@pytest.mark.parametrize("kind", [np.int64, np.dtype(">i8"), np.uint64, np.uint32])
@pytest.mark.parametrize("action", [2**31, 2**32 - 1])
def test_actions_beyond_32_bits(kind: Any, action: int) -> None:
    env = small()
    env.reset(seed=0)
    given = np.array([1, action], kind)
    with pytest.raises(IndexError, match=rf"actions\[1\] is {action}.*int32"):
        env.step(given)
    env.step(given[[0, 0]])
    env.step(np.array([[1, 9], [0, 9]], kind)[:, 0])  # not in one piece


def test_actions_of_environments_that_will_be_reset_are_not_looked_at() -> None:
    env = small(max_num_frames_per_episode=8)
    env.reset(seed=0)
    env.step([0, 0])
    env.step([0, 0])
    env.step([77, -5])
    with pytest.raises(IndexError):
        env.step([77, -5])


def test_calls_before_the_first_reset() -> None:
    env = small("pong")
    with pytest.raises(RuntimeError, match="before reset"):
        env.step([0, 0])
    with pytest.raises(RuntimeError, match="before reset"):
        env.send([0, 0])
    with pytest.raises(RuntimeError, match="reset"):
        env.recv()
    with pytest.raises(RuntimeError, match=r"reset.*\(got 1 of 2\)"):
        env.reset(options={"reset_mask": np.array([True, False]), "mode": 1})
    twin = small("pong")
    for each in (env, twin):
        each.reset(seed=1)
    assert play(env, 5) == play(twin, 5)  # in the same mode


def test_partial_reset_of_small_batches() -> None:
    env = small(num_envs=3, batch_size=2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="Partial reset"):
        env.reset(options={"reset_mask": np.array([True, False, True])})
    env.step([0, 0])
    env.reset(seed=0)


def test_resets_that_discard() -> None:
    env, fresh = small(num_envs=4, batch_size=2), small(num_envs=4, batch_size=2)
    for _ in range(10):
        env.reset()
        env.step([0, 0])
        env.send([0, 0])
    ids = env.reset(seed=1)[1]["env_id"]
    assert len(set(ids)) == 2
    observations, infos = env.reset(seed=5)
    expected, expected_infos = fresh.reset(seed=5)
    for row, env_id in enumerate(infos["env_id"]):
        if env_id in expected_infos["env_id"]:
            (other,) = np.flatnonzero(expected_infos["env_id"] == env_id)
            assert np.array_equal(observations[row], expected[other])


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step([0, 0]),
        lambda env: env.reset(),
        lambda env: env.send([0, 0]),
        lambda env: env.recv(),
        lambda env: env.save_state(),
        lambda env: env.render_grid(),
    ],
)
def test_use_after_close(call: Callable[[AtariVectorEnv], Any]) -> None:
    env = small()
    env.reset(seed=0)
    env.close()
    env.close()
    with pytest.raises(ClosedEnvironmentError, match=r"the vector environment was closed$"):
        call(env)
    assert not env._native.posted


def test_unseeded_environments_differ() -> None:
    env = small(num_envs=4, repeat_action_probability=0.5, noop_max=0, obs_type="ram")
    env.reset()
    for step in range(60):
        observations, *_ = env.step([1 + step % 3] * 4)
    assert len({one.tobytes() for one in observations}) > 1
