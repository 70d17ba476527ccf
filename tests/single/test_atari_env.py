"""`AtariEnv`: arguments, spaces, steps, seeds, and what it refuses."""

from __future__ import annotations

import math
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from common import crc
from pyale_ma.single import Action, AtariEnv


def make(id_: str = "pyale_ma/Breakout-v5", **keywords: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(id_, **keywords)


# ---- Arguments -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "frameskip",
    [
        *[0, -1, 4.0, True, np.int64(4), None, "4", [2, 5]],
        *[(0, 5), (-1, 5), (5, 2), (4, 4), (1, 2, 3), (2,), (), (2.0, 5.0), (2.5, 5.0), ("2", "5")],
    ],
)
def test_bad_frameskip(frameskip: Any) -> None:
    with pytest.raises(gymnasium.error.Error, match=r"[Ff]rameskip|frame ?skip"):
        AtariEnv("pong", frameskip=frameskip)


@pytest.mark.parametrize("obs_type", ["RGB", "gray", None, 3])
def test_bad_obs_type(obs_type: Any) -> None:
    with pytest.raises(gymnasium.error.Error, match="observation type"):
        AtariEnv("pong", obs_type=obs_type)


@pytest.mark.parametrize("game", ["Pung", "pung", "ALE/Pung-v5", ""])
def test_unknown_game(game: str) -> None:
    with pytest.raises(ValueError, match="There is no game"):
        AtariEnv(game)


@pytest.mark.parametrize("game", ["combat", "joust", "maze_craze", "warlords"])
def test_multi_player_game(game: str) -> None:
    with pytest.raises(ValueError, match=game):
        AtariEnv(game)


@pytest.mark.parametrize(
    ("keywords", "error"),
    [
        ({"mode": 77}, RuntimeError),
        ({"mode": -1}, RuntimeError),
        ({"mode": "0"}, TypeError),
        ({"difficulty": 9}, RuntimeError),
        ({"max_num_frames_per_episode": 10.0}, TypeError),
    ],
)
def test_bad_arguments(keywords: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        AtariEnv("pong", **keywords)


# ---- Spaces ----------------------------------------------------------------------------------


@pytest.mark.parametrize("sound", [False, True])
@pytest.mark.parametrize(
    ("obs_type", "shape"), [("rgb", (210, 160, 3)), ("grayscale", (210, 160)), ("ram", (128,))]
)
def test_observations(obs_type: Any, shape: tuple[int, ...], sound: bool) -> None:
    env = AtariEnv("pong", obs_type=obs_type, sound_obs=sound)
    for obs in (env.reset()[0], env.step(0)[0]):
        assert env.observation_space.contains(obs)
        image = obs["image"] if sound else obs
        assert (image.shape, image.dtype) == (shape, np.uint8)
        assert image.flags.writeable
        if sound:
            assert (obs["sound"].shape, obs["sound"].dtype) == ((512,), np.uint8)


@pytest.mark.parametrize(
    ("game", "full", "count"),
    [("breakout", False, 4), ("breakout", True, 18), ("skiing", False, 3), ("skiing", True, 9)],
)
def test_action_space(game: str, full: bool, count: int) -> None:
    env = AtariEnv(game, full_action_space=full)
    assert env.action_space == gymnasium.spaces.Discrete(count)
    assert env.get_action_meanings() == [action.name for action in env._action_set]


def test_continuous_action_space() -> None:
    space = AtariEnv("pong", continuous=True).action_space
    assert isinstance(space, gymnasium.spaces.Box)
    assert space.dtype == np.float32
    assert np.array_equal(space.low, np.array([0, -math.pi, 0], np.float32))
    assert np.array_equal(space.high, np.array([1, math.pi, 1], np.float32))


@pytest.mark.parametrize("keywords", [{}, {"continuous": True}, {"obs_type": "ram"}])
@pytest.mark.parametrize("game", ["pong", "breakout", "tetris", "skiing"])
def test_check_env(game: str, keywords: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A Box whose bounds are not -1 and 1 is remarked upon.
        warnings.filterwarnings("ignore", message=".*symmetric and normalized.*")
        warnings.filterwarnings("ignore", message=".*minimum.*|.*maximum.*")
        env = gymnasium.make(
            f"pyale_ma/{game.capitalize()}-v5",
            render_mode="rgb_array",
            **keywords,
        )
        check_env(env.unwrapped, skip_render_check=False)


# ---- Steps -----------------------------------------------------------------------------------


def test_step_results() -> None:
    env = AtariEnv("breakout")
    _, info = env.reset(seed=0)
    assert set(info) == {"lives", "episode_frame_number", "frame_number", "seeds"}
    _, reward, terminated, truncated, info = env.step(1)
    assert type(reward) is float
    assert type(terminated) is type(truncated) is bool
    assert info == {"lives": 5, "episode_frame_number": 4, "frame_number": 4}
    assert all(type(value) is int for value in info.values())


def test_each_observation_is_new() -> None:
    env = AtariEnv("breakout")
    first, _ = env.reset(seed=0)
    kept = first.copy()
    second = env.step(3)[0]
    second[:] = 0
    env.step(2)
    assert np.array_equal(first, kept)
    assert not second.any()


@pytest.mark.parametrize("action", [1, True, np.int64(1), np.uint8(1), np.array(1)])
def test_actions(action: Any) -> None:
    env = AtariEnv("breakout")
    env.reset(seed=0)
    twin = AtariEnv("breakout")
    twin.reset(seed=0)
    assert np.array_equal(env.step(action)[0], twin.step(1)[0])


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (-1, IndexError),
        (4, IndexError),
        (2**70, IndexError),
        (1.0, TypeError),
        ("1", TypeError),
        (None, TypeError),
        (np.array([1]), TypeError),
        (Action.RIGHT, TypeError),  # whose number is another action's index
    ],
)
def test_bad_action(action: Any, error: type[Exception]) -> None:
    env = AtariEnv("breakout")
    env.reset(seed=0)
    with pytest.raises(error):
        env.step(action)
    assert env.ale.getFrameNumber() == 0


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (0, TypeError),
        ([1.0, 0.0, 0.0], TypeError),
        (np.zeros(3), TypeError),
        (np.zeros(2, np.float32), ValueError),
        (np.zeros((1, 3), np.float32), ValueError),
    ],
)
def test_bad_continuous_action(action: Any, error: type[Exception]) -> None:
    env = AtariEnv("breakout", continuous=True)
    env.reset(seed=0)
    with pytest.raises(error):
        env.step(action)
    assert env.ale.getFrameNumber() == 0


@pytest.mark.parametrize(
    ("action", "name"),
    [
        ((0.70, math.pi / 4, 0), "NOOP"),
        ((0.72, math.pi / 4, 0), "UPRIGHT"),
        ((0.5, 0, 0), "NOOP"),
        ((0.51, 0, 0), "RIGHT"),
        ((1, math.pi, 0.5), "LEFT"),
        ((1, -3 * math.pi / 4, 1), "DOWNLEFTFIRE"),
        ((0, 0, 0.6), "FIRE"),
        ((1, math.pi / 2, 0), "UP"),
    ],
)
def test_joystick(action: tuple[float, ...], name: str) -> None:
    env = AtariEnv("seaquest", continuous=True)
    assert env._joystick(np.array(action, np.float32))[0] is Action[name]


def test_map_action_idx() -> None:
    assert AtariEnv.map_action_idx(0, 0, False) is Action.NOOP
    assert AtariEnv.map_action_idx(-1, 1, True) is Action.UPLEFTFIRE
    for bad in [(2, 0, False), (0, -2, False), (0, 0, 7), (None, 0, False)]:
        with pytest.raises(LookupError):
            AtariEnv.map_action_idx(*bad)


def test_stochastic_frameskip() -> None:
    env = AtariEnv("pong", frameskip=(2, 5), obs_type="ram")
    _, info = env.reset(seed=7)
    numbers = np.random.Generator(np.random.PCG64(np.random.SeedSequence(int(info["seeds"][0]))))
    for _ in range(50):
        before = env.ale.getFrameNumber()
        env.step(0)
        assert env.ale.getFrameNumber() - before == numbers.integers(2, 5)


def test_frame_limit() -> None:
    env = AtariEnv("pong", frameskip=4, max_num_frames_per_episode=10)
    env.reset(seed=0)
    results = [env.step(0) for _ in range(4)]
    assert [result[4]["frame_number"] for result in results] == [4, 8, 10, 10]
    assert [result[3] for result in results] == [False, False, True, True]
    assert not any(result[2] for result in results)


# ---- Seeds -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "np_seed", "ale_seed"),
    [
        (0, 2968811710, 3677149159),
        (1, 1835504127, 1731038949),
        (42, 3444837047, 2669555309),
        (123, 693650678, 2973253328),
        (12345, 2688385916, 3048105090),
    ],
)
def test_seeds(seed: int, np_seed: int, ale_seed: int) -> None:
    env = AtariEnv("pong")
    _, info = env.reset(seed=seed)
    assert info["seeds"] == (np_seed, ale_seed)
    assert all(type(word) is np.uint32 for word in info["seeds"])
    assert env.np_random_seed == seed
    assert env.ale.getInt("random_seed") % 2**32 == ale_seed
    assert "seeds" not in env.reset()[1]


@pytest.mark.parametrize("seed", [-1, 1.5, np.int64(3), "1"])
def test_bad_seed(seed: Any) -> None:
    with pytest.raises(gymnasium.error.Error):
        AtariEnv("pong").reset(seed=seed)


def test_large_seed() -> None:
    AtariEnv("pong").reset(seed=2**70)


def test_reset_takes_keywords_only() -> None:
    with pytest.raises(TypeError):
        AtariEnv("pong").reset(3)  # type: ignore[call-arg]


def test_same_seed_same_game() -> None:
    def play(env: AtariEnv) -> list[bytes]:
        env.reset(seed=5)
        return [env.step(t % 4)[0].tobytes() for t in range(30)]

    env = AtariEnv("breakout", obs_type="ram")
    first = play(env)
    assert play(env) == first
    assert play(AtariEnv("breakout", obs_type="ram")) == first


def test_mode_and_difficulty_survive_seeds() -> None:
    env = AtariEnv("space_invaders", mode=3, difficulty=1)
    for seed in (None, 1, None, 2):
        env.reset(seed=seed)
        state = env.clone_state()
        assert (state.getCurrentMode(), state.getDifficulty()) == (3, 1)


# ---- The rest --------------------------------------------------------------------------------


def test_render() -> None:
    env = AtariEnv("pong", render_mode="rgb_array", obs_type="ram")
    env.reset(seed=0)
    picture = env.render()
    assert picture is not None
    assert np.array_equal(picture, env.ale.getScreenRGB())
    with pytest.raises(gymnasium.error.Error, match="render_mode"):
        AtariEnv("pong").render()
    env.close()
    env.step(0)


def test_human(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    env = AtariEnv("pong", render_mode="human", sound_obs=True)
    env.reset(seed=0)
    twin = AtariEnv("pong", sound_obs=True)
    twin.reset(seed=0)
    for _ in range(5):
        ours, theirs = env.step(2), twin.step(2)
        assert np.array_equal(ours[0]["image"], theirs[0]["image"])
        assert np.array_equal(ours[0]["sound"], theirs[0]["sound"])
        assert ours[1:] == theirs[1:]
    assert env.render() is None
    env.close()
    env.step(0)


def test_keys() -> None:
    env = AtariEnv("breakout")
    assert env.get_keys_to_action() == {("e",): 0, (" ",): 1, ("d",): 2, ("a",): 3}
    full = AtariEnv("seaquest", full_action_space=True).get_keys_to_action()
    assert sorted(full.values()) == list(range(18))
    assert full["w", "d", " "] == 14
    for error in (AttributeError, gymnasium.error.Error):
        with pytest.raises(error, match="keys"):
            AtariEnv("pong", continuous=True).get_keys_to_action()


def test_pickle() -> None:
    env = AtariEnv("pong", 1, obs_type="ram", frameskip=(2, 5), repeat_action_probability=0.1)
    twin = pickle.loads(pickle.dumps(env))
    assert twin.ale.getFloat("repeat_action_probability") == np.float32(0.1)
    assert twin._frameskip == (2, 5)
    assert twin._game_mode == 1
    env.reset(seed=3)
    assert np.array_equal(twin.reset(seed=3)[0], env.reset(seed=3)[0])


@pytest.mark.parametrize("rng", [False, True])
def test_clone_and_restore(rng: bool) -> None:
    def play() -> list[Any]:
        steps = [env.step(t % 18) for t in range(30)]
        return [(obs.tobytes(), *rest) for obs, *rest in steps]

    env = AtariEnv("seaquest", repeat_action_probability=0.25 if rng else 0.0)
    env.reset(seed=0)
    env.step(3)
    state = env.clone_state(include_rng=rng)
    first = play()
    env.restore_state(state)
    assert np.array_equal(env.ale.getRAM(), env.ale.getRAM())
    assert play() == first


# ---- Check values (made with ale-py 0.12.1) --------------------------------------------------

# id, arguments; first frame number, reward, terminated, truncated, lives, episode frame, frame, CRC
PLAYS: list[tuple[str, dict[str, Any], tuple[int, ...]]] = [
    ("Breakout-v5", {}, (0, 1, 1, 0, 4, 192, 799, 0x4FD2D85A)),
    ("Breakout-v0", {}, (0, 1, 0, 0, 1, 589, 589, 0x0046C86F)),
    ("Breakout-v4", {}, (0, 1, 0, 0, 1, 589, 589, 0x4BADC953)),
    ("BreakoutNoFrameskip-v0", {}, (0, 0, 0, 0, 4, 200, 200, 0x871975BE)),
    ("BreakoutNoFrameskip-v4", {}, (0, 0, 0, 0, 4, 200, 200, 0x51B8C3FA)),
    (
        "SpaceInvaders-v5",
        {"mode": 3, "difficulty": 1, "obs_type": "ram"},
        (5, 30, 0, 0, 1, 805, 805, 0xFB8A099B),
    ),
    ("AirRaid-v5", {"obs_type": "grayscale"}, (16, 125, 0, 0, 1, 808, 816, 0x166449BD)),
    (
        "Pong-v5",
        {"sound_obs": True, "frameskip": (2, 5)},
        (0, -2, 0, 0, 0, 589, 589, 0xC6068D02),
    ),
    ("Adventure-v5", {"mode": 2, "obs_type": "ram"}, (6, 0, 0, 0, 1, 806, 806, 0x4212EBC0)),
    (
        "Seaquest-v5",
        {"max_num_frames_per_episode": 50, "obs_type": "ram"},
        (0, 0, 0, 15, 4, 20, 770, 0x07518DF7),
    ),
    (
        "Skiing-v5",
        {"full_action_space": True, "obs_type": "ram"},
        (0, -1331, 0, 0, 0, 800, 800, 0x725605DA),
    ),
    ("Breakout-v5", {"continuous": True}, (0, 0, 1, 0, 3, 296, 797, 0x5F1476F9)),
    (
        "Boxing-v5",
        {"continuous": True, "continuous_action_threshold": 0.3, "obs_type": "ram"},
        (0, 2, 0, 0, 0, 800, 800, 0xAEFBE8A0),
    ),
]


def action_at(t: int, env: gymnasium.Env[Any, Any]) -> Any:
    if isinstance(env.action_space, gymnasium.spaces.Discrete):
        return t * t // 3 % int(env.action_space.n)
    values = [(7 * t % 21) / 20, ((t % 9) - 4) * 0.75, (3 * t % 11) / 10]
    return np.array(values, np.float32)


@pytest.mark.parametrize(("name", "keywords", "expected"), PLAYS)
def test_plays(name: str, keywords: dict[str, Any], expected: tuple[int, ...]) -> None:
    env = gymnasium.make(f"pyale_ma/{name}", **keywords)
    seen = 0

    def add(obs: Any) -> None:
        nonlocal seen
        for part in (obs["image"], obs["sound"]) if isinstance(obs, dict) else (obs,):
            seen = crc(part, seen)

    obs, info = env.reset(seed=42)
    add(obs)
    first = info["frame_number"]
    total, ends, cuts = 0.0, 0, 0
    for t in range(200):
        obs, reward, terminated, truncated, info = env.step(action_at(t, env))
        add(obs)
        total += float(reward)
        ends += terminated
        cuts += truncated
        if terminated or truncated:
            obs, _ = env.reset()
            add(obs)
    counts = (info["lives"], info["episode_frame_number"], info["frame_number"])
    assert (first, total, ends, cuts, *counts, seen) == expected


def test_subclass_may_add_to_info() -> None:
    class Told(AtariEnv):
        def _get_info(self) -> dict[str, Any]:
            return {**super()._get_info(), "mine": 1}

    env = Told("quartet")
    assert env.reset()[1]["mine"] == 1
    assert set(env.step(0)[4]) == {"lives", "episode_frame_number", "frame_number", "mine"}


@pytest.mark.parametrize("obs_type", ["rgb", "grayscale", "ram"])
def test_observations_do_not_inherit_flags_and_shapes(obs_type: Any) -> None:
    env = AtariEnv("quartet", obs_type=obs_type)
    shape = env.observation_space.shape
    env.reset()
    for _ in range(4):
        seen = env.step(0)[0]
        assert seen.shape == shape
        assert seen.flags.writeable
        seen.flags.writeable = False
        seen.shape = (-1,)
        del seen
