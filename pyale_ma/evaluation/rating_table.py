"""Tables of ratings: how the package's players of a contest scored against each other.

A table is a file of JSON beside the players, ``GAME-PLAYERS-MODE.ratings``, that ``python -m league
rate`` writes.  Ratings are computed from it by `pyale_ma.evaluation.crossplay.CrossPlay.elo`;
random play has 0.
"""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pyale_ma import _native
from pyale_ma._base.arguments import known_names
from pyale_ma._base.fields import Fields
from pyale_ma._base.files import read_file, written_aside
from pyale_ma._base.text import Markdown, printable
from pyale_ma._native import Rules
from pyale_ma.evaluation.crossplay import CrossPlay
from pyale_ma.evaluation.elo import Elo
from pyale_ma.games import rom_files
from pyale_ma.opponents import catalogue
from pyale_ma.opponents.catalogue import SCRIPTED, Contest, contest
from pyale_ma.opponents.weights import DIGEST, LEVELS

__all__ = ["RatingTable", "rating_table", "read_table", "trained_digest", "write_table"]

SUFFIX = ".ratings"
ANCHOR = "random"  # whose rating is 0
_CONFIDENCE = 0.95  # of intervals, unless another is chosen
_FORMAT, _VERSION = "pyale_ma ratings", 1
_MOST_BYTES = 64 * 1024
_MOST = 2**31 - 1


@dataclass(frozen=True)
class RatingTable(Markdown):
    """Players of a contest, and how each scored against each other.

    Attributes:
        contest: What was played.
        frameskip: Frames of a step.
        frames: After how many frames a match was ended, if it was not over before.
        matches: Of each pair: in each, one player has one seat, on all seats in turn, and the other
            the rest.
        seed: Of the first match.
        trained: `trained_digest` of the players that played.
        crossplay: The scores.
    """

    contest: Contest
    frameskip: int
    frames: int
    matches: int
    seed: int
    trained: str | None
    crossplay: CrossPlay

    @known_names
    def elo(self, *, confidence: float = _CONFIDENCE) -> dict[str, Elo]:
        """The rating of each player, the best first; random play has 0.

        Args:
            confidence: Of the intervals, between 0 and 1.

        Raises:
            TypeError: `confidence` is not a number.
            ValueError: It is out of range.
        """
        if confidence == _CONFIDENCE:
            return dict(self._usual)
        return self.crossplay.elo({ANCHOR: 0.0}, confidence=confidence)

    @functools.cached_property
    def _usual(self) -> dict[str, Elo]:
        return self.crossplay.elo({ANCHOR: 0.0}, confidence=_CONFIDENCE)

    def __str__(self) -> str:
        """The table for people, in Markdown."""
        rows = ["| player | rating |", "| --- | ---: |"]
        return "\n".join(rows + [f"| {name} | {elo} |" for name, elo in self.elo().items()])


@known_names
def rating_table(
    name: str | os.PathLike[str] | Contest,
    *,
    num_players: int | None = None,
    mode: int | None = None,
) -> RatingTable:
    """The package's ratings of a contest.

    Args:
        name: A game, such as "pong", an environment, such as "pong_v3", or a contest.
        num_players: For how many players the game is; None as in `contest`.
        mode: The game's mode; None as in `contest`.

    Examples:
        ```python
        from pyale_ma import opponents

        print(opponents.rating_table("quartet", num_players=2))
        ```

    Raises:
        ValueError: There is no such game, or there are no ratings of this contest; the text says
            for which there are.
    """
    played = contest(name, num_players, mode)
    table = _tables().get(played)
    if table is None:
        raise ValueError(
            f"name is {printable(name)!r}, num_players {num_players}, mode {mode}: there"
            f" are no ratings of {played}; ratings exist for {'; '.join(map(str, _tables()))}"
        )
    return table


@functools.cache
def _tables() -> dict[Contest, RatingTable]:
    """All tables of the package."""
    tables = map(read_table, sorted(catalogue.FOLDER.glob(f"*{SUFFIX}")))
    return {table.contest: table for table in tables}


# ---- Files ---------------------------------------------------------------------------------------


def trained_digest(played: Contest) -> str | None:
    """The SHA-256 in the package's file of a contest's trained players; None: there is none."""
    file = catalogue.FOLDER / f"{played.stem}{catalogue.SUFFIX}"
    return file.read_bytes()[-DIGEST:].hex() if file.exists() else None


def write_table(path: str | os.PathLike[str], table: RatingTable) -> None:
    """Write a file of ratings.

    Args:
        path: The file.
        table: What it holds.

    Raises:
        OSError: It cannot be written.  The file that was there is as it was.
    """
    cross = table.crossplay
    points = np.where(cross.matches > 0, cross.scores * cross.matches, 0.0)
    entries = {
        "format": _FORMAT,
        "version": _VERSION,
        "game": table.contest.game,
        "md5": _native.games()[table.contest.game].md5,
        "players": table.contest.players,
        "mode": table.contest.mode,
        "frameskip": table.frameskip,
        "frames": table.frames,
        "matches": table.matches,
        "seed": table.seed,
        "trained": table.trained,
        "names": list(cross.names),
        # Sixths of a point occur in games of four.
        "points": np.round(points, 6).tolist(),
    }
    lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in entries.items())
    with written_aside(path) as aside:
        aside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def read_table(path: str | os.PathLike[str]) -> RatingTable:
    """Read a file of ratings.

    Args:
        path: The file.

    Raises:
        ValueError: It is no such file, or of another image or mode than this version of the game
            has; the text says what is wrong.
        OSError: It cannot be read.
    """
    file = Path(path)
    whole = read_file(file, _MOST_BYTES)
    try:
        return _table(whole)
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"{printable(file)} is no file of ratings: {problem}") from None


def _table(whole: bytes) -> RatingTable:
    """The table of a file's bytes; ValueError: there is none."""
    entries = Fields("its JSON", json.loads(whole.decode("utf-8")))
    entries.one_of("format", (_FORMAT,))
    entries.one_of("version", (_VERSION,))
    name = entries.string("game", 100)
    if name not in rom_files.game_names():
        raise ValueError(f"there is no game {name!r}")
    game = _native.games()[name]
    entries.one_of("md5", (game.md5,))
    players = entries.integer("players", 2, _native.MAX_PLAYERS)
    mode = entries.one_of("mode", game.modes(Rules.MULTI, players))
    trained = entries.values.get("trained")
    if trained is not None:
        trained = entries.string("trained", 2 * DIGEST)
    matches = entries.integer("matches", 1, _MOST)
    return RatingTable(
        Contest(name, players, mode),
        entries.integer("frameskip", 1, _native.MAX_FRAME_SKIP),
        entries.integer("frames", 1, _MOST),
        matches,
        entries.integer("seed", 0, _MOST),
        trained,
        _crossplay(entries, matches),
    )


def _crossplay(entries: Fields, matches: int) -> CrossPlay:
    names, rows = entries.values.get("names"), entries.values.get("points")
    levels = [*SCRIPTED, *LEVELS]
    if not isinstance(names, list) or [name for name in levels if name in names] != names:
        entries.refuse("names", f"some of {levels}, in this order")
    if ANCHOR not in names or len(names) < 2:
        raise ValueError(f"its names lack {ANCHOR}, or others")
    count = len(names)
    lists = rows if isinstance(rows, list) else []
    sizes = [len(row) if isinstance(row, list) else -1 for row in lists]
    if sizes != [count] * count or not {type(it) for row in lists for it in row} <= {int, float}:
        raise ValueError(f"its points are not {count} lists of {count} numbers")
    if not all(0 <= it <= matches for row in lists for it in row):  # nor is NaN
        raise ValueError(f"its points are not all between 0 and {matches}")
    apart = ~np.eye(count, dtype=bool)
    points = np.array(lists, np.float64)
    sums = (points + points.T)[apart]
    if points.trace() or not np.allclose(sums, matches, rtol=0, atol=1e-4):
        raise ValueError(f"its points of two players do not add up to {matches}")
    scores = np.where(apart, points / matches, np.nan)
    played = np.where(apart, matches, 0)
    trials = played.astype(np.float64)
    for array in (scores, played, trials):  # all callers share those of the package
        array.flags.writeable = False
    return CrossPlay(tuple(names), scores, played, trials)
