"""The seats of ``pyale-ma play`` and ``web``: people, and opponents on the others."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from pyale_ma._native import Env, Game
from pyale_ma.games.cards import Card, source_of
from pyale_ma.opponents import LEVELS, SCRIPTED, ConsoleOpponents, Contest, available, contest
from pyale_ma.opponents.catalogue import PLANNER, RULED, contest_of

ALL = (*LEVELS, PLANNER, RULED, *SCRIPTED)
PLAYERS = "1; with --against, the number that the opponents know"  # the default, in words


def add_arguments(parser: argparse.ArgumentParser, people: int | str = "+") -> None:
    """Declare the options that name opponents and the seats of people.

    Args:
        parser: Of the command.
        people: How many may play, as `nargs`.
    """
    parser.add_argument(
        "--against",
        choices=ALL,
        metavar="LEVEL",
        help="level of the opponents on the other seats: weak, middle or strong (trained, for some "
        "games); planner (looks ahead, for most games) or rules (written for some games), neither "
        "in the browser; random, still or sticky (for all games).  sticky mostly repeats its last "
        "action",
    )
    parser.add_argument(
        "--seat",
        type=int,
        nargs=people,
        choices=(1, 2, 3, 4),
        help="seats of people, with --against; default: 1",
    )


def choose_players(arguments: argparse.Namespace) -> None:
    """Set the number of players and the mode: as chosen, otherwise those that opponents learned.

    Raises:
        ValueError: The game is not for several players, or a seat is chosen without opponents.
    """
    if arguments.against is None:
        if arguments.seat is not None:
            raise ValueError("--seat needs --against, which names the opponents")
        arguments.players = arguments.players or 1
        return
    choose_contest(arguments, arguments.against)


def choose_contest(arguments: argparse.Namespace, level: str) -> Contest:
    """Set the number of players and the mode: as chosen, otherwise those that a level learned.

    Raises:
        ValueError: The game is not for several players.
    """
    played = contest(arguments.game, arguments.players, arguments.mode)
    if arguments.players is None and arguments.mode is None and level in LEVELS:
        learned = [
            contest_of(each)
            for each in available()
            if each.game == played.game and level in each.levels
        ]
        played = played if played in learned else next(iter(learned), played)
    arguments.players = played.players
    if arguments.variation is None:  # which may say the mode
        arguments.mode = played.mode
    return played


def seat_opponents(
    played: Contest, level: str, people: Sequence[int] | None, env: Env | None = None
) -> ConsoleOpponents:
    """Seat opponents where people do not sit.

    Args:
        played: What is played.
        level: Of the opponents.
        people: The seats of people, from 1; None: the first.
        env: The console, if opponents may make branches of the game.

    Raises:
        ValueError: There is no such seat or opponent, or people have all seats.
    """
    of_people = sorted({*(people or [1])})
    if of_people[-1] > played.players:
        raise ValueError(f"--seat is {of_people[-1]}; {played} has 1 to {played.players}")
    seats = [seat for seat in range(played.players) if seat + 1 not in of_people]
    if not seats:
        raise ValueError(f"--seat is {of_people}: no seat is left for opponents in {played}")
    return ConsoleOpponents(played, level, seats, env=env)


class Cast:
    """Opponents on all seats.

    Args:
        played: What is played.
        levels: Theirs, by seat; one: all have it.
        env: The game.
        seed: Of their random numbers.

    Raises:
        ValueError: There is no such opponent, or there are more or fewer levels than seats.
    """

    def __init__(self, played: Contest, levels: Sequence[str], env: Env, seed: int) -> None:
        levels = [*levels] * (played.players if len(levels) == 1 else 1)
        if len(levels) != played.players:
            raise ValueError(
                f"--by has {len(levels)} levels; {played} needs one, or {played.players}"
            )
        self._env = env
        self._opponents = [
            ConsoleOpponents(
                *(played, level, [seat for seat, its in enumerate(levels) if its == level]),
                *(seed, env),
            )
            for level in dict.fromkeys(levels)
        ]

    def choose(self, _: int) -> None:
        """Set what they do in the next frame."""
        ram = self._env.ram
        for group in self._opponents:
            for seat, number in zip(group.seats, group.actions(ram), strict=True):
                self._env.actions[seat] = number

    def begin(self) -> None:
        """The game begins."""
        for group in self._opponents:
            group.begin()


class Seating:
    """People, and opponents on the seats that `ConsoleOpponents` does not leave to them.

    Args:
        game: What is played.
        env: The game.
        arguments: From which it was opened.

    Attributes:
        people: The seats of people, from 0.
        opponents: Those on the others; None: people have all.

    Raises:
        ValueError: There is no such seat or opponent.
    """

    def __init__(self, game: Game | Card, env: Env, arguments: argparse.Namespace) -> None:
        players = env.report.players
        self.opponents: ConsoleOpponents | None = None
        self.people = tuple(range(players))
        if arguments.against is not None:
            played = Contest(source_of(game), players, env.report.mode)
            self.opponents = seat_opponents(played, arguments.against, arguments.seat, env)
            self.people = self.opponents.people

    def set_actions(self, env: Env, action: Callable[[int], int]) -> None:
        """Set what all do in the next frame.

        Args:
            env: The game.
            action: Called with the number of each person, from 0; returns its action.
        """
        for person, seat in enumerate(self.people):
            env.actions[seat] = action(person)
        if self.opponents:
            chosen = self.opponents.actions(env.ram)
            for seat, number in zip(self.opponents.seats, chosen, strict=True):
                env.actions[seat] = number

    def begin(self) -> None:
        """The game begins, or goes on elsewhere."""
        if self.opponents:
            self.opponents.begin()

    def __str__(self) -> str:
        return f"against {self.opponents.level}" if self.opponents else ""
