"""`Replayer`: plays recorded steps and resets in an environment again, and compares the results.

It plays events.  `events_of` reads those of a file; `Timeline.events` has those of a dataset's
window.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pyale_ma._base.text import printable
from pyale_ma.recording.file.format import Header, RecordingError, other_version
from pyale_ma.recording.file.reader import Reader
from pyale_ma.recording.replay.layers import REFUSALS, Layer
from pyale_ma.recording.replay.windows import Array


class Keyframe(NamedTuple):
    """A saved state from which can be played.

    Attributes:
        state: The state; None: a reset with a seed follows, which needs none.
        extra: What `Layer.load` takes beside the state.
    """

    state: bytes | None
    extra: dict[str, Any]


@dataclass(slots=True)
class Event:
    """Something that was recorded, and its result once it was played again.

    Attributes:
        kind: "begin": restore a state; "keyframe": one that follows from what was played; "reset";
            "step"; or "end", of a chunk.
        number: The number of the step, or of the next one.
        arrays: Recorded arrays by name, of a step.
        row: The step's row in them.
        entry: Arguments of a reset.
        keyframe: Reads the state of "begin" and "keyframe".
        ram: RAM after the event as it was recorded; None: it was not.
        action: What was played in a step.
        result: Of a step or a reset.
    """

    kind: str
    number: int
    arrays: Any = None
    row: int = 0
    entry: Any = None
    keyframe: Callable[[], Keyframe] | None = None
    ram: Array | None = None
    action: Any = None
    result: Any = None

    @property
    def next_step(self) -> int:
        """The number of the step that comes next."""
        return self.number + (self.kind == "step")


def events_of(reader: Reader, start: int, stop: int) -> Iterator[Event]:
    """Read the events of a file, from the last saved state before step `start` to step `stop`."""
    chunks = reader.chunks
    # From step 0 nothing is left out, whatever the chunks say of it.
    first = max((n for n, it in enumerate(chunks) if 0 < it.first <= start and it.begin), default=0)
    for number, chunk in enumerate(chunks[first:], first):
        if chunk.first >= stop:
            return
        arrays = reader.arrays(number)
        if chunk.begin:
            kind = "begin" if number == first or chunk.starts else "keyframe"
            keyframe = functools.partial(keyframe_of, reader, number)
            yield Event(kind, chunk.first, keyframe=keyframe)
        resets, rams = deque(chunk.resets), dict(zip(chunk.checks, arrays["ram"], strict=False))
        for row in range(chunk.steps + 1):
            while resets and resets[0]["step"] == row:
                yield Event("reset", chunk.first + row, entry=resets.popleft())
            if row < chunk.steps:
                if chunk.first + row >= stop:
                    return
                yield Event("step", chunk.first + row, arrays, row, ram=rams.get(row + 1))
        ram = arrays["ram"][-1] if chunk.final else None
        yield Event("end", chunk.first + chunk.steps, ram=ram)


def keyframe_of(reader: Reader, number: int) -> Keyframe:
    """Read the saved state that a chunk begins with."""
    return Keyframe(reader.state(number), reader.chunks[number].begin or {})


def least_observations(header: Header, restored_states: int) -> dict[str, Any]:
    """Return the arguments with which an environment observes what costs least."""
    if header.layer != "vector":
        return {"obs_type": "ram"}
    if restored_states:
        return {}  # a vector's saved states are of the same observations
    least = {"stack_num": 1, "agent_indicator": False}
    if header.options["mirror"]:  # which needs pictures
        return {**least, "obs_type": "grayscale", "img_height": 1, "img_width": 1}
    return {**least, "obs_type": "ram"}


class Replayer:
    """Plays events in an environment.

    Args:
        layer: The environment.
        header: Of the recording.
        name: Of the recording, for messages.
    """

    def __init__(self, layer: Layer, header: Header, name: str) -> None:
        self._layer, self._header, self._name = layer, header, name

    def play(self, events: Iterable[Event]) -> Iterator[Event]:
        """Play events, and return each with its result.

        Raises:
            RecordingError: The environment refuses one; the text says which.
        """
        layer = self._layer
        for event in events:
            if event.kind == "step":
                event.action = layer.actions(event.arrays["actions"][event.row])
                if "strengths" in event.arrays:
                    layer.set_strengths(event.arrays["strengths"][event.row])
                event.result = self._do(event, layer.step, event.action)
            elif event.kind == "reset":
                event.result = self._do(event, layer.reset, event.entry)
            elif event.kind == "begin" and event.keyframe:
                self.restore(event.number, event.keyframe())
            yield event

    def _do(self, event: Event, call: Callable[[Any], Any], argument: Any) -> Any:
        try:
            return call(argument)
        except REFUSALS as error:
            raise self._refused(f"step {event.number} cannot be played", error) from error

    def restore(self, step: int, keyframe: Keyframe) -> None:
        """Continue from a saved state.

        Args:
            step: The number of the step before which it was saved.
            keyframe: The state.

        Raises:
            RecordingError: The environment refuses it.
        """
        assert keyframe.state is not None
        try:
            self._layer.load(keyframe.state, keyframe.extra)
        except RecordingError:
            raise
        except REFUSALS as error:
            place = f"the state before step {step} cannot be restored"
            raise self._refused(place, error) from error

    def _refused(self, problem: str, error: BaseException) -> RecordingError:
        other = other_version(self._header.pyale_ma)
        return RecordingError(f"{self._name}: {problem}: {printable(error)}{other}")

    # ---- Comparing -------------------------------------------------------------------------------

    def difference(self, event: Event) -> str:
        """Return the first difference from what was recorded; "": there is none."""
        if event.kind == "keyframe" and event.keyframe:
            return self._keyframe_difference(event.number, event.keyframe())
        return self._step_difference(event) or self._ram_difference(event.ram)

    def _step_difference(self, event: Event) -> str:
        if event.kind != "step":
            return ""
        results = self._layer.numbers(event.result)
        for name, result in zip(("rewards", "terminations", "truncations"), results, strict=True):
            recorded = event.arrays[name][event.row]
            played = np.asarray(result, recorded.dtype)
            if played.tobytes() != recorded.tobytes():
                played = played.reshape(recorded.shape)
                place = tuple(np.argwhere(played != recorded)[0])
                several = len(place) > 1 and self._header.players > 1
                player = f" of player {place[1]}" if several else ""
                env = self.of_env(int(place[0]))
                return f"{name[:-1]}{player}{env} is {played[place]}, was {recorded[place]}"
        return ""

    def _ram_difference(self, recorded: Array | None) -> str:
        if recorded is None:
            return ""
        played = self._layer.rams()
        if (played == recorded).all():
            return ""
        env, byte = np.argwhere(played != recorded)[0]
        env_words = self.of_env(int(env))
        return f"RAM[{byte}]{env_words} is {played[env, byte]}, was {recorded[env, byte]}"

    def of_env(self, env: int) -> str:
        """Return the words that name an environment, where there are several."""
        return f" of environment {env}" if self._header.envs > 1 else ""

    def _keyframe_difference(self, step: int, keyframe: Keyframe) -> str:
        """Compare a keyframe with the present state."""
        layer, extra = self._layer, keyframe.extra
        played, played_extra = layer.save()
        for name, value in played_extra.items():
            if extra.get(name) != value:
                return f"{name} of the keyframe is another"
        if played == keyframe.state:
            return ""
        played_screens = self._ram_and_screens()
        try:
            self.restore(step, keyframe)
        except RecordingError:
            if other_version(self._header.pyale_ma):
                return ""  # nothing can be played from it here
            raise
        # States of the same play may differ in how much of the picture somebody had looked at. A
        # step later they do not, but for collisions that were evaluated late.
        alike = self._ram_and_screens() == played_screens
        if alike:
            assert keyframe.state is not None
            after = self._after_a_step(played, extra)
            kept = self._after_a_step(keyframe.state, extra)
            alike = after == kept
            if not alike and after and kept:
                alike = after[1] == kept[1] and layer.same(after[0], kept[0])
        layer.load(played, extra)
        return "" if alike else "the keyframe is another state"

    def _ram_and_screens(self) -> list[bytes]:
        screens = (self._layer.screen(env).tobytes() for env in range(self._header.envs))
        return [self._layer.rams().tobytes(), *screens]

    def _after_a_step(
        self, state: bytes, extra: dict[str, Any]
    ) -> tuple[bytes, dict[str, Any]] | None:
        """Play a step, or the reset that is due, from a state; None: none can follow."""
        layer = self._layer
        layer.load(state, extra)
        frames = layer.frames()
        shape, dtype = self._header.shapes(1, 0)["actions"]
        try:
            layer.step(layer.actions(np.zeros(shape, dtype)[0]))
            if frames is not None and layer.frames() == frames:  # the episode is over
                entry, _ = layer.entry(None, None)
                if entry is None:  # no two such resets are alike
                    return None
                layer.reset(entry)
        except REFUSALS:
            return None
        return layer.save()
