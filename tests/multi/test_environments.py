"""Features that the originals lack: more arguments, custom observations, helpful errors."""

from __future__ import annotations

import importlib
import inspect
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest

from multi.reference import MODULES, original_module, our_module
from pyale_ma import multi
from pyale_ma.multi import AgentError, ArgumentError


def run(env: Any, steps: int, seed: int = 0) -> list[Any]:
    """Random play, all that came back."""
    rng = np.random.default_rng(seed)
    history: list[Any] = []
    for _ in range(steps):
        if not env.agents:
            env.reset()
        actions = {a: int(rng.integers(env.action_space(a).n)) for a in env.agents}
        observations, *rest = env.step(actions)
        history.append(([o.tobytes() for o in observations.values()], *rest))
    return history


class TestObservations:
    @pytest.mark.parametrize("obs_type", ["rgb_image", "grayscale_image", "ram"])
    def test_are_ones_own(self, obs_type: str) -> None:
        env = our_module("pong_v3").parallel_env(num_players=4, obs_type=obs_type)
        first, _ = env.reset(seed=1)
        second, *_ = env.step(dict.fromkeys(env.agents, 0))
        arrays = [*first.values(), *second.values()]
        for array in arrays:
            assert array.flags.writeable
            others = [other.copy() for other in arrays if other is not array]
            array[:] = 77
            for before, other in zip(
                others, [other for other in arrays if other is not array], strict=True
            ):
                assert np.array_equal(before, other)

    def test_by_turns_are_ones_own(self) -> None:
        env = our_module("boxing_v2").env(obs_type="ram")
        env.reset(seed=1)
        env.observe("first_0")[:] = 77
        assert not (env.observe("second_0") == 77).all()

    def test_edits_do_not_reach_the_console(self) -> None:
        env, twin = (our_module("joust_v3").parallel_env(obs_type="ram") for _ in range(2))
        env.reset(seed=1)[0]["first_0"][:] = 0
        twin.reset(seed=1)
        assert run(env, 20) == run(twin, 20)

    @pytest.mark.parametrize("obs_type", ["ram", "grayscale_image"])
    def test_dicts_are_the_steps_own(self, obs_type: str) -> None:
        """Nothing that a step returned changes later, and to change it does not matter."""
        env, twin = (
            our_module("warlords_v3").parallel_env(obs_type=obs_type, max_cycles=60)
            for _ in range(2)
        )
        kept: list[dict[Any, Any]] = []
        played = []
        for t in range(240):
            if not twin.agents:
                env.reset(seed=1)
                twin.reset(seed=1)
            if t % 60 == 20:  # the third player's last life is gone
                env.ale.setRAM(110, 0x20)
                twin.ale.setRAM(110, 0x20)
            actions = dict.fromkeys(twin.agents, t % 6)
            wanted = [list(values.items()) for values in twin.step(actions)[1:]]
            results = env.step(actions)
            assert [list(values.items()) for values in results[1:]] == wanted
            assert all(values.keys() == actions.keys() for values in results[:4])
            assert len({id(values) for values in (*results, *kept)}) == 5 + len(kept)
            kept = [*results, *kept[:45]]
            for values in kept[:5]:
                values.clear()
                values["nobody"] = True
            played.append(len(actions))
        assert played == ([4] * 21 + [3] * 39) * 4
        assert all(list(values) == ["nobody"] for values in kept)


class TestArguments:
    def test_sticky_actions(self) -> None:
        """Each player's by itself: who moves late, and how late, is not the same for both."""
        env = our_module("boxing_v2").parallel_env(obs_type="ram", repeat_action_probability=0.9)
        outcomes = set()
        for seed in range(1, 30):
            env.reset(seed=seed)
            for _ in range(20):
                observations, *_ = env.step({"first_0": 3, "second_0": 3})
            outcomes.add(tuple(observations["first_0"][[32, 15]].tolist()))
        firsts, seconds = ({outcome[i] for outcome in outcomes} for i in (0, 1))
        assert len(outcomes) > max(len(firsts), len(seconds)) > 1
        start = env.clone_full_state()
        once = run(env, 30)
        env.restore_full_state(start)
        assert run(env, 30) == once

    def test_difficulty(self) -> None:
        paddles = []
        for difficulty in (None, 0, 3):
            env = our_module("pong_v3").parallel_env(difficulty=difficulty, obs_type="ram")
            env.reset(seed=1)
            assert env.ale.env.report.difficulty == (difficulty or 0)
            env.reset(seed=2)
            assert env.ale.env.report.difficulty == (difficulty or 0)
            paddles.append(run(env, 20)[-1])
        assert paddles[0] == paddles[1]

    def test_sound(self) -> None:
        env = our_module("space_invaders_v2").parallel_env(sound_obs=True)
        observations, _ = env.reset(seed=1)
        heard = False
        for t in range(60):
            assert env.observation_space("first_0").contains(observations["first_0"])
            observations, *_ = env.step({"first_0": 1, "second_0": t % 6})
            heard = heard or bool(observations["second_0"]["sound"].any())
        assert heard

    def test_infos(self) -> None:
        env = our_module("joust_v3").parallel_env(detailed_infos=True, frame_skip=4)
        _, infos = env.reset(seed=1)
        start = infos["first_0"]
        assert start.keys() == {"lives", "frame_number", "episode_frame_number"}
        infos = env.step({"first_0": 0, "second_0": 0})[4]
        assert infos["second_0"] == {
            "lives": 4,
            "frame_number": start["frame_number"] + 4,
            "episode_frame_number": start["episode_frame_number"] + 4,
        }

    def test_state(self) -> None:
        env = our_module("joust_v3").parallel_env()
        env.reset(seed=1)
        state = env.state()
        assert env.state_space.contains(state)
        assert np.array_equal(state, env.ale.getRAM())
        turns = our_module("joust_v3").env()
        turns.reset(seed=1)
        assert np.array_equal(turns.state(), state)

    def test_noop_max(self) -> None:
        starts = set()
        for seed in range(1, 20):
            env = our_module("pong_v3").parallel_env(noop_max=30, obs_type="ram", seed=seed)
            first, _ = env.reset()
            again, _ = env.reset(seed=seed)
            assert np.array_equal(first["first_0"], again["first_0"])
            starts.add(env.ale.getEpisodeFrameNumber())
        assert len(starts) > 5

    def test_seed_zero_repeats(self) -> None:
        env = our_module("maze_craze_v3").parallel_env(obs_type="ram")
        env.reset(seed=0)
        once = run(env, 20)
        env.reset(seed=0)
        assert run(env, 20) == once

    def test_rom_of_ones_own(self, tmp_path: Any) -> None:
        known = our_module("pong_v3").parallel_env()
        file = tmp_path / "whatever.bin"
        file.write_bytes(open(known.rom_path, "rb").read())  # noqa: SIM115
        for path in (file, tmp_path):
            env = our_module("pong_v3").parallel_env(auto_rom_install_path=str(path))
            assert env.rom_path == str(file)
        with pytest.raises(OSError, match="'boxing'"):
            our_module("boxing_v2").parallel_env(auto_rom_install_path=str(tmp_path))
        with pytest.raises(ValueError, match=r"ROM.*'boxing'"):
            our_module("boxing_v2").parallel_env(auto_rom_install_path=str(file))

    def test_pickle_keeps_them(self) -> None:
        env = our_module("pong_v3").parallel_env(
            num_players=4, game_version="hockey", obs_type="ram", frame_skip=3, max_cycles=9,
            repeat_action_probability=0.25, detailed_infos=True, noop_max=4,
        )  # fmt: skip
        copy = pickle.loads(pickle.dumps(env))
        env.reset(seed=3)
        copy.reset(seed=3)
        assert run(env, 9) == run(copy, 9)
        assert not env.agents
        assert not copy.agents


class TestFates:
    """Each player is affected only by its own events."""

    def test_agents_that_come_back(self) -> None:
        """A planner restores a state and the agents that it had then, as with PettingZoo."""
        played = []
        for module in (original_module("warlords_v3"), our_module("warlords_v3")):
            env = module.parallel_env(obs_type="ram").unwrapped
            env.reset(seed=1)
            start, agents = env.clone_state(), env.agents[:]
            rng = np.random.default_rng(0)
            fates = []
            for stop in (4, 1):  # somebody is out, and all are
                while len(env.agents) >= stop:
                    env.step({agent: int(rng.integers(6)) for agent in env.agents})
                for action in (1, 2, 3):
                    env.restore_state(start)
                    env.agents = agents[:]
                    for _ in range(30):
                        observations, *_ = env.step(dict.fromkeys(agents, action))
                    fates.append((tuple(observations), observations["first_0"].tobytes()))
            assert len(set(fates[:3])) == 3
            assert fates[:3] == fates[3:]
            played.append(fates)
        assert played[0] == played[1]

    def test_agents_that_there_are_not(self) -> None:
        env = our_module("quartet_v0").parallel_env()
        env.reset(seed=1)
        env.agents = ["first_0", "fifth_0"]
        with pytest.raises(AgentError, match=r"agent 'fifth_0'.*first_0"):
            env.step({"first_0": 0, "fifth_0": 0})

    # Module, RAM byte and value that take a player's last life, player.
    @pytest.mark.parametrize(
        ("module", "index", "value", "out"),
        [
            ("joust_v3", 1, 0xFF, "first_0"),
            ("mario_bros_v3", 8, 0, "second_0"),
            ("warlords_v3", 110, 0x20, "third_0"),
            ("maze_craze_v3", 107, 0x40, "second_0"),
            ("wizard_of_wor_v3", 13, 0, "first_0"),
        ],
    )
    def test_one_is_out(self, module: str, index: int, value: int, out: str) -> None:
        """Told so once; the others play on, and what it still sends changes nothing."""
        envs = [our_module(module).parallel_env(obs_type="ram") for _ in range(2)]
        for env in envs:
            env.reset(seed=4)
            env.ale.setRAM(index, value)
            results = env.step(dict.fromkeys(env.agents, 0))
            terminations = results[2]
            assert [agent for agent, gone in terminations.items() if gone] == [out]
            assert results[0].keys() == results[1].keys() == set(env.possible_agents)
            assert env.agents == [agent for agent in env.possible_agents if agent != out]
        quiet, sending = envs
        for t in range(60):
            actions = {agent: (t + len(agent)) % 5 for agent in quiet.agents}
            ours = quiet.step(actions)
            other = sending.step({out: t % 5, **actions})
            assert out not in ours[0]
            assert ours[1:] == other[1:]
            assert np.array_equal(quiet.state(), sending.state())
            if not quiet.agents:
                break
        observations, _ = quiet.reset()
        assert list(observations) == quiet.agents == quiet.possible_agents


class TestBadInput:
    @pytest.fixture
    def env(self) -> Any:
        env = our_module("pong_v3").parallel_env(num_players=4, obs_type="ram", max_cycles=5)
        env.reset(seed=1)
        return env

    def test_missing_action(self, env: Any) -> None:
        before = env.state()
        with pytest.raises(AgentError, match=r"action.*'third_0'") as error:
            env.step({"first_0": 0, "second_0": 0, "fourth_0": 0})
        assert isinstance(error.value, KeyError)
        assert np.array_equal(env.state(), before)

    def test_unknown_agent(self, env: Any) -> None:
        actions = dict.fromkeys(env.agents, 0)
        with pytest.raises(AgentError, match=r"agent 'fifth_0'.*first_0, second_0"):
            env.step({**actions, "fifth_0": 0})
        env.step(actions)

    @pytest.mark.parametrize(
        "action",
        [-1, 6, 18, None, 1.5, 1.0, 1 + 0j, np.True_, "1", [1], np.array([1]), 2**40, float("nan")],
        ids=str,
    )
    def test_wrong_action(self, env: Any, action: Any) -> None:
        before = env.state()
        with pytest.raises(ArgumentError, match=r"second_0.*0.*5") as error:
            env.step({"first_0": 2, "second_0": action, "third_0": 0, "fourth_0": 0})
        assert isinstance(error.value, AssertionError)
        assert np.array_equal(env.state(), before)

    @pytest.mark.parametrize("action", [3, np.int64(3), np.uint8(3), np.array(3)])
    def test_kinds_of_actions(self, env: Any, action: Any) -> None:
        env.step(dict.fromkeys(env.agents, action))
        assert list(env.ale.env.actions) == [4] * 4

    @pytest.mark.parametrize("actions", [[0, 0, 0, 0], None, 3, np.zeros(4, int)], ids=str)
    def test_no_dict(self, env: Any, actions: Any) -> None:
        with pytest.raises(TypeError, match="must be a dict"):
            env.step(actions)

    def test_after_the_end(self, env: Any) -> None:
        while env.agents:
            _, _, _, truncations, _ = env.step(dict.fromkeys(env.agents, 0))
        assert all(truncations.values())
        assert env.step({}) == ({}, {}, {}, {}, {})  # as PettingZoo's
        with pytest.raises(gymnasium.error.ResetNeeded, match="over"):
            env.step(dict.fromkeys(env.possible_agents, 0))

    def test_before_reset(self) -> None:
        env = our_module("pong_v3").parallel_env()
        assert env.agents == []
        for actions in ({}, {"first_0": 0, "second_0": 0}):
            with pytest.raises(gymnasium.error.ResetNeeded, match=r"reset before.*step"):
                env.step(actions)

    @pytest.mark.parametrize(
        ("module", "arguments", "text"),
        [
            ("pong_v3", {"num_players": 3}, "pong only supports 2 or 4 players"),
            ("pong_v3", {"num_players": 2, "game_version": "quadrapong"}, "'hockey'"),
            ("pong_v3", {"game_version": "tennis"}, "'tennis'; it must be 'classic'"),
            ("foozpong_v3", {"num_players": 1}, "2 or 4"),
            ("combat_plane_v2", {"game_version": "ufo"}, "'ufo'; it must be 'bi-plane', 'jet'"),
            ("maze_craze_v3", {"game_version": "x"}, "'race', 'robbers', 'capture'"),
            ("maze_craze_v3", {"visibilty_level": 4}, "4; it must be 0, 1, 2, 3"),
            ("boxing_v2", {"obs_type": "rgb"}, "'rgb'; it must be rgb_image, grayscale_image, ram"),
            ("boxing_v2", {"render_mode": "ansi"}, "'ansi'; it must be human or rgb_array"),
            ("boxing_v2", {"difficulty": 4}, "no difficulty 4; it has 0-3"),
        ],
        ids=str,
    )
    def test_arguments(self, module: str, arguments: dict[str, Any], text: str) -> None:
        with pytest.raises(ArgumentError) as error:
            our_module(module).parallel_env(**arguments)
        assert text in str(error.value)
        assert isinstance(error.value, ValueError)
        assert isinstance(error.value, AssertionError)

    def test_no_number_of_players(self) -> None:
        with pytest.raises(ArgumentError, match="num_players is None"):
            multi.ParallelAtariEnv("pong", num_players=None)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("module", "arguments"),
        [
            ("pong_v3", {"colour": 1}),
            ("pong_v3", {"mode_num": 4}),
            ("pong_v3", {"game": "boxing"}),
            ("pong_v3", {"env_name": "x"}),
            ("boxing_v2", {"num_players": 2}),
        ],
    )
    def test_no_such_argument(self, module: str, arguments: dict[str, Any]) -> None:
        unknown = next(iter(arguments))
        for name in ("env", "parallel_env", "raw_env"):
            message = rf"{module}\.{name} has no argument '{unknown}'; "
            with pytest.raises(TypeError, match=message):
                getattr(our_module(module), name)(**arguments)
        with pytest.raises(TypeError, match=rf"{module}\.parallel_env takes nothing"):
            our_module(module).parallel_env(4)

    def test_seed(self, env: Any) -> None:
        with pytest.raises(gymnasium.error.Error, match="-1"):
            env.reset(seed=-1)

    def test_foreign_state(self, env: Any) -> None:
        with pytest.raises(ValueError, match="state"):
            env.restore_state(np.arange(50, dtype=np.uint8))
        with pytest.raises(ValueError, match="generator"):
            env.restore_full_state(env.clone_state())
        other = our_module("boxing_v2").parallel_env()
        with pytest.raises(ValueError, match="state"):
            other.restore_state(env.clone_state())


class TestAnyGame:
    def test_modes(self) -> None:
        env = multi.parallel_env(game="fishing_derby", obs_type="ram")
        assert (env.num_players, env.mode, str(env)) == (2, 2, "custom_fishing_derby")
        env.reset(seed=1)
        run(env, 20)
        assert multi.parallel_env(game="pong", mode=6).num_players == 4
        assert multi.parallel_env(game="pong", num_players=4).mode == 6
        assert multi.parallel_env(game="warlords").num_players == 2
        assert multi.parallel_env(game="breakout", num_players=1).possible_agents == ["first_0"]
        turns = multi.env(game="backgammon", difficulty=3, obs_type="ram")
        turns.reset(seed=1)
        turns.step(0)

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            ({"game": "breakout"}, "breakout has no modes for several players"),
            ({"game": "breakout", "num_players": 2}, "breakout only supports 1 player"),
            ({"game": "pong", "num_players": 3}, "pong only supports 1, 2, 4 players"),
            ({"game": "pong", "mode": 99}, "pong has no mode 99"),
            ({"game": "pong", "num_players": 4, "mode": 4}, "no mode 4 for 4 players; it has 5-8"),
            ({"game": "pung"}, "did you mean 'pong'"),
        ],
    )
    def test_what_does_not_fit(self, arguments: dict[str, Any], text: str) -> None:
        with pytest.raises(ValueError) as error:  # noqa: PT011 (the text is the test)
            multi.parallel_env(**arguments)
        assert text in str(error.value)


class TestModules:
    def test_list(self) -> None:
        assert len(MODULES) == 24  # PettingZoo's
        assert len(multi.ENVIRONMENTS) == 24 + 12
        assert list(multi.ENVIRONMENTS) == sorted(multi.ENVIRONMENTS)
        for name in multi.ENVIRONMENTS:
            module = our_module(name)
            assert module is getattr(multi, name)
            assert module.__all__ == ["env", "parallel_env", "raw_env", "vector_options"]
            for function in module.__all__:
                assert getattr(module, function).__module__ == module.__name__
                assert "obs_type" in inspect.signature(getattr(module, function)).parameters

    def test_functions_can_be_pickled(self) -> None:
        function = our_module("pong_v3").parallel_env
        assert pickle.loads(pickle.dumps(function)) is function

    def test_old_versions(self) -> None:
        with pytest.raises(ImportError, match=r"pong_v1.*pong_v3"):
            multi.pong_v1.parallel_env()  # type: ignore[attr-defined]
        for name in ("pong_v9", "chess_v1", "nonsense"):
            with pytest.raises(AttributeError, match=name):
                getattr(multi, name)
            with pytest.raises(ImportError):
                importlib.import_module(f"pyale_ma.multi.{name}")


def test_render() -> None:
    env = our_module("boxing_v2").parallel_env(render_mode="rgb_array")
    observations, _ = env.reset(seed=1)
    picture = env.render()
    assert np.array_equal(picture, observations["first_0"])
    env.close()
    env.close()


def test_nobody_else_has_a_reward() -> None:
    """As in PettingZoo: in turns it is a KeyError, of all at once it is 0."""
    env = multi.quartet_v0.raw_env()
    env.reset(seed=1)
    for _ in range(4):
        env.step(0)
    with pytest.raises(KeyError):
        env.rewards["nobody"]
    both = multi.quartet_v0.parallel_env()
    both.reset(seed=1)
    assert both.step(dict.fromkeys(both.agents, 0))[1]["nobody"] == 0


def test_warlords_for_two_does_not_begin() -> None:
    """The cartridge waits, in the original as well: nobody has a reward, and no castle falls."""
    env = multi.parallel_env(game="warlords", num_players=2, frame_skip=4)
    env.reset(seed=0)
    chance = np.random.default_rng(0)
    for _ in range(1500):
        actions = {agent: int(chance.integers(6)) for agent in env.agents}
        _, rewards, terminations, _, _ = env.step(actions)
        assert not any(rewards.values())
        assert not any(terminations.values())
