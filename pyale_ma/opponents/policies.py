"""Policies: functions that choose actions for players, and what they remember between turns."""

from __future__ import annotations

import inspect
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import integer
from pyale_ma._native import MAX_PLAYERS

__all__ = ["Policy", "PolicyRunner", "RandomPolicy", "Turn", "needed", "observes_ram", "takes_turn"]

Array: TypeAlias = npt.NDArray[Any]
Place: TypeAlias = tuple[int, int]  # an environment, and a seat in it


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
    """

    matches: npt.NDArray[np.int64]
    starts: npt.NDArray[np.bool_]
    generators: list[np.random.Generator]
    states: list[Any]


class Player(ABC):
    """Base class of the package's own policies."""

    _players = MAX_PLAYERS  # whose seats it can have

    @abstractmethod
    def __call__(self, observations: Array, seats: Array, /, *args: Any, **kwargs: Any) -> Array:
        """As of `Policy`."""

    def solo(self, seat: int, seed: int = 0) -> Callable[[Array], int]:
        """Make a player of one game: a function of what it sees, that returns an action.

        Each of its calls is a step of the game.  A trained player sees RAM, uint8 (128,); others
        look at nothing.

        Args:
            seat: Which player it is, 0 for the first.
            seed: The seed of its random numbers.

        Raises:
            TypeError: `seat` is no whole number.
            ValueError: There is no such seat.
        """
        seat = integer("seat", seat, 0, self._players - 1)
        generator, seats = np.random.default_rng([seed, seat]), np.array([seat])
        states: list[Any] = [None]
        with_turn = takes_turn(self)

        def act(observation: Array) -> int:
            given = np.asarray(observation)[None]
            if not with_turn:
                return int(self(given, seats)[0])
            starts = np.array([states[0] is None])
            turn = Turn(np.zeros(1, np.int64), starts, [generator], states)
            return int(self(given, seats, turn=turn)[0])

        return act


class RandomPolicy(Player):
    """A policy that chooses all actions with the same probability.

    Args:
        num_actions: Number of the game's actions.
        seed: The seed of its random numbers outside of an arena; in one they are of the match.

    Raises:
        TypeError: `num_actions` is no whole number.
        ValueError: It is below 1.
    """

    def __init__(self, num_actions: int, seed: int = 0) -> None:
        self._num_actions = integer("num_actions", num_actions, 1)
        self._random = np.random.default_rng(seed)

    def __call__(self, observations: Array, seats: Array, /, turn: Turn | None = None) -> Array:
        """Actions, int64 (n,)."""
        if turn is not None:
            drawn = [generator.integers(self._num_actions) for generator in turn.generators]
            return np.array(drawn, np.int64)
        return self._random.integers(self._num_actions, size=len(observations))


@dataclass
class _Memory:
    """Memory of a player's policy from one turn to the next."""

    generator: np.random.Generator
    state: Any = None


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


def observes_ram(policy: Policy) -> bool:
    """Whether a policy sees RAM, uint8 (n, 128), whatever others observe.

    It says so by an attribute ``observes`` that is "ram".
    """
    return getattr(policy, "observes", None) == "ram"


class PolicyRunner:
    """A policy at its seats in some games: asks it for actions, and keeps what it remembers.

    Args:
        name: What errors call it.
        policy: The policy.
        num_actions: Number of the game's actions.
        generator: Makes the random generator of a place where a game begins.

    Attributes:
        observes_ram: Whether it must be given RAM.
    """

    def __init__(
        self,
        name: str,
        policy: Policy,
        num_actions: int,
        generator: Callable[[int, int], np.random.Generator],
    ) -> None:
        self.observes_ram = observes_ram(policy)
        self._name = name
        self._policy = policy
        self._num_actions = num_actions
        self._generator = generator
        self._takes_turn = takes_turn(policy)
        self._memory: dict[Place, _Memory] = {}
        self._places = b"", b""  # environments and seats of the last turn,
        self._kept: list[_Memory] = []  # and what is remembered there

    def act(self, observations: Array, envs: Array, seats: Array, matches: Array) -> Array:
        """Its actions.

        Args:
            observations: uint8 (n, ...): what each player sees.
            envs: int64 (n,): the environment of each.
            seats: int64 (n,): its seat there.
            matches: int64 (n,): the number of the match that is played there.

        Raises:
            TypeError: The actions are no whole numbers.
            ValueError: They are out of range, or not one for each player.
        """
        policy = self._policy
        envs, seats = envs.copy(), seats.copy()  # the policy may change what it is given
        if not self._takes_turn:
            actions = policy(observations, seats)
            return _checked(actions, self._name, observations, seats, self._num_actions)
        starts = self._find(envs, seats)
        kept = self._kept
        turn = Turn(
            matches, starts, [each.generator for each in kept], [each.state for each in kept]
        )
        actions = policy(observations, seats, turn=turn)
        actions = _checked(actions, self._name, observations, seats, self._num_actions)
        for each, state in zip(kept, turn.states, strict=True):
            each.state = state
        return actions

    def _find(self, envs: Array, seats: Array) -> Array:
        """Have in `_kept` what is remembered at these places; bool (n,): which are new."""
        starts = np.zeros(len(envs), np.bool_)
        wanted = envs.tobytes(), seats.tobytes()
        if wanted == self._places:  # as nearly always
            return starts
        memory = self._memory
        places: list[Place] = list(zip(envs.tolist(), seats.tolist(), strict=True))
        for row, place in enumerate(places):
            if place not in memory:
                memory[place] = _Memory(self._generator(*place))
                starts[row] = True
        self._kept = [memory[place] for place in places]
        self._places = wanted
        return starts

    def forget(self, env: int, seats: Sequence[int] | range) -> None:
        """A game is over: at its next turn there, the policy begins anew."""
        self._places = b"", b""
        for seat in seats:
            self._memory.pop((env, seat), None)


def _checked(actions: Any, name: str, observations: Array, seats: Array, num_actions: int) -> Array:
    """A policy's actions, looked at."""
    if hasattr(actions, "detach"):  # a tensor
        actions = actions.detach().cpu()
    try:
        chosen: Array = np.asarray(actions)
    except ValueError:  # lists of different lengths
        raise ValueError(
            f"policy {name!r} returned {reprlib.repr(actions)}: it must return one action for "
            f"each observation, shape {seats.shape}"
        ) from None
    if chosen.shape != seats.shape:
        raise ValueError(
            f"policy {name!r} returned actions of shape {chosen.shape} for observations of shape "
            f"{observations.shape}: it must return one action for each, shape {seats.shape}"
        )
    if chosen.dtype.kind not in "iu":
        raise TypeError(
            f"policy {name!r} returned actions of {chosen.dtype}: they must be whole numbers, "
            "such as the argmax of what a network says"
        )
    if chosen.size and (chosen.min() < 0 or chosen.max() >= num_actions):
        wrong = chosen[(chosen < 0) | (chosen >= num_actions)][0]
        raise ValueError(
            f"policy {name!r} chose action {wrong}; this game's are 0 to {num_actions - 1}: "
            "was it made for another game, or with full_action_space?"
        )
    return chosen
