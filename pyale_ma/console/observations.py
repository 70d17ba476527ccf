"""The types of observation: one table, from which every layer takes names, shapes and values.

A type of vectors alone is a row and a name in `VectorObsType`, and an ``ale_observation`` of the
library.  One that all environments have is named in `ObsType`, and is one of ``ale_pixels``, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import error, spaces

from pyale_ma._base.arguments import is_one_of
from pyale_ma._native import RAM_SIZE, SCREEN_WIDTH, Game, Observation, Pixels
from pyale_ma.console.objects import Object
from pyale_ma.games.cards import Card

Array: TypeAlias = npt.NDArray[np.int32]

ObsType: TypeAlias = Literal["rgb", "grayscale", "ram", "objects", "labels"]
"""The names of types that environments for one agent have, and vectors, too."""

VectorObsType: TypeAlias = Literal[ObsType]
"""Those of vectors; one that they alone have follows here: ``Literal[ObsType, "name"]``."""


@dataclass(frozen=True)
class ObservationType:
    """One type of observation.

    Attributes:
        name: In vectors, and in environments for one agent.
        preprocessed: What vectors ask the library for.
        agent_name: In environments for several agents, where PettingZoo has given the names; "":
            they do not have it.
        getter: The method of `ALEInterface` that returns it; "": `AtariEnv` does not have it.
        pixels: How the library writes a screen, for environments that are not vectors; None: it
            is not a picture.
        is_picture: Whether it is made of screens.
        size: Number of values of what is not a picture; 0: it depends on the game, see `of_game`.
        dtype: Of the values.
        bounds: The least and the largest value of each of `size` values; None: 0 and `high`.
        channels: Values of a pixel of the screen; 0: one, without an axis for it.
        preprocessed_channels: The same of vectors' resized pictures.
        high: The largest value of a screen; in vectors it is always 255.
    """

    name: VectorObsType
    preprocessed: Observation
    agent_name: str = ""
    getter: str = ""
    pixels: Pixels | None = None
    is_picture: bool = True
    size: int = 0
    dtype: Any = np.uint8
    bounds: tuple[Array, Array] | None = None
    channels: int = 0
    preprocessed_channels: int = 0
    high: int = 255

    def of_game(self, game: Game | Card) -> ObservationType:
        """Return this type as a game has it: labels depend on the game.

        Raises:
            ValueError: The game has no labels, as no card has.
        """
        if self.name != "labels":
            return self
        from pyale_ma.labels import known_labels  # no file is read unless somebody asks

        labels = known_labels(game)
        return replace(self, size=len(labels), bounds=(labels.low, labels.high))

    @property
    def has_objects(self) -> bool:
        """Whether the console must keep track of the objects on the screen."""
        return self.pixels == Pixels.OBJECTS

    def shape(self, height: int, least_channels: int = 0) -> tuple[int, ...]:
        """The shape of one screen, or of RAM.

        Args:
            height: Of the screen.
            least_channels: 1: gray pixels have an axis, too, as PettingZoo's.
        """
        if not self.is_picture:
            return (self.size,)
        channels = max(self.channels, least_channels)
        return (height, SCREEN_WIDTH, channels) if channels else (height, SCREEN_WIDTH)

    def preprocessed_shape(self, height: int, width: int) -> tuple[int, ...]:
        """The shape of one frame of a vector's stack."""
        if not self.is_picture:
            return (self.size,)
        channels = self.preprocessed_channels
        return (height, width, channels) if channels else (height, width)

    def space(self, shape: tuple[int, ...]) -> spaces.Box:
        """The space of one screen, or of what is not a picture, of this shape."""
        low, high = (0, self.high) if self.bounds is None else self.bounds
        return spaces.Box(low, high, shape, self.dtype)

    def stacked_space(self, shape: tuple[int, ...], frames: int) -> spaces.Box:
        """The space of a vector's frames, before which there may be zeros.

        Args:
            shape: Of the observation; the frames are in the axis before those of a frame.
            frames: How many there are; indicators of players, with values up to 255, follow.
        """
        if self.bounds is None:
            return spaces.Box(0, 255, shape, self.dtype)
        low, high = (np.broadcast_to(bound, shape).copy() for bound in self.bounds)
        if frames > 1:
            low, high = np.minimum(low, 0), np.maximum(high, 0)
        low[..., frames:, :], high[..., frames:, :] = 0, 255
        return spaces.Box(low, high, shape, self.dtype)


_TYPES = (
    ObservationType(
        name="rgb",
        agent_name="rgb_image",
        getter="getScreenRGB",
        pixels=Pixels.RGB,
        preprocessed=Observation.OBSERVE_RGB,
        channels=3,
        preprocessed_channels=3,
    ),
    ObservationType(
        name="grayscale",
        agent_name="grayscale_image",
        getter="getScreenGrayscale",
        pixels=Pixels.GRAYSCALE,
        preprocessed=Observation.OBSERVE_GRAYSCALE,
    ),
    ObservationType(
        name="ram",
        agent_name="ram",
        getter="getRAM",
        is_picture=False,
        size=RAM_SIZE,
        preprocessed=Observation.OBSERVE_RAM,
    ),
    ObservationType(
        name="objects",
        agent_name="objects",
        getter="getScreenObjects",
        pixels=Pixels.OBJECTS,
        preprocessed=Observation.OBSERVE_OBJECTS,
        preprocessed_channels=len(Object),
        high=2 ** len(Object) - 1,
    ),
    ObservationType(
        name="labels",
        agent_name="labels",
        getter="getLabels",
        is_picture=False,
        dtype=np.int32,
        preprocessed=Observation.OBSERVE_LABELS,
    ),
)

VECTOR_OBSERVATIONS = {str(kind.name): kind for kind in _TYPES}
"""The types of vectors, by name: all."""

OBSERVATIONS = {str(kind.name): kind for kind in _TYPES if kind.getter}
"""Those of environments for one agent, by the same names."""

AGENT_OBSERVATIONS = {kind.agent_name: kind for kind in _TYPES if kind.agent_name}
"""Those of environments for several agents, by their names there."""


def check_render_mode(mode: Any, *allowed: str) -> None:
    """Raise gymnasium's Error unless a render mode is None or one of those allowed."""
    if not is_one_of(mode, (None, *allowed)):
        raise error.Error(f"Invalid render mode: {mode!r}. Expecting: {', '.join(allowed)}.")


def check_observation(obs_type: Any) -> None:
    """Raise gymnasium's Error unless environments for one agent have this `obs_type`."""
    if not is_one_of(obs_type, OBSERVATIONS):
        raise no_observation(obs_type)


def no_observation(obs_type: object) -> error.Error:
    """Return the error of `check_observation`."""
    return error.Error(
        f"Invalid observation type: {obs_type!r}. Expecting: {', '.join(OBSERVATIONS)}."
    )
