"""The table of all contests in docs/opponents.md is that of league/scores.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import known_games
from common import module_at
from pyale_ma import opponents
from pyale_ma.opponents.catalogue import contest_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def generator() -> Any:
    return module_at(ROOT / "docs" / "tools" / "generate_scores.py")


def test_page(generator: Any) -> None:
    text = generator.PAGE.read_text(encoding="utf-8")
    assert generator.page(text) == text, "run python docs/tools/generate_scores.py"


def test_each_contest_has_a_player_or_a_reason(generator: Any) -> None:
    """A player that beats random play, in the table; if there is none, the page says why."""
    rows = {it.contest.stem: found for it, found in generator.contests()}
    environments = {opponents.contest(*it).stem for it in known_games.ENVIRONMENTS}
    assert len(environments) == len(known_games.ENVIRONMENTS)
    assert environments <= {*rows}
    beaten = {stem for stem, found in rows.items() if any(it.wins for it in found.values())}
    assert environments - beaten == {*generator.WHY}


def test_scores_are_of_the_present_players(generator: Any) -> None:
    """The trained players' matches are those that their files tell of."""
    score = generator.score
    trained = {contest_of(it): it for it in opponents.available()}
    scores = score.read_scores()
    for played in score.contests():
        for level, entry in scores.get(played.contest.stem, {}).items():
            stem = f"{played.contest.stem}: {level}"
            again = f"{stem} has changed: run python -m league score {played.name}"
            assert entry["player"] == score.player_of(played, level), again
            assert entry["frames"] == score.FRAMES[level], again
            assert len({sum(it) for it in entry["seats"]}) == 1, f"{stem} has unequal seats"
            if level == score.PLANNER:
                continue
            if level == score.RULED:
                assert score.matches_of(played, entry) == 200, again
                continue
            told, seats = trained[played.contest].levels[level], entry["seats"]
            assert (score.matches_of(played, entry), entry["frames"]) == (told.matches, told.frames)
            mean = against_opponents(played, told.score)
            assert generator.share(seats) == pytest.approx(mean), stem


def against_opponents(played: Any, told: float) -> float:
    """Return the score of a file of players, in which a team-mate counts as a draw, without it."""
    if played.is_alike:
        return told
    others: int = played.contest.players - 1
    met = len(played.opponents_of(0))
    return (others * told - (others - met) / 2) / met
