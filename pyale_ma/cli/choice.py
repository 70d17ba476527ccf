"""What is to be played next, as a person chooses it in the menu of ``pyale-ma play``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from pyale_ma import roms
from pyale_ma._native import Env
from pyale_ma.cli.common import player_counts, settings_of
from pyale_ma.cli.menu import Entry
from pyale_ma.cli.page_server import found_games


class Choice:
    """A game and how it is to be played, as chosen in the menu.

    Args:
        arguments: Of the game that is played now, the first choice.
        place: That game's name, or the path of its card.
        env: That game.
    """

    def __init__(self, arguments: argparse.Namespace, place: str, env: Env) -> None:
        self._given = arguments
        self._games = list(found_games())
        self._game = self._first = place
        if place not in self._games:
            self._games.insert(0, place)
        self._players = env.report.players
        self._mode, self._difficulty = env.report.mode, env.report.difficulty

    def _title(self) -> str:
        return roms.game_of(self._game).name

    def arguments(self) -> argparse.Namespace:
        """For `open_game`."""
        other = {} if self._game == self._first else {"variation": None, "rom": None}
        return argparse.Namespace(
            **{
                **vars(self._given),
                "game": self._game,
                "players": self._players,
                "mode": self._mode,
                "difficulty": self._difficulty,
                **other,
            }
        )

    def entries(self) -> Sequence[Entry]:
        """The lines that change it."""
        return (
            Entry("game", None, self._change_game, self._title),
            Entry("players", None, self._change_players, lambda: str(self._players)),
            Entry("mode", None, self._change_mode, lambda: str(self._mode)),
            Entry("difficulty", None, self._change_difficulty, lambda: str(self._difficulty)),
        )

    def _change_game(self, step: int) -> None:
        self._game = _next(self._games, self._game, step)
        counts = player_counts(roms.game_of(self._game))
        if self._players not in counts:
            self._players = counts[0]
        self._choose_first()

    def _change_players(self, step: int) -> None:
        self._players = _next(player_counts(roms.game_of(self._game)), self._players, step)
        self._choose_first()

    def _choose_first(self) -> None:
        _, modes, difficulties = settings_of(roms.game_of(self._game), self._players)
        self._mode, self._difficulty = modes[0], difficulties[0]

    def _change_mode(self, step: int) -> None:
        _, modes, _ = settings_of(roms.game_of(self._game), self._players)
        self._mode = _next(modes, self._mode, step)

    def _change_difficulty(self, step: int) -> None:
        _, _, difficulties = settings_of(roms.game_of(self._game), self._players)
        self._difficulty = _next(difficulties, self._difficulty, step)


def _next(choices: Sequence[Any], chosen: Any, step: int) -> Any:
    """The choice that many steps further, the first after the last."""
    return choices[(choices.index(chosen) + step) % len(choices)]
