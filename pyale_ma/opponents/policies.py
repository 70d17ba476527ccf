"""Policies: functions that choose actions for players, and what they remember between turns."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import integer
from pyale_ma._base.text import shown
from pyale_ma._native import MAX_PLAYERS

__all__ = ["Policy", "RandomPolicy", "Turn", "needed", "observes_ram", "takes_turn"]

Array: TypeAlias = npt.NDArray[Any]


class Policy(Protocol):
    """A function that chooses actions, or an object that can be called like one."""

    def __call__(self, observations: Array, seats: Array, /, *args: Any, **kwargs: Any) -> Any:
        """Choose actions for players in several games at once.

        Args:
            observations: uint8 (n, ...): what each sees, as the arena's vector returns it.
            seats: int64 (n,): which player each is, 0 for the first.
            *args: None; a policy need not have them.
            **kwargs: ``turn``, a `Turn`, where the policy has a parameter of this name, as one has
                that draws random numbers or keeps a state.

        Returns:
            n actions, whole numbers below the game's number of actions.
        """


@dataclass(frozen=True)
class Turn:
    """Information for a policy with a parameter ``turn`` about the players for whom it acts.

    With it a match depends neither on the others nor on how many are played at a time.

    Attributes:
        matches: int64 (n,): the number of each player's match, as in `Results.matches`.
        starts: bool (n,): whether the match begins.
        generators: n random generators, one for each seat of each match, seeded with both.
        states: n objects, None at the beginning of a match.  What the policy puts here is here at
            the player's next turn.
        game: The environment in which they play, for a policy whose attribute ``needs`` is "game":
            its method ``branches`` makes copies that play on.  Otherwise None.
        rows: int64 (n,): the rows of `game` in which they play.
    """

    matches: npt.NDArray[np.int64]
    starts: npt.NDArray[np.bool_]
    generators: list[np.random.Generator]
    states: list[Any]
    game: Any = None
    rows: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))


class Player(ABC):
    """Base class of the package's own policies."""

    _players = MAX_PLAYERS  # whose seats it can have

    def __repr__(self) -> str:
        arguments = inspect.signature(type(self)).parameters
        return shown(self, **{name: getattr(self, f"_{name}", None) for name in arguments})

    @abstractmethod
    def __call__(self, observations: Array, seats: Array, /, *args: Any, **kwargs: Any) -> Array:
        """Choose actions; see `Policy`."""

    def solo(self, seat: int, seed: int = 0) -> Callable[[Array], int]:
        """Make a player of one game: a function of what it sees, that returns an action.

        Each of its calls is a step of the game.  A trained player sees RAM, uint8 (128,); others
        look at nothing.

        Args:
            seat: Which player it is, 0 for the first.
            seed: The seed of its random numbers.

        Raises:
            TypeError: `seat` or `seed` is not a whole number.
            ValueError: There is no such seat, or `seed` is below 0.
        """
        seat, seed = integer("seat", seat, 0, self._players - 1), integer("seed", seed, 0)
        generator, seats = np.random.default_rng([seed, seat]), np.array([seat])
        states: list[Any] = [None]
        with_turn = takes_turn(self)
        if needs_game(self):
            raise ValueError(NO_GAME.format("this policy"))

        def act(observation: Array) -> int:
            observations = np.asarray(observation)[None]
            if not with_turn:
                return int(self(observations, seats)[0])
            starts = np.array([states[0] is None])
            turn = Turn(np.zeros(1, np.int64), starts, [generator], states)
            return int(self(observations, seats, turn=turn)[0])

        return act


class RandomPolicy(Player):
    """A policy that chooses all actions with the same probability.

    Args:
        num_actions: Number of the game's actions.
        seed: The seed of its random numbers outside of an arena; in one they are of the match.

    Examples:
        ```python
        from pyale_ma.evaluation import Arena, RandomPolicy

        arena = Arena("quartet", 2, mode=2, obs_type="ram", stack_num=1)
        results = arena.play({"mine": RandomPolicy(arena.num_actions), "still": "still"})
        ```

    Raises:
        TypeError: `num_actions` or `seed` is not a whole number.
        ValueError: `num_actions` is below 1, or `seed` below 0.
    """

    def __init__(self, num_actions: int, seed: int = 0) -> None:
        self._num_actions = integer("num_actions", num_actions, 1)
        self._random = np.random.default_rng(integer("seed", seed, 0))

    def __call__(self, observations: Array, seats: Array, /, turn: Turn | None = None) -> Array:
        """Actions, int64 (n,)."""
        if turn is not None:
            drawn = [generator.integers(self._num_actions) for generator in turn.generators]
            return np.array(drawn, np.int64)
        return self._random.integers(self._num_actions, size=len(observations))


def takes_turn(policy: Policy) -> bool:
    """Whether a policy has a parameter `turn`."""
    try:
        return "turn" in inspect.signature(policy).parameters
    except ValueError:  # a function of C
        return False


def needed(turn: Turn | None) -> Turn:
    """Return `turn`, or raise if it is missing.

    Raises:
        TypeError: There is none.
    """
    if turn is None:
        raise TypeError("this policy keeps a memory: give it a Turn, as an Arena does")
    return turn


def needs_game(policy: Policy) -> bool:
    """Whether a policy must be given the game, to make branches of it.

    It says so by an attribute ``needs`` that is "game".

    Raises:
        ValueError: The attribute is something else.
    """
    needs = getattr(policy, "needs", None)
    if needs not in (None, "game"):
        name = type(policy).__name__
        raise ValueError(f'{name}.needs is {needs!r}; a policy can only need "game"')
    return needs is not None


NO_GAME = (
    "{} needs the game, to make branches of it: an Arena, a VersusEnv or a VersusVectorEnv gives it"
)


def observes_ram(policy: Policy) -> bool:
    """Whether a policy sees RAM, uint8 (n, 128), whatever others observe.

    It says so by an attribute ``observes`` that is "ram".
    """
    return getattr(policy, "observes", None) == "ram"
