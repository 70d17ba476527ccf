"""Measure the players of all contests against random play, for the table of docs/opponents.md.

    pip install '.[roms]'
    python -m league score                          # all contests; goes on where it stopped
    python -m league score joust_v3 --matches 200
    python docs/tools/generate_scores.py            # write the table

Results are added to `scores.json`, those of the planner after every eight matches, so the command
can be interrupted.  If a player has changed since, its matches are played anew.  The same arguments
play the same matches.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from league.rate import whole
from pyale_ma import opponents
from pyale_ma._base.files import written_aside
from pyale_ma.evaluation import Arena, Policy, Results, duels
from pyale_ma.evaluation.rating_table import trained_digest
from pyale_ma.games.environments import ENVIRONMENTS
from pyale_ma.opponents import LEVELS, Contest, rules
from pyale_ma.opponents.catalogue import PLANNER, RULED, contest_of, untrained_levels
from pyale_ma.opponents.planner import Planner, planner_settings

SCORES = Path(__file__).with_name("scores.json")
OTHERS = "random"
FRAMES = {PLANNER: 1500} | dict.fromkeys((RULED, *LEVELS), 5000)  # of a match, at most
CHUNK = 8  # matches of the planner between two writes
ALIKE = ("atlantis-2-102", "entombed-2-3", "quartet-4-14")  # all players have the same reward

Scores = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True)
class Played:
    """A contest that is played, by the name of its environment or game.

    The name also chooses difficulty and actions.
    """

    name: str
    contest: Contest

    @property
    def is_alike(self) -> bool:
        """Whether all players have the same reward, so that nobody wins a match."""
        return self.contest.stem in ALIKE

    @property
    def levels(self) -> list[str]:
        """Who can play it."""
        trained = {contest_of(it): list(it.levels) for it in opponents.available()}
        return [*untrained_levels(self.contest), *trained.get(self.contest, [])]

    def opponents_of(self, seat: int) -> list[int]:
        """Return the seats that are against this one; 1 for those of `together`."""
        if self.is_alike:
            return [1]
        game, players, mode = self.contest.game, self.contest.players, self.contest.mode
        is_team = (game, players) == ("pong", 4) or (game, players, mode) == ("quartet", 4, 10)
        return [it for it in range(players) if (it - seat) % (2 if is_team else players)]


def contests() -> Iterator[Played]:
    """Yield the contests of all environments, then others that have trained players."""
    seen = set()
    for name, environment in ENVIRONMENTS.items():
        for players in sorted(environment.modes):
            seen.add(contest := opponents.contest(name, players))
            yield Played(name, contest)
    for trained in opponents.available():
        if (contest := contest_of(trained)) not in seen:
            yield Played(contest.game, contest)


def player_of(played: Played, level: str) -> Any:
    """Return what identifies a player: the planner's settings, or a digest of rules or networks."""
    if level == RULED:
        text = Path(rules.__file__).read_text("utf-8")
        return hashlib.sha256(text.encode()).hexdigest()[:16]
    if level != PLANNER:
        return trained_digest(played.contest)
    player = Planner(**planner_settings().get(played.contest.stem, {}))
    settings = {it.name: getattr(player, it.name) for it in fields(player) if it.init}
    for name in ("value", "rivalry"):  # there are results from before these
        if settings[name] == getattr(Planner, name):
            del settings[name]
    return settings


def read_scores(file: Path = SCORES) -> Scores:
    """Return the results that there are."""
    scores: Scores = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return scores


def write_scores(scores: Scores, file: Path = SCORES) -> None:
    """Write results, a line for each player."""
    lines = []
    for stem, levels in sorted(scores.items()):
        rows = (f'  "{level}": {json.dumps(it)}' for level, it in levels.items())
        lines.append(f'"{stem}": {{\n' + ",\n".join(rows) + "\n}")
    with written_aside(file) as aside:
        aside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def empty(played: Played, level: str) -> dict[str, Any]:
    """Return the results of a player that has not played yet."""
    entry: dict[str, Any] = {"player": player_of(played, level), "frames": FRAMES[level]}
    if level == PLANNER:
        entry |= {"seconds": 0.0, "decisions": 0}
    rows = 1 if played.is_alike else played.contest.players
    return entry | {"seats": [[0, 0, 0] for _ in range(rows)]}


def matches_of(played: Played, entry: dict[str, Any]) -> int:
    """Return how many matches there are."""
    met = [sum(seat) / len(played.opponents_of(k)) for k, seat in enumerate(entry["seats"])]
    return round(sum(met))


def play(played: Played, level: str, entry: dict[str, Any], matches: int) -> None:
    """Play more matches, alone on each seat in turn, and add them to an entry.

    Where all players have the same reward, the player has all seats, and so has random play in
    matches of the same seeds.
    """
    seats = played.contest.players
    arena = Arena(
        played.name,
        seats,
        mode=played.contest.mode,
        obs_type="ram",
        stack_num=1,
        num_envs=CHUNK if level == PLANNER else 256,
        num_threads=1,
        max_num_frames_per_episode=entry["frames"],
    )
    began = time.process_time()
    seed = matches_of(played, entry)
    if played.is_alike:
        results = together(arena, {level: level, OTHERS: OTHERS}, matches, seed)
    else:
        results = arena.play(
            {level: level, OTHERS: OTHERS},
            lineups=duels(level, OTHERS, seats)[:seats],
            games=-(-matches // seats),
            seed=seed,
        )
    if level == PLANNER:
        entry["seconds"] = round(entry["seconds"] + time.process_time() - began, 1)
        steps = sum(len(it.actions) for it in results.matches) * (seats if played.is_alike else 1)
        entry["decisions"] += round(steps / entry["player"]["hold"])
    count(played, level, entry, results)


def together(
    arena: Arena, policies: Mapping[str, Policy | str], matches: int, seed: int
) -> Results:
    """Matches of each of two policies with itself, as matches against each other.

    Those of the same seed are compared, for games in which all players have the same reward.
    """
    one, other = (
        arena.play({"": it}, lineups=[[""] * arena.num_players], games=matches, seed=seed)
        for it in policies.values()
    )
    return Results(
        [
            replace(match, lineup=(*policies,), returns=(match.returns[0], same.returns[0]))
            for match, same in zip(one.matches, other.matches, strict=True)
        ]
    )


def count(played: Played, level: str, entry: dict[str, Any], results: Results) -> None:
    """Add the opponents with a lower, an equal and a higher return, by seat."""
    for match in results.matches:
        seat = match.lineup.index(level)
        for other in played.opponents_of(seat):
            more = match.returns[seat] - match.returns[other]
            entry["seats"][seat][0 if more > 0 else 1 if more == 0 else 2] += 1


def main(arguments: Sequence[str]) -> None:
    """`python -m league score`."""
    parser = argparse.ArgumentParser(
        prog="python -m league score", description="Measure players against random play."
    )
    parser.add_argument("games", nargs="*", help="environments by name; all")
    parser.add_argument("--players", type=int, help="only contests for this number")
    parser.add_argument("--levels", nargs="*", choices=FRAMES, default=[*FRAMES], help="who; all")
    parser.add_argument("--matches", type=whole(1, 100_000), default=200, help="of each player")
    parser.add_argument("--file", type=Path, default=SCORES, help="results; scores.json")
    chosen = parser.parse_args(arguments)
    found = [
        it
        for it in contests()
        if (not chosen.games or it.name in chosen.games)
        and chosen.players in (None, it.contest.players)
    ]
    if not found:
        parser.error(f"there is no contest of {chosen.games} for {chosen.players} players")
    for played in found:
        for level in chosen.levels:
            if level in played.levels:
                _complete(played, level, chosen.matches, chosen.file)


def _complete(played: Played, level: str, matches: int, file: Path) -> None:
    """Play the matches that a player lacks."""
    scores, fresh = read_scores(file), empty(played, level)
    entry = scores.setdefault(played.contest.stem, {}).setdefault(level, fresh)
    if any(entry[name] != fresh[name] for name in ("player", "frames")):
        entry = scores[played.contest.stem][level] = fresh
    while (lacking := matches - matches_of(played, entry)) > 0:
        play(played, level, entry, CHUNK if level == PLANNER else lacking)
        write_scores(scores, file)
    print(f"{played.contest.stem:<22} {level:<8} {entry['seats']}", flush=True)
