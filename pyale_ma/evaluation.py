"""Which policy plays better: matches in a batch, their table, ratings and films.

::

    from pyale_ma.evaluation import Arena, RandomPolicy

    arena = Arena("pong", num_players=2, obs_type="ram", stack_num=2)
    results = arena.play({"new": new, "old": old, "random": RandomPolicy(6)}, games=10)
    print(results)  # a table with confidence intervals
    arena.film(results.matches[0], "match.gif")

A policy is a function of observations and seats, see `Policy`.  ``docs/evaluation.md`` is the
guide.
"""

from __future__ import annotations

import contextlib
import math
import os
import warnings
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import error

from pyale_ma import cards, install_hints, roms
from pyale_ma._native import Rules
from pyale_ma.arguments import integer
from pyale_ma.crossplay import CrossPlay, Elo, Share
from pyale_ma.files import written_aside
from pyale_ma.film import Film
from pyale_ma.policies import Policy, RandomPolicy, Seated, Turn, observes_ram
from pyale_ma.recording import record
from pyale_ma.vector import AtariVectorEnv

__all__ = [
    "Arena",
    "CrossPlay",
    "Elo",
    "Match",
    "Policy",
    "RandomPolicy",
    "Rating",
    "Results",
    "Share",
    "Standing",
    "Turn",
    "duels",
    "lineups",
]

Array: TypeAlias = npt.NDArray[Any]
Lineup: TypeAlias = tuple[str, ...]


def lineups(names: Sequence[str], num_players: int) -> list[Lineup]:
    """All combinations of `num_players` policies, each in every rotation of the seats.

    So in two-player games each pair plays with both seatings, and in four-player games every policy
    of a combination has each seat once.

    Args:
        names: The names of the policies.
        num_players: The number of seats.

    Raises:
        ValueError: There are fewer policies than seats.
    """
    if len(names) < num_players:
        raise ValueError(
            f"{num_players} players need as many policies, and there are {len(names)} "
            f"({', '.join(names) or 'none'}): add some, or give `lineups`, in which a policy may "
            "sit on several seats"
        )
    return [
        (*chosen[turn:], *chosen[:turn])
        for chosen in combinations(names, num_players)
        for turn in range(num_players)
    ]


def duels(one: str, other: str, num_players: int) -> list[Lineup]:
    """All line-ups in which one policy has one seat and another policy the rest, both ways round.

    For two players these are both seatings, for four players eight.

    Args:
        one: The name of a policy.
        other: The name of another one.
        num_players: The number of seats, from 2.
    """
    found = [
        tuple(alone if seat == place else rest for seat in range(num_players))
        for alone, rest in ((one, other), (other, one))
        for place in range(num_players)
    ]
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Match:
    """One game from its beginning to its end.

    Attributes:
        lineup: The policy of each seat.
        seed: The seed of the environment.
        returns: The return of each seat, before reward clipping.
        truncated: Whether the frame limit ended it.
        actions: uint8 (steps, players): all actions.
        ending: A checksum of the last observation.
    """

    lineup: Lineup
    seed: int
    returns: tuple[int, ...]
    truncated: bool
    actions: npt.NDArray[np.uint8]
    ending: int = 0

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Seats of different policies, each before each."""
        for seat, name in enumerate(self.lineup):
            for other, opponent in enumerate(self.lineup):
                if name != opponent:
                    yield seat, other


class Standing(NamedTuple):
    """The result of a policy.

    Attributes:
        name: The name of the policy.
        matches: Number of matches in which it played.
        won: Opponents that had a lower return in the same match, over all matches.
        drawn: Opponents that had the same return.
        lost: Opponents that had a higher one.
        score: The share of opponents that it beat, where a draw counts half; the mean over matches.
            NaN if it had no opponents.
        low: Lower end of the score's confidence interval (Wilson's).
        high: Its upper end.
        mean_return: The mean over its matches and seats.
        return_error: Half the width of the mean return's confidence interval.
    """

    name: str
    matches: int
    won: int
    drawn: int
    lost: int
    score: float
    low: float
    high: float
    mean_return: float
    return_error: float


class Rating(NamedTuple):
    """A policy's strength, as openskill's Plackett-Luce model estimates it.

    Attributes:
        mu: The estimate; 25 is the middle.
        sigma: Its standard deviation.
    """

    mu: float
    sigma: float


class Results:
    """Matches, and the tables and ratings computed from them.

    Args:
        matches: Matches of one game.

    Attributes:
        matches: The matches.
        names: The policies, in the order of their first match.
    """

    def __init__(self, matches: Iterable[Match]) -> None:
        self.matches = list(matches)
        self.names = list(dict.fromkeys(name for match in self.matches for name in match.lineup))

    @property
    def distinct(self) -> int:
        """How many matches differ from all before in line-up, actions, returns or ending.

        Where neither the game nor the policies draw random numbers, matches repeat one another, and
        confidence intervals, which take them for independent, are too narrow.
        """
        return len(
            {(it.lineup, it.returns, it.ending, it.actions.tobytes()) for it in self.matches}
        )

    def table(
        self, *, confidence: float = 0.95, against: str | None = None, seat: int | None = None
    ) -> list[Standing]:
        """The result of each policy, best first: by score, then by mean return.

        Args:
            confidence: Confidence of the intervals, 0 to 1.
            against: Count only this opponent.
            seat: Count only results on this seat.

        Raises:
            ValueError: There is no such opponent or seat, or `confidence` is out of range.
        """
        if not 0 < confidence < 1:
            raise ValueError(f"confidence is {confidence}; it must be between 0 and 1")
        if against is not None and against not in self.names:
            raise ValueError(f"against is {against!r}; there are {', '.join(self.names)}")
        players = len(self.matches[0].lineup) if self.matches else 0
        if seat is not None and not 0 <= seat < players:
            raise ValueError(f"seat is {seat}; it must be 0 to {players - 1}")
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        standings = [
            _standing(name, self.matches, z, against, seat)
            for name in self.names
            if name != against
        ]
        standings = [standing for standing in standings if standing.matches]
        return sorted(standings, key=lambda s: (-np.nan_to_num(s.score), -s.mean_return))

    def matrix(self, names: Sequence[str] | None = None) -> CrossPlay:
        """The scores of each policy against each other, and ratings on Elo's scale.

        Args:
            names: The policies, in the order of rows and columns; None: all, best first as in
                `table`.

        Raises:
            ValueError: There is no such policy, or one is named twice.
        """
        if names is None:
            names = [standing.name for standing in self.table()]
        for name in names:
            if name not in self.names:
                raise ValueError(f"names has {name!r}; there are {', '.join(self.names)}")
        if len(set(names)) < len(names):
            raise ValueError(f"names has a policy twice: {', '.join(names)}")
        return CrossPlay.of(names, ((it.lineup, it.returns) for it in self.matches))

    def ratings(self, *, seed: int = 0) -> dict[str, Rating]:
        """Ratings of all policies by openskill, the best first.

        Openskill processes one match after the other, and the last count a little more, so the
        order is random.  Ratings do not drift between matches (tau is 0).  A policy that has
        several seats in a match counts once, with its mean return.

        Args:
            seed: The seed of the order.

        Raises:
            gymnasium.error.DependencyNotInstalled: Openskill is not installed.
        """
        try:
            from openskill.models import PlackettLuce
        except ModuleNotFoundError as missing:
            raise error.DependencyNotInstalled(
                f"{missing.name} is missing, which ratings() needs; "
                f"run `{install_hints.install('evaluation')}`"
            ) from missing
        model = PlackettLuce(tau=0.0)
        ratings = {name: model.rating(name=name) for name in self.names}
        for index in np.random.default_rng(seed).permutation(len(self.matches)):
            match = self.matches[index]
            returns = defaultdict(list)
            for name, value in zip(match.lineup, match.returns, strict=True):
                returns[name].append(value)
            if len(returns) < 2:
                continue
            scores = [float(np.mean(values)) for values in returns.values()]
            rated = model.rate([[ratings[name]] for name in returns], scores=scores)
            ratings.update(zip(returns, (team[0] for team in rated), strict=True))
        best_first = sorted(ratings.items(), key=lambda item: -item[1].mu)
        return {name: Rating(rating.mu, rating.sigma) for name, rating in best_first}

    def __str__(self) -> str:
        """The table for people, in Markdown."""
        rows = [
            "| policy | matches | won | drawn | lost | score | 95 % | mean return |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        for it in self.table():
            known = not math.isnan(it.score)
            score = f"{it.score:.3f} | {it.low:.3f}-{it.high:.3f}" if known else "- | -"
            rows.append(
                f"| {it.name} | {it.matches} | {it.won} | {it.drawn} | {it.lost} | {score} | "
                f"{it.mean_return:.2f} ± {it.return_error:.2f} |"
            )
        return "\n".join(rows)


def _standing(
    name: str, matches: Iterable[Match], z: float, against: str | None, seat: int | None
) -> Standing:
    won = drawn = lost = 0
    scores, returns = [], []
    for match in matches:
        if against is not None and against not in match.lineup:
            continue
        seats = [
            mine
            for mine, player in enumerate(match.lineup)
            if player == name and seat in (None, mine)
        ]
        if not seats:
            continue
        differences = [
            match.returns[mine] - match.returns[other]
            for mine, other in match.pairs()
            if mine in seats and against in (None, match.lineup[other])
        ]
        more, same = sum(d > 0 for d in differences), sum(d == 0 for d in differences)
        won, drawn, lost = won + more, drawn + same, lost + len(differences) - more - same
        returns.append(float(np.mean([match.returns[mine] for mine in seats])))
        if differences:
            scores.append((more + same / 2) / len(differences))
    low, score, high = _wilson(scores, z)
    mean, half = _mean(returns, z)
    return Standing(name, len(returns), won, drawn, lost, score, low, high, mean, half)


def _wilson(scores: Sequence[float], z: float) -> tuple[float, float, float]:
    """Mean and interval of numbers from 0 to 1: for shares it is exact enough, for others wide."""
    if not scores:
        return math.nan, math.nan, math.nan
    count, mean = len(scores), float(np.mean(scores))
    middle = (mean + z * z / (2 * count)) / (1 + z * z / count)
    spread = mean * (1 - mean) / count + z * z / (4 * count * count)
    half = z * math.sqrt(spread) / (1 + z * z / count)
    return max(0.0, middle - half), mean, min(1.0, middle + half)


def _mean(values: Sequence[float], z: float) -> tuple[float, float]:
    if not values:
        return math.nan, math.nan
    if len(values) == 1:
        return values[0], math.inf
    return float(np.mean(values)), z * float(np.std(values, ddof=1)) / math.sqrt(len(values))


class Arena:
    """Plays matches of one game, many at a time, in a native vector.

    Each match begins with a newly seeded environment.  It depends only on its seed and line-up, not
    on the other matches, with policies that draw random numbers and keep states by `Turn`.

    Args:
        game: The game's name, or the path of a card.
        num_players: 1, 2 or 4, under the rules for several players.  None: one, under the rules of
            ale-py, with its modes, lives and returns, which 1 does not always have.
        num_envs: How many matches are played at a time.
        **options: Further arguments of `AtariVectorEnv`, except `games`, `batch_size`, `copy`,
            `autoreset_mode`, `continuous` and `render_mode`.

    Attributes:
        num_players: Seats of a match.
        num_actions: Number of actions of the game.

    Raises:
        TypeError: An option is not allowed.
        ValueError: An argument is out of range; `AtariVectorEnv` says which.
    """

    def __init__(
        self,
        game: str | os.PathLike[str],
        num_players: int | None,
        *,
        num_envs: int = 64,
        **options: Any,
    ) -> None:
        fixed = {"games", "batch_size", "autoreset_mode", "continuous", "copy", "render_mode"}
        if taken := sorted(fixed & options.keys()):
            raise TypeError(f"{', '.join(taken)} cannot be chosen: the arena needs its own")
        self._options = {
            "frameskip": 4,
            **options,
            "game": game,
            "num_players": num_players,
            "autoreset_mode": "Disabled",
            "extra_infos": ("unclipped_reward",),
        }
        self.num_players = 1 if num_players is None else num_players
        self._num_envs = integer("num_envs", num_envs, 1)
        with self._vector(1) as envs:
            self.num_actions = envs.envs.num_actions[0]

    def _vector(self, count: int, *, ram: bool = False) -> _Vector:
        options = dict(self._options)
        if ram:
            options["extra_infos"] = (*options["extra_infos"], "ram")
        return _Vector(AtariVectorEnv(num_envs=count, **options))

    def play(
        self,
        policies: Mapping[str, Policy | str],
        *,
        games: int = 1,
        lineups: Iterable[Sequence[str]] | None = None,
        seed: int = 0,
        recording: str | os.PathLike[str] | None = None,
    ) -> Results:
        """Play matches.

        Args:
            policies: The policies by name.  A level of `pyale_ma.opponents`, such as "strong" or
                "random", stands for that opponent.
            games: Matches per line-up.
            lineups: Line-ups: each has a policy's name for each seat; a name may occur several
                times.  None: the result of the function `lineups` for all policies.
            seed: Match k has the seed `seed` + k.
            recording: A new file in which all matches are recorded as they are played, side by
                side, for `pyale_ma.recording`; environments that wait for the others go on.

        Raises:
            ValueError: There are fewer policies than players, a line-up has an unknown name or the
                wrong length, `seed` is below 0, a policy's actions have the wrong shape or are
                out of range, or there is no such opponent for this game, mode and frameskip.
            FileExistsError: There is a file `recording`.
            OSError: It cannot be written.
            TypeError: A policy cannot be called, or its actions or `seed` are not integers.

        Warns:
            UserWarning: Some matches are equal, step by step.
        """
        seated = {name: self._policy(name, given) for name, given in policies.items()}
        games = integer("games", games, 1)
        seed = integer("seed", seed, 0)
        wanted = self._wanted(list(policies), lineups)
        pending = [lineup for lineup in wanted for _ in range(games)]
        sees_ram = any(observes_ram(policy) for policy in seated.values())
        with self._vector(min(self._num_envs, len(pending)), ram=sees_ram) as envs:
            recorder = (
                contextlib.nullcontext() if recording is None else record(envs.envs, recording)
            )
            with recorder:
                results = Results(envs.play(seated, pending, seed))
        if results.distinct < len(pending):
            warnings.warn(
                f"only {results.distinct} of {len(pending)} matches are distinct games, and "
                "intervals too narrow: neither game nor policies draw enough random numbers; an "
                "arena with repeat_action_probability=0.25 does",
                stacklevel=2,
            )
        return results

    def _policy(self, name: str, given: Policy | str) -> Policy:
        """A policy that was given, or an opponent by its level."""
        from pyale_ma.opponents import TrainedPolicy, catalogue  # which need this module

        if isinstance(given, (str, TrainedPolicy)):
            options = self._options
            if self.num_players < 2:
                raise ValueError(
                    f"policy {name!r} is {given!r}, an opponent, and opponents are for several "
                    f"players; this arena has num_players={options['num_players']}"
                )
            game, mode = options["game"], options.get("mode")
            known = roms.game_of(game)
            played = catalogue.Contest(
                os.fspath(game) if cards.is_card(game) else known.name,
                self.num_players,
                known.modes(Rules.MULTI, self.num_players)[0] if mode is None else mode,
            )
            full_action_space = options.get("full_action_space", False)
            return catalogue.fitted(given, played, options["frameskip"], full_action_space)
        if not callable(given):
            raise TypeError(
                f"policy {name!r} is a {type(given).__name__}, which cannot be called: it must"
                " take observations and seats, and return actions"
            )
        return given

    def _wanted(self, names: list[str], given: Iterable[Sequence[str]] | None) -> list[Lineup]:
        if given is None:
            return lineups(names, self.num_players)
        wanted = [tuple(lineup) for lineup in given]
        if not wanted:
            raise ValueError("lineups is empty: give one, or leave it out")
        for lineup in wanted:
            if len(lineup) != self.num_players:
                raise ValueError(
                    f"line-up {lineup} has {len(lineup)} names for {self.num_players} players"
                )
            for name in lineup:
                if name not in names:
                    raise ValueError(
                        f"line-up {lineup} has {name!r}; there are {', '.join(names) or 'none'}"
                    )
        return wanted

    def film(self, match: Match, path: str | os.PathLike[str], *, steps: int | None = None) -> Path:
        """Replay a match from its seed and actions, and make a film of it.

        Args:
            match: A match of this arena, or of one made with the same arguments.
            path: A GIF, WebP or MP4 file; or a PNG file, for the last picture.
            steps: Film only this many steps, from the beginning.

        Returns:
            The path.

        Raises:
            ValueError: The match was played with other options, or the suffix is another.
        """
        film = Film(path, frames_per_picture=self._options["frameskip"])
        with self._vector(1) as envs:
            envs.replay(match, film, len(match.actions) if steps is None else steps)
        return film.save()

    def record(self, match: Match, path: str | os.PathLike[str]) -> Path:
        """Replay a match from its seed and actions, and record it for `pyale_ma.recording`.

        Args:
            match: A match of this arena, or of one made with the same arguments.
            path: The file, such as "match.zip".

        Returns:
            The path.

        Raises:
            ValueError: The match was played with other options.
            OSError: The file cannot be written.
        """
        told = {"lineup": match.lineup, "returns": match.returns}
        with (
            written_aside(path) as aside,
            self._vector(1) as envs,
            record(envs.envs, aside, metadata=told),
        ):
            envs.replay(match, None, len(match.actions))
        return Path(path)


class _Vector:
    """A vector without automatic resets, in which every environment plays a match of its own."""

    def __init__(self, envs: AtariVectorEnv) -> None:
        self.envs = envs

    def __enter__(self) -> _Vector:
        return self

    def __exit__(self, *problem: object) -> None:
        self.envs.close()

    def play(
        self, policies: Mapping[str, Policy], pending: Sequence[Lineup], seed: int
    ) -> list[Match]:
        """Play all matches; the first ones begin first."""
        envs = self.envs
        apart = envs.agent_indicator or envs.mirror  # each player has its own observation
        numbers = {name: number for number, name in enumerate(policies)}
        seated = np.array([[numbers[name] for name in lineup] for lineup in pending])
        done: dict[int, Match] = {}
        playing = np.arange(envs.num_envs, dtype=np.int64)  # the match of each, -1 for none

        def generator(env: int, seat: int) -> np.random.Generator:
            return np.random.default_rng([seed + playing[env], seat])

        asked = [
            Seated(name, policy, envs.num_actions[0], generator)
            for name, policy in policies.items()
        ]
        waiting = iter(range(envs.num_envs, len(pending)))
        began = np.zeros(envs.num_envs, int)
        history: list[Array] = []  # the actions of all environments in all steps
        returns = np.zeros((envs.num_envs, seated.shape[1]), np.int64)
        observations, infos = envs.reset(seed=seed + playing)
        while len(done) < len(pending):
            seats = np.where(playing[:, None] < 0, -1, seated[playing])
            actions = np.zeros(seats.shape, np.int64)
            for number, policy in enumerate(asked):
                rows, players = np.nonzero(seats == number)
                if len(rows):
                    if policy.observes_ram:
                        seen = infos["ram"][rows]
                    else:
                        seen = observations[rows, players] if apart else observations[rows]
                    actions[rows, players] = policy.act(seen, rows, players, playing[rows])
            observations, _, terminations, truncations, infos = self._step(actions)
            history.append(actions.astype(np.uint8))
            returns += infos["unclipped_reward"].reshape(returns.shape)
            over = terminations.reshape(returns.shape).all(axis=1) | truncations
            for env in np.flatnonzero(over):
                match = int(playing[env])
                if match >= 0:
                    done[match] = Match(
                        pending[match],
                        seed + match,
                        tuple(returns[env].tolist()),
                        bool(truncations[env]),
                        np.array([step[env] for step in history[began[env] :]]),
                        zlib.crc32(observations[env].tobytes()),
                    )
                playing[env] = next(waiting, -1)
                for policy in asked:
                    policy.forget(int(env), range(seated.shape[1]))
            if over.any():
                began[over], returns[over] = len(history), 0
                seeds = seed + np.maximum(playing[over], 0)
                observations, infos = envs.reset(seed=seeds, options={"reset_mask": over})
        return [done[match] for match in range(len(pending))]

    def replay(self, match: Match, film: Film | None, steps: int) -> None:
        """Play the first steps again, before a camera; ValueError: another match came of all."""
        envs = self.envs
        returns = np.zeros(len(match.lineup), np.int64)
        envs.reset(seed=match.seed)
        if film:
            film.add(self._screen())
        for actions in match.actions[:steps]:
            *_, infos = self._step(actions.astype(np.int64))
            returns += infos["unclipped_reward"].reshape(-1)
            if film:
                film.add(self._screen())
        found = tuple(returns.tolist())
        if steps >= len(match.actions) and found != match.returns:
            raise ValueError(
                f"the match ended with {match.returns}, and with {found} when it was played "
                "again: it was played in an arena with other options"
            )

    def _step(self, actions: Array) -> Any:
        """A step; where the rules are those for one player, actions have no axis of players."""
        return self.envs.step(actions.reshape(self.envs.action_space.shape))

    def _screen(self) -> npt.NDArray[np.uint8]:
        screen: npt.NDArray[np.uint8] = self.envs.render_grid([0])
        return screen
