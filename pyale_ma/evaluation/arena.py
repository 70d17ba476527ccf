"""`Arena`: matches between policies and the package's opponents, many at a time."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pyale_ma._base.arguments import flag, integer, known_names
from pyale_ma._base.files import written_aside
from pyale_ma.evaluation import playing
from pyale_ma.evaluation.matches import Lineup, Match, Results, lineups
from pyale_ma.games.modes import players_in_words
from pyale_ma.games.selection import resolve
from pyale_ma.opponents import catalogue
from pyale_ma.opponents.policies import Policy, observes_ram
from pyale_ma.opponents.trained import TrainedPolicy
from pyale_ma.recording import record
from pyale_ma.screen.film import Film
from pyale_ma.vector import AtariVectorEnv

__all__ = ["Arena"]

# Arguments of the vector that are not the caller's.
_FIXED = {
    *("games", "batch_size", "autoreset_mode", "continuous"),
    *("copy", "extra_infos", "render_mode"),
}
MOST_MATCHES = 2**32  # at a time: each has a seed of its own, of 32 bits


class Arena:
    """Plays matches of one game, many at a time, in a native vector.

    Each match begins with a newly seeded environment.  It depends only on its seed and line-up, not
    on the other matches, with policies that draw random numbers and keep states by `Turn`.

    Args:
        game: The game's name, or the path of a card; or that of an environment for several agents,
            such as "pong_v3", which chooses mode, difficulty and action set, unless others are
            given.
        num_players: 1 to 4, under the rules for several players.  None: as many as the environment
            has that `game` names; of a game one, under the rules of ale-py, with its modes, lives
            and returns, which 1 does not always have.
        num_envs: How many matches are played at a time.
        **options: Further arguments of `AtariVectorEnv`, except `games`, `batch_size`, `copy`,
            `autoreset_mode`, `continuous`, `extra_infos` and `render_mode`.

    Attributes:
        num_players: Seats of a match.
        num_actions: Number of actions of the game.

    Examples:
        ```python
        from pyale_ma.evaluation import Arena

        arena = Arena("quartet", 2, mode=2, obs_type="ram", stack_num=1)
        results = arena.play({"strong": "strong", "random": "random"}, games=2)
        print(results)  # a table
        arena.film(results.matches[0], "match.gif", steps=50)
        ```

    Raises:
        TypeError: An option is not allowed, or `num_players` is not a whole number.
        ValueError: An argument is out of range; `AtariVectorEnv` says which.
    """

    @known_names
    def __init__(
        self,
        game: str | os.PathLike[str],
        num_players: int | None = None,
        *,
        num_envs: int = 64,
        **options: Any,
    ) -> None:
        if taken := sorted(_FIXED & options.keys()):
            raise TypeError(f"{', '.join(taken)} cannot be chosen: the arena needs its own")
        self._played = resolve(
            game,
            num_players,
            options.get("mode"),
            options.get("difficulty"),
            options.get("full_action_space", False),
            options.get("variation"),
            counts=(),
        )
        self._options = {
            "frameskip": 4,
            **options,
            "game": self._played,
            "num_players": self._played.num_players,
            "autoreset_mode": "Disabled",
            "extra_infos": ("unclipped_reward",),
        }
        self.num_players = self._played.players
        self._num_envs = integer("num_envs", num_envs, 1)
        with self._vector(1) as envs:
            self.num_actions = envs.num_actions[0]

    def __repr__(self) -> str:
        named = self._options | {"game": self._played.source}
        options = {name: it for name, it in named.items() if name not in _FIXED}
        return f"Arena({', '.join(f'{name}={it!r}' for name, it in options.items())})"

    def _vector(
        self, num_envs: int, *, ram: bool = False
    ) -> contextlib.AbstractContextManager[AtariVectorEnv]:
        """Make a vector, which is closed at the end of the context."""
        options = dict(self._options)
        if ram:
            options["extra_infos"] = (*options["extra_infos"], "ram")
        return contextlib.closing(AtariVectorEnv(num_envs=num_envs, **options))

    @known_names
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
            games: Matches per line-up; all together are at most 2**32.
            lineups: Line-ups: each has a policy's name for each seat; a name may occur several
                times.  None: the result of the function `lineups` for all policies.
            seed: Match k has the seed `seed` + k, which must be below 2**32.
            recording: A new file in which all matches are recorded as they are played, side by
                side, for `pyale_ma.recording`; environments that wait for the others go on.

        Raises:
            ValueError: There are fewer policies than players, a line-up has an unknown name or the
                wrong length, `games` or `seed` is out of range, a policy's actions have the wrong
                shape or are out of range, or there is no such opponent for this game, mode and
                frameskip.
            FileExistsError: There is a file `recording`.
            OSError: It cannot be written.
            TypeError: `policies` is no dict or `lineups` no list, a policy cannot be called, or its
                actions, `games` or `seed` are not integers.

        Warns:
            UserWarning: Some matches are equal, step by step.
        """
        if not isinstance(policies, Mapping):
            raise TypeError(f"policies must be a dict of policies by name, not {policies!r}")
        players = {name: self._policy(name, policy) for name, policy in policies.items()}
        chosen = self._lineups(list(policies), lineups)
        games = integer("games", games, 1, MOST_MATCHES // len(chosen))
        count = games * len(chosen)
        seed = integer("seed", seed, 0, MOST_MATCHES - count)
        sees_ram = any(observes_ram(policy) for policy in players.values())
        with self._vector(min(self._num_envs, count), ram=sees_ram) as envs:
            recorder = contextlib.nullcontext() if recording is None else record(envs, recording)
            with recorder:
                results = Results(playing.play(envs, players, chosen, games, seed))
        if results.distinct < count:
            warnings.warn(
                f"only {results.distinct} of {count} matches are distinct games, and "
                "intervals too narrow: neither game nor policies draw enough random numbers; a "
                "policy may draw some, or an arena have repeat_action_probability=0.25",
                stacklevel=3,  # the caller's, beyond `known_names`
            )
        return results

    def _policy(self, name: str, policy: Policy | str) -> Policy:
        """Return a policy, or the opponent that a level names; both must fit to this arena."""
        if isinstance(policy, (str, TrainedPolicy)):
            options = self._options
            if self.num_players < 2:
                raise ValueError(
                    f"policy {name!r} is {policy!r}, an opponent, and opponents are for several "
                    f"players; this arena has num_players={options['num_players']}"
                )
            return catalogue.fitted(policy, self._played, options["frameskip"])
        if not callable(policy):
            raise TypeError(
                f"policy {name!r} is a {type(policy).__name__}, which cannot be called: it must"
                " take observations and seats, and return actions"
            )
        return policy

    def _lineups(self, names: list[str], requested: Iterable[Sequence[str]] | None) -> list[Lineup]:
        """Return the line-ups that are requested, after checks; None: those of `lineups`."""
        if requested is None:
            return lineups(names, self.num_players)
        if not isinstance(requested, Iterable):
            raise TypeError(f"lineups must be a list of line-ups, not {requested!r}")
        checked: list[Lineup] = []
        for lineup in requested:
            if not isinstance(lineup, Iterable):
                raise TypeError(f"lineups has {lineup!r}; a line-up is a list of names")
            checked.append(tuple(lineup))
        if not checked:
            raise ValueError("lineups is empty: give one, or leave it out")
        for lineup in checked:
            if len(lineup) != self.num_players:
                raise ValueError(
                    f"line-up {lineup} has {len(lineup)} names for {self.num_players} players"
                )
            for name in lineup:
                if name not in names:
                    raise ValueError(
                        f"line-up {lineup} has {name!r}; there are {', '.join(names) or 'none'}"
                    )
        return checked

    @known_names
    def film(
        self,
        match: Match,
        path: str | os.PathLike[str],
        *,
        steps: int | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Replay a match from its seed and actions, and make a film of it.

        Args:
            match: A match of this arena, or of one made with the same arguments.
            path: A GIF, WebP or MP4 file; or a PNG file, for the last picture.
            steps: Film only this many steps, from the beginning; None: all.
            overwrite: Whether to replace a file that is there.

        Returns:
            The path.

        Raises:
            TypeError: `match` is not a match, `steps` no whole number, or `overwrite` no flag.
            FileExistsError: There is a file of this name.
            ValueError: `steps` is below 0, the match has other seats or was played with other
                options, or the suffix is another.
        """
        self._check_match(match)
        if steps is not None:
            steps = integer("steps", steps, 0)
        film = Film(
            path,
            frames_per_step=self._options["frameskip"],
            overwrite=flag("overwrite", overwrite),
        )
        with self._vector(1) as envs:
            playing.replay(envs, match, film, len(match.actions) if steps is None else steps)
        return film.save()

    @known_names
    def record(
        self, match: Match, path: str | os.PathLike[str], *, overwrite: bool = False
    ) -> Path:
        """Replay a match from its seed and actions, and record it for `pyale_ma.recording`.

        Args:
            match: A match of this arena, or of one made with the same arguments.
            path: The file, such as "match.zip".
            overwrite: Whether to replace a file that is there.

        Returns:
            The path.

        Raises:
            TypeError: `match` is not a match, or `overwrite` no flag.
            ValueError: It has other seats, or was played with other options.
            FileExistsError: There is such a file.
            OSError: It cannot be written.
        """
        self._check_match(match)
        metadata = {"lineup": match.lineup, "returns": match.returns}
        with (
            written_aside(path, overwrite=flag("overwrite", overwrite)) as aside,
            self._vector(1) as envs,
            record(envs, aside, metadata=metadata),
        ):
            playing.replay(envs, match, None, len(match.actions))
        return Path(path)

    def _check_match(self, match: Any) -> None:
        """See that it is a match, and of as many players as this arena's."""
        if not isinstance(match, Match):
            raise TypeError(f"match must be a Match, such as results.matches[0], not {match!r}")
        shape, players = getattr(match.actions, "shape", ()), self.num_players
        if len(match.lineup) != players or shape[1:] != (players,):
            raise ValueError(
                f"match has the line-up {match.lineup} and actions of shape {shape}; this arena is "
                f"for {players_in_words(players)}, with actions of shape (steps, {players})"
            )
