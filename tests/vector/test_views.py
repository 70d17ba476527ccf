"""Views of each player: mirrored pictures and actions, planes that tell who looks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pyale_ma.evaluation import Arena
from pyale_ma.integrations.common import PlayerRows
from pyale_ma.single import Action
from pyale_ma.vector import AtariVectorEnv

# Game, players, mode; who is mirrored; whether LEFT and RIGHT change places; by how many pixels of
# 160 the sides of the field differ.
SIDES = [
    ("pong", 2, 3, [1], False, 0),
    ("pong", 2, 13, [1], False, 0),
    ("pong", 4, 7, [1, 3], False, 4),
    ("quartet", 2, 2, [1], False, 0),
    ("quartet", 4, 6, [1], False, 0),
    ("warlords", 4, 1, [1, 3], True, 12),
    ("joust", 2, 1, [1], True, 0),
    ("boxing", 2, 2, [1], True, 1),
    ("combat", 2, 1, [1], True, 4),
    ("surround", 2, 1, [1], True, 4),
]
WHICH = ("game", "players", "mode", "mirrored", "turned", "offset")


def vector(game: str, players: int, mode: int, **options: Any) -> AtariVectorEnv:
    options = {"img_height": 60, "img_width": 41, "num_threads": 1, **options}
    return AtariVectorEnv(game, num_players=players, mode=mode, **options)


def turned_action(action: Action) -> Action:
    swapped = {"LEFT": "RIGHT", "RIGHT": "LEFT"}
    for old, new in swapped.items():
        if old in action.name:
            return Action[action.name.replace(old, new)]
    return action


def turn(actions: Any, envs: AtariVectorEnv, mirrored: list[int]) -> Any:
    """Return the actions that others must take for the same effect."""
    codes = envs.action_sets[0]
    table = np.array([codes.index(turned_action(Action(code)).value) for code in codes])
    assert (table[table] == np.arange(len(codes))).all()
    changed = actions.copy()
    changed[:, mirrored] = table[actions[:, mirrored]]
    return changed


@pytest.mark.parametrize(WHICH, SIDES, ids=lambda value: str(value))
@pytest.mark.parametrize("obs_type", ["grayscale", "rgb"])
def test_mirrored_play_is_the_same_play(
    game: str,
    players: int,
    mode: int,
    mirrored: list[int],
    turned: bool,
    offset: int,
    obs_type: Any,
) -> None:
    """Turned actions lead to the same, and pictures are those of the others turned over."""
    options: dict[str, Any] = {
        "num_envs": 2,
        "obs_type": obs_type,
        "autoreset_mode": "SameStep",
        "max_num_frames_per_episode": 200,
        "repeat_action_probability": 0.25,
        "full_action_space": turned,
    }
    plain, own = (vector(game, players, mode, mirror=mirror, **options) for mirror in (False, True))
    shape = plain.single_observation_space.shape
    assert own.single_observation_space.shape == (players, *(shape or ()))
    expected, _ = plain.reset(seed=3)
    seen, _ = own.reset(seed=3)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(80):
        for player in range(players):
            flip = slice(None, None, -1 if player in mirrored else 1)
            assert (seen[:, player] == expected[:, :, :, flip]).all()
        actions = rng.integers(plain.num_actions[0], size=(2, players))
        expected, *others, infos = plain.step(actions)
        seen, *results, own_infos = own.step(turn(actions, own, mirrored) if turned else actions)
        for one, other in zip(others, results, strict=True):
            assert (one == other).all()
        if "final_obs" in infos:
            ended += 1
            for player in range(players):
                flip = slice(None, None, -1 if player in mirrored else 1)
                final = own_infos["final_obs"][:, player]
                assert (final == infos["final_obs"][:, :, :, flip]).all()
    assert ended
    assert expected.std() > 0
    assert (expected != expected[:, :, :, ::-1]).any()


def deeds(game: str, players: int, mode: int, player: int, code: Action) -> Any:
    """Pixels, of its own picture, that an action of a player changes, beside rest."""
    pictures = []
    for action in (Action.NOOP, code):
        envs = vector(
            game,
            players,
            mode,
            mirror=True,
            stack_num=1,
            img_height=210,
            img_width=160,
            maxpool=False,
            noop_max=1,
            full_action_space=True,
            use_fire_reset=False,
        )
        envs.reset(seed=0)
        actions = np.zeros((1, players), int)
        for _ in range(20):
            envs.step(actions)
        actions[0, player] = envs.action_sets[0].index(action.value)
        shown = [envs.step(actions)[0][0, player, 0] for _ in range(4)]
        pictures.append(np.array(shown))
    return (pictures[0] != pictures[1]).any(axis=(0, 1)).nonzero()[0]


@pytest.mark.parametrize(WHICH, SIDES, ids=lambda value: str(value))
def test_other_sides_are_the_first_ones(
    game: str, players: int, mode: int, mirrored: list[int], turned: bool, offset: int
) -> None:
    """Who is mirrored acts where the first on its own side acts, and by the same action."""
    tried = 0
    for code in (Action.RIGHT, Action.LEFT, Action.UP, Action.FIRE):
        for player in mirrored:
            columns, others = (deeds(game, players, mode, p, code) for p in (player - 1, player))
            assert bool(len(columns)) == bool(len(others)), code
            if not len(columns):
                continue
            tried += 1
            ends = np.array([columns.min(), columns.max()])
            assert abs(ends - [others.min(), others.max()]).max() <= offset, code
    assert tried


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("obs_type", ["grayscale", "rgb", "ram"])
def test_agent_indicator(obs_type: Any, mirror: bool) -> None:
    if mirror and obs_type == "ram":
        return
    options = {"obs_type": obs_type, "mirror": mirror, "num_envs": 3, "batch_size": 3}
    without = vector("quartet", 4, 6, **options)
    told = vector("quartet", 4, 6, agent_indicator=True, **options)
    plain, *_ = without.reset(seed=1)
    seen, *_ = told.reset(seed=1)
    for _ in range(5):
        actions = without.action_space.sample()
        plain, *_ = without.step(actions)
        seen, *_ = told.step(actions)
    assert seen.shape == told.observation_space.shape
    assert told.observation_space.contains(seen)
    assert seen.shape[1:3] == (4, 4 + 4)
    shared = plain if mirror else plain[:, None]
    assert (seen[:, :, :4] == shared).all()
    for player in range(4):
        for plane in range(4):
            assert (seen[:, player, 4 + plane] == (255 if plane == player else 0)).all()


def test_one_player_may_have_an_indicator() -> None:
    envs = vector("pong", 1, 1, agent_indicator=True)
    seen, _ = envs.reset(seed=0)
    assert seen.shape == (1, 1, 5, 60, 41)
    assert (seen[:, :, 4] == 255).all()


def test_small_batches() -> None:
    options = {"mirror": True, "agent_indicator": True}
    whole = vector("pong", 2, 3, num_envs=4, **options)
    parts = vector("pong", 2, 3, num_envs=4, batch_size=2, **options)
    expected, _ = whole.reset(seed=1)
    first, infos = parts.reset(seed=1)
    assert (first == expected[infos["env_id"]]).all()
    second, *_, infos = parts.recv()
    assert (second == expected[infos["env_id"]]).all()
    with pytest.raises(ValueError, match="other options"):
        vector("pong", 2, 3, num_envs=4).restore_state(whole.save_state())


def test_as_tensors() -> None:
    torch = pytest.importorskip("torch", reason="the adapter to PyTorch")
    envs = vector("pong", 2, 3, num_envs=2, mirror=True)
    adapter = envs.torch()
    seen, _ = adapter.reset(seed=0)
    assert seen.shape == (2, 2, 4, 60, 41)
    seen, *_ = adapter.step(torch.ones((2, 2), dtype=torch.int64))
    assert (seen[:, 1] != seen[:, 0]).any()


@pytest.mark.parametrize("by_the_adapter", [False, True])
def test_rows_of_players(by_the_adapter: bool) -> None:
    """Rows of players from adapters, with the adapter's own indicator or the vector's."""
    envs = vector("pong", 2, 3, num_envs=2, mirror=True, agent_indicator=not by_the_adapter)
    rows = PlayerRows(envs, agent_indicator=by_the_adapter)
    both = vector("pong", 2, 3, num_envs=2, mirror=True, agent_indicator=True)
    expected, _ = both.reset(seed=0)
    seen = rows.observations(envs.reset(seed=0)[0])
    assert seen.shape == (4, *(rows.observation_space.shape or ())) == (4, 6, 60, 41)
    assert (seen.reshape(2, 2, 6, 60, 41) == expected).all()


def test_matches_show_each_its_own() -> None:
    """A policy in an arena sees what the vector shows the seat."""
    seen: list[Any] = []

    def look(observations: Any, seats: Any) -> Any:
        seen.append((seats.tolist(), observations.copy()))
        return np.zeros(len(seats), int)

    options = {"img_height": 60, "img_width": 41, "mirror": True}
    arena = Arena("pong", 2, mode=3, max_num_frames_per_episode=8, **options)
    arena.play({"a": look, "b": look}, lineups=[("a", "b")], seed=7)
    expected, _ = vector("pong", 2, 3, mirror=True).reset(seed=7)
    for player in (0, 1):
        seats, observations = seen[player]
        assert seats == [player]
        assert (observations == expected[:, player]).all()


# ---- Bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "players", "mode"),
    [
        ("tennis", 2, None),
        ("warlords", 2, None),
        ("pong", 4, 33),
        ("pong", 2, 39),
        ("combat", 2, 15),
    ],
)
def test_games_without_sides_are_refused(game: str, players: int, mode: int | None) -> None:
    with pytest.raises(
        ValueError, match="boxing, combat, joust, pong, quartet, surround, warlords"
    ):
        AtariVectorEnv(game, num_players=players, mode=mode, mirror=True)


def test_modes_without_sides_are_refused_later_too() -> None:
    envs = vector("combat", 2, 1, num_envs=2, mirror=True)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=r"mode 20.*2 players"):
        envs.reset(options={"mode": [2, 20]})
    envs.reset(options={"mode": 2})
    envs.step(np.zeros((2, 2), int))
