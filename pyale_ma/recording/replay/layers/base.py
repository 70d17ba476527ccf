"""`Layer`: the methods by which any environment that can be recorded is recorded and replayed."""

from __future__ import annotations

import operator
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import error

from pyale_ma._base.tap import Tap
from pyale_ma._base.text import printable
from pyale_ma.console.objects import ObjectBox
from pyale_ma.console.state import ALEState
from pyale_ma.games.selection import Image
from pyale_ma.recording.file import npy
from pyale_ma.recording.file.format import OPTIONS, Header, RecordingError
from pyale_ma.screen.film import Film

Array: TypeAlias = npt.NDArray[Any]
Numbers: TypeAlias = tuple[Any, Any, Any]  # rewards, terminations, truncations
Entry: TypeAlias = tuple[dict[str, Any] | None, bool]  # of a reset: see `Layer.entry`

# What an environment may raise that is given what a file says.
REFUSALS = (
    *(ValueError, RuntimeError, TypeError, LookupError, OverflowError, MemoryError),
    error.Error,
)


class Layer(ABC):
    """An environment of a layer.

    Args:
        env: The environment.

    Attributes:
        name: The layer's, as in the header.
        players: Of an environment.
        env: The environment.
        row: The shape of a step's rewards.
        sends: Whether the results of a step may be received later.
        settings: Attributes of the environment that the header's arguments determine, and that say
            how it plays.  They must not change while it is recorded.
        kept: What they must be; a recorder takes those of an environment that it makes by the
            header.
    """

    name: ClassVar[str]
    settings: ClassVar[tuple[str, ...]] = ()
    sends: ClassVar[bool] = False
    players = 1
    row: tuple[int, ...] = ()

    def __init__(self, env: Any) -> None:
        self.env = env
        self._read: Callable[[Any], Any] = (
            operator.attrgetter(*self.settings) if self.settings else lambda _: ()
        )
        self.kept = tuple(map(_copied, self._read(env)))

    @abstractmethod
    def header(self, metadata: dict[str, Any]) -> Header:
        """Return the header from which such an environment can be made again."""

    @classmethod
    @abstractmethod
    def make(cls, header: Header, games: list[Image], observe: dict[str, Any]) -> Layer:
        """The environment that a header speaks of, with other observations."""

    def options_in_force(self) -> Any:
        """Settings that the arguments gave, to be compared; None: nothing else changes them."""
        return None

    def check_settings(self) -> None:
        """Refuse to play on if attributes were set that say how the environment plays.

        Raises:
            RecordingError: One was set; the text says which.
        """
        now = self._read(self.env)
        if now != self.kept:
            for name, was, value in zip(self.settings, self.kept, now, strict=True):
                refuse_change(name, value, was)

    # ---- Taps ------------------------------------------------------------------------------------

    def attach(self, tap: Tap | None) -> None:
        """Have all told to a tap that changes the game; None: to nobody."""
        self.env.tap = tap

    def beside(self) -> Any:
        """Return what belongs to the game and a caller can set, so that no tap is told."""
        return None

    def taken(self, actions: Any) -> Any:
        """Return actions of a step that is about to be played; None: it is not kept."""
        return actions

    # ---- Playing ---------------------------------------------------------------------------------

    @abstractmethod
    def entry(self, seed: Any, options: dict[str, Any] | None) -> Entry:
        """Return the data to keep of a reset, and whether all that follows depends on it alone.

        None: it cannot be done again, and the state after it must be kept.
        """

    @abstractmethod
    def reset(self, entry: dict[str, Any]) -> Any:
        """Do a reset again.  The observation."""

    def strengths(self) -> Any:
        """Return how far paddles turned in the last step, where actions do not say it."""
        raise NotImplementedError

    def check_numbers(self, actions: Any) -> None:
        """Refuse actions that no file can have; what is no action at all the environment refuses.

        Raises:
            RecordingError: A number is not finite.
        """
        if isinstance(actions, np.ndarray) and actions.dtype.kind == "f":
            check_finite("actions", actions)

    @abstractmethod
    def actions(self, row: Array) -> Any:
        """An array of actions as the environment takes them."""

    def set_strengths(self, row: Array) -> None:
        """Have paddles turn so far by the next step."""
        raise NotImplementedError

    def step(self, actions: Any) -> Any:
        """Play a step.  Observation, reward, whether it ended and was cut off, infos."""
        return self.env.step(actions)

    def numbers(self, result: Any) -> Numbers:
        """The rewards, terminations and truncations of a step's result."""
        return result[1], result[2], result[3]

    # ---- Observing -------------------------------------------------------------------------------

    @abstractmethod
    def rams(self) -> Array:
        """RAM, uint8 (envs, 128)."""

    @abstractmethod
    def screen(self, env: int) -> Array:
        """An environment's screen, uint8 (height, 160, 3)."""

    def watch(self, function: Callable[[], None]) -> None:
        """Have a function called after every frame that steps play, which must not change the game.

        Of a vector, and of several agents, it is called after each step.
        """
        play = self.step

        def step(actions: Any) -> Any:
            result = play(actions)
            function()
            return result

        self.step = step  # type: ignore[method-assign]

    @abstractmethod
    def take(self, film: Film, env: int | None) -> None:
        """Have a film take the present frame of an environment; None: of all, side by side."""

    @abstractmethod
    def observation(self) -> Any:
        """The present observation."""

    def observation_array(self) -> Array:
        """The present observation of one environment as datasets have it, of all players."""
        return np.asarray(self.observation())

    def boxes(self) -> list[ObjectBox]:
        """The objects on the screen."""
        raise RecordingError("boxes of objects are those of one environment, not of a vector")

    # ---- States ----------------------------------------------------------------------------------

    def frames(self) -> int | None:
        """Count the frames played; None: steps play some even if the episode is over."""
        return None

    @abstractmethod
    def save(self) -> tuple[bytes, dict[str, Any]]:
        """The state of everything, and what is not in its bytes."""

    @abstractmethod
    def start(self, env: int) -> ALEState | None:
        """The present state of an environment's console; None: its game is over."""

    @abstractmethod
    def same(self, one: bytes, other: bytes) -> bool:
        """Whether two states have the same future; their bytes may differ all the same."""

    @abstractmethod
    def load(self, state: bytes, extra: dict[str, Any]) -> None:
        """Continue from a state; ValueError and others: it is none."""

    def close(self) -> None:
        """Free it."""
        self.env.close()


def plain(value: Any) -> Any:
    """An option as JSON has it."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [int(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (bool, int, float, str, dict)):
        return value
    return float(value) if hasattr(value, "__float__") else str(value)


def _copied(value: Any) -> Any:
    """A value, which others cannot change in place where it is a list."""
    return value.copy() if isinstance(value, list) else value


def refuse_change(name: str, now: Any, was: Any) -> None:
    """Refuse an attribute that decides how an environment plays, if it was set.

    Raises:
        RecordingError: It was.
    """
    if now != was:
        was, now = (printable(reprlib.repr(value)) for value in (was, now))
        raise RecordingError(
            f"{name} of the environment was {was} and is {now} now, which a replay would not know; "
            "nothing was played: set it back, or close the recorder or memory, and make an "
            "environment with the arguments wanted"
        )


def check_finite(name: str, numbers: Any) -> None:
    """Refuse numbers that no file can have."""
    try:
        npy.check_finite(numbers)
    except ValueError as error:
        raise RecordingError(
            f"{name} {error}, as the environment is recorded or kept; the step was not played"
        ) from None


def options_of(layer: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that a header of a layer has, as JSON has them."""
    return {name: plain(arguments[name]) for name in OPTIONS[layer]}
