"""Choose a game's mode and number of players, where a caller may leave either open.

A mode has up to two numbers: that of ``pyale_ma.ALEInterface``, which is ale-py's for one player
(`Rules.BY_MODE`), and multi-agent-ale-py's (`Rules.MULTI`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

from pyale_ma import _native
from pyale_ma._base.arguments import integer, known_names
from pyale_ma._base.text import listed
from pyale_ma._native import Rules
from pyale_ma.games import cards, roms
from pyale_ma.games.environments import played

_MOST_RUNS = 16  # that are all shown

__all__ = [
    "choose",
    "modes_by_players",
    "players_in_words",
    "ranges",
    "same_mode",
    "translate_mode",
]


def modes_by_players(
    game: _native.Game | cards.Card,
    counts: Iterable[int] = (1, 2, 3, 4),
    rules: Rules = Rules.MULTI,
) -> dict[int, list[int]]:
    """The modes, ascending, of each of these numbers of players that has any."""
    return {n: modes for n in counts if (modes := game.modes(rules, n))}


def choose(
    game: _native.Game | cards.Card,
    num_players: int | None,
    mode: int | None,
    *,
    counts: Sequence[int] = (1, 2, 3, 4),
    rules: Rules = Rules.MULTI,
    error: type[Exception] = ValueError,
) -> tuple[int, int]:
    """The number of players and the mode to play.

    Args:
        game: What is played.
        num_players: None: the first of `counts` that has the mode.
        mode: None: the game's default for this number, as of its PettingZoo environment.
        counts: The numbers of players to choose from.
        rules: Whose modes they are.
        error: What is raised.

    Raises:
        error: There is no such mode for this number of players.
        TypeError: One is no whole number.
    """
    if num_players is not None:
        num_players = integer("num_players", num_players, None)
    if mode is not None:
        mode = integer("mode", mode, None)
    name, by_players = cards.place_of(game), modes_by_players(game, counts, rules)
    several = listed(counts) if 1 in counts else "several"
    if num_players is None:
        if not by_players:
            raise error(f"{name} has no modes for {several} players")
        num_players = next((n for n in by_players if mode is None or mode in by_players[n]), None)
        if num_players is None:
            raise error(f"{name} has no mode {mode}; modes by players: {by_players}")
    modes = by_players.get(num_players)
    if not modes:
        has = (
            f"only supports {listed(sorted(by_players))}"
            if by_players
            else f"has no modes for {several}"
        )
        raise error(f"num_players is {num_players!r}; {name} {has} players")
    if mode is None:
        return num_players, game.default_mode(rules, num_players)
    if mode not in modes:
        players = players_in_words(num_players)
        raise error(f"{name} has no mode {mode} for {players}; it has {ranges(modes)}")
    return num_players, mode


@known_names
def translate_mode(
    game: str | os.PathLike[str], mode: int, *, to: Literal["ale_py", "multi_agent_ale_py"]
) -> int:
    """Return the number that the other package has for a mode of a game.

    The variation of the cartridge is the same.  For one player the rules are ale-py's or
    multi-agent-ale-py's, which differ in some games.

    Args:
        game: The game's name, or that of an environment, such as "pong_v3"; or the path of a card.
        mode: The number in the package that `to` does not name.
        to: "ale_py": from `pyale_ma.multi.ALEInterface`, PettingZoo modules and vectors for several
            players to `pyale_ma.ALEInterface`; "multi_agent_ale_py": the other way.

    Raises:
        ValueError: There is no such game or mode, or `to` is something else.
    """
    here, there = Rules.BY_MODE, Rules.MULTI
    ways = {"ale_py": (there, here), "multi_agent_ale_py": (here, there)}
    if to not in ways:
        raise ValueError(f"to is {to!r}; it must be 'ale_py' or 'multi_agent_ale_py'")
    game_or_card, number = roms.game_of(played(game).game), integer("mode", mode, None)
    source, target = ways[to]
    same = same_mode(game_or_card, number, source, target)
    if same is None:
        by_players = modes_by_players(game_or_card, rules=source)
        raise ValueError(
            f"{cards.place_of(game_or_card)} has no mode {number}; modes by players: {by_players}"
        )
    return same


def same_mode(
    game: _native.Game | cards.Card, mode: int, source: Rules, target: Rules
) -> int | None:
    """The number under one rule set of a mode that has this number under another one, if any has.

    Each rule set has the same modes for a number of players, in the same order.
    """
    for players in range(1, _native.MAX_PLAYERS + 1):
        numbers = game.modes(source, players)
        if mode in numbers:
            return game.modes(target, players)[numbers.index(mode)]
    return None


def players_in_words(count: int) -> str:
    """Return a number of players in words, such as "1 player"."""
    return "1 player" if count == 1 else f"{count} players"


def ranges(numbers: Iterable[int]) -> str:
    """``[0, 1, 2, 5]`` as "0-2, 5", and a long regular list by its beginning and its end."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    distances = {(second[0] - first[0], len(first)) for first, second in pairwise(runs)}
    if len(runs) > _MOST_RUNS and len(distances) == 1 and len(runs[-1]) == len(runs[0]):
        shown = [*shown[:2], "...", shown[-1]]
    return listed(shown)
