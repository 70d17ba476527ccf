"""`Keeper`: the base of recorders and memories, which an environment tells what it plays."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from pyale_ma._base.callers import one_caller
from pyale_ma.recording.file.format import RecordingError
from pyale_ma.recording.replay.layers import Layer

_Method = TypeVar("_Method", bound=Callable[..., Any])


def guarded(method: _Method) -> _Method:
    """Refuse a method of a `Keeper` while another one runs, and look after it if it fails."""

    @one_caller
    def alone(self: Keeper, *args: Any, **kwargs: Any) -> Any:
        try:
            self._heard = self._changes
            return method(self, *args, **kwargs)
        except BaseException:
            self._lose()
            raise

    @functools.wraps(method)
    def call(self: Keeper, *args: Any, **kwargs: Any) -> Any:
        result = alone(self, *args, **kwargs)
        if self._closes:  # somebody asked for it meanwhile
            self.close()
        return result

    return cast(_Method, call)


class Keeper(ABC):
    """Keeps what an environment plays; it is the environment's `pyale_ma._base.tap.Tap`.

    Whatever moves the game is preceded by setting `_moved`, and `_follow` clears it once that is
    kept.  So after an exception in between, such as an interrupt, what comes next begins with a
    saved state.

    Args:
        layer: The environment.

    Raises:
        RecordingError: The environment has a tap already.
    """

    def __init__(self, layer: Layer) -> None:
        if layer.env.tap is not None:
            raise RecordingError(
                "the environment is being recorded or kept already: close that recorder or memory"
            )
        self._layer = layer
        self._is_busy = False
        self._closes = False
        self._moved = True  # what comes next does not follow from what is kept
        self._changes = self._heard = 0  # how many were told of, and when this call began
        self._given: Any = None  # actions of a step that is under way, as they are kept
        self._resetting: Any = None  # what is kept of a reset that is under way
        self._beside = layer.beside()  # as it is where what is kept ends

    def _follow(self) -> None:
        """Note that what comes next follows from what is kept."""
        self._beside = self._layer.beside()
        self._moved = self._changes != self._heard

    def _look_beside(self) -> None:
        """Note whether a caller set what no console tells of."""
        if self._layer.beside() != self._beside:
            self._moved, self._given = True, None

    def _lose(self) -> None:  # noqa: B027
        """Look after this once one of its methods has failed."""

    @abstractmethod
    def _go_on(self) -> None:
        """Begin to keep anew, if what was kept last does not lead to the next step."""

    @abstractmethod
    def _add(self, actions: Any, result: Any) -> None:
        """Keep a step, and `_follow`."""

    @abstractmethod
    def _prepare_reset(self, seed: Any, options: dict[str, Any] | None) -> Any:
        """Be ready for a reset, and return what is kept of it; None: nothing."""

    @abstractmethod
    def _add_reset(self, kept: Any) -> None:
        """Keep a reset, and `_follow`."""

    @abstractmethod
    def _complete(self) -> None:
        """Leave the environment to itself; after an interrupt this can be called again."""

    def _leave(self) -> None:
        self._given = self._resetting = None
        if self._layer.env.tap is self:
            self._layer.attach(None)

    def close(self) -> None:
        """Leave the environment to itself; within another call, once that is over."""
        self._closes = self._is_busy
        if not self._closes:
            self._close()

    @one_caller
    def _close(self) -> None:
        self._complete()

    # ---- What the environment tells --------------------------------------------------------------

    @guarded
    def before_reset(self, seed: Any, options: dict[str, Any] | None) -> Any:
        """Be ready for a reset."""
        self._resetting = begun = self._prepare_reset(seed, options)
        return begun

    @guarded
    def after_reset(self, begun: Any) -> None:
        """Keep the reset, if no other one came in between."""
        kept, self._resetting, self._given = self._resetting, None, None
        if kept is not None and begun is kept:
            self._add_reset(kept)
        else:
            self._moved = True

    @guarded
    def before_step(self, actions: Any) -> Any:
        """Refuse what cannot be kept, and be ready for the rest."""
        self._layer.check_settings()
        self._layer.check_numbers(actions)
        self._look_beside()
        self._go_on()
        self._resetting = None
        self._given = given = self._layer.taken(actions)
        return given

    @guarded
    def after_step(self, begun: Any, result: Any) -> None:
        """Keep the step, if nothing else was done meanwhile."""
        given, self._given = self._given, None
        if given is not None and (begun is None or begun is given):
            self._add(given, result)
        elif begun is not None:
            self._moved = True

    def played(self) -> None:
        """Note that the game moves, in a step or outside."""
        self._moved = True

    def changed(self) -> None:
        """Note that the game moves otherwise; results of steps are lost."""
        self._moved, self._given = True, None
        self._changes += 1

    def copied(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        """Note it as any other change."""
        self.changed()

    def before_close(self) -> None:
        """Close this, too."""
        self.close()
