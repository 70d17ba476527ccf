"""Names of modes: the words by which the environments for several agents choose them."""

from __future__ import annotations

import inspect
import itertools
import typing
import warnings
from collections.abc import Iterator
from typing import Any

from pyale_ma import multi
from pyale_ma.games.selection import Selection
from pyale_ma.multi import ArgumentError
from pyale_ma.multi.module_functions import choice_of


def choices(module: Any) -> Iterator[tuple[dict[str, Any], Selection]]:
    """All combinations of the own arguments of an environment's module, and what they choose."""
    choose = choice_of(module.__name__.rpartition(".")[2], getattr(module, "mode", None))
    hints = typing.get_type_hints(choose)
    names = inspect.signature(choose).parameters
    values = [_choices(hints[name]) for name in names]
    for combination in itertools.product(*values):
        arguments = dict(zip(names, combination, strict=True))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # against arguments that are too easy to learn
                chosen = choose(**arguments)
        except ArgumentError:
            continue  # not for this number of players
        yield arguments, chosen


def _choices(hint: Any) -> tuple[Any, ...]:
    """The values of a type: True and False, or those of a Literal, which may be optional."""
    if hint is bool:
        return (False, True)
    literal, *others = typing.get_args(hint)
    return typing.get_args(literal) if type(None) in others else typing.get_args(hint)


def mode_names(game: str, players: int) -> dict[int, str]:
    """Return the names of a game's modes for this number of players, where they have one."""
    by_mode: dict[int, str] = {}
    for name in multi.ENVIRONMENTS:
        kind = name.rpartition("_")[0].removeprefix(f"{game}_").removesuffix(f"_{game}")
        for arguments, chosen in choices(getattr(multi, name)):
            if (chosen.game.name, chosen.num_players) != (game, players):
                continue
            words = list(_words(arguments))
            if kind != game and not any(isinstance(value, str) for value in arguments.values()):
                words.insert(0, kind)
            if words:
                by_mode.setdefault(chosen.mode, ", ".join(words).replace("_", " "))
    return dict(sorted(by_mode.items()))


def _words(arguments: dict[str, Any]) -> Iterator[str]:
    """Put arguments into words: names as they are, flags that are set, numbers with their name."""
    for name, value in arguments.items():
        if isinstance(value, str):
            yield value
        elif value is True:
            yield name.removeprefix("has_").removeprefix("is_")
        elif value is not False and name != "num_players":
            yield f"{name} {value}"
