"""Starts: where episodes begin, if not where a reset of the cartridge leads (docs/starts.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from pyale_ma import _native
from pyale_ma._base.arguments import number
from pyale_ma.console.base_interface import console_of
from pyale_ma.console.state import ALEState
from pyale_ma.games.selection import Selection

Start: TypeAlias = "ALEState | None"
Chooser: TypeAlias = "Callable[[np.random.Generator, int], Start]"
AnyStarts: TypeAlias = "ALEState | Iterable[Start] | Mapping[Start, float] | Chooser"


class Starts:
    """Where episodes begin, as a user says it.

    Args:
        given: A state; several, of which each reset draws one; weights by states; or a function of
            a random generator and the number of an environment that returns a state.  None instead
            of a state stands for a reset as without starts.
        env: As of `_native.Starts`.

    Attributes:
        function: The function, or None.
        states: The states, None for a reset; of a function none.
        native: What the library draws from, without a function.

    Raises:
        TypeError: It is none of these.
        ValueError: A state is another game's, or a weight is not allowed.
    """

    def __init__(self, given: AnyStarts | Start, env: Any) -> None:
        self.function = given if callable(given) else None
        self.states: list[Start] = []
        if self.function is None:
            self.states, weights = _states_and_weights(given)
            self.native = _native.Starts(self.states, weights, env)

    def ask(self, random: np.random.Generator, row: int) -> Start:
        """Return what the function says."""
        assert self.function is not None
        state = self.function(random, row)
        if state is not None:
            check_state("what starts returned", state)
        return state


def _states_and_weights(given: Any) -> tuple[list[Start], list[float] | None]:
    if given is None or isinstance(given, ALEState):
        return [given], None
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes)):
        raise TypeError(
            "starts must be a state, a list of states, a dict of their weights, or a function, "
            f"not {given!r}"
        )
    states = list(given)
    if not states:
        raise ValueError("starts is empty: give one state at least, or leave it out")
    for k, state in enumerate(states):
        if state is not None:
            check_state(f"starts[{k}]", state)
    if not isinstance(given, Mapping):
        return states, None
    weights = [number("a weight of starts", weight) for weight in given.values()]
    for weight in weights:
        if not 0 <= weight < math.inf:
            raise ValueError(f"a weight of starts is {weight}; it must be finite, 0 or more")
    return states, weights


def check_state(name: str, state: Any) -> ALEState:
    """Return a state.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(state, ALEState):
        raise TypeError(f"{name} must be an ALEState, not {type(state).__name__}")
    return state


def has_starts(env: Any, options: Mapping[str, Any] | None) -> bool:
    """Whether a reset of an environment or a vector begins at a start."""
    return (options is not None and "starts" in options) or env._starts is not None


class Starting:
    """An environment with one console, whose episodes may begin at starts."""

    ale: Any
    _played: Selection
    _terminals: _native.Terminals
    _corrected_rules: bool
    _starts: Starts | None = None
    _random_of_starts: np.random.Generator | None = None  # of a function
    _home: tuple[int, int] | None = None  # its mode and difficulty, if a start had others

    def set_starts(self, starts: AnyStarts | None) -> None:
        """Choose where episodes begin from the next reset on, as the argument `starts`.

        Raises:
            TypeError: It is none of what starts may be.
            ValueError: A state is another game's, or a weight is not allowed.
        """
        self._starts = None if starts is None else self._made(starts)

    def _branch_options(self, frameskip: int, num_threads: int) -> dict[str, Any]:
        """Return the options of its branches, which have no limit of frames."""
        return {
            "terminal_on": dict(self._terminals) or None,
            "frameskip": frameskip,
            "num_threads": num_threads,
            "max_num_frames_per_episode": None,
            "repeat_action_probability": self.ale.getFloat("repeat_action_probability"),
            "corrected_rules": self._corrected_rules,
        }

    def _made(self, given: AnyStarts | Start) -> Starts:
        starts = Starts(given, console_of(self.ale)._handle)
        for k, state in enumerate(starts.states):
            self._check_players(f"starts[{k}]", state)
        return starts

    def _check_players(self, name: str, state: Start) -> None:
        """Refuse a state of a mode that is for more or fewer players than there are here."""
        if state is None or state.info.empty:
            return
        mode, players = state.getCurrentMode(), self._played.players
        if mode not in console_of(self.ale).modes(players):
            raise ValueError(f"{name} is of mode {mode}, but here modes are for {players} players")

    def _starts_of(
        self, seed: int | None, options: Mapping[str, Any] | None
    ) -> tuple[_native.Starts, int] | None:
        """Return where a reset is to begin: at one of these starts, or at that with this number.

        None: where resets lead, which are then of the environment's own mode.
        """
        starts = self._starts
        if options and "starts" in options:
            starts = self._made(options["starts"])
        if starts is None:
            return None if self._home is None else (_native.Starts([None]), 0)
        if starts.function is None:
            return starts.native, -1
        random = self._random_of_starts
        if random is None or seed is not None:
            random = self._random_of_starts = np.random.default_rng(seed)
        state = starts.ask(random, 0)
        self._check_players("what starts returned", state)
        return _native.Starts([state], env=console_of(self.ale)._handle), 0

    def _begin_at(
        self, starts: tuple[_native.Starts, int], seed: int | None
    ) -> tuple[bool, dict[str, int]]:
        """Let an episode begin at a start, with random numbers of this seed; None: they go on.

        Returns:
            Whether it has begun, or else must by a reset; and what infos say of it.
        """
        native, index = starts
        console, report = console_of(self.ale), console_of(self.ale).report
        home = self._home or (report.mode, report.difficulty)
        chosen = console.start(native, seed, index)
        begun = not native.is_reset[chosen]
        if begun:
            there = report.mode, report.difficulty
            self._home = None if there == home else home
        elif self._home is not None:
            console.set_mode(home[0])
            console.set_difficulty(home[1])
            self._home = None
        return begun, {"start": chosen} if index < 0 else {}
