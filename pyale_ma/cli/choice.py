"""What is to be played next, as a person chooses it in the menu of ``pyale-ma play``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from pyale_ma import cards, roms
from pyale_ma._native import Env, Game
from pyale_ma.cards import Card
from pyale_ma.cli.common import player_counts, settings_of
from pyale_ma.cli.menu import Entry
from pyale_ma.cli.page_server import found_games


class Choice:
    """A game and how it is to be played, as chosen in the menu.

    Args:
        arguments: Of the game that is played now, the first choice.
        game: That game, as it was when it began.
        env: Likewise.
    """

    def __init__(self, arguments: argparse.Namespace, game: Game | Card, env: Env) -> None:
        self._given = arguments
        self._game = self._first = game
        self._place = cards.place_of(game)
        self._places = list(found_games())
        if self._place not in self._places:
            self._places.insert(0, self._place)
        self._players = env.report.players
        _, modes, difficulties = settings_of(game, self._players)
        # A game need not begin with one that can be chosen.
        self._mode = _known(env.report.mode, modes)
        self._difficulty = _known(env.report.difficulty, difficulties)

    @property
    def game(self) -> Game | Card:
        """Which game."""
        return self._game

    def arguments(self) -> argparse.Namespace:
        """For `open_game`."""
        other = {} if self._game is self._first else {"variation": None, "rom": None}
        return argparse.Namespace(
            **{
                **vars(self._given),
                "game": self._place,
                "players": self._players,
                "mode": self._mode,
                "difficulty": self._difficulty,
                **other,
            }
        )

    def entries(self) -> Sequence[Entry]:
        """The lines that change it."""
        return (
            Entry("game", None, self._change_game, lambda: self._game.name),
            Entry("players", None, self._change_players, lambda: str(self._players)),
            Entry("mode", None, self._change_mode, lambda: _shown(self._mode)),
            Entry("difficulty", None, self._change_difficulty, lambda: _shown(self._difficulty)),
        )

    def _change_game(self, step: int) -> None:
        self._place = _next(self._places, self._place, step)
        is_first = self._place == cards.place_of(self._first)
        self._game = self._first if is_first else roms.game_of(self._place)
        counts = player_counts(self._game)
        if self._players not in counts:
            self._players = counts[0]
        self._choose_first()

    def _change_players(self, step: int) -> None:
        self._players = _next(player_counts(self._game), self._players, step)
        self._choose_first()

    def _choose_first(self) -> None:
        _, modes, difficulties = settings_of(self._game, self._players)
        self._mode, self._difficulty = modes[0], difficulties[0]

    def _change_mode(self, step: int) -> None:
        _, modes, _ = settings_of(self._game, self._players)
        self._mode = _next(modes, self._mode, step)

    def _change_difficulty(self, step: int) -> None:
        _, _, difficulties = settings_of(self._game, self._players)
        self._difficulty = _next(difficulties, self._difficulty, step)


def _known(value: int, choices: Sequence[int]) -> int | None:
    return value if value in choices else None


def _shown(value: int | None) -> str:
    return "usual" if value is None else str(value)


def _next(choices: Sequence[Any], chosen: Any, step: int) -> Any:
    """The choice that many steps further, the first after the last and after an unknown one."""
    if chosen not in choices:
        return choices[0]
    return choices[(choices.index(chosen) + step) % len(choices)]
