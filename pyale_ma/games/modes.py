"""A game's modes by its numbers of players, and the numbers that modes have.

A mode has up to two numbers: that of ``pyale_ma.ALEInterface``, which is ale-py's for one player
(`Rules.BY_MODE`), and multi-agent-ale-py's (`Rules.MULTI`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

from pyale_ma import _native
from pyale_ma._base.arguments import integer, known_names
from pyale_ma._base.text import listed
from pyale_ma._native import Rules
from pyale_ma.games import cards, rom_files
from pyale_ma.games.environments import game_named

_MOST_RUNS = 16  # that are all shown


def modes_by_players(
    game: _native.Game | cards.Card,
    counts: Iterable[int] = (1, 2, 3, 4),
    rules: Rules = Rules.MULTI,
) -> dict[int, list[int]]:
    """The modes, ascending, of each of these numbers of players that has any."""
    return {n: modes for n in counts if (modes := game.modes(rules, n))}


def no_mode(
    game: _native.Game | cards.Card, mode: int, num_players: int | None, rules: Rules
) -> str:
    """Return the error for a mode that a game lacks for this number of players."""
    by_players = modes_by_players(game)
    others = [n for n, modes in by_players.items() if mode in modes and n != num_players]
    several = "" if num_players is None else f" for {players_in_words(num_players)}"
    hint = f"; with num_players={others[0]} it has that" if others else ""
    has = ranges(game.modes(rules, num_players or 1))
    return f"{cards.place_of(game)} has no mode {mode}{several}; it has {has}{hint}"


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

    Examples:
        ```python
        import pyale_ma

        pyale_ma.translate_mode("mario_bros", 0, to="multi_agent_ale_py")
        ```

    Raises:
        ValueError: There is no such game or mode, or `to` is something else.
    """
    here, there = Rules.BY_MODE, Rules.MULTI
    ways = {"ale_py": (there, here), "multi_agent_ale_py": (here, there)}
    if to not in ways:
        raise ValueError(f"to is {to!r}; it must be 'ale_py' or 'multi_agent_ale_py'")
    game_or_card, number = rom_files.game_of(game_named(game)), integer("mode", mode, None)
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
