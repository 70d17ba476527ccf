"""Published scores of random and human play, and the suites of games that papers report."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyale_ma.games import rom_files

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def _read() -> dict[str, Any]:
    with Path(__file__).with_name("scores.toml").open("rb") as file:
        data: dict[str, Any] = tomllib.load(file)
    return data


_DATA = _read()
_SCORES: dict[str, tuple[float, float]] = {
    game: (random, human) for game, (random, human) in _DATA["scores"].items()
}

SUITES: dict[str, tuple[str, ...]] = {
    "atari_57": tuple(_SCORES),
    **{name: tuple(games) for name, games in _DATA["suites"].items()},
}
"""The games of each suite: "atari_57" (all that have published scores) and "atari_100k" (26)."""


def suite_of(suite: str | Iterable[str]) -> tuple[str, ...]:
    """The games of a suite.

    Args:
        suite: A name among `SUITES`, or games, each of which must have published scores.

    Examples:
        ```python
        from pyale_ma.benchmarks import suite_of

        print(len(suite_of("atari_57")), suite_of(["pong", "breakout"]))
        ```

    Raises:
        ValueError: There is no such suite or game, no game at all, or one twice.
    """
    if isinstance(suite, str):
        if suite not in SUITES:
            raise ValueError(f"suite is {suite!r}; there are {', '.join(SUITES)}")
        return SUITES[suite]
    games = tuple(_known(game) for game in suite)
    if not games or len(set(games)) < len(games):
        raise ValueError(f"suite is {games}; it must have at least one game, and each once")
    return games


def random_score(game: str) -> float:
    """The published return of random play.  ValueError: this game has none."""
    return _SCORES[_known(game)][0]


def human_score(game: str) -> float:
    """The published return of a professional tester.  ValueError: this game has none."""
    return _SCORES[_known(game)][1]


def normalized(game: str, score: float) -> float:
    """A return on the scale on which random play is 0 and the human tester 1.

    Both were published with Wang et al. 2016 (arXiv 1511.06581): means over episodes that begin
    with up to 30 no-ops and last at most 108,000 frames.

    Args:
        game: A game's name, "ms_pacman", or as in ids, "MsPacman" or "ALE/MsPacman-v5".
        score: A return, before reward clipping.

    Examples:
        ```python
        from pyale_ma.benchmarks import normalized

        print(normalized("breakout", 400.0))
        ```

    Raises:
        ValueError: The game has no published scores.
    """
    random, human = _SCORES[_known(game)]
    return (score - random) / (human - random)


def _known(game: str | os.PathLike[str]) -> str:
    name = rom_files.known_game(os.fspath(game))
    if name not in _SCORES:
        raise ValueError(f"there are no published scores for {name!r}; only for atari_57's games")
    return name
