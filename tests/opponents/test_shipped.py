"""The shipped players decide as recorded, play as well as told, and are listed."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from pyale_ma import opponents
from pyale_ma.evaluation import Arena, duels
from pyale_ma.opponents import LEVELS, Trained

SHIPPED = opponents.available()
CONTESTS = [opponents.Contest(each.game, each.players, each.mode) for each in SHIPPED]
NAMES = [each.stem for each in CONTESTS]
# Of the matches below: frames of each, how many on each seating, and the first 16 digits of the
# SHA-256 of all their actions.
RECORDED = {
    "bowling-2-101": (5000, 24, "ea2dd84d312fef79"),
    "boxing-2-2": (5000, 24, "87b7d34b24919542"),
    "demon_attack-2-109": (5000, 24, "5f267e701ba35111"),
    "entombed-2-2": (5000, 24, "76c3ede3556ecde3"),
    "entombed-2-3": (5000, 24, "34407e247e57ae84"),
    "fishing_derby-2-2": (5000, 60, "0572e68899d993f8"),
    "flag_capture-2-1": (5000, 40, "f5522bd09c6fcda6"),
    "freeway-2-100": (5000, 24, "ff57654263a1955d"),
    "hangman-2-104": (5000, 60, "e72fc2ea0bf434d8"),
    "othello-2-4": (5000, 24, "f5c21f86637d75f6"),
    "pong-2-19": (5000, 100, "391bb433dcadf756"),
    "pong-2-39": (5000, 40, "d206b5b9f0ebd9bf"),
    "pong-2-4": (2000, 8, "bd3bdb7b26727df8"),
    "pong-4-41": (5000, 24, "5cbffff14e08a75d"),
    "pong-4-6": (5000, 24, "57a26daf3402a981"),
    "quartet-2-2": (2000, 8, "e85990e908c38deb"),
    "quartet-4-10": (5000, 24, "adff3a6bb0e15bf6"),
    "quartet-4-14": (5000, 24, "73290412795d795b"),
    "quartet-4-18": (2000, 8, "74cbb39b74e63a3d"),
    "quartet-4-6": (2000, 8, "581ab5b053fc186e"),
    "space_invaders-2-34": (5000, 100, "2b376168ae2b5bf2"),
    "surround-2-1": (2000, 8, "08861a4a5f5738b6"),
    "tennis-2-2": (5000, 24, "c2176578f13e478c"),
    "video_checkers-2-10": (5000, 24, "a5b95dca82a9ec16"),
    "wizard_of_wor-2-1": (5000, 24, "617d11452e380a12"),
}
TOGETHER = {"entombed-2-3", "quartet-4-14"}  # all get the same rewards


def _cases() -> list[Any]:
    """All shipped players; long matches are slow."""
    return [
        pytest.param(each, id=name, marks=[pytest.mark.slow] if RECORDED[name][0] > 2000 else [])
        for each, name in zip(SHIPPED, NAMES, strict=True)
    ]


@pytest.mark.parametrize("trained", _cases())
def test_players(trained: Trained) -> None:
    """Their actions are recorded ones on every machine, and win as the table says, or nearly so."""
    pytest.importorskip("ale_py", reason="carries the ROM files")
    contest = opponents.Contest(trained.game, trained.players, trained.mode)
    frames, games, recorded = RECORDED[contest.stem]
    arena = Arena(
        contest.game,
        contest.players,
        mode=contest.mode,
        frameskip=trained.frameskip,
        max_num_frames_per_episode=frames,
        obs_type="ram",
        stack_num=1,
    )
    assert tuple(trained.levels) == LEVELS
    digest = hashlib.sha256()
    below = None  # the score of the level below
    for number, (name, told) in enumerate(trained.levels.items()):
        apart = below is not None and below < 0.4
        other = LEVELS[number - 1] if apart else "random"
        policies: dict[str, Any] = {name: name, other: other}
        lineups = duels(name, other, trained.players)
        if contest.stem in TOGETHER:
            lineups = [(each,) * trained.players for each in (name, other)]
        results = arena.play(policies, lineups=lineups, games=games, seed=number)
        for match in results.matches:
            digest.update(match.actions.tobytes())
        rows = {standing.name: standing for standing in results.table()}
        row, theirs = rows[name], rows[other]
        if contest.stem in TOGETHER:
            most = theirs.mean_return + theirs.return_error
            # The weak one returns few balls more: that takes more matches to see.
            assert row.mean_return - row.return_error > most or name == "weak", results
        elif apart or name == "strong" or frames != told.frames:
            assert row.low > 0.5, results
        else:  # who may be no better than random play
            assert row.low <= told.high, results
            assert row.high >= told.low, results
        below = told.below
    assert digest.hexdigest()[:16] == recorded


def test_strong_players_clearly_beat_random_play() -> None:
    for trained in SHIPPED:
        strong = trained.levels["strong"]
        assert strong.score >= 0.6
        assert strong.low > 0.5
