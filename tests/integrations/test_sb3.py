"""Stable-Baselines3's adapter: what SB3 sees is what the vector did."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip(
    "stable_baselines3", reason="the adapter is to stable-baselines3", exc_type=ImportError
)

from gymnasium import spaces
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_util import make_atari_env
from stable_baselines3.common.evaluation import evaluate_policy

from integrations.running import returns
from pyale_ma.evaluation import Arena, RandomPolicy
from pyale_ma.integrations.sb3 import AtariVecEnv, ModelPolicy, make_vec_env
from pyale_ma.opponents import VersusEnv
from pyale_ma.vector import AtariVectorEnv


def actions_of(env: AtariVecEnv, seed: int) -> Any:
    generator = np.random.default_rng(seed)
    while True:
        yield generator.integers(0, env.action_space.n, env.num_envs)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"obs_type": "ram"},
        {"max_num_frames_per_episode": 40},
        {"episodic_life": True},
        {"life_loss_info": True},
    ],
    ids=str,
)
def test_equal_to_the_vector(options: dict[str, Any]) -> None:
    env = make_vec_env("breakout", 6, **options)
    same = AtariVectorEnv(
        "breakout", 6, autoreset_mode="SameStep", extra_infos=["episode"], **options
    )
    env.seed(3)
    assert np.array_equal(env.reset(), same.reset(seed=3)[0])
    assert env.observation_space == same.single_observation_space
    assert env.action_space == same.single_action_space
    ends = 0
    for actions, _ in zip(actions_of(env, 0), range(400), strict=False):
        observations, rewards, dones, infos = env.step(actions)
        theirs, their_rewards, terminations, truncations, their_infos = same.step(actions)
        assert np.array_equal(observations, theirs)
        assert rewards.dtype == np.float32
        assert np.array_equal(rewards, their_rewards)
        assert np.array_equal(dones, terminations | truncations)
        for row, info in enumerate(infos):
            of_step = their_infos["final_info"] if dones[row] else their_infos
            assert info["lives"] == of_step["lives"][row]
            if dones[row]:
                assert env.reset_infos[row]["lives"] == their_infos["lives"][row]
            assert ("terminal_observation" in info) == dones[row]
            episode_over = "_episode" in their_infos and their_infos["_episode"][row]
            assert ("episode" in info) == episode_over
            if dones[row]:
                ends += 1
                final = their_infos["final_obs"][row]
                assert np.array_equal(info["terminal_observation"], final)
                assert info["TimeLimit.truncated"] == (truncations[row] and not terminations[row])
            if episode_over:
                assert info["episode"]["r"] == their_infos["episode"]["r"][row]
                assert info["episode"]["l"] == their_infos["episode"]["l"][row]
    assert ends > 2


@pytest.mark.parametrize(("game", "name"), [("breakout", "Breakout"), ("ms_pacman", "MsPacman")])
def test_equal_to_the_wrappers_of_sb3(game: str, name: str) -> None:
    """The pairing of docs/moving.md, with what SB3's wrappers play unseen played openly."""
    theirs = make_atari_env(
        f"pyale_ma/{name}NoFrameskip-v4", n_envs=1, wrapper_kwargs={"noop_max": 0}
    )
    env = make_vec_env(game, 1, life_loss_info=True, noop_max=0, use_fire_reset=False)
    fire_reset = [1, 2] if "FIRE" in env.env_method("get_action_meanings")[0] else []
    theirs.seed(0)
    theirs.reset()
    env.seed(0)
    env.reset()
    for action in fire_reset:
        env.step([action])
    lives_lost = games = 0
    for actions, _ in zip(actions_of(env, 1), range(2000), strict=False):
        _, rewards, dones, infos = env.step(actions)
        _, their_rewards, their_dones, their_infos = theirs.step(actions)
        assert (rewards, dones) == (their_rewards, their_dones)
        assert infos[0]["lives"] == their_infos[0]["lives"]
        assert ("episode" in infos[0]) == ("episode" in their_infos[0])
        if "episode" in infos[0]:
            games += 1
            assert infos[0]["episode"]["r"] == their_infos[0]["episode"]["r"]
            # The last step may end before its four frames; each of the others has them.
            assert infos[0]["episode"]["l"] == -(-their_infos[0]["episode"]["l"] // 4)
        elif dones[0]:
            lives_lost += 1
        if dones[0]:
            for action in ([] if "episode" in infos[0] else [0]) + fire_reset:
                env.step([action])
    assert lives_lost >= 4
    assert games >= 2


def test_players_are_rows() -> None:
    options: dict[str, Any] = {"num_players": 2, "max_num_frames_per_episode": 200}
    env = make_vec_env("pong", 3, agent_indicator=True, **options)
    same = AtariVectorEnv("pong", 3, autoreset_mode="SameStep", **options)
    assert env.num_envs == 6
    assert env.observation_space.shape == (6, 84, 84)
    assert env.seed(5) == [5, 5, 6, 6, 7, 7]
    shared, _ = same.reset(seed=5)
    observations = env.reset()
    for actions, _ in zip(actions_of(env, 0), range(120), strict=False):
        for env_id in range(3):
            for player in range(2):
                row = observations[2 * env_id + player]
                assert np.array_equal(row[:4], shared[env_id])
                assert (row[4 + player] == 255).all()
                assert (row[4 + 1 - player] == 0).all()
        observations, rewards, dones, infos = env.step(actions)
        shared, their_rewards, _, truncations, their_infos = same.step(actions.reshape(3, 2))
        assert np.array_equal(rewards.reshape(3, 2), their_rewards)
        assert np.array_equal(dones.reshape(3, 2), np.stack([truncations] * 2, 1))
        for row in np.flatnonzero(dones):
            final = infos[row]["terminal_observation"]
            assert np.array_equal(final[:4], their_infos["final_obs"][row // 2])
            assert infos[row]["TimeLimit.truncated"]
            assert infos[row]["episode"]["l"] == 200 // 4
    assert sum(len(info) > 3 for info in infos) in (0, 6)


@pytest.mark.parametrize("players", [None, 2])
def test_extra_infos_are_those_of_the_vector(players: int | None) -> None:
    names = ["ram", "sound", "unclipped_reward"]
    options: dict[str, Any] = {"num_players": players, "max_num_frames_per_episode": 40}
    env = make_vec_env("pong", 2, extra_infos=names, **options)
    same = AtariVectorEnv("pong", 2, autoreset_mode="SameStep", extra_infos=names, **options)
    env.seed(3)
    env.reset()
    same.reset(seed=3)
    actions = np.arange(env.num_envs)
    for _ in range(12):
        infos = env.step(actions)[3]
        theirs = same.step(actions.reshape(same.action_space.shape))[4]
        for row, info in enumerate(infos):
            index, player = divmod(row, players or 1)
            assert np.array_equal(info["ram"], theirs["ram"][index])
            assert np.array_equal(info["sound"], theirs["sound"][index])
            reward = theirs["unclipped_reward"][index]
            assert info["unclipped_reward"] == (reward if players is None else reward[player])


def test_a_player_who_is_out_waits_for_the_others() -> None:
    env = make_vec_env("warlords", 4, num_players=4, obs_type="ram")
    same = AtariVectorEnv("warlords", 4, num_players=4, obs_type="ram", autoreset_mode="SameStep")
    env.seed(0)
    env.reset()
    same.reset(seed=0)
    waited = ended = 0
    for actions, _ in zip(actions_of(env, 1), range(6000), strict=False):
        _, _, dones, infos = env.step(actions)
        _, _, terminations, truncations, _ = same.step(actions.reshape(4, 4))
        out = terminations.any(axis=1) & ~terminations.all(axis=1) & ~truncations
        waited += out.sum()
        for env_id in range(4):
            over = terminations[env_id].all() or truncations[env_id]
            assert (dones[4 * env_id : 4 * env_id + 4] == over).all()
            if over and terminations[env_id].all():
                ended += 1
                rows = infos[4 * env_id : 4 * env_id + 4]
                assert not any(info["TimeLimit.truncated"] for info in rows)
        if waited > 10 and ended:
            return
    pytest.fail(f"nobody waited, or no game ended: {waited}, {ended}")


def test_seeds_and_options_of_the_next_reset() -> None:
    env = make_vec_env("space_invaders", 2, obs_type="ram")
    env.set_options({"mode": 3, "difficulty": 1})
    env.seed(1)
    chosen = env.reset()
    same = AtariVectorEnv(
        "space_invaders", 2, obs_type="ram", autoreset_mode="SameStep", mode=3, difficulty=1
    )
    assert np.array_equal(chosen, same.reset(seed=1)[0])
    env.set_options([{"mode": 3}, {}])
    with pytest.raises(ValueError, match="for every environment"):
        env.reset()


class Still:
    """A model that does nothing."""

    def predict(self, observations: Any, **_: Any) -> Any:
        return np.zeros(len(observations), int), None


def test_games_that_wait_for_fire_end() -> None:
    """As with SB3's own wrappers, but for a policy that does nothing only if one asks for it."""
    options: dict[str, Any] = {"max_num_frames_per_episode": 4000, "life_loss_info": True}
    for fire, least, most in ((True, 100, 150), (False, 1000, 1000)):
        env = make_vec_env("breakout", 2, fire_after_life_loss=fire, **options)
        env.seed(0)
        model: Any = Still()
        _, lengths = evaluate_policy(model, env, n_eval_episodes=2, return_episode_rewards=True)
        assert isinstance(lengths, list)
        assert least <= min(lengths) <= max(lengths) <= most
        env.close()
    with pytest.raises(ValueError, match=r"fire_after_life_loss.*discrete actions"):
        make_vec_env("breakout", 2, fire_after_life_loss=True, continuous=True)


def test_fire_is_pressed_where_a_life_was_lost() -> None:
    """In one step after it, and not where a game begins or has no FIRE."""
    options: dict[str, Any] = {"max_num_frames_per_episode": 1000}
    env = make_vec_env("breakout", 6, fire_after_life_loss=True, **options)
    same = AtariVectorEnv("breakout", 6, autoreset_mode="SameStep", **options)
    env.seed(3)
    env.reset()
    _, infos = same.reset(seed=3)
    pressed, is_due = 0, np.zeros(6, bool)
    chosen = actions_of(env, 1)
    for _ in range(400):
        actions, lives, frames = next(chosen), infos["lives"], infos["episode_frame_number"]
        observations, *_, infos = same.step(np.where(is_due, 1, actions))
        assert np.array_equal(env.step(actions)[0], observations)
        is_due = (infos["lives"] < lives) & (infos["episode_frame_number"] > frames)
        pressed += is_due.sum()
    assert pressed > 10
    env.close()


def test_evaluate_policy_counts_whole_episodes() -> None:
    env = make_vec_env("breakout", 2, episodic_life=False, life_loss_info=True, noop_max=1)
    env.seed(0)
    model = PPO("MlpPolicy", make_vec_env("breakout", 2), n_steps=8, batch_size=8, device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # SB3 warns where it finds no Monitor
        returns, lengths = evaluate_policy(
            model, env, n_eval_episodes=2, deterministic=False, return_episode_rewards=True
        )
    assert len(returns) == len(lengths) == 2
    assert min(lengths) > 100  # five lives


@pytest.mark.parametrize("players", [None, 2])
def test_models_play_matches(players: int | None) -> None:
    """The arena shows a model the observations of the model's own environment."""
    options: dict[str, Any] = {"max_num_frames_per_episode": 120, "num_players": players}
    env = make_vec_env("pong", 1, agent_indicator=players == 2, **options)
    model = PPO("CnnPolicy", env, n_steps=8, batch_size=8, device="cpu", seed=0)
    arena = Arena("pong", players, max_num_frames_per_episode=120)
    policies: dict[str, Any] = {"model": ModelPolicy(model)}
    [match] = arena.play(policies, lineups=[["model"] * arena.num_players], seed=3).matches
    env.seed(3)
    observations, done = env.reset(), [False]
    for expected in match.actions:
        assert not done[0]
        actions, _ = model.predict(observations, deterministic=True)
        assert np.array_equal(actions, expected)
        observations, _, done, _ = env.step(actions)
    assert done[0]


@pytest.mark.parametrize("space", [(128,), (1, 128), (3, 128)])
def test_models_of_ram_see_what_they_learned_from(space: tuple[int, ...]) -> None:
    """An environment shows RAM as it is, an arena a stack of one, and some models see planes."""
    seen: list[Any] = []

    class Model:
        observation_space = spaces.Box(0, 255, space, np.uint8)

        def predict(self, observations: Any, **_: Any) -> Any:
            seen.append(observations)
            return np.zeros(len(observations), int), None

    options: dict[str, Any] = {"obs_type": "ram", "stack_num": 1, "max_num_frames_per_episode": 40}
    policies: dict[str, Any] = {"model": ModelPolicy(Model()), "random": RandomPolicy(6)}
    Arena("pong", 2, **options).play(policies, games=1)
    env = VersusEnv("pong", ModelPolicy(Model()), obs_type="ram")
    env.reset(seed=1)
    env.step(0)
    assert {it.shape[1:] for it in seen} == {space}
    pictures = VersusEnv("pong", ModelPolicy(Model()), obs_type="grayscale")
    pictures.reset(seed=1)
    with pytest.raises(ValueError, match=r"obs_type.*stack_num"):
        pictures.step(0)


class Recurrent:
    """Predicts as sb3-contrib's recurrent models do; its state counts its turns."""

    observation_space = spaces.Box(0, 255, (1, 128), np.uint8)

    def predict(
        self, observations: Any, state: Any, episode_start: Any, deterministic: bool
    ) -> tuple[Any, tuple[Any, Any]]:
        count = np.zeros((2, len(observations), 3)) if state is None else state[0]
        count = np.where(episode_start[:, None], 0, count) + 1
        return count[0, :, 0].astype(int) % 6, (count, -count)


def test_recurrent_models_get_their_states() -> None:
    arena = Arena(
        *("pong", 2), num_envs=2, obs_type="ram", stack_num=1, max_num_frames_per_episode=120
    )
    policies: dict[str, Any] = {"recurrent": ModelPolicy(Recurrent()), "random": RandomPolicy(6)}
    for match in arena.play(policies, games=2).matches:
        turns = np.arange(1, len(match.actions) + 1)
        assert np.array_equal(match.actions[:, match.lineup.index("recurrent")], turns % 6)


@pytest.mark.parametrize(
    ("learner", "arguments"),
    [
        (PPO, {"n_steps": 8, "batch_size": 16, "n_epochs": 1}),
        (DQN, {"buffer_size": 200, "learning_starts": 16, "train_freq": 1, "batch_size": 8}),
    ],
)
def test_learners_run(learner: Any, arguments: dict[str, Any]) -> None:
    env = make_vec_env("pong", 4, max_num_frames_per_episode=60)
    model = learner("CnnPolicy", env, device="cpu", seed=0, **arguments)
    model.learn(100)
    assert model.num_timesteps >= 100
    assert len(model.ep_info_buffer) >= 4


def test_continuous_actions() -> None:
    env = make_vec_env("pong", 2, num_players=2, continuous=True)
    assert env.action_space.shape == (3,)
    model = PPO("CnnPolicy", env, n_steps=8, batch_size=16, n_epochs=1, device="cpu")
    model.learn(32)


def test_example_learns() -> None:
    before, after = returns("sb3_ppo.py", "--steps", "8192")
    assert after > before + 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"autoreset_mode": "NextStep"}, "autoreset_mode='SameStep'"),
        ({"games": ["pong", "breakout"], "game": None}, "full_action_space=True"),
        ({"num_envs": 4, "batch_size": 2}, "leave batch_size out"),
        ({"copy": False}, "without copy=False"),
        ({"obs_type": "rgb"}, "stack_num=1"),
    ],
)
def test_vectors_that_do_not_fit(arguments: dict[str, Any], message: str) -> None:
    envs = AtariVectorEnv(**{"game": "pong", "autoreset_mode": "SameStep", **arguments})
    with pytest.raises(ValueError, match=message):
        AtariVecEnv(envs)
    envs.close()


def test_actions_are_played_once() -> None:
    env = make_vec_env("pong", 2, obs_type="ram", stack_num=1)
    env.reset()
    env.step_async(np.zeros(2, int))
    env.step_wait()
    with pytest.raises(RuntimeError, match="call step_async first"):
        env.step_wait()
    env.close()


def test_labels_of_several_players() -> None:
    envs = AtariVectorEnv(
        "boxing", 2, num_players=2, obs_type="labels", autoreset_mode="SameStep", stack_num=1
    )
    env = AtariVecEnv(envs, agent_indicator=True)
    observations = env.reset()
    space: Any = env.observation_space
    assert observations.dtype == space.dtype == np.int32
    assert all(space.contains(row) for row in observations)
    indicators = observations[:, 1:, 0]
    assert indicators.tolist() == [[255, 0], [0, 255]] * 2
