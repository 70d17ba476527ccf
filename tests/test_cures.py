"""Messages that say what to do: which argument was meant, or what to take instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import gymnasium
import pytest

from pyale_ma import envpool, multi, opponents, roms, single
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
        with pytest.raises(TypeError, match=r"^pyale_ma\.multi: give game, such as game='pong'$"):
            make()


def test_names_of_older_ids() -> None:
    for name in ("Pong-v4", "PongNoFrameskip-v4", "PongDeterministic-v0", "ALE/Pong-v4"):
        message = f"There is no game {name!r}; did you mean 'pong'?"
        with pytest.raises(ValueError, match=re.escape(message)):
            roms.known_game(name)
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


def test_wrappers_that_look_for_ale() -> None:
    pytest.importorskip("cv2", reason="AtariPreprocessing asks for it")
    env = opponents.VersusEnv("quartet", "random", frameskip=1)
    assert not hasattr(env, "ale")
    wrapped = gymnasium.wrappers.AtariPreprocessing(env)
    with pytest.raises(AttributeError, match="do not wrap it in AtariPreprocessing"):
        wrapped.ale.lives()
