"""The seats of ``pyale-ma play`` and ``web``: people, and opponents on the others."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pyale_ma._native import Env
from pyale_ma.cli.common import PERSON
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
        ValueError: The game is not for several players, there is no such seat, people have all
            seats, or a seat is chosen without opponents.
    """
    if arguments.against is None:
        if arguments.seat is not None:
            raise ValueError("--seat needs --against, which names the opponents")
        arguments.players = arguments.players or 1
        return
    played = choose_contest(arguments, arguments.against)
    of_people = sorted({*(arguments.seat or [1])})
    if of_people[-1] > played.players:
        raise ValueError(f"--seat is {of_people[-1]}; {played} has 1 to {played.players}")
    if len(of_people) == played.players:
        raise ValueError(f"--seat is {of_people}: no seat is left for opponents in {played}")


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


class Seating:
    """Opponents on some seats or all; people have the others.

    Args:
        played: What is played.
        lineup: Who plays, by seat: "person", or the level of an opponent.
        env: The game; None: nothing is played.
        seed: Of the opponents' random numbers; None: another one each time.

    Attributes:
        people: The seats of people, from 0.

    Raises:
        ValueError: There is no such opponent.
    """

    def __init__(
        self,
        played: Contest,
        lineup: Sequence[str],
        env: Env | None = None,
        seed: int | None = None,
    ) -> None:
        seats: dict[str, list[int]] = {PERSON: []}
        for seat, level in enumerate(lineup):
            seats.setdefault(level, []).append(seat)
        self.people = seats.pop(PERSON)
        self._groups = [
            ConsoleOpponents(played, level, its, seed, env) for level, its in seats.items()
        ]

    def choose(self, env: Env) -> None:
        """Set what opponents do in the next frame of their game."""
        for group in self._groups:
            for seat, number in zip(group.seats, group.actions(env.ram), strict=True):
                env.actions[seat] = number

    def begin(self) -> None:
        """The game begins, or goes on elsewhere."""
        for group in self._groups:
            group.begin()

    def __str__(self) -> str:
        levels = " and ".join(group.level for group in self._groups)
        return f"against {levels}" if levels else ""
