"""OpenSpiel's adapter: OpenSpiel's own checks, clones, and the rewards of the PettingZoo layer."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="the adapter is to OpenSpiel")

import copy

import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import mcts, random_agent
from open_spiel.python.tests import games_sim_test  # not its tests of all other games

from common import run_python
from pyale_ma.integrations.openspiel import AtariGame, load_game
from pyale_ma.multi import parallel_env

STICKY: dict[str, Any] = {"repeat_action_probability": 0.25}
VARIATION = '[variations.no_enemies]\nhold = { "ram[40]" = 0 }\n'
CARD = Path(__file__).parents[1] / "cards" / "pong_players.toml"


def joint(state: Any, rng: np.random.RandomState) -> list[int]:
    """A random legal action of each player."""
    return [int(rng.choice(state.legal_actions(p))) for p in range(state.num_players())]


def played(game: AtariGame, steps: int, seed: int = 0) -> Any:
    """A state after some random joint actions."""
    state, rng = game.new_initial_state(), np.random.RandomState(seed)
    for _ in range(steps):
        state.apply_actions(joint(state, rng))
    return state


# ---- OpenSpiel's own checks ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_players": 4},
        {"terminal_rewards": True, "frameskip": 1},
        {"full_action_space": True, "mode": 4, "difficulty": 0, "seed": 7},
        {"num_players": 4, **STICKY},
    ],
    ids=str,
)
def test_by_openspiel(options: dict[str, Any]) -> None:
    game = load_game("quartet", max_game_length=24, **options)
    # OpenSpiel serialises no game of Python's with sampled chance: it wants to save its generator.
    serialize = "repeat_action_probability" not in options
    turns = pyspiel.convert_to_turn_based(game)
    for each in (game, turns):
        pyspiel.random_sim_test(each, num_sims=3, serialize=serialize, verbose=False)
        games_sim_test.GamesSimTest().sim_game(
            each,
            check_pyspiel_serialization=serialize,
            check_pickle_serialization=serialize,
        )


def test_registered() -> None:
    """Strings and dicts of parameters, and no parameters, make games."""
    (found,) = (each for each in pyspiel.registered_games() if each.short_name == "pyale_ma")
    assert found.default_loadable
    assert found.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    assert found.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
    assert pyspiel.load_game("pyale_ma").get_parameters()["game"] == "quartet"
    game = pyspiel.load_game("pyale_ma(game=pong,num_players=4,max_game_length=9)")
    assert isinstance(game, AtariGame)
    assert (game.num_players(), game.max_game_length(), game.max_chance_outcomes()) == (4, 9, 0)
    assert str(AtariGame({"game": "pong", "num_players": 4, "max_game_length": 9})) == str(game)
    assert str(load_game("pong", num_players=4, max_game_length=9)) == str(game)
    assert game.num_distinct_actions() == 6
    assert game.action_names == ["NOOP", "FIRE", "RIGHT", "LEFT", "RIGHTFIRE", "LEFTFIRE"]
    assert game.new_initial_state().action_to_string(3, 4) == "RIGHTFIRE"
    assert load_game("pong", full_action_space=True).num_distinct_actions() == 18


# ---- Play ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "steps"),
    [
        ("pong", {"num_players": 2, "frameskip": 4, "seed": 3}, 300),
        ("pong", {"num_players": 4, "frameskip": 1, "mode": 6, "difficulty": 1, "seed": 4}, 300),
        ("quartet", {"num_players": 4, "frameskip": 7, "seed": 5, "full_action_space": True}, 300),
        ("warlords", {"num_players": 4, "frameskip": 4, "seed": 6}, 3000),
    ],
)
def test_equal_to_the_parallel_environment(name: str, options: dict[str, Any], steps: int) -> None:
    """Through the ends of players' games, and of the whole game."""
    game = load_game(name, max_game_length=steps, **options)
    same = parallel_env(
        game=name,
        num_players=options["num_players"],
        mode=options.get("mode"),
        frame_skip=options["frameskip"],
        difficulty=options.get("difficulty"),
        full_action_space=options.get("full_action_space", False),
        obs_type="rgb_image",
    )
    state, rng = game.new_initial_state(), np.random.RandomState(0)
    same.reset(seed=options["seed"])
    assert np.array_equal(state.ram(), same.state())
    returns, seen_out = np.zeros(options["num_players"]), 0
    while not state.is_terminal():
        actions = joint(state, rng)
        playing = dict(zip(same.possible_agents, actions, strict=True))
        agents = same.agents
        observations, rewards, *_ = same.step({agent: playing[agent] for agent in agents})
        state.apply_actions(actions)
        assert np.array_equal(state.ram(), same.state())
        by_player = dict(zip(same.possible_agents, state.rewards(), strict=True))
        assert {agent: by_player[agent] for agent in agents} == rewards
        returns += state.rewards()
        assert state.returns() == returns.tolist()
        assert state.move_number() % 50 or np.array_equal(state.screen(), observations[agents[0]])
        if not state.is_terminal():
            for player, agent in enumerate(same.possible_agents):
                everything = list(range(game.num_distinct_actions()))
                assert state.legal_actions(player) == (everything if agent in same.agents else [0])
            seen_out += len(same.agents) < options["num_players"]
    assert returns.any()
    assert not same.agents or state.move_number() == steps
    if name == "warlords":
        assert seen_out > 100
        assert not same.agents


def test_the_greatest_length_ends_the_game() -> None:
    state = played(load_game("pong", max_game_length=5), 5)
    assert state.is_terminal()
    assert state.current_player() == pyspiel.PlayerId.TERMINAL
    assert state.legal_actions() == state.legal_actions(0) == []


@pytest.mark.parametrize("options", [{}, STICKY], ids=str)
def test_a_finished_game_cannot_be_played_on(options: dict[str, Any]) -> None:
    state = load_game("pong", max_game_length=2, **options).new_initial_state()
    while not state.is_terminal():
        state.apply_actions([1, 2])
        if options:
            state.apply_action(0)
    before = str(state), state.history(), state.returns()
    with pytest.raises(ValueError, match="over after 2"):
        state.apply_actions([0, 0])
    with pytest.raises(ValueError, match="over after 2"):
        state.apply_action(0)
    assert (str(state), state.history(), state.returns()) == before
    assert options or len(state.information_state_tensor(0)) == 2 + 128 + 2 * 2


def test_terminal_rewards() -> None:
    options: dict[str, Any] = {"num_players": 4, "max_game_length": 200, "seed": 2}
    plain = played(load_game("quartet", **options), 200)
    game = load_game("quartet", terminal_rewards=True, **options)
    assert game.get_type().reward_model == pyspiel.GameType.RewardModel.TERMINAL
    before = played(game, 199)
    assert before.returns() == before.rewards() == [0] * 4
    after = played(game, 200)
    assert after.returns() == after.rewards() == plain.returns()
    assert any(plain.returns())


# ---- Clones and serialised states ----------------------------------------------------------------


def test_clones_agree_and_diverge() -> None:
    state = played(load_game("pong", seed=1), 60)
    before, told = str(state), state.history()
    clones = [state.clone() for _ in range(3)]
    assert {str(clone) for clone in clones} == {before}
    same, other, child = (np.random.RandomState(seed) for seed in (1, 2, 1))
    for step in range(40):  # in turn, on one console
        clones[0].apply_actions(joint(clones[0], same))
        clones[1].apply_actions(joint(clones[1], other))
        clones[2] = clones[2].clone()
        clones[2].apply_actions(joint(clones[2], child))
        assert str(clones[0]) == str(clones[2])
        assert clones[0].history() == clones[2].history()
        assert np.array_equal(clones[0].screen(), clones[2].screen())
        assert step < 5 or str(clones[0]) != str(clones[1])
    assert (str(state), state.history()) == (before, told)


def test_clones_outlive_their_game_and_share_what_they_hold() -> None:
    state = load_game("pong").new_initial_state()
    clone = state.clone()
    assert clone._now is state._now
    del state
    clone.apply_actions([1, 2])
    assert clone.history() == [1, 2]
    assert clone.get_game().action_names[1] == "FIRE"


@pytest.mark.parametrize("options", [{}, {"num_players": 4, "terminal_rewards": True}], ids=str)
def test_serialised_states_go_on_alike(options: dict[str, Any]) -> None:
    game = load_game("quartet", seed=9, **options)
    state = played(game, 50)
    text = pyspiel.serialize_game_and_state(game, state)
    other_game, first = pyspiel.deserialize_game_and_state(text)
    assert other_game.get_parameters() == game.get_parameters()
    copies = [first, pickle.loads(pickle.dumps(state)), game.deserialize_state(state.serialize())]
    rng = np.random.RandomState(3)
    for _ in range(50):
        actions = joint(state, rng)
        state.apply_actions(actions)
        for each in copies:
            each.apply_actions(actions)
            assert (str(each), each.returns()) == (str(state), state.returns())
            assert each.history() == state.history()


def test_pickled_states_go_on_in_another_process(tmp_path: Path) -> None:
    state = played(load_game("pong"), 30)
    file = tmp_path / "state"
    file.write_bytes(pickle.dumps(state))
    code = f"""
import pickle, pyale_ma.integrations.openspiel
state = pickle.load(open({str(file)!r}, "rb"))
state.apply_actions([1, 3])
print(state)
"""
    state.apply_actions([1, 3])
    assert run_python(code).rstrip().endswith(str(state))


def test_states_of_other_games_are_refused() -> None:
    state = played(load_game("quartet"), 6)
    text = state.serialize()
    options: Any
    for options, message in (
        ({"num_players": 4}, "of another game: it has 2 players, and this one 4"),
        ({"max_game_length": 5}, "it is after 6 joint actions, and this one ends after 5"),
    ):
        with pytest.raises(ValueError, match=message):
            load_game("quartet", **options).deserialize_state(text)
    sticky = played(load_game("quartet", **STICKY), 1)
    with pytest.raises(ValueError, match=r"waits.*chance.*one"):
        state.get_game().deserialize_state(sticky.serialize())
    pong = load_game("pong").deserialize_state(text)
    with pytest.raises(ValueError, match=r"state.*ROM"):
        pong.apply_actions([0, 0])
    with pytest.raises(ValueError, match=r"state.*pyale_ma"):
        state._now = {}
    assert state.serialize() == text


# ---- Chance --------------------------------------------------------------------------------------


def test_sticky_actions_are_sampled_chance() -> None:
    game = load_game("pong", max_game_length=300, **STICKY)
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
    assert (game.max_chance_outcomes(), game.max_chance_nodes_in_history()) == (1, 300)
    state = game.new_initial_state()
    before = state.ram()
    state.apply_actions([2, 3])
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(0, 1.0)]
    assert state.rewards() == [0, 0]
    assert np.array_equal(state.ram(), before)
    read = game.deserialize_state(state.serialize())
    assert (str(read), read.is_chance_node()) == (str(state), True)
    ends = set()
    for _ in range(8):
        clone = state.clone()
        for step in range(20):
            clone.apply_action(0)
            clone.apply_actions([2, 3] if step % 2 else [3, 2])
        ends.add(clone.ram().tobytes())
    assert len(ends) > 1
    assert not game.get_type().provides_information_state_string
    with pytest.raises(ValueError, match="perfect_recall=True"):
        game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True))


def test_chance_plays_before_the_next_joint_action() -> None:
    state = load_game("pong", **STICKY).new_initial_state()
    state.apply_actions([2, 3])
    before = str(state), state.history()
    with pytest.raises(ValueError, match=r"\[4, 5\].*apply_action\(0\)"):
        state.apply_actions([4, 5])
    with pytest.raises(ValueError, match="action is 1"):
        state.apply_action(1)
    assert (str(state), state.history()) == before
    state.apply_action(0)
    state.apply_actions([4, 5])
    assert state.history() == [2, 3, 0, 4, 5]


@pytest.mark.parametrize("options", [{}, STICKY], ids=str)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_are_clones(options: dict[str, Any], copied: Any) -> None:
    state = load_game("pong", **options).new_initial_state()
    state.apply_actions([2, 3])
    other = copied(state)
    assert other._now is state._now
    assert other.history() == state.history() == [2, 3]
    before = str(state)
    if options:
        other.apply_action(0)
    other.apply_actions([1, 1])
    assert str(state) == before != str(other)


def test_certain_repetition_repeats() -> None:
    """With probability 1, the first action stays in force."""
    game = load_game("pong", repeat_action_probability=1, seed=3)
    ends = set()
    for seed in (1, 2):
        state, rng = game.new_initial_state(), np.random.RandomState(seed)
        for _ in range(30):
            state.apply_actions(joint(state, rng))
            state.apply_action(0)
        ends.add(state.ram().tobytes())
    assert len(ends) == 1


# ---- Observations --------------------------------------------------------------------------------


def test_observations() -> None:
    game = load_game("pong", max_game_length=50)
    state = played(game, 20)
    ram = state.ram()
    assert (ram.shape, ram.dtype) == ((128,), np.uint8)
    assert game.observation_tensor_shape() == [2 + 128]
    assert game.information_state_tensor_shape() == [2 + 128 + 50 * 2]
    for player in (0, 1):
        own = [player == 0, player == 1]
        seen = np.array(state.observation_tensor(player), np.float32)
        assert np.array_equal(seen, np.concatenate([own, ram / np.float32(255)]))
        known = np.array(state.information_state_tensor(player), np.float32)
        assert np.array_equal(known[:130], seen)
        actions = known[130:].reshape(50, 2)
        assert np.array_equal(np.round(actions[:20] * 6 - 1).ravel(), state.history())
        assert not actions[20:].any()
        assert state.observation_string(player) == f"p{player} ram:{ram.tobytes().hex()}"
        assert state.history_str() in state.information_state_string(player)
    public = pyspiel.IIGObservationType(
        public_info=True, perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE
    )
    observer = game.make_py_observer(public)
    observer.set_from(state, 1)
    assert list(observer.dict) == ["ram"]
    assert np.array_equal(observer.tensor, ram / np.float32(255))
    assert observer.string_from(state, 0) == observer.string_from(state, 1)


# ---- OpenSpiel's algorithms ----------------------------------------------------------------------


def test_tree_search() -> None:
    game = load_game("quartet", max_game_length=10, terminal_rewards=True)
    turns = pyspiel.convert_to_turn_based(game)
    rng = np.random.RandomState(0)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bots = [mcts.MCTSBot(turns, 2.0, 20, evaluator, random_state=rng) for _ in range(2)]
    state = turns.new_initial_state()
    while not state.is_terminal():
        action = bots[state.current_player()].step(state)
        assert action in state.legal_actions()
        state.apply_action(action)
    assert len(state.returns()) == 2


def test_learning_environment() -> None:
    env = rl_environment.Environment(
        load_game("pong", max_game_length=40),
        observation_type=rl_environment.ObservationType.OBSERVATION,
    )
    assert env.observation_spec()["info_state"] == (130,)
    agents = [
        random_agent.RandomAgent(player, env.action_spec()["num_actions"]) for player in (0, 1)
    ]
    step, steps = env.reset(), 0
    while not step.last():
        step = env.step([agent.step(step).action for agent in agents])
        assert len(step.rewards) == 2
        steps += 1
    assert steps == 40


# ---- Cards and bad input -------------------------------------------------------------------------


@pytest.fixture
def card(tmp_path: Path) -> Path:
    file = tmp_path / "pong_players.toml"
    shutil.copy(CARD, file)
    with file.open("a", encoding="utf-8") as text:
        text.write(VARIATION)
    return file


def test_cards(card: Path) -> None:
    game = load_game(card, variation="no_enemies", max_game_length=10)
    assert game.get_parameters()["game"] == str(card)
    assert played(game, 10).ram()[40] == 0
    state = pickle.loads(pickle.dumps(played(game, 5)))
    assert str(state) == str(played(game, 5))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "pomg"}, "There is no game 'pomg'; did you mean 'pong'"),
        ({"num_players": 5}, "num_players is 5; pong only supports 2, 4 players"),
        ({"game": "breakout"}, "breakout has no modes for several players"),
        ({"mode": 5, "num_players": 2}, "pong has no mode 5 for 2 players; it has 3-4, 9"),
        ({"difficulty": 9}, "pong has no difficulty 9; it has 0-3"),
        ({"variation": "hard"}, "no variation 'hard'"),
        ({"frameskip": 0}, "frameskip is 0; it must be 1 to 10000"),
        ({"repeat_action_probability": 1.5}, "repeat_action_probability is 1.5; it must be 0 to 1"),
        ({"max_game_length": 0}, "max_game_length is 0; it must be 1 to"),
        ({"seed": 2**40}, "seed is 1099511627776; it must be 0 to 2147483647"),
    ],
    ids=str,
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_game(**{"game": "pong", **options})


@pytest.mark.parametrize(
    ("environment", "options", "game", "players", "mode"),
    [
        ("pong_v3", {}, "pong", 2, 4),
        ("quadrapong_v4", {}, "pong", 4, 33),
        ("combat_plane_v2", {}, "combat", 2, 15),
        ("pong_v3", {"num_players": 4}, "pong", 4, 6),
    ],
)
def test_names_of_environments(
    environment: str, options: dict[str, Any], game: str, players: int, mode: int
) -> None:
    loaded = pyspiel.load_game("pyale_ma", {"game": environment, **options})
    for each in (load_game(environment, **options), loaded):
        parameters = each.get_parameters()
        named = [parameters[name] for name in ("game", "num_players", "mode")]
        assert named == [game, players, mode]


def test_bad_actions_change_nothing() -> None:
    state = played(load_game("pong"), 3)
    before = str(state)
    for actions, message in (
        ([0], r"actions are \[0\]; there must be 2"),
        ([0, 1, 2], "there must be 2"),
        ([0, 6], "the action of player 1 is 6; it must be 0 to 5"),
        ([-1, 0], "the action of player 0 is -1; it must be 0 to 5"),
    ):
        with pytest.raises(ValueError, match=message):
            state.apply_actions(actions)
    with pytest.raises(ValueError, match=r"players.*apply_actions"):
        state.apply_action(0)
    with pytest.raises(ValueError, match="player is 2"):
        state.legal_actions(2)
    assert str(state) == before


def test_who_is_out_can_do_nothing() -> None:
    state, rng = load_game("warlords", num_players=4).new_initial_state(), np.random.RandomState(0)
    while all(len(state.legal_actions(player)) > 1 for player in range(4)):
        state.apply_actions(joint(state, rng))
    out = next(player for player in range(4) if state.legal_actions(player) == [0])
    assert f"out: [{out}]" in str(state)
    actions = joint(state, rng)
    actions[out] = 1
    with pytest.raises(ValueError, match=f"of player {out} is 1"):
        state.apply_actions(actions)
