"""What every environment's module is made of: a `Setup`, and three functions made from it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from pettingzoo.utils.conversions import (  # type: ignore[import-untyped]
    parallel_to_aec_wrapper,
)
from pettingzoo.utils.wrappers import (  # type: ignore[import-untyped]
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
)

from pyale_ma.multi.base import ArgumentError, ParallelAtariEnv, TurnwiseAtariEnv
from pyale_ma.multi.turns import AECAtariEnv
from pyale_ma.text import nearest

__all__ = ["EntryPoints", "Setup", "check", "entry_points"]


class Setup(NamedTuple):
    """Which game an environment plays, in which mode.

    Attributes:
        game: The game's name, or a card's path.
        num_players: 1 to 4.
        mode: One of the game's modes for so many players; None for the first.
        name: The environment's name; "" for its module's.
    """

    game: str
    num_players: int
    mode: int | None = None
    name: str = ""


def check(name: str, value: object, allowed: Iterable[object]) -> None:
    """Raise ArgumentError unless an argument is one of those allowed."""
    allowed = list(allowed)
    if value not in allowed:
        raise ArgumentError(f"{name} is {value!r}; it must be {', '.join(map(repr, allowed))}")


class EntryPoints(NamedTuple):
    """The functions of a module; all take the same keyword arguments."""

    env: Callable[..., AECAtariEnv]
    parallel_env: Callable[..., ParallelAtariEnv]
    raw_env: Callable[..., AECAtariEnv]


# What a module says of itself; everything else of ParallelAtariEnv's is the caller's to choose.
_CHOSEN = ("self", "game", "num_players", "mode_num", "env_name")


def entry_points(module: str, setup: Callable[..., Setup], **defaults: Any) -> EntryPoints:
    """The functions of an environment's module.

    Args:
        module: The module's full name; its last part is the environment's.
        setup: Turns the module's own arguments into a game, a number of players and a mode.
        defaults: Of those arguments of ParallelAtariEnv that are another in this game.
    """
    own = inspect.signature(setup).parameters
    common = inspect.signature(ParallelAtariEnv.__init__).parameters
    names = [name for name in common if name not in _CHOSEN]
    changed = [
        common[name].replace(default=defaults.get(name, common[name].default)) for name in names
    ]
    signature = inspect.Signature(
        [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in (*own.values(), *changed)
        ]
    )

    def arguments(given: dict[str, Any]) -> dict[str, Any]:
        unknown = [name for name in given if name not in own and name not in names]
        if unknown:
            raise TypeError(
                f"{module} has no argument {unknown[0]!r}; "
                f"{nearest(unknown[0], signature.parameters)}"
            )
        for name, parameter in own.items():
            if parameter.default is parameter.empty and name not in given:
                raise TypeError(f"{module}: give {name}, such as {name}='pong'")
        chosen = setup(**{name: given[name] for name in own if name in given})
        return {
            "game": chosen.game,
            "num_players": chosen.num_players,
            "mode_num": chosen.mode,
            "env_name": chosen.name or module.rpartition(".")[2],
            **defaults,
            **{name: given[name] for name in names if name in given},
        }

    def raw_env(**kwargs: Any) -> AECAtariEnv:
        """The environment by turns, without the wrappers that check how it is used."""
        made: AECAtariEnv = parallel_to_aec_wrapper(TurnwiseAtariEnv(**arguments(kwargs)))
        return made

    def env(**kwargs: Any) -> AECAtariEnv:
        """The environment by turns: agents act one after another, the last one starts the frame."""
        made: AECAtariEnv = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(raw_env(**kwargs)))
        return made

    def parallel_env(**kwargs: Any) -> ParallelAtariEnv:
        """The environment in which all agents act at the same time."""
        return ParallelAtariEnv(**arguments(kwargs))

    functions = EntryPoints(env, parallel_env, raw_env)
    for function in functions:
        for name, value in (
            ("__module__", module),
            ("__qualname__", function.__name__),  # so that it can be pickled
            ("__signature__", signature),
        ):
            setattr(function, name, value)
    return functions
