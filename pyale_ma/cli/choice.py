"""What is to be played next, as a person chooses it in the menu of ``pyale-ma play``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from pyale_ma import roms
from pyale_ma._native import Env, Game
from pyale_ma.cards import Card
from pyale_ma.cli.common import found_games, player_counts, settings_of
from pyale_ma.cli.menu import Entry


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
        if _place_of(game) not in self._places:
            self._places.insert(0, _place_of(game))
        self._players = env.report.players
        _, modes, difficulties = settings_of(game, self._players)
        # A game need not begin with one that can be chosen.
        self._mode = _known(env.report.mode, modes)
        self._difficulty = _known(env.report.difficulty, difficulties)

    def arguments(self) -> argparse.Namespace:
        """For `open_game`."""
        other = {} if self.game is self._first else {"variation": None, "rom": None}
        return argparse.Namespace(
            **{
                **vars(self._given),
                "game": _place_of(self.game),
                "players": self._players,
                "mode": self._mode,
                "difficulty": self._difficulty,
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
        )

    def _change_game(self, step: int) -> None:
        place = _next(self._places, _place_of(self.game), step)
        self.game = self._first if place == _place_of(self._first) else roms.game_of(place)
        counts = player_counts(self.game)
        if self._players not in counts:
            self._players = counts[0]
        self._choose_first()

    def _change_players(self, step: int) -> None:
        self._players = _next(player_counts(self.game), self._players, step)
        self._choose_first()

    def _choose_first(self) -> None:
        _, modes, difficulties = settings_of(self.game, self._players)
        self._mode, self._difficulty = modes[0], difficulties[0]

    def _change_mode(self, step: int) -> None:
        _, modes, _ = settings_of(self.game, self._players)
        self._mode = _next(modes, self._mode, step)

    def _change_difficulty(self, step: int) -> None:
        _, _, difficulties = settings_of(self.game, self._players)
        self._difficulty = _next(difficulties, self._difficulty, step)


def _place_of(game: Game | Card) -> str:
    """What opens it: its name; a card's file."""
    return str(game.path) if isinstance(game, Card) else game.name


def _known(value: int, choices: Sequence[int]) -> int | None:
    return value if value in choices else None


def _shown(value: int | None) -> str:
    return "usual" if value is None else str(value)


def _next(choices: Sequence[Any], chosen: Any, step: int) -> Any:
    """The choice that many steps further, the first after the last and after an unknown one."""
    if chosen not in choices:
        return choices[0]
    return choices[(choices.index(chosen) + step) % len(choices)]
