"""EnvPool's interface is EnvPool's: spaces, results, infos and what follows an episode's end."""

from __future__ import annotations

import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("envpool", reason="its interface is compared with EnvPool's")
pytest.importorskip("dm_env", reason="EnvPool's type dm is that of dm_env")

import envpool as theirs
import gymnasium

from integrations.running import EXAMPLES, returns, run
from pyale_ma import envpool as ours
from pyale_ma.vector import AtariVectorEnv
from same import same as assert_same

BOTH = [pytest.param(ours, id="ours"), pytest.param(theirs, id="theirs")]
OPTIONS = [
    {},
    {"gray_scale": False, "stack_num": 2},
    {"img_height": 40, "img_width": 50, "full_action_space": True},
    {"num_envs": 4, "batch_size": 2},
]


def structure(tree: Any) -> Any:
    """Types, names, dtypes and shapes."""
    if hasattr(tree, "_asdict"):
        return [(name, structure(getattr(tree, name))) for name in tree._fields]
    if isinstance(tree, dict):
        return sorted((name, structure(value)) for name, value in tree.items())
    if isinstance(tree, tuple):
        return [structure(value) for value in tree]
    return tree.dtype, tree.shape


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
@pytest.mark.parametrize("package", BOTH)
def test_texts_say_the_options(package: Any, env_type: str) -> None:
    envs = package.make("Pong-v5", env_type=env_type, num_envs=3)
    assert str(envs) == repr(envs)
    assert "EnvPool(num_envs=3, batch_size=3, num_threads=0, " in str(envs)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("env_type", ["gymnasium", "gym", "dm"])
def test_structure(env_type: str, options: dict[str, Any]) -> None:
    seen = []
    for package in (ours, theirs):
        envs = package.make("MsPacman-v5", env_type=env_type, **{"num_envs": 3, **options})
        first = envs.reset()
        info = first[-1] if env_type != "dm" else first.observation._asdict()
        count = envs.config["batch_size"]
        ids = info["env_id"]
        stepped = envs.step(np.zeros(count, int), ids)
        entry: list[Any] = [structure(first), structure(stepped), len(envs), envs.is_async]
        entry += [envs.all_env_ids.tolist(), envs.all_env_ids.dtype]
        entry.append({**envs.config, "base_path": "", "env_seed": None})
        if env_type == "dm":
            specs = envs.observation_spec()
            entry += [structure(specs), envs.action_spec(), specs.obs, specs.terminated, specs.ram]
            entry += [envs.reward_spec(), envs.discount_spec()]
        else:
            assert isinstance(envs, gymnasium.Env)
            entry += [envs.observation_space, envs.single_observation_space]  # type: ignore[attr-defined]
            entry += [envs.action_space, envs.single_action_space, envs.num_envs]  # type: ignore[attr-defined]
            entry += [envs.metadata["autoreset_mode"], envs.render_mode]
        seen.append(entry)
    for our_part, their_part in zip(*seen, strict=True):
        assert str(our_part) == str(their_part)


def test_ids_and_specs() -> None:
    atari = set(ours.list_all_envs())
    # What is missing there are games that EnvPool has no ROM of, or another name for.
    assert {"Pong-v5", "MsPacman-v5", "Breakout-v5"} <= atari & set(theirs.list_all_envs())
    assert "TicTacToe3d-v5" in atari & set(theirs.list_all_envs())
    assert "TicTacToe3D-v5" not in atari
    for task_id in ("TicTacToe3d-v5", "TicTacToe3D-v5"):
        assert ours.make(task_id, env_type="gym").config["task"] == "tic_tac_toe_3d"
    assert theirs.make("TicTacToe3d-v5", env_type="gym").config["task"] == "tic_tac_toe_3d"
    for task_id in ("Pong-v5", "Seaquest-v5"):
        spec, same = ours.make_spec(task_id), theirs.make_spec(task_id)
        assert spec.observation_space == same.observation_space
        assert spec.action_space == same.action_space
        assert spec.config._fields == same.config._fields
        assert spec.action_spec() == same.action_spec()
        assert str(spec.observation_spec().obs) == str(same.observation_spec().obs)
        assert spec.observation_spec()._fields == same.observation_spec()._fields
        assert spec.gymnasium_observation_space == same.gymnasium_observation_space
        assert spec.gymnasium_action_space == same.gymnasium_action_space


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_pictures_are_alike(options: dict[str, Any]) -> None:
    """The first screens of a game are equal but for rounding."""
    pictures = []
    for package in (ours, theirs):
        envs = package.make("MsPacman-v5", env_type="gymnasium", noop_max=1, **options)
        envs.reset()
        if envs.is_async:
            return
        for _ in range(5):
            observation = envs.step(np.zeros(1, int))[0]
        pictures.append(observation[0].astype(int))
    assert np.abs(pictures[0] - pictures[1]).mean() < 1


def timeline(package: Any, actions: Any, **options: Any) -> list[tuple[Any, ...]]:
    """Return the data about each step that does not depend on the game."""
    options = {"num_envs": 2, "noop_max": 1, "seed": 1, **options}
    envs = package.make(env_type="gymnasium", **options)
    stepper = package.make(env_type="dm", **options)
    envs.reset()
    stepper.reset()
    told = []
    lives = elapsed = np.full(2, -1)
    for action in actions:
        action = np.full(2, action)
        _, reward, terminated, truncated, info = envs.step(action)
        step = stepper.step(action)
        change = np.sign(info["lives"] - lives)
        passed = info["elapsed_step"] - elapsed
        lives, elapsed = info["lives"], info["elapsed_step"]
        assert np.array_equal(step.reward, reward)
        assert np.array_equal(step.observation.terminated, info["terminated"])
        for env in range(2):
            told.append(
                (
                    bool(terminated[env]),
                    bool(truncated[env]),
                    int(info["terminated"][env]),
                    int(change[env]),
                    int(passed[env]) if passed[env] >= 0 else "from the start",
                    int(step.step_type[env]),
                    float(step.discount[env]),
                )
            )
    return told


def test_switches_may_be_numbers() -> None:
    env = ours.make("Breakout-v5", env_type="gymnasium", episodic_life=1, gray_scale=0)
    assert env.config["episodic_life"] is True
    assert env.observation_space.shape == (12, 84, 84)
    with pytest.raises(TypeError, match="not 2"):
        ours.make("Breakout-v5", env_type="gymnasium", episodic_life=2)


def test_time_limits() -> None:
    limits = {"task_id": "Pong-v5", "max_episode_steps": 5}
    assert timeline(ours, [0] * 14, **limits) == timeline(theirs, [0] * 14, **limits)


@pytest.mark.parametrize("package", BOTH)
def test_the_time_is_over_after_all_steps(package: Any) -> None:
    """Also if lives were lost, whose steps that resume the game do not count."""
    envs = package.make(
        "Breakout-v5", env_type="gymnasium", episodic_life=True, max_episode_steps=90, seed=1
    )
    envs.reset()
    resumed = 0
    for step in range(200):
        _, _, terminated, truncated, info = envs.step(np.array([1 if step % 2 else 3]))
        resumed += bool(terminated[0])
        assert bool(truncated[0]) == (info["elapsed_step"][0] >= 90)
        if truncated[0]:
            break
    assert truncated[0]
    assert resumed


def test_a_pool_serves_one_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    envs = ours.make("Pong-v5", env_type="gymnasium", num_envs=2)
    envs.reset()
    step = envs._pool.envs.step

    def step_and_meet(actions: Any) -> Any:
        with ThreadPoolExecutor(1) as other:
            for call in (envs.reset, envs.recv, partial(envs.step, [0, 0])):
                with pytest.raises(RuntimeError, match="EnvPool is in use"):
                    other.submit(call).result()
        return step(actions)

    monkeypatch.setattr(envs._pool.envs, "step", step_and_meet)
    assert envs.step([0, 0])[4]["elapsed_step"].tolist() == [1, 1]


@pytest.mark.parametrize(
    "options", [{}, {"episodic_life": True}, {"zero_discount_on_life_loss": True}], ids=str
)
def test_ends_and_lives(options: dict[str, Any]) -> None:
    """Lives are lost at other moments, but the same is told of the moments."""
    actions = [step % 4 for step in range(700)]
    told = [
        set(timeline(package, actions, task_id="Breakout-v5", **options)[2:])
        for package in (ours, theirs)
    ]
    assert told[0] == told[1]
    assert any(game_over for _, _, game_over, *_ in told[0])


@pytest.mark.parametrize("package", BOTH)
def test_send_and_recv(package: Any) -> None:
    envs = package.make("Pong-v5", env_type="gymnasium", num_envs=6, batch_size=2)
    envs.async_reset()
    steps = np.full(6, -1)
    for _ in range(60):
        *_, info = envs.recv()
        ids = info["env_id"]
        assert len(set(ids.tolist())) == 2
        steps[ids] += 1
        assert np.array_equal(info["elapsed_step"], steps[ids])
        assert np.array_equal(info["players"]["env_id"], ids)
        envs.send(np.zeros(2, np.int64), ids)
    # Which are done first is up to the threads, but none is lost: all six are under way now.
    rest = np.concatenate([envs.recv()[-1]["env_id"] for _ in range(3)])
    assert sorted(rest.tolist()) == list(range(6))


@pytest.mark.parametrize("package", BOTH)
def test_some_are_reset(package: Any) -> None:
    envs = package.make("Pong-v5", env_type="gymnasium", num_envs=4)
    envs.reset()
    for _ in range(3):
        envs.step(np.zeros(4, int))
    observations, info = envs.reset(np.array([1, 2]))
    assert observations.shape[0] == 2
    assert info["env_id"].tolist() == [1, 2]
    assert info["elapsed_step"].tolist() == [0, 0]
    *_, info = envs.step(np.zeros(4, int))
    assert info["elapsed_step"].tolist() == [4, 1, 1, 4]


@pytest.mark.parametrize("batch_size", [4, 2, 1])
def test_some_are_stepped(batch_size: int) -> None:
    """Each environment's results follow from its own actions, whoever else is sent some when."""
    options: Any = {"env_type": "gymnasium", "max_episode_steps": 40, "episodic_life": True}
    envs = ours.make("Breakout-v5", num_envs=4, batch_size=batch_size, seed=3, **options)
    twins = [ours.make("Breakout-v5", seed=3 + env_id, **options) for env_id in range(4)]
    expected = [twin.reset()[0] for twin in twins]
    envs.async_reset()
    ready: list[int] = []
    for _ in range(4 // batch_size):  # as DI-engine, which keeps batches for later
        observations, *_, info = envs.recv()
        ready += info["env_id"].tolist()
        assert np.array_equal(observations, np.concatenate([expected[i] for i in info["env_id"]]))
    generator = np.random.default_rng(0)
    playing: dict[int, Any] = {}
    for _ in range(300):
        sent = generator.permutation(ready)[: generator.integers(len(ready) + 1)].tolist()
        actions = generator.integers(0, 4, len(sent))
        if sent:
            envs.send(actions, sent)
        for env_id, action in zip(sent, actions, strict=True):
            playing[env_id] = twins[env_id].step([action])
            ready.remove(env_id)
        if len(playing) < (batch_size if envs.is_async else 1):
            continue
        *results, info = envs.recv()
        if not envs.is_async:
            assert info["env_id"].tolist() == sent
        for row, env_id in enumerate(info["env_id"].tolist()):
            *same, told = playing.pop(env_id)
            for array, other in zip(results, same, strict=True):
                assert np.array_equal(array[row], other[0])
            for name in ("ram", "lives", "elapsed_step", "reward", "terminated"):
                assert np.array_equal(info[name][row], told[name][0])
            ready.append(env_id)


@pytest.mark.parametrize("package", BOTH)
def test_first_example(package: Any) -> None:
    """Of EnvPool's page: some environments are stepped, in the order of their numbers given."""
    envs = package.make("Pong-v5", env_type="gymnasium", num_envs=100)
    envs.reset()
    *_, info = envs.step(np.zeros(2, int), np.array([3, 1]))
    assert info["env_id"].tolist() == [3, 1]
    assert info["elapsed_step"].tolist() == [1, 1]
    *_, info = envs.step(np.zeros(100, int))
    assert info["elapsed_step"].tolist() == [1, 2, 1, 2, *[1] * 96]


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
@pytest.mark.parametrize("package", BOTH)
def test_closed_pools_go_on(package: Any, env_type: str) -> None:
    """As Stoix closes the one with which it looks at infos."""
    envs = package.make("Pong-v5", env_type=env_type, num_envs=2)
    envs.reset()
    envs.step(np.zeros(2, int))
    envs.close()
    envs.close()
    if env_type == "gymnasium":
        assert envs.closed
        assert envs.step(np.zeros(2, int))[4]["elapsed_step"].tolist() == [2, 2]
    first = envs.reset()
    assert len(first[0] if env_type == "gymnasium" else first.reward) == 2


def test_closed_pools_are_freed() -> None:
    envs = ours.make("Pong-v5", env_type="gymnasium")
    vector = weakref.ref(envs._pool.envs)
    envs.close()
    del envs
    assert vector() is None


@pytest.mark.parametrize("package", BOTH)
def test_seed_warns(package: Any) -> None:
    with pytest.warns(UserWarning, match="seed"):
        package.make("Pong-v5", env_type="gymnasium").seed(3)


def test_actions_by_environment() -> None:
    first = ours.make("Breakout-v5", env_type="gymnasium", num_envs=3, seed=5)
    second = ours.make("Breakout-v5", env_type="gymnasium", num_envs=3, seed=[5, 6, 7])
    assert np.array_equal(first.reset()[0], second.reset()[0])
    order = np.array([2, 0, 1])
    generator = np.random.default_rng(0)
    for _ in range(60):
        actions = generator.integers(0, 4, 3)
        expected = first.step(actions)
        given = second.step({"action": actions[order], "env_id": order})
        for by_number, by_order in zip(expected[:4], given[:4], strict=True):
            assert np.array_equal(by_order, by_number[order])
        assert given[4]["env_id"].tolist() == given[4]["players"]["env_id"].tolist() == [2, 0, 1]
        assert np.array_equal(given[4]["ram"], expected[4]["ram"][order])
    with pytest.raises(IndexError):
        first.step(np.array([0, 99, 0]), order)
    assert first.step(np.zeros(3, int))[4]["env_id"].tolist() == [0, 1, 2]
    first.send(np.zeros(3, int), order)
    assert first.recv()[4]["env_id"].tolist() == [2, 0, 1]
    observations, infos = second.reset(np.array([2, 0]))
    assert infos["env_id"].tolist() == [2, 0]
    assert np.array_equal(infos["ram"], second._pool.envs._native.rams()[[2, 0]])
    assert len(observations) == 2
    with pytest.raises(ValueError, match=r"env_id.*\[1, 1\]"):
        second.reset(np.array([1, 1]))
    assert first.is_vector_env
    assert ours.make_spec("Breakout-v5").reward_threshold is None


@pytest.mark.parametrize("wrong", [{"seed": -1}, {"env_id": [1], "seed": 2**32}])
def test_a_refused_reset_changes_nothing(wrong: dict[str, Any]) -> None:
    envs = ours.make("Pong-v5", env_type="gymnasium", num_envs=2)
    envs.reset()
    for _ in range(3):
        envs.step([0, 0])
    with pytest.raises(ValueError, match="seed"):
        envs.reset(**wrong)
    assert envs.step([0, 0])[4]["elapsed_step"].tolist() == [4, 4]


@pytest.mark.parametrize("wrong", [[0, 0, 0], [0, 0, 99], "fire"])
def test_a_refused_send_keeps_the_order(wrong: Any) -> None:
    """Of the results that are not received yet."""
    envs = ours.make("Pong-v5", env_type="gymnasium", num_envs=3)
    envs.reset()
    envs.send([0, 0, 0], np.array([2, 0, 1]))
    with pytest.raises((RuntimeError, TypeError)):
        envs.send(wrong)
    assert envs.recv()[4]["env_id"].tolist() == [2, 0, 1]


@pytest.mark.parametrize("batch_size", [2, 4])
def test_async_resets_that_were_not_received(batch_size: int) -> None:
    """Their batch comes before any action, or never."""
    envs = ours.make("Pong-v5", env_type="gymnasium", num_envs=4, batch_size=batch_size)
    envs.async_reset()
    for call in (envs.send, envs.step):
        with pytest.raises(RuntimeError, match="call recv first"):
            call([0] * batch_size, np.arange(batch_size))
    *_, info = envs.reset()
    *_, info = envs.step([0] * batch_size, info["env_id"])
    elapsed = info["elapsed_step"].tolist()
    if batch_size < 4:
        elapsed += envs.recv()[4]["elapsed_step"].tolist()
    assert sorted(elapsed) == [0] * (4 - batch_size) + [1] * batch_size


def test_equal_to_the_vector() -> None:
    envs = ours.make("Breakout-v5", env_type="gymnasium", num_envs=3, seed=8, episodic_life=True)
    same = AtariVectorEnv(
        *("breakout", 3),
        life_loss_info=True,
        reward_clipping=False,
        stack_fill="reset",
        extra_infos=["ram"],
    )
    observations, _ = envs.reset()
    assert np.array_equal(observations, same.reset(seed=8)[0])
    generator = np.random.default_rng(0)
    fire = np.zeros(3, bool)
    for _ in range(300):
        actions = generator.integers(0, 4, 3)
        observations, _, terminated, truncated, info = envs.step(actions)
        played = same.step(np.where(fire, 1, actions))  # after a loss of a life FIRE goes on
        fire = played[2] & (played[4]["lives"] > 0)
        assert np.array_equal(observations, played[0])
        assert np.array_equal(info["reward"], played[1])
        assert np.array_equal(terminated, played[2])
        assert np.array_equal(truncated, played[3])
        assert np.array_equal(info["ram"], played[4]["ram"])


@pytest.mark.parametrize("package", BOTH)
@pytest.mark.parametrize("size", [(0, 0), (320, 420), (480, 0), (0, 630)], ids=str)
def test_render_shows_a_chosen_environment(package: Any, size: tuple[int, int]) -> None:
    width, height = size
    options = {"env_type": "gymnasium", "num_envs": 3, "seed": 1, "render_mode": "rgb_array"}
    options |= {"render_env_id": 2, "render_width": width, "render_height": height}
    envs = package.make("Pong-v5", **options)
    plain = package.make("Pong-v5", **{**options, "render_width": 0, "render_height": 0})
    for pool in (envs, plain):
        pool.reset()
        for _ in range(30):
            pool.step(np.array([0, 2, 3]))
    assert np.array_equal(envs.render(), envs.render(env_ids=2))
    assert not np.array_equal(envs.render(), envs.render(env_ids=1))
    times = max(height, 210) // 210, max(width, 160) // 160
    enlarged = plain.render().repeat(times[0], 1).repeat(times[1], 2)
    assert_same(enlarged, envs.render())
    assert np.array_equal(envs.render([0, 2])[1:], enlarged)


def test_example_learns() -> None:
    before, after = returns("envpool_ppo.py", "--steps", "8192")
    assert after > before + 1


def test_example_runs_on_envpool(tmp_path: Path) -> None:
    """The example is a program for EnvPool, but for its import."""
    text = (EXAMPLES / "envpool_ppo.py").read_text()
    assert "from pyale_ma import envpool" in text
    program = tmp_path / "program.py"
    program.write_text(text.replace("from pyale_ma import envpool", "import envpool"))
    assert "return before" in run(str(program), "--steps", "1024")


@pytest.mark.parametrize(
    ("options", "wrong", "message"),
    [
        ({"task_id": "Nope-v5"}, ValueError, "list_all_envs"),
        ({"env_type": "bar"}, ValueError, "'gymnasium'"),
        ({"frames": 3}, TypeError, "no option 'frames'; did you mean 'frame_skip'"),
        ({"render_width": 100}, ValueError, "render_width is 100; it must be a multiple of 160"),
        ({"render_height": 1.5}, TypeError, "render_height must be a whole number"),
        ({"render_env_id": 2}, ValueError, "render_env_id is 2"),
        ({"max_num_players": 2}, ValueError, "AtariVectorEnv"),
        ({"use_inter_area_resize": False}, ValueError, "by area only"),
        ({"gym_reset_return_info": False}, ValueError, "always return infos"),
        ({"env_seed": [1]}, ValueError, "1 seeds for 2 environments"),
        ({"mode": 77}, ValueError, "no mode 77"),
        ({"batch_size": 9}, ValueError, "batch_size is 9"),
        ({"task": "breakout"}, ValueError, "task is 'breakout', and the id 'Pong-v5' plays 'pong'"),
        ({"reward_clip": "yes"}, TypeError, "reward_clip must be True or False"),
        ({"frame_skip": 0}, gymnasium.error.Error, "frame_skip of 0, frame_skip must be positive"),
        ({"seed": "x"}, TypeError, "seed type"),
        ({"seed": [1.5, 2]}, TypeError, "a seed must be a whole number, not 1.5"),
        ({"env_seed": 5}, TypeError, "env_seed must be a list of seeds"),
        ({"env_seed": [1, 2**40]}, ValueError, "`seed` has 1099511627776"),
    ],
)
def test_bad_options(options: dict[str, Any], wrong: type[Exception], message: str) -> None:
    arguments = {"task_id": "Pong-v5", "env_type": "gymnasium", "num_envs": 2, **options}
    with pytest.raises(wrong, match=message):
        ours.make(**arguments)


@pytest.mark.parametrize("package", BOTH)
@pytest.mark.parametrize("limit", [-1, 0, 1, 2])
def test_shortest_episodes(package: Any, limit: int) -> None:
    """EnvPool plays a limit below 1 as 1."""
    envs = package.make("Pong-v5", env_type="gymnasium", num_envs=1, max_episode_steps=limit)
    envs.reset()
    cut = [bool(envs.step(np.zeros(1, int))[3][0]) for _ in range(6)]
    assert cut == ([True, False] * 3 if limit < 2 else [False, True, False] * 2)


def test_actions_for_others() -> None:
    envs = ours.make("Pong-v5", env_type="gymnasium", num_envs=3)
    for env_ids in (None, np.array([1])):
        with pytest.raises(RuntimeError, match="before reset"):
            envs.step(np.zeros(3 if env_ids is None else 1, int), env_ids)
    envs.reset()
    for count in (2, 5):
        for order in (None, np.array([2, 1, 0])):
            with pytest.raises(ValueError, match=rf"action has shape \({count},\)"):
                envs.step(np.zeros(count, int), order)
    with pytest.raises(ValueError, match="'action'"):
        envs.step({"actions": np.zeros(3, int)})


def test_bad_calls() -> None:
    envs = ours.make("Pong-v5", env_type="gymnasium", num_envs=4, batch_size=2)
    envs.async_reset()
    *_, info = envs.recv()
    others = np.setdiff1d(np.arange(4), info["env_id"])
    with pytest.raises(RuntimeError, match="waits for no action"):
        envs.send(np.zeros(2, int), others)
    with pytest.raises(RuntimeError, match="waits for no action"):
        envs.send(np.zeros(2, int), info["env_id"][[0, 0]])
    with pytest.raises(IndexError, match="actions"):
        envs.send(np.array([0, 6]), info["env_id"])
    with pytest.raises(ValueError, match="resets all"):
        envs.reset(np.array([0]))
    with pytest.raises(NotImplementedError, match="AtariVectorEnv"):
        envs.xla()
    with pytest.raises(gymnasium.error.Error, match="render_mode"):
        envs.render()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda envs: envs.reset(2), TypeError, "env_id must be a list of .*, not 2"),
        (lambda envs: envs.reset([1.0]), TypeError, "env_id must be whole numbers, not float64"),
        (lambda envs: envs.reset([0, 7]), IndexError, r"env_id\[1\] is 7; .* 0 to 2"),
        (lambda envs: envs.reset([-1]), IndexError, r"env_id\[0\] is -1; .* 0 to 2"),
        (lambda envs: envs.reset([]), ValueError, "env_id is empty"),
        (lambda envs: envs.reset(options=3), TypeError, "options must be a dict, not 3"),
        (lambda envs: envs.reset(options={"mode": 1}), ValueError, "options has 'mode'"),
        (lambda envs: envs.render(5), IndexError, r"env_ids\[0\] is 5; .* 0 to 2"),
        (lambda envs: envs.render("x"), TypeError, "env_ids must be whole numbers, not .*'x'"),
        (lambda envs: envs.render([]), ValueError, "env_ids is empty"),
        (lambda envs: envs.step([0] * 3, [0, 1, 3]), IndexError, r"env_id\[2\] is 3; .* 0 to 2"),
        (lambda envs: envs.step([0] * 3, "abc"), TypeError, "env_id must be whole numbers, not"),
        (lambda envs: envs.send({"action": [0] * 3, "env_id": 1}), TypeError, "env_id .*, not 1"),
    ],
)
def test_errors_name_arguments(call: Any, error: type[Exception], message: str) -> None:
    envs = ours.make("Pong-v5", env_type="gymnasium", num_envs=3, render_mode="rgb_array")
    envs.reset()
    with pytest.raises(error, match=message):
        call(envs)
    assert envs.step([0, 0, 0])[4]["elapsed_step"].tolist() == [1, 1, 1]


def test_without_dm_env(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dm_env", None)
    monkeypatch.delitem(sys.modules, "pyale_ma.integrations.dm", raising=False)
    with pytest.raises(gymnasium.error.DependencyNotInstalled, match="pip install dm-env"):
        ours.make("Pong-v5", env_type="dm")
