"""`evaluate`: play a suite of games by a protocol, and report."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from pyale_ma._base.arguments import integer, known_names
from pyale_ma._base.files import written_aside
from pyale_ma._base.processes import over, over_ray
from pyale_ma._base.terminal import progress
from pyale_ma._base.text import printable
from pyale_ma.benchmarks.protocols import PROTOCOLS, Protocol
from pyale_ma.benchmarks.report import RULES, Episode, Report, recorded
from pyale_ma.benchmarks.scores import suite_of
from pyale_ma.evaluation import Arena, Policy, Turn
from pyale_ma.evaluation.matches import Array
from pyale_ma.opponents.policies import takes_turn

MakePolicy: TypeAlias = Callable[[str, int], Policy]
_Played: TypeAlias = tuple[tuple[Episode, ...], bytes]  # and the recording, b"" for none
_NAME = "policy"


@known_names
def evaluate(
    make_policy: MakePolicy,
    *,
    suite: str | Iterable[str] = "atari_57",
    protocol: str | Protocol = "atari_100k",
    episodes: int = 100,
    seed: int = 0,
    workers: int = 1,
    num_envs: int = 64,
    recordings: str | os.PathLike[str] | None = None,
    resume: bool = False,
    ray: bool = False,
    **options: Any,
) -> Report:
    """Play whole games by a protocol's rules for evaluation.

    A terminal gets a progress bar.

    Args:
        make_policy: Called with a game's name and the number of its actions; returns the policy
            that plays it (`pyale_ma.evaluation.Policy`).  With several workers it is pickled, so
            it must be something of a module that they can import.
        suite: A name among `SUITES`, or games.
        protocol: A name among `PROTOCOLS`, or a protocol.
        episodes: How many of each game.
        seed: Episode k has the seed `seed` + k.
        workers: Processes that each play a game at a time; 0: as many as there are CPUs.  Results
            do not depend on it, if policies draw their random numbers by `Turn`.  A script that has
            several needs ``if __name__ == "__main__":`` around what it does.
        num_envs: How many episodes of a game are played at a time.
        recordings: A folder, made if need be, in which each game's episodes are recorded:
            ``pong.zip`` and so on.  `Report.check` compares the report with them.
        resume: Take the episodes of games whose recordings are there already, instead of playing
            them: an evaluation that ended early goes on.  The policy must be the same.
        ray: Play the games as tasks of the Ray cluster to which `ray.init` connected, with a CPU
            each, instead of in processes; `workers` must be left out then.
        **options: Further arguments of `AtariVectorEnv`, such as ``obs_type="ram"``; not those that
            change the game or its score, which the protocol fixes.

    Examples:
        ```python
        from pyale_ma.benchmarks import evaluate
        from pyale_ma.evaluation import RandomPolicy


        def make_policy(game, num_actions):
            return RandomPolicy(num_actions)


        report = evaluate(make_policy, suite=["pong"], episodes=2)
        print(report)  # a table
        ```

    Raises:
        TypeError: An option is the protocol's, or is not allowed; `make_policy`, or what it
            returns, cannot be called.
        ValueError: There is no such suite, game or protocol, a number is out of range, or both
            `ray` and `workers` are given; or a recording to resume from has other episodes.
        FileExistsError: A game was recorded in `recordings` before, and `resume` is False.
        gymnasium.error.DependencyNotInstalled: `ray`, but Ray is not installed.
        RuntimeError: `ray`, but Ray is not running; or the process that played a game was killed.
        FileNotFoundError: A game's ROM file was not found; the text says how to get one.
    """
    games = suite_of(suite)
    if isinstance(protocol, str):
        if protocol not in PROTOCOLS:
            raise ValueError(f"protocol is {protocol!r}; there are {', '.join(PROTOCOLS)}")
        protocol = PROTOCOLS[protocol]
    _check_options(options)
    if not callable(make_policy):
        raise TypeError(
            f"make_policy is a {type(make_policy).__name__}, which cannot be called: it must take "
            "a game's name and its number of actions, and return a policy"
        )
    episodes, workers = integer("episodes", episodes, 1), integer("workers", workers, 0)
    if ray and workers != 1:
        raise ValueError(
            f"workers is {workers}; leave it out with ray=True, which uses all CPUs of the cluster"
        )
    if resume and recordings is None:
        raise ValueError("resume needs recordings, the folder of the evaluation that ended early")
    folder = None if recordings is None else Path(recordings)
    by_game = {}
    if folder is not None:
        seeds = range(seed, seed + episodes)
        for game in _games_there(folder, games, resume):
            by_game[game] = recorded(folder, game, protocol, seeds)
    play = functools.partial(
        _play,
        make_policy=make_policy,
        epsilon=protocol.epsilon,
        episodes=episodes,
        seed=seed,
        num_envs=num_envs,
        options={**options, **protocol.vector_options("evaluation")},
        is_recorded=folder is not None,
    )
    left = tuple(game for game in games if game not in by_game)
    workers = workers or os.cpu_count() or 1
    with progress(len(games), "games") as show:
        done = over_ray(play, left) if ray else over(play, left, workers)
        for number, (played, recording) in done:
            game = left[number]
            if folder is not None:
                with written_aside(folder / f"{game}.zip", overwrite=False) as aside:
                    aside.write_bytes(recording)
            by_game[game] = played
            show(len(by_game), game)
    return Report(protocol.name, {game: by_game[game] for game in games})


def _check_options(options: dict[str, Any]) -> None:
    """Refuse arguments of `AtariVectorEnv` that are not the caller's to choose."""
    if taken := sorted({"game", "games", "num_players", "variation"} & options.keys()):
        raise TypeError(f"{', '.join(taken)} cannot be chosen: a suite has games for one player")
    if taken := sorted(set(RULES) & options.keys()):
        raise TypeError(f"{', '.join(taken)} cannot be chosen: the protocol says it")


def _games_there(folder: Path, games: Iterable[str], resume: bool) -> list[str]:
    """Return the games that a folder has recordings of; the folder is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    there = [game for game in games if (folder / f"{game}.zip").exists()]
    if there and not resume:
        raise FileExistsError(
            f"there is a recording {printable(folder / f'{there[0]}.zip')} already: name another "
            "folder, or go on with resume=True"
        )
    return there


def _play(
    game: str,
    *,
    make_policy: MakePolicy,
    epsilon: float,
    episodes: int,
    seed: int,
    num_envs: int,
    options: dict[str, Any],
    is_recorded: bool,
) -> _Played:
    arena = Arena(game, None, num_envs=num_envs, **options)
    policy = make_policy(game, arena.num_actions)
    if not callable(policy):
        raise TypeError(
            f"make_policy returned a {type(policy).__name__} for {game}, which cannot be called: "
            "it must return a policy, which takes observations and seats, and returns actions"
        )
    if epsilon:
        policy = _SometimesRandom(policy, arena.num_actions, epsilon)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "recording.zip") if is_recorded else None
        results = arena.play({_NAME: policy}, games=episodes, seed=seed, recording=file)
        recording = file.read_bytes() if file else b""
    played = (
        Episode(match.seed, match.returns[0], len(match.actions), match.truncated)
        for match in results.matches
    )
    return tuple(played), recording


class _SometimesRandom:
    """A policy with random actions in place of some of another's."""

    def __init__(self, policy: Policy, num_actions: int, probability: float) -> None:
        self._policy = policy
        self._takes_turn = takes_turn(policy)
        self._num_actions = num_actions
        self._probability = probability

    def __call__(self, observations: Array, seats: Array, /, turn: Turn | None = None) -> Array:
        assert turn is not None, "an arena gives it one"
        more: dict[str, Any] = {"turn": turn} if self._takes_turn else {}
        chosen = self._policy(observations, seats, **more)
        actions = np.array(chosen.detach().cpu() if hasattr(chosen, "detach") else chosen)
        for place, generator in enumerate(turn.generators):
            if generator.random() < self._probability:
                actions[place] = generator.integers(self._num_actions)
        return actions
