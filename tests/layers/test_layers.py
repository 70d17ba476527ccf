"""One game, mode, seed and script of actions, played by every layer: all must be one game.

The truth is `parallel_env` with single frames, which is compared with PettingZoo's elsewhere; steps
of several frames are put together here, as SuperSuit's `frame_skip_v0` does it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.error import Error, ResetNeeded

from common import rom_path
from multi.reference import held_actions, our_module
from pyale_ma import multi
from pyale_ma.opponents import VersusEnv, VersusVectorEnv
from pyale_ma.recording import Recording, record
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv

SEED = 5
# Modules in which a player can be out while others play on.  With these seeds of actions it happens
# within so many steps of four frames, with sticky actions; in some it matters at once.
OUTLIVED = {
    "casino_v0": (14, 1090),
    "joust_v3": (7, 650),
    "mario_bros_v3": (7, 350),
    "maze_craze_v3": (1, 600),
    "quartet_v0": (8, 500),
    "warlords_v3": (6, 360),
    "wizard_of_wor_v3": (7, 575),
}
LONG = ("casino_v0", "maze_craze_v3")  # for the slow test
STICKY = 0.25
MOST_STEPS = 2500


@dataclass
class Script:
    """A play, and the results that every layer must come to.

    Attributes:
        module: The environment's.
        arguments: Of `parallel_env`, with which all layers are made.
        actions: Of all players, by step.
        rams: RAM at the beginning and after each step, until nobody plays any more.
        rewards: Of all players, by step.
        out: Who is out after each step.
        cut: Whether the episode was cut off.
        ended_by: The place in `terminal_on` of the label that ended it; -1: none did.
    """

    module: Any
    arguments: dict[str, Any]
    actions: list[list[int]]
    rams: list[bytes] = field(default_factory=list)
    rewards: list[list[int]] = field(default_factory=list)
    out: list[list[bool]] = field(default_factory=list)
    cut: bool = False
    ended_by: int = -1

    @property
    def steps(self) -> int:
        """Count them until nobody plays any more."""
        return len(self.rewards)

    @property
    def last(self) -> int:
        """A player who plays as long as anybody."""
        return min(range(len(self.out[0])), key=lambda player: sum(o[player] for o in self.out))

    def check_infos(self, infos: dict[str, Any], step: int) -> None:
        """See whether infos of a step tell which label ended the episode with it."""
        assert ("ended_by" in infos) == ("terminal_on" in self.arguments)
        expected = self.ended_by if step + 1 == self.steps else -1
        assert np.all(infos.get("ended_by", expected) == expected)


@functools.cache
def script_of(
    name: str,
    skip: int,
    sticky: float,
    action_seed: int,
    steps: int,
    terminals: tuple[tuple[str, str | int], ...] = (),
) -> Script:
    """The game by single frames: rewards are summed, and whoever is out does action 0.

    `terminals` are not given to the game, but looked at after each frame.
    """
    module = our_module(name)
    common = {"obs_type": "ram", "repeat_action_probability": sticky}
    env = module.parallel_env(max_cycles=steps * skip, **common)
    agents = env.possible_agents
    rng = np.random.default_rng(action_seed)
    counts = [int(env.action_space(agent).n) for agent in agents]
    actions = [*islice(held_actions(rng, MOST_STEPS, counts), steps)]
    arguments = {"frame_skip": skip, "max_cycles": steps, **common}
    script = Script(
        module, arguments | ({"terminal_on": dict(terminals)} if terminals else {}), actions
    )
    ended_by = functools.partial(label_that_ended, terminals, {})
    env.reset(seed=SEED)
    script.rams.append(env.state().tobytes())
    out = dict.fromkeys(agents, False)
    for chosen in actions:
        by_agent = dict(zip(agents, chosen, strict=True))
        sums = dict.fromkeys(agents, 0)
        for _ in range(skip):
            if not env.agents:
                break
            before = env.labels() if terminals else {}
            _, rewards, over, cut, _ = env.step({agent: by_agent[agent] for agent in env.agents})
            for agent, reward in rewards.items():
                sums[agent] += int(reward)
            out |= {agent: True for agent, is_over in over.items() if is_over}
            script.cut = script.cut or any(cut.values())
            if terminals:
                script.ended_by = ended_by(before, env.labels())
                if script.ended_by >= 0:
                    out, env.agents = dict.fromkeys(agents, True), []
        script.rams.append(env.state().tobytes())
        script.rewards.append([*sums.values()])
        script.out.append([*out.values()])
        if not env.agents:
            break
    return script


def label_that_ended(
    terminals: tuple[tuple[str, str | int], ...],
    stayed: dict[str, int],
    before: dict[str, int],
    now: dict[str, int],
) -> int:
    """The place of the first label that ends the episode in a frame; -1 if none does.

    `stayed` is kept from frame to frame.
    """
    ends = []
    for name, when in terminals:
        was, value = before[name], now[name]
        if isinstance(when, int):
            stayed[name] = stayed.get(name, 0) + 1 if value == was else 0
            ends.append(stayed[name] >= when)
        else:
            ways = {"changes": value != was, "rises": value > was, "falls": value < was}
            ends.append(ways[when])
    return ends.index(True) if True in ends else -1


def check(script: Script, played: Iterator[tuple[Any, Any, Any]]) -> None:
    """Compare a layer's rewards, ends and RAM (None: not shown) with what they must be."""
    number = -1
    for number, (rewards, out, ram) in enumerate(played):
        assert list(map(int, rewards)) == script.rewards[number], number
        assert list(map(bool, out)) == script.out[number], number
        assert ram is None or ram.tobytes() == script.rams[number + 1], number
    assert number + 1 == script.steps


# ---- Layers --------------------------------------------------------------------------------------


def by_parallel(script: Script, env: Any = None) -> Iterator[tuple[Any, Any, Any]]:
    env = env or script.module.parallel_env(**script.arguments)
    env.reset(seed=SEED)
    base, agents = env.unwrapped, env.possible_agents
    assert base.state().tobytes() == script.rams[0]
    out = dict.fromkeys(agents, False)
    cut = False
    for number, actions in enumerate(script.actions):
        by_agent = dict(zip(agents, actions, strict=True))
        playing = {agent: by_agent[agent] for agent in env.agents}
        _, rewards, ended, cuts, infos = env.step(playing)
        for info in infos.values():
            script.check_infos(info, number)
        out |= {agent: True for agent, over in ended.items() if over}
        cut = any(cuts.values()) and not all(ended.values())
        yield [rewards.get(agent, 0) for agent in agents], out.values(), base.state()
        if not env.agents:
            break
    assert cut == (script.cut and not all(script.out[-1]))


def by_supersuit(script: Script) -> Iterator[tuple[Any, Any, Any]]:
    supersuit = pytest.importorskip("supersuit", reason="SuperSuit is not installed")
    skip, steps = script.arguments["frame_skip"], script.arguments["max_cycles"]
    arguments = {**script.arguments, "frame_skip": 1, "max_cycles": skip * steps}
    bare = script.module.parallel_env(**arguments)
    env = supersuit.frame_skip_v0(bare, skip)
    env.reset(seed=SEED)
    out = dict.fromkeys(env.possible_agents, False)
    for actions in script.actions:
        by_agent = dict(zip(env.possible_agents, actions, strict=True))
        _, rewards, ended, _, _ = env.step({agent: by_agent[agent] for agent in env.agents})
        out |= {agent: True for agent, over in ended.items() if over}
        # It leaves out what an agent earned before it was out.
        rewards = {**dict(zip(out, script.rewards[len(rewards) and -1], strict=True)), **rewards}
        yield [rewards[agent] for agent in out], out.values(), bare.state()
        if not env.agents:
            break


def by_turns(script: Script) -> Iterator[tuple[Any, Any, Any]]:
    """One agent after the other; what each is told at its turn is of the step before."""
    env = script.module.env(**script.arguments)
    env.reset(seed=SEED)
    agents = list(env.possible_agents)
    told: list[dict[str, Any]] = [{} for _ in range(script.steps + 1)]
    turns = dict.fromkeys(agents, 0)
    for agent in env.agent_iter():
        seen, reward, ended, cut, info = env.last()
        script.check_infos(info, turns[agent] - 1)
        told[turns[agent]][agent] = (reward, ended, seen)
        over = ended or cut
        env.step(None if over else script.actions[turns[agent]][agents.index(agent)])
        turns[agent] += 1
    gone = (0, True, None)
    for step in told[1:]:
        each = [step.get(agent, gone) for agent in agents]
        ram = next(seen for _, _, seen in each if seen is not None)
        yield [reward for reward, _, _ in each], [ended for _, ended, _ in each], ram


def by_vector(script: Script) -> Iterator[tuple[Any, Any, Any]]:
    """The second of two games, so that nothing depends on its being alone."""
    env = AtariVectorEnv(
        num_envs=2,
        num_threads=1,
        extra_infos=["ram"],
        **script.module.vector_options(**script.arguments),
    )
    _, infos = env.reset(seed=np.array([SEED + 1, SEED]))
    assert infos["ram"][1].tobytes() == script.rams[0]
    for number, actions in enumerate(script.actions[: script.steps]):
        _, rewards, out, cut, infos = env.step(np.array([actions, actions]))
        script.check_infos({name: value[1] for name, value in infos.items()}, number)
        yield rewards[1], out[1], infos["ram"][1]
    assert cut[1] == (script.cut and not all(script.out[-1]))
    env.close()


class Scripted:
    """An opponent that does what the script says."""

    observes_ram = True

    def __init__(self, script: Script) -> None:
        self.script = script
        self.step = 0

    def __call__(self, observations: Any, seats: Any) -> Any:
        return np.array(self.script.actions[self.step])[seats]


def by_versus(script: Script) -> Iterator[tuple[Any, Any, Any]]:
    """As the player who lasts longest sees it: the others' rewards and ends are not told."""
    options = script.module.vector_options(**script.arguments)
    for name in ("use_fire_reset", "reward_clipping", "stack_num", "maxpool"):
        del options[name]
    others, own = Scripted(script), script.last
    env = VersusEnv(opponent=others, seat=own, **options)
    seen, _ = env.reset(seed=SEED)
    assert seen.tobytes() == script.rams[0]
    for others.step in range(script.steps):
        seen, reward, over, cut, info = env.step(script.actions[others.step][own])
        script.check_infos(info, others.step)
        yield from of_one(script, others.step, own, reward, over, seen)
    assert cut == (script.cut and not script.out[-1][own])


def by_versus_vector(script: Script) -> Iterator[tuple[Any, Any, Any]]:
    others, own = Scripted(script), script.last
    options = script.module.vector_options(**script.arguments)
    env = VersusVectorEnv(opponent=others, seat=own, num_threads=1, **options)
    env.reset(seed=SEED)
    for others.step in range(script.steps):
        seen, reward, over, _, infos = env.step(np.array([script.actions[others.step][own]]))
        script.check_infos(infos, others.step)
        yield from of_one(script, others.step, own, reward[0], over[0], seen)
    env.close()


def of_one(
    script: Script, step: int, own: int, reward: Any, over: Any, ram: Any
) -> Iterator[tuple[Any, Any, Any]]:
    """Return one player's results, with those of the others."""
    rewards, out = list(script.rewards[step]), list(script.out[step])
    rewards[own], out[own] = int(reward), bool(over)
    yield rewards, out, ram


def by_openspiel(script: Script) -> Iterator[tuple[Any, Any, Any]]:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    from pyale_ma.integrations.openspiel import load_game

    options = script.module.vector_options(**script.arguments)
    game = load_game(
        options["game"],
        max_game_length=script.arguments["max_cycles"],
        seed=SEED,
        **{
            name: options.get(name)
            for name in ("num_players", "mode", "difficulty", "frameskip", "full_action_space")
        },
        repeat_action_probability=options["repeat_action_probability"],
    )
    state = game.new_initial_state()
    assert state.ram().tobytes() == script.rams[0]
    out = [False] * game.num_players()
    for number, actions in enumerate(script.actions[: script.steps]):
        state.apply_actions(
            [0 if gone else action for gone, action in zip(out, actions, strict=True)]
        )
        if state.is_chance_node():
            state.apply_action(0)
        # It says who is out while others play on.
        over = state.is_terminal()
        out = (
            script.out[number] if over else [state.legal_actions(p) == [0] for p in range(len(out))]
        )
        yield state.rewards(), out, state.ram()
    assert state.is_terminal()


def by_recording(script: Script, file: Path) -> Iterator[tuple[Any, Any, Any]]:
    """Recorded and played again."""
    env = script.module.parallel_env(**script.arguments)
    with record(env, file, check_every=1):
        for _ in by_parallel(script, env):
            pass
    recording = Recording.open(file)
    assert recording.verify(), recording.verify().difference
    rewards = recording.array("rewards")[:, 0]
    for number, played in enumerate(rewards):
        yield played, script.out[number], None


LAYERS: dict[str, Callable[[Script], Iterator[tuple[Any, Any, Any]]]] = {
    "parallel": by_parallel,
    "supersuit": by_supersuit,
    "turns": by_turns,
    "vector": by_vector,
    "versus": by_versus,
    "versus vector": by_versus_vector,
    "openspiel": by_openspiel,
}


def compare_layers(script: Script, folder: Path) -> None:
    """Have every layer play the script."""
    for name, play in LAYERS.items():
        try:
            check(script, play(script))
        except AssertionError as difference:
            raise AssertionError(f"{name}: {difference}") from difference
    check(script, by_recording(script, folder / "recording.zip"))


def compare_past_an_end(name: str, folder: Path) -> None:
    script = script_of(name, 4, STICKY, *OUTLIVED[name])
    assert any(any(out) and not all(out) for out in script.out)
    compare_layers(script, folder)


@pytest.mark.parametrize("name", [name for name in OUTLIVED if name not in LONG])
def test_one_is_out_while_others_play_on(name: str, tmp_path: Path) -> None:
    compare_past_an_end(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_one_is_out_after_long(name: str, tmp_path: Path) -> None:
    compare_past_an_end(name, tmp_path)


@pytest.mark.parametrize("name", [name for name in multi.ENVIRONMENTS if name not in OUTLIVED])
def test_all_layers_play_one_game(name: str, tmp_path: Path) -> None:
    """Until the episode is cut off."""
    compare_layers(script_of(name, 4, STICKY, 1, 40), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("skip", [1, 4])
@pytest.mark.parametrize("name", multi.ENVIRONMENTS)
def test_all_layers_play_one_game_longer(name: str, skip: int, tmp_path: Path) -> None:
    steps = 1000 if skip == 1 else 600
    compare_layers(script_of(name, skip, 0.0, 3, steps), tmp_path)


@pytest.mark.parametrize("skip", [1, 4])
@pytest.mark.parametrize(
    ("name", "terminals"),
    [
        ("pong_v3", (("enemy_score", "changes"), ("player_score", "rises"))),
        ("pong_v3", (("ball_x", 20),)),
        ("boxing_v2", (("enemy_score", "rises"), ("player_score", 500))),
        ("space_invaders_v2", (("lives", "falls"),)),
    ],
)
def test_labels_end_an_episode_in_all_layers(
    name: str, terminals: tuple[tuple[str, str | int], ...], skip: int, tmp_path: Path
) -> None:
    script = script_of(name, skip, STICKY, 1, 2400 // skip, terminals)
    assert not script.cut
    assert script.ended_by >= 0
    for layer, play in LAYERS.items():
        if layer != "openspiel":  # which has no such argument
            try:
                check(script, play(script))
            except AssertionError as difference:
                raise AssertionError(f"{layer}: {difference}") from difference
    check(script, by_recording(script, tmp_path / "recording.zip"))


# ---- Calls out of order --------------------------------------------------------------------------

GAMES_OF_ONE: dict[str, Callable[[], Any]] = {
    "AtariEnv": lambda: AtariEnv("quartet", obs_type="ram"),
    "parallel_env": lambda: our_module("quartet_v0").parallel_env(obs_type="ram"),
    "env": lambda: our_module("quartet_v0").env(obs_type="ram"),
    "VersusEnv": lambda: VersusEnv("quartet", "still", obs_type="ram"),
}


@pytest.mark.parametrize("layer", GAMES_OF_ONE)
def test_options_of_a_reset_are_not_ignored(layer: str) -> None:
    env = GAMES_OF_ONE[layer]()
    env.reset(seed=1, options={})
    for name in ("mode", "difficulty"):
        with pytest.raises(ValueError, match=rf"options.*'{name}'.*resets"):
            env.reset(options={name: 1})
    with pytest.raises(ValueError, match=r"options.*'reset_mask'"):
        env.reset(options={"reset_mask": [True]})
    with pytest.raises(TypeError, match=r"options.*\['mode'\]"):
        env.reset(options=["mode"])
    with pytest.warns(UserWarning, match=r"options.*'speed'"):
        env.reset(options={"speed": 2})


def test_options_of_a_vectors_reset_are_not_ignored() -> None:
    for make in (AtariVectorEnv, VersusVectorEnv):
        env = make("quartet", num_envs=1, num_players=2, num_threads=1)
        with pytest.raises(ValueError, match="options has 'speed'"):
            env.reset(options={"speed": 2})
        env.close()


def test_calls_out_of_order() -> None:
    """Read the table of docs/compatibility.md."""
    single, parallel, _, versus = (make() for make in GAMES_OF_ONE.values())
    single.step(0)
    for env, action in ((parallel, dict.fromkeys(parallel.possible_agents, 0)), (versus, 0)):
        with pytest.raises(ResetNeeded):
            env.step(action)
        env.reset()
        env.close()
        env.step(action)
    single.close()
    single.step(0)
    for env in (single, versus, AtariVectorEnv("quartet", 1, num_players=2)):
        with pytest.raises(Error, match=r"without.*render_mode='rgb_array'"):
            env.render()
    with pytest.warns(UserWarning, match=r"without.*render mode"):
        assert parallel.render() is None


def test_interfaces_say_what_is_in_force() -> None:
    """Settings of an environment's console are those that its arguments chose."""
    options: dict[str, Any] = {"repeat_action_probability": 0.3, "corrected_rules": True}
    names = ("corrected_rules", "sound_obs", "objects_obs")
    for sound in (False, True):
        several = multi.parallel_env(game="pong", num_players=2, sound_obs=sound, **options)
        several.reset(seed=7)
        one = AtariEnv("pong", sound_obs=sound, **options)
        assert several.ale.getInt(b"random_seed") == 7
        for env in (
            several,
            one,
            multi.parallel_env(game="pong", num_players=2, obs_type="objects"),
        ):
            in_force = env.ale._env.options
            assert os.fsdecode(env.ale.getString("rom_file")) == str(rom_path("pong"))
            is_objects = env not in (several, one)
            expected = (not is_objects, sound and not is_objects, is_objects)
            assert tuple(map(env.ale.getBool, names)) == expected
            probability = in_force["repeat_action_probability"]
            assert env.ale.getFloat("repeat_action_probability") == pytest.approx(probability)
    assert several.ale.getFloat("repeat_action_probability") == np.float32(0.3)
    versus = VersusEnv("pong", "still", corrected_rules=True)
    assert versus.env.ale.getBool("corrected_rules")
    assert not VersusEnv("pong", "still").env.ale.getBool("corrected_rules")


def test_settings_of_a_console_that_is_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    """They stay through a seeded reset, as those of the original."""
    env = multi.parallel_env(game="pong", num_players=2)
    env.ale.setInt("frame_skip", 3)
    env.ale.setFloat("repeat_action_probability", 0.5)
    env.reset(seed=2)
    assert env.ale.getInt("frame_skip") == 3
    assert env.ale.getFloat("repeat_action_probability") == 0.5
    monkeypatch.setattr(env, "_infos", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        env.reset(seed=3)
    assert env.ale.getInt("random_seed") == 3  # which plays
