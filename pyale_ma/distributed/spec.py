"""Specification of a worker's vector, with all files that a node needs for it."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from gymnasium.vector import AutoresetMode

from pyale_ma.games.cards import Card
from pyale_ma.games.selection import Selection
from pyale_ma.recording.file.format import Header
from pyale_ma.recording.replay.layers import layer_of
from pyale_ma.vector import AtariVectorEnv, checks as check

Game: TypeAlias = str | os.PathLike[str]
Games: TypeAlias = Sequence[Game] | Mapping[Game, float] | Mapping[str, float]

_REFUSED = {
    "batch_size": "a worker's batch is its whole vector; make more workers of fewer environments",
    "copy": "batches come as views of Ray's memory anyway",
    "render_mode": "workers do not render",
}


@dataclass(frozen=True)
class VectorSpec:
    """All that a node needs to know to make any worker's vector.

    Attributes:
        games: What each environment of a worker plays, with the images that are here.
        options: Further arguments of `AtariVectorEnv`.
        seed: Of the first worker's first environment; each further environment's is one more.
    """

    games: tuple[Selection, ...]
    options: Mapping[str, Any]
    seed: int


def make_vector_spec(
    games: Sequence[str | os.PathLike[str]], seed: int, options: Mapping[str, Any]
) -> VectorSpec:
    """Specify a vector, with the ROMs of this machine; workers search for others themselves.

    Raises:
        ValueError: There is no such game or mode, a card has a mistake, or an option is not for
            workers.
        FileNotFoundError: There is no such card, or no ROM of it here.
    """
    for name, why in _REFUSED.items():
        if name in options:
            raise ValueError(f"{name} is not for collectors: {why}")
    options = dict(options)
    mode = options.get("autoreset_mode", AutoresetMode.NEXT_STEP)
    if isinstance(mode, AutoresetMode):
        options["autoreset_mode"] = mode = mode.value
    if mode == AutoresetMode.DISABLED.value:
        raise ValueError("autoreset_mode is 'Disabled'; collectors take 'NextStep' or 'SameStep'")
    chosen = check.selections(
        None,
        games,
        1,
        options.get("num_players"),
        options.get("mode"),
        options.get("difficulty"),
        options.get("full_action_space", False),
        options.get("variation"),
    )
    for image in {id(each.image): each.image for each in chosen}.values():
        # A built-in game's file may be absent here: the nodes may have it.
        is_card = isinstance(image.game, Card)
        with contextlib.suppress(*() if is_card else (FileNotFoundError,)):
            image.path  # noqa: B018 (reads it)
    return VectorSpec(tuple(chosen), options, seed)


def make_vector(spec: VectorSpec, options: Mapping[str, Any]) -> tuple[AtariVectorEnv, Header]:
    """Return the spec's vector and its header."""
    try:
        envs = AtariVectorEnv(games=spec.games, **options)
    except FileNotFoundError as absent:
        raise FileNotFoundError(
            f"neither the driver nor this node has a ROM that is needed: {absent}"
        ) from None
    return envs, layer_of(envs).header({})


def identity(spec: VectorSpec) -> dict[str, Any]:
    """Return a spec's games and options, as JSON has them; states fit only equal ones."""

    def plain(value: Any) -> Any:
        if isinstance(value, (np.generic, np.ndarray)):
            return value.tolist()
        if isinstance(value, Mapping):
            return {str(name): plain(part) for name, part in value.items()}
        if isinstance(value, (set, frozenset)):
            value = sorted(value, key=repr)
        if isinstance(value, (list, tuple)):
            return [plain(part) for part in value]
        return value if isinstance(value, (str, int, float, type(None))) else repr(value)

    return {
        "games": [each.environment or each.game.name for each in spec.games],
        "cards": [each.game.digest for each in spec.games if isinstance(each.game, Card)],
        "options": {n: plain(v) for n, v in sorted(spec.options.items()) if n != "num_threads"},
    }


def spread_games(game: Game | None, games: Games | None, num_envs: int) -> list[Game]:
    """Return the game of each of `num_envs` environments; copies of a game are adjacent.

    Each game gets one environment, and of the others as many as are nearest to its weight.

    Raises:
        ValueError: Neither or both of `game` and `games` are given, there are more games than
            environments, or a weight is not positive.
    """
    if (game is None) == (games is None):
        raise ValueError("give either a game or several games")
    if isinstance(games, (str, os.PathLike)):
        game, games = games, None
    if games is None:
        assert game is not None
        return [game] * num_envs
    weights: Mapping[Any, float] = games if isinstance(games, Mapping) else Counter(games)
    for name, weight in weights.items():
        if not 0 < weight < float("inf"):
            raise ValueError(f"the weight of {name!r} is {weight!r}; it must be a positive number")
    if not 0 < len(weights) <= num_envs:
        raise ValueError(
            f"games has {len(weights)} games for the {num_envs} environments of a worker; "
            "each worker plays all of them: make num_envs larger"
        )
    rows = dict.fromkeys(weights, 1)
    for _ in range(
        num_envs - len(rows)
    ):  # by Sainte-Lague: the game with most weight for each place is next
        next_game = max(rows, key=lambda name: weights[name] / (2 * rows[name] + 1))
        rows[next_game] += 1
    return [name for name, count in rows.items() for _ in range(count)]
