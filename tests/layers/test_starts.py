"""States travel between layers, and episodes begin at them: all layers agree, bit by bit."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from pyale_ma.multi import ParallelAtariEnv, parallel_env, pong_v3, warlords_v3
from pyale_ma.opponents import VersusEnv, VersusVectorEnv
from pyale_ma.recording import Recording, RecordingError, record
from pyale_ma.single import ALEState, AtariEnv
from pyale_ma.vector import AtariVectorEnv

LIMIT = 120  # frames of an episode
SAME: dict[str, Any] = {
    "obs_type": "ram",
    "repeat_action_probability": 0.25,
    "max_num_frames_per_episode": LIMIT,
}
VECTOR: dict[str, Any] = {**SAME, "stack_num": 1, "reward_clipping": False}

Seen = list[tuple[Any, ...]]


def saved(env: AtariEnv, count: int = 3, steps: int = 23) -> list[ALEState]:
    env.reset(seed=9)
    env.action_space.seed(9)
    states = []
    for _ in range(count):
        for _ in range(steps):
            env.step(env.action_space.sample())
        states.append(env.save_state())
    return states


@pytest.fixture(scope="module")
def states() -> list[ALEState]:
    return saved(AtariEnv("breakout", obs_type="ram"))


def alone(env: AtariEnv, seed: int, episodes: int) -> Seen:
    """Return the results of some episodes; only the first is seeded."""
    seen: Seen = []
    for episode in range(episodes):
        ram, info = env.reset(seed=None if episode else seed)
        seen.append((info.get("start", -1), ram.tolist(), info["lives"], info["frame_number"]))
        over, step = False, 0
        while not over:
            ram, reward, terminated, truncated, info = env.step(step % 4)
            over, step = terminated or truncated, step + 1
            seen.append((ram.tolist(), reward, terminated, truncated, info["lives"]))
    return seen


def in_vector(envs: AtariVectorEnv, seeds: Sequence[int], steps: int) -> list[Seen]:
    """The same of each row, in any mode of automatic resets."""
    count = len(seeds)
    seen: list[Seen] = [[] for _ in range(count)]
    ages, over = np.zeros(count, int), np.zeros(count, bool)

    def note_reset(row: int, ram: Any, info: dict[str, Any]) -> None:
        start = int(info["start"][row]) if "start" in info else -1
        lives, frame = int(info["lives"][row]), int(info["frame_number"][row])
        seen[row].append((start, ram[row, 0].tolist(), lives, frame))
        ages[row] = over[row] = 0

    mode = envs.autoreset_mode.value
    ram, info = envs.reset(seed=np.array(seeds))
    for row in range(count):
        note_reset(row, ram, info)
    for _ in range(steps):
        if mode == "Disabled" and over.any():
            ram, info = envs.reset(options={"reset_mask": over.copy()})
            for row in np.flatnonzero(over).tolist():
                note_reset(row, ram, info)
        begins = over.copy() if mode == "NextStep" else np.zeros(count, bool)
        ram, rewards, terminated, truncated, info = envs.step(ages % 4)
        ended = terminated | truncated
        of_step, lives = ram, info["lives"]
        if ended.any() and mode == "SameStep":
            of_step = np.where(ended[:, None, None], info["final_obs"], ram)
            lives = np.where(ended, info["final_info"]["lives"], lives)
        for row in range(count):
            if begins[row]:
                note_reset(row, ram, info)
                continue
            flags = bool(terminated[row]), bool(truncated[row])
            result = of_step[row, 0].tolist(), float(rewards[row]), *flags, int(lives[row])
            seen[row].append(result)
            ages[row] += 1
            over[row] = ended[row]
            if over[row] and mode == "SameStep":
                note_reset(row, ram, info)
    return seen


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("threads", [1, 2])
def test_one_player_begins_alike_in_all_layers(
    states: list[ALEState], mode: str, threads: int
) -> None:
    starts = {states[0]: 1, states[1]: 0.5, states[2]: 2.5}
    seeds = [3, 4, 2**32 - 1]
    options = {**VECTOR, "noop_max": 30, "num_threads": threads}
    envs = AtariVectorEnv("breakout", 3, autoreset_mode=mode, starts=starts, **options)
    rows = in_vector(envs, seeds, 330)
    env = AtariEnv("breakout", starts=starts, **SAME)
    for seed, row in zip(seeds, rows, strict=True):
        expected = alone(env, seed, 10)
        assert row[: len(expected)] == expected
        assert {first[0] for first in expected if len(first) == 4} > {2}


@pytest.mark.parametrize("num_players", [2, 4])
def test_several_players_begin_alike_in_all_layers(num_players: int) -> None:
    options: dict[str, Any] = {"num_players": num_players, "obs_type": "ram"}
    options |= {"max_cycles": 40, "frame_skip": 2, "repeat_action_probability": 0.25}
    maker = pong_v3.parallel_env(**options)
    maker.reset(seed=1)
    starts = []
    for step in range(90):
        maker.step({agent: (step // 7 + k) % 6 for k, agent in enumerate(maker.agents)})
        if step % 30 == 20:
            starts.append(maker.save_state())
            maker.restore_state(starts[-1])  # which has no end after 40 steps
    env = pong_v3.parallel_env(**options, starts=starts)
    by_turns = pong_v3.raw_env(**options, starts=starts)
    envs = AtariVectorEnv(
        **pong_v3.vector_options(**options), starts=starts, autoreset_mode="SameStep"
    )
    ram, infos = env.reset(seed=5)
    by_turns.reset(seed=5)
    rams, info = envs.reset(seed=5)
    chosen = set()
    for step in range(400):
        assert (ram["first_0"] == rams[0, 0]).all()
        actions = [(step // 5 + 2 * k) % 6 for k in range(num_players)]
        if step % 40 == 0:
            chosen.add(infos["first_0"]["start"])
            assert infos["second_0"]["start"] == info["start"][0]
            assert by_turns.infos["first_0"] == {"start": info["start"][0]}
        for action in actions:
            assert (by_turns.observe(by_turns.agent_selection) == ram["first_0"]).all()
            by_turns.step(action)
        ram, rewards, _, truncated, _ = env.step(dict(zip(env.agents, actions, strict=True)))
        rams, their_rewards, _, truncations, info = envs.step(np.array([actions]))
        assert list(rewards.values()) == their_rewards[0].tolist()
        assert all(truncated.values()) == truncations[0]
        if truncations[0]:
            ram, infos = env.reset()
            by_turns.reset()
    assert chosen == {0, 1, 2}


def test_pictures_and_sound_of_a_start_are_those_of_its_moment(states: list[ALEState]) -> None:
    env = AtariEnv("breakout", starts=states[2], sound_obs=True, repeat_action_probability=0)
    picture = {"obs_type": "rgb", "img_height": 210, "img_width": 160, "maxpool": False}
    options: dict[str, Any] = {
        **VECTOR,
        **picture,
        "repeat_action_probability": 0.0,
        "extra_infos": ["sound"],
    }
    envs = AtariVectorEnv("breakout", 2, starts=states[2], **options)
    seen, _ = env.reset(seed=0)
    frames, info = envs.reset(seed=0)
    for step in range(20):
        assert (frames[1, 0] == seen["image"]).all()
        assert step == 0 or (info["sound"][1] == seen["sound"]).all()
        seen, *_ = env.step(step % 4)
        frames, *_, info = envs.step(np.full(2, step % 4))


@pytest.mark.parametrize("obs_type", ["grayscale", "objects", "labels"])
def test_stacks_begin_anew(states: list[ALEState], obs_type: Any) -> None:
    envs = AtariVectorEnv("breakout", 2, starts=states, obs_type=obs_type)
    observations, _ = envs.reset(seed=0)
    assert not observations[:, :-1].any()
    assert observations[:, -1].any()


def test_a_reset_may_be_a_start() -> None:
    """Such an episode is what it is without starts, at the same seed."""
    env = AtariEnv("breakout", **SAME, mode=4)
    starts = [*saved(AtariEnv("breakout", obs_type="ram"), 1), None]
    plain = alone(env, 6, 1)
    begun = {
        seen[0][0]: seen
        for seed in range(6, 12)
        for seen in [alone(AtariEnv("breakout", **SAME, mode=4, starts=starts), seed, 1)]
        if seed == 6 or seen[0][0] == 0
    }
    options = {**VECTOR, "noop_max": 1, "use_fire_reset": False, "autoreset_mode": "Disabled"}
    envs = AtariVectorEnv("breakout", 6, starts=starts, mode=4, **options)
    without = AtariVectorEnv("breakout", 6, mode=4, **options)
    rams, info = envs.reset(seed=6)
    plain_rams, plain_info = without.reset(seed=6)
    ordinary = info["start"] == 1
    assert 0 < ordinary.sum() < 6
    assert (rams[ordinary] == plain_rams[ordinary]).all()
    for name in ("lives", "frame_number", "episode_frame_number"):
        assert (info[name][ordinary] == plain_info[name][ordinary]).all()
    assert begun[0][0][1] != plain[0][1]


def test_resets_go_back_to_the_own_mode(states: list[ALEState]) -> None:
    env = AtariEnv("breakout", mode=8, difficulty=1, starts=[states[0], None])
    modes = set()
    for _ in range(20):
        _, info = env.reset()
        report = env.ale.cloneState()
        modes.add((info["start"], report.getCurrentMode(), report.getDifficulty()))
    assert modes == {(0, 0, 0), (1, 8, 1)}
    env = AtariEnv("breakout", mode=8)
    env.reset(seed=0, options={"starts": states[0]})
    env.reset()
    assert env.ale.cloneState().getCurrentMode() == 8


def test_what_a_state_is_restored_in_plays_the_same(states: list[ALEState]) -> None:
    """With its random numbers, or with others of the same seed."""
    env = AtariEnv("breakout", obs_type="ram", max_num_frames_per_episode=None)
    options = {**VECTOR, "max_num_frames_per_episode": None}
    envs = AtariVectorEnv("breakout", 3, **options)
    envs.reset(seed=0)
    for seeds in (None, [7, 8]):
        _, info = envs.restore_states([2, 0], states[1], seeds=seeds)
        env.restore_state(states[1], seed=seeds[0] if seeds else None)
        for step in range(60):
            ram, reward, *_, of_one = env.step(step % 4)
            rams, rewards, *_, info = envs.step(np.full(3, step % 4))
            assert (rams[2, 0] == ram).all()
            assert rewards[2] == reward
            for name in of_one:
                assert info[name][2] == of_one[name]
        assert (rams[0] == rams[2]).all() == (seeds is None)
    again = AtariVectorEnv("breakout", 1, **options)
    again.reset(seed=1)
    rams_again, _ = again.restore_states([0], envs.save_states([2]))
    assert (rams_again[0] == rams[2]).all()


def test_copies_with_other_seeds_play_otherwise() -> None:
    envs = AtariVectorEnv("breakout", 4, **VECTOR)
    envs.reset(seed=0)
    for step in range(10):
        envs.step(np.full(4, step % 4))
    envs.copy_envs([0, 0, 0], [1, 2, 3], seeds=[5, -1, 5])
    for step in range(60):
        rams, *_ = envs.step(np.full(4, step % 4))
    assert (rams[0] == rams[2]).all()
    assert (rams[1] == rams[3]).all()
    assert (rams[0] != rams[1]).any()
    with pytest.raises(ValueError, match=r"one entry.*sub-environment"):
        envs.copy_envs([0], [1], seeds=[5, 6])


def test_a_function_is_asked_in_every_layer(states: list[ALEState]) -> None:
    rows = []

    def choose(random: np.random.Generator, row: int) -> ALEState:
        rows.append(row)
        return states[random.integers(3)]

    options = {**VECTOR, "autoreset_mode": "Disabled"}
    envs = AtariVectorEnv("breakout", 2, starts=choose, **options)
    seen = in_vector(envs, [3, 4], 100)
    assert {*rows} == {0, 1}
    env = AtariEnv("breakout", starts=choose, **SAME)
    for seed, row in zip((3, 4), seen, strict=True):
        expected = alone(env, seed, 3)
        assert row[: len(expected)] == expected
    with pytest.raises(ValueError, match=r"automatic resets.*ask"):
        AtariVectorEnv("breakout", 2, starts=choose)
    with pytest.raises(TypeError, match=r"starts.*ALEState"):
        env.reset(options={"starts": lambda *_: 3})
    env.step(0)  # nothing has happened


def test_starts_of_one_reset(states: list[ALEState]) -> None:
    envs = AtariVectorEnv("breakout", 4, **VECTOR)
    _, info = envs.reset(seed=0)
    assert "start" not in info
    mask = np.array([True, False, True, False])
    _, info = envs.reset(options={"starts": states[1:], "reset_mask": mask})
    assert (info["episode_frame_number"][mask] == 0).all()
    assert (info["start"][mask] >= 0).all()
    assert (info["start"][~mask] == -1).all()
    _, info = envs.reset(seed=0)
    assert (info["start"] == -1).all()
    few = AtariVectorEnv("breakout", 4, batch_size=2, **VECTOR)
    few.reset(seed=0)
    for _ in range(2):
        _, info = few.reset(options={"starts": states})
        assert (info["start"] >= 0).all()
        *_, info = few.recv()
        assert (info["start"] >= 0).all()
    env = AtariEnv("breakout", starts=states[0])
    assert env.reset(options={"starts": None})[1]["start"] == 0
    assert env.ale.getEpisodeFrameNumber() == AtariEnv("breakout").ale.getEpisodeFrameNumber()


def test_starts_are_set_later(states: list[ALEState]) -> None:
    envs = AtariVectorEnv("breakout", 2, autoreset_mode="SameStep", **VECTOR)
    env = AtariEnv("breakout", **SAME)
    for each in (envs, env):
        each.reset(seed=0)
        each.set_starts(states[:1])
    for _ in range(LIMIT // 4):
        *_, truncations, info = envs.step(np.zeros(2, int))
    assert truncations.all()
    assert info["start"].tolist() == [0, 0]
    assert env.reset()[1]["start"] == 0
    for each in (envs, env):
        each.set_starts(None)
    assert "start" not in env.reset()[1]
    assert envs.reset()[1]["start"].tolist() == [-1, -1]


def test_a_recording_has_starts(states: list[ALEState], tmp_path: Path) -> None:
    env = AtariEnv("breakout", starts=states, obs_type="ram")
    with record(env, tmp_path / "play.zip"):
        for episode in range(2):
            env.reset(seed=None if episode else 5)
            for step in range(30):
                env.step(step % 4)
    recording = Recording.open(tmp_path / "play.zip")
    assert recording.verify()
    assert len(recording.starts()) == 60
    last = recording.starts(every=59)[-1]
    env.restore_state(last)
    ram, *_ = env.step(29 % 4)
    *_, final = recording.steps(59)
    assert (final.next_observation == ram).all()
    envs = AtariVectorEnv("breakout", 2, starts=states, **VECTOR)
    with pytest.raises(RecordingError, match=r"automatic resets.*file"):
        record(envs, tmp_path / "vector.zip")
    envs = AtariVectorEnv("breakout", 2, starts=states, autoreset_mode="Disabled", **VECTOR)
    with record(envs, tmp_path / "vector.zip"):
        envs.reset(seed=1)
        for step in range(20):
            envs.step(np.full(2, step % 4))
        envs.reset(options={"reset_mask": np.array([True, False])})
        envs.step(np.zeros(2, int))
    recording = Recording.open(tmp_path / "vector.zip")
    assert recording.verify()
    found = recording.starts(every=7, env=1)
    assert len(found) == 3
    AtariVectorEnv("breakout", 1, starts=found, **VECTOR).reset(seed=0)


def test_agents_who_are_out_stay_out() -> None:
    env = warlords_v3.parallel_env(obs_type="ram")
    env.reset(seed=2)
    env.action_space("first_0").seed(2)
    while len(env.agents) == 4:
        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
    playing, state = env.agents[:], env.save_state()
    env.reset(seed=3)
    env.restore_state(state)
    assert env.agents == playing
    observations, _ = env.reset(options={"starts": [state]})
    assert [*observations] == env.agents == playing
    envs = AtariVectorEnv(**warlords_v3.vector_options(obs_type="ram"), starts=state)
    envs.reset(seed=0)
    *_, terminations, _, _ = envs.step(np.zeros((1, 4), int))
    out = [agent not in playing for agent in env.possible_agents]
    assert terminations[0].tolist() == out


def test_states_that_do_not_fit_are_refused(states: list[ALEState]) -> None:
    env = AtariEnv("pong")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"breakout .*pong"):
        env.restore_state(states[0])
    with pytest.raises(ValueError, match=r"starts\[1\]: .*pong"):
        AtariEnv("breakout", starts=[states[0], env.save_state()])
    several = pong_v3.parallel_env()
    several.reset(seed=0)
    for refused in (several.save_state(), several.ale.cloneState()):
        with pytest.raises(ValueError, match="players"):
            env.restore_state(refused)
    with pytest.raises(ValueError, match="one player or more"):
        pong_v3.parallel_env(starts=env.save_state())
    envs = AtariVectorEnv(games=["pong", "breakout"])
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=r"starts\[0\]: .*breakout"):
        envs.reset(options={"starts": states})
    with pytest.raises(ValueError, match=r"starts.*one game"):
        AtariVectorEnv(games=["breakout", "pong"], starts=states)
    envs.restore_states([1, 0], [states[0], env.save_state()])
    with pytest.raises(ValueError, match="each row needs one"):
        envs.restore_states([1, 1], states[:2])
    with pytest.raises(ValueError, match="2 players"):
        AtariVectorEnv("pong", num_players=2, starts=pong_of_four())


def pong_of_four() -> ALEState:
    env = pong_v3.parallel_env(num_players=4)
    env.reset(seed=0)
    return env.save_state()


@pytest.mark.parametrize(
    ("starts", "error", "text"),
    [
        ([], ValueError, "starts is empty"),
        ("demo", TypeError, "not 'demo'"),
        ([1], TypeError, r"starts\[0\] must be an ALEState, not int"),
        (ALEState(), None, ""),  # an empty state is a reset
        ({None: 0}, ValueError, "add up to 0"),
        ({None: -1}, ValueError, "weight of starts is -1"),
        ({None: float("nan")}, ValueError, "weight of starts is nan"),
        ({None: "much"}, TypeError, "a weight of starts must be a number"),
    ],
)
@pytest.mark.parametrize(
    "make",
    [AtariEnv, AtariVectorEnv, lambda game, **named: ParallelAtariEnv(game, 2, **named)],
)
def test_starts_that_are_none(make: Any, starts: Any, error: Any, text: str) -> None:
    if error is None:
        make("pong", starts=starts).reset(seed=0)
        return
    with pytest.raises(error, match=text):
        make("pong", starts=starts)


def test_states_are_values(states: list[ALEState]) -> None:
    twins = [ALEState(state.serialize()) for state in states]
    assert len({*states, *twins}) == 3
    env = gymnasium.make("pyale_ma/Breakout-v5", starts={states[0]: 1, None: 2}).unwrapped
    for again in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert again.reset(seed=3)[1]["start"] == env.reset(seed=3)[1]["start"]


def test_states_for_other_numbers_of_players_are_refused() -> None:
    """Wherever an environment takes states; it then plays on as it was."""
    two, four = (pong_v3.parallel_env(num_players=count) for count in (2, 4))
    two.reset(seed=1)
    four.reset(seed=1)
    for env, state in ((two, four.save_state()), (four, two.save_state())):
        for take in (
            env.set_starts,
            env.restore_state,
            lambda state, env=env: env.reset(options={"starts": [None, state]}),
        ):
            with pytest.raises(ValueError, match="players"):
                take(state)
        env.set_starts(lambda *_, state=state: state)
        with pytest.raises(ValueError, match="players"):
            env.reset()
        env.set_starts(None)
        env.step(dict.fromkeys(env.agents, 0))
    with pytest.raises(ValueError, match="players"):
        pong_v3.parallel_env(starts=four.save_state())


def test_a_vector_plays_on_after_states_that_it_refused() -> None:
    env = pong_v3.parallel_env(num_players=4)
    env.reset(seed=1)
    envs = AtariVectorEnv("pong", 3, num_players=2)
    envs.reset(seed=1)
    fits = envs.save_states([0])[0]
    with pytest.raises(ValueError, match="the state for environment 2 is of mode 6"):
        envs.restore_states([1, 2], [fits, env.save_state()])
    with pytest.raises(ValueError, match="`seeds` must have one entry"):
        envs.restore_states([1, 2], fits, seeds=[1])
    with pytest.raises(ValueError, match="`seeds` has 4294967296; seeds have 32 bits"):
        envs.copy_envs([0], [1], seeds=[2**32])
    with pytest.raises(TypeError, match="`seeds` must be an int"):
        envs.copy_envs([0], [1], seeds="x")  # type: ignore[arg-type]
    envs.step(np.zeros((3, 2), int))


@pytest.mark.parametrize("seed", ["x", 1.5, -1, 2**32])
def test_seeds_of_restored_states(seed: Any) -> None:
    for env in (AtariEnv("pong"), pong_v3.parallel_env()):
        env.reset(seed=1)
        with pytest.raises((TypeError, ValueError), match="seed"):
            env.restore_state(env.save_state(), seed=seed)


def test_games_against_opponents_begin_at_starts() -> None:
    """One game and a vector of them begin alike, with equal seeds; opponents see it as it is."""
    maker = parallel_env(game="quartet", num_players=4, obs_type="ram", frame_skip=4)
    maker.reset(seed=8)
    starts = []
    for step in range(500):
        maker.step({agent: (step // 9 + k) % 6 for k, agent in enumerate(maker.agents)})
        if step in (20, 60) or len(maker.agents) < 4:
            starts.append(maker.save_state())
        if len(maker.agents) < 4:
            break
    (out,) = {*maker.possible_agents} - {*maker.agents}
    seat = 1 if out == "first_0" else 0
    common: dict[str, Any] = {"num_players": 4, "seat": seat, "obs_type": "ram", "noop_max": 0}
    env = VersusEnv("quartet", "random", starts=starts[:2], **common)
    envs = VersusVectorEnv(
        *("quartet", 2, "random"), stack_num=1, autoreset_mode="SameStep", **common
    )
    envs.set_starts(starts[:2])
    begun = set()
    for seed in range(8):
        ram, info = env.reset(seed=seed)
        rams, infos = envs.reset(seed=np.array([seed, seed + 1]))
        begun.add(info["start"])
        for step in range(20):
            assert info["start"] == infos["start"][0] if step == 0 else "start" not in info
            assert (rams[0, 0] == ram).all()
            ram, _, over, _, info = env.step(step % 6)
            rams, _, overs, _, infos = envs.step(np.full(2, step % 6))
            assert over == overs[0]
            if over:
                break
    assert begun == {0, 1}

    assert env.reset(options={"starts": starts})[1]["start"] in (0, 1, 2)
    envs.reset(options={"starts": starts[2], "reset_mask": np.array([True, False])})
    envs.close()
    env = VersusEnv("quartet", "random", **{**common, "seat": maker.possible_agents.index(out)})
    env.set_starts(starts[2])
    with pytest.raises(ValueError, match=r"the agent has seat \d, which is out at this start"):
        env.reset(seed=0)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.set_starts(None)
    env.reset(seed=0)


def vector(**options: Any) -> AtariVectorEnv:
    return AtariVectorEnv("pong", 3, num_players=2, **options)


LAYERS: dict[str, Any] = {
    "AtariEnv": lambda: AtariEnv("pong"),
    "gymnasium": lambda: gymnasium.make("pyale_ma/Pong-v5"),
    "parallel_env": pong_v3.parallel_env,
    "env": pong_v3.env,
    "VersusEnv": lambda: VersusEnv("pong_v3", "random"),
    "VersusVectorEnv": lambda: VersusVectorEnv("pong_v3", 2, opponent="random"),
    "vector": vector,
    "vector of two batches": lambda: vector(batch_size=1),
    "mirrored vector": lambda: vector(mirror=True),
}


def modes_of(env: Any) -> list[tuple[int, int]]:
    """The modes and difficulties in which the games are."""
    inner = env if isinstance(env, AtariVectorEnv) else env.unwrapped
    inner = getattr(inner, "envs", inner)
    if isinstance(inner, AtariVectorEnv):
        return [inner._native.selected(index) for index in range(inner.num_envs)]
    console: Any = inner.ale if hasattr(inner, "ale") else inner.unwrapped.env.ale
    report = console.cloneState()
    return [(report.getCurrentMode(), report.getDifficulty())]


def refused_resets(layer: str) -> list[dict[str, Any]]:
    """Options of resets that fail, all with a mode that exists or with one that does not."""
    mode = {"AtariEnv": 1, "gymnasium": 1}.get(layer, 5)
    four = pong_of_four()
    return [
        {"mode": 99},
        {"mode": mode, "difficulty": 77},
        {"mode": mode, "starts": four},
        {"mode": mode, "starts": [None, 7]},
        {"mode": mode, "reset_mask": [True]},
        {"mode": mode, "moed": 1},
        {"mode": [mode, mode, 99]},
        {"difficulty": [1, 1, 99]},
    ]


@pytest.mark.parametrize("layer", LAYERS)
def test_a_reset_that_fails_changes_nothing(layer: str) -> None:
    """Its mode is not kept, the next reset works, and nobody must reset who could play on."""
    env = LAYERS[layer]()
    env.reset(seed=1)
    before = modes_of(env)
    for options in refused_resets(layer):
        for _ in range(2):
            with pytest.raises((ValueError, TypeError, RuntimeError)):
                env.reset(options=options)
        assert modes_of(env) == before
    if isinstance(env, AtariVectorEnv):
        env.step(np.zeros((env.batch_size, 2), int))
    env.reset()
    assert modes_of(env) == before
    with pytest.raises((TypeError, gymnasium.error.Error)):
        env.reset(seed="x", options={"mode": 5} if isinstance(env, AtariVectorEnv) else None)
    env.reset(seed=1)
    assert modes_of(env) == before


def test_modes_of_a_reset_are_checked_before_any_is_chosen() -> None:
    """One of three environments would have no sides to mirror."""
    envs = AtariVectorEnv("combat", 3, num_players=2, mode=1, mirror=True)
    envs.reset(seed=1)
    first = modes_of(envs)
    for options in ({"mode": [2, 2, 15]}, {"mode": 2, "starts": pong_of_four()}):
        with pytest.raises(ValueError, match=r"sides|pong"):
            envs.reset(options=options)
    envs.step(np.zeros((3, 2), int))
    envs.reset()
    assert modes_of(envs) == first


def test_a_refused_call_leaves_the_first_starts_to_some(states: list[ALEState]) -> None:
    """A batch that a refused `send` has posted is good for a reset of some at starts."""
    envs = AtariVectorEnv("breakout", 3, autoreset_mode="Disabled", noop_max=1)
    envs.reset(seed=1)
    with pytest.raises(IndexError):
        envs.send(np.full(3, 99))
    _, infos = envs.reset(options={"reset_mask": np.arange(3) == 0, "starts": states})
    assert infos["start"][1:].tolist() == [-1, -1]
    with pytest.raises(IndexError):
        envs.send(np.full(3, 99))
    with pytest.raises(ValueError, match="pong"):
        envs.reset(options={"starts": pong_of_four()})
    envs.step(np.zeros(3, int))
