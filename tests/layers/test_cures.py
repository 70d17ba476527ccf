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
from pyale_ma import benchmarks, envpool, evaluation, multi, opponents, recording, roms, single
from pyale_ma.compat.torchwm import make_atari_vector_env
from pyale_ma.evaluation import Arena
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


def test_unknown_arguments_of_adapters() -> None:
    with pytest.raises(TypeError, match=r"option 'frameskip'.*'frame_skip'"):
        envpool.make("Quartet-v5", "gym", frameskip=2)
    pytest.importorskip("pyspiel")
    from pyale_ma.integrations.openspiel import AtariGame, load_game

    with pytest.raises(TypeError, match=r"load_game.*'frame_skip'"):
        load_game("quartet", frame_skip=2)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match=r"parameter 'frame_skip'.*'frameskip'"):
        AtariGame({"frame_skip": 2})


def test_unknown_settings_name_those_that_were_meant() -> None:
    with pytest.raises(RuntimeError, match="mean 'frame_skip'"):
        single.ALEInterface().setInt("frameskip", 2)
    with pytest.raises(ValueError, match="mean 'frame_skip'"):
        multi.ALEInterface().setInt("frameskip", 2)


def test_players_of_another_mode_say_which_argument_to_change() -> None:
    player = opponents.load("quartet", "weak", num_players=2)  # in mode 2
    for opponent in (player, "weak"):
        with pytest.raises(ValueError, match=r"mode=2\b"):
            Arena("quartet", 2, mode=8).play({"a": opponent, "b": "random"})
    with pytest.raises(ValueError, match="num_players=2, mode=2"):
        opponents.VersusEnv("quartet", player, num_players=4)
    with pytest.raises(ValueError, match=r"frameskip=4.*player"):
        opponents.VersusEnv("quartet", player, num_players=2, frameskip=2)


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield public functions that take arguments by name alone, of modules and their classes."""
    for module in (pyale_ma, benchmarks, evaluation, opponents, recording, roms):
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
        with pytest.raises(TypeError, match=rf"{owner}.*argument 'overwite'"):
            function(overwite=True)
    with pytest.raises(TypeError, match=rf"{owner} takes .* without a name"):
        function(*range(kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) + 1))


def test_misspelt_names_are_guessed(tmp_path: Path) -> None:
    env, arena = single.AtariEnv("quartet"), Arena("quartet")
    file = tmp_path / "a.zip"
    with pytest.raises(TypeError, match=r"^record.*'overwite'.*'overw"):
        recording.record(env, file, overwite=True)  # type: ignore[call-arg]
    for method in (arena.film, arena.record):
        with pytest.raises(TypeError, match=r"argument 'overwite'.*'overwrite'"):
            method(None, file, overwite=True)  # type: ignore[call-arg, arg-type]
    for make in (opponents.VersusVectorEnv, Arena):
        with pytest.raises(TypeError, match=r"argument 'games'.*'game'"):
            make(games=["pong"])  # type: ignore[call-arg]
    assert not list(tmp_path.iterdir())


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
