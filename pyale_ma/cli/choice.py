"""The next game to play, as a person chooses it in the menu of ``pyale-ma play``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from pyale_ma._base.text import listed
from pyale_ma._native import Env, Game
from pyale_ma.cli.common import found_games, player_counts, settings_of
from pyale_ma.cli.menu import Entry
from pyale_ma.games import roms
from pyale_ma.games.cards import Card, source_of
from pyale_ma.opponents import LEVELS, SCRIPTED, Trained, available


class Choice:
    """A game and how it is to be played, as chosen in the menu.

    Args:
        arguments: Of the game that is played now, the first choice.
        game: That game, as it was when it began.
        env: Likewise.

    Attributes:
        game: Which game.
    """

    def __init__(self, arguments: argparse.Namespace, game: Game | Card, env: Env) -> None:
        self._given = arguments
        self.game = self._first = game
        self._places = list(found_games())
        if source_of(game) not in self._places:
            self._places.insert(0, source_of(game))
        self._players = env.report.players
        _, modes, difficulties = settings_of(game, self._players)
        # A game need not begin with one that can be chosen.
        self._mode = _known(env.report.mode, modes)
        self._difficulty = _known(env.report.difficulty, difficulties)
        self._against: str | None = arguments.against
        self._seats: list[int] = arguments.seat or [1]

    def arguments(self) -> argparse.Namespace:
        """For `open_game`."""
        other = {} if self.game is self._first else {"variation": None, "rom": None}
        return argparse.Namespace(
            **{
                **vars(self._given),
                "game": source_of(self.game),
                "players": self._players,
                "mode": self._mode,
                "difficulty": self._difficulty,
                "against": self._against,
                "seat": self._seats if self._against else None,
                **other,
            }
        )

    def entries(self) -> Sequence[Entry]:
        """The lines that change it."""
        return (
            Entry("game", None, self._change_game, lambda: self.game.name),
            Entry("players", None, self._change_players, lambda: str(self._players)),
            Entry("mode", None, self._change_mode, lambda: _shown(self._mode)),
            Entry("difficulty", None, self._change_difficulty, lambda: _shown(self._difficulty)),
            Entry("against", None, self._change_against, self._shown_opponent),
            Entry("seat", None, self._change_seat, self._shown_seats),
        )

    def _change_game(self, step: int) -> None:
        place = _next(self._places, source_of(self.game), step)
        self.game = self._first if place == source_of(self._first) else roms.game_of(place)
        counts = player_counts(self.game)
        if self._players not in counts:
            self._players = counts[0]
        self._choose_first()

    def _change_players(self, step: int) -> None:
        self._players = _next(player_counts(self.game), self._players, step)
        self._choose_first()

    def _choose_first(self) -> None:
        rules, _, difficulties = settings_of(self.game, self._players)
        self._mode = self.game.default_mode(rules, self._players)
        self._difficulty = difficulties[0]
        self._keep_opponents_that_know()

    def _change_mode(self, step: int) -> None:
        _, modes, _ = settings_of(self.game, self._players)
        self._mode = _next(modes, self._mode, step)
        self._keep_opponents_that_know()

    def _change_difficulty(self, step: int) -> None:
        _, _, difficulties = settings_of(self.game, self._players)
        self._difficulty = _next(difficulties, self._difficulty, step)

    # ---- Opponents -------------------------------------------------------------------------------

    def _trained(self, level: str | None) -> list[Trained]:
        return trained_players(source_of(self.game), level)

    def _change_against(self, step: int) -> None:
        """Choose an opponent; where the game is not for it, play what it knows."""
        several = [count for count in player_counts(self.game) if count > 1]
        levels = [level for level in LEVELS if self._trained(level)]
        known = [None, *levels, *(SCRIPTED if several else ())]
        self._against = _next(known, self._against, step)
        trained = self._trained(self._against)
        if trained and not self._is_known(trained):
            self._players, self._mode = trained[0].players, trained[0].mode
        elif self._against and self._players == 1:
            self._players = several[0]
            self._choose_first()
        self._drop_seats()

    def _is_known(self, trained: Sequence[Trained]) -> bool:
        return any((each.players, each.mode) == (self._players, self._mode) for each in trained)

    def _keep_opponents_that_know(self) -> None:
        """Play against people where the opponent does not know what was chosen."""
        level = self._against
        if self._players == 1 or (level in LEVELS and not self._is_known(self._trained(level))):
            self._against = None
        self._drop_seats()

    def _drop_seats(self) -> None:
        """Leave people no seats that there are not, and the opponents one at least."""
        self._seats = [seat for seat in self._seats if seat <= self._players]
        self._seats = self._seats[: max(1, self._players - 1)] or [1]

    def _change_seat(self, step: int) -> None:
        if self._against:
            seats = [[seat] for seat in range(1, self._players + 1)]
            self._seats = _next(seats, self._seats, step)

    def _shown_opponent(self) -> str:
        return self._against or ("people" if self._players > 1 else "the cartridge")

    def _shown_seats(self) -> str:
        return listed(self._seats) if self._against else "all"


def trained_players(place: str, level: str | None) -> list[Trained]:
    """Those who have a player of this level for a game."""
    return [each for each in available() if each.game == place and level in each.levels]


def _known(value: int, choices: Sequence[int]) -> int | None:
    return value if value in choices else None


def _shown(value: int | None) -> str:
    return "usual" if value is None else str(value)


def _next(choices: Sequence[Any], chosen: Any, step: int) -> Any:
    """The choice that many steps further, the first after the last and after an unknown one."""
    if chosen not in choices:
        return choices[0]
    return choices[(choices.index(chosen) + step) % len(choices)]
