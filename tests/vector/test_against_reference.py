"""`AtariVectorEnv` against ale-py's: observations, rewards, ends and infos of every step."""

from __future__ import annotations

import functools
import hashlib
import itertools
import random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import known_games
from pyale_ma import _native, roms
from pyale_ma._native import abi
from pyale_ma.vector import AtariVectorEnv
from same import same
from vector.comparison import compare, pair, same_results

SOLO_GAMES = [name for name in known_games.ALONE if name not in roms.SHIPPED]

# For each argument the values that the pairwise tests combine.
CHOICES: dict[str, list[Any]] = {
    "game": ["breakout", "pong", "ms_pacman", "air_raid", "space_invaders", "seaquest", "carnival"],
    "repeat_action_probability": [0.0, 0.25],
    "full_action_space": [False, True],
    "continuous": [False, True],
    "autoreset_mode": ["NextStep", "SameStep"],
    "img_height": [84, 105, 64, 210],
    "img_width": [84, 80, 160, 200],
    "grayscale": [True, False],
    "stack_num": [4, 1, 2],
    "frameskip": [4, 1, 2, 3],
    "maxpool": [True, False],
    "noop_max": [30, 0, 1, 7],
    "episodic_life": [False, True],
    "life_loss_info": [False, True],
    "reward_clipping": [True, False],
    "use_fire_reset": [True, False],
    "max_num_frames_per_episode": [108000, 64, 101],
    "seed": [0, 123456789, "array"],
}


def pairwise(choices: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Settings in which every two values of different arguments come together."""
    rng = random.Random(3)
    names = list(choices)
    missing = {
        (a, i, b, j)
        for a, b in itertools.combinations(names, 2)
        for i in range(len(choices[a]))
        for j in range(len(choices[b]))
    }

    def gain(row: dict[str, int]) -> int:
        return sum((a, row[a], b, row[b]) in missing for a, b in itertools.combinations(names, 2))

    rows = []
    while missing:
        a, i, b, j = min(missing)
        candidates = [
            {name: rng.randrange(len(choices[name])) for name in names} | {a: i, b: j}
            for _ in range(40)
        ]
        row = max(candidates, key=gain)
        missing -= {(a, row[a], b, row[b]) for a, b in itertools.combinations(names, 2)}
        rows.append({name: choices[name][index] for name, index in row.items()})
    return rows


def arguments_of(options: dict[str, Any], num_envs: int) -> dict[str, Any]:
    """Turn a choice into arguments of `compare`."""
    options = dict(options)
    if options.get("seed") == "array":
        options["seed"] = np.arange(num_envs)[::-1] * 1000 + 5
    return options


@pytest.mark.parametrize("game", SOLO_GAMES[::8])
def test_some_games(game: str) -> None:
    compare(game, 5, num_envs=1)


@pytest.fixture
def without_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Observe as on processors for which the video engine has no loops."""
    paths = abi.FAST_ALL & ~abi.FAST_ENGINE
    monkeypatch.setattr(_native, "Vector", functools.partial(_native.Vector, fast_paths=paths))


@pytest.mark.usefixtures("without_engine")
@pytest.mark.parametrize("game", SOLO_GAMES[4::16])
def test_some_games_without_the_engine(game: str) -> None:
    compare(game, 5, num_envs=1)


@pytest.mark.slow
@pytest.mark.usefixtures("without_engine")
def test_options_pairwise_without_the_engine() -> None:
    for options in pairwise(CHOICES)[::4]:
        compare(steps=60, **arguments_of(options, 2))


@pytest.mark.slow
@pytest.mark.parametrize("game", SOLO_GAMES)
def test_every_game_with_options_of_its_own(game: str) -> None:
    rng = random.Random(game)
    options = {name: rng.choice(values) for name, values in CHOICES.items()}
    options["game"] = game
    if game in ("skiing", "lost_luggage"):
        options["continuous"] = False  # ale-py hangs: not all eighteen actions are legal
    compare(steps=60, **arguments_of(options, 2))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_all_options_pairwise(number: int) -> None:
    for options in pairwise(CHOICES)[number::4]:
        compare(steps=60, **arguments_of(options, 2))


EPISODES: dict[str, dict[str, Any]] = {
    "episodic life": {"game": "breakout", "episodic_life": True},
    "episodic life, same step": {
        "game": "breakout",
        "episodic_life": True,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    },
    "life loss": {"game": "breakout", "life_loss_info": True, "autoreset_mode": "SameStep"},
    "frame limit": {"game": "seaquest", "max_num_frames_per_episode": 50, "noop_max": 5},
    "frame limit off the skip": {"game": "seaquest", "max_num_frames_per_episode": 51},
    "frame limit, same step": {
        "game": "ms_pacman",
        "max_num_frames_per_episode": 30,
        "autoreset_mode": "SameStep",
    },
    "no frames": {"game": "pong", "max_num_frames_per_episode": 0},
    "no frames, same step": {
        "game": "pong",
        "max_num_frames_per_episode": -5,
        "autoreset_mode": "SameStep",
    },
    "single frames": {"game": "boxing", "frameskip": 1, "stack_num": 3},
    "sticky": {"game": "ms_pacman", "repeat_action_probability": 0.25, "grayscale": False},
    "paddle turned by degrees": {"game": "breakout", "continuous": True, "noop_max": 2},
    "continuous, low threshold": {
        "game": "boxing",
        "continuous": True,
        "continuous_action_threshold": 0.3,
    },
    "high screen": {"game": "air_raid", "img_height": 96, "img_width": 96, "stack_num": 1},
}


@pytest.mark.parametrize("steps", [50, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", EPISODES.values(), ids=EPISODES.keys())
def test_episodes(options: dict[str, Any], steps: int) -> None:
    compare(steps=steps, **options)


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_positions_that_are_not_finite() -> None:
    """They press what they press in the reference."""
    strange = np.array([np.nan, np.inf, -np.inf], np.float32)
    actions = np.tile(np.array([1, 0.5, 1], np.float32), (8, 1))
    actions[:3, 1], actions[3:6, 2], actions[6, 0], actions[7] = strange, strange, np.nan, np.nan
    theirs, ours = pair("pong", len(actions), continuous=True, img_height=20, img_width=20)
    same_results(theirs.reset(seed=1), ours.reset(seed=1))
    for _ in range(12):
        same_results(theirs.step(actions), ours.step(actions))


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("game", ["breakout", "pong", "space_invaders", "freeway"])
def test_long_games(game: str, mode: str) -> None:
    ends = compare(game, 1500, num_envs=3, autoreset_mode=mode, repeat_action_probability=0.25)
    assert ends or game == "freeway"


SIZES = [(84, 84), (42, 42), (105, 80), (70, 80), (210, 80), (84, 160), (96, 100), (128, 128)]
SIZES += [(209, 159), (210, 160), (84, 300), (300, 84), (256, 256), (50, 32), (1, 1), (7, 200)]


@pytest.mark.parametrize(("number", "size"), list(enumerate(SIZES)))
def test_sizes(number: int, size: tuple[int, int]) -> None:
    """All of them with both games: libale/tests/checksums.txt."""
    game, gray = ("ms_pacman", "air_raid")[number // 2 % 2], number % 2 > 0
    compare(game, 3, num_envs=1, img_height=size[0], img_width=size[1], grayscale=gray)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["qbert", "carnival", "adventure", "journey_escape", "pooyan"])
def test_sizes_at_random(game: str) -> None:
    rng = random.Random(game)
    for _ in range(12):
        size: dict[str, Any] = {"img_height": rng.randint(1, 400), "img_width": rng.randint(1, 400)}
        compare(game, 3, num_envs=1, grayscale=rng.random() < 0.5, **size)


# ---- Resets --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("num_envs", "steps"), [(2, 30), pytest.param(4, 120, marks=pytest.mark.slow)]
)
def test_partial_resets(num_envs: int, steps: int) -> None:
    def resets(rng: np.random.Generator) -> dict[str, Any] | None:
        if rng.random() < 0.8:
            return None
        mask = rng.random(num_envs) < 0.5
        seeds = [None, int(rng.integers(1000)), rng.integers(-1, 1000, int(mask.sum()))]
        return {"seed": seeds[rng.integers(3)], "options": {"reset_mask": mask}}

    options = {"episodic_life": True, "max_num_frames_per_episode": 60}
    for mode in ("NextStep", "SameStep"):
        compare("breakout", steps, num_envs=num_envs, resets=resets, autoreset_mode=mode, **options)


def test_full_resets() -> None:
    def resets(rng: np.random.Generator) -> dict[str, Any] | None:
        if rng.random() < 0.9:
            return None
        return {"seed": [None, 3, np.array([4, 4, 4])][rng.integers(3)]}

    compare("adventure", 40, num_envs=3, resets=resets)


@pytest.mark.parametrize(
    ("seed", "noop_max", "frames"),
    [(54229, 20000, 19569), (153, 20000, 2953), (0, 30, None), (2**31 - 2, 30, None)],
)
def test_rest_at_the_start(seed: int, noop_max: int, frames: int | None) -> None:
    """The first two settings are where other ways to draw a number would give other numbers."""
    theirs, ours = pair("freeway" if frames else "breakout", 1, noop_max=noop_max)
    for given in (seed, None, None) if frames is None else (seed,):
        our_info = ours.reset(seed=given)[1]
        if frames is None:
            same(theirs.reset(seed=given)[1]["frame_number"], our_info["frame_number"])
        else:
            assert our_info["frame_number"] == frames


# ---- Batches -------------------------------------------------------------------------------------


def trajectories(env: Any, steps: int, seed: int) -> list[list[tuple[np.ndarray, ...]]]:
    """Return the results of each environment whose actions depend on its own past only."""
    results: list[list[tuple[np.ndarray, ...]]] = [[] for _ in range(env.num_envs)]
    observations, infos = env.reset(seed=seed)
    rewards = np.zeros(env.batch_size, np.int32)
    ends = [np.zeros(env.batch_size, bool)] * 2
    while min(map(len, results)) < steps:
        actions = np.zeros(env.batch_size, np.int64)
        for row, env_id in enumerate(infos["env_id"]):
            numbers = (rewards, *ends, infos["lives"], infos["frame_number"])
            results[env_id].append((observations[row].copy(), *(each[row] for each in numbers)))
            actions[row] = (len(results[env_id]) // 3 + env_id) % env.single_action_space.n
        env.send(actions)
        observations, rewards, *ends, infos = env.recv()
    env.close()
    return [result[:steps] for result in results]


@pytest.mark.parametrize(("num_envs", "batch_size"), [(5, 2), (4, 4), (6, 5), (3, 1)])
def test_batches(num_envs: int, batch_size: int) -> None:
    options = {"repeat_action_probability": 0.25, "episodic_life": True}
    theirs, ours = pair("breakout", num_envs, batch_size=batch_size, **options)
    same(trajectories(theirs, 50, 5), trajectories(ours, 50, 5), "environment, step, array")


def test_order_of_batches_on_one_thread() -> None:
    theirs, ours = pair("pong", 4, batch_size=3, num_threads=1)
    orders = []
    for env in (theirs, ours):
        ids = [env.reset(seed=0)[1]["env_id"].tolist()]
        for _ in range(6):
            ids.append(env.step(np.zeros(3, np.int64))[4]["env_id"].tolist())
        orders.append(ids)
    assert orders[0] == orders[1]


# ---- Spec ----------------------------------------------------------------------------------------

DIGESTS: list[tuple[str, dict[str, Any], int, int, str]] = [
    ("pong", {}, -1, 0, "fc25cf8234c9a7fedd10f2957499cc35"),
    ("breakout", {"episodic_life": True}, 0, 5, "01b6579beca1ce1d6affd266305e2a17"),
    (
        "breakout",
        {"episodic_life": True, "autoreset_mode": "SameStep"},
        0,
        6,
        "4675f4e42c8396fe8fa68076b208eccc",
    ),
    (
        "ms_pacman",
        {"repeat_action_probability": 0.25, "grayscale": False},
        0,
        0,
        "d9550d988cd3ea03f63281d89a9698ea",
    ),
    (
        "air_raid",
        {"img_height": 96, "img_width": 96, "stack_num": 1},
        2,
        0,
        "0c1b8c8425ebbac737bba1cc7d87fcd6",
    ),
    (
        "space_invaders",
        {"frameskip": 3, "maxpool": False, "reward_clipping": False, "full_action_space": True},
        20,
        0,
        "2dedf7e5d6e9f1b3785e3239b3fac27c",
    ),
    (
        "seaquest",
        {"max_num_frames_per_episode": 50, "noop_max": 5},
        0,
        8,
        "024becf140447739c0e61d8936fe1c77",
    ),
    (
        "qbert",
        {"img_height": 210, "img_width": 160, "frameskip": 1},
        0,
        0,
        "5e17492734eecc049d3ab7f0dfbd5087",
    ),
    ("carnival", {"img_height": 256, "img_width": 100}, 6, 0, "5603e46965e7004dcd2675c32cd6dd4d"),
]


@pytest.mark.parametrize(("game", "options", "reward_sum", "ends", "digest"), DIGESTS)
def test_digests(
    game: str, options: dict[str, Any], reward_sum: int, ends: int, digest: str
) -> None:
    """The values of docs/spec/vector.md, section 16; these need no ale-py."""
    env = AtariVectorEnv(game, 2, **options)
    count = env.single_action_space.n  # type: ignore[attr-defined]
    sha = hashlib.sha256()

    def add(observations: Any, infos: Any) -> None:
        sha.update(observations.tobytes())
        for key in ("lives", "frame_number", "episode_frame_number"):
            sha.update(infos[key].astype("<i4").tobytes())

    add(*env.reset(seed=0))
    total = flags = 0
    for t in range(60):
        actions = (t * t // 3 + 5 * np.arange(2)) % count
        observations, rewards, terminations, truncations, infos = env.step(actions)
        add(observations, infos)
        for array in (rewards, terminations, truncations):
            sha.update(array.tobytes())
        total += int(rewards.sum())
        flags += int((terminations | truncations).sum())
    assert (total, flags) == (reward_sum, ends)
    assert sha.hexdigest()[:32] == digest


# ---- Gymnasium's wrappers ------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["Breakout", "MsPacman"])
def test_equals_gymnasiums_preprocessing(game: str) -> None:
    """As ale-py's guide says; rewards are floats there."""
    pytest.importorskip("cv2")
    wrapped: gymnasium.Env[Any, Any] = gymnasium.make(
        f"pyale_ma/{game}-v5", frameskip=1, repeat_action_probability=0.0
    )
    wrapped = gymnasium.wrappers.AtariPreprocessing(wrapped, noop_max=0)
    wrapped = gymnasium.wrappers.FrameStackObservation(wrapped, 4, padding_type="zero")
    name = {"Breakout": "breakout", "MsPacman": "ms_pacman"}[game]
    env = AtariVectorEnv(name, 1, noop_max=0, use_fire_reset=False, reward_clipping=False)
    observation, _ = wrapped.reset(seed=3)
    observations, _ = env.reset(seed=3)
    same(observation, observations[0])
    rng = np.random.default_rng(5)
    for _ in range(200):
        action = int(rng.integers(env.num_actions[0]))
        observation, reward, terminated, truncated, info = wrapped.step(action)
        observations, rewards, terminations, truncations, infos = env.step([action])
        assert (reward, terminated, truncated) == (rewards[0], terminations[0], truncations[0])
        if terminated:  # the frame of the end is not observed in a vector
            break
        same(observation, observations[0])
        assert info["lives"] == infos["lives"][0]


def test_make_vec() -> None:
    env = gymnasium.make_vec("pyale_ma/Pong-v5", num_envs=3)
    assert isinstance(env.unwrapped, AtariVectorEnv)
    assert env.num_envs == 3
    assert env.spec is not None
    env.reset(seed=1)
    env.close()


def test_what_the_native_object_has_the_vector_has() -> None:
    """ale-py's `envs.ale`; ours says what to use instead of each of its methods."""
    options: dict[str, Any] = {"num_envs": 2, "noop_max": 7}
    theirs, ours = pair("ms_pacman", **options)
    native = theirs.ale
    assert not hasattr(ours, "ale")
    with pytest.raises(AttributeError) as caught:
        _ = ours.ale
    named = {"reset": "reset", "send": "send", "recv": "recv", "handle": "xla()"}
    named |= {"get_num_envs": "num_envs", "get_action_set": "action_sets"}
    named["get_observation_shape"] = "single_observation_space.shape"
    assert {name for name in dir(native) if not name.startswith("_")} == {*named}
    for name in named.values():
        assert f"`{name}`" in str(caught.value)

    assert native.get_num_envs() == ours.num_envs
    assert [action.value for action in native.get_action_set()] == [*ours.action_sets[0]]
    assert native.get_observation_shape() == ours.single_observation_space.shape
    same_results(native.reset([0, 1], [5, 9]), ours.reset(seed=[5, 9]))
    for step in range(30):
        native.send([step % 9, 3], [1.0, 1.0])
        ours.send([step % 9, 3])
        same_results(native.recv(), ours.recv())
