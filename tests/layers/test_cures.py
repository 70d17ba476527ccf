"""Messages that say what to do: which argument was meant, or what to take instead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import pyale_ma
from pyale_ma import benchmarks, envpool, evaluation, multi, opponents, recording, single
from pyale_ma.compat.torchwm import make_atari_vector_env
from pyale_ma.evaluation import Arena
from pyale_ma.games import rom_files
from pyale_ma.vector import AtariVectorEnv

_MODULE = multi.quartet_v0


@pytest.mark.parametrize(
    ("make", "wrong", "meant"),
    [
        (single.AtariEnv, "frame_skip", "frameskip"),
        (AtariVectorEnv, "frame_skip", "frameskip"),
        (make_atari_vector_env, "frame_skip", "frameskip"),
        (opponents.VersusEnv, "frame_skip", "frameskip"),
        (opponents.VersusVectorEnv, "frame_skip", "frameskip"),
        (lambda game, **options: Arena(game, 2, **options), "frame_skip", "frameskip"),
        (lambda game, **options: multi.ParallelAtariEnv(game, 2, **options), "frameskip", None),
        (lambda game, **options: multi.parallel_env(game=game, **options), "frameskip", None),
        (lambda game, **options: multi.env(game=game, **options), "frameskip", None),
        (lambda game, **options: _MODULE.parallel_env(**options), "frameskip", None),
        (lambda game, **options: _MODULE.raw_env(**options), "frameskip", None),
        (single.AtariEnv, "rendermode", "render_mode"),
        (AtariVectorEnv, "num_env", "num_envs"),
    ],
)
def test_unknown_arguments_name_those_that_were_meant(
    make: Callable[..., Any], wrong: str, meant: str | None
) -> None:
    with pytest.raises(TypeError) as failure:
        make("quartet", **{wrong: 2})
    words = f"has no argument {wrong!r}; did you mean {(meant or 'frame_skip')!r}?"
    assert str(failure.value).endswith(words)


def test_unknown_arguments_that_resemble_none() -> None:
    with pytest.raises(TypeError, match=r"^AtariEnv has no argument 'xyz'; there are game, mode,"):
        single.AtariEnv("quartet", xyz=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^gymnasium|AtariEnv has no argument 'frame_skip'"):
        gymnasium.make("pyale_ma/Quartet-v0", frame_skip=2)


def test_unknown_arguments_of_adapters() -> None:
    with pytest.raises(TypeError, match="no option 'frameskip'; did you mean 'frame_skip'"):
        envpool.make("Quartet-v5", "gym", frameskip=2)
    pytest.importorskip("pyspiel")
    from pyale_ma.integrations.openspiel import AtariGame, load_game

    with pytest.raises(TypeError, match="load_game has no argument 'frame_skip'; did you mean"):
        load_game("quartet", frame_skip=2)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="no parameter 'frame_skip'; did you mean 'frameskip'"):
        AtariGame({"frame_skip": 2})


def test_unknown_settings_name_those_that_were_meant() -> None:
    with pytest.raises(RuntimeError, match="did you mean 'frame_skip'"):
        single.ALEInterface().setInt("frameskip", 2)
    with pytest.raises(ValueError, match="did you mean 'frame_skip'"):
        multi.ALEInterface().setInt("frameskip", 2)


def test_a_list_of_games() -> None:
    with pytest.raises(TypeError, match=r"for several give games=\[\.\.\.\]"):
        AtariVectorEnv(["quartet", "quartet"])  # type: ignore[arg-type]
    others: list[Callable[[Any], Any]] = [
        single.AtariEnv,
        opponents.VersusEnv,
        opponents.VersusVectorEnv,
        opponents.load,
        lambda games: Arena(games, 2),
        lambda games: multi.parallel_env(game=games),
    ]
    for make in others:
        with pytest.raises(TypeError, match=r"AtariVectorEnv plays several: games=\[\.\.\.\]"):
            make(["quartet", "quartet"])


def test_players_of_another_mode_say_which_argument_to_change() -> None:
    player = opponents.load("quartet", "weak", num_players=2)  # in mode 2
    for opponent in (player, "weak"):
        with pytest.raises(ValueError, match=r"mode=2\b"):
            Arena("quartet", 2, mode=8).play({"a": opponent, "b": "random"})
    with pytest.raises(ValueError, match="give num_players=2, mode=2, or take another player"):
        opponents.VersusEnv("quartet", player, num_players=4)
    with pytest.raises(ValueError, match="give frameskip=4, or take another player"):
        opponents.VersusEnv("quartet", player, num_players=2, frameskip=2)


def test_a_game_that_is_missing() -> None:
    for make in (multi.parallel_env, multi.env, multi.raw_env):
        with pytest.raises(
            TypeError, match=r"^pyale_ma\.multi\.\w+: give game, such as game='pong'$"
        ):
            make()


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("num_envs", "give it to AtariVectorEnv: AtariVectorEnv(num_envs=..., **vector_options())"),
        ("extra_infos", "AtariVectorEnv(extra_infos=..., **vector_options())"),
        ("use_fire_reset", "AtariVectorEnv(**vector_options() | {'use_fire_reset': ...})"),
        ("seed", "give it to the vector's reset"),
        ("render_mode", "give it to AtariVectorEnv"),
        ("sound_obs", "give extra_infos=('sound',) to AtariVectorEnv"),
        ("frameskip", "did you mean 'frame_skip'?"),
        ("max_num_frames_per_episode", "give max_cycles, the number of steps"),
        ("mode", "pyale_ma.multi.vector_options(game=..., num_players=..., mode=...) takes any"),
        ("obs_typ", "did you mean 'obs_type'?"),
    ],
)
def test_arguments_that_modules_do_not_take(name: str, cure: str) -> None:
    with pytest.raises(TypeError) as failure:
        multi.pong_v3.vector_options(**{name: 2})
    said = str(failure.value)
    assert said.startswith(f"pyale_ma.multi.pong_v3.vector_options has no argument {name!r}; ")
    assert said.endswith(cure)


def test_what_messages_of_vector_options_propose_works() -> None:
    options = multi.quartet_v0.vector_options()
    assert AtariVectorEnv(num_envs=2, render_mode="rgb_array", **options).num_envs == 2
    AtariVectorEnv(**options | {"use_fire_reset": True, "noop_max": 3}).close()
    AtariVectorEnv(extra_infos=("sound",), **options).close()


def test_values_without_names() -> None:
    makes: list[Callable[..., Any]] = [getattr(_MODULE, name) for name in _MODULE.__all__]
    for make in makes:
        with pytest.raises(TypeError, match="takes nothing without a name; give arguments by name"):
            make("rgb_image")
    for name in ("parallel_env", "env", "raw_env", "vector_options"):
        message = rf"^pyale_ma\.multi\.{name}: give game, such as game='pong'$"
        with pytest.raises(TypeError, match=message):
            getattr(multi, name)("pong")
    with pytest.raises(TypeError) as failure:
        pyale_ma.translate_mode("pong", 4, "ale_py")  # type: ignore[call-arg]
    words = "translate_mode takes only game, mode without a name; give others by name: to=..."
    assert str(failure.value) == words


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield public functions that take arguments by name alone, of modules and their classes."""
    for module in (pyale_ma, benchmarks, evaluation, opponents, recording, rom_files):
        for name in getattr(module, "__all__", []):
            value = getattr(module, name)
            if inspect.isclass(value):
                yield from (
                    (f"{name}.{each}", function)
                    for each, function in vars(value).items()
                    if inspect.isfunction(function) and (each == "__init__" or each[0] != "_")
                )
            elif inspect.isfunction(value):
                yield name, value


# Whose names are the originals' or Gymnasium's, and called often.
NOT_OURS = {"ALEInterface.loadROM", "VersusEnv.reset", "VersusVectorEnv.reset"}
BY_NAME = {
    name: function
    for name, function in public_functions()
    for parameters in [inspect.signature(function).parameters.values()]
    if name not in NOT_OURS and any(it.kind is it.KEYWORD_ONLY for it in parameters)
}


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_all_functions_name_arguments_that_they_do_not_have(name: str) -> None:
    function = BY_NAME[name]
    kinds = [it.kind for it in inspect.signature(function).parameters.values()]
    owner = re.escape(name.removesuffix(".__init__"))
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        with pytest.raises(TypeError, match=rf"{owner} has no argument 'overwite'; "):
            function(overwite=True)
    with pytest.raises(TypeError, match=rf"{owner} takes .* without a name; give \w+ by "):
        function(*range(kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) + 1))


def test_misspelt_names_are_guessed(tmp_path: Path) -> None:
    env, arena = single.AtariEnv("quartet"), Arena("quartet")
    file = tmp_path / "a.zip"
    with pytest.raises(TypeError, match=r"^record has no argument 'overwite'; did you mean 'overw"):
        recording.record(env, file, overwite=True)  # type: ignore[call-arg]
    for method in (arena.film, arena.record):
        with pytest.raises(TypeError, match="no argument 'overwite'; did you mean 'overwrite'"):
            method(None, file, overwite=True)  # type: ignore[call-arg, arg-type]
    for make in (opponents.VersusVectorEnv, Arena):
        with pytest.raises(TypeError, match="no argument 'games'; did you mean 'game'"):
            make(games=["pong"])  # type: ignore[call-arg]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("interface", [single.ALEInterface, multi.ALEInterface])
@pytest.mark.parametrize(
    ("file", "game"),
    [("pong", "pong"), ("roms/ms_pacman.bin", "ms_pacman"), ("quadrapong_v4", "pong")],
)
def test_games_for_files(interface: Any, file: str, game: str) -> None:
    with pytest.raises(FileNotFoundError) as failure:
        interface().loadROM(file)
    assert f"pyale_ma.roms.find_rom({game!r}) returns the path of this" in str(failure.value)
    assert failure.value.filename == file
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: 'nonsense'$"):
        interface().loadROM("nonsense")


def test_names_of_older_ids() -> None:
    for name in ("Pong-v4", "PongNoFrameskip-v4", "PongDeterministic-v0", "ALE/Pong-v4"):
        message = f"There is no game {name!r}; did you mean 'pong'?"
        with pytest.raises(ValueError, match=re.escape(message)):
            rom_files.known_game(name)
    for name, options in (
        ("PongNoFrameskip-v4", "frameskip=1, repeat_action_probability=0.0"),
        ("Pong-v0", "frameskip=(2, 5), repeat_action_probability=0.25"),
    ):
        with pytest.raises(ValueError, match=re.escape(f"That id of Gymnasium means {options}")):
            AtariVectorEnv(name, 1)


def test_ids_for_vectors() -> None:
    """A vector without the sticky actions that an id means is no vector of that id."""
    for name, game in (("ALE/MsPacman-v5", "ms_pacman"), ("pyale_ma/Quartet-v0", "quartet")):
        message = (
            f"{name!r} is an id, for gymnasium.make_vec; here name the game: {game!r}. That id of "
            "Gymnasium means frameskip=4, repeat_action_probability=0.25, with the game's name."
        )
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            AtariVectorEnv(name)
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            AtariVectorEnv(games=["pong", name])
        ours = name.replace("ALE/", "pyale_ma/")  # ale-py takes its own ids once it is imported
        envs = gymnasium.make_vec(ours, num_envs=2)
        assert isinstance(envs.unwrapped, AtariVectorEnv)
        assert envs.unwrapped.games == [game] * 2
        envs.close()


def test_versions_of_ids() -> None:
    with pytest.raises(gymnasium.error.VersionNotFound, match="`v0`"):
        gymnasium.make("pyale_ma/Quartet-v5")


def test_agents_that_there_are_not() -> None:
    env = _MODULE.parallel_env()
    by_turns = _MODULE.env()
    for space in (
        env.action_space,
        env.observation_space,
        by_turns.action_space,
        by_turns.observation_space,
    ):
        with pytest.raises(multi.AgentError, match="no agent 'fifth_0'; agents are first_0, sec"):
            space("fifth_0")
        with pytest.raises(KeyError):  # PettingZoo's
            space(["first_0"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: opponents.VersusVectorEnv("quartet", opponents="weak"), "did you mean 'opponent'"),
        (
            lambda: opponents.VersusVectorEnv("quartet", frame_skip=4),
            "VersusVectorEnv .*mean 'frameskip'",
        ),
        (lambda: opponents.VersusVectorEnv("quartet", "weak"), "give opponent='weak' by name"),  # type: ignore[arg-type]
        (lambda: AtariVectorEnv("quartet", seed=1), "no argument 'seed'; give it to reset"),  # type: ignore[call-arg]
        (lambda: recording.Recording("a.zip"), r"Recording.open\(path\)"),  # type: ignore[arg-type]
        (lambda: Arena("pomg_v3"), "There is no environment 'pomg_v3'; did you mean 'pong_v3'"),
        (lambda: Arena("pong_v2"), "did you mean 'pong_v3'"),
    ],
)
def test_mistakes_in_calls(call: Callable[[], object], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_wrappers_that_look_for_ale() -> None:
    pytest.importorskip("cv2", reason="AtariPreprocessing asks for it")
    env = opponents.VersusEnv("quartet", "random", frameskip=1)
    assert not hasattr(env, "ale")
    wrapped = gymnasium.wrappers.AtariPreprocessing(env)
    with pytest.raises(AttributeError, match="do not wrap it in AtariPreprocessing"):
        wrapped.ale.lives()
