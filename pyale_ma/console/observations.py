"""The types of observation: one table, from which every layer takes names, shapes and values.

A type of vectors alone is a row and a name in `VectorObsType`, and an ``ale_observation`` of the
library.  One that all environments have is named in `ObsType`, and is one of ``ale_pixels``, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from gymnasium import spaces

from pyale_ma._native import RAM_SIZE, SCREEN_WIDTH, Observation, Pixels
from pyale_ma.console.objects import Object

ObsType: TypeAlias = Literal["rgb", "grayscale", "ram", "objects"]
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
        pixels: How the library writes a screen, for environments that are no vectors; None: it
            is the console's RAM.
        size: Bytes of what is no picture.
        channels: Values of a pixel of the screen; 0: one, without an axis for it.
        preprocessed_channels: The same of vectors' resized pictures.
        high: The largest value of a screen; in vectors it is always 255.
    """

    name: VectorObsType
    preprocessed: Observation
    agent_name: str = ""
    getter: str = ""
    pixels: Pixels | None = None
    size: int = 0
    channels: int = 0
    preprocessed_channels: int = 0
    high: int = 255

    @property
    def is_picture(self) -> bool:
        """Whether it is made of screens."""
        return not self.size

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
        if self.size:
            return (self.size,)
        channels = max(self.channels, least_channels)
        return (height, SCREEN_WIDTH, channels) if channels else (height, SCREEN_WIDTH)

    def preprocessed_shape(self, height: int, width: int) -> tuple[int, ...]:
        """The shape of one frame of a vector's stack."""
        if self.size:
            return (self.size,)
        channels = self.preprocessed_channels
        return (height, width, channels) if channels else (height, width)

    def space(self, shape: tuple[int, ...], high: int | None = None) -> spaces.Box:
        """The space of arrays of this shape.

        Args:
            shape: The shape.
            high: The largest value; None: that of a screen.
        """
        return spaces.Box(0, self.high if high is None else high, shape, np.uint8)


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
)

VECTOR_OBSERVATIONS = {str(kind.name): kind for kind in _TYPES}
"""The types of vectors, by name: all."""

OBSERVATIONS = {str(kind.name): kind for kind in _TYPES if kind.getter}
"""Those of environments for one agent, by the same names."""

AGENT_OBSERVATIONS = {kind.agent_name: kind for kind in _TYPES if kind.agent_name}
"""Those of environments for several agents, by their names there."""
