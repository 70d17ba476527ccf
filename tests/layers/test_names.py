"""Names mean the same everywhere: environments for several agents, default modes, modules."""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.spaces import Discrete

import pyale_ma
from pyale_ma import _native, multi, opponents
from pyale_ma._native import Rules
from pyale_ma.cli.common import open_game
from pyale_ma.evaluation import Arena
from pyale_ma.games import cards, environments
from pyale_ma.games.environments import ENVIRONMENTS
from pyale_ma.games.selection import resolve
from pyale_ma.opponents import VersusEnv, VersusVectorEnv
from pyale_ma.recording import Recording, record
from pyale_ma.vector import AtariVectorEnv

Array = npt.NDArray[Any]
SEED = 7
SETUPS = [(name, players) for name, each in ENVIRONMENTS.items() for players in each.modes]
# Arguments with which a vector plays as an environment that skips nothing.
PLAIN: dict[str, Any] = {
    "frameskip": 1,
    "noop_max": 0,
    "use_fire_reset": False,
    "autoreset_mode": "Disabled",
    "obs_type": "ram",
    "stack_num": 1,
}


def of_module(name: str, players: int, **arguments: Any) -> Any:
    """The module's environment."""
    module = getattr(multi, name)
    if "num_players" in signature(module.parallel_env).parameters:
        arguments["num_players"] = players
    return module.parallel_env(obs_type="ram", **arguments)


def play_agents(env: Any, actions: Array) -> Iterator[Array]:
    """RAM after a reset and after each step, until somebody is out."""
    env.reset(seed=SEED)
    yield env.state().copy()
    agents = env.possible_agents
    for row in actions.tolist():
        env.step(dict(zip(agents, row, strict=True)))
        yield env.state().copy()
        if len(env.agents) < len(agents):
            return


def play_vector(envs: Any, actions: Array) -> Iterator[Array]:
    """The same of a vector's first environment."""
    with_envs = envs if isinstance(envs, AtariVectorEnv) else envs.envs
    envs.reset(seed=SEED)
    yield with_envs._native.rams()[0].copy()
    for row in actions:
        envs.step(np.broadcast_to(row, (envs.num_envs, *row.shape)))
        yield with_envs._native.rams()[0].copy()


def as_vector(name: str, players: int, actions: Array) -> Iterator[Array]:
    return play_vector(AtariVectorEnv(name, num_players=players, **PLAIN), actions)


def as_one_of_games(name: str, players: int, actions: Array) -> Iterator[Array]:
    envs = AtariVectorEnv(games=[name, name], num_players=players, **PLAIN)
    return play_vector(envs, actions)


def as_options(name: str, players: int, actions: Array) -> Iterator[Array]:
    options = multi.vector_options(game=name, num_players=players)
    return play_vector(AtariVectorEnv(**{**PLAIN, **options}), actions)


def as_any_game(name: str, players: int, actions: Array) -> Iterator[Array]:
    env = multi.parallel_env(game=name, num_players=players, obs_type="ram")
    assert env.metadata["name"] == name
    return play_agents(env, actions)


def against_others(name: str, players: int, actions: Array) -> Iterator[Array]:
    options = {"num_players": players, "seat": 0, "frameskip": 1, "noop_max": 0}
    env = VersusEnv(name, _Planned(actions), obs_type="ram", **options)  # type: ignore[arg-type]
    yield env.reset(seed=SEED)[0].copy()
    for action in actions[:, 0].tolist():
        env.step(action)
        yield env.env.state().copy()


def against_others_in_a_vector(name: str, players: int, actions: Array) -> Iterator[Array]:
    envs = VersusVectorEnv(name, 1, _Planned(actions), seat=0, num_players=players, **PLAIN)
    return play_vector(envs, actions[:, 0])


class _Planned:
    """A policy that plays rows of actions, one after another."""

    def __init__(self, actions: Array) -> None:
        self._rows = iter(actions)
        self._asked = 0
        self._row: Array = actions[0]
        self._others = actions.shape[1] - 1

    def __call__(self, observations: Array, seats: Array) -> Array:
        if self._asked == 0:
            self._row = next(self._rows)
        self._asked = (self._asked + len(seats)) % self._others
        return self._row[seats]


def in_arena(name: str, players: int, actions: Array) -> Iterator[Array]:
    with Arena(name, players, **_without(PLAIN, "autoreset_mode"))._vector(1) as arena:
        yield from play_vector(arena, actions)


def in_openspiel(name: str, players: int, actions: Array) -> Iterator[Array]:
    from pyale_ma.integrations import openspiel

    game = openspiel.load_game(name, num_players=players, frameskip=1, seed=SEED)
    state = game.new_initial_state()
    yield np.frombuffer(state._now.ram, np.uint8)
    for row in actions.tolist():
        state.apply_actions(row)
        yield np.frombuffer(state._now.ram, np.uint8)


def on_command_line(name: str, players: int, actions: Array) -> Iterator[Array]:
    given = {"game": name, "players": players, "mode": None, "difficulty": None}
    arguments = argparse.Namespace(**given, rom=None, variation=None)
    env = open_game(arguments, seed=SEED)
    info = env.info
    full = arguments.full_action_space
    codes = np.array(_native.bits(info.legal_actions if full else info.minimal_actions))
    yield env.ram.copy()
    for row in codes[actions].tolist():
        env.actions[:players] = row
        env.act(players)
        yield env.ram.copy()


def _without(options: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != name}


ENTRY_POINTS: list[Callable[[str, int, Array], Iterator[Array]]] = [
    as_vector,
    as_one_of_games,
    as_options,
    as_any_game,
    against_others,
    against_others_in_a_vector,
    in_arena,
    *([in_openspiel] if importlib.util.find_spec("pyspiel") else []),  # not installed by `test`
    on_command_line,
]


def check_everywhere(name: str, players: int, steps: int) -> None:
    env = of_module(name, players)
    rng = np.random.default_rng(3)
    actions = rng.integers(len(env.action_mapping), size=(steps, players))
    expected = list(play_agents(env, actions))
    for entry_point in ENTRY_POINTS:
        if entry_point is on_command_line:  # where actions are repeated at random
            env = of_module(name, players, repeat_action_probability=0.25)
            expected = list(play_agents(env, actions))
        found = entry_point(name, players, actions)
        for step, (theirs, ours) in enumerate(zip(found, expected)):  # noqa: B905 (until an end)
            assert np.array_equal(theirs, ours), (entry_point.__name__, name, players, step)


@pytest.mark.parametrize(("name", "players"), SETUPS)
def test_names_of_environments_bring_what_their_modules_play(name: str, players: int) -> None:
    check_everywhere(name, players, 8)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), SETUPS)
def test_environments_are_the_same_through_every_entry_point(name: str, players: int) -> None:
    check_everywhere(name, players, 400)


@pytest.mark.parametrize(("name", "players"), SETUPS)
def test_environments_play_what_the_table_says(name: str, players: int) -> None:
    """And a game's own module the default of the game, which the library knows."""
    env, each = of_module(name, players), ENVIRONMENTS[name]
    told = resolve(name, players)
    assert (env.mode, env._difficulty) == (told.mode, told.difficulty)
    assert env.full_action_space == told.full_action_space
    assert env.num_players == players
    assert next(iter(each.modes)) == getattr(multi, name).parallel_env().num_players
    if name.rpartition("_")[0] == each.game:
        assert env.mode == _native.games()[each.game].default_mode(Rules.MULTI, players)


@pytest.mark.parametrize("game", ["pong", "space_invaders", "combat", "maze_craze", "quartet"])
def test_a_game_has_one_default_mode_for_a_number_of_players(game: str) -> None:
    """Where that of the module is not the first, or there are several modules."""
    module = {"combat": "combat_tank_v2"}.get(game, environments.usual(game))
    for players in ENVIRONMENTS[module].modes:
        mode = of_module(module, players).mode
        known = _native.games()[game]
        assert known.default_mode(Rules.MULTI, players) == mode
        assert AtariVectorEnv(game, num_players=players)._modes.tolist() == [mode]
        assert multi.parallel_env(game=game, num_players=players).mode == mode
        assert opponents.contest(game, players).mode == mode
        env = VersusEnv(game, "still", num_players=players).env
        assert env.mode == mode
        arguments = argparse.Namespace(game=game, players=players, mode=None, difficulty=None)
        arguments.rom = arguments.variation = None
        assert open_game(arguments).report.mode == mode


def test_a_card_has_its_first_mode_as_default(tmp_path: Any) -> None:
    file = tmp_path / "mine.toml"
    text = 'name = "mine"\nrom = "mine.bin"\nmodes = { 2 = [5, 7] }\n'
    file.write_text(text + '[select]\nuntil = "ram[0] == mode"\n')
    card = cards.load_card(file)
    assert card.default_mode(Rules.MULTI, 2) == 5
    assert card.default_mode(Rules.MULTI, 4) == -1


@pytest.mark.parametrize(("name", "players"), SETUPS)
def test_recordings_know_what_a_name_has_brought(name: str, players: int, tmp_path: Any) -> None:
    env = multi.parallel_env(game=name, num_players=players, obs_type="ram")
    with record(env, tmp_path / "a.zip"):
        env.reset(seed=SEED)
        for _ in range(30):
            env.step(dict.fromkeys(env.agents, len(env.action_mapping) - 1))
    recording = Recording.open(tmp_path / "a.zip")
    assert recording.header.games[0].name == ENVIRONMENTS[name].game
    verdict = recording.verify()
    assert verdict, verdict
    assert len(recording) == 30


def test_what_is_given_goes_before_what_a_name_brings() -> None:
    envs = AtariVectorEnv("pong_v3", 2, mode=10)
    assert envs._modes.tolist() == [10, 10]
    envs = AtariVectorEnv("pong_v3", 2, mode=[3, 4], difficulty=[0, 1])
    assert (envs._modes.tolist(), envs._difficulties.tolist()) == ([3, 4], [0, 1])
    envs = AtariVectorEnv(games=["backgammon_v0", "casino_v0"], num_envs=2)
    assert envs._difficulties.tolist() == [3, 3, 0, 0]
    assert envs.num_actions == [18] * 4
    assert AtariVectorEnv("quartet_v0", mode=2).num_players == 2
    assert AtariVectorEnv(games="breakout").games == ["breakout"]


def test_recordings_tell_the_mode_and_old_ones_have_the_first(tmp_path: Any) -> None:
    """Those of vectors have no mode where it was the first, which was the default then."""
    envs = AtariVectorEnv("pong", 2, num_players=2, mode=3, obs_type="ram")
    for file, mode in (("first.zip", None), ("usual.zip", 4)):
        with record(envs, tmp_path / file):
            envs.reset(seed=1, options={"mode": 3 if mode is None else mode})
            for _ in range(4):
                envs.step(envs.action_space.sample())
        recording = Recording.open(tmp_path / file)
        assert recording.verify()
        envs = AtariVectorEnv("pong_v3", 2, obs_type="ram")
        assert recording.header.options["mode"] is None or mode
    assert recording.header.options["mode"] == [4, 4]


def test_spaces_of_several_games_cover_all_environments() -> None:
    options: dict[str, Any] = {"num_envs": 2, "batch_size": 2, "full_action_space": True}
    envs = AtariVectorEnv(games=["pong", "breakout"], **options)
    assert envs.single_action_space == Discrete(18)
    assert envs.action_space.shape == (4,)
    envs = AtariVectorEnv("pong", 4, batch_size=2, num_players=2)
    assert envs.action_space.shape == (2, 2)
    envs = AtariVectorEnv(games=["pong", "tennis"], num_envs=2, batch_size=2, num_players=2)
    assert envs.action_space.shape == (4, 2)
    observations, _ = envs.reset(seed=0)
    envs.step(envs.action_space.sample()[observations[:, 0, 0, 0] * 0 + [0, 1]])


# ---- What packages show --------------------------------------------------------------------------

MODULES = (
    *("benchmarks", "envpool", "evaluation", "labels", "multi", "objects"),
    *("opponents", "recording", "roms", "single", "vector"),
)


def test_public_modules_are_there_and_imported_when_asked_for() -> None:
    code = """
import sys
import pyale_ma
before = {name for name in sys.modules if name.startswith("pyale_ma.")}
for name in dir(pyale_ma):
    getattr(pyale_ma, name)
assert pyale_ma.multi.pong_v3.parallel_env
print(*sorted({"pyale_ma." + name for name in %r} & before))
"""
    result = subprocess.run(
        [sys.executable, "-c", code % (MODULES,)], capture_output=True, text=True, check=True
    )
    assert not {*result.stdout.split()} - {"pyale_ma.roms"}, result.stdout
    assert dir(pyale_ma) == sorted({*pyale_ma.__all__, *MODULES})
    with pytest.raises(AttributeError, match=r"module 'pyale_ma'.*'mutli'"):
        pyale_ma.mutli  # noqa: B018
