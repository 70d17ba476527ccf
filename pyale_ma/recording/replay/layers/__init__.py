"""Layers: the environments that can be recorded, each behind the same methods.

Recorders ask a layer what to keep, and a `Replayer` has it play that again.  Nothing else in this
room knows one kind of environment from another.
"""

from __future__ import annotations

import os
from typing import Any

from pyale_ma._base.text import printable
from pyale_ma.recording.file.format import Header, RecordingError, other_version
from pyale_ma.recording.replay.games import find_game
from pyale_ma.recording.replay.layers import consoles, vectors
from pyale_ma.recording.replay.layers.base import REFUSALS, Layer
from pyale_ma.recording.replay.layers.consoles import Console

__all__ = ["REFUSALS", "Console", "Layer", "LazyLayer", "layer_for", "layer_of"]

_LAYER_OF: dict[type, type[Layer]] = {**consoles.LAYERS, **vectors.LAYERS}
_LAYERS = {layer.name: layer for layer in _LAYER_OF.values()}


def layer_of(env: Any) -> Layer:
    """The layer of an environment, under whatever wrappers.

    Raises:
        RecordingError: It is none of this package's.
    """
    inner = getattr(env, "unwrapped", env)
    if type(inner) not in _LAYER_OF:
        inner = getattr(inner, "env", inner)  # of PettingZoo's converter to turns
    if type(inner) in _LAYER_OF:
        return _LAYER_OF[type(inner)](inner)
    within = getattr(inner, "envs", None)
    hint = "; take its `envs`" if type(within) in _LAYER_OF else ""
    raise RecordingError(
        f"{type(inner).__name__} cannot be recorded: an AtariEnv, a ParallelAtariEnv or an "
        f"AtariVectorEnv can, in any wrappers, but not what is derived from them{hint}"
    )


def layer_for(header: Header, observe: dict[str, Any], name: str = "") -> Layer:
    """The environment that a header speaks of, made anew.

    Args:
        header: Of a recording.
        observe: Arguments that change what is observed.
        name: Of the recording, for messages.

    Raises:
        RecordingError: A game's image is another, or the environment refuses its arguments.
        FileNotFoundError: There is no image.
    """
    try:
        return _LAYERS[header.layer].make(header, [*map(find_game, header.games)], observe)
    except REFUSALS as refusal:
        text = str(refusal)
        if not isinstance(refusal, RecordingError):
            text = f"its environment cannot be made: {printable(refusal)}"
        place = f"{name}: " if name else ""
        raise RecordingError(f"{place}{text}{other_version(header.pyale_ma)}") from refusal


class LazyLayer:
    """The layer of a header, made when it is needed, in each process anew.

    A forked process cannot use its parent's threads, and pickles lack the layer.

    Args:
        header: See `layer_for`.
        observe: See `layer_for`.
        name: See `layer_for`.
    """

    def __init__(self, header: Header, observe: dict[str, Any], name: str = "") -> None:
        self._arguments = header, observe, name
        self._layer: Layer | None = None
        self._process = 0

    def get(self) -> Layer:
        """The layer; errors are those of `layer_for`."""
        if self._layer is None or self._process != os.getpid():
            self._layer, self._process = layer_for(*self._arguments), os.getpid()
        return self._layer

    def close(self) -> None:
        """Free it; another one is made when it is needed."""
        layer, self._layer = self._layer, None
        if layer is not None and self._process == os.getpid():
            layer.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_layer": None}
